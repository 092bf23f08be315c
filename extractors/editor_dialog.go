package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// maxDialog is how many elements a modal prompt has at most; more is a part of the workbench.
const maxDialog = 80

// findDialog finds a modal prompt: a question with the buttons that answer it, in a container of its
// own outside of the workbench's parts. Toasts, banners and texts that only quote a question are none.
func (w *editorWindow) findDialog() {
	notices := w.notices()
	w.parts = slices.ContainsFunc(w.t.els, func(el ui.Element) bool { return isPart(el.ID) })
	for i := range w.t.els {
		if w.t.end(i)-i > maxDialog || w.zone[i] != zoneNone || notices[i] || !w.mayBeDialog(i) {
			continue
		}
		if question := w.questionIn(i); question != "" && w.answered(i) {
			w.dialog, w.question = i, question
			return
		}
	}
}

// mayBeDialog says whether an element can be the container of a prompt: a window or dialog of its own
// that holds no document, or a group inside the workbench.
func (w *editorWindow) mayBeDialog(i int) bool {
	if w.t.doc[i] >= 0 && w.t.doc[i] != w.main || w.t.doc[i] == i {
		return false // a web view or the workbench itself
	}
	switch w.t.els[i].Role {
	case ui.RoleWindow, ui.RoleDialog, "sheet", "alert", "alertdialog", ui.RoleGroup:
	default:
		return false
	}
	for k := i + 1; k < w.t.end(i); k++ {
		if w.t.doc[k] == k || w.zone[k] != zoneNone && w.zone[k] != zoneFrame || isPart(w.t.els[k].ID) {
			return false
		}
	}
	return true
}

// isModal says whether a container is a dialog for sure and not only a group.
func (w *editorWindow) isModal(i int) bool {
	if w.t.els[i].Role != ui.RoleGroup {
		return true
	}
	for _, k := range w.t.children(i) {
		for n := k; n < w.t.end(k) && w.t.els[k].Role == ui.RoleToolbar; n++ {
			if strings.HasPrefix(w.t.name(n), "Close Dialog") {
				return true
			}
		}
	}
	return false
}

// answered says whether the buttons of a container answer a question. A dialog needs one that is not
// the frame's and does not only handle a text; a mere group needs two, one of them an answer as prompts
// have them, and it stands in no view with a field for messages.
func (w *editorWindow) answered(root int) bool {
	found := w.answers(root)
	if w.isModal(root) {
		return found.known+found.other > 0
	}
	return found.known > 0 && found.known+found.other+found.idle > 1 && !w.inView(root)
}

// inView says whether a group belongs to a view in which something is written: it holds a field, or one
// follows it in the group around it, where no id tells the workbench's parts. A prompt stands over the
// views, behind all of them.
func (w *editorWindow) inView(root int) bool {
	end, parent := w.t.end(root), w.t.els[root].Parent
	if !w.parts && parent >= 0 && w.t.doc[parent] != parent {
		end = min(w.t.end(parent), end+maxDialog)
	}
	return slices.ContainsFunc(w.t.els[root:end], func(el ui.Element) bool { return isField(el.Role) })
}

// answerCount counts the buttons of a container by what they do.
type answerCount struct{ known, other, idle int }

// answers counts the buttons of a container that can answer a question.
func (w *editorWindow) answers(root int) answerCount {
	var found answerCount
	for i := root + 1; i < w.t.end(root); i++ {
		if w.t.els[i].Role == ui.RoleToolbar {
			i = w.t.end(i) - 1
			continue
		}
		name := w.t.name(i)
		switch {
		case !w.t.isButton(i), name == "", frameButtons[name], strings.HasPrefix(name, "Close Dialog"):
		case isAnswer(name):
			found.known++
		case idleButton(name):
			found.idle++
		default:
			found.other++
		}
	}
	return found
}

