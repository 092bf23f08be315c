package bridge

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/internal/ui"
)

func ask(question, app string) LookRequest {
	req := LookRequest{Question: question}
	if app != "" {
		req.App = &app
	}
	return req
}

func (r LookRequest) in(client, session string) LookRequest {
	r.Client, r.SessionID = &client, &session
	return r
}

// look makes the call and holds its outer form against the contract.
func (d *desk) look(t *testing.T, b *Bridge, req LookRequest) *result.Look {
	t.Helper()
	got := b.Look(t.Context(), req).Result
	for _, p := range append(shapeProblems(got), d.tidy(t)...) {
		t.Error(p)
	}
	return got
}

// meeting lets each of its parties pass only when all of them have come.
func meeting(parties ...string) func(context.Context, string) error {
	var (
		mu      sync.Mutex
		waiting = slices.Clone(parties)
		all     = make(chan struct{})
	)
	return func(ctx context.Context, who string) error {
		mu.Lock()
		if at := slices.Index(waiting, who); at >= 0 {
			if waiting = slices.Delete(waiting, at, at+1); len(waiting) == 0 {
				close(all)
			}
		}
		mu.Unlock()
		if !slices.Contains(parties, who) {
			return nil
		}
		select {
		case <-all:
			return nil
		case <-ctx.Done():
			return errors.New("the others never came while " + who + " ran")
		case <-time.After(10 * time.Second):
			return errors.New("the others never came while " + who + " ran")
		}
	}
}

// Text, snapshot and the look at Ollama go on at the same time: each ends only when all have begun.
func TestReadsRunSideBySide(t *testing.T) {
	d := newDesk(t)
	meet := meeting("text", "snapshot", "/api/ps")
	d.cu.before = func(ctx context.Context, c cuCall) error { return meet(ctx, c.verb) }
	d.llm.before = func(ctx context.Context, path string) {
		if err := meet(ctx, path); err != nil {
			t.Error(err)
		}
	}
	got := d.look(t, d.bridge(t), ask("What does it show?", "Calculator"))
	if got.Error != nil || got.Summary != "stand-in summary" {
		t.Errorf("%+v", got.Error)
	}
	if d.cu.of("text")[0].home != d.cu.of("snapshot")[0].home {
		t.Error("two homes in one read")
	}
}

func TestReadsThatFail(t *testing.T) {
	tests := []struct {
		name   string
		change func(*desk)
		app    string
		code   string
		window string // the one title that is seen
		has    string // in what the model or the caller gets
		hint   string
	}{
		{"none", func(*desk) {}, "Calculator", "", "Calculator", "History is empty", ""},
		{"text", func(d *desk) { d.cu.text = nil }, "Calculator", "", "Calculator", "Display is 12", ""},
		{"snapshot", func(d *desk) { d.cu.snapshots = nil }, "Calculator", "", "Calculator", "History is empty", ""},
		{"snapshot not wanted", func(d *desk) { d.opts.SnapshotDetails = false }, "Calculator", "", "Calculator", "History is empty", ""},
		{"both", func(d *desk) { d.cu.text, d.cu.snapshots = nil, nil }, "Calculator", "AGENT_CU_FAILED", "Calculator", "", ""},
		{"text, snapshot not wanted", func(d *desk) { d.cu.text, d.opts.SnapshotDetails = nil, false }, "Calculator", "AGENT_CU_FAILED", "Calculator", "", ""},
		{"no rights", func(d *desk) {
			d.cu.fail = map[string]string{"text": "permission_denied", "snapshot": "permission_denied"}
		}, "Calculator", "AGENT_CU_FAILED", "Calculator", "", ""},
		{"list", func(d *desk) { d.cu.windows = nil }, "Calculator", "", "", "History is empty", ""},
		{"list is no list", func(d *desk) { d.cu.windows = []byte("panicked at main.rs") }, "Calculator", "", "", "History is empty", ""},
		{"empty list", func(d *desk) { d.cu.windows = []byte("[]") }, "Calculator", "", "", "History is empty", ""},
		{"list, no app", func(d *desk) { d.cu.windows = nil }, "", "APP_NOT_FOUND", "", "", ""},
		{"no such window", func(*desk) {}, "Thunderbird", "APP_NOT_FOUND", "", "", ""},
		{"window without content", func(d *desk) {
			d.cu.text, d.cu.snapshots = []byte("Calculator\n"), [][]byte{[]byte("window \"Calculator\"\n")}
		}, "Calculator", "", "Calculator", "", "exposes no content"},
		{"minimised window", func(d *desk) {
			d.cu.windows = []byte(`[{"title":"Calculator","app":"calc","pid":1,"minimized":true}]`)
			d.cu.text, d.cu.snapshots = []byte(""), [][]byte{[]byte("window \"Calculator\"\n")}
		}, "Calculator", "", "Calculator", "", "restore it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			tt.change(d)
			got := d.look(t, d.bridge(t), ask("What is there?", tt.app))
			if codeIn(got.Error) != tt.code {
				t.Fatalf("error %v, want %q", got.Error, tt.code)
			}
			asked := d.llm.asked()
			if (len(asked) == 1) != (tt.code == "") {
				t.Errorf("the model was asked %d times", len(asked))
			}
			if tt.has != "" && !strings.Contains(asked[0].of("user"), tt.has) {
				t.Errorf("%q is not in %q", tt.has, asked[0].of("user"))
			}
			if tt.window != "" && !slices.Equal(got.WindowsSeen, []string{tt.window}) {
				t.Errorf("windows seen %q", got.WindowsSeen)
			}
			if tt.hint != "" && (!strings.Contains(got.Hint, tt.hint) || got.Status != result.Unknown) {
				t.Errorf("status %s, hint %q", got.Status, got.Hint)
			}
			if tt.code == "APP_NOT_FOUND" && tt.app != "" && len(got.WindowsSeen) != 2 {
				t.Errorf("open windows %q", got.WindowsSeen)
			}
		})
	}
}

