package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"time"

	"mcp-computer-use/agentcu"
	"mcp-computer-use/capture"
	"mcp-computer-use/internal/audit"
	"mcp-computer-use/internal/autostart"
	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/config"
	"mcp-computer-use/internal/memory"
	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/replay"
	"mcp-computer-use/internal/store"
	"mcp-computer-use/safety"
	"mcp-computer-use/sessions"
	"mcp-computer-use/timeouts"
)

// world is what the program touches: processes, HTTP, memory and folders. A recording wraps it, a
// replay replaces it.
type world struct {
	settings  config.Settings
	platform  bridge.Platform
	runner    proc.Runner
	starter   proc.Starter
	client    func(ollama.Options) (*ollama.Client, error)
	free      memory.Reader
	agentCU   string   // program for agent-cu; empty: look it up
	ollama    string   // program for Ollama; empty: look it up
	env       []string // of agent-cu; nil: ours
	startEnv  []string // of a started Ollama
	dir       string   // sessions folder
	memoryDir string   // of what is remembered between calls: dir, but empty while recording
	// powerShell takes the pictures of a recording that is made on Windows; empty: whatever is there.
	powerShell string
	prompt     string // system prompt of a recording; empty: the configured one
	temp       string // folder of private homes
	replaying  bool
	close      func() error
}

// application is the wired program.
type application struct {
	bridge  *bridge.Bridge
	client  *ollama.Client
	free    memory.Reader
	memory  memory.Options
	close   func() error
	setting config.Settings
}

// wire builds the program from its settings, over the real world, a recording of it, or a replay.
func (r *run) wire(ctx context.Context) (*application, error) {
	if r.replay != "" {
		w, err := r.replayed()
		if err != nil {
			return nil, err
		}
		return r.build(w)
	}
	w, err := r.real()
	if err != nil {
		return nil, err
	}
	if r.record != "" {
		if err := r.recorded(ctx, w); err != nil {
			return nil, err
		}
	}
	return r.build(w)
}

// real is this machine.
func (r *run) real() (*world, error) {
	dir, err := stateDir(r.loaded.Settings.SessionsDir)
	if err != nil {
		return nil, err
	}
	system := proc.New()
	return &world{settings: r.loaded.Settings, runner: system, starter: system,
		platform: bridge.PlatformOf(r.loaded.Settings.EngineOS, runtime.GOOS),
		client:   func(o ollama.Options) (*ollama.Client, error) { return ollama.New(o, ollama.NewTransport()) },
		free:     memory.FreeMB, dir: dir, memoryDir: dir, startEnv: os.Environ(),
		close: func() error { return nil }}, nil
}

// stateDir is where sessions, logs and statistics are kept (spec/contract.md section 10), as an absolute
// path.
func stateDir(configured string) (string, error) {
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		exe = "" // then no folder beside the program counts
	}
	getenv := func(name string) string {
		if name == "MCP_CU_SESSIONS_DIR" {
			return configured
		}
		return os.Getenv(name)
	}
	dir, err := store.StateDir(store.Surroundings{GOOS: runtime.GOOS, Getenv: getenv, Exe: exe, IsDir: isDir})
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", fmt.Errorf("the sessions folder: %w", err)
	}
	return dir, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// recorded wraps the world so that all that passes is written down.
func (r *run) recorded(ctx context.Context, w *world) (err error) {
	temp, err := os.MkdirTemp("", "mcp-computer-use-")
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	// What earlier calls left behind would shape the requests, and no replay would have it.
	w.temp, w.memoryDir = temp, filepath.Join(temp, "state")
	free, err := w.free()
	if err != nil {
		free = 0
	}
	// One reading for the whole run, since a replay has only one.
	w.free = func() (float64, error) { return free, nil }
	prompt, err := systemPrompt(w.settings.SystemPromptFile)
	if err != nil {
		return err
	}
	located := ""
	if program, err := agentcu.New(w.runner, agentOptions(w)).Locate(ctx); err == nil {
		located = program.Path
	}
	settings := w.settings.Recorded()
	settings["engine_os"] = string(w.platform)
	w.ollama = autostart.Find(w.startEnv)
	programs := map[string]string{"agent-cu": located, "ollama": w.ollama}
	if root := os.Getenv("SystemRoot"); runtime.GOOS == "windows" && filepath.IsAbs(root) {
		// Only Windows' own one is recorded, so that a replay asks for the same.
		w.powerShell = filepath.Join(root, "System32", "WindowsPowerShell", "v1.0", "powershell.exe")
		programs["powershell"] = w.powerShell
	}
	recorder, err := replay.NewRecorder(r.record, replay.Header{Platform: string(w.platform), FreeRAMMB: free,
		Programs: programs, Settings: settings, SystemPrompt: ownPrompt(prompt),
		Recorded: time.Now().UTC().Truncate(time.Second)},
		scrubber(w))
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	w.agentCU = located
	w.runner, w.starter = recorder.Runner(w.runner), recorder.Starter(w.starter)
	w.client = func(o ollama.Options) (*ollama.Client, error) {
		return ollama.New(o, recorder.Transport(ollama.NewTransport()))
	}
	w.close = func() error { return errors.Join(recorder.Close(), os.RemoveAll(temp)) }
	return nil
}

