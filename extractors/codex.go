package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

const (
	maxProjects = 8
	maxRecents  = 5
)

// extractCodex reads the ChatGPT desktop application, which carries Codex too. Its status comes from
// controls alone: words in messages, texts and titles of chats never count. Source:
// spec/profiles.md, "codex_desktop".
func extractCodex(in Input) Outcome {
	w := newCodexWindow(in)
	out := Outcome{Status: w.status(), Exposed: exposed(in, w.t)}
	turn := w.lastTurn()
	var found details
	found.text("project", w.project())
	found.text("session", w.session)
	found.text("mode", w.mode())
	found.list("projects", w.projects, maxProjects)
	found.list("recent_chats", w.recents(), maxRecents)
	found.flag("needs_attention", w.needsAttention())
	if w.pair != nil {
		found.flag("waiting_for_user", true)
		found.text("waiting_prompt", w.prompt())
	}
	found.lastList("failures", failuresOf(turn.texts, proseStrict, proseFailureLine))
	found.text("next_step", nextStep(turn.texts))
	out.Details = found
	out.LastMessage, out.Truncated = lastMessage(turn.lines, in.MaxChars)
	return out
}

// failuresOf returns the failure lines by the first rule that finds any: what the shared table takes
// for one comes first, the looser words of single tools count only where it finds nothing.
func failuresOf(lines []string, rules ...func(string) bool) []string {
	for _, rule := range rules {
		if found := failureLines(lines, rule); len(found) > 0 {
			return found
		}
	}
	return nil
}

// strictFailure is the rule of spec/apps.md section 6 as it stands, for output of tools.
func strictFailure(line string) bool { return hasCount(line) || hasKey(line) || hasMark(line) }

// proseStrict is the same rule for messages and pages.
func proseStrict(line string) bool {
	return hasKey(line) || hasMark(line) || hasCount(line) && countsOnly(line)
}

// codexWindow is the window of the application without what it previews: a document inside its own
// is content, not controls.
type codexWindow struct {
	in       Input
	t        *tree
	own      []int        // indexes of the application's own elements in reading order
	place    map[int]int  // per own element its position in own
	titles   map[int]bool // buttons that are titles of side-bar rows: no controls
	rows     []codexRow
	projects []string
	session  string
	said     []codexHeading
	headings map[int]bool // indexes of said
	button   []bool       // per element: it stands in a button
	listItem []int        // per element: the list item it stands in or is, else -1
	chatList []bool       // per element: it stands in the list of a project's chats
	composer []composerSpan
	pair     *approvalPair
}

// codexHeading is a heading of a turn.
type codexHeading struct {
	at   int
	user bool
}

func newCodexWindow(in Input) *codexWindow {
	w := &codexWindow{in: in, t: newTree(in.Snapshot)}
	w.place, w.titles, w.headings = map[int]int{}, map[int]bool{}, map[int]bool{}
	w.inherit()
	w.findOwn()
	w.findRows()
	w.findProjects()
	w.findHeadings()
	w.findComposers()
	w.findPair()
	return w
}

// findOwn collects the elements outside of nested documents. Where several documents stand beside
// each other, the application's is told by its address.
func (w *codexWindow) findOwn() {
	main, best := -1, 0
	for _, root := range w.t.documents() {
		if parent := w.t.els[root].Parent; parent >= 0 && w.t.doc[parent] >= 0 {
			continue
		}
		rank := 2
		if value := w.t.els[root].Value; strings.HasPrefix(value, "app:") {
			rank = 3
		} else if hasAnyPrefix(value, "http:", "https:", "file:") {
			rank = 1
		}
		if rank > best {
			main, best = root, rank
		}
	}
	for i := range w.t.els {
		if w.t.doc[i] < 0 || w.t.doc[i] == main {
			w.place[i] = len(w.own)
			w.own = append(w.own, i)
		}
	}
}

