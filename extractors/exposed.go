package extractors

import "mcp-computer-use/internal/ui"

// exposed says whether a window shows content at all. Its frame (title bar, tabs, tool bars, menus,
// addresses, a document without children) is none, so a minimised or covered window is told from
// one that really has nothing to say. Source: spec/contract.md section 6.
func exposed(in Input, t *tree) bool {
	if treeContent(t, in.WindowTitle) {
		return true
	}
	frame := frameTexts(t)
	for _, line := range messageLines(in) {
		if !frame[cleanValue(line)] {
			return true
		}
	}
	return false
}

// treeContent looks for a named element inside a document, or for a text outside the frame.
func treeContent(t *tree, title string) bool {
	for i := 0; i < len(t.els); i++ {
		if frameRole(t.els[i].Role) && !t.inDocument(i) {
			i = t.end(i) - 1
			continue
		}
		if name := t.els[i].Name; name != "" && (t.inDocument(i) || t.isText(i)) && !sameTitle(name, title) {
			return true
		}
	}
	return false
}

// frameTexts are the names and values that `text` repeats of the frame.
func frameTexts(t *tree) map[string]bool {
	texts := map[string]bool{}
	for i := range t.els {
		if t.inDocument(i) {
			continue
		}
		for _, text := range []string{t.els[i].Name, t.els[i].Value} {
			if text != "" && t.els[i].Role != ui.RoleStaticText {
				texts[cleanValue(text)] = true
			}
		}
	}
	return texts
}

func frameRole(role ui.Role) bool {
	switch role {
	case ui.RoleToolbar, ui.RoleTab, ui.RoleTabGroup, "menubar", "menu", ui.RoleMenuItem:
		return true
	}
	return false
}
