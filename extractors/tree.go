package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// tree is a snapshot with what the profiles ask about it again and again. A missing snapshot is an
// empty tree.
type tree struct {
	els []ui.Element
	doc []int // per element the innermost document root it is inside of or is itself, else -1
}

func newTree(snapshot *ui.Snapshot) *tree {
	t := &tree{}
	if snapshot == nil {
		return t
	}
	t.els = snapshot.Elements
	t.doc = make([]int, len(t.els))
	webArea := slices.ContainsFunc(t.els, func(el ui.Element) bool { return el.Role == ui.RoleWebArea })
	for i, el := range t.els {
		t.doc[i] = -1
		if el.Parent >= 0 && el.Parent < i {
			t.doc[i] = t.doc[el.Parent]
		}
		if isDocument(el, i, webArea) {
			t.doc[i] = i
		}
	}
	return t
}

// isDocument knows a web page's root: webarea on Linux and macOS, where a text field may have
// children; on Windows, where it is printed as textarea, by its id or because it has children.
func isDocument(el ui.Element, i int, webArea bool) bool {
	switch el.Role {
	case ui.RoleWebArea:
		return true
	case ui.RoleTextArea:
		return el.ID == "RootWebArea" || strings.HasSuffix(el.ID, ":RootWebArea") || !webArea && el.End > i+1
	}
	return false
}

// end returns the index after the last element below i.
func (t *tree) end(i int) int { return min(max(t.els[i].End, i+1), len(t.els)) }

// inDocument says whether an element is inside a document; its root itself is not.
func (t *tree) inDocument(i int) bool { return t.doc[i] >= 0 && t.doc[i] != i }

// documents returns the roots of all documents in reading order, nested ones too.
func (t *tree) documents() []int {
	var roots []int
	for i := range t.els {
		if t.doc[i] == i {
			roots = append(roots, i)
		}
	}
	return roots
}

// inside says whether element i is root or below it.
func (t *tree) inside(i, root int) bool { return i >= root && i < t.end(root) }

// children returns the direct children of an element in reading order.
func (t *tree) children(i int) []int {
	var all []int
	for k := i + 1; k < t.end(i); k = t.end(k) {
		all = append(all, k)
	}
	return all
}

// name returns the name of an element, trimmed and without format characters.
func (t *tree) name(i int) string { return strings.TrimSpace(stripFormat(t.els[i].Name)) }

// isButton says whether an element is a button in either platform's spelling: GTK prints toggles as
// switch, macOS as checkbox.
func (t *tree) isButton(i int) bool {
	switch t.els[i].Role {
	case ui.RoleButton, ui.RoleSwitch, ui.RoleMenuButton, ui.RolePopUpButton:
		return true
	}
	return false
}

// isText says whether an element is a piece of text: heading and paragraph on Linux, all of them
// statictext on Windows.
func (t *tree) isText(i int) bool {
	switch t.els[i].Role {
	case ui.RoleStaticText, ui.RoleHeading, ui.RoleParagraph:
		return true
	}
	return false
}

// frame tells per element whether it belongs to the window's frame: title bars, tool bars, menus,
// tabs. Where no document shows, what lies deeper inside a tab than its label is its page (GTK prints
// pages below their tabs). Nothing inside a document is frame.
func (t *tree) frame() []bool {
	frame := make([]bool, len(t.els))
	browser := len(t.documents()) > 0
	for i, el := range t.els {
		switch {
		case t.doc[i] >= 0:
		case frameRole(el.Role):
			frame[i] = true
		case el.Parent >= 0 && el.Parent < i:
			above := t.els[el.Parent].Parent
			page := !browser && above >= 0 && t.els[above].Role == ui.RoleTab
			frame[i] = frame[el.Parent] && !page
		}
	}
	return frame
}

func frameRole(role ui.Role) bool {
	switch role {
	case ui.RoleToolbar, ui.RoleTab, ui.RoleTabGroup, "menubar", "menu", ui.RoleMenuItem:
		return true
	}
	return false
}

// textLines returns the lines of all texts outside the frame in reading order.
func (t *tree) textLines() []string {
	var lines []string
	frame := t.frame()
	for i, el := range t.els {
		if t.isText(i) && !frame[i] && el.Name != "" {
			lines = append(lines, strings.Split(el.Name, "\n")...)
		}
	}
	return lines
}