// questionIn returns the question of a prompt: the first text that asks, else the container's name. A
// text in a list is a notification or a choice, a text in a deeper dialog is that one's.
func (w *editorWindow) questionIn(root int) string {
	for i := root + 1; i < w.t.end(root); i++ {
		switch role := w.t.els[i].Role; {
		case role == ui.RoleList, role == ui.RoleListItem, role == ui.RoleToolbar, w.t.isButton(i), isField(role):
			i = w.t.end(i) - 1
		case w.t.isText(i) && asks(w.t.name(i)):
			return w.t.els[i].Name
		}
	}
	if name := w.t.name(root); asks(name) && root > 0 {
		return name
	}
	if found := w.answers(root); w.isModal(root) && w.declines(root) && found.known+found.other > 1 {
		return w.firstText(root)
	}
	return ""
}

// negativeAnswers turn down what a dialog offers: with them it waits for an answer even where its text
// states instead of asking.
var negativeAnswers = set("Cancel", "No", "Not Now", "Don't Save", "Don’t Save", "Deny", "Later", "ביטול", "לא",
	"Abbrechen", "Nein", "Annuler", "Cancelar")

// declines says whether a dialog has such an answer. One with a field asks for input, not for a decision.
func (w *editorWindow) declines(root int) bool {
	found := false
	for i := root + 1; i < w.t.end(root); i++ {
		if isField(w.t.els[i].Role) {
			return false
		}
		found = found || w.t.isButton(i) && negativeAnswers[w.t.name(i)]
	}
	return found
}

// firstText is the first text of a container that stands in no list.
func (w *editorWindow) firstText(root int) string {
	for i := root + 1; i < w.t.end(root); i++ {
		switch role := w.t.els[i].Role; {
		case role == ui.RoleList, role == ui.RoleListItem, role == ui.RoleToolbar, w.t.isButton(i), isField(role):
			i = w.t.end(i) - 1
		case w.t.isText(i) && w.t.name(i) != "":
			return w.t.els[i].Name
		}
	}
	return ""
}

// asks says whether a text ends in a question mark of any script.
func asks(text string) bool {
	text = strings.TrimRight(text, " \"'”’»)")
	return slices.ContainsFunc([]string{"?", "？", "؟"}, func(mark string) bool { return strings.HasSuffix(text, mark) })
}

// noticeWords tell a toast or the list of notifications by its name.
var noticeWords = []string{"notification", "notifications", "benachrichtigung", "notificación", "notificação", "通知", "התראה", "התראות"}

// notices marks the elements in toasts and lists of notifications.
func (w *editorWindow) notices() []bool {
	marks := make([]bool, len(w.t.els))
	for i, el := range w.t.els {
		if el.Parent >= 0 && el.Parent < i && marks[el.Parent] {
			marks[i] = true
			continue
		}
		if i == 0 || w.t.isButton(i) || len(el.Name) > 4096 || w.t.end(i)-i > maxDialog {
			continue
		}
		name := strings.ToLower(el.Name)
		for _, word := range noticeWords {
			if tail, found := strings.CutPrefix(name, word); strings.HasSuffix(name, word) && !asks(name) || found && len(tail) < 10 {
				marks[i] = true
			}
		}
	}
	return marks
}

// dialogLines are the texts of the prompt and the answers that it offers.
func (w *editorWindow) dialogLines() []string {
	var lines []string
	for i := w.dialog + 1; i < w.t.end(w.dialog); i++ {
		name := w.t.els[i].Name
		switch {
		case w.t.els[i].Role == ui.RoleToolbar:
			i = w.t.end(i) - 1
		case strings.TrimSpace(name) == "" || frameButtons[w.t.name(i)]:
		case w.t.isText(i) && !w.insideText(i) || w.t.els[i].Role == ui.RoleListItem:
			lines = append(lines, strings.Split(name, "\n")...)
		case w.t.isButton(i):
			lines = append(lines, "["+name+"]")
		}
	}
	return lines
}
