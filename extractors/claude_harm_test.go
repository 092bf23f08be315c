package extractors

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// harmCase is a window whose printed tree can be taken apart.
type harmCase struct {
	name  string
	in    Input
	lines []string // of the tree, as printed; empty without one
}

// harmCases are the windows of the cases and of the recorded runs that are not finished.
func harmCases(t *testing.T) []harmCase {
	t.Helper()
	var all []harmCase
	for _, one := range readCases(t) {
		window := harmCase{name: one.name, in: one.in}
		if one.in.Snapshot != nil {
			window.lines = snapshotLines(t, one.name)
		}
		all = append(all, window)
	}
	all = append(all, recordedWindows(t)...)
	return slices.DeleteFunc(all, func(one harmCase) bool { return Extract(one.in).Status == StatusFinished })
}

// TestLostControlNeverFinishes takes one control after the other from the tree of every window that is
// not finished, or its name alone. A control that the engine did not print must not turn working,
// waiting or unknown into finished.
func TestLostControlNeverFinishes(t *testing.T) {
	for _, one := range harmCases(t) {
		t.Run(one.name, func(t *testing.T) {
			for n, line := range one.lines {
				if n == 0 || !strings.Contains(line, "[@e") {
					continue
				}
				nameless, _, _ := strings.Cut(line, " \"")
				for what, changed := range map[string][]string{"without": nil, "without the name of": {nameless}} {
					in := one.in
					rest := strings.Join(slices.Concat(one.lines[:n], changed, one.lines[n+1:]), "\n")
					in.Snapshot = windowTree(parseTree(rest), in.WindowTitle)
					if Extract(in).Status == StatusFinished {
						t.Errorf("%s %q the window counts as finished", what, strings.TrimSpace(line))
					}
				}
			}
		})
	}
}

func snapshotLines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(casesDir, "read", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range txtar.Parse(data).Files {
		if file.Name == "snapshot" {
			return strings.Split(strings.TrimSuffix(string(file.Data), "\n"), "\n")
		}
	}
	t.Fatalf("%s has no snapshot", name)
	return nil
}

// TestLostTreeNeverFinishes drops the whole tree, and the whole text, of every window that is not
// finished: with less evidence it must not become so.
func TestLostTreeNeverFinishes(t *testing.T) {
	for _, one := range harmCases(t) {
		t.Run(one.name, func(t *testing.T) {
			textOnly, treeOnly := one.in, one.in
			textOnly.Snapshot = nil
			treeOnly.Lines, treeOnly.HasText = nil, false
			for what, in := range map[string]Input{"tree": textOnly, "text": treeOnly} {
				glyph, _, _ := titleGlyph(in.WindowTitle)
				if out := Extract(in); out.Status == StatusFinished && glyph == 0 {
					t.Errorf("without its %s the window counts as finished", what)
				}
			}
		})
	}
}
