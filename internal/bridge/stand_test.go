package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-computer-use/agentcu"
	"mcp-computer-use/capture"
	"mcp-computer-use/internal/audit"
	"mcp-computer-use/internal/autostart"
	"mcp-computer-use/internal/memory"
	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/safety"
	"mcp-computer-use/sessions"
	"mcp-computer-use/timeouts"
)

// standCU stands in for agent-cu: it answers from memory, refuses arguments that the real one would
// not take, and keeps what it was asked. Refs are valid in the home of their snapshot alone.
type standCU struct {
	os        ui.Platform
	windows   []byte // JSON array; nil: the command fails
	apps      []byte // nil: derived from windows
	text      []byte // nil: the command fails
	snapshots [][]byte
	refs      []byte            // refs.json of every snapshot; nil: none is written
	tree      []byte            // nil: made from the snapshot that would come next
	fail      map[string]string // verb -> type of its error
	stdout    map[string][]byte // verb -> answer in place of the usual one
	// before runs ahead of each answer, outside of the lock; a nil error goes on.
	before func(ctx context.Context, c cuCall) error

	mu     sync.Mutex
	served int
	inHome map[string][]byte // newest snapshot of each home
	calls  []cuCall
	wrong  []string // why arguments were refused
}

// cuCall is one command as it was understood.
type cuCall struct {
	verb, app, ref, text, home string
	args                       []string
}

// Run implements proc.Runner.
func (s *standCU) Run(ctx context.Context, cmd proc.Command) (proc.Result, error) {
	c, err := parseCU(cmd)
	s.mu.Lock()
	s.calls = append(s.calls, c)
	if err != nil {
		s.wrong = append(s.wrong, fmt.Sprintf("%v: %q", err, cmd.Args))
	}
	s.mu.Unlock()
	if err != nil {
		return exited(cmd, 2, "error: "+err.Error())
	}
	if s.before != nil {
		if err := s.before(ctx, c); err != nil {
			return proc.Result{ExitCode: -1}, err
		}
	}
	if ctx.Err() != nil {
		kind := proc.Canceled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			kind = proc.TimedOut
		}
		return proc.Result{ExitCode: -1}, &proc.Error{Kind: kind, Path: cmd.Path, ExitCode: -1, Err: context.Cause(ctx)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer(cmd, c)
}

func (s *standCU) answer(cmd proc.Command, c cuCall) (proc.Result, error) {
	if kind := s.fail[c.verb]; kind != "" {
		return refused(cmd, kind, c.verb+" failed on request")
	}
	if c.app != "" && c.verb != "windows" && !s.finds(c.app) {
		return refused(cmd, "application_not_found", "application not found: "+c.app)
	}
	if out, ok := s.stdout[c.verb]; ok {
		return proc.Result{Stdout: out}, nil
	}
	switch c.verb {
	case "--version":
		return proc.Result{Stdout: []byte("agent-cu 0.1.1\n")}, nil
	case "windows":
		return s.list(cmd, c.app)
	case "apps":
		return proc.Result{Stdout: s.applications()}, nil
	case "text":
		if s.text == nil {
			return refused(cmd, "platform_error", "platform error: no text")
		}
		return proc.Result{Stdout: s.text}, nil
	case "snapshot":
		return s.snapshot(cmd, c)
	case "tree":
		return s.printTree(cmd)
	}
	known := s.inHome[c.home]
	if known == nil {
		return refused(cmd, "platform_error", "platform error: no snapshot refs cached")
	}
	if !bytes.Contains(known, []byte("["+c.ref+"] ")) {
		return refused(cmd, "element_not_found", "element not found: ref '"+c.ref+"' not found")
	}
	return proc.Result{Stdout: []byte(`{"success":true,"message":"done"}` + "\n")}, nil
}

func (s *standCU) snapshot(cmd proc.Command, c cuCall) (proc.Result, error) {
	s.served++
	if len(s.snapshots) == 0 {
		return refused(cmd, "platform_error", "platform error: no snapshot")
	}
	out := s.snapshots[min(s.served, len(s.snapshots))-1]
	if s.inHome == nil {
		s.inHome = map[string][]byte{}
	}
	s.inHome[c.home] = out
	if s.refs != nil {
		for _, path := range cmd.Outputs {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return proc.Result{}, err
			}
			if err := os.WriteFile(path, s.refs, 0o600); err != nil {
				return proc.Result{}, err
			}
		}
	}
	return proc.Result{Stdout: out}, nil
}

// row is an application or a window of the lists.
type row struct{ Title, App, Name string }

func rows(list []byte) (raw []json.RawMessage, parsed []row) {
	_ = json.Unmarshal(list, &raw)
	_ = json.Unmarshal(list, &parsed)
	return raw, parsed
}

