package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// codexFields are the names and hints of the field for the next message (spec/apps.md section 4).
var codexFields = set("Do anything", "Work with ChatGPT", "Ask ChatGPT", "Message ChatGPT", "Ask anything")

// composerSpan is a field for the next message and the smallest group with controls around it.
type composerSpan struct {
	field, root int // root is -1 where the field has no group of its own
}

// maxComposers is how many fields for a message are looked at, the newest ones; the application shows one.
const maxComposers = 8

// findComposers finds the fields for a message. A field counts by its name or by the hint in it.
func (w *codexWindow) findComposers() {
	for k := len(w.own) - 1; k >= 0 && len(w.composer) < maxComposers; k-- {
		if i := w.own[k]; w.isComposerField(i) {
			w.composer = append(w.composer, composerSpan{i, w.composerRoot(i)})
		}
	}
	slices.Reverse(w.composer)
}

func isField(role ui.Role) bool { return role == ui.RoleTextField || role == ui.RoleTextArea }

func (w *codexWindow) isComposerField(i int) bool {
	el := w.t.els[i]
	if !isField(el.Role) || w.t.doc[i] == i {
		return false
	}
	return codexFields[w.t.name(i)] || codexFields[strings.TrimSpace(stripFormat(el.Value))]
}

// composerRoot climbs from the field to the smallest group that holds controls too, and on over groups
// that add nothing but controls. A group with turns, side-bar rows, another field or, beyond the first
// controls, texts is more than the composer.
func (w *codexWindow) composerRoot(field int) int {
	best := -1
	g := w.t.els[field].Parent
	for level := 0; level < 8 && g >= 0 && w.t.doc[g] != g; level, g = level+1, w.t.els[g].Parent {
		controls := false
		for i := g + 1; i < w.t.end(g); i++ {
			if best >= 0 && i == best {
				i = w.t.end(best) - 1
				continue
			}
			if _, own := w.place[i]; !own {
				continue
			}
			foreign := w.headings[i] || w.titles[i] || isField(w.t.els[i].Role) && i != field && !w.isComposerField(i)
			if foreign || best >= 0 && w.t.isText(i) && !w.button[i] {
				return best
			}
			controls = controls || w.t.isButton(i) && w.t.name(i) != ""
		}
		if controls || best >= 0 {
			best = g
		}
	}
	return best
}

func (w *codexWindow) inComposer(i int) bool {
	return slices.ContainsFunc(w.composer, func(c composerSpan) bool {
		return i == c.field || c.root >= 0 && w.t.inside(i, c.root)
	})
}

// stopShown says whether a button named exactly Stop stands in a composer. Where the field has no
// group of its own, what follows it up to another field is the composer.
func (w *codexWindow) stopShown() bool {
	for _, c := range w.composer {
		if c.root >= 0 {
			for i := c.root + 1; i < w.t.end(c.root); i++ {
				if _, own := w.place[i]; own && w.isStop(i) {
					return true
				}
			}
			continue
		}
		for k := w.place[c.field] + 1; k < min(len(w.own), w.place[c.field]+footerReach); k++ {
			i := w.own[k]
			if isField(w.t.els[i].Role) || w.headings[i] || w.t.els[i].Parent != w.t.els[c.field].Parent {
				break
			}
			if w.isStop(i) {
				return true
			}
		}
	}
	return false
}

// straysStop says whether a Stop stands behind the last heading while the field for messages is not to be
// seen: it may be the composer's, so the answer above it may still be written.
func (w *codexWindow) straysStop() bool {
	if len(w.composer) > 0 || len(w.said) == 0 {
		return false
	}
	from := w.place[w.said[len(w.said)-1].at]
	return slices.ContainsFunc(w.own[from:], w.isStop)
}

func (w *codexWindow) isStop(i int) bool {
	return w.t.els[i].Role == ui.RoleButton && strings.TrimSpace(w.t.els[i].Name) == "Stop" && !w.titles[i]
}

// approvalPair is an approve and a deny button that belong together, by their places in own.
type approvalPair struct{ approve, deny int }

var (
	approveNames = set("Allow once", "Always allow", "Allow", "Allow for this chat", "Allow for this session",
		"Allow for session", "Approve", "Approve once", "Approve for this session", "Approve for session", "Always approve")
	denyNames = set("Deny", "Decline", "Reject", "Don't allow", "Don’t allow", "Disallow")
)

// approvalReach is how many elements apart the two buttons of one prompt can stand.
const approvalReach = 10

// isApproval says whether an element is a control of an approval, not a row that is called like one.
func (w *codexWindow) isApproval(i int, names map[string]bool) bool {
	if !w.isControl(i, names) {
		return false
	}
	row := w.listItem[i]
	return row < 0 || w.t.name(row) != w.t.name(i)
}

// findPair finds the newest approval pair.
func (w *codexWindow) findPair() {
	approve, deny := -1, -1
	for k, i := range w.own {
		switch {
		case w.isApproval(i, approveNames):
			approve = k
		case w.isApproval(i, denyNames):
			deny = k
		default:
			continue
		}
		if approve >= 0 && deny >= 0 && max(approve, deny)-min(approve, deny) <= approvalReach {
			w.pair = &approvalPair{approve, deny}
		}
	}
}