// A title that changes between the list and the read is looked up again, once.
func TestTitleThatTurns(t *testing.T) {
	d := newDesk(t)
	d.cu.windows = []byte(`[{"title":"⠐ fix login","app":"WindowsTerminal","pid":9,"frontmost":true}]`)
	var once sync.Once
	d.cu.before = func(_ context.Context, c cuCall) error {
		if c.verb == "text" || c.verb == "snapshot" {
			once.Do(func() {
				d.cu.mu.Lock()
				defer d.cu.mu.Unlock()
				d.cu.windows = []byte(`[{"title":"⠂ fix login","app":"WindowsTerminal","pid":9,"frontmost":true}]`)
			})
		}
		return nil
	}
	got := d.look(t, d.bridge(t), ask("Is it done?", "fix login"))
	if got.Error != nil || !slices.Equal(got.WindowsSeen, []string{"⠂ fix login"}) {
		t.Errorf("%v, seen %q", got.Error, got.WindowsSeen)
	}
	if n := len(d.cu.of("windows")); n != 2 {
		t.Errorf("%d lists", n)
	}
}

// A window that is gone for good is listed twice and not looked for without end.
func TestWindowThatCloses(t *testing.T) {
	d := newDesk(t)
	d.cu.fail = map[string]string{"text": "application_not_found", "snapshot": "application_not_found"}
	got := d.look(t, d.bridge(t), ask("Is it done?", "Calculator"))
	if codeIn(got.Error) != "APP_NOT_FOUND" || got.Status != result.Unknown ||
		!slices.Equal(got.WindowsSeen, []string{"Calculator", "Notes"}) {
		t.Errorf("%v, seen %q", got.Error, got.WindowsSeen)
	}
	if lists, reads := len(d.cu.of("windows")), len(d.cu.of("text")); lists != 2 || reads != 1 {
		t.Errorf("%d lists, %d reads", lists, reads)
	}
}

