package extractors

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/ui"
)

func TestCleanValue(t *testing.T) {
	for _, one := range []struct{ in, want string }{
		{"  a  b ", "a  b"},
		{"• item", "item"},
		{"⎿  \u2022 deep", "deep"},
		{"- item", "item"},
		{"--- FAIL: TestX", "--- FAIL: TestX"},
		{"*.go", "*.go"},
		{"* starred", "starred"},
		{"two\nlines\there", "two lines\there"},
		{"README.md\u200f now", "README.md now"},
		{"Microsoft\u200b Edge", "Microsoft Edge"},
		{"\u2066שלום\u2069", "שלום"},
		{"•", ""},
		{"", ""},
		{"\xff\xfe", "\ufffd"},
		{"obj\ufffcect", "object"},
		{strings.Repeat("a", 200), strings.Repeat("a", 200)},
		{strings.Repeat("é", 201), strings.Repeat("é", 199) + "…"},
		{strings.Repeat("ab ", 5000), strings.TrimSpace(strings.Repeat("ab ", 67)[:199]) + "…"},
	} {
		if got := cleanValue(one.in); got != one.want {
			t.Errorf("cleanValue(%.30q) = %q, want %q", one.in, got, one.want)
		}
	}
}

func TestIsFormat(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if isFormat(r) != unicode.Is(unicode.Cf, r) {
			t.Fatalf("isFormat(%U) = %v", r, isFormat(r))
		}
	}
}

