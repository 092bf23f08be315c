package extractors

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-computer-use/internal/ui"
)

// allowed are the statuses that each profile may give (spec/profiles.md).
var allowed = map[string][]string{
	ProfileClaude:  {StatusWorking, StatusFinished, StatusUnknown},
	ProfileCodex:   {StatusWorking, StatusFinished, StatusWaiting, StatusUnknown},
	ProfileEditor:  {StatusWaiting, StatusError, StatusUnknown},
	ProfileBrowser: {StatusError, StatusUnknown},
	ProfileGeneric: {StatusUnknown},
}

// checkLimits holds an outcome to what every outcome must obey.
func checkLimits(t testing.TB, in Input, out Outcome) {
	t.Helper()
	if !slices.Contains(allowed[out.Profile], out.Status) {
		t.Errorf("profile %q gives status %q", out.Profile, out.Status)
	}
	limit := in.MaxChars
	if limit <= 0 {
		limit = DefaultMaxChars
	}
	if utf8.RuneCountInString(out.LastMessage) > limit || !utf8.ValidString(out.LastMessage) {
		t.Errorf("last message has %d characters, limit %d, or is no UTF-8", utf8.RuneCountInString(out.LastMessage), limit)
	}
	seen := map[string]bool{}
	for _, detail := range out.Details {
		if seen[detail.Key] {
			t.Errorf("details.%s comes twice", detail.Key)
		}
		seen[detail.Key] = true
		checkDetail(t, detail)
	}
}

func checkDetail(t testing.TB, detail Detail) {
	t.Helper()
	switch value := detail.Value.(type) {
	case string:
		checkString(t, detail.Key, value)
	case []string:
		if len(value) == 0 || len(value) > maxList {
			t.Errorf("details.%s has %d entries", detail.Key, len(value))
		}
		for i, entry := range value {
			checkString(t, detail.Key, entry)
			if slices.Contains(value[:i], entry) {
				t.Errorf("details.%s repeats %q", detail.Key, entry)
			}
		}
	case bool:
		if !value {
			t.Errorf("details.%s is false", detail.Key)
		}
	default:
		t.Errorf("details.%s is a %T", detail.Key, value)
	}
}

func checkString(t testing.TB, key, value string) {
	t.Helper()
	trimmed := strings.TrimSpace(value) == value && value != "" && !strings.ContainsAny(value, "\n\r") // a tab is a gap as shown
	if key == "url" {                                                                                  // an address is not cut
		return
	}
	if !trimmed || utf8.RuneCountInString(value) > maxValue || value != stripFormat(value) || !utf8.ValidString(value) {
		t.Errorf("details.%s is no clean value: %q", key, value)
	}
}

func FuzzExtract(f *testing.F) {
	for _, one := range readCases(f) {
		if len(one.in.Lines) > 200 {
			continue
		}
		f.Add(one.in.AppName, one.in.WindowTitle, strings.Join(one.in.Lines, "\n"), printTree(one.in.Snapshot), one.in.MaxChars)
	}
	f.Add("claude", "✳ \xff", "✻ Cooked for 2s\n❯ 1.\n❯", "window \"\xff\"\n  [@e1] textarea id=RootWebArea", -3)
	f.Add("WindowsTerminal", "✳", "────────────\n❯\n────────────\n Context low (", "", 1)
	f.Fuzz(func(t *testing.T, app, title, text, tree string, max int) {
		in := Input{AppName: app, RequestedApp: "Claude", WindowTitle: title, HasText: text != "", MaxChars: max}
		in.Lines = strings.Split(text, "\n")
		if tree != "" {
			in.Snapshot = parseTree(tree)
		}
		checkLimits(t, in, Extract(in))
	})
}