// prompt is the question of the approval: the last texts before the buttons in the smallest group that
// holds both, else those right before it, never beyond the heading of a turn.
func (w *codexWindow) prompt() string {
	approve, deny := w.own[w.pair.approve], w.own[w.pair.deny]
	group := w.t.els[min(approve, deny)].Parent
	for group >= 0 && !w.t.inside(max(approve, deny), group) {
		group = w.t.els[group].Parent
	}
	first := w.firstButton(max(group, 0))
	texts := w.textsBefore(first, max(group, 0))
	if len(texts) == 0 {
		texts = w.textsBefore(first, 0)
	}
	return strings.Join(texts, " ")
}

// firstButton is the place of the first of the pair's buttons, or of a further one of the same prompt
// right before them.
func (w *codexWindow) firstButton(group int) int {
	first := min(w.pair.approve, w.pair.deny)
	for k := first - 1; k >= 0 && w.t.inside(w.own[k], group); k-- {
		i := w.own[k]
		if w.isApproval(i, approveNames) || w.isApproval(i, denyNames) {
			first = k
		} else if w.t.isText(i) && !w.button[i] {
			break
		}
	}
	return first
}

// textsBefore returns the last three texts before a place in own, inside of root, in reading order.
func (w *codexWindow) textsBefore(at, root int) []string {
	var texts []string
	for k := at - 1; k >= 0 && w.own[k] >= root && len(texts) < 3; k-- {
		i := w.own[k]
		if w.headings[i] {
			break
		}
		name := w.t.name(i)
		if w.t.isText(i) && name != "" && !w.button[i] && !w.repeated(i) {
			texts = append(texts, name)
		}
	}
	slices.Reverse(texts)
	return texts
}

// repeated says whether a text only repeats the text that it stands in.
func (w *codexWindow) repeated(i int) bool {
	parent := w.t.els[i].Parent
	return parent >= 0 && w.t.isText(parent) && w.t.name(parent) == w.t.name(i)
}

// codexTurn is the last turn of the open chat.
type codexTurn struct {
	lines []string // for the model: texts, and rows of activity between them
	texts []string // the assistant's texts alone; empty where the user's message is newer
}

// quietButtons are controls whose names say nothing about the work.
var quietButtons = set("Copy", "Copied", "Good response", "Bad response", "Rate response", "Fork chat from here",
	"More actions", "Share", "Read aloud", "Copy message", "Edit message", "View changes", "View changed files",
	"Undo", "Review", "Retry", "Show more", "Show less", "Close")

// lastTurn collects what the newest turn says: from its heading to its footer or the composer. Without
// headings it is every text outside of the side bar.
func (w *codexWindow) lastTurn() codexTurn {
	if len(w.own) == 0 {
		return turnOfText(w.in.Lines)
	}
	from, user := 0, false
	if len(w.said) > 0 {
		last := w.said[len(w.said)-1]
		from, user = w.place[last.at], last.user
	}
	to := len(w.own)
	if at := w.footer(); at >= 0 && w.pair == nil {
		to = at
	}
	var turn codexTurn
	for _, i := range w.own[from:to] {
		name := w.t.els[i].Name
		switch {
		case w.t.name(i) == "" || w.inComposer(i) || w.titles[i] || w.repeated(i):
		case w.afterComposer(i) || w.headings[i] && !user:
		case w.t.isText(i) && !w.button[i]:
			turn.lines = append(turn.lines, strings.Split(name, "\n")...)
			if !user && !w.headings[i] {
				turn.texts = append(turn.texts, strings.Split(name, "\n")...)
			}
		case w.pair != nil && (w.isApproval(i, approveNames) || w.isApproval(i, denyNames)):
			turn.lines = append(turn.lines, "["+w.t.name(i)+"]")
		case len(w.said) > 0 && w.t.isButton(i) && !quietButtons[w.t.name(i)] && strings.Contains(w.t.name(i), " "):
			turn.lines = append(turn.lines, name)
		}
	}
	if len(turn.lines) == 0 {
		turn.lines = messageLines(w.in)
	}
	return turn
}

// afterComposer says whether an element stands behind the last composer of the chat: the application
// repeats the hint there.
func (w *codexWindow) afterComposer(i int) bool {
	return len(w.said) > 0 && len(w.composer) > 0 && i > w.composer[len(w.composer)-1].field
}

// turnOfText finds the last turn where there is no tree. The hint of the empty composer ends it.
func turnOfText(lines []string) codexTurn {
	start, user := -1, false
	for n, line := range lines {
		switch strings.TrimSpace(line) {
		case "ChatGPT said:":
			start, user = n, false
		case "You said:":
			start, user = n, true
		}
	}
	if start < 0 {
		return codexTurn{lines: dropRepeats(slices.DeleteFunc(slices.Clone(lines), dropped))}
	}
	end := len(lines)
	for n := start + 1; n < len(lines); n++ {
		if codexFields[strings.TrimSpace(lines[n])] && strings.TrimSpace(lines[n-1]) == "" {
			end = n
			break
		}
	}
	kept := slices.DeleteFunc(slices.Clone(lines[start+1:end]), dropped)
	if user {
		return codexTurn{lines: append([]string{"You said:"}, kept...)}
	}
	return codexTurn{lines: kept, texts: kept}
}

// dropped says whether a line of `text` is worth nothing to a reader.
func dropped(line string) bool { return noiseLine(line) || addressLine(line) }
