package extractors

import "mcp-computer-use/internal/ui"

// exposed says whether a window shows content at all. Its frame (title bar, tabs, tool bars, menus,
// addresses, a document without children) is none, so a minimised or covered window is told from
// one that really has nothing to say. Source: spec/contract.md section 6.
func exposed(in Input, t *tree) bool {
	frame := t.frame()
	for i := range t.els {
		if t.isContent(i, frame[i], in.WindowTitle) {
			return true
		}
	}
	if !in.HasText {
		return false
	}
	known := t.frameTexts(frame)
	for _, line := range in.Lines {
		if len(line) >= longLine {
			return true
		}
		if !noiseLine(line) && !addressLine(line) && !sameTitle(line, in.WindowTitle) && !known[cleanValue(line)] {
			return true
		}
	}
	return false
}

// isContent knows a named element inside a document, and a text outside the frame that does not
// repeat the title.
func (t *tree) isContent(i int, frame bool, title string) bool {
	if t.els[i].Name == "" || frame || !t.inDocument(i) && !t.isText(i) {
		return false
	}
	return t.doc[i] != i && !sameTitle(t.els[i].Name, title)
}

// frameTexts are what `text` repeats of the frame: names in it, the values of tool bars and of
// documents, and the values of fields beside a page, which are its address.
func (t *tree) frameTexts(frame []bool) map[string]bool {
	texts := map[string]bool{"": true}
	pages := len(t.documents()) > 0
	for i, el := range t.els {
		if frame[i] {
			texts[cleanValue(el.Name)] = true
		}
		address := pages && el.Role == ui.RoleTextField && !t.inDocument(i)
		if address || frame[i] && el.Role == ui.RoleToolbar || t.doc[i] == i {
			texts[cleanValue(el.Value)] = true
			texts[cleanValue(el.Name)] = true
		}
	}
	return texts
}
