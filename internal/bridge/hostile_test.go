package bridge

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mcp-computer-use/internal/audit"
	"mcp-computer-use/internal/proc"
)

// A clock that is set forward and back, or that changes its zone, loses neither an answer nor a record.
func TestClockThatJumps(t *testing.T) {
	d := newDesk(t)
	base := time.Date(2026, 3, 27, 1, 30, 0, 0, time.UTC)
	moments := []time.Time{base, base.Add(time.Minute), base.Add(-time.Hour), base.In(time.FixedZone("east", 14*3600)), base.Add(20 * time.Hour),
		base.Add(-48 * time.Hour), time.Unix(0, 0), base.AddDate(60, 0, 0), base}
	now := base
	d.now = func() time.Time { return now }
	b := d.bridge(t)
	for _, now = range moments {
		if got := d.look(t, b, ask("What is there?", "Calculator").in("c", "s")); got.Error != nil || got.Hint != "" || got.Session == nil {
			t.Errorf("%v: %s", now, asJSON(got))
		}
		if out := d.checked(t, b.Click(t.Context(), clickOn("Calculator", "7"))); out.Result.Error != nil || out.Result.Hint != "" {
			t.Errorf("%v: %s", now, asJSON(out.Result))
		}
	}
	report, err := audit.Verify(t.Context(), filepath.Join(d.dir, audit.FileName))
	if err != nil || !report.OK {
		t.Errorf("%+v, %v", report, err)
	}
}

// What answers at Ollama's address and is none is not asked anything.
func TestStrangersAtTheAddress(t *testing.T) {
	for name, body := range map[string]string{"web page": "<html>login</html>", "empty": "", "null": "null", "list": "[]", "other JSON": `{"ok":true}`,
		"wrong types": `{"models":[{"name":5}]}`, "deep": strings.Repeat(`{"models":`, 5000)} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			strange := func(r *http.Request) (*http.Response, error) { return textAnswer(r, 200, body) }
			d.llm.fault = map[string]func(*http.Request) (*http.Response, error){"/api/ps": strange, "/api/tags": strange, "/api/version": strange}
			b := d.bridge(t)
			got := d.look(t, b, ask("What is there?", "Calculator"))
			if codeIn(got.Error) != "OLLAMA_UNREACHABLE" || len(d.llm.asked()) != 0 || got.Extracted == nil {
				t.Errorf("%v, asked %d", got.Error, len(d.llm.asked()))
			}
			if h := b.Health(t.Context()); h.OK || h.OllamaReachable {
				t.Errorf("%+v", h)
			}
			if r := b.Release(t.Context()); r.OK || r.Error == nil {
				t.Errorf("%+v", r)
			}
		})
	}
	d := newDesk(t)
	d.llm.fault = map[string]func(*http.Request) (*http.Response, error){"/api/ps": func(r *http.Request) (*http.Response, error) {
		return answerOf(r, 200, "application/json", io.NopCloser(endless{}))
	}}
	if got := d.look(t, d.bridge(t), ask("What is there?", "Calculator")); got.Error == nil || len(d.llm.asked()) != 0 {
		t.Errorf("endless: %v", got.Error)
	}
}

// Very many windows, and titles as long as a page likes, neither stop an answer nor fill it.
func TestHugeLists(t *testing.T) {
	d := newDesk(t)
	var list strings.Builder
	list.WriteString("[")
	for n := range 20_000 {
		fmt.Fprintf(&list, `{"title":"Window number %d","app":"app%d","pid":%d},`, n, n%50, n)
	}
	d.cu.windows = []byte(list.String() + `{"title":"Calculator","app":"calc","pid":1,"frontmost":true}]`)
	b := d.bridge(t)
	if got := d.look(t, b, ask("What is there?", "Calculator")); got.Error != nil || len(got.WindowsSeen) != 1 {
		t.Errorf("%s", asJSON(got))
	}
	if got := d.look(t, b, ask("What is there?", "Thunderbird")); codeIn(got.Error) != "APP_NOT_FOUND" || len(got.WindowsSeen) != 10 {
		t.Errorf("%d windows, %v", len(got.WindowsSeen), got.Error)
	}
	out := d.checked(t, b.Click(t.Context(), clickOn("Window number", "7")))
	if codeIn(out.Result.Error) != "TARGET_AMBIGUOUS" || len(out.Result.Candidates) != 5 || len(asJSON(out.Result)) > 3000 {
		t.Errorf("%.500s", asJSON(out.Result))
	}
	title := strings.Repeat("ש", 5000)
	d.cu.windows = fmt.Appendf(nil, `[{"title":%q,"app":"calc","pid":1,"frontmost":true}]`, title)
	b = d.bridge(t)
	got := d.look(t, b, LookRequest{Question: "What is there?"})
	if got.Error != nil || utf8.RuneCountInString(got.WindowsSeen[0]) != mostShownTitle+1 || d.cu.of("text")[len(d.cu.of("text"))-1].app != title {
		t.Errorf("%v, %.60q", got.Error, got.WindowsSeen)
	}
	if out := d.checked(t, b.Click(t.Context(), ClickRequest{Target: new("7")})); out.Result.Error != nil || len(out.Result.App) > 3000 {
		t.Errorf("%v", out.Result.Error)
	}
}

// An engine whose output is cut off, or that ends by a signal, has given no answer; an act may have
// happened then.
func TestEngineThatDies(t *testing.T) {
	for _, kind := range []proc.Kind{proc.OutputTooLarge, proc.Killed} {
		for _, verb := range []string{"windows", "text", "snapshot", "click"} {
			t.Run(string(kind)+" "+verb, func(t *testing.T) {
				d := newDesk(t)
				d.cu.before = func(_ context.Context, c cuCall) error {
					if c.verb == verb {
						return &proc.Error{Kind: kind, Path: "/stand-in/agent-cu", ExitCode: -1}
					}
					return nil
				}
				b := d.bridge(t)
				if got := d.look(t, b, ask("What is there?", "Calculator")); got.Error != nil {
					t.Errorf("look: %v", got.Error)
				}
				out := d.checked(t, b.Click(t.Context(), clickOn("Calculator", "7")))
				if failed := out.Result.Error; (failed != nil) != (verb == "snapshot" || verb == "click") {
					t.Errorf("click: %v", failed)
				}
				if verb == "click" && !strings.Contains(out.Result.Error.Message, "may have happened") {
					t.Errorf("%+v", out.Result.Error)
				}
				if n := len(d.cu.acts()); n > 1 {
					t.Errorf("%d acts", n)
				}
			})
		}
	}
}

// A refs.json that is hostile or broken gives no other element than the printed one.
func TestHostileRefs(t *testing.T) {
	for name, refs := range map[string]string{"broken": "{", "empty": "", "null": "null", "list": "[]", "other refs": `{"refs":{"e99":{"role":"button","name":"Seven"}}}`,
		"no refs": `{"timestamp":1}`, "wrong types": `{"refs":{"e1":5,"e2":null}}`, "huge": `{"refs":{"e1":{"name":"` + strings.Repeat("x", 1<<20) + `"}}}`} {
		d := newDesk(t)
		d.cu.refs = []byte(refs)
		d.llm.down = true
		out := d.checked(t, d.bridge(t).Click(t.Context(), clickOn("Calculator", "Five")))
		if acts := d.cu.acts(); out.Result.Error != nil || len(acts) != 1 || acts[0][1] != "@e2" {
			t.Errorf("%s: %v, acts %q", name, out.Result.Error, acts)
		}
	}
}