// scrubber names what is private in a recording, and the folders that differ from run to run.
func scrubber(w *world) replay.Scrub {
	s := replay.Scrub{Folders: map[string]string{"sessions": w.dir, "temp": w.temp}}
	if home, err := os.UserHomeDir(); err == nil {
		s.Home = home
	}
	if who, err := user.Current(); err == nil {
		s.User = who.Username
	}
	if w.settings.HTTPToken != "" {
		s.Secrets = append(s.Secrets, w.settings.HTTPToken)
	}
	return s
}

// replayed is a recording in place of this machine: no settings, no state and no program of it counts.
func (r *run) replayed() (*world, error) {
	scratch, err := os.MkdirTemp("", "mcp-computer-use-replay-")
	if err != nil {
		return nil, fmt.Errorf("--replay: %w", err)
	}
	sessions := filepath.Join(scratch, "sessions")
	w := &world{dir: sessions, memoryDir: sessions, replaying: true, temp: filepath.Join(scratch, "temp"), env: []string{"PATH="},
		startEnv: []string{"PATH="}}
	remove := func() error { return os.RemoveAll(scratch) }
	if err := os.Mkdir(w.temp, 0o700); err != nil {
		return nil, errors.Join(err, remove())
	}
	player, err := replay.Open(r.replay, scrubber(w))
	if err == nil {
		w.settings, err = config.FromRecorded(player.Header().Settings)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--replay: %w", err), remove())
	}
	header := player.Header()
	w.platform = bridge.PlatformOf(header.Platform, runtime.GOOS)
	w.runner, w.starter = player.Runner(), player.Starter()
	w.client = func(o ollama.Options) (*ollama.Client, error) { return ollama.New(o, player.Transport()) }
	w.free = func() (float64, error) { return header.FreeRAMMB, nil }
	w.prompt = header.SystemPrompt
	w.agentCU, w.ollama = header.Programs["agent-cu"], header.Programs["ollama"]
	w.powerShell = header.Programs["powershell"]
	if w.agentCU == "" {
		// The recorded machine had none, so this one must not be asked for its own.
		w.settings.AgentCUCmd = filepath.Join(scratch, "agent-cu")
	}
	w.close = func() error { return errors.Join(player.Finish(), remove()) }
	return w, nil
}

func agentOptions(w *world) agentcu.Options {
	o := agentcu.DefaultOptions(w.platform)
	o.Command, o.Timeout, o.NoCDP = w.settings.AgentCUCmd, w.settings.AgentCUTimeout, w.settings.AgentCUNoCDP
	o.Program, o.TempDir, o.Env = w.agentCU, w.temp, w.env
	return o
}

