package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-computer-use/internal/audit"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/internal/ui"
)

func clickOn(app, target string) ClickRequest { return ClickRequest{App: &app, Target: &target} }

func stepsOn(app string, labels ...string) ClickRequest {
	req := ClickRequest{App: &app, HasSteps: true}
	for _, label := range labels {
		req.Steps = append(req.Steps, &label)
	}
	return req
}

func typeInto(app, target, text string) TypeRequest {
	return TypeRequest{App: &app, Target: target, Text: &text}
}

// checked holds the outer form of an outcome against the contract, and that the desk was tidied up.
func (d *desk) checked(t *testing.T, out ActOutcome) ActOutcome {
	t.Helper()
	for _, p := range append(shapeProblems(out.Result), d.tidy(t)...) {
		t.Error(p)
	}
	if done := len(d.cu.acts()); out.Acted > done {
		t.Errorf("Acted is %d, %d acts ran", out.Acted, done)
	}
	if (out.Danger != nil) != (codeIn(out.Result.Error) == string(result.DangerousAction)) {
		t.Errorf("Danger %v beside %v", out.Danger, out.Result.Error)
	}
	return out
}

func TestClickAndSteps(t *testing.T) {
	d := newDesk(t)
	b := d.bridge(t)
	out := d.checked(t, b.Click(t.Context(), clickOn("Calculator", "7")))
	if out.Result.Error != nil || out.Acted != 1 || out.Result.Match != "synonym" || out.Result.Ref != "@e1" {
		t.Errorf("%s", asJSON(out.Result))
	}
	out = d.checked(t, b.Click(t.Context(), stepsOn("Calculator", "7", "-", "Five")))
	if out.Result.Error != nil || out.Acted != 3 || *out.Result.Completed != 3 || len(*out.Result.Steps) != 3 {
		t.Errorf("%s", asJSON(out.Result))
	}
	if n := len(d.cu.of("snapshot")); n != 4 {
		t.Errorf("%d snapshots for 4 labels", n)
	}
	out = d.checked(t, b.Click(t.Context(), stepsOn("Calculator", "7", "Zebra", "5")))
	if codeIn(out.Result.Error) != "TARGET_NOT_FOUND" || out.Acted != 1 || *out.Result.Completed != 1 ||
		out.Result.FailedStep != 2 || *out.Result.Total != 3 || len(*out.Result.Steps) != 2 {
		t.Errorf("%s", asJSON(out.Result))
	}
}

