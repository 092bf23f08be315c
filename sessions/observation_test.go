package sessions

import (
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	before := screen("working", "one", Detail{"project", "MyApp"}, Detail{"branch", "main"}, Detail{"next_step", "Test it"},
		Detail{"failures", []string{"a"}}, Detail{"waiting_for_user", true})
	with := func(change func(*Observation)) Observation {
		seen := before
		seen.Details = append([]Detail(nil), before.Details...)
		change(&seen)
		return seen
	}
	long := strings.Repeat("x", 200)
	cases := []struct {
		name string
		seen Observation
		want []string
	}{
		{"nothing", before, nil},
		{"details in another order", with(func(o *Observation) { o.Details[0], o.Details[1] = o.Details[1], o.Details[0] }), nil},
		{"status", with(func(o *Observation) { o.Status = "finished" }), []string{"status: working -> finished"}},
		{"window", with(func(o *Observation) { o.App = "Codex" }), []string{"window: Claude -> Codex"}},
		{"last message", with(func(o *Observation) { o.LastMessage = "two" }), []string{"new text in the last message"}},
		{"no last message", with(func(o *Observation) { o.LastMessage = "" }), []string{"the last message is gone"}},
		{"project", with(func(o *Observation) { o.Details[0].Value = "Other" }), []string{"project: MyApp -> Other"}},
		{"next step, long", with(func(o *Observation) { o.Details[2].Value = "a\n b" + long }),
			[]string{"next_step: Test it -> a b" + long[:76] + "…"}},
		{"branch", with(func(o *Observation) { o.Details[1].Value = "dev" }), []string{"branch changed"}},
		{"failures", with(func(o *Observation) { o.Details[3].Value = []string{"a", "b"} }), []string{"failures changed"}},
		{"a new detail", with(func(o *Observation) { o.Details = append(o.Details, Detail{"folder", "src"}) }), []string{"folder appeared"}},
		{"a detail less", with(func(o *Observation) { o.Details = o.Details[1:4] }), []string{"project is gone", "waiting_for_user is gone"}},
		{"several", with(func(o *Observation) { o.Status, o.LastMessage, o.Details[1].Value = "finished", "two", "dev" }),
			[]string{"status: working -> finished", "branch changed", "new text in the last message"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, _ := newStore(t)
			wantChanges(t, call(t, s, "a", "b", before, ""))
			wantChanges(t, call(t, s, "a", "b", c.seen, ""), c.want...)
			wantChanges(t, call(t, s, "a", "b", c.seen, ""))
		})
	}
}

func TestNormal(t *testing.T) {
	for _, pair := range [][2]string{{"Is it done?", "is it  DONE"}, {" Q! ", "q"}, {"סיים?", "סיים"}} {
		if normal(pair[0]) != normal(pair[1]) {
			t.Errorf("%q and %q differ", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"Is it done?", "Is it not done?"}, {"C++?", "C?"}, {"v1.2?", "v12?"}} {
		if normal(pair[0]) == normal(pair[1]) {
			t.Errorf("%q and %q are the same", pair[0], pair[1])
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"": "", "short": "short", "exactly10!": "exactly10!", "eleven char": "eleven ch…", "אבגדהוזחטי": "אבגדהוזחטי", "אבגדהוזחטיכ": "אבגדהוזחט…"} {
		if got := cut(text, 10); got != want {
			t.Errorf("cut(%q) = %q, want %q", text, got, want)
		}
	}
}