// With less than five seconds of the budget left, no model is asked.
func TestBudgetTooSmall(t *testing.T) {
	d := newDesk(t)
	d.times.CallBudget = 4 * time.Second
	b := d.bridge(t)
	got := d.look(t, b, ask("What is there?", "Calculator"))
	if codeIn(got.Error) != "MODEL_TIMEOUT" || len(d.llm.asked()) != 0 || !got.Error.Retryable {
		t.Errorf("%v, asked %d", got.Error, len(d.llm.asked()))
	}
	if got.Extracted == nil || !strings.Contains(got.Extracted.LastMessage, "Display is 12") {
		t.Errorf("extracted %+v", got.Extracted)
	}
	if got.TimeoutSeconds != nil {
		t.Errorf("a time-out of a call that was not made: %v", *got.TimeoutSeconds)
	}
	click := b.Click(t.Context(), ClickRequest{Target: new("Open")}).Result
	if codeIn(click.Error) != "TARGET_AMBIGUOUS" || len(d.llm.asked()) != 0 {
		t.Errorf("%v", click.Error)
	}
	if p := b.Ping(t.Context(), nil); codeIn(p.Error) != "MODEL_TIMEOUT" || !p.Ollama {
		t.Errorf("ping %+v", p)
	}
	d.times.CallBudget = 0 // none at all
	if got := d.look(t, d.bridge(t), ask("What is there?", "Calculator")); got.Error != nil {
		t.Errorf("no budget: %v", got.Error)
	}
}

// What the model may fail with, and what the caller then gets.
func TestModelThatFails(t *testing.T) {
	respond := func(status int, body string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) { return textAnswer(r, status, body) }
	}
	tests := []struct {
		name  string
		fault func(*http.Request) (*http.Response, error)
		code  string
		says  string // in the suggestion
	}{
		{"web page", respond(200, "<html><body>Welcome</body></html>"), "MODEL_FAILED", ""},
		{"status 500", respond(500, `{"error":"out of memory"}`), "MODEL_FAILED", ""},
		{"status 503", respond(503, `{"error":"server busy"}`), "MODEL_FAILED", ""},
		{"no model", respond(404, `{"error":"model 'test-model' not found"}`), "MODEL_NOT_FOUND", "ollama pull test-model"},
		{"empty", respond(200, ""), "MODEL_FAILED", ""},
		{"cut", respond(200, `{"model":"m","message":{"role":"assistant","content":"{\"summ`), "MODEL_FAILED", ""},
		{"no end", respond(200, `{"model":"m","message":{"role":"assistant","content":"x"},"done":false}`), "MODEL_FAILED", ""},
		{"endless", func(r *http.Request) (*http.Response, error) {
			return answerOf(r, 200, "application/json", io.NopCloser(endless{}))
		}, "MODEL_FAILED", ""},
		{"slow drip", func(r *http.Request) (*http.Response, error) {
			return answerOf(r, 200, "application/json", drip{r.Context()})
		}, "MODEL_TIMEOUT", ""},
		{"redirect", func(r *http.Request) (*http.Response, error) {
			resp, err := textAnswer(r, 307, "")
			resp.Header.Set("Location", "http://elsewhere.example/api/chat")
			return resp, err
		}, "MODEL_FAILED", ""},
		{"silence", func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, "MODEL_TIMEOUT", ""},
		{"reset", func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }, "MODEL_FAILED", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.times.Base, d.times.Min, d.times.Max, d.times.Per1kChars = 400*time.Millisecond, 300*time.Millisecond, 500*time.Millisecond, 0
			d.llm.fault = map[string]func(*http.Request) (*http.Response, error){"/api/chat": tt.fault}
			if tt.name == "slow drip" || tt.name == "silence" {
				d.llm.fault["/api/chat"] = d.llm.unlocked(tt.fault)
			}
			got := d.look(t, d.bridge(t), ask("What is there?", "Calculator"))
			if codeIn(got.Error) != tt.code || !strings.Contains(got.Error.Suggestion, tt.says) {
				t.Fatalf("%v (%s), want %s", got.Error, got.Error.Suggestion, tt.code)
			}
			if got.Extracted == nil || got.Extracted.LastMessage == "" || got.Summary != "" || got.Confidence != nil {
				t.Errorf("%+v", got)
			}
			if got.TimeoutSeconds == nil || *got.TimeoutSeconds != 0.4 {
				t.Errorf("time-out %v", got.TimeoutSeconds)
			}
			if n := d.llm.count("POST /api/chat"); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// unlocked runs a fault that waits, so that it does not hold up the others.
func (s *standLLM) unlocked(fault func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		s.mu.Unlock()
		defer s.mu.Lock()
		return fault(r)
	}
}

