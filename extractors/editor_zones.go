package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// editorZone is the part of the workbench that an element stands in.
type editorZone int

const (
	zoneNone        editorZone = iota // outside of every part: dialogs, toasts
	zoneFrame                         // title bar, side bar, status bar, tool bars, tabs
	zoneEditor                        // what is edited
	zoneEditorFrame                   // tabs and tool bars of the editor part
	zonePanel                         // output, debug console
	zoneTerminal                      // rows of a terminal
	zoneProblems                      // list of problems
	zoneChat                          // second side bar, where assistants answer
)

// partZones are the zones of the workbench's parts by the end of their ids.
var partZones = []struct {
	id   string
	zone editorZone
}{
	{"workbench.parts.titlebar", zoneFrame}, {"workbench.parts.banner", zoneFrame},
	{"workbench.parts.activitybar", zoneFrame}, {"workbench.parts.sidebar", zoneFrame},
	{"workbench.parts.statusbar", zoneFrame}, {"workbench.parts.auxiliarybar", zoneChat},
	{"workbench.parts.editor", zoneEditor}, {"workbench.panel.markers", zoneProblems},
	{"workbench.panel.terminal", zoneTerminal}, {"workbench.parts.panel", zonePanel},
}

// findZones gives every element the zone of the nearest part above it.
func (w *editorWindow) findZones() {
	w.zone = make([]editorZone, len(w.t.els))
	terminals := w.terminalGroups()
	for i, el := range w.t.els {
		above := zoneNone
		if el.Parent >= 0 && el.Parent < i {
			above = w.zone[el.Parent]
		}
		w.zone[i] = zoneBelow(el, above)
		if slices.Contains(terminals, i) && w.zone[i] != zoneFrame {
			w.zone[i] = zoneTerminal
		}
	}
}

// zoneBelow is the zone of an element below one of another zone.
func zoneBelow(el ui.Element, above editorZone) editorZone {
	id := plainID(el.ID)
	for _, part := range partZones {
		if strings.HasSuffix(id, part.id) {
			return part.zone
		}
	}
	switch {
	case id == "terminal":
		return zoneTerminal
	case above == zoneFrame, above == zoneEditorFrame:
		return above
	case frameRole(el.Role), el.Role == "statusbar", el.Role == ui.RoleList && el.Name == "Breadcrumbs":
		if above == zoneEditor {
			return zoneEditorFrame
		}
		return zoneFrame
	case el.Role == "tree" && el.Name == "Problems":
		return zoneProblems
	case el.Role == "tree" && above == zoneNone:
		return zoneFrame
	case el.Role == ui.RoleList && above == zoneTerminal && el.Name != "" && !strings.HasPrefix(el.Name, "Terminal 1"):
		return zoneFrame // the list of terminals
	}
	return above
}

// plainID is an id without the prefix that the engine adds on macOS: "__cdp:12:terminal".
func plainID(id string) string {
	if rest, found := strings.CutPrefix(id, "__cdp:"); found {
		_, id, _ = strings.Cut(rest, ":")
	}
	return id
}

// isPart says whether an id is that of a part of the workbench.
func isPart(id string) bool { return strings.HasPrefix(plainID(id), "workbench.parts.") }

// terminalField knows the input of a terminal by its name, which spans several lines.
var terminalField = lazy(`^Terminal \p{Nd}+\b|Toggle Screen Reader Accessibility Mode`)

// terminalGroups returns the groups around the inputs of terminals: in the editor area, and where the
// tree has no ids, they are all that tells a terminal.
func (w *editorWindow) terminalGroups() []int {
	var groups []int
	for _, el := range w.t.els {
		if isTerminalField(el) && el.Parent >= 0 && len(groups) < 16 && w.onlyTerminals(el.Parent) {
			groups = append(groups, el.Parent)
		}
	}
	return groups
}

func isTerminalField(el ui.Element) bool {
	return isField(el.Role) && len(el.Name) < 4096 && terminalField.MatchString(el.Name)
}

// onlyTerminals says whether a group holds no other field and no tree: with them it is more than a
// terminal, and what is edited there is no output.
func (w *editorWindow) onlyTerminals(group int) bool {
	for _, el := range w.t.els[group+1 : w.t.end(group)] {
		if el.Role == "tree" || isField(el.Role) && el.Name != "" && !isTerminalField(el) || isPart(el.ID) {
			return false
		}
	}
	return true
}

// evidence are the lines of the newest run: of the terminals and of the panel's other views. Without a
// tree nothing but a full prompt tells output from the text that is edited.
func (w *editorWindow) evidence() []string {
	if len(w.t.els) == 0 {
		return newestRun(afterFullPrompt(w.in.Lines))
	}
	return newestRun(w.outputLines())
}

// outputLines are the texts of terminals and panel in reading order.
func (w *editorWindow) outputLines() []string {
	var lines []string
	for i := range w.t.els {
		if zone := w.zone[i]; zone == zoneTerminal || zone == zonePanel {
			lines = append(lines, w.textOf(i)...)
		}
	}
	return lines
}

