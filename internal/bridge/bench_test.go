package bridge

import (
	"fmt"
	"strings"
	"testing"

	"mcp-computer-use/extractors"
)

// BenchmarkLookWarm is a look through the joined packages; agent-cu and the model answer at once.
func BenchmarkLookWarm(b *testing.B) {
	for name, req := range map[string]LookRequest{"alone": ask("What is there?", "Calculator"),
		"cached": ask("What is there?", "Calculator").in("c", "s")} {
		b.Run(name, func(b *testing.B) {
			d := newDesk(b)
			bridge := d.bridge(b)
			for b.Loop() {
				if got := bridge.Look(b.Context(), req).Result; got.Error != nil {
					b.Fatal(got.Error)
				}
			}
		})
	}
}

// BenchmarkLookBig is a look at a window of a megabyte of text and 20,000 lines of tree, for each profile,
// and then at one twice as large. "times" is how much longer that takes: 2 is in step with the size.
func BenchmarkLookBig(b *testing.B) {
	for _, w := range bigWindows() {
		var single float64
		for _, lines := range []int{20_000, 40_000} {
			b.Run(fmt.Sprint(w.profile, "/", lines, " lines"), func(b *testing.B) {
				d := w.desk(b, lines)
				bridge := d.bridge(b)
				b.ReportAllocs()
				for b.Loop() {
					if got := bridge.Look(b.Context(), LookRequest{Question: "What is there?"}).Result; got.Error != nil {
						b.Fatal(got.Error)
					}
				}
				took := float64(b.Elapsed()) / float64(b.N)
				if lines == 20_000 {
					single = took
				} else if single > 0 {
					b.ReportMetric(took/single, "times")
				}
			})
		}
	}
}

// TestBigWindows holds the windows of the benchmark to the profile that they stand for.
func TestBigWindows(t *testing.T) {
	for _, w := range bigWindows() {
		d := w.desk(t, 200)
		d.llm.reply = func(string) string { return "" } // a failure names the profile
		if got := d.look(t, d.bridge(t), LookRequest{Question: "What is there?"}); got.Extracted == nil || got.Extracted.Extractor != w.profile {
			t.Errorf("%s: %s", w.profile, asJSON(got))
		}
	}
}

// bigWindow is a window of one profile around many rows; head and foot are lines of its tree.
type bigWindow struct{ profile, app, title, head, foot string }

func bigWindows() []bigWindow {
	return []bigWindow{
		{extractors.ProfileClaude, "claude", "Claude", "  [@e1] group \"Chat messages\"\n", "  [@e2] textarea \"Message\"\n  [@e3] button \"Stop\"\n"},
		{extractors.ProfileCodex, "ChatGPT", "ChatGPT", "  [@e1] textarea \"ChatGPT\" id=RootWebArea\n    statictext \"ChatGPT said:\"\n", "    [@e2] button \"Copy\"\n    [@e3] button \"Good response\"\n"},
		{extractors.ProfileEditor, "Code", "log.go - api - Visual Studio Code", "  [@e1] textarea \"Terminal 1, bash\" id=terminal\n    statictext \"$ make\"\n", "  [@e2] button \"Errors: 2\"\n"},
		{extractors.ProfileBrowser, "chrome", "Log - Google Chrome", "  [@e1] textarea \"Log\" val=\"https://log.example/\" id=RootWebArea\n", ""},
		{extractors.ProfileGeneric, "notes", "Notes", "  group\n", ""},
	}
}

// desk shows the window with so many lines of tree, and 50 bytes of text for each.
func (w bigWindow) desk(t testing.TB, lines int) *desk {
	t.Helper()
	var text, tree strings.Builder
	fmt.Fprintf(&tree, "window %q\n%s", w.title, w.head)
	for n := range lines / 2 {
		row := fmt.Sprintf("%06d the loader read the rows of table %d and found nothing that is worth a word, errors=0, 3 xfail", n, n%100)
		text.WriteString(row + "\n")
		fmt.Fprintf(&tree, "    [@e%d] listitem\n      statictext \"%s\"\n", n+10, row)
	}
	tree.WriteString(w.foot)
	d := newDesk(t)
	d.cu.windows = []byte(asJSON([]map[string]any{{"title": w.title, "app": w.app, "pid": 1, "frontmost": true}}))
	d.cu.text, d.cu.snapshots = []byte(text.String()), [][]byte{[]byte(tree.String())}
	return d
}

// BenchmarkClickOwn is one click, from the arguments to the record, without agent-cu's own time.
func BenchmarkClickOwn(b *testing.B) {
	for _, size := range []int{10, 2000, 20_000} {
		b.Run(fmt.Sprint(size, " elements"), func(b *testing.B) {
			d := newDesk(b)
			d.cu.snapshots = [][]byte{bigSnapshot(size)}
			bridge := d.bridge(b)
			req := clickOn("Calculator", fmt.Sprintf("Row %d", size-1))
			for b.Loop() {
				if got := bridge.Click(b.Context(), req).Result; got.Error != nil {
					b.Fatal(got.Error)
				}
			}
		})
	}
}

// bigSnapshot is a window with that many buttons.
func bigSnapshot(size int) []byte {
	var tree strings.Builder
	tree.WriteString("window \"Calculator\"\n")
	for n := range size {
		fmt.Fprintf(&tree, "  [@e%d] button \"Row %d\" id=row%d\n", n+1, n, n)
	}
	tree.WriteString("  statictext \"Display is 12\"\n")
	return []byte(tree.String())
}