// endless is a body of blanks without an end.
type endless struct{}

// Read implements io.Reader.
func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// drip is a body that gives a blank now and then, until its context ends.
type drip struct{ ctx context.Context }

// Read implements io.Reader.
func (d drip) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(20 * time.Millisecond):
		p[0] = ' '
		return 1, nil
	}
}

// Close implements io.Closer.
func (drip) Close() error { return nil }

// Start implements proc.Starter.
func (s *starts) Start(_ context.Context, program proc.Detached) (proc.Started, error) {
	s.count++
	if s.fails {
		return proc.Started{}, &proc.Error{Kind: proc.NotStarted, Path: program.Path}
	}
	s.llm.set(func() { s.llm.down, s.llm.loaded = false, map[string]int{} })
	return proc.Started{PID: os.Getpid()}, nil
}

// Without a model the answer is the status and the message's own first and last sentence.
func TestCodeSummary(t *testing.T) {
	d := newDesk(t)
	d.opts.CodeSummary = true
	d.llm.down = true
	d.cu.text = []byte("Notes\nFirst thing. Second thing.\nThird thing!\n")
	d.cu.snapshots = nil
	got := d.look(t, d.bridge(t), ask("What is there?", "Notes"))
	if got.Error != nil || got.ModelUsed != "none" || !strings.HasPrefix(got.Summary, "unknown: First thing.") ||
		!strings.HasSuffix(got.Summary, "Third thing!") {
		t.Errorf("%s", asJSON(got))
	}
	if len(d.llm.requests) != 0 {
		t.Errorf("requests %q", d.llm.requests)
	}
	long := codeSummary("finished", strings.Repeat("א", 500)+". End.")
	if n := len([]rune(long)); n != mostSummary {
		t.Errorf("%d characters", n)
	}
	for message, want := range map[string]string{"": "error", "...\n!!": "error", "One. Two? Three": "error: One. … Three",
		"3.5 MB of 4.5 MB": "error: 3.5 MB of 4.5 MB", "One.\nOne.": "error: One.",
		"ledger-desk\nThe fix is in. It works.\nShould I push?\n−8": "error: The fix is in. … Should I push?"} {
		if got := codeSummary("error", message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	d := newDesk(t)
	b := d.bridge(t)
	keys := func(l *result.Look) []string {
		line, err := result.Encode(l.Brief())
		if err != nil {
			t.Fatal(err)
		}
		o, err := parseObject(line)
		if err != nil {
			t.Fatal(err)
		}
		return o.keys
	}
	if got := keys(d.look(t, b, ask("What is there?", "Calculator"))); !slices.Equal(got, []string{"status", "summary"}) {
		t.Errorf("%q", got)
	}
	if got := keys(d.look(t, b, ask("What is there?", "Calculator").in("c", "s"))); !slices.Equal(got, []string{"status", "summary", "changed_since_last"}) {
		t.Errorf("%q", got)
	}
	if got := keys(d.look(t, b, ask("", ""))); !slices.Equal(got, []string{"error", "status"}) {
		t.Errorf("%q", got)
	}
}

func TestPicture(t *testing.T) {
	d := newDesk(t)
	req := ask("What is there?", "Calculator")
	req.IncludeImage = true
	out := filepath.Join(t.TempDir(), "old.jpg")
	if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	req.ImageOut = out
	got := d.look(t, d.bridge(t), req)
	if got.Error != nil || (got.Image == nil) == (got.ImageError == nil) {
		t.Errorf("image %v and image_error %v", got.Image, got.ImageError)
	}
	if data, err := os.ReadFile(out); got.ImageError != nil && (err != nil || string(data) != "old") {
		t.Errorf("the old picture is gone: %q, %v", data, err)
	}
}

func TestSaveWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jpg")
	for _, content := range []string{"first", "second"} {
		if err := saveWhole(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
	kept := filepath.Join(dir, "kept.jpg")
	if err := os.WriteFile(kept, []byte("kept"), 0o400); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{filepath.Join(dir, "none", "a.jpg"), dir, kept} {
		var failed *saveError
		if err := saveWhole(bad, []byte("x")); !errors.As(err, &failed) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if got, err := os.ReadFile(kept); err != nil || string(got) != "kept" {
		t.Errorf("the read-only file holds %q, %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".picture-*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// On Linux the text covers the whole application: lines of its other windows are dropped.
func TestLinesOfOtherWindows(t *testing.T) {
	d := newDesk(t)
	d.opts.Platform, d.cu.os = ui.Linux, ui.Linux
	d.cu.windows = []byte(`[{"title":"one.txt","app":"gedit","frontmost":true},{"title":"two.txt","app":"gedit"}]`)
	d.cu.apps = []byte(`[{"name":"gedit","pid":0,"frontmost":true}]`)
	d.cu.snapshots = [][]byte{[]byte("application \"gedit\"\n  window \"one.txt\"\n    statictext \"First line\"\n    statictext \"Shared\"\n" +
		"  window \"two.txt\"\n    statictext \"Second line\"\n    statictext \"Shared\"\n")}
	d.cu.text = []byte("First line\nShared\nSecond line\nNowhere in the tree\n")
	d.look(t, d.bridge(t), ask("What is there?", "one.txt"))
	sent := d.llm.asked()[0].of("user")
	for text, want := range map[string]bool{"First line": true, "Shared": true, "Second line": false} {
		if strings.Contains(sent, text) != want {
			t.Errorf("%q sent: %v, want %v", text, !want, want)
		}
	}
}

// On Linux the engine shows all windows of the application. Where the chosen one is not among several, the
// others are no answer about it; a single one is the chosen one with a new title.
func TestWindowThatStrayed(t *testing.T) {
	for _, tt := range []struct {
		name, windows, renamed, snapshot string
		lists                            int
		seen                             string
		sent                             bool
	}{
		{"for good", `[{"title":"one.txt","app":"gedit","frontmost":true},{"title":"two.txt","app":"gedit"}]`, "",
			"  window \"two.txt\"\n    statictext \"Marked text\"\n  window \"three.txt\"\n", 2, "one.txt", false},
		{"under a new name", `[{"title":"one.txt","app":"gedit","frontmost":true},{"title":"two.txt","app":"gedit"}]`,
			`[{"title":"one.txt *","app":"gedit","frontmost":true},{"title":"two.txt","app":"gedit"}]`,
			"  window \"one.txt *\"\n    statictext \"Marked text\"\n  window \"two.txt\"\n", 2, "one.txt *", true},
		{"alone", `[{"title":"one.txt","app":"gedit","frontmost":true}]`, "",
			"  window \"one.txt *\"\n    statictext \"Marked text\"\n", 1, "one.txt", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.opts.Platform, d.cu.os = ui.Linux, ui.Linux
			d.cu.windows, d.cu.apps = []byte(tt.windows), []byte(`[{"name":"gedit","pid":0,"frontmost":true}]`)
			d.cu.snapshots = [][]byte{[]byte("application \"gedit\"\n" + tt.snapshot)}
			d.cu.text = []byte("Marked text\n")
			if tt.renamed != "" {
				d.cu.before = func(_ context.Context, c cuCall) error {
					if c.verb == "snapshot" {
						d.cu.mu.Lock()
						defer d.cu.mu.Unlock()
						d.cu.windows = []byte(tt.renamed)
					}
					return nil
				}
			}
			got := d.look(t, d.bridge(t), ask("What is there?", "one.txt"))
			if got.Error != nil || !slices.Equal(got.WindowsSeen, []string{tt.seen}) {
				t.Errorf("%v, seen %q", got.Error, got.WindowsSeen)
			}
			if n := len(d.cu.of("apps")); n != tt.lists {
				t.Errorf("%d lists, want %d", n, tt.lists)
			}
			if sent := strings.Contains(d.llm.asked()[0].of("user"), "Marked text"); sent != tt.sent {
				t.Errorf("sent: %v", sent)
			}
			if !tt.sent && (got.Status != result.Unknown || !strings.Contains(got.Hint, "exposes no content")) {
				t.Errorf("%s, hint %q", got.Status, got.Hint)
			}
		})
	}
}
