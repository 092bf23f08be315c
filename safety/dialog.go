package safety

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/textnorm"
	"mcp-computer-use/internal/ui"
)

// maxRootDialog is the most elements, itself included, that a whole window may have to be taken for a
// dialog (spec/contract.md section 8).
const maxRootDialog = 60

// answers are the replies that mean whatever the dialog asks.
var answers = [...]string{"ok", "okay", "yes", "yes to all", "continue", "proceed", "apply", "done",
	"כן", "כן להכול", "כן להכל", "המשך", "בסדר", "החל", "סיום"}

// refusals mark a group that is a dialog without saying so.
var refusals = [...]string{"cancel", "no", "close", "ביטול", "לא", "סגור"}

// dialog blocks a plain answer when the title or a text of its dialog holds a blocked word.
func (g *Gate) dialog(snap *ui.Snapshot, i int) (string, bool) {
	if !says(snap.Elements[i].Name, answers[:]) {
		return "", false
	}
	for _, box := range containers(snap, i) {
		if rule, blocked := g.asks(snap, box); blocked {
			return rule, true
		}
	}
	return "", false
}

// asks judges the title and the texts of a dialog.
func (g *Gate) asks(snap *ui.Snapshot, box int) (string, bool) {
	if rule, blocked := g.Label(snap.Elements[box].Name); blocked {
		return "dialog:" + rule, true
	}
	for k := box + 1; k < end(snap, box); k++ {
		if speaks(snap.Elements[k].Role) {
			k = max(k, end(snap, k)-1) // with all that stands inside it
		} else if rule, blocked := g.text(&snap.Elements[k]); blocked {
			return "dialog:" + rule, true
		}
	}
	return "", false
}

// text judges an element that shows text; macOS puts it into the value.
func (g *Gate) text(element *ui.Element) (string, bool) {
	switch element.Role {
	case ui.RoleStaticText, ui.RoleHeading, ui.RoleParagraph, "text", "label":
		if rule, blocked := g.Label(element.Name); blocked {
			return rule, true
		}
		return g.Label(element.Value)
	}
	return "", false
}

// containers returns what may be the dialog around an element: the nearest dialog, popover or window;
// else the smallest group below the root that also holds a button that says no, and, where that is a
// part of another role, the smallest such part too. A dialog or popover is one at any size; a whole
// window only while it is small.
func containers(snap *ui.Snapshot, i int) []int {
	for p := parent(snap, i); p >= 0; p = parent(snap, p) {
		switch snap.Elements[p].Role {
		case ui.RoleDialog, ui.RolePopover:
			return []int{p}
		case ui.RoleWindow:
			if !top(snap, p) || end(snap, p)-p <= maxRootDialog {
				return []int{p}
			}
		}
	}
	var found []int
	refused := false
	from, to := i, i // what has been searched already, and the element itself
	for p := parent(snap, i); p >= 0 && !top(snap, p); p = parent(snap, p) {
		refused = refused || refuses(snap, p+1, from) || refuses(snap, to+1, end(snap, p))
		if refused && (len(found) == 0 || snap.Elements[p].Role == ui.RoleGroup) {
			found = append(found, p)
			if snap.Elements[p].Role == ui.RoleGroup {
				return found
			}
		}
		from, to = p, max(to, end(snap, p)-1)
	}
	return found
}

// refuses says whether a button that says no stands in the range.
func refuses(snap *ui.Snapshot, from, to int) bool {
	for k := from; k < to; k++ {
		if buttonLike(snap.Elements[k].Role) && says(snap.Elements[k].Name, refusals[:]) {
			return true
		}
	}
	return false
}

// end is the index after the last descendant of an element.
func end(snap *ui.Snapshot, i int) int { return min(snap.Elements[i].End, len(snap.Elements)) }

// parent returns the index of the parent, -1 for none. A parent that does not stand before its child
// is no parent: the walk upwards ends whatever a snapshot holds.
func parent(snap *ui.Snapshot, i int) int {
	if p := snap.Elements[i].Parent; p >= 0 && p < i {
		return p
	}
	return -1
}

// top says whether an element is a whole window or application: the root, or right below the
// application that is the root on Linux and macOS.
func top(snap *ui.Snapshot, i int) bool {
	p := parent(snap, i)
	return p < 0 || snap.Elements[p].Role == ui.RoleApplication
}

// speaks says whether a control of this role speaks for itself alone, so that the texts inside it are
// none of the dialog's.
func speaks(role ui.Role) bool { return buttonLike(role) || role == ui.RoleTab }

func buttonLike(role ui.Role) bool {
	switch role {
	case ui.RoleButton, ui.RoleMenuButton, ui.RolePopUpButton, ui.RoleMenuItem, ui.RoleLink:
		return true
	}
	return false
}

// says compares a name with fixed labels word by word, so that marks and mnemonics don't matter.
func says(name string, labels []string) bool {
	if len(name) > 200 {
		return false
	}
	for _, form := range textnorm.SafetyForms(name) {
		var words []string
		for _, word := range textnorm.LabelWords(form) {
			words = append(words, word.Text)
		}
		if slices.Contains(labels, strings.Join(words, " ")) {
			return true
		}
	}
	return false
}