// A typed text goes behind "--" as it is, and is read back.
func TestType(t *testing.T) {
	const shown = `[@e7] textfield "Amount" val="`
	tests := []struct {
		name, text, after string // after is the value that the field shows then
		verified          bool
		hint              string
	}{
		{"plain", "99", "99", true, ""},
		{"leading dash", "-5", "-5", true, ""},
		{"flags and quotes", `--app=x "; rm -rf $HOME`, `--app=x \"; rm -rf $HOME`, false, ""}, // the printed form is not certain
		{"another value", "99", "12", false, ""},
		{"a part of it", "99", "990", false, ""},
		{"empty", "", "", true, ""},
		{"cut value", strings.Repeat("ab", 40), strings.Repeat("ab", 20) + "…", true, ""},
		{"cut value, another rest", strings.Repeat("ab", 40), strings.Repeat("ab", 20) + "…", false, "begins with"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			after := strings.Replace(deskSnapshot, shown+"12", shown+tt.after, 1)
			d.cu.snapshots = [][]byte{[]byte(deskSnapshot), []byte(after)}
			if strings.HasSuffix(tt.after, "…") {
				whole := tt.text
				if !tt.verified {
					whole += "!"
				}
				d.cu.tree = fmt.Appendf(nil, `{"role":"window","children":[{"role":"textField","name":"Amount","id":"amount","value":%q}]}`, whole)
			}
			out := d.checked(t, d.bridge(t).Type(t.Context(), typeInto("Calculator", "Amount", tt.text)))
			if out.Result.Error != nil || *out.Result.Verified != tt.verified || *out.Result.TextLen != len([]rune(tt.text)) ||
				!strings.Contains(out.Result.Hint, tt.hint) {
				t.Errorf("%s", asJSON(out.Result))
			}
			if acts := d.cu.acts(); len(acts) != 1 || acts[0][2] != tt.text {
				t.Errorf("acts %q", acts)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	long := strings.Repeat("x", 201)
	click := func(req ClickRequest) func(*Bridge) ActOutcome {
		return func(b *Bridge) ActOutcome { return b.Click(context.Background(), req) }
	}
	typing := func(req TypeRequest) func(*Bridge) ActOutcome {
		return func(b *Bridge) ActOutcome { return b.Type(context.Background(), req) }
	}
	tests := []struct {
		name string
		call func(*Bridge) ActOutcome
		want string
	}{
		{"neither", click(ClickRequest{}), "INVALID_TARGET"},
		{"both", click(ClickRequest{Target: new("7"), HasSteps: true, Steps: []*string{new("7")}}), "INVALID_TARGET"},
		{"no steps", click(ClickRequest{HasSteps: true}), "INVALID_TARGET"},
		{"eleven steps", click(stepsOn("Calculator", "7", "7", "7", "7", "7", "7", "7", "7", "7", "7", "7")), "INVALID_TARGET"},
		{"a step that is no string", click(ClickRequest{HasSteps: true, Steps: []*string{new("7"), nil}}), "INVALID_TARGET"},
		{"an empty step", click(stepsOn("Calculator", "7", " ")), "INVALID_TARGET"},
		{"a ref as step", click(stepsOn("Calculator", "7", "@e2")), "INVALID_TARGET"},
		{"empty", click(clickOn("Calculator", "")), "INVALID_TARGET"},
		{"only format characters name nothing here", click(clickOn("Calculator", "\u200b\u202e\ufeff")), "TARGET_NOT_FOUND"},
		{"too long", click(clickOn("Calculator", long)), "INVALID_TARGET"},
		{"ref", click(clickOn("Calculator", " @E12 ")), "INVALID_TARGET"},
		{"app", click(clickOn("a;b", "7")), "APP_NOT_FOUND"},
		{"app too long", click(clickOn(long, "7")), "APP_NOT_FOUND"},
		{"no text", typing(TypeRequest{Target: "Amount"}), "INVALID_TARGET"},
		{"line break", typing(typeInto("Calculator", "Amount", "a\nb")), "INVALID_TARGET"},
		{"carriage return", typing(typeInto("Calculator", "Amount", "a\rb")), "INVALID_TARGET"},
		{"line separator", typing(typeInto("Calculator", "Amount", "a\u2028b")), "INVALID_TARGET"},
		{"next line", typing(typeInto("Calculator", "Amount", "a\u0085b")), "INVALID_TARGET"},
		{"tab", typing(typeInto("Calculator", "Amount", "a\tb")), "INVALID_TARGET"},
		{"NUL", typing(typeInto("Calculator", "Amount", "a\x00b")), "INVALID_TARGET"},
		{"escape", typing(typeInto("Calculator", "Amount", "a\x1b[2J")), "INVALID_TARGET"},
		{"broken UTF-8", typing(typeInto("Calculator", "Amount", "a\xff\xfeb")), "INVALID_TARGET"},
		{"label of broken UTF-8", click(clickOn("Calculator", "\xffSeven")), "INVALID_TARGET"},
		{"replacement characters", click(clickOn("Calculator", "\ufffd\ufffd\ufffd")), "TARGET_NOT_FOUND"},
		{"text too long", typing(typeInto("Calculator", "Amount", strings.Repeat("x", 2001))), "TEXT_TOO_LONG"},
		{"megabytes", typing(typeInto("Calculator", "Amount", strings.Repeat("x", 1<<20))), "TEXT_TOO_LONG"},
		{"longest label", click(clickOn("Calculator", strings.Repeat("x", 200))), "TARGET_NOT_FOUND"},
		{"ten steps", click(stepsOn("Calculator", "7", "7", "7", "7", "7", "7", "7", "7", "7", "7")), ""},
		{"longest text", typing(typeInto("Calculator", "Amount", strings.Repeat("ש", 2000))), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			out := d.checked(t, tt.call(d.bridge(t)))
			if codeIn(out.Result.Error) != tt.want {
				t.Fatalf("%v, want %q", out.Result.Error, tt.want)
			}
			refused := tt.want != "" && tt.want != "TARGET_NOT_FOUND"
			if ran := len(d.cu.calls) > 0; ran == refused {
				t.Errorf("agent-cu was run: %v", ran)
			}
			if logged := len(d.records(t)) > 0; logged == refused {
				t.Errorf("on record: %v", logged)
			}
			if refused && strings.Contains(asJSON(out.Result), long) {
				t.Error("the answer repeats what it refuses")
			}
		})
	}
}

func TestQuestions(t *testing.T) {
	d := newDesk(t)
	b := d.bridge(t)
	for question, want := range map[string]string{"": "EMPTY_QUESTION", " \n\t": "EMPTY_QUESTION", strings.Repeat("x", 301): "QUESTION_TOO_LONG",
		strings.Repeat("ש", 300): "", "bad \xff\xfe bytes?": "", strings.Repeat("x", 1<<20): "QUESTION_TOO_LONG"} {
		before := len(d.cu.calls)
		got := d.look(t, b, ask(question, "Calculator"))
		if codeIn(got.Error) != want || (len(d.cu.calls) == before) != (want != "") {
			t.Errorf("%.20q: %v, %d calls", question, got.Error, len(d.cu.calls)-before)
		}
		if want != "" && (len(got.WindowsSeen) != 0 || got.Status != result.Unknown || got.WindowsSeen == nil) {
			t.Errorf("%.20q: %s", question, asJSON(got))
		}
	}
}

// What agent-cu says about an act decides what the caller hears. No act is ever repeated.
func TestActsThatFail(t *testing.T) {
	tests := []struct {
		name, kind string
		code       string
		says       string // in the suggestion
		outcome    string // on record
	}{
		{"the element is gone", "element_not_found", "TARGET_NOT_FOUND", "nothing was repeated", "failed"},
		{"the window is gone", "application_not_found", "APP_NOT_FOUND", "calling once more", "failed"},
		{"no rights", "permission_denied", "AGENT_CU_FAILED", "accessibility", "failed"},
		{"not possible", "action_not_supported", "AGENT_CU_FAILED", "another", "failed"},
		{"its own time-out", "timeout", "AGENT_CU_FAILED", "may have happened", "unknown"},
		{"the platform fails", "platform_error", "AGENT_CU_FAILED", "may have happened", "unknown"},
		{"another failure", "brand_new", "AGENT_CU_FAILED", "Try again", "failed"},
	}
	for _, tt := range tests {
		for _, verb := range []string{"click", "type"} {
			t.Run(tt.name+" "+verb, func(t *testing.T) {
				d := newDesk(t)
				d.cu.fail = map[string]string{verb: tt.kind}
				b := d.bridge(t)
				var out ActOutcome
				if verb == "click" {
					out = d.checked(t, b.Click(t.Context(), clickOn("Calculator", "7")))
				} else {
					out = d.checked(t, b.Type(t.Context(), typeInto("Calculator", "Amount", "secret words")))
				}
				failed := out.Result.Error
				if codeIn(failed) != tt.code || !strings.Contains(failed.Suggestion, tt.says) || out.Acted != 0 {
					t.Fatalf("%v (%s), acted %d", failed, failed.Suggestion, out.Acted)
				}
				if n := len(d.cu.acts()); n != 1 {
					t.Errorf("%d acts", n)
				}
				records := d.records(t)
				if len(records) != 1 || records[0]["result"] != tt.outcome || records[0]["error_code"] != tt.code {
					t.Errorf("records %v", records)
				}
				if tt.outcome == "unknown" && (failed.Retryable || !strings.Contains(failed.Message, "may have happened")) {
					t.Errorf("%+v", failed)
				}
			})
		}
	}
}

// An act that is given up in the middle may have happened: that is said, recorded, and not repeated.
func TestActGivenUp(t *testing.T) {
	for _, how := range []string{"canceled", "time-out", "budget"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			switch how {
			case "time-out":
				d.timeout = 50 * time.Millisecond
			case "budget":
				d.times.CallBudget = 1200 * time.Millisecond
			}
			d.cu.before = func(ctx context.Context, c cuCall) error {
				if c.verb == "click" {
					if how == "canceled" {
						cancel()
					}
					<-ctx.Done()
				}
				return nil
			}
			out := d.checked(t, d.bridge(t).Click(ctx, stepsOn("Calculator", "7", "Five")))
			failed := out.Result.Error
			if codeIn(failed) != "AGENT_CU_FAILED" || failed.Retryable || !strings.Contains(failed.Message, "may have happened") ||
				!strings.Contains(failed.Suggestion, "Look at the window") {
				t.Errorf("%+v", failed)
			}
			if n := len(d.cu.acts()); n != 1 || *out.Result.Completed != 0 || out.Result.FailedStep != 1 {
				t.Errorf("%d acts, %s", n, asJSON(out.Result))
			}
			if r := d.records(t); len(r) != 1 || r[0]["result"] != "unknown" {
				t.Errorf("records %v", r)
			}
		})
	}
}

