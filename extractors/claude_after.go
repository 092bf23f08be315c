package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// composerReach bounds how far from another control of the composer a bare Stop still belongs to it,
// in elements.
const composerReach = 20

// liveSigns are what the page shows of a running turn behind its last turn and outside the messages,
// beside the row of buttons around the prompt field.
type liveSigns struct {
	stop   bool // a Stop in the composer; one that Send stands beside proves nothing
	status bool // a status line
	doubt  bool // something there may be either, so an old status text proves nothing
}

// afterTurns reads the signs that stand behind the last turn: a Stop in a composer that has no group of
// its own or no field, and the status lines above the composer. Entries of lists, messages and nested
// documents are content.
func (d *desk) afterTurns() liveSigns {
	var signs liveSigns
	from, certain := d.turnsEnd()
	anchors := d.anchors(from)
	start := from
	if d.lastGroup >= 0 {
		start = d.closedAt()
	}
	for i := start; i < len(d.els); i++ {
		if !d.own(i) {
			continue
		}
		switch {
		case d.isButton(i) && !d.row[i] && liveControl(strings.ToLower(d.name(i))):
			if i < from { // behind the message's actions but inside of its group
				signs.doubt = true
				continue
			}
			beside := d.besideComposer(i, anchors, certain)
			signs.stop, signs.doubt = signs.stop || beside, signs.doubt || !beside
		case d.message[i] < 0 && d.statusLine(i):
			above := certain && i < d.composer
			signs.status, signs.doubt = signs.status || above, signs.doubt || !above
		}
	}
	return signs
}

// liveControl knows the buttons that show only while a turn runs; of "Stop" alone the place must tell
// whose it is.
func liveControl(name string) bool { return name == "stop" || fullStopName(name) || queueName(name) }

// statusLine says whether an element is a line that Claude Code itself writes while it works. A status
// is a text, or a group on Windows.
func (d *desk) statusLine(i int) bool {
	if !d.isText(i) && d.els[i].Role != ui.RoleGroup {
		return false
	}
	kind := signKind(d.name(i))
	return (kind == kindSpinner || kind == kindWaitAgent) && !strings.Contains(d.name(i), "\n")
}

// turnsEnd returns where the last turn ends. Where messages have neither groups nor a row of actions
// that is not certain: what follows the last heading may be the message's own content.
func (d *desk) turnsEnd() (end int, certain bool) {
	if d.lastGroup >= 0 {
		return d.end(d.lastGroup), true
	}
	if n := len(d.heads); n > 0 {
		end = d.heads[n-1].at + 1
	}
	for i := end; i < len(d.els) && len(d.heads) > 0; i++ {
		if d.els[i].Role == ui.RoleGroup && d.own(i) && d.name(i) == "Message actions" {
			end, certain = d.end(i), true
		}
	}
	return end, certain
}

// anchors are the parts of the composer behind a place: the field and buttons that stand only there.
func (d *desk) anchors(from int) []int {
	var all []int
	for i := from; i < len(d.els); i++ {
		if !d.own(i) || d.message[i] >= 0 || d.row[i] {
			continue
		}
		if i == d.composer || d.isButton(i) && hasAnyPrefix(strings.ToLower(d.name(i)), "model:", "model：", "add files", "press and hold to record") {
			all = append(all, i)
		}
	}
	return all
}

// besideComposer says whether a Stop shares its parent, or a small group without turns, with a part of
// the composer close by. Before all of them it may belong to a message that has no end.
func (d *desk) besideComposer(i int, anchors []int, certain bool) bool {
	if !certain && (len(anchors) == 0 || i < anchors[0]) {
		return false
	}
	near, _ := slices.BinarySearch(anchors, i-composerReach)
	for _, anchor := range anchors[near:] {
		if anchor-i > composerReach {
			break
		}
		if d.els[i].Parent == d.els[anchor].Parent {
			return true
		}
		if group := d.smallGroup(min(i, anchor), max(i, anchor)); group >= 0 && !d.holdsHead(group) {
			return true
		}
	}
	return false
}

// waitsFor returns a status line behind the last turn that names agents in the background.
func (d *desk) waitsFor() []string {
	var tasks []string
	from, certain := d.turnsEnd()
	for i := from; certain && i < d.composer; i++ {
		if d.own(i) && d.message[i] < 0 && d.statusLine(i) && signKind(d.name(i)) == kindWaitAgent {
			_, rest := cutGlyph(d.name(i))
			tasks = append(tasks, rest)
		}
	}
	return tasks
}

// mayBeSign is a cheap look before a line is compared with the forms of live signs.
func mayBeSign(line string) bool {
	return strings.Contains(line, "…") || strings.Contains(line, "aiting for ") || strings.Contains(line, "ctrl+b ") ||
		strings.Contains(line, "esc to interrupt") || strings.Contains(line, "No response from API")
}

// lineSigns reads the signs of lines behind a turn in text without a tree, where the time under a
// message is all that ends it.
func lineSigns(turn []string) liveSigns {
	from, certain := 0, false
	for i, line := range turn {
		if clockLine(line) {
			from, certain = i+1, true
		}
	}
	for _, line := range turn[from:] {
		if len(line) >= longLine || !mayBeSign(line) {
			continue
		}
		if kind := signKind(strings.TrimSpace(stripFormat(line))); kind == kindSpinner || kind == kindWaitAgent {
			return liveSigns{status: certain, doubt: !certain}
		}
	}
	return liveSigns{}
}
