package extractors

import (
	"strings"

	"mcp-computer-use/internal/ui"
)

// desk is the tree of the desktop application: the document that holds the chat, its turns and its
// composer. Elements of a document inside it (a preview, an artifact) are content and never looked at.
type desk struct {
	*tree
	page     int    // root of the chat's document, -1 when the tree has none
	message  []int  // per element the group "Message N of M" around it, else -1
	row      []bool // per element: an entry of the list of chats
	heads    []turnHead
	composer int // the prompt field, -1 when there is none

	lastGroup int // the last group in message, -1 when there is none
}

// turnHead is a heading that says whose turn follows.
type turnHead struct {
	at     int
	claude bool // Claude's turn; else the user's
}

const (
	youHead    = "You said:"
	claudeHead = "Claude responded:"
	doneText   = "Claude finished the response"
)

var messageGroup = lazy(`^Message \d+ of \d+$`)

// readDesktop reads the chat, Cowork and Code surfaces of Claude desktop.
func readDesktop(in Input, t *tree) claudeView {
	if len(t.els) == 0 {
		return readDesktopText(screenLines(in))
	}
	d := newDesk(t)
	var view claudeView
	control, signs := d.composerControls(), d.afterTurns()
	view.working = control.stop || control.queue || signs.status || signs.stop && !control.send
	done := d.doneShown() && !signs.doubt
	view.finished = d.claudeLast() && (control.send || done && d.lastTurnComplete()) ||
		d.lastGroup < 0 && len(d.heads) == 0 && done
	view.asked, view.prompt = d.approval()
	if !view.asked {
		view.asked, view.prompt = d.questionCard()
	}
	d.details(&view)
	d.turnDetails(&view)
	return view
}

func newDesk(t *tree) *desk {
	d := &desk{tree: t, page: -1, composer: -1, lastGroup: -1}
	d.message = make([]int, len(t.els))
	d.row = make([]bool, len(t.els))
	for i, el := range t.els {
		d.message[i] = -1
		if el.Parent >= 0 && el.Parent < i {
			d.message[i] = d.message[el.Parent]
		}
		if el.Role == ui.RoleGroup && messageGroup.MatchString(d.name(i)) {
			d.message[i] = i
		}
		if t.isButton(i) {
			d.row[i] = d.isRow(i)
		}
	}
	d.page = d.chatPage()
	for i, group := range d.message {
		if group == i && d.own(i) {
			d.lastGroup = i
		}
	}
	d.heads = d.turnHeads()
	d.composer = d.findComposer()
	return d
}

// own says whether an element belongs to the chat's document itself.
func (d *desk) own(i int) bool { return d.doc[i] == d.page }

// isRow knows an entry of the list of chats: "More options for <its title>" follows it, with or
// without a state before the title. Whatever its title says, it is no control.
func (d *desk) isRow(i int) bool {
	name := d.name(i)
	for k := i + 1; k < min(d.end(i)+3, len(d.els)) && k < i+12; k++ {
		title, found := strings.CutPrefix(d.name(k), "More options for ")
		if found && d.isButton(k) {
			return name == title || strings.HasSuffix(name, " "+title)
		}
	}
	return strings.HasPrefix(name, "More options for ")
}

// chatPage picks the outermost document that holds a turn heading or a composer with a known name,
// else the first with a field, else the first. The application nests its page in a shell, and a
// page may nest previews. Where the tree has no documents, all of it is the page: -1.
func (d *desk) chatPage() int {
	rank := map[int]int{}
	for i := range d.els {
		page := d.doc[i]
		if rank[page] == 3 {
			continue
		}
		switch {
		case d.isComposer(i), d.isText(i) && hasAnyPrefix(d.name(i), youHead, claudeHead):
			rank[page] = 3
		case page < 0:
		case editableField(d.els[i]) && page != i:
			rank[page] = 2
		default:
			rank[page] = max(rank[page], 1)
		}
	}
	best := -1
	for page, is := range rank {
		if is > rank[best] || is == rank[best] && page < best {
			best = page
		}
	}
	return best
}

func editableField(el ui.Element) bool {
	return el.Role == ui.RoleTextField || el.Role == ui.RoleTextArea && el.ID != "RootWebArea" || el.Role == "textbox"
}

// composerNames are names and hints of the prompt field, lower case. A field called only "Prompt"
// is one too.
var composerNames = []string{"write your prompt to claude", "describe a task or ask a question", "type / for commands",
	"reply to claude", "message claude", "クロードにプロンプトを入力してください"}

func (d *desk) isComposer(i int) bool {
	el := d.els[i]
	if !editableField(el) || d.doc[i] == i {
		return false
	}
	name, value := strings.ToLower(d.name(i)), strings.ToLower(strings.TrimSpace(el.Value))
	return name == "prompt" || value == "reply..." || hasAnyPrefix(name, composerNames...) || hasAnyPrefix(value, composerNames...)
}

