package extractors

import (
	"fmt"
	"strings"
	"testing"

	"mcp-computer-use/internal/ui"
)

// bigWindows are windows of a megabyte of text and about 20,000 elements, in the shape that each profile
// knows, at a part of the size: 1 is the whole.
func bigWindows(part int) map[string]Input {
	rows := 10000 / part
	var lines, page, terminal, turns []string
	for n := range rows {
		line := fmt.Sprintf("%06d the loader read the rows of table %d and found nothing that was worth a word, errors=0, 3 xfailed", n, n)
		lines = append(lines, line)
		page = append(page, "  [@e9] listitem", "    statictext \""+line+"\"")
		terminal = append(terminal, line)
		if n%20 == 0 {
			turns = append(turns, "statictext \"You said:\"", "group", "  statictext \"go on\"", "statictext \"ChatGPT said:\"")
		}
		turns = append(turns, "group", "  statictext \""+line+"\"")
	}
	text := strings.Join(lines, "\n")
	title := "Log - Google Chrome"
	browser := shot{app: "chrome", title: title, text: text, max: 2000,
		tree: chromeWindow(title, "log.example", []string{"Log"}, "[@e9] textarea \"Log\" val=\"https://log.example/\" id=RootWebArea\n"+strings.Join(page, "\n"))}
	editor := shot{app: "Code", title: "a.go - api - Visual Studio Code", text: text, max: 2000, tree: workbench(strings.Join(terminal, "\n"), "")}
	codex := shot{app: "ChatGPT", title: "ChatGPT", text: text, max: 2000, tree: codexApp(sidebar("a", "b"), thread(strings.Join(turns, "\n")+"\n"+rated+sendRow))}
	bare := shot{app: "chrome", title: title, text: text, max: 2000}
	editorBare := shot{app: "Code", title: editor.title, text: text, max: 2000}
	return map[string]Input{"browser": browser.input(), "editor": editor.input(), "codex": codex.input(), "browser, text alone": bare.input(), "editor, text alone": editorBare.input()}
}

func BenchmarkProfiles(b *testing.B) {
	for _, part := range []int{1, 4} {
		for name, in := range bigWindows(part) {
			b.Run(fmt.Sprintf("%s/%d", name, part), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Extract(in)
				}
			})
		}
	}
}

// TestHostileTrees runs the profiles over shapes that would show quadratic work or deep recursion.
func TestHostileTrees(t *testing.T) {
	for name, tree := range map[string]string{
		"many rows":       "window \"x\"\n" + strings.Repeat("  [@e1] button \"Chat actions\"\n", 4000),
		"many fields":     "window \"x\"\n  group\n" + strings.Repeat("    [@e1] textfield \"Ask anything\"\n", 1500),
		"many terminals":  "window \"x\"\n" + strings.Repeat("  group\n    [@e1] textfield \"Terminal 1, bash\" val=\"a…\"\n    statictext \"$ x\"\n", 1500),
		"many dialogs":    "window \"x\"\n" + strings.Repeat("  dialog \"x\"\n    statictext \"x\"\n    [@e1] button \"y\"\n", 1500),
		"many documents":  "window \"x\"\n" + strings.Repeat("  [@e1] textarea \"x\" val=\"https://x.example/\" id=RootWebArea\n    statictext \"y\"\n", 1500),
		"many summaries":  workbench(strings.Repeat("Tests: 1 failed, 1 total\nTests: 1 passed, 1 total\nok  a 0.1s\n", 1000), ""),
		"many tabs":       "window \"x\"\n" + strings.Repeat("  [@e1] tab \"x - Memory usage - 3 MB\"\n", 2500),
		"one long name":   "window \"x\"\n  [@e1] textarea \"x\" id=RootWebArea\n    statictext \"" + strings.Repeat("a - b ", 1<<17) + "\"",
		"one long button": "window \"x\"\n  [@e1] button \"" + strings.Repeat("a - b ", 1<<17) + "\"\n  [@e2] tab \"" + strings.Repeat("a - ", 1<<17) + "\"",
	} {
		for _, app := range []string{"chrome", "Code", "ChatGPT"} {
			t.Run(name+" "+app, func(t *testing.T) {
				in := shot{app: app, title: "x", text: "a…\nb", tree: tree, max: 100}.input()
				checkLimits(t, in, Extract(in))
				in.WindowTitle = strings.Repeat("a - ", 1<<17) + "Visual Studio Code"
				checkLimits(t, in, Extract(in))
			})
		}
	}
	for name, el := range map[string]ui.Element{
		"deep groups":    {Role: ui.RoleGroup, Name: "Deny"},
		"deep documents": {Role: ui.RoleTextArea, Name: "ChatGPT", Value: "https://x.example/"},
		"deep texts":     {Role: ui.RoleStaticText, Name: "No internet"},
		"deep buttons":   {Role: ui.RoleButton, Name: "Pin chat"},
		"deep fields":    {Role: ui.RoleTextField, Name: "Ask anything", Value: "x"},
	} {
		for _, app := range []string{"chrome", "Code", "ChatGPT"} {
			t.Run(name+" "+app, func(t *testing.T) {
				in := Input{AppName: app, WindowTitle: "x", Lines: []string{"a"}, Snapshot: deepTree(10000, el), MaxChars: 100}
				checkLimits(t, in, Extract(in))
			})
		}
	}
}

// deepTree is a tree of one branch.
func deepTree(depth int, el ui.Element) *ui.Snapshot {
	tree := &ui.Snapshot{Elements: []ui.Element{{Role: ui.RoleWindow, Name: "x", Parent: -1, End: depth}}}
	for n := 1; n < depth; n++ {
		el.Depth, el.Parent, el.End = n, n-1, depth
		tree.Elements = append(tree.Elements, el)
	}
	return tree
}
