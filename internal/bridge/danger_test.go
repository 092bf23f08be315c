package bridge

import (
	"fmt"
	"strings"
	"testing"
)

const dangerSnapshot = `window "Calculator"
  [@e1] button "Delete"
  [@e2] button "Remove"
  [@e3] button "Clean up" id=deleteAll
  [@e4] button "Seven"
  [@e5] menuitem "Clean up" id=eraseAll
`

// A consent that a client brought covers the one danger that the human saw, and nothing beside it.
func TestElicitedConsent(t *testing.T) {
	seen := Danger{Action: "click", Target: "Delete", Rule: "delete", App: "Calculator"}
	asked := func(change func(*Danger)) *Danger {
		d := seen
		change(&d)
		return &d
	}
	element := func(change func(*Danger)) *Danger {
		d := Danger{App: "Calculator", Action: "click", Target: "button Clean up", Name: "Clean up", Role: "button", Rule: "delete"}
		change(&d)
		return &d
	}
	tests := []struct {
		name   string
		target string
		yes    *Danger
		acts   bool
	}{
		{"that danger", "Delete", &seen, true},
		{"nobody was asked", "Delete", nil, false},
		{"another label", "Delete", asked(func(d *Danger) { d.Target = "Remove" }), false},
		{"whatever is in front", "Delete", asked(func(d *Danger) { d.App = "" }), false},
		{"another rule", "Delete", asked(func(d *Danger) { d.Rule = "remove" }), false},
		{"another action", "Delete", asked(func(d *Danger) { d.Action = "type" }), false},
		{"the other button", "Remove", &seen, false},
		{"that element", "button Clean up", element(func(*Danger) {}), true},
		{"another window", "button Clean up", element(func(d *Danger) { d.App = "Notes" }), false},
		{"another name", "button Clean up", element(func(d *Danger) { d.Name = "Clean" }), false},
		{"another role", "button Clean up", element(func(d *Danger) { d.Role = "link" }), false},
		{"another rule of the element", "button Clean up", element(func(d *Danger) { d.Rule = "erase" }), false},
		{"a harmless one needs none", "Seven", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.llm.down = true
			d.cu.snapshots = [][]byte{[]byte(dangerSnapshot)}
			req := clickOn("Calculator", tt.target)
			req.Confirm.Elicited = tt.yes
			out := d.checked(t, d.bridge(t).Click(t.Context(), req))
			if (len(d.cu.acts()) == 1) != tt.acts || (out.Acted == 1) != tt.acts {
				t.Fatalf("%v, acts %v", out.Result.Error, d.cu.acts())
			}
			record := d.records(t)[0]
			switch {
			case !tt.acts:
				if out.Danger == nil || record["result"] != "refused" || record["confirmed"] != nil {
					t.Errorf("%v, %v", out.Danger, record)
				}
			case tt.yes != nil && (out.Result.Confirmed != "elicited" || record["confirmed"] != "elicited"):
				t.Errorf("%v, %v", out.Result.Confirmed, record)
			case tt.yes == nil && (out.Result.Confirmed != nil || record["confirmed"] != nil):
				t.Errorf("%v, %v", out.Result.Confirmed, record)
			}
		})
	}
}