// Nothing is done when the action log can't be opened.
func TestLogThatCannotBeOpened(t *testing.T) {
	for name, spoil := range map[string]func(*desk) error{
		"the folder is a file":      func(d *desk) error { return os.WriteFile(d.dir, nil, 0o600) },
		"the log is a folder":       func(d *desk) error { return os.MkdirAll(filepath.Join(d.dir, audit.FileName), 0o700) },
		"the lock file is a folder": func(d *desk) error { return os.MkdirAll(filepath.Join(d.dir, audit.FileName+".lock"), 0o700) },
		"below a file": func(d *desk) error {
			d.dir = filepath.Join(d.dir, "sub")
			return os.WriteFile(filepath.Dir(d.dir), nil, 0o600)
		},
		"the log is a broken symlink": func(d *desk) error {
			if err := os.MkdirAll(d.dir, 0o700); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(d.dir, "none", "there"), filepath.Join(d.dir, audit.FileName))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			if err := spoil(d); err != nil {
				t.Fatal(err)
			}
			b := d.bridge(t)
			for _, out := range []ActOutcome{
				b.Click(t.Context(), clickOn("Calculator", "7")), b.Type(t.Context(), typeInto("Calculator", "Amount", "1")),
				b.Click(t.Context(), stepsOn("Calculator", "7", "Five")),
			} {
				d.checked(t, out)
				if codeIn(out.Result.Error) != "AUDIT_LOG_FAILED" || out.Acted != 0 {
					t.Errorf("%v", out.Result.Error)
				}
			}
			if len(d.cu.calls) > 0 {
				t.Errorf("agent-cu was run: %v", d.cu.calls)
			}
			// A look needs no log.
			if got := d.look(t, b, ask("What is there?", "Calculator").in("c", "s")); got.Error != nil {
				t.Errorf("look: %v", got.Error)
			}
		})
	}
}