// inherit notes for every element what kinds of element it stands in.
func (w *codexWindow) inherit() {
	size := len(w.t.els)
	w.button, w.chatList, w.listItem = make([]bool, size), make([]bool, size), make([]int, size)
	for i, el := range w.t.els {
		w.listItem[i] = -1
		if p := el.Parent; p >= 0 && p < i {
			w.button[i] = w.button[p] || w.t.isButton(p)
			w.chatList[i] = w.chatList[p] || !w.t.isButton(p) && hasAnyPrefix(w.t.els[p].Name, "Chats in ", "Scheduled tasks in ")
			w.listItem[i] = w.listItem[p]
		}
		if el.Role == ui.RoleListItem {
			w.listItem[i] = i
		}
	}
}

// findHeadings finds the headings of turns. A quotation of one stands deeper than the real ones.
func (w *codexWindow) findHeadings() {
	top := -1
	for _, i := range w.own {
		name := w.t.name(i)
		if !w.t.isText(i) || name != "ChatGPT said:" && name != "You said:" || w.button[i] {
			continue
		}
		if depth := w.t.els[i].Depth; top < 0 || depth < top {
			top, w.said = depth, nil
		}
		if w.t.els[i].Depth == top {
			w.said = append(w.said, codexHeading{at: i, user: name == "You said:"})
		}
	}
	for _, heading := range w.said {
		w.headings[heading.at] = true
	}
}

// isControl says whether an element is a button with one of the names and no row of the side bar.
func (w *codexWindow) isControl(i int, names map[string]bool) bool {
	return w.t.isButton(i) && names[w.t.name(i)] && !w.titles[i]
}

// status of the open chat, first match: an approval pair, Stop in the composer, a footer with a
// rating behind the last answer.
func (w *codexWindow) status() string {
	switch {
	case w.pair != nil:
		return StatusWaiting
	case w.stopShown():
		return StatusWorking
	case w.footer() >= 0 && !w.straysStop():
		return StatusFinished
	}
	return StatusUnknown
}

var (
	copyNames   = set("Copy", "Copied")
	ratingNames = set("Good response", "Bad response", "Rate response")
	userFooter  = set("Copy message", "Edit message")
)

// footerReach is how many elements apart the copy button and the rating of one footer can stand.
const footerReach = 12

// footer returns the position in own of the footer of the last turn, or -1: copy and rating close
// together behind the last heading, which has to be the assistant's, and nothing of a newer turn of
// the user behind it. A heading there is one at any depth: a quotation stands before the footer.
func (w *codexWindow) footer() int {
	if len(w.said) == 0 || w.said[len(w.said)-1].user {
		return -1
	}
	copied, rated, at := -1, -1, -1
	for k := w.place[w.said[len(w.said)-1].at] + 1; k < len(w.own); k++ {
		i := w.own[k]
		switch {
		case w.isControl(i, userFooter), at >= 0 && w.t.isText(i) && !w.button[i] && w.t.name(i) == "You said:":
			return -1
		case w.inComposer(i):
			continue
		case w.isControl(i, copyNames):
			copied = k
		case w.isControl(i, ratingNames):
			rated = k
		default:
			continue
		}
		if at < 0 && copied >= 0 && rated >= 0 && max(copied, rated)-min(copied, rated) <= footerReach {
			at = min(copied, rated)
		}
	}
	return at
}

// mode of the application: the name of the switch, in the two languages that are known.
func (w *codexWindow) mode() string {
	for _, i := range w.own {
		if !w.t.isButton(i) || w.titles[i] {
			continue
		}
		name := w.t.name(i)
		for _, mark := range []string{"Switch mode, current mode:", "切换模式，当前模式："} {
			if mode, found := strings.CutPrefix(name, mark); found {
				return mode
			}
		}
	}
	return ""
}

func (w *codexWindow) needsAttention() bool {
	return slices.ContainsFunc(w.own, func(i int) bool {
		return w.t.isButton(i) && !w.titles[i] && w.t.name(i) == "View activity, needs attention"
	})
}
