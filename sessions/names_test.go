package sessions

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	given := func(s string) *string { return &s }
	long := strings.Repeat("x", 100)
	cases := []struct {
		name            string
		client, session *string
		want            ID
		ok              bool
	}{
		{"both", given("codex"), given("fix-ui"), ID{"codex", "fix-ui"}, true},
		{"no client", nil, given("solo"), ID{"default", "solo"}, true},
		{"empty client", given(""), given("solo"), ID{"default", "solo"}, true},
		{"nothing valid in the client", given("קלוד é"), given("solo"), ID{"default", "solo"}, true},
		{"no session", given("codex"), nil, ID{}, false},
		{"empty session", given("codex"), given(""), ID{}, false},
		{"nothing valid in the session", given("codex"), given("../é א"), ID{}, false},
		{"invalid characters are dropped", given("../my client/é"), given("a.b:c\x00\n"), ID{"myclient", "abc"}, true},
		{"long names are cut", given(long), given("é" + long), ID{long[:64], long[:64]}, true},
		{"case stays", given("Codex"), given("A_b-C9"), ID{"Codex", "A_b-C9"}, true},
		{"neither", nil, nil, ID{}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := Identify(c.client, c.session); got != c.want || ok != c.ok {
				t.Errorf("%+v, %v; want %+v, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("../my client/é")
	f.Add("CON")
	f.Add(strings.Repeat("ü-", 80))
	f.Fuzz(func(t *testing.T, name string) {
		clean := sanitize(name)
		if len(clean) > maxName || sanitize(clean) != clean {
			t.Errorf("%q is not clean", clean)
		}
		id := ID{ClientName(&name), clean}
		if clean == "" {
			id.Session = "s"
		}
		s := New(DefaultOptions(), "dir", nil)
		for _, path := range []string{s.primary(id), s.alternate(id)} {
			if filepath.Dir(path) != "dir" || !fileName.MatchString(filepath.Base(path)) {
				t.Errorf("path %q", path)
			}
		}
	})
}

// No session name is a device of Windows: the part before the first dot must be more than its name.
func TestReservedNames(t *testing.T) {
	s := New(DefaultOptions(), "dir", nil)
	for _, name := range []string{"CON", "nul", "COM1", "LPT9", "AUX", "PRN"} {
		base, _, _ := strings.Cut(filepath.Base(s.primary(ID{name, name})), ".")
		if base != name+"__"+name {
			t.Errorf("base name %q", base)
		}
	}
}

// Names that are equal once they are clean are one session.
func TestNamesThatBecomeEqual(t *testing.T) {
	s, _ := newStore(t)
	first, _ := Identify(nil, new("fix.ui"))
	second, _ := Identify(new("default"), new("fix/ui"))
	call(t, s, first.Client, first.Session, screen("working", "x"), "Done?")
	if got, ok := begin(t, s, second.Client, second.Session).LastAnswer(); !ok || got.Question != "Done?" || first != second {
		t.Errorf("%+v and %+v: %+v, %v", first, second, got, ok)
	}
	wantFiles(t, s, "default__fixui.json")
}

func TestSessionsWhoseNamesCollide(t *testing.T) {
	s, _ := newStore(t)
	call(t, s, "a__b", "c", screen("working", "first"), "First?")
	call(t, s, "a", "b__c", screen("finished", "second"), "Second?")
	if doc := stored(t, s, "a__b__c.json"); doc.Client != "a__b" || doc.LastMessage != "first" {
		t.Errorf("the first owner lost its file: %+v", doc)
	}
	if got, ok := begin(t, s, "a", "b__c").LastAnswer(); !ok || got.Question != "Second?" {
		t.Errorf("second: %+v, %v", got, ok)
	}
	if got, ok := begin(t, s, "a__b", "c").LastAnswer(); !ok || got.Question != "First?" {
		t.Errorf("first: %+v, %v", got, ok)
	}
	if n := len(s.entries()); n != 2 {
		t.Errorf("%d files", n)
	}
	call(t, s, "a", "next", screen("working", "third"), "")
	wantFiles(t, s, "a__b__c.json", "a__next.json")
}