// printTree writes a tree in the form that parseTree reads.
func printTree(snapshot *ui.Snapshot) string {
	if snapshot == nil {
		return ""
	}
	var b strings.Builder
	for _, el := range snapshot.Elements {
		b.WriteString(strings.Repeat("  ", el.Depth))
		if el.Ref != "" {
			fmt.Fprintf(&b, "[%s] ", el.Ref)
		}
		b.WriteString(string(el.Role))
		if el.Name != "" {
			fmt.Fprintf(&b, " \"%s\"", el.Name)
		}
		if el.Value != "" {
			fmt.Fprintf(&b, " val=\"%s\"", el.Value)
		}
		if el.ID != "" {
			b.WriteString(" id=" + el.ID)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestHugeInputs runs every profile over sizes that would show quadratic work or deep recursion.
func TestHugeInputs(t *testing.T) {
	for name, in := range hugeInputs() {
		for _, app := range []string{"claude", "gnome-terminal-server", "ChatGPT", "Code", "chrome", "notes"} {
			t.Run(name+" "+app, func(t *testing.T) {
				in.AppName, in.RequestedApp = app, "Claude"
				checkLimits(t, in, Extract(in))
			})
		}
	}
}

// manyFields are 20,000 fields of a terminal whose values were cut, between headers of chats.
func manyFields() *ui.Snapshot {
	all := &ui.Snapshot{Elements: []ui.Element{{Role: ui.RoleWindow, Name: "Claude", Parent: -1},
		{Role: ui.RoleTextArea, Name: "Chat", ID: "RootWebArea", Depth: 1}, {Role: ui.RoleGroup, ID: "terminal", Depth: 2, Parent: 1}}}
	for i := range 20000 {
		el := ui.Element{Role: ui.RoleTextField, Name: "Shell", Value: "● the loader read " + fmt.Sprint(i%9) + "…", ValueCut: true, Depth: 3, Parent: 2, End: i + 4}
		if i%3 > 0 {
			el.Role, el.Name, el.Value = ui.RoleButton, fmt.Sprintf("Chat %d, rename chat", i), ""
		}
		all.Elements = append(all.Elements, el)
	}
	for i := range 3 {
		all.Elements[i].End = len(all.Elements)
	}
	return all
}

// hugeInputs are a megabyte in one line, in many lines and in binary rubbish, 20,000 elements side by
// side, and 10,000 levels of depth.
func hugeInputs() map[string]Input {
	const size = 1 << 20
	var wide, deep ui.Snapshot
	wide.Elements = append(wide.Elements, ui.Element{Role: ui.RoleWindow, Name: "Claude", Parent: -1},
		ui.Element{Role: ui.RoleTextArea, Name: "Chat", ID: "RootWebArea", Depth: 1})
	names := []string{"You said: Hi", "Hi", "Claude responded: There are 2 errors.", "There are 2 errors.", "Deny", "Always allow", "Local", "worktree", "Changed files", "Stop"}
	roles := []ui.Role{ui.RoleStaticText, ui.RoleStaticText, ui.RoleHeading, ui.RoleParagraph, ui.RoleButton, ui.RoleButton, ui.RoleButton, ui.RoleCheckBox, ui.RoleList, ui.RoleButton}
	for i := range 20000 {
		wide.Elements = append(wide.Elements, ui.Element{Role: roles[i%10], Name: names[i%10], Depth: 2, Parent: 1, End: i + 3})
	}
	wide.Elements[0].End, wide.Elements[1].End = len(wide.Elements), len(wide.Elements)
	for i := range 10000 {
		role := ui.Role(ui.RoleGroup)
		if i%3 == 1 {
			role = ui.RoleList
		}
		deep.Elements = append(deep.Elements, ui.Element{Role: role, Name: []string{"Changed files", "Deny", "Message 1 of 2"}[i%3], Depth: i, Parent: i - 1, End: 10000})
	}
	var text []string
	starts := []string{"● ", "  ", "  ⎿  ", "✳ ", "❯ "}
	for i := range size / 52 {
		text = append(text, fmt.Sprintf("%sthe loader read %d rows: errors=0, 3 xfailed, no. Why?", starts[i%5], i))
	}
	var hebrew []string
	for i := range size / 80 {
		hebrew = append(hebrew, fmt.Sprintf("%sהטוען קרא %d שורות ולא מצא תקלות. למה?", starts[i%5], i))
	}
	rubbish := make([]byte, size)
	for i, state := 0, uint32(1); i < size; i++ {
		state = state*1664525 + 1013904223
		rubbish[i] = byte(state >> 24)
	}
	return map[string]Input{
		"wide":      {WindowTitle: "Claude", HasText: true, Lines: text, Snapshot: &wide},
		"hebrew":    {WindowTitle: "Claude", HasText: true, Lines: hebrew, Snapshot: &wide},
		"deep":      {WindowTitle: "✳ Job", HasText: true, Lines: text[:10], Snapshot: &deep},
		"long line": {WindowTitle: "x", HasText: true, Lines: []string{strings.Repeat("1 failed: ", size/10)}, Snapshot: &ui.Snapshot{Elements: []ui.Element{{Role: ui.RoleStaticText, Name: strings.Repeat("(1 ", size/3), Parent: -1, End: 1}}}},
		"fields":    {WindowTitle: "Claude", HasText: true, Lines: text, Snapshot: manyFields()},
		"rubbish":   {WindowTitle: "x", HasText: true, Lines: strings.Split(string(rubbish), "\n")},
		"spaces":    {WindowTitle: "x", HasText: true, Lines: []string{strings.Repeat(" ", size), strings.Repeat(": ", size/2), strings.Repeat("error ", size/6), strings.Repeat("(", size)}},
	}
}

func BenchmarkExtract(b *testing.B) {
	for name, in := range hugeInputs() {
		for _, app := range []string{"claude", "gnome-terminal-server", "Code", "notes"} {
			in.AppName, in.RequestedApp = app, "Claude"
			b.Run(name+"/"+app, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Extract(in)
				}
			})
		}
	}
}