// A log that is lost in the middle ends a sequence: one act is off the record, and no other joins it.
func TestLogThatIsLostOnTheWay(t *testing.T) {
	d := newDesk(t)
	var once sync.Once
	d.cu.before = func(_ context.Context, c cuCall) (err error) {
		if c.verb == "click" {
			once.Do(func() {
				path := filepath.Join(d.dir, audit.FileName)
				err = errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
			})
		}
		return err
	}
	out := d.bridge(t).Click(t.Context(), stepsOn("Calculator", "7", "Five", "Minus"))
	if codeIn(out.Result.Error) != "AUDIT_LOG_FAILED" || out.Result.FailedStep != 2 || *out.Result.Completed != 1 || len(d.cu.acts()) != 1 ||
		strings.Count(out.Result.Hint, "action log") != 1 {
		t.Errorf("%s", asJSON(out.Result))
	}
}

// Two acts of one server never come between the snapshot and the act of each other.
func TestActsExcludeEachOther(t *testing.T) {
	d := newDesk(t)
	d.cu.before = func(context.Context, cuCall) error { time.Sleep(time.Millisecond); return nil }
	b := d.bridge(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if out := b.Click(context.Background(), stepsOn("Calculator", "7", "Five")); out.Result.Error != nil {
				t.Error(out.Result.Error)
			}
		})
		group.Go(func() {
			if out := b.Type(context.Background(), typeInto("Calculator", "Amount", "1")); out.Result.Error != nil {
				t.Error(out.Result.Error)
			}
		})
	}
	group.Wait()
	// Each step is a snapshot and its act; a typed text is read back before anybody else's turn.
	calls := d.cu.of("snapshot", "click", "type")
	for len(calls) > 0 {
		turn := 2
		if calls[1].verb == "type" {
			turn = 3
		}
		for i, verb := range []string{"snapshot", calls[1].verb, "snapshot"}[:turn] {
			if calls[i].verb != verb || calls[i].home != calls[0].home {
				t.Fatalf("%s of %s in the turn of %s", calls[i].verb, calls[i].home, calls[0].home)
			}
		}
		calls = calls[turn:]
	}
	if n := len(d.cu.acts()); n != 24 {
		t.Errorf("%d acts", n)
	}
	if n := len(d.records(t)); n != 24 {
		t.Errorf("%d records", n)
	}
	report, err := audit.Verify(t.Context(), filepath.Join(d.dir, audit.FileName))
	if err != nil || !report.OK || report.Records != 24 {
		t.Errorf("%+v, %v", report, err)
	}
}