// finds says whether -a finds something; without a list there is nothing to check.
func (s *standCU) finds(app string) bool {
	_, known := rows(s.windows)
	if s.os == ui.Linux {
		_, more := rows(s.apps)
		known = append(known, more...)
	}
	for _, one := range known {
		text := one.Title
		if s.os != ui.Windows {
			text = one.App + one.Name
		}
		at := strings.Index(strings.ToLower(text), strings.ToLower(app))
		if at == 0 || at > 0 && s.os != ui.MacOS {
			return true
		}
	}
	return len(known) == 0
}

func (s *standCU) list(cmd proc.Command, app string) (proc.Result, error) {
	if app == "" && s.os != ui.Linux {
		if s.windows == nil {
			return refused(cmd, "platform_error", "platform error: no list")
		}
		return proc.Result{Stdout: s.windows}, nil
	}
	kept := []json.RawMessage{}
	raw, parsed := rows(s.windows)
	for i, one := range parsed {
		if app != "" && strings.Contains(strings.ToLower(one.App), strings.ToLower(app)) {
			kept = append(kept, raw[i])
		}
	}
	out, err := json.Marshal(kept)
	return proc.Result{Stdout: out}, err
}

func (s *standCU) applications() []byte {
	if s.apps != nil {
		return s.apps
	}
	list := []map[string]any{}
	_, parsed := rows(s.windows)
	for _, one := range parsed {
		list = append(list, map[string]any{"name": one.App, "pid": 0, "frontmost": false})
	}
	out, _ := json.Marshal(list)
	return out
}

// printTree prints the next snapshot as `tree` would.
func (s *standCU) printTree(cmd proc.Command) (proc.Result, error) {
	if s.tree != nil {
		return proc.Result{Stdout: s.tree}, nil
	}
	if len(s.snapshots) == 0 {
		return refused(cmd, "platform_error", "platform error: no tree")
	}
	parsed := agentcu.ParseSnapshot(s.snapshots[min(s.served+1, len(s.snapshots))-1])
	var node func(i int) map[string]any
	node = func(i int) map[string]any {
		e := parsed.Elements[i]
		children := []any{}
		for k := i + 1; k < e.End; k = parsed.Elements[k].End {
			children = append(children, node(k))
		}
		return map[string]any{"role": e.Role, "name": e.Name, "value": e.Value, "id": e.ID, "children": children}
	}
	out, err := json.Marshal(node(0))
	return proc.Result{Stdout: out}, err
}

// acts are the commands that did something, as the cases write them.
func (s *standCU) acts() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := [][]string{}
	for _, c := range s.calls {
		switch c.verb {
		case "click":
			list = append(list, []string{"click", c.ref})
		case "type":
			list = append(list, []string{"type", c.ref, c.text})
		}
	}
	return list
}

// of are the calls of some verbs.
func (s *standCU) of(verbs ...string) []cuCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []cuCall
	for _, c := range s.calls {
		for _, verb := range verbs {
			if c.verb == verb {
				list = append(list, c)
			}
		}
	}
	return list
}

// parseCU reads the arguments as the engine's parser would, and is stricter where ours have one form:
// foreign values in the joined form or behind "--".
func parseCU(cmd proc.Command) (cuCall, error) {
	c := cuCall{args: cmd.Args}
	for _, entry := range cmd.Env {
		if home, ok := strings.CutPrefix(entry, "HOME="); ok {
			c.home = home
		}
	}
	allowed := map[string]string{"--version": "", "windows": " compact app ", "apps": " compact ", "text": " app ",
		"snapshot": " i c app ", "tree": " compact app ", "click": " compact app ", "type": " compact app selector "}
	if len(cmd.Args) == 0 || c.home == "" {
		return c, errors.New("no command, or no home")
	}
	c.verb = cmd.Args[0]
	flags, known := allowed[c.verb]
	if !known {
		return c, errors.New("unrecognized subcommand")
	}
	rest := cmd.Args[1:]
	for len(rest) > 0 && rest[0] != "--" {
		name, value, joined := strings.Cut(strings.TrimLeft(rest[0], "-"), "=")
		if !strings.HasPrefix(rest[0], "-") || name != "no-cdp" && !strings.Contains(flags, " "+name+" ") ||
			joined != (name == "app" || name == "selector") {
			return c, fmt.Errorf("unexpected argument %q", rest[0])
		}
		switch name {
		case "app":
			c.app = value
		case "selector":
			c.ref = value
		}
		rest = rest[1:]
	}
	for _, arg := range cmd.Args {
		if strings.ContainsRune(arg, 0) {
			return c, errors.New("an argument holds NUL")
		}
	}
	return c, c.positional(rest)
}

func (c *cuCall) positional(rest []string) error {
	switch {
	case c.verb != "click" && c.verb != "type":
		if len(rest) > 0 {
			return errors.New("too many arguments")
		}
		return nil
	case len(rest) != 2:
		return errors.New("an act needs -- and one argument")
	case c.verb == "click":
		c.ref = rest[1]
	default:
		c.text = rest[1]
	}
	return nil
}

