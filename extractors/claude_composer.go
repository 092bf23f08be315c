package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// controls are the buttons of the composer row that tell the state of the turn.
type controls struct{ stop, queue, send bool }

func (c controls) any() bool { return c.stop || c.queue || c.send }

// Names of the composer's buttons, lower case. A Japanese one may carry an ending.
var stopNames = set("stop response", "stop generating", "stop claude", "stop task")

func fullStopName(name string) bool {
	return stopNames[name] || strings.HasPrefix(name, "応答を停止")
}

func queueName(name string) bool {
	return name == "queue message" || strings.HasPrefix(name, "メッセージをキューに追加")
}

func sendName(name string) bool {
	return name == "send message" || strings.HasPrefix(name, "メッセージを送信")
}

// maxComposer bounds the number of elements of a group that can still be the composer row.
const maxComposer = 80

// composerControls reads the row of buttons around the prompt field: the smallest group around it
// that has such a button. Without one the buttons that follow the field count, by full names only,
// and without a field those that follow the last turn.
func (d *desk) composerControls() controls {
	from := d.composer
	if from < 0 {
		from = 0
		if n := len(d.heads); n > 0 {
			from = d.heads[n-1].at
		}
		return d.controlsIn(from, len(d.els), false)
	}
	around := from
	for range 5 {
		parent := d.els[around].Parent
		if parent < 0 || parent == d.page || d.end(parent)-parent > maxComposer || d.holdsHead(parent) {
			break
		}
		around = parent
		if found := d.controlsIn(around, d.end(around), true); found.any() {
			return found
		}
	}
	to := len(d.els)
	if parent := d.els[around].Parent; parent >= 0 {
		to = d.end(parent)
	}
	return d.controlsIn(around, min(to, around+maxComposer), false)
}

func (d *desk) holdsHead(i int) bool {
	next, _ := slices.BinarySearchFunc(d.heads, i, func(head turnHead, i int) int { return head.at - i })
	return next < len(d.heads) && d.inside(d.heads[next].at, i)
}

// controlsIn reads the controls of a range. A bare "Stop" counts only where the range is the
// composer row for certain: panels and previews have buttons of that name too.
func (d *desk) controlsIn(from, to int, certain bool) controls {
	var found controls
	for i := from; i < to; i++ {
		if !d.own(i) || !d.isButton(i) || d.row[i] || d.message[i] >= 0 {
			continue
		}
		name := strings.ToLower(d.name(i))
		switch {
		case fullStopName(name), certain && name == "stop":
			found.stop = true
		case queueName(name):
			found.queue = true
		case sendName(name):
			found.send = true
		}
	}
	return found
}

// details reads the header, the chips beside the composer and the lists of changes.
func (d *desk) details(view *claudeView) {
	d.header(view)
	d.chips(view)
	listed := 0 // the end of the last list of changes
	for i, el := range d.els {
		if !d.own(i) || d.message[i] >= 0 || d.row[i] {
			continue
		}
		name := d.name(i)
		switch {
		case d.isButton(i):
			view.setButton(name, d.composer >= 0 && i > d.composer)
		case i >= listed && el.Role == ui.RoleList && d.listsChanges(i):
			view.files = append(view.files, d.changedFiles(i)...)
			listed = d.end(i)
		}
		if used := d.contextAt(i); used != "" && (!d.isText(i) || d.composer >= 0 && i > d.composer) {
			view.context = used
		} else if strings.HasPrefix(name, "Context usage") {
			if used := percentIn(name + " " + el.Value); used != "" {
				view.context = used
			}
		}
	}
}

// contextAt reads a notice of the context that begins in an element. Where it wraps, its rest stands on
// the next line of the name or in the text that follows.
func (d *desk) contextAt(i int) string {
	notice := strings.ReplaceAll(d.name(i), "\n", " ")
	if used := contextIn(notice); used != "" || !d.isText(i) || !strings.Contains(strings.ToLower(notice), "context") {
		return used
	}
	if next := d.end(i); next < len(d.els) && d.isText(next) && d.own(next) {
		return contextIn(notice + " " + d.name(next))
	}
	return ""
}

// setButton takes the model from the button that shows it; a bare name counts behind the prompt field
// only, since a chat may be called like a model.
func (v *claudeView) setButton(name string, behind bool) {
	label, model, found := strings.Cut(strings.ReplaceAll(name, "：", ":"), ":")
	model = strings.TrimSpace(model)
	switch {
	case label == "Model" && model != "", found && modelLike(model):
		v.model = model
	case behind && v.model == "" && modelLike(name) && len(name) < 30:
		v.model = name
	}
}

