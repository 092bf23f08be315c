package extractors

import (
	"fmt"
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// extractEditor reads an editor of the VS Code family: what is open, whether a modal prompt waits, and
// what the newest run in the terminal and the Problems panel report. The text that is being edited is
// content, never evidence. Source: spec/profiles.md, "editor".
func extractEditor(in Input) Outcome {
	w := newEditorWindow(in)
	run := w.evidence()
	failures := failuresOf(withoutStale(run), outputFailure, hasToolMark)
	if count := w.errorCount(); count == 1 {
		failures = append(failures, "1 error")
	} else if count > 1 {
		failures = append(failures, fmt.Sprintf("%d errors", count))
	}
	out := Outcome{Status: StatusUnknown, Exposed: exposed(in, w.t)}
	var found details
	found.text("project", w.project())
	found.text("file", w.file())
	if w.dialog >= 0 {
		found.flag("waiting_for_user", true)
		found.text("waiting_prompt", w.question)
	}
	found.lastList("failures", failures)
	found.text("next_step", nextStep(run))
	switch {
	case w.dialog >= 0:
		out.Status = StatusWaiting
	case len(cleanList(failures)) > 0:
		out.Status = StatusError
	}
	out.Details = found
	out.LastMessage, out.Truncated = lastMessage(w.messageLines(), in.MaxChars)
	return out
}

// thrown is an error that a program ended with: at the start of a line, perhaps behind its type.
var thrown = lazy(`^\s*(?:[\pL_$][\pL\pN_$]*[.:/\\])*[\pL_$]*[\pL\pN_$]*(?:Error|Exception): *\S`)

// outputFailure says whether a line of terminal output reports a failure.
func outputFailure(line string) bool {
	return strictFailure(line) || len(line) < 4096 && thrown.MatchString(line)
}

// editorWindow is the window of an editor with its elements by the part that they stand in.
type editorWindow struct {
	in       Input
	t        *tree
	zone     []editorZone
	main     int // root of the workbench document, -1 where there is none
	tabs     []string
	active   string // name of the one active tab
	roots    []string
	profiles []string
	title    editorTitle
	parts    bool // the tree has the ids of the workbench's parts
	dialog   int  // container of a modal prompt, -1 without one
	question string
	whole    map[int][]string // per field with a cut value its lines in `text`
}

func newEditorWindow(in Input) *editorWindow {
	w := &editorWindow{in: in, t: newTree(in.Snapshot), main: -1, dialog: -1}
	if docs := w.t.documents(); len(docs) > 0 {
		w.main = docs[0]
	}
	w.findZones()
	w.readCutFields()
	w.findNames()
	w.findDialog()
	title := in.WindowTitle
	if strings.TrimSpace(title) == "" && len(w.t.els) > 0 {
		title = w.t.name(0)
	}
	w.title = parseEditorTitle(title, editorNames{w.roots, w.tabs, w.profiles})
	return w
}

func (w *editorWindow) project() string {
	if w.title.Project == "" && len(w.roots) > 0 {
		return w.roots[0]
	}
	return w.title.Project
}

// file is the file that the title names, else the one active tab where that is a file.
func (w *editorWindow) file() string {
	if w.title.File == "" && w.title.Editor == "" && (editorNames{}).fileLike(w.active) {
		return w.active
	}
	return w.title.File
}

// findNames reads the folder, the editor tabs and the profile.
func (w *editorWindow) findNames() {
	var open, selected []string
	for i, el := range w.t.els {
		name := w.t.name(i)
		switch {
		case name == "":
		case el.Role == ui.RoleTab && w.isEditorTab(i):
			tab := cutTabSuffix(name)
			open = append(open, tab)
			if markedSelected(el.Value) {
				selected = append(selected, tab)
			}
		case w.t.isButton(i) || w.t.isText(i):
			w.readName(name)
		}
	}
	w.tabs = open
	if len(selected) == 0 {
		selected = open
	}
	if len(selected) == 1 {
		w.active = selected[0]
	}
}

// isEditorTab says whether a tab stands for an editor and not for a view of the side bar or the panel.
func (w *editorWindow) isEditorTab(i int) bool {
	switch w.zone[i] {
	case zoneEditor, zoneEditorFrame:
		return true
	case zoneNone, zoneFrame:
		parent := w.t.els[i].Parent
		return parent < 0 || w.t.name(parent) == ""
	}
	return false
}

// readName picks the folder out of the name of Explorer's section, and the profile out of the name of
// the button that manages it.
func (w *editorWindow) readName(name string) {
	if root, found := strings.CutPrefix(name, "Explorer Section: "); found {
		t := editorTitle{}
		t.setProject(root, editorNames{roots: []string{root}})
		if t.Project != "" && t.Project != "No Folder Opened" && !slices.Contains(w.roots, t.Project) {
			w.roots = append(w.roots, t.Project)
		}
		return
	}
	if rest, found := strings.CutPrefix(name, "Manage "); found {
		if profile, found := strings.CutSuffix(rest, " (Profile)"); found {
			w.profiles = append(w.profiles, profile)
		}
	}
}

// tabSuffix are the words behind the name of an editor tab, from the right. A file's name may hold
// commas itself.
var tabSuffix = lazy(`, (?:preview|pinned|sticky|(?:[^,]+: )?(?:Editor Group|エディター グループ|Editor-Gruppe|Editorgruppe|编辑器组|קבוצת עורכים) ?\p{Nd}+)$`)

func cutTabSuffix(name string) string {
	for len(name) < 8*maxValue {
		at := tabSuffix.FindStringIndex(name)
		if at == nil {
			break
		}
		name = name[:at[0]]
	}
	return cutDirty(name)
}

// statusCount is the button of the status bar that counts problems, in the older and newer form.
var statusCount = lazy(`(?i)^(?:(\p{Nd}+) errors?(?:, \p{Nd}+ \pL+)*|errors?: (\p{Nd}+)(?:, \pL+: \p{Nd}+)*)$`)

// errorCount is the number of errors in the Problems panel: as the status bar counts them, else the
// rows of errors. A total may hold warnings and counts nothing.
func (w *editorWindow) errorCount() int {
	rows, counted := 0, 0
	for i, el := range w.t.els {
		name := w.t.name(i)
		if len(name) > 4096 || w.zone[i] == zoneEditor || w.zone[i] == zoneTerminal {
			continue
		}
		if m := statusCount.FindStringSubmatch(name); m != nil && w.t.isButton(i) {
			counted = max(counted, number(m[1]+m[2]))
		}
		if w.zone[i] == zoneProblems && el.Role == "treeitem" && hasAnyPrefix(name, "Error generated by ", "Error: ") {
			rows++
		}
	}
	if counted > 0 {
		return counted
	}
	return rows
}

// number reads decimal digits of any script; absurdly long ones are cut.
func number(s string) int {
	n := 0
	for _, r := range s {
		if d := digitValue(r); d >= 0 && n < 1_000_000 {
			n = 10*n + d
		}
	}
	return n
}