func exited(cmd proc.Command, code int, stderr string) (proc.Result, error) {
	return proc.Result{ExitCode: code, Stderr: []byte(stderr)}, &proc.Error{Kind: proc.ExitStatus, Path: cmd.Path, ExitCode: code}
}

func refused(cmd proc.Command, kind, message string) (proc.Result, error) {
	text, _ := json.Marshal(map[string]any{"error": true, "type": kind, "message": message})
	return exited(cmd, 1, string(text))
}

// desk is a Bridge with all that stands around it. Fields may be changed until bridge is called.
type desk struct {
	cu       *standCU
	llm      *standLLM
	opts     Options
	times    timeouts.Options
	sessions sessions.Options
	memory   memory.Options
	freeMB   float64
	words    []string // additions to the blocklist
	start    bool     // auto-start is on, through starter
	starter  proc.Starter
	dir      string // sessions folder
	temp     string // private homes
	timeout  time.Duration
	now      func() time.Time
	log      safeBuffer
}

// safeBuffer takes the log of parallel calls.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

const (
	deskWindows = `[{"title":"Calculator","app":"ApplicationFrameHost","pid":100,"frontmost":true},` +
		`{"title":"Notes","app":"notes","pid":101,"frontmost":false}]`
	deskText     = "Calculator\nDisplay is 12\nHistory is empty\n"
	deskSnapshot = `window "Calculator"
  group "Keys"
    [@e1] button "Seven" id=num7Button
    [@e2] button "Five" id=num5Button
    [@e3] button "Minus" id=minusButton
    [@e4] button "Delete" id=delButton
  [@e5] button "Open file"
  [@e6] button "Open folder"
  [@e7] textfield "Amount" val="12" id=amount
  statictext "Display is 12"
`
)

// newDesk is a calculator on Windows and a model that answers at once.
func newDesk(t testing.TB) *desk {
	t.Helper()
	root := t.TempDir()
	d := &desk{dir: filepath.Join(root, "sessions"), temp: filepath.Join(root, "temp"), freeMB: 8000,
		cu: &standCU{os: ui.Windows, windows: []byte(deskWindows), text: []byte(deskText),
			snapshots: [][]byte{[]byte(deskSnapshot)}},
		llm: newLLM(), times: timeouts.DefaultOptions(), sessions: sessions.DefaultOptions(), memory: memory.DefaultOptions(),
		timeout: 20 * time.Second,
		opts: Options{Platform: ui.Windows, SnapshotDetails: true, MaxChars: 2000, MaxQuestionChars: 300, MaxTypeChars: 2000,
			ImageTimeout: time.Second, SystemPrompt: DefaultSystemPrompt(), ResolveWithModel: true, Version: "1.2.3"}}
	if err := os.Mkdir(d.temp, 0o700); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) bridge(t testing.TB) *Bridge {
	t.Helper()
	client, err := ollama.New(ollama.Options{URL: "http://127.0.0.1:11435", Model: standModel, NumCtx: 4096}, d.llm)
	if err != nil {
		t.Fatal(err)
	}
	gate, warnings := safety.New(d.words)
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	d.opts.SessionsDir = d.dir
	return New(d.opts, Deps{
		AgentCU: agentcu.New(d.cu, agentcu.Options{Platform: d.opts.Platform, Program: "/stand-in/agent-cu",
			TempDir: d.temp, NoCDP: true, Timeout: d.timeout}),
		Ollama: client,
		Autostart: autostart.New(autostart.Options{Enabled: d.start, Timeout: 5 * time.Second, Dir: d.dir, Env: []string{"PATH="},
			Program: "/stand-in/ollama"}, autostart.Seams{Server: client, Runner: d.cu, Starter: d.starter,
			Sleep: func(context.Context, time.Duration) {}}),
		Sessions: sessions.New(d.sessions, d.dir, d.now),
		Audit:    audit.New(audit.Options{TTL: 24 * time.Hour, LockWait: time.Second}, d.dir, d.now),
		Planner:  timeouts.NewPlanner(d.times, d.dir),
		Memory:   d.memory,
		FreeMB:   func() (float64, error) { return d.freeMB, nil },
		Camera:   &capture.Camera{},
		Gate:     gate,
		FenceID:  func() string { return "00112233aabbccdd" },
		Log:      slog.New(slog.NewTextHandler(&d.log, nil)),
	})
}

// leftovers are private homes that were not removed.
func (d *desk) leftovers(t testing.TB) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(d.temp, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// records are the lines of the action log.
func (d *desk) records(t testing.TB) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, audit.FileName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]any
	for line := range strings.Lines(string(data)) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		list = append(list, one)
	}
	return list
}
