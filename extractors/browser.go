package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

const (
	maxHeadings     = 5
	maxDocs         = 100 // documents whose names help to read the titles of window and tabs
	maxErrorNodes   = 60  // elements that a browser's own error page has at most, about
	maxWarningNodes = 150 // the same for a warning whose details are open, known by title and heading
)

// page is a browser window with the one document that is shown in it.
type page struct {
	in    Input
	t     *tree
	docs  []int        // documents that are not inside another one
	isDoc map[int]bool // the same as a set
	doc   int          // the shown one, -1 where none is exposed
	title browserTitle
	tab   browserTab
	lines []string // what the document says, in reading order
	text  textKind
}

// extractBrowser reads a browser: which page is shown, and whether that is the browser's own error
// page. Everything around the page is dropped. Source: spec/profiles.md, "browser".
func extractBrowser(in Input) Outcome {
	p := newPage(in)
	out := Outcome{Status: StatusUnknown, Exposed: p.exposed()}
	if p.failed() {
		out.Status = StatusError
	}
	address := p.address()
	var found details
	found.text("page_title", p.title.Page)
	found.text("title", p.title.Page)
	found.url("url", address)
	found.text("tab", p.tab.clean)
	found.list("headings", p.headings(), maxHeadings)
	found.lastList("failures", failuresOf(p.evidence(), proseStrict, proseFailureLine))
	found.text("next_step", nextStep(p.evidence()))
	out.Details = found
	out.LastMessage, out.Truncated = lastMessage(p.lines, in.MaxChars)
	return out
}

// url adds an address as a whole: a shortened one could not be opened.
func (d *details) url(key, value string) {
	if value != "" && len(value) <= 8*maxValue {
		*d = append(*d, Detail{key, value})
	}
}

func newPage(in Input) *page {
	p := &page{in: in, t: newTree(in.Snapshot), doc: -1}
	p.docs, p.isDoc = p.findDocs(), map[int]bool{}
	for _, root := range p.docs {
		p.isDoc[root] = true
	}
	title := in.WindowTitle
	if strings.TrimSpace(title) == "" && len(p.t.els) > 0 {
		title = p.t.name(0)
	}
	names := pageNames{}
	for _, root := range p.docs[:min(len(p.docs), maxDocs)] {
		if name := plainTitle(p.t.els[root].Name); name != "" {
			names.docs = append(names.docs, name)
		}
	}
	tabs := p.findTabs(names.docs)
	names.tabs = knownTabs(tabs, len(names.docs) > 0)
	if len(names.docs) > 1 { // the documents of background tabs say nothing about this title
		names.docs = slices.DeleteFunc(names.docs, func(name string) bool {
			return !strings.HasPrefix(plainTitle(title), name)
		})
	}
	p.title = parseBrowserTitle(title, names)
	p.doc = p.shownDoc()
	p.tab = p.activeTab(tabs)
	p.lines, p.text = p.readLines()
	return p
}

// findDocs returns the roots of the documents that are in no other one. Firefox on Windows prints a
// document like a text field; it is told by its address.
func (p *page) findDocs() []int {
	var roots []int
	for i := 0; i < len(p.t.els); i++ {
		el := p.t.els[i]
		switch {
		case el.Role == ui.RoleToolbar:
			i = p.t.end(i) - 1
		case p.t.doc[i] == i || el.Role == ui.RoleTextArea && addressLine(el.Value):
			roots = append(roots, i)
			i = p.t.end(i) - 1
		}
	}
	return roots
}

// shownDoc picks the document that is called like the page, else the first that is a page: Firefox
// exposes those of background tabs, Chromium those of its tools beside the page.
func (p *page) shownDoc() int {
	for _, same := range []func(int) bool{p.calledLikePage, p.almostCalledLikePage} {
		if n := slices.IndexFunc(p.docs, same); n >= 0 {
			return p.docs[n]
		}
	}
	for _, root := range p.docs {
		if !hasAnyPrefix(p.t.els[root].Value, "devtools:", "chrome-untrusted:", "chrome-extension:", "moz-extension:") {
			return root
		}
	}
	if len(p.docs) > 0 {
		return p.docs[0]
	}
	return -1
}

func (p *page) calledLikePage(root int) bool {
	return p.title.Page != "" && plainTitle(p.t.els[root].Name) == p.title.Page
}

// almostCalledLikePage leaves out the counter of news in front, which may change between two readings.
func (p *page) almostCalledLikePage(root int) bool {
	name := cutCounter(plainTitle(p.t.els[root].Name))
	return name != "" && name == cutCounter(p.title.Page)
}

// newsCounter is a number in brackets in front of a title.
var newsCounter = lazy(`^[(\[]\p{Nd}+\+?[)\]] ?`)

func cutCounter(title string) string {
	return title[len(newsCounter.FindString(title)):]
}

// exposed says whether the page itself shows anything: a document without children is what a locked
// or covered window leaves.
func (p *page) exposed() bool {
	if p.doc < 0 {
		return len(p.lines) > 0
	}
	for i := p.doc + 1; i < p.t.end(p.doc); i++ {
		if p.t.name(i) != "" {
			return true
		}
	}
	return len(p.lines) > 0
}

// headings of the page: real ones, or on Windows, where none exist, a text that holds a text of the
// same words.
func (p *page) headings() []string {
	var real, pairs []string
	if p.doc < 0 {
		return nil
	}
	for i := p.doc + 1; i < p.t.end(p.doc); i++ {
		switch {
		case p.t.els[i].Role == ui.RoleHeading:
			real = append(real, p.headingName(i))
		case p.isPair(i):
			pairs = append(pairs, p.t.els[i].Name)
		}
	}
	if len(real) == 0 && p.t.els[p.doc].Role == ui.RoleTextArea {
		return pairs
	}
	return real
}

// headingName is a heading's own name, or that of the texts in it where it has none.
func (p *page) headingName(i int) string {
	if p.t.name(i) != "" {
		return p.t.els[i].Name
	}
	var parts []string
	for k := i + 1; k < p.t.end(i); k++ {
		if p.t.els[k].Role == ui.RoleStaticText && p.t.name(k) != "" {
			parts = append(parts, p.t.name(k))
		}
	}
	return strings.Join(parts, " ")
}

// isPair says whether a static text holds a static text of the same words, the way in which Chromium
// prints headings on Windows.
func (p *page) isPair(i int) bool {
	if p.t.els[i].Role != ui.RoleStaticText || p.t.end(i) <= i+1 {
		return false
	}
	inner := p.t.els[i+1]
	return inner.Role == ui.RoleStaticText && p.t.name(i) != "" && p.t.name(i) == p.t.name(i+1)
}