// build puts the packages together.
func (r *run) build(w *world) (*application, error) {
	s := w.settings
	client, err := w.client(ollama.Options{URL: s.OllamaURL, Model: s.Model, NumCtx: s.NumCtx})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ollama_url: %w", err), w.close())
	}
	prompt := w.prompt
	if prompt == "" {
		if prompt, err = systemPrompt(s.SystemPromptFile); err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	gate, warnings := safety.New(s.Words())
	for _, warning := range warnings {
		fmt.Fprintln(r.err, "mcp-computer-use: warning:", warning)
	}
	mem := memory.Options{Idle: s.KeepAliveIdle, Session: s.KeepAliveSession,
		SessionActiveMinutes: s.SessionActive.Minutes(), MinFreeMB: s.MinFreeMB, Watch: s.MemoryWatch && !w.replaying,
		WatchInterval: s.MemoryWatchInterval}
	engine := agentcu.New(w.runner, agentOptions(w))
	b := bridge.New(r.bridgeOptions(w, prompt, warnings), bridge.Deps{
		AgentCU: engine,
		Ollama:  client,
		Autostart: autostart.New(autostart.Options{Enabled: s.AutostartOllama, Timeout: s.AutostartTimeout, Dir: w.dir,
			Env: w.startEnv, Program: w.ollama}, w.seams(client)),
		Sessions: sessions.New(sessions.Options{TTL: s.SessionTTL, Active: s.SessionActive}, w.memoryDir, nil),
		Audit:    audit.New(audit.Options{TTL: s.ActionLogTTL}, w.dir, nil),
		Planner:  timeouts.NewPlanner(timeoutOptions(s), w.memoryDir),
		Memory:   mem,
		FreeMB:   w.free,
		Camera:   capture.New(cameraOptions(w), w.runner, engine),
		Gate:     gate,
		FenceID:  fenceID,
		Log:      r.log,
	})
	return &application{bridge: b, client: client, free: w.free, memory: mem, close: w.close, setting: s}, nil
}

// cameraOptions say how pictures are taken. The script lies in a folder of the user's own.
func cameraOptions(w *world) capture.Options {
	o := capture.Options{Platform: w.platform, Timeout: w.settings.ImageTimeout, PrivateDir: filepath.Join(w.dir, "capture"),
		Env: w.env}
	if w.powerShell != "" {
		o.GOOS, o.Programs = "windows", []string{w.powerShell}
	}
	return o
}

func (r *run) bridgeOptions(w *world, prompt string, warnings []string) bridge.Options {
	s := w.settings
	return bridge.Options{
		Platform:         w.platform,
		SnapshotDetails:  s.SnapshotDetails,
		MaxChars:         s.MaxChars,
		MaxQuestionChars: s.MaxQuestionChars,
		MaxTypeChars:     s.MaxTypeChars,
		ImageTimeout:     s.ImageTimeout,
		SystemPrompt:     prompt,
		CodeSummary:      s.Summarizer == "code",
		ResolveWithModel: s.ResolveWithModel,
		AllowPointer:     s.AllowPointerActions,
		AllowMultiline:   s.AllowMultiline,
		Version:          programVersion(),
		SessionsDir:      w.dir,
		ConfigFile:       r.loaded.File,
		Warnings:         append(append([]string(nil), r.loaded.Warnings...), warnings...),
	}
}

// seams are what the start of Ollama touches. A replay starts nothing, so it waits for nothing, and the
// process numbers of a recording are never looked up or ended on this machine.
func (w *world) seams(client *ollama.Client) autostart.Seams {
	s := autostart.Seams{Server: client, Runner: w.runner, Starter: w.starter}
	if w.replaying {
		s.Sleep = func(context.Context, time.Duration) {}
		s.Alive = func(int) bool { return true }
		s.Kill = func(int) error { return nil }
	}
	return s
}

func timeoutOptions(s config.Settings) timeouts.Options {
	return timeouts.Options{Base: s.TimeoutBase, Per1kChars: s.TimeoutPer1KChars, Min: s.TimeoutMin, Max: s.TimeoutMax,
		ColdLoadExtra: s.ColdLoadExtra, Adaptive: s.AdaptiveTimeout, Window: s.AdaptiveWindow, CallBudget: s.CallBudget}
}

// mostPrompt bounds a system prompt in bytes: far more than a model's context takes.
const mostPrompt = 64 << 10

// systemPrompt is the bundled text for the model, or that of a file.
func systemPrompt(file string) (string, error) {
	if file == "" {
		return bridge.DefaultSystemPrompt(), nil
	}
	info, err := os.Stat(file)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mostPrompt) {
		err = fmt.Errorf("%s is not a text file of at most %d bytes", file, mostPrompt)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return "", fmt.Errorf("system_prompt_file: %w", err)
	}
	return string(text), nil
}

// ownPrompt is a prompt that is not the bundled one; a recording keeps that alone.
func ownPrompt(prompt string) string {
	if prompt == bridge.DefaultSystemPrompt() {
		return ""
	}
	return prompt
}

// fenceID is a new random name for the fence around screen text.
func fenceID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails: it ends the process where there is no randomness
	return hex.EncodeToString(id[:])
}
