package extractors

import (
	"strings"

	"mcp-computer-use/internal/ui"
)

// textKind says where the lines of a page come from.
type textKind int

const (
	fromText    textKind = iota // lines of `text` alone: no snapshot tells page and frame apart
	fromPage                    // lines that stand in the document
	fromOutside                 // the tree has no document
)

// readLines returns what the page says: the lines of `text` without those that the tree shows outside of
// the page alone, and in their places what only the document says, since `text` ends at a certain depth
// and leaves some roles out.
func (p *page) readLines() ([]string, textKind) {
	if len(p.t.els) == 0 {
		return messageLines(p.in), fromText
	}
	zones := p.zones()
	var kept []string
	for _, line := range p.in.Lines {
		if zones.keeps(line) {
			kept = append(kept, line)
		}
	}
	if p.doc < 0 {
		return dropRepeats(kept), fromOutside
	}
	return dropRepeats(mergeLines(kept, p.docLines())), fromPage
}

// zones are the texts of a window by the place where they stand.
type zones struct {
	named   map[string]bool // names of texts in the document
	inside  map[string]bool // names and values in the document
	outside map[string]bool // names and values elsewhere
	cut     []string        // starts of values elsewhere that the engine cut
}

func (p *page) zones() *zones {
	z := &zones{named: map[string]bool{}, inside: map[string]bool{}, outside: map[string]bool{}}
	for i, el := range p.t.els {
		inside := p.doc >= 0 && i > p.doc && i < p.t.end(p.doc)
		target := z.outside
		if inside {
			target = z.inside
		}
		addLines(target, el.Name)
		addLines(target, el.Value)
		switch {
		case inside && p.t.isText(i):
			addLines(z.named, el.Name)
		case !inside && el.ValueCut && len(z.cut) < 64:
			if start := strings.TrimSuffix(el.Value, "…"); len(start) > 8 {
				z.cut = append(z.cut, start)
			}
		}
	}
	return z
}

// addLines stores every line of a name or value; most have one.
func addLines(set map[string]bool, text string) {
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		if line = lineKey(line); line != "" {
			set[line] = true
		}
		text = rest
	}
}

// lineKey is the form in which lines are compared.
func lineKey(line string) string {
	return strings.TrimSpace(strings.ReplaceAll(stripFormat(line), "\ufffc", ""))
}

// keeps says whether a line of `text` belongs to the page. States of controls and addresses are
// dropped, unless they are written on the page.
func (z *zones) keeps(line string) bool {
	key := lineKey(line)
	if trimBullet(key) == "" { // empty, or a bullet of its own before the text of a list item
		return false
	}
	if z.named[key] {
		return true
	}
	if noiseLine(key) || addressLine(key) {
		return false
	}
	if z.inside[key] {
		return true
	}
	if z.outside[key] {
		return false
	}
	for _, start := range z.cut {
		if strings.HasPrefix(key, start) {
			return false
		}
	}
	return true
}

// docLines are the texts of the document by the tree alone: texts, and other named elements where no
// text below them says more. What a heading's inner text repeats is left out.
func (p *page) docLines() []string {
	var lines []string
	for i := p.doc + 1; i < p.t.end(p.doc); i++ {
		if p.t.name(i) == "" || !p.t.isText(i) && !p.spoken(i) || p.repeatsParent(i) {
			continue
		}
		for _, line := range strings.Split(p.t.els[i].Name, "\n") {
			if trimBullet(lineKey(line)) != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// spoken says whether an element that is no text carries the text itself.
func (p *page) spoken(i int) bool {
	switch p.t.els[i].Role {
	case ui.RoleListItem, ui.RoleLink, "tablecell", "cell", "treeitem", "tablerow", "article":
		return p.t.end(i) == i+1
	}
	return false
}

func (p *page) repeatsParent(i int) bool {
	parent := p.t.els[i].Parent
	return parent > p.doc && p.t.isText(parent) && p.t.name(parent) == p.t.name(i)
}

// mergeLines adds to the lines of `text` those that only the document holds, each before the line that
// follows it in the document. Both are in reading order; time and memory are linear.
func mergeLines(text, doc []string) []string {
	if len(text) == 0 {
		return doc
	}
	known := make(map[string]bool, len(text))
	for _, line := range text {
		known[lineKey(line)] = true
	}
	merged := make([]string, 0, len(text)+len(doc))
	at := 0
	for _, line := range doc {
		key := lineKey(line)
		if !known[key] {
			merged = append(merged, line)
			continue
		}
		for k := at; k < len(text) && k < at+50; k++ { // the same line soon after: what lies between is passed
			if lineKey(text[k]) == key {
				merged = append(merged, text[at:k+1]...)
				at = k + 1
				break
			}
		}
	}
	return append(merged, text[at:]...)
}

// evidence are the lines in which failures and next steps count. Without a tree they are all lines.
func (p *page) evidence() []string {
	if p.text == fromOutside {
		return nil
	}
	return p.lines
}