// findComposer returns the last prompt field of the page: one that is known, else the last field
// behind every message.
func (d *desk) findComposer() int {
	known, last := -1, -1
	for i := range d.els {
		if !d.own(i) || d.message[i] >= 0 || !editableField(d.els[i]) || d.doc[i] == i {
			continue
		}
		if d.isComposer(i) {
			known = i
		}
		last = i
	}
	if known >= 0 {
		return known
	}
	if n := len(d.heads); n > 0 && last < d.heads[n-1].at {
		return -1
	}
	return last
}

// turnHeads collects the headings of the turns. Where messages have their groups only the first
// text of a group can be one; where they have not, a message that quotes Claude's heading is told
// from one by the text that must repeat it.
func (d *desk) turnHeads() []turnHead {
	var heads []turnHead
	grouped, seen := d.lastGroup >= 0, -1
	for i := range d.els {
		if !d.own(i) || !d.isText(i) || grouped && (d.message[i] < 0 || d.message[i] == seen) {
			continue
		}
		seen = d.message[i]
		name := d.name(i)
		you, claude := strings.HasPrefix(name, youHead), strings.HasPrefix(name, claudeHead)
		if claude && !grouped && !d.confirmed(i) {
			claude = false
		}
		if you || claude {
			heads = append(heads, turnHead{i, claude})
		}
	}
	return heads
}

// confirmed looks for the text after a heading that begins as the heading goes on.
func (d *desk) confirmed(i int) bool {
	head := d.name(i)
	for k := i + 1; k < len(d.els) && k < i+8; k++ {
		if d.isText(k) && d.own(k) && d.name(k) != "" && d.name(k) != head {
			return repeatsHead(head, d.name(k))
		}
	}
	return false
}

// repeatsHead compares the first letters after the colon of a turn heading with a text.
func repeatsHead(head, text string) bool {
	_, rest, _ := strings.Cut(head, ":")
	rest = strings.TrimSpace(cutRunes(strings.TrimSpace(rest), 12))
	rest = strings.TrimRight(rest, ".!?:… ")
	return rest != "" && strings.HasPrefix(strings.TrimSpace(text), rest)
}

// claudeLast says whether the last turn is Claude's for certain: its heading is the last one, and no
// message without a heading or without a group follows.
func (d *desk) claudeLast() bool {
	n := len(d.heads)
	if n == 0 || !d.heads[n-1].claude {
		return false
	}
	if d.lastGroup < 0 {
		return true
	}
	return d.message[d.heads[n-1].at] == d.lastGroup && !d.justSent()
}

// closedAt is the place behind the last message that has a group: the row of actions ends it, whatever
// the tree puts below the group behind that.
func (d *desk) closedAt() int {
	for i := d.lastGroup; i < d.end(d.lastGroup); i++ {
		if d.els[i].Role == ui.RoleGroup && d.name(i) == "Message actions" && d.own(i) {
			return d.end(i)
		}
	}
	return d.end(d.lastGroup)
}

// justSent says whether a heading of the user stands behind all messages that have a group: what was
// sent a moment ago may not have its own yet.
func (d *desk) justSent() bool {
	for i := d.closedAt(); i < len(d.els); i++ {
		if d.own(i) && d.isText(i) && strings.HasPrefix(d.name(i), youHead) {
			return true
		}
	}
	return false
}

// assistantTurn returns the range of Claude's turn that answers the last message of the user; ok is
// false while there is none.
func (d *desk) assistantTurn() (from, to int, ok bool) {
	for n := len(d.heads) - 1; n >= 0 && d.heads[n].claude; n-- {
		from, ok = d.heads[n].at, true
	}
	if !ok {
		return 0, 0, false
	}
	to = len(d.els)
	if last := d.message[d.heads[len(d.heads)-1].at]; last >= 0 {
		return from, d.end(last), true
	}
	if d.composer > from {
		to = d.composer
	}
	return from, to, true
}

// doneShown looks for the status text of a finished response, which stands outside the messages: a
// message that says the same is content.
func (d *desk) doneShown() bool {
	first := len(d.els)
	grouped := false
	if len(d.heads) > 0 {
		first = d.heads[0].at
		grouped = d.message[first] >= 0
	}
	for i, el := range d.els {
		status := d.isText(i) || el.Role == ui.RoleGroup
		if status && d.own(i) && d.name(i) == doneText && d.message[i] < 0 && (grouped || i < first) {
			return true
		}
	}
	return false
}

// lastTurnComplete is false while Claude's last message lacks the row of actions that its earlier
// ones have: then the status text is that of an earlier response.
func (d *desk) lastTurnComplete() bool {
	n := len(d.heads)
	if n == 0 {
		return true
	}
	for k, head := range d.heads[:n-1] {
		if d.hasActions(head.at, d.heads[k+1].at) {
			return d.hasActions(d.heads[n-1].at, len(d.els))
		}
	}
	return true
}

func (d *desk) hasActions(from, to int) bool {
	for i := from; i < to; i++ {
		if d.els[i].Role == ui.RoleGroup && d.name(i) == "Message actions" || d.isButton(i) && d.own(i) && d.name(i) == "Copy" {
			return true
		}
	}
	return false
}
