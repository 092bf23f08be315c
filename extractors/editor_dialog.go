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
	for i := range w.t.els {
		if w.t.end(i)-i > maxDialog || w.zone[i] != zoneNone || notices[i] || !w.mayBeDialog(i) {
			continue
		}
		if question := w.questionIn(i); question != "" && w.answers(i) >= w.answersNeeded(i) {
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

// answersNeeded is one button where the container is a dialog for sure, two where it is only a group.
func (w *editorWindow) answersNeeded(i int) int {
	if w.t.els[i].Role != ui.RoleGroup {
		return 1
	}
	for _, k := range w.t.children(i) {
		for n := k; n < w.t.end(k) && w.t.els[k].Role == ui.RoleToolbar; n++ {
			if strings.HasPrefix(w.t.name(n), "Close Dialog") {
				return 1
			}
		}
	}
	return 2
}

// frameButtons belong to every window or dialog and answer nothing.
var frameButtons = set("Close", "Minimize", "Maximize", "Restore", "Help", "System", "Close Dialog",
	"Clear Notification", "Schließen", "Minimieren", "Maximieren", "סגור", "מזער", "הגדל")

// answers counts the buttons of a container that can answer a question.
func (w *editorWindow) answers(root int) int {
	count := 0
	for i := root + 1; i < w.t.end(root); i++ {
		if w.t.els[i].Role == ui.RoleToolbar {
			i = w.t.end(i) - 1
			continue
		}
		if name := w.t.name(i); w.t.isButton(i) && name != "" && !frameButtons[name] && !strings.HasPrefix(name, "Close Dialog") {
			count++
		}
	}
	return count
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
	if w.answersNeeded(root) == 1 && w.declines(root) && w.answers(root) > 1 {
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