// textOf are the lines of one element: the name of a text, or the content of a text field.
func (w *editorWindow) textOf(i int) []string {
	el := w.t.els[i]
	switch {
	case w.t.isText(i) && el.Name != "" && !w.insideText(i):
		return strings.Split(el.Name, "\n")
	case el.Role == ui.RoleListItem && el.Name != "" && w.t.end(i) == i+1:
		return strings.Split(el.Name, "\n")
	case isField(el.Role) && el.Value != "" && w.t.doc[i] != i:
		return w.fieldLines(i)
	}
	return nil
}

func (w *editorWindow) insideText(i int) bool {
	parent := w.t.els[i].Parent
	return parent >= 0 && w.t.isText(parent) && w.t.els[parent].Name == w.t.els[i].Name
}

// fieldLines are the lines of a field's value. Where the engine cut it, `text` holds the whole: from the
// line with which it begins to the first text that follows the field in the tree.
func (w *editorWindow) fieldLines(i int) []string {
	value := w.t.els[i].Value
	if !w.t.els[i].ValueCut && !strings.HasSuffix(value, "…") {
		return strings.Split(value, "\n")
	}
	return w.whole[i]
}

// maxCutFields is how many fields with a cut value are completed; a window has a few terminals and editors.
const maxCutFields = 64

// readCutFields completes the values that the engine cut: each from the line of `text` that begins it to
// the line that begins another one, or to the first text behind the field. Both are in reading order, and
// a line belongs to one field alone.
func (w *editorWindow) readCutFields() {
	w.whole = map[int][]string{}
	begun := map[int]bool{}
	from := map[int]int{}
	for i, el := range w.t.els {
		start, cut := strings.CutSuffix(el.Value, "…")
		if !isField(el.Role) || w.t.doc[i] == i || !cut && !el.ValueCut || len(from) == maxCutFields {
			continue
		}
		from[i] = w.lineOf(start, begun)
		begun[from[i]] = true
	}
	for i, n := range from {
		next := w.nextText(i)
		end := min(n+1, len(w.in.Lines))
		for end < len(w.in.Lines) && !begun[end] && (next == "" || lineKey(w.in.Lines[end]) != next) {
			end++
		}
		w.whole[i] = w.in.Lines[min(n, end):end]
	}
}

// lineOf finds the line of `text` that begins with what is left of a cut value and belongs to no other
// field; the number of lines where there is none.
func (w *editorWindow) lineOf(start string, begun map[int]bool) int {
	first, _, several := strings.Cut(start, "\n")
	for n, line := range w.in.Lines {
		if strings.TrimSpace(first) != "" && !begun[n] && (line == first || !several && strings.HasPrefix(line, first)) {
			return n
		}
	}
	return len(w.in.Lines)
}

// nextText is the first line that `text` prints after an element.
func (w *editorWindow) nextText(i int) string {
	for k := w.t.end(i); k < len(w.t.els); k++ {
		if w.t.isText(k) && w.t.name(k) != "" {
			line, _, _ := strings.Cut(w.t.els[k].Name, "\n")
			return lineKey(line)
		}
	}
	return ""
}

// messageLines is what a model gets: what is edited or shown, the problems, the output, and the prompt
// last, so that the part that answers is the one that is kept. The frame is left out.
func (w *editorWindow) messageLines() []string {
	if len(w.t.els) == 0 {
		return messageLines(w.in)
	}
	output := w.outputLines()
	lines := w.contentLines(output)
	for i, el := range w.t.els {
		if w.zone[i] == zoneProblems && el.Role == "treeitem" && el.Name != "" {
			lines = append(lines, el.Name)
		}
	}
	lines = append(lines, output...)
	if w.dialog >= 0 {
		lines = append(lines, w.dialogLines()...)
	}
	return dropRepeats(lines)
}

// notAccessible is what an editor shows to readers of the screen in place of its text.
const notAccessible = "The editor is not accessible at this time"

// contentLines are the lines of `text` that are neither of the frame, nor of the output or the prompt.
// Without `text` they are the texts of the tree.
func (w *editorWindow) contentLines(output []string) []string {
	later, frame, shown := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, line := range output {
		addLines(later, line)
	}
	var texts []string
	for i, el := range w.t.els {
		inDialog := w.dialog >= 0 && w.t.inside(i, w.dialog)
		switch {
		case inDialog:
			addLines(later, el.Name)
		case w.zone[i] == zoneFrame, w.zone[i] == zoneEditorFrame, w.zone[i] == zoneProblems, i == 0, i == w.main:
			addLines(frame, el.Name)
			addLines(frame, el.Value)
		case w.zone[i] != zoneTerminal && w.zone[i] != zonePanel:
			texts = append(texts, w.textOf(i)...)
		}
	}
	for _, line := range texts {
		addLines(shown, line)
	}
	source := w.in.Lines
	if len(source) == 0 {
		source = texts
	}
	var kept []string
	for _, line := range source {
		key := lineKey(line)
		if key == "" || noiseLine(key) || addressLine(key) || strings.HasPrefix(key, "command:") || strings.HasPrefix(key, notAccessible) ||
			later[key] || frame[key] && !shown[key] || sameTitle(key, w.in.WindowTitle) {
			continue
		}
		kept = append(kept, line)
	}
	return kept
}