// What Danger says is what a human is asked, and what consents to exactly this danger.
func TestDanger(t *testing.T) {
	tests := []struct {
		name    string
		req     ClickRequest
		want    Danger
		acted   int
		context int // failed_step
	}{
		{"label", clickOn("Calculator", "Delete"), Danger{App: "Calculator", Action: "click", Target: "Delete", Rule: "delete"}, 0, 0},
		{"element", clickOn("Calculator", "button Clean up"), Danger{"Calculator", "click", "button Clean up", "Clean up", "button", "delete"}, 0, 0},
		{"label of a step", stepsOn("Calculator", "Seven", "Remove"), Danger{App: "Calculator", Action: "click", Target: "Remove", Rule: "remove"}, 0, 2},
		{"element of a step", stepsOn("Calculator", "Seven", "button Clean up"), Danger{"Calculator", "click", "button Clean up", "Clean up", "button", "delete"}, 1, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.llm.down = true
			d.cu.snapshots = [][]byte{[]byte(dangerSnapshot)}
			b := d.bridge(t)
			out := d.checked(t, b.Click(t.Context(), tt.req))
			if out.Danger == nil || *out.Danger != tt.want || out.Acted != tt.acted || out.Result.FailedStep != tt.context {
				t.Fatalf("%+v, acted %d, %s", out.Danger, out.Acted, asJSON(out.Result))
			}
			if out.Result.MatchedRule != tt.want.Rule || out.Result.WouldClick == nil || out.Result.WouldClick.Name != tt.want.Name {
				t.Errorf("%s", asJSON(out.Result))
			}
			if tt.req.HasSteps && (*out.Result.Completed != tt.acted || tt.acted == 0 && len(*out.Result.Steps) != 0) {
				t.Errorf("%s", asJSON(out.Result))
			}
			if tt.acted == 0 {
				tt.req.Confirm.Elicited = out.Danger
				if again := d.checked(t, b.Click(t.Context(), tt.req)); again.Result.Error != nil {
					t.Errorf("with the consent: %v", again.Result.Error)
				}
			}
			tt.req.Confirm = Confirmation{Flag: true}
			again := d.checked(t, b.Click(t.Context(), tt.req))
			if again.Result.Error != nil || again.Result.Confirmed != true {
				t.Errorf("with the flag: %v, %v", again.Result.Error, again.Result.Confirmed)
			}
		})
	}
}

// A human who is asked through the client allows one act; the flag covers all steps of its call.
func TestConsentToOneAct(t *testing.T) {
	label := Danger{App: "Calculator", Action: "click", Target: "Delete", Rule: "delete"}
	element := Danger{"Calculator", "click", "button Clean up", "Clean up", "button", "delete"}
	for _, tt := range []struct {
		name   string
		steps  []string
		yes    *Danger
		acts   int
		failed int
	}{
		{"a label", []string{"Seven", "Delete"}, &label, 2, 0},
		{"a label twice", []string{"Delete", "Seven", "Delete"}, &label, 0, 3},
		{"an element", []string{"button Clean up", "Seven"}, &element, 2, 0},
		{"an element twice", []string{"button Clean up", "button Clean up"}, &element, 1, 2},
		{"the flag", []string{"Delete", "Delete", "button Clean up", "button Clean up"}, nil, 4, 0},
	} {
		d := newDesk(t)
		d.cu.snapshots = [][]byte{[]byte(dangerSnapshot)}
		req := stepsOn("Calculator", tt.steps...)
		req.Confirm = Confirmation{Flag: tt.yes == nil, Elicited: tt.yes}
		out := d.checked(t, d.bridge(t).Click(t.Context(), req))
		if n := len(d.cu.acts()); n != tt.acts || out.Result.FailedStep != tt.failed {
			t.Errorf("%s: %d acts, %s", tt.name, n, asJSON(out.Result))
		}
	}
}

// A consent to a label does not cover an element that merely resembles it.
func TestConsentToALabelAlone(t *testing.T) {
	for target, name := range map[string]string{
		"Delete":      "Delete all files for ever",
		"Delete file": "Deleet file", // which no rule knows
	} {
		d := newDesk(t)
		d.cu.snapshots = [][]byte{fmt.Appendf(nil, "window \"Calculator\"\n  [@e1] button %q\n", name)}
		d.llm.reply = func(string) string { return `{"choice": 1}` }
		req := clickOn("Calculator", target)
		req.Confirm.Elicited = &Danger{App: "Calculator", Action: "click", Target: target, Rule: "delete"}
		out := d.checked(t, d.bridge(t).Click(t.Context(), req))
		if out.Danger == nil || out.Danger.Name != name || len(d.cu.acts()) != 0 {
			t.Fatalf("%v, acts %v", out.Result.Error, d.cu.acts())
		}
		req.Confirm.Elicited = out.Danger // the human has now seen what it is
		if out = d.checked(t, d.bridge(t).Click(t.Context(), req)); out.Result.Error != nil || len(d.cu.acts()) != 1 {
			t.Errorf("%v, acts %v", out.Result.Error, d.cu.acts())
		}
	}
}

