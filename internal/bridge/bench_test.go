package bridge

import (
	"fmt"
	"strings"
	"testing"
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

// BenchmarkLookBig is a look at a window of twenty thousand elements.
func BenchmarkLookBig(b *testing.B) {
	d := newDesk(b)
	d.cu.snapshots = [][]byte{bigSnapshot(20_000)}
	bridge := d.bridge(b)
	for b.Loop() {
		if got := bridge.Look(b.Context(), ask("What is there?", "Calculator")).Result; got.Error != nil {
			b.Fatal(got.Error)
		}
	}
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