// An act waits for its turn no longer than its budget.
func TestTurnThatNeverComes(t *testing.T) {
	d := newDesk(t)
	d.times.CallBudget = 200 * time.Millisecond
	b := d.bridge(t)
	unlock, err := b.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := d.checked(t, b.Click(t.Context(), clickOn("Calculator", "7")))
	unlock()
	if codeIn(out.Result.Error) != "AGENT_CU_FAILED" || !out.Result.Error.Retryable || len(d.cu.acts()) != 0 {
		t.Errorf("%+v", out.Result.Error)
	}
	d.times.CallBudget = 0
	if out := d.bridge(t).Click(t.Context(), clickOn("Calculator", "7")); out.Result.Error != nil {
		t.Errorf("afterwards: %v", out.Result.Error)
	}
}

func TestPointerPlatform(t *testing.T) {
	d := newDesk(t)
	d.opts.Platform, d.cu.os = ui.Linux, ui.Linux
	d.cu.windows = []byte(`[{"title":"Calculator","app":"gcalc","frontmost":true}]`)
	d.cu.apps = []byte(`[{"name":"gcalc","pid":0,"frontmost":true}]`)
	d.cu.snapshots = [][]byte{[]byte("application \"gcalc\"\n  window \"Calculator\"\n    [@e1] button \"Seven\"\n    [@e2] textfield \"Amount\"\n")}
	b := d.bridge(t)
	for _, out := range []ActOutcome{b.Click(t.Context(), clickOn("Calculator", "Seven")), b.Click(t.Context(), stepsOn("Calculator", "Seven")),
		b.Type(t.Context(), typeInto("Calculator", "Amount", "1"))} {
		d.checked(t, out)
		if codeIn(out.Result.Error) != "ACTION_UNSAFE" || !strings.Contains(out.Result.Error.Suggestion, "MCP_CU_ALLOW_POINTER_ACTIONS") {
			t.Errorf("%v", out.Result.Error)
		}
	}
	if len(d.cu.calls) > 0 {
		t.Errorf("agent-cu was run: %v", d.cu.calls)
	}
	if r := d.records(t); len(r) != 3 || r[0]["result"] != "refused" {
		t.Errorf("records %v", r)
	}
	d.opts.AllowPointer = true
	out := d.checked(t, d.bridge(t).Click(t.Context(), clickOn("Calculator", "Seven")))
	if out.Result.Error != nil || out.Result.Delivery != "pointer" || d.cu.of("click")[0].app != "gcalc" {
		t.Errorf("%s", asJSON(out.Result))
	}
}