// header reads the last button that renames the chat, and the project beside it where the list of chats
// has a label of the same name.
func (d *desk) header(view *claudeView) {
	for i := len(d.els) - 1; i >= 0; i-- {
		if !d.own(i) || !d.isButton(i) || d.row[i] || d.message[i] >= 0 {
			continue
		}
		title, found := cutAnySuffix(d.name(i), ", rename session", ", rename chat")
		if !found {
			continue
		}
		view.session = title
		if next := d.end(i); next < len(d.els) && d.isButton(next) && d.labelled(d.name(next)) {
			view.project = d.name(next)
		}
		return
	}
}

func cutAnySuffix(text string, suffixes ...string) (string, bool) {
	for _, suffix := range suffixes {
		if before, found := strings.CutSuffix(text, suffix); found {
			return before, true
		}
	}
	return text, false
}

// labelled says whether a text of that name stands outside the messages.
func (d *desk) labelled(name string) bool {
	for i := range d.els {
		if name != "" && d.isText(i) && d.own(i) && d.message[i] < 0 && d.name(i) == name {
			return true
		}
	}
	return false
}

// chips reads the row of environment, folder and branch, which ends in the worktree box or begins
// with the environment Local.
func (d *desk) chips(view *claudeView) {
	for i, el := range d.els {
		if !d.own(i) || d.message[i] >= 0 || d.row[i] || el.Parent < 0 {
			continue
		}
		toggle := el.Role == ui.RoleCheckBox || el.Role == ui.RoleSwitch || d.isButton(i)
		name := strings.ToLower(d.name(i))
		if !(toggle && name == "worktree") && !(d.isButton(i) && name == "local") {
			continue
		}
		var names []string
		if el.Parent != d.page && d.end(el.Parent)-el.Parent <= maxComposer {
			names = d.chipNames(d.children(el.Parent))
		}
		if len(names) == 0 && name == "local" { // every chip in a group of its own
			names = d.chipNames(following(i, min(d.end(i)+10, len(d.els))))
		}
		if len(names) > 0 {
			view.setFolder(names[0])
			if len(names) > 1 {
				view.branch = names[1]
			}
			return
		}
	}
}

func following(from, to int) []int {
	var all []int
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// chipNames returns folder and branch of a row of chips, which ends at the worktree box.
func (d *desk) chipNames(row []int) []string {
	var names []string
	for _, i := range row {
		name := d.name(i)
		if strings.EqualFold(name, "worktree") {
			break
		}
		switch {
		case !d.isButton(i), !d.own(i):
		case name == "", hasAnyPrefix(name, "+", "−", "-", "Create PR", "View PR", "Select ", "Open "):
		default:
			names = append(names, name)
		}
	}
	if len(names) > 0 && (names[0] == "Local" || len(names) > 2) {
		names = names[1:]
	}
	return firstOf(names, 2)
}

// setFolder takes a folder as it is shown: a whole path gives both folder and project.
func (v *claudeView) setFolder(shown string) {
	if pathLike(shown) {
		v.project = pathLeaf(shown)
		if !strings.Contains(shown, "…") {
			v.folder = shown
		}
		return
	}
	v.project = shown
}

// listsChanges knows the list of changed files by its name or by the panel around it.
func (d *desk) listsChanges(i int) bool {
	parent := d.els[i].Parent
	return d.name(i) == "Changed files" || parent >= 0 && d.name(parent) == "Changes"
}

// changedFiles returns the names of a list of changes, whose entries read "name +N −N".
func (d *desk) changedFiles(list int) []string {
	var files []string
	for i := list + 1; i < d.end(list); i++ {
		if role := d.els[i].Role; role != ui.RoleListItem && role != "tablerow" && role != "treeitem" {
			continue
		}
		name := d.name(i)
		for k := i + 1; name == "" && k < d.end(i); k++ {
			name = d.name(k)
		}
		if name = withoutDiff(name); name != "" {
			files = append(files, name)
		}
	}
	return files
}

// withoutDiff cuts the counts of added and removed lines from the end of a name.
func withoutDiff(name string) string {
	for {
		at := strings.LastIndexByte(name, ' ')
		count := name[at+1:]
		number := strings.TrimLeft(count, "+−-–")
		if len(number) == len(count) || strings.Trim(number, "0123456789,") != "" {
			return name
		}
		if at < 0 {
			return ""
		}
		name = strings.TrimSpace(name[:at])
	}
}