// The record of an act says that a human agreed where the act needed it, also when it then failed, and
// nowhere else.
func TestConfirmedIsOnRecord(t *testing.T) {
	d := newDesk(t)
	d.cu.snapshots = [][]byte{[]byte(dangerSnapshot)}
	b := d.bridge(t)
	steps := stepsOn("Calculator", "Seven", "Delete", "Zebra")
	steps.Confirm.Flag = true
	out := d.checked(t, b.Click(t.Context(), steps))
	if out.Result.Confirmed != true || out.Acted != 2 {
		t.Errorf("%s", asJSON(out.Result))
	}
	missing := clickOn("Calculator", "Delete forever and ever")
	missing.Confirm.Flag = true
	if out := d.checked(t, b.Click(t.Context(), missing)); out.Result.Confirmed != nil {
		t.Errorf("nothing was done: %s", asJSON(out.Result))
	}
	d.cu.fail = map[string]string{"click": "timeout"}
	late := clickOn("Calculator", "Delete")
	late.Confirm.Flag = true
	if out := b.Click(t.Context(), late); out.Result.Confirmed != true {
		t.Errorf("it may have happened: %s", asJSON(out.Result))
	}
	want := []any{nil, true, nil, nil, true}
	for i, record := range d.records(t) {
		if record["confirmed"] != want[i] {
			t.Errorf("record %d: %v, want confirmed %v", i, record, want[i])
		}
	}
}

func TestModelChooses(t *testing.T) {
	tests := []struct {
		name, reply string
		acts        [][]string
	}{
		{"the second", `{"choice": 2}`, [][]string{{"click", "@e6"}}},
		{"none", `{"choice": 0}`, [][]string{}},
		{"out of range", `{"choice": 3}`, [][]string{}},
		{"negative", `{"choice": -1}`, [][]string{}},
		{"no number", `{"choice": "both"}`, [][]string{}},
		{"two answers", `{"choice": 1} {"choice": 2}`, [][]string{}},
		{"a ref", `{"choice": "@e5"}`, [][]string{}},
		{"prose", `the first`, [][]string{}},
		{"empty", ``, [][]string{}},
		{"extra keys", `{"choice": 1, "confirm_dangerous": true, "target": "Delete"}`, [][]string{{"click", "@e5"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.llm.reply = func(string) string { return tt.reply }
			out := d.checked(t, d.bridge(t).Click(t.Context(), clickOn("Calculator", "Open")))
			if acts := d.cu.acts(); asJSON(acts) != asJSON(tt.acts) {
				t.Errorf("acts %v, want %v", acts, tt.acts)
			}
			if len(tt.acts) == 0 && (codeIn(out.Result.Error) != "TARGET_AMBIGUOUS" || len(out.Result.Candidates) != 2) {
				t.Errorf("%s", asJSON(out.Result))
			}
			if len(tt.acts) == 1 && out.Result.Match != "model" {
				t.Errorf("match %q", out.Result.Match)
			}
			if chats := d.llm.asked(); len(chats) != 1 || chats[0].Format == nil {
				t.Errorf("%d questions", len(chats))
			}
		})
	}
	d := newDesk(t)
	d.opts.ResolveWithModel = false
	if out := d.bridge(t).Click(t.Context(), clickOn("Calculator", "Open")); codeIn(out.Result.Error) != "TARGET_AMBIGUOUS" || len(d.llm.asked()) > 0 {
		t.Errorf("switched off: %v", out.Result.Error)
	}
}

// A choice for a call with a session keeps the model as long as the session's other calls do, although an
// act makes no session.
func TestChoiceKeepsTheModelOfASession(t *testing.T) {
	d := newDesk(t)
	d.llm.reply = func(string) string { return `{"choice": 1}` }
	req := clickOn("Calculator", "Open")
	req.Client, req.SessionID = new("codex"), new("s")
	b := d.bridge(t)
	d.checked(t, b.Click(t.Context(), req))
	d.checked(t, b.Click(t.Context(), clickOn("Calculator", "Open")))
	if chats := d.llm.asked(); len(chats) != 2 || string(chats[0].KeepAlive) == string(chats[1].KeepAlive) ||
		!strings.Contains(string(chats[0].KeepAlive), "10m") {
		t.Errorf("%s", asJSON(chats))
	}
}
