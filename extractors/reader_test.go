package extractors

import (
	"regexp"
	"strings"

	"mcp-computer-use/internal/ui"
)

// parseTree reads the printed tree of agent-cu well enough for the recorded windows of these tests.
// The program's own parser lives in another package, which this one must not know.
func parseTree(text string) *ui.Snapshot {
	snapshot := &ui.Snapshot{}
	for _, line := range joinPhysical(text) {
		snapshot.Elements = append(snapshot.Elements, parseElement(line))
	}
	link(snapshot)
	return snapshot
}

var (
	elementLine = regexp.MustCompile(`(?s)^( *)(?:\[(@e\d+)\] )?([a-z]+|other\("[^"]*"\))(?: (.*))?$`)
	firstWord   = regexp.MustCompile(`^( *)(\[@e\d+\] )?([a-z]+|other\("[^"]*"\))( "| val="| id=|$)`)
)

// joinPhysical appends the lines that continue a name or value to the line above.
func joinPhysical(text string) []string {
	var lines []string
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		m := firstWord.FindStringSubmatch(line)
		starts := m != nil && (n == 0) == (m[1] == "") && len(m[1])%2 == 0 &&
			ui.Role(m[3]).Interactive() == (m[2] != "")
		if starts || n == 0 {
			lines = append(lines, line)
		} else {
			lines[len(lines)-1] += "\n" + line
		}
	}
	return lines
}

func parseElement(line string) ui.Element {
	m := elementLine.FindStringSubmatch(line)
	if m == nil {
		return ui.Element{Role: "unknown", Name: line}
	}
	el := ui.Element{Depth: len(m[1]) / 2, Ref: m[2], Role: ui.Role(m[3])}
	rest := m[4]
	if at := strings.LastIndex(rest, " id="); at >= 0 && strings.HasSuffix(" "+rest[:at], `"`) {
		rest, el.ID = rest[:at], rest[at+4:]
	} else if strings.HasPrefix(rest, "id=") {
		rest, el.ID = "", rest[3:]
	}
	if at := strings.Index(" "+rest, ` val="`); at >= 0 && strings.HasSuffix(rest, `"`) {
		el.Value = strings.TrimSuffix((" " + rest)[at+6:], `"`)
		rest = strings.TrimSpace((" " + rest)[:at])
	}
	el.ValueCut = len(el.Value) >= 35 && strings.HasSuffix(el.Value, "…")
	el.Name = strings.TrimSuffix(strings.TrimPrefix(rest, `"`), `"`)
	return el
}

// link fills in Parent and End from the depths.
func link(snapshot *ui.Snapshot) {
	var open []int
	els := snapshot.Elements
	for i := range els {
		for len(open) > 0 && els[open[len(open)-1]].Depth >= els[i].Depth {
			els[open[len(open)-1]].End = i
			open = open[:len(open)-1]
		}
		els[i].Parent = -1
		if len(open) > 0 {
			els[i].Parent = open[len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		els[i].End = len(els)
	}
}

// window cuts a tree with the application at its root to the window of a title, as the reader of a
// Linux or macOS window does.
func windowTree(snapshot *ui.Snapshot, title string) *ui.Snapshot {
	if snapshot == nil || len(snapshot.Elements) == 0 || snapshot.Elements[0].Role != ui.RoleApplication {
		return snapshot
	}
	for i, el := range snapshot.Elements {
		if el.Parent == 0 && el.Name == title {
			return snapshot.Sub(i)
		}
	}
	return snapshot
}
