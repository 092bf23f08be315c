package extractors

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/ui"
)

// TestProfileCases proves the profiles of editors, browsers and Codex on every recorded window.
func TestProfileCases(t *testing.T) {
	for _, one := range readCases(t, ProfileCodex, ProfileEditor, ProfileBrowser) {
		t.Run(one.name, func(t *testing.T) { checkCase(t, one) })
	}
}

// shot is a made-up window with what must come out of it.
type shot struct {
	name    string
	app     string
	title   string
	text    string // empty: the text command failed
	tree    string // empty: the snapshot failed
	max     int
	status  string
	details map[string]any // strings, lists and true, each of which must be there
	no      []string       // keys that must be absent
	has     []string       // parts of the last message
	lacks   []string
	hidden  bool // the window counts as not exposed
}

func (s shot) input() Input {
	in := Input{AppName: s.app, WindowTitle: s.title, Platform: ui.Windows, MaxChars: s.max}
	if s.text != "" {
		in.HasText, in.Lines = true, strings.Split(strings.Trim(s.text, "\n"), "\n")
	}
	if s.tree != "" {
		in.Snapshot = windowTree(parseTree(strings.Trim(s.tree, "\n")), s.title)
	}
	return in
}

func (s shot) check(t *testing.T, profile string) {
	t.Helper()
	out := Extract(s.input())
	if out.Profile != profile || out.Status != s.status {
		t.Errorf("%s, %s; want %s, %s", out.Profile, out.Status, profile, s.status)
	}
	found := map[string]any{}
	for _, detail := range out.Details {
		found[detail.Key] = detail.Value
	}
	for key, want := range s.details {
		if diff := cmp.Diff(want, found[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	for _, key := range s.no {
		if value, there := found[key]; there {
			t.Errorf("%s is %v, want none", key, value)
		}
	}
	for _, part := range s.has {
		if !strings.Contains(out.LastMessage, part) {
			t.Errorf("last message lacks %q:\n%s", part, out.LastMessage)
		}
	}
	for _, part := range s.lacks {
		if strings.Contains(out.LastMessage, part) {
			t.Errorf("last message holds %q:\n%s", part, out.LastMessage)
		}
	}
	if out.Exposed == s.hidden {
		t.Errorf("exposed is %v", out.Exposed)
	}
}

func checkShots(t *testing.T, profile string, shots []shot) {
	t.Helper()
	for _, one := range shots {
		t.Run(one.name, func(t *testing.T) { one.check(t, profile) })
	}
}

// fuzzProfile feeds a profile texts and trees of any shape.
func fuzzProfile(f *testing.F, profile string, extract func(Input) Outcome) {
	for _, one := range readCases(f, profile) {
		f.Add(one.in.WindowTitle, strings.Join(one.in.Lines, "\n"), printTree(one.in.Snapshot))
	}
	f.Add("", "", "")
	f.Add("0", "ChatGPT said:\nNext:0\t0", "")
	f.Add("\xff", "\x00\n\x1b[31m", "window \"\xff\"\n  button \"Stop\"")
	f.Fuzz(func(t *testing.T, title, text, tree string) {
		in := Input{AppName: "x", WindowTitle: title, HasText: true, Lines: strings.Split(text, "\n"), MaxChars: 300}
		if tree != "" {
			in.Snapshot = parseTree(tree)
		}
		for _, one := range []Input{in, {WindowTitle: title, HasText: true, Lines: in.Lines, MaxChars: 50}} {
			out := extract(one)
			out.Profile = profile
			checkLimits(t, one, out)
		}
	})
}

// without returns a copy of a window without the elements that drop chooses; their children move up.
func without(in Input, drop func(i int, el ui.Element) bool) Input {
	var els []ui.Element
	moved := make([]int, len(in.Snapshot.Elements)) // new depth per old element
	for i, el := range in.Snapshot.Elements {
		depth := 0
		if el.Parent >= 0 {
			depth = moved[el.Parent] + 1
		}
		if drop(i, el) {
			moved[i] = depth - 1
			continue
		}
		moved[i] = depth
		el.Depth = depth
		els = append(els, el)
	}
	in.Snapshot = &ui.Snapshot{Elements: els}
	link(in.Snapshot)
	return in
}

// neverFinished checks that no window loses a state that matters to "finished" when one element is not
// exposed, with its children or without them.
func neverFinished(t *testing.T, extract func(Input) Outcome, cases []readCase) {
	t.Helper()
	for _, one := range cases {
		if one.in.Snapshot == nil || len(one.in.Snapshot.Elements) > 400 || extract(one.in).Status == StatusFinished {
			continue
		}
		els := one.in.Snapshot.Elements
		for i := 1; i < len(els); i++ {
			for _, whole := range []bool{false, true} {
				cut := without(one.in, func(k int, _ ui.Element) bool { return k == i || whole && k > i && k < els[i].End })
				if got := extract(cut).Status; got == StatusFinished {
					t.Errorf("%s: finished without %s %q (whole subtree: %v)", one.name, els[i].Role, els[i].Name, whole)
				}
			}
		}
	}
}
