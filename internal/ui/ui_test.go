package ui

import (
	"slices"
	"strings"
	"testing"
)

func TestRoles(t *testing.T) {
	tests := []struct {
		role                  Role
		interactive, editable bool
	}{
		{RoleButton, true, false}, {"Button", true, false}, {"menuItem", true, false}, {RoleTextField, true, true}, {"textField", true, true},
		{RoleComboBox, true, true}, {"comboBox", true, true}, {RoleTextArea, true, true}, {RoleSecureTextField, true, false},
		{"secureTextField", true, false}, {"document", false, true}, {"searchfield", false, true}, {"edit", false, true}, {"textbox", false, true},
		{"statictext", false, false}, {"", false, false}, {"Hyperlink Button", false, false}, {RoleWindow, false, false},
	}
	for _, tt := range tests {
		if tt.role.Interactive() != tt.interactive || tt.role.Editable() != tt.editable {
			t.Errorf("%s: interactive %v, editable %v", tt.role, tt.role.Interactive(), tt.role.Editable())
		}
	}
}

func TestDropSecrets(t *testing.T) {
	tests := []struct {
		name   string
		values map[string]bool // value -> cut
		lines  string
		want   string
	}{
		{"none", nil, "a|b", "a|b"},
		{"whole line", map[string]bool{"hunter2": false}, "Login|hunter2| hunter2 |hunter22|my hunter2", "Login|hunter22|my hunter2"},
		{"cut value", map[string]bool{"correct horse…": true}, "correct horse battery|correct hors|x", "correct hors|x"},
		{"an uncut value that ends so", map[string]bool{"wait…": false}, "wait…|wait", "wait"},
		{"empty value", map[string]bool{"": false}, "|a", "|a"},
		{"nothing left of a cut value", map[string]bool{"…": true}, "a|b", "a|b"},
		{"bullets", map[string]bool{"••••": false}, "••••|•••", "•••"},
	}
	for _, tt := range tests {
		s := &Snapshot{}
		for value, cut := range tt.values {
			s.AddSecret(value, cut)
		}
		lines := strings.Split(tt.lines, "|")
		before := slices.Clone(lines)
		if got := strings.Join(s.DropSecrets(lines), "|"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if !slices.Equal(lines, before) {
			t.Errorf("%s: the given lines were changed", tt.name)
		}
	}
	var none *Snapshot
	if got := none.DropSecrets([]string{"a"}); len(got) != 1 {
		t.Errorf("no snapshot: %q", got)
	}
}

func TestSub(t *testing.T) {
	s := &Snapshot{Elements: []Element{
		{Role: RoleApplication, Parent: -1, End: 6},
		{Role: RoleWindow, Name: "one", Depth: 1, Parent: 0, End: 3}, {Role: RoleButton, Ref: "@e1", Depth: 2, Parent: 1, End: 3},
		{Role: RoleWindow, Name: "two", Depth: 1, Parent: 0, End: 6}, {Role: RoleGroup, Depth: 2, Parent: 3, End: 6},
		{Role: RoleButton, Ref: "@e2", Depth: 3, Parent: 4, End: 6},
	}}
	s.AddSecret("hunter2", false)
	part := s.Sub(3)
	want := []Element{
		{Role: RoleWindow, Name: "two", Parent: -1, End: 3}, {Role: RoleGroup, Depth: 1, Parent: 0, End: 3},
		{Role: RoleButton, Ref: "@e2", Depth: 2, Parent: 1, End: 3},
	}
	if !slices.Equal(part.Elements, want) {
		t.Errorf("%+v", part.Elements)
	}
	if got := part.DropSecrets([]string{"hunter2", "a"}); len(got) != 1 {
		t.Errorf("the secrets are forgotten: %q", got)
	}
	part.Elements[0].Name = "changed"
	if s.Elements[3].Name != "two" || s.Elements[3].Parent != 0 {
		t.Error("the whole was changed")
	}
	if leaf := s.Sub(5); len(leaf.Elements) != 1 || leaf.Elements[0].Parent != -1 || leaf.Elements[0].End != 1 {
		t.Errorf("%+v", leaf.Elements)
	}
	if whole := s.Sub(0); !slices.Equal(whole.Elements, s.Elements) {
		t.Errorf("%+v", whole.Elements)
	}
}