// An act keeps a session alive and never makes one.
func TestActsAndSessions(t *testing.T) {
	d := newDesk(t)
	b := d.bridge(t)
	req := clickOn("Calculator", "7")
	req.Client, req.SessionID = new("codex"), new("one")
	out := d.checked(t, b.Click(t.Context(), req))
	if out.Result.Session == nil || out.Result.Session.SessionID != "one" {
		t.Errorf("%s", asJSON(out.Result))
	}
	if files, _ := filepath.Glob(filepath.Join(d.dir, "*__*.json")); len(files) != 0 {
		t.Errorf("files %q", files)
	}
	d.look(t, b, ask("What is there?", "Calculator").in("codex", "two"))
	d.checked(t, b.Click(t.Context(), req))
	if files, _ := filepath.Glob(filepath.Join(d.dir, "*__*.json")); len(files) != 1 || !strings.HasSuffix(files[0], "two.json") {
		t.Errorf("files %q", files)
	}
	if r := d.records(t); r[0]["client"] != "codex" || r[0]["session_id"] != "one" {
		t.Errorf("%v", r)
	}
}

// Where the window list can't be had the name itself goes to the engine, for acts too.
func TestActWithoutAList(t *testing.T) {
	d := newDesk(t)
	d.opts.Platform, d.cu.os, d.cu.windows = ui.MacOS, ui.MacOS, nil
	d.cu.snapshots = [][]byte{[]byte("application \"TextEdit\"\n  window \"one.txt\"\n    [@e1] button \"Bold\"\n")}
	out := d.checked(t, d.bridge(t).Click(t.Context(), clickOn("TextEdit", "Bold")))
	if out.Result.Error != nil || out.Result.App != "TextEdit" || len(d.cu.acts()) != 1 {
		t.Errorf("%s", asJSON(out.Result))
	}
}

// The engine takes the first window whose title holds the argument: a dialog that a step has opened is not
// acted on in place of its window. A window with a new title still is itself.
func TestWindowThatATitleOpens(t *testing.T) {
	const dialog = "window \"Calculator options\"\n  [@e1] button \"Five\"\n"
	for _, tt := range []struct {
		name, windows, second string
		acts                  int
		code                  string
		lists                 int
	}{
		{"a dialog", `[{"title":"Calculator options","app":"calc"},{"title":"Calculator","app":"calc","frontmost":true}]`, dialog, 1, "TARGET_AMBIGUOUS", 2},
		{"a new title", `[{"title":"Calculator options","app":"calc","frontmost":true}]`, dialog, 2, "", 2},
		{"the same window", deskWindows, deskSnapshot, 2, "", 1},
		{"invisible marks", deskWindows, strings.Replace(deskSnapshot, "\"Calculator\"", "\"\u200eCalculator\"", 1), 2, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.cu.snapshots = [][]byte{[]byte(deskSnapshot), []byte(tt.second)}
			d.cu.before = func(_ context.Context, c cuCall) error {
				if c.verb == "click" {
					d.cu.mu.Lock()
					defer d.cu.mu.Unlock()
					d.cu.windows = []byte(tt.windows)
				}
				return nil
			}
			out := d.checked(t, d.bridge(t).Click(t.Context(), stepsOn("Calculator", "7", "Five")))
			if n := len(d.cu.acts()); n != tt.acts || codeIn(out.Result.Error) != tt.code {
				t.Errorf("%d acts, %s", n, asJSON(out.Result))
			}
			if n := len(d.cu.of("windows")); n != tt.lists {
				t.Errorf("%d lists, want %d", n, tt.lists)
			}
			if tt.code != "" && (len(out.Result.Candidates) != 2 || out.Result.Candidates[0].Name != "Calculator options") {
				t.Errorf("%s", asJSON(out.Result.Candidates))
			}
		})
	}
}
