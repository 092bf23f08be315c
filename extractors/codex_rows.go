package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// codexRow is a chat in the side bar.
type codexRow struct {
	title   string
	section string // label above it: "Recents", "Projects", "Pinned"; empty where none is shown
	project bool   // it stands in the list of a project
}

const chatActions = "Chat actions"

// chatControls stand behind the title of a chat; those of rowControls only behind one in the side bar.
var (
	chatControls = set(chatActions, "Pin chat", "Unpin chat", "Archive chat", "Unarchive chat",
		"Pin chat Archive chat", "Unpin chat Archive chat", "Rename chat", "Delete chat")
	rowControls = set("Pin chat", "Unpin chat", "Archive chat", "Unarchive chat",
		"Pin chat Archive chat", "Unpin chat Archive chat")
)

// rowReach is how many elements apart the parts of a row can stand.
const rowReach = 8

// findRows finds the side-bar rows and the header of the thread: a title followed by the controls of
// a chat. A row's title is no control, whatever it is called.
func (w *codexWindow) findRows() {
	var buttons []int
	for _, i := range w.own {
		if w.t.isButton(i) {
			buttons = append(buttons, i)
		}
	}
	sections := w.sections()
	for k := 0; k < len(buttons); k++ {
		title := buttons[k]
		row, open, end := w.controlsAfter(buttons, k)
		switch {
		case row && w.t.name(title) != "":
			w.titles[title] = true
			w.rows = append(w.rows, codexRow{w.t.name(title), sections[w.place[title]], w.chatList[title]})
		case open >= 0 && w.session == "":
			w.session = w.headerTitle(open)
		}
		k = max(k, end-1)
	}
}

// controlsAfter reads the controls that follow the button at k: whether they make it a side-bar row,
// the "Chat actions" that could open a header, and the index after them.
func (w *codexWindow) controlsAfter(buttons []int, k int) (row bool, open, end int) {
	open, end = -1, k+1
	last := w.place[buttons[k]]
	first := w.t.name(buttons[k])
	if first == chatActions && !w.holdsControls(buttons[k]) {
		open = buttons[k]
	} else if chatControls[first] && !w.holdsControls(buttons[k]) {
		return false, -1, end
	}
	for ; end < len(buttons); end++ {
		i := buttons[end]
		if !chatControls[w.t.name(i)] || w.holdsControls(i) || w.place[i]-last > rowReach {
			break
		}
		last = w.place[i]
		row = row || rowControls[w.t.name(i)]
		if w.t.name(i) == chatActions && open < 0 {
			open = i
		}
	}
	if row || open >= 0 && (w.t.inside(open, buttons[k]) && open != buttons[k] || w.listItem[open] >= 0) {
		open = -1
	}
	return row && !chatControls[first] || row && w.holdsControls(buttons[k]), open, end
}

// holdsControls says whether a button has controls of a chat below it, as the titles of rows do.
func (w *codexWindow) holdsControls(i int) bool {
	for k := i + 1; k < min(w.t.end(i), i+rowReach); k++ {
		if w.t.isButton(k) && chatControls[w.t.name(k)] {
			return true
		}
	}
	return false
}

// headerTitle is the named element next before the "Chat actions" of the thread's header, beside it or
// one level higher.
func (w *codexWindow) headerTitle(open int) string {
	for level, node := 0, open; level < 3 && node >= 0; level++ {
		parent := w.t.els[node].Parent
		if parent < 0 {
			return ""
		}
		for k := node - 1; k > max(parent, node-40); k-- {
			if name := w.t.name(k); name != "" && (w.t.isButton(k) || w.t.isText(k)) && !w.button[k] {
				return name
			}
		}
		node = parent
	}
	return ""
}

// sections gives every own element the label of the part of the side bar that it stands in.
func (w *codexWindow) sections() []string {
	labels := set("Recents", "Projects", "Pinned", "Chats", "Tasks")
	all := make([]string, len(w.own))
	now := ""
	for k, i := range w.own {
		if labels[w.t.name(i)] && !(w.t.isButton(i) && w.holdsControls(i)) && w.listItem[i] < 0 && !w.button[i] {
			now = w.t.name(i)
		}
		all[k] = now
	}
	return all
}

// recents are the chats under "Recents"; where that label is not exposed, those under no label and in
// no project.
func (w *codexWindow) recents() []string {
	labelled := slices.ContainsFunc(w.rows, func(row codexRow) bool { return row.section == "Recents" })
	var titles []string
	for _, row := range w.rows {
		if !row.project && (row.section == "Recents" || !labelled && row.section == "") {
			titles = append(titles, row.title)
		}
	}
	return titles
}

const startChat = "Start new chat in "

// findProjects finds the projects of the side bar: a title followed by the control that starts a chat
// in it, or the list of its chats. The title is no control either.
func (w *codexWindow) findProjects() {
	for k, i := range w.own {
		name := w.t.name(i)
		project, found := strings.CutPrefix(name, startChat)
		if !found || !w.t.isButton(i) || w.titles[i] {
			if project, found = strings.CutPrefix(name, "Chats in "); !found || w.t.els[i].Role != ui.RoleList {
				continue
			}
		}
		w.projects = append(w.projects, project)
		for n := k - 1; n >= 0 && n >= k-rowReach; n-- {
			if w.t.isButton(w.own[n]) && w.t.name(w.own[n]) == project {
				w.titles[w.own[n]] = true
				break
			}
		}
	}
}

// project of the open chat: the composer's control names it; on the home screen the heading does,
// which is split around the control.
func (w *codexWindow) project() string {
	for _, i := range w.own {
		if project, found := strings.CutPrefix(w.t.name(i), "Change project:"); found && w.t.isButton(i) && !w.titles[i] {
			return project
		}
	}
	const home = "What should we work on in"
	for k, i := range w.own {
		rest, found := strings.CutPrefix(w.t.name(i), home)
		if !found || !w.t.isText(i) || w.button[i] {
			continue
		}
		if rest = strings.TrimSpace(strings.TrimSuffix(rest, "?")); rest != "" {
			return rest
		}
		for _, next := range w.own[k+1 : min(k+4, len(w.own))] {
			if w.t.isButton(next) && w.t.name(next) != "" {
				return w.t.name(next)
			}
		}
	}
	for _, line := range w.in.Lines {
		if rest, found := strings.CutPrefix(strings.TrimSpace(line), home); found && len(w.own) == 0 {
			return strings.TrimSpace(strings.TrimSuffix(rest, "?"))
		}
	}
	return ""
}
