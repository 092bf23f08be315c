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
	box := container(snap, i)
	if box < 0 {
		return "", false
	}
	if rule, blocked := g.Label(snap.Elements[box].Name); blocked {
		return "dialog:" + rule, true
	}
	for k := box + 1; k < min(snap.Elements[box].End, len(snap.Elements)); k++ {
		if inButton(snap, k, box) {
			continue
		}
		if rule, blocked := g.text(&snap.Elements[k]); blocked {
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

// container returns the dialog around an element, -1 for none: the nearest dialog, popover or window,
// else the smallest part below the root that also holds a button that says no.
func container(snap *ui.Snapshot, i int) int {
	for p := parent(snap, i); p >= 0; p = parent(snap, p) {
		switch snap.Elements[p].Role {
		case ui.RoleDialog, ui.RolePopover, ui.RoleWindow:
			if !top(snap, p) || snap.Elements[p].End-p <= maxRootDialog {
				return p
			}
		}
	}
	for p := parent(snap, i); p >= 0 && !top(snap, p); p = parent(snap, p) {
		for k := p + 1; k < min(snap.Elements[p].End, len(snap.Elements)); k++ {
			if k != i && buttonLike(snap.Elements[k].Role) && says(snap.Elements[k].Name, refusals[:]) {
				return p
			}
		}
	}
	return -1
}

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

// inButton says whether an element stands inside a control that speaks for itself.
func inButton(snap *ui.Snapshot, i, box int) bool {
	for p := parent(snap, i); p > box; p = parent(snap, p) {
		if buttonLike(snap.Elements[p].Role) || snap.Elements[p].Role == ui.RoleTab {
			return true
		}
	}
	return false
}

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