func TestDetailLists(t *testing.T) {
	var many []string
	for n := range 14 {
		many = append(many, strings.Repeat("x", n+1))
	}
	var d details
	d.list("first", append([]string{"x", " x ", "", "• "}, many...), maxList)
	d.lastList("last", many)
	d.list("none", []string{" "}, maxList)
	d.text("empty", "•")
	d.flag("no", false)
	d.flag("yes", true)
	want := details{{"first", many[:10]}, {"last", many[4:]}, {"yes", true}}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

func TestMessageLines(t *testing.T) {
	for _, one := range []struct{ name, title, text, want string }{
		{"noise", "x", "a\n0\n100\n 100 \nchecked\nunchecked\nindeterminate\n218\nb", "a|218|b"},
		{"title and addresses", "Job", "Job\nhttps://a.example/b\nchrome-error://chromewebdata/\nabout:blank\nsee https://a.example", "see https://a.example"},
		{"task after a glyph", "✳ Job", "✳ Job\nJob\nJob done", "Job done"},
		{"part of the title stays", "News - Google Chrome", "News\nNews - Google Chrome", "News"},
		{"repeats", "x", "a\na\na\nb\n  a", "a|b|  a"},
		{"container and children", "x", "One two three.\nOne\ntwo three.\nnext", "One two three.|next"},
		{"children without a container", "x", "One\ntwo\nOne two", "One|two|One two"},
		{"half a repetition stays", "x", "One two three.\nOne\ntwo\nfour", "One two three.|One|two|four"},
		{"indentation tells lines apart", "x", "  }\n}", "  }|}"},
		{"blank ends", "x", "\n\na\n\nb\n\n", "a||b"},
		{"address with words", "x", "http: a sentence", "http: a sentence"},
	} {
		in := Input{WindowTitle: one.title, HasText: true, Lines: strings.Split(one.text, "\n")}
		if got := strings.Join(messageLines(in), "|"); got != one.want {
			t.Errorf("%s: %q, want %q", one.name, got, one.want)
		}
	}
}

func TestLastMessage(t *testing.T) {
	for _, one := range []struct {
		lines []string
		max   int
		want  string
		cut   bool
	}{
		{nil, 10, "", false},
		{[]string{"abc", "de"}, 6, "abc\nde", false},
		{[]string{"abc", "de"}, 5, "de", true},
		{[]string{"abc", "de"}, 2, "de", true},
		{[]string{"abcdef"}, 4, "cdef", true},
		{[]string{"abc", "שלוםשלום"}, 4, "שלום", true},
		{[]string{"abc", ""}, 3, "", true},
		{[]string{"a", "b"}, 1, "b", true},
	} {
		got, cut := lastMessage(one.lines, one.max)
		if got != one.want || cut != one.cut {
			t.Errorf("lastMessage(%q, %d) = %q, %v, want %q, %v", one.lines, one.max, got, cut, one.want, one.cut)
		}
		if utf8.RuneCountInString(got) > one.max {
			t.Errorf("lastMessage(%q, %d) is too long", one.lines, one.max)
		}
	}
}

func TestExposed(t *testing.T) {
	for _, one := range []struct {
		name, title, text, tree string
		want                    bool
	}{
		{"frame only", "Claude", "Claude", "window \"Claude\"\n  toolbar val=\"Claude\"\n    [@e1] button \"Close\"", false},
		{"empty document", "News - Google Chrome", "https://a.example\nhttps://a.example",
			"window \"News - Google Chrome\"\n  tabgroup\n    [@e1] tab \"News\"\n      statictext \"News\"\n  toolbar\n    [@e2] textfield \"Address\" val=\"a.example\"\n  [@e3] textarea \"News\" val=\"https://a.example\" id=RootWebArea", false},
		{"empty document on Linux", "News", "", "window \"News\"\n  webarea \"News\"", false},
		{"bar drops the scheme", "News - Google Chrome", "a.example/b", "window \"News - Google Chrome\"\n  group\n    [@e2] textfield \"Address\" val=\"a.example/b\"\n  webarea \"News\"", false},
		{"document with a child", "News", "", "window \"News\"\n  webarea \"News\"\n    [@e1] button \"Go\"", true},
		{"document without names", "News", "", "window \"News\"\n  webarea \"News\"\n    group\n      group", false},
		{"text beside the frame", "Tool", "", "window \"Tool\"\n  statictext \"3 files\"", true},
		{"text that repeats the title", "Tool - App", "", "window \"Tool - App\"\n  statictext \"Tool\"\n  statictext \"Tool - App\"", false},
		{"menus", "Tool", "File", "window \"Tool\"\n  menubar\n    menu \"File\"\n      [@e1] menuitem \"Open\"\n      statictext \"File\"", false},
		{"terminal text", "noa@lab", "noa@lab\n$ make\nok", "window \"noa@lab\"\n  tabgroup\n    [@e1] tab\n      group\n        unknown \"Terminal\"", true},
		{"page of a tab", "Settings", "", "window \"Settings\"\n  tabgroup\n    [@e1] tab \"General\"\n      group\n        statictext \"Name\"", true},
		{"file in an editor", "a.txt - Notepad", "hello", "window \"a.txt - Notepad\"\n  [@e1] textarea \"Text editor\" val=\"hello\"", true},
		{"no tree, title alone", "Claude", "Claude\nhttps://claude.ai\n0", "", false},
		{"no tree, text", "Claude", "Hello", "", true},
		{"nothing at all", "Claude", "", "", false},
	} {
		in := Input{WindowTitle: one.title, HasText: true, Lines: strings.Split(one.text, "\n")}
		if one.tree != "" {
			in.Snapshot = parseTree(one.tree)
		}
		if got := exposed(in, newTree(in.Snapshot)); got != one.want {
			t.Errorf("%s: exposed = %v, want %v", one.name, got, one.want)
		}
	}
}

func TestGeneric(t *testing.T) {
	many := strings.Repeat("line\n", 29)
	for _, v := range []variant{
		{name: "failure in the tail", app: "konsole", title: "x", text: "1 failed, 2 passed\n" + many, status: StatusUnknown, details: map[string]any{"failures": []any{"1 failed, 2 passed"}}},
		{name: "failure above the tail", app: "konsole", title: "x", text: "1 failed, 2 passed\nline\n" + many, status: StatusUnknown, no: []string{"failures"}},
		{name: "sentence in a page", app: "slack", title: "x", text: "We saw 2 errors in the essay.\n1 failed, 3 passed", tree: "window \"x\"\n  webarea \"x\"\n    statictext \"y\"", status: StatusUnknown,
			details: map[string]any{"failures": []any{"1 failed, 3 passed"}}},
		{name: "prompt", app: "Notepad", title: "x", text: "Do you want to save?\n❯ 1. Yes\n  2. No", status: StatusUnknown, no: []string{"waiting_for_user", "waiting_prompt"}},
		{name: "from the tree", app: "tool", title: "x", noText: true, tree: "window \"x\"\n  statictext \"2 failed, 1 passed\"\n  toolbar\n    statictext \"3 failed\"", status: StatusUnknown,
			details: map[string]any{"failures": []any{"2 failed, 1 passed"}}},
	} {
		t.Run(v.name, v.check)
	}
	out := Extract(Input{AppName: "calc", WindowTitle: "Calculator", HasText: true, Lines: []string{"Calculator", "Display is 12", "0"}, Platform: ui.Windows})
	if out.LastMessage != "Display is 12" || out.Status != StatusUnknown || !out.Exposed {
		t.Errorf("the calculator gives %+v", out)
	}
}
