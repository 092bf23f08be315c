package bridge

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"mcp-computer-use/internal/result"
)

func TestSessionFlow(t *testing.T) {
	d := newDesk(t)
	b := d.bridge(t)
	first := d.look(t, b, ask("What is there?", "Calculator").in("codex", "fix ui"))
	if first.Error != nil || first.Session == nil || *first.Session != (result.Session{Client: "codex", SessionID: "fixui"}) {
		t.Fatalf("%v, %+v", first.Error, first.Session)
	}
	again := d.look(t, b, ask("what is  there?", "Calculator").in("codex", "fix ui"))
	if !again.Cached || again.Summary != first.Summary || again.MemoryMB != nil || again.TokensPerSecond != nil ||
		again.Timing.ModelWallSeconds != 0 || again.Changed == nil || len(*again.Changed) != 0 {
		t.Errorf("the same question: %s", asJSON(again))
	}
	d.llm.set(func() { d.llm.reply = func(string) string { return `{"summary":"second","confidence":0.8}` } })
	other := d.look(t, b, ask("Is there a history?", "Calculator").in("codex", "fix ui"))
	if other.Cached || other.Summary != "second" || !strings.Contains(d.llm.asked()[1].of("user"), "stand-in summary") {
		t.Errorf("another question: %s", asJSON(other))
	}
	d.cu.text = []byte("Calculator\nDisplay is 13\n")
	d.cu.snapshots = [][]byte{[]byte(strings.ReplaceAll(deskSnapshot, "12", "13"))}
	changed := d.look(t, b, ask("Is there a history?", "Calculator").in("codex", "fix ui"))
	if changed.Cached || changed.Changed == nil || len(*changed.Changed) == 0 {
		t.Errorf("another screen: %s", asJSON(changed))
	}
	if got := d.look(t, b, ask("What is there?", "Calculator")); got.Changed != nil || got.Session != nil || got.Cached {
		t.Errorf("without a session: %s", asJSON(got))
	}
	d.look(t, b, ask("What is there?", "Calculator").in("codex", "next"))
	files, err := filepath.Glob(filepath.Join(d.dir, "*__*.json"))
	if err != nil || len(files) != 1 || !strings.HasSuffix(files[0], "next.json") {
		t.Errorf("files %q, %v", files, err)
	}
}

// A failure tells what changed to nobody, so that it must not become what the next call compares with.
func TestFailureIsNotStored(t *testing.T) {
	d := newDesk(t)
	b := d.bridge(t)
	req := ask("What is there?", "Calculator").in("c", "s")
	d.look(t, b, req)
	d.cu.text = []byte("Calculator\nDisplay is 13\n")
	d.cu.snapshots = [][]byte{[]byte(strings.ReplaceAll(deskSnapshot, "12", "13"))}
	d.llm.set(func() { d.llm.reply = func(string) string { return "" } })
	if got := d.look(t, b, req); codeIn(got.Error) != "MODEL_FAILED" || got.Changed != nil {
		t.Fatalf("%s", asJSON(got))
	}
	d.llm.set(func() { d.llm.reply = func(string) string { return `{"summary":"s","confidence":1}` } })
	if got := d.look(t, b, req); got.Changed == nil || len(*got.Changed) == 0 {
		t.Errorf("the change is lost: %s", asJSON(got))
	}
}

// The hint to use a session comes after some calls without one, and never inside one.
func TestHintOfSessions(t *testing.T) {
	d := newDesk(t)
	b := d.bridge(t)
	for n := range 6 {
		got := d.look(t, b, ask("What is there?", "Calculator"))
		if has := strings.Contains(got.Hint, "session_id"); has != (n >= strangersBeforeHint) {
			t.Errorf("call %d: hint %q", n, got.Hint)
		}
	}
	if got := d.look(t, b, ask("What is there?", "Calculator").in("c", "s")); got.Hint != "" {
		t.Errorf("hint %q", got.Hint)
	}
}

// starts stands in for the start of Ollama: it comes up when it is started.
type starts struct {
	llm   *standLLM
	count int
	fails bool
}

