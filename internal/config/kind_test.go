package config

import (
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestForms(t *testing.T) {
	const s = time.Second
	tests := []struct {
		kind, text string
		want       any // nil for a refused value
	}{
		{"seconds", "45", 45 * s}, {"seconds", "0.1", s / 10}, {"seconds", "1e1", 10 * s}, {"seconds", "86400", 86400 * s},
		{"seconds", "1m30s", 90 * s}, {"seconds", " 250ms ", s / 4}, {"seconds", "0.0999", nil}, {"seconds", "86400.001", nil},
		{"seconds", "0", nil}, {"seconds", "-5s", nil}, {"seconds", "5 s", nil}, {"seconds", "5x", nil}, {"seconds", "", nil}, {"seconds", "NaN", nil},
		{"seconds0", "0", time.Duration(0)}, {"seconds0", "-0.1", nil},
		{"minutes", "10", 10 * time.Minute}, {"minutes", "10s", 10 * s}, {"minutes", "1441", nil},
		{"hours", "24", 24 * time.Hour}, {"hours", "0.5", 30 * time.Minute}, {"hours", "1s", s}, {"hours", "999ms", nil}, {"hours", "8760", 8760 * time.Hour}, {"hours", "8760.1", nil},
		{"keepalive", "3m", 3 * time.Minute}, {"keepalive", "0", time.Duration(0)}, {"keepalive", "-1", -s}, {"keepalive", "600", 600 * s}, {"keepalive", "1e300", time.Duration(math.MaxInt64)}, {"keepalive", "soon", nil},
		{"bool", "1", true}, {"bool", "TRUE", true}, {"bool", "Yes", true}, {"bool", "on", true}, {"bool", "0", false}, {"bool", "False", false}, {"bool", "NO", false}, {"bool", "off", false},
		{"bool", "2", nil}, {"bool", "t", nil}, {"bool", "y", nil}, {"bool", "", nil},
		{"count", "1", 1}, {"count", "1000000", 1_000_000}, {"count", "8.0", 8}, {"count", "1000001", nil}, {"count", "0", nil}, {"count", "1.5", nil}, {"count", "ten", nil}, {"count", "-1", nil},
		{"port", "65535", 65535}, {"port", "65536", nil},
		{"mb", "0", 0.0}, {"mb", "2048.5", 2048.5}, {"mb", "1e9", 1e9}, {"mb", "1e9.1", nil}, {"mb", "1000000001", nil}, {"mb", "-1", nil}, {"mb", "NaN", nil}, {"mb", "Inf", nil},
		{"url", "http://127.0.0.1:11435", "http://127.0.0.1:11435"}, {"url", "localhost:11435", "localhost:11435"}, {"url", "[::1]:80", "[::1]:80"}, {"url", "HTTPS://x/y", "HTTPS://x/y"},
		{"url", "http://", nil}, {"url", "http:// x", nil}, {"url", "file:///etc", nil}, {"url", "x:0", nil}, {"url", "x:99999", nil}, {"url", "", nil},
		{"full|brief", "BRIEF", "brief"}, {"full|brief", "shorter", nil}, {"full|brief", "full|brief", nil},
		{"program", "agent-cu", "agent-cu"}, {"program", `C:\a b\agent-cu.exe`, `C:\a b\agent-cu.exe`}, {"program", "/x.cmd/agent-cu", "/x.cmd/agent-cu"}, {"program", "agent-cu.cmdx", "agent-cu.cmdx"},
		{"program", "agent-cu.cmd", nil}, {"program", `C:\x\a.BAT`, nil}, {"program", "/x/a.ps1", nil}, {"program", "a.cmd. .", nil}, {"program", "a\x00b", nil},
		{"words", " Close, ,Exit,Close ", []string{"Close", "Exit"}}, {"words", "הסר", []string{"הסר"}}, {"words", "a\nb", nil},
		{"text", strings.Repeat("א", 1000), strings.Repeat("א", 1000)}, {"text", strings.Repeat("x", 1001), nil}, {"text", "a\x1bb", nil},
	}
	for _, tt := range tests {
		got, err := setting{kind: tt.kind}.parse(tt.text)
		if tt.want == nil {
			if err == nil {
				t.Errorf("%s %q gives %v", tt.kind, tt.text, got)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s %q gives %v (%v), want %v", tt.kind, tt.text, got, err, tt.want)
		}
	}
}

func TestFormsInAFile(t *testing.T) {
	const text = "timeout_base = 1.5\ntimeout_min = \"2s\"\ntimeout_max = '70'\nsession_ttl_hours = 0.5\nkeep_alive_idle = -1\n" +
		"memory_watch = false\nelicit = \"Yes\"\nmin_free_mb = 0\nmax_chars = 0x10\nnum_ctx = 8192.0\nhealth_http_port = 9\nsafety = { blocklist = ['a'] }\n" +
		"sessions_dir = 'state'\nsystem_prompt_file = '~/prompt.md'\nagent_cu_cmd = 'bin/agent-cu'\n"
	w := newWorld(t, map[string]string{userFile: text})
	s := w.load(t).Settings
	folder := filepath.Join(w.home, ".config", "mcp-computer-use")
	got := []any{s.TimeoutBase, s.TimeoutMin, s.TimeoutMax, s.SessionTTL, s.KeepAliveIdle, s.MemoryWatch, s.Elicit, s.MinFreeMB, s.MaxChars, s.NumCtx, s.HealthPort, s.Blocklist, s.SessionsDir, s.SystemPromptFile, s.AgentCUCmd}
	want := []any{1500 * time.Millisecond, 2 * time.Second, 70 * time.Second, 30 * time.Minute, -time.Second, false, true, 0.0, 16, 8192, 9, []string{"a"}, filepath.Join(folder, "state"), filepath.Join(w.home, "prompt.md"), filepath.Join(folder, "bin", "agent-cu")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEnvironment(t *testing.T) {
	w := newWorld(t, map[string]string{userFile: "model = 'file'\nmax_chars = 7\nhealth_http = true\nmemory_watch = true\n"},
		"MCP_CU_MODEL= ", "MODEL=plain", "OLLAMA_URL=http://weak:1", "MCP_CU_OLLAMA_URL=strong:2", "MCP_CU_MAX_CHARS=", "MCP_CU_HEALTH_HTTP=off", "MCP_CU_MEMORY_WATCH=0",
		"MCP_CU_HEALTH_HTTP_PORT=81", "MCP_CU_HEALTH_HOST=::1", "MCP_CU_HEALTH_HTTP_HOST=weak", "MCP_CU_KEEP_ALIVE_SESSION=-1", "MCP_CU_TIMEOUT_BASE=1m", "MCP_CU_MIN_FREE_MB=0.5",
		"MCP_CU_SESSIONS_DIR=state", "MCP_CU_CALL_BUDGET_SECONDS=0", "=C:=C:\\", "broken", "MCP_CU_BIN=/x", "MCP_CU_TIMEOUT_BASS=3", "mcp_cu_output=brief")
	out := w.load(t)
	s := out.Settings
	got := []any{s.Model, s.OllamaURL, s.MaxChars, s.HealthHTTP, s.MemoryWatch, s.HealthPort, s.HealthHost, s.KeepAliveSession, s.TimeoutBase, s.MinFreeMB, s.SessionsDir, s.CallBudget, s.Output}
	want := []any{"plain", "strong:2", 7, false, false, 81, "::1", -time.Second, time.Minute, 0.5, filepath.Join(w.work, "state"), time.Duration(0), "full"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if want := []string{`unknown variable "MCP_CU_TIMEOUT_BASS" is ignored; the nearest known one is "MCP_CU_TIMEOUT_BASE"`}; !slices.Equal(out.Warnings, want) {
		t.Errorf("warnings %q", out.Warnings)
	}
	req := w.request()
	req.GOOS = "windows"
	if out, err := Load(t.Context(), req); err != nil || out.Settings.Output != "brief" || out.Settings.EngineOS != "windows" {
		t.Errorf("on Windows: %q %q, %v", out.Settings.Output, out.Settings.EngineOS, err)
	}
	req.GOOS = "darwin"
	if out, err := Load(t.Context(), req); err != nil || out.Settings.EngineOS != "macos" {
		t.Errorf("on macOS: %q, %v", out.Settings.EngineOS, err)
	}
}

func TestRecorded(t *testing.T) {
	s := Defaults()
	s.EngineOS, s.Blocklist, s.KeepAliveIdle, s.MinFreeMB, s.MaxChars = "macos", []string{"Close"}, -time.Second, 0.5, 7
	s.HTTPToken, s.SessionsDir, s.AgentCUCmd = "hunter2", "/home/x", "/home/x/agent-cu"
	text, err := json.Marshal(s.Recorded())
	if err != nil || strings.Contains(string(text), "hunter2") || strings.Contains(string(text), "/home/x") {
		t.Fatalf("%s, %v", text, err)
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	want := s
	want.HTTPToken, want.SessionsDir, want.AgentCUCmd = "", "", "agent-cu"
	for _, recorded := range []map[string]any{values, s.Recorded()} {
		got, err := FromRecorded(recorded)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, -want +got:\n%s", err, diff)
		}
	}
	for key, value := range map[string]any{"http_token": "x", "sessions_dir": "/x", "unknown": 1, "max_chars": 0, "model": 5} {
		if got, err := FromRecorded(map[string]any{key: value}); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s = %v: %+v, %v", key, value, got, err)
		}
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{
		"timeout_bass": "timeout_base", "modle": "model", "max_char": "max_chars", "blocklist-extra": "safety.blocklist_extra", "keepalive_idle": "keep_alive_idle",
		"ollama.url": "ollama_url", "colour": "", "x": "", "theme": "", strings.Repeat("timeout_base", 50): "",
	} {
		if got := nearest(name, knownKeys()); got != want {
			t.Errorf("nearest(%.40q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, seed := range []string{"model = 'x'\n[safety]\nblocklist = ['a']\n", "a.b = {c = [{d = 1}]}\n[[x]]\ny = inf\n", "\"q.r\" = 1\n\"\\u0061\" = 2\n", "= 3", "[safety]\n[safety.x]\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, values, err := parseFile("f.toml", data)
		if err != nil {
			return
		}
		for _, e := range list {
			if e.line < 1 || e.line > strings.Count(string(data), "\n")+1 {
				t.Fatalf("key %q in line %d", e.key, e.line)
			}
		}
		var s = Defaults()
		l := layer{path: "/f.toml", trusted: true}
		if _, err := l.apply(&s, data); err == nil && len(list) == 0 && !reflect.DeepEqual(s, Defaults()) {
			t.Fatalf("no assignment in %v, but %+v", values, s)
		}
	})
}

func FuzzForms(f *testing.F) {
	for _, seed := range []string{"1", "-1", "1e308", "3m", "x", "yes", "a,b", "C:\\x.cmd", "http://x:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, one := range settings() {
			v, err := one.parse(text)
			if err != nil || v == nil {
				continue
			}
			if _, isWords := v.([]string); isWords {
				continue
			}
			again, err := one.parse(form(v))
			if err != nil || !reflect.DeepEqual(v, again) {
				t.Fatalf("%s: %q gives %v, whose form %q gives %v, %v", one.key, text, v, form(v), again, err)
			}
		}
	})
}
