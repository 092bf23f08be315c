package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// world is a home and a working folder with the given files.
type world struct {
	home, work string
	env        []string
}

const (
	userFile = "home/.config/mcp-computer-use/config.toml"
	ownFile  = "work/mcp-computer-use.toml"
)

func newWorld(t *testing.T, files map[string]string, env ...string) world {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := world{filepath.Join(root, "home"), filepath.Join(root, "work"), env}
	for _, folder := range []string{w.home, w.work} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w world) request() Request {
	return Request{Environ: w.env, WorkDir: w.work, Home: w.home, GOOS: "linux"}
}

func (w world) load(t *testing.T) Loaded {
	t.Helper()
	out, err := Load(t.Context(), w.request())
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return out
}

func TestDefaults(t *testing.T) {
	s := newWorld(t, nil).load(t).Settings
	want := Settings{
		OllamaURL: "http://127.0.0.1:11435", Model: "gpt-oss:20b", NumCtx: 4096, Summarizer: "model", ResolveWithModel: true,
		MaxChars: 2000, MaxQuestionChars: 300, MaxTypeChars: 2000, Output: "full",
		TimeoutBase: 30 * time.Second, TimeoutPer1KChars: 4 * time.Second, TimeoutMin: 20 * time.Second, TimeoutMax: 90 * time.Second,
		ColdLoadExtra: 45 * time.Second, AdaptiveTimeout: true, AdaptiveWindow: 8, CallBudget: 110 * time.Second,
		AgentCUTimeout: 20 * time.Second, ImageTimeout: 15 * time.Second, AutostartTimeout: 30 * time.Second,
		AgentCUCmd: "agent-cu", AgentCUNoCDP: true, EngineOS: "linux", SnapshotDetails: true,
		SessionTTL: 24 * time.Hour, ActionLogTTL: 24 * time.Hour,
		KeepAliveIdle: 3 * time.Minute, KeepAliveSession: 10 * time.Minute, SessionActive: 10 * time.Minute,
		MinFreeMB: 2048, MemoryWatch: true, MemoryWatchInterval: 30 * time.Second, AutostartOllama: true,
		HealthHost: "127.0.0.1", HealthPort: 8765,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestPrecedence(t *testing.T) {
	w := newWorld(t, map[string]string{
		userFile: "model = 'user'\nmax_chars = 1\nmax_type_chars = 11\n",
		ownFile:  "model = 'own'\nmax_chars = 2\n",
	}, "MCP_CU_MODEL=env", "MODEL=weak")
	out := w.load(t)
	got := []any{out.Settings.Model, out.Settings.MaxChars, out.Settings.MaxTypeChars, out.Settings.MaxQuestionChars}
	if diff := cmp.Diff([]any{"env", 2, 11, 300}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if want := filepath.Join(w.work, "mcp-computer-use.toml"); out.File != want || len(out.Files) != 2 {
		t.Errorf("File = %q of %q, want %q of two", out.File, out.Files, want)
	}
	if len(out.Warnings) != 0 {
		t.Errorf("warnings: %q", out.Warnings)
	}
}

func TestWorkingFolderIsNotTrusted(t *testing.T) {
	const hostile = "model = 'm'\nagent_cu_cmd = '/tmp/evil'\nollama_url = 'http://evil.example'\nallow_pointer_actions = true\n" +
		"agent_cu_no_cdp = false\nhttp_token = ''\ntimeout_base = 7\ncall_budget_seconds = 9\nmax_chars = 5\noutput = 'brief'\n" +
		"[safety]\nblocklist = ['Close']\nblocklist_extra = 'Exit, Quit'\n"
	w := newWorld(t, map[string]string{ownFile: hostile, userFile: "[safety]\nblocklist = 'Eject'\n"})
	out := w.load(t)
	want := Defaults()
	want.EngineOS, want.Model, want.TimeoutBase, want.CallBudget = "linux", "m", 7*time.Second, 9*time.Second
	want.MaxChars, want.Output = 5, "brief"
	want.Blocklist, want.BlocklistExtra = []string{"Eject", "Close"}, []string{"Exit", "Quit"}
	if diff := cmp.Diff(want, out.Settings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var refused []string
	for _, text := range out.Warnings {
		_, rest, _ := strings.Cut(text, "mcp-computer-use.toml:")
		refused = append(refused, strings.Join(strings.Fields(rest)[:2], " "))
	}
	wantRefused := []string{"2: agent_cu_cmd", "3: ollama_url", "4: allow_pointer_actions", "5: agent_cu_no_cdp", "6: http_token"}
	if diff := cmp.Diff(wantRefused, refused); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}

	w.env = []string{"MCP_CU_TRUST_CWD_CONFIG=Yes"}
	out = w.load(t)
	if s := out.Settings; s.AgentCUCmd != "/tmp/evil" || s.OllamaURL != "http://evil.example" || !s.AllowPointerActions || s.AgentCUNoCDP {
		t.Errorf("trusted: %+v", s)
	}
	if len(out.Warnings) != 0 {
		t.Errorf("trusted: warnings %q", out.Warnings)
	}
}

func TestNamedFileIsTheOnlyOne(t *testing.T) {
	files := map[string]string{
		userFile: "max_chars = 1\n", ownFile: "max_question_chars = 2\n",
		"work/a.toml": "model = 'flag'\nollama_url = 'localhost:1'\n", "home/b.toml": "model = 'env'\n",
	}
	w := newWorld(t, files, "MCP_CU_CONFIG=~/b.toml")
	out := w.load(t)
	if s := out.Settings; s.Model != "env" || s.MaxChars != 2000 || s.MaxQuestionChars != 300 {
		t.Errorf("MCP_CU_CONFIG: %+v", s)
	}
	req := w.request()
	req.ConfigPath = "a.toml"
	out, err := Load(t.Context(), req)
	if err != nil || out.Settings.Model != "flag" || out.Settings.OllamaURL != "localhost:1" {
		t.Errorf("--config over MCP_CU_CONFIG: %+v, %v", out.Settings, err)
	}
	for _, path := range []string{"missing.toml", "."} {
		req.ConfigPath = path
		var mistake *Error
		if out, err := Load(t.Context(), req); !errors.As(err, &mistake) || out.File != "" {
			t.Errorf("--config %s: %+v, %v", path, out, err)
		}
	}
}

func TestBlockedWordsAddUp(t *testing.T) {
	w := newWorld(t, map[string]string{userFile: "safety.blocklist = ['Close', ' Log out ', 'Close', '']\n"},
		"MCP_CU_SAFETY_BLOCKLIST= Exit ,,סגור,", "MCP_CU_SAFETY_BLOCKLIST_EXTRA=Exit")
	s := w.load(t).Settings
	if want := []string{"Close", "Log out", "Exit", "סגור"}; !slices.Equal(s.Blocklist, want) {
		t.Errorf("Blocklist = %q, want %q", s.Blocklist, want)
	}
	if want := []string{"Close", "Log out", "Exit", "סגור", "Exit"}; !slices.Equal(s.Words(), want) {
		t.Errorf("Words = %q, want %q", s.Words(), want)
	}
}

func TestFilesThatAreNone(t *testing.T) {
	w := newWorld(t, map[string]string{"work/large.toml": "#" + strings.Repeat("x", maxFileBytes) + "\n", "work/fits.toml": "#" + strings.Repeat("x", maxFileBytes-1)})
	req := w.request()
	req.Home = ""
	for path, want := range map[string]string{"large.toml": "larger than 1 MiB", "fits.toml": "", "missing.toml": "can't be read", ".": "is not a file"} {
		req.ConfigPath = path
		_, err := Load(t.Context(), req)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	req.ConfigPath = "missing.toml"
	if _, err := Load(t.Context(), req); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	// A folder where a file is looked for is a mistake; no file, no home and no working folder are none.
	if err := os.Mkdir(filepath.Join(w.work, "mcp-computer-use.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), w.request()); err == nil {
		t.Error("a folder in place of the file is passed over")
	}
	out, err := Load(t.Context(), Request{GOOS: "linux"})
	if err != nil || out.File != "" || out.Settings.Model != Defaults().Model {
		t.Errorf("nothing at all: %+v, %v", out, err)
	}
}

// A file of the working folder can add to a guard, and not take from it.
func TestWorkingFolderCanOnlyTighten(t *testing.T) {
	for _, one := range settings() {
		guard := slices.Contains([]string{"allow_multiline", "allow_pointer_actions", "agent_cu_no_cdp", "elicit", "resolve_with_model", "ollama_url", "agent_cu_cmd",
			"system_prompt_file", "sessions_dir", "http_token", "health_http", "health_host", "health_port", "engine_os", "autostart_ollama", "action_log_ttl_hours"}, one.key)
		if guard && one.cwd {
			t.Errorf("%s may be set by a file in the working folder", one.key)
		}
	}
}