func TestStartOfOllama(t *testing.T) {
	refuseOnce := func(llm *standLLM) func(*http.Request) (*http.Response, error) {
		return func(*http.Request) (*http.Response, error) {
			delete(llm.fault, "/api/chat")
			llm.down = true
			return nil, refusedDial()
		}
	}
	tests := []struct {
		name    string
		session bool // the call is a later one of a session
		change  func(*desk)
		starts  int
		code    string
		cold    bool
	}{
		{"up", false, func(*desk) {}, 0, "", false},
		{"down, no session", false, func(d *desk) { d.llm.down = true }, 1, "", true},
		{"down inside a session", true, func(d *desk) { d.llm.down = true }, 1, "", true},
		{"goes away inside a session", true, func(d *desk) {
			d.llm.fault = map[string]func(*http.Request) (*http.Response, error){"/api/chat": refuseOnce(d.llm)}
		}, 1, "", true},
		{"goes away without a session", false, func(d *desk) {
			d.llm.fault = map[string]func(*http.Request) (*http.Response, error){"/api/chat": refuseOnce(d.llm)}
		}, 0, "OLLAMA_UNREACHABLE", false},
		{"the start fails", false, func(d *desk) { d.llm.down, d.starter.(*starts).fails = true, true }, 1, "OLLAMA_UNREACHABLE", false},
		{"the start fails inside a session", true, func(d *desk) { d.llm.down, d.starter.(*starts).fails = true, true }, 1, "OLLAMA_UNREACHABLE", false},
		{"switched off", true, func(d *desk) { d.llm.down, d.start = true, false }, 0, "OLLAMA_UNREACHABLE", false},
		{"a failing model is no reason", true, func(d *desk) {
			d.llm.fault = map[string]func(*http.Request) (*http.Response, error){"/api/chat": func(r *http.Request) (*http.Response, error) {
				return textAnswer(r, 500, `{"error":"boom"}`)
			}}
		}, 0, "MODEL_FAILED", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			starter := &starts{llm: d.llm}
			d.start, d.starter = true, starter
			req := ask("What is there?", "Calculator")
			if tt.session {
				req = req.in("c", "s")
				d.look(t, d.bridge(t), req)
				req.Question = "And now?"
			}
			tt.change(d)
			before := len(d.cu.of("text"))
			got := d.look(t, d.bridge(t), req)
			if codeIn(got.Error) != tt.code || starter.count != tt.starts {
				t.Errorf("%v, %d starts, want %q and %d", got.Error, starter.count, tt.code, tt.starts)
			}
			if tt.code == "" && got.Timing.Cold != tt.cold {
				t.Errorf("cold %v", got.Timing.Cold)
			}
			if n := len(d.cu.of("text")) - before; n != 1 {
				t.Errorf("the window was read %d times", n)
			}
			if got.Error != nil && tt.code == "OLLAMA_UNREACHABLE" && !strings.Contains(got.Error.Suggestion, "ollama serve") {
				t.Errorf("suggestion %q", got.Error.Suggestion)
			}
		})
	}
}

// A call that has already looked whether Ollama must be started doesn't look once more.
func TestOneLookForOllama(t *testing.T) {
	d := newDesk(t)
	d.start, d.starter = true, &starts{llm: d.llm}
	d.llm.fault = map[string]func(*http.Request) (*http.Response, error){
		"/api/ps": func(*http.Request) (*http.Response, error) { return nil, refusedDial() },
	}
	got := d.look(t, d.bridge(t), ask("What is there?", "Calculator"))
	asked := 0
	for _, one := range d.llm.requests {
		if one == "GET /api/ps" {
			asked++
		}
	}
	if codeIn(got.Error) != "OLLAMA_UNREACHABLE" || asked != 2 {
		t.Errorf("%v, asked %d times which models are loaded, want 2: before and after the look", got.Error, asked)
	}
}

// Another Ollama at the usual port is named, never used.
func TestOtherOllama(t *testing.T) {
	d := newDesk(t)
	d.llm.down, d.llm.other = true, true
	b := d.bridge(t)
	got := d.look(t, b, ask("What is there?", "Calculator"))
	if codeIn(got.Error) != "OLLAMA_UNREACHABLE" || !strings.Contains(got.Error.Suggestion, "MCP_CU_OLLAMA_URL=http://127.0.0.1:11434") {
		t.Errorf("%v: %s", got.Error, got.Error.Suggestion)
	}
	health := b.Health(t.Context())
	if health.OK || len(health.Warnings) != 1 || !strings.Contains(health.Warnings[0], "11434") {
		t.Errorf("%q", health.Warnings)
	}
	if len(d.llm.asked()) != 0 {
		t.Error("a question went to a server that is not configured")
	}
}
