package agentcu

import (
	"math"
	"strings"

	"mcp-computer-use/internal/ui"
)

// The text form of a snapshot escapes nothing: names and values can hold quotes, line breaks and whole
// lines that look like elements. What follows reads it by everything that real output keeps to
// (spec/agent-cu.md, "Snapshot line format"):
//
//   - there is one root, on the first line, and every other element is indented by two spaces a level,
//     at most one level below the element before it;
//   - refs count up from 1 without a gap, and an interactive role always carries one;
//   - a name or a value is closed by a quote at the end of a line, or by a quote in front of an id;
//   - a bare role can't be continued, so that one which seems to be was part of a name;
//   - a value has at most 40 bytes, or 37 to 40 and "…".
//
// A line that breaks a rule continues the name or value above.

// ParseSnapshot reads the text of `agent-cu snapshot`. It never fails: what can't be understood is
// text of the element above, and without a root the snapshot is empty.
func ParseSnapshot(text []byte) *ui.Snapshot { return ParseSnapshotRefs(text, nil) }

// ParseSnapshotRefs reads the same together with the refs.json that its run wrote, whose exact names
// and ids win over the printed ones. A refs.json that does not fit the text in the number of refs or
// in a role is ignored.
func ParseSnapshotRefs(text, refs []byte) *ui.Snapshot {
	printed := normalise(text)
	if exact := parseRefs(refs); len(exact) > 0 {
		p := scan(printed, exact)
		if p.fits() {
			return p.snapshot()
		}
	}
	return scan(printed, nil).snapshot()
}

// normalise makes valid UTF-8 with plain line ends of the output, without the ones at its end.
func normalise(text []byte) string {
	s := strings.TrimPrefix(toUTF8(text), "\ufeff")
	if strings.Contains(s, "\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return strings.TrimRight(s, "\n")
}

// record is an element while its lines are gathered.
type record struct {
	head
	tail, end int // offsets: what follows the role, up to the end of its last line
	next      int // the ref that comes after it
	quotes    int // in what follows the role
	open      bool
}

// parser gathers the records of one text.
type parser struct {
	text    string
	exact   map[int]refEntry // nil without a refs.json
	records []record
	indent  int         // of the root
	minEnd  int         // offset up to which the name of the latest record is known to go
	lastAt  map[int]int // offset of the last line with a ref; made when it is first needed
}

// scan gathers all records of a text.
func scan(text string, exact map[int]refEntry) *parser {
	p := &parser{text: text, exact: exact, records: make([]record, 0, strings.Count(text, "\n")+1)}
	for start := 0; start < len(text); {
		end := len(text)
		if line := strings.IndexByte(text[start:], '\n'); line >= 0 {
			end = start + line
		}
		h, ok := parseHead(text[start:end])
		if ok && p.begins(h, start) {
			p.add(h, start, end)
		} else {
			p.extend(start, end)
		}
		start = end + 1
	}
	return p
}

// begins says whether a line of the right form is an element.
func (p *parser) begins(h head, start int) bool {
	if h.ref == 0 && !h.other && h.role.Interactive() {
		return false
	}
	if len(p.records) == 0 {
		return h.known
	}
	last := &p.records[len(p.records)-1]
	indent := h.indent - p.indent
	if last.open || start < p.minEnd || indent <= 0 || indent%2 != 0 {
		return false
	}
	if want, ok := p.exact[h.ref]; ok && want.role != h.rawRole {
		return false
	}
	if h.ref == last.next {
		return true // the one sign that pasted text can hardly imitate
	}
	if indent/2 > last.depth+1 || h.ref != 0 && (h.ref < last.next || p.hasRefAfter(last.next, start)) {
		return false
	}
	// A role that agent-cu does not know yet is believed only together with a name, value or id.
	return h.known || h.bytes < p.lineLength(start)
}

func (p *parser) lineLength(start int) int {
	if end := strings.IndexByte(p.text[start:], '\n'); end >= 0 {
		return end
	}
	return len(p.text) - start
}

// hasRefAfter says whether a ref begins a line further down: then a higher ref here is not the next
// one. Parts of a tree, with gaps in their refs, can still be read.
func (p *parser) hasRefAfter(ref, start int) bool {
	if p.lastAt == nil {
		p.lastAt = map[int]int{}
		for at := 0; at < len(p.text); at += p.lineLength(at) + 1 {
			if h, ok := parseHead(p.text[at : at+p.lineLength(at)]); ok && h.ref != 0 {
				p.lastAt[h.ref] = at
			}
		}
	}
	at, ok := p.lastAt[ref]
	return ok && at > start
}

func (p *parser) add(h head, start, end int) {
	r := record{head: h, tail: start + h.bytes, end: end, next: 1}
	if len(p.records) == 0 {
		p.indent = h.indent
	} else {
		last := p.records[len(p.records)-1]
		r.next, r.depth = last.next, min((h.indent-p.indent)/2, last.depth+1)
	}
	if h.ref != 0 {
		r.next = h.ref + 1
		if known, ok := p.exact[h.ref]; ok && known.name != "" {
			if printed := ` "` + known.name + `"`; strings.HasPrefix(p.text[r.tail:], printed) {
				p.minEnd = r.tail + len(printed)
			}
		}
	}
	r.open = isOpen(p.text[r.tail:end], true)
	r.quotes = strings.Count(p.text[r.tail:end], `"`)
	p.records = append(p.records, r)
}

// extend gives a line to the record above that it continues.
func (p *parser) extend(start, end int) {
	n := len(p.records)
	if start >= p.minEnd {
		n = p.continued()
	}
	if n == 0 || n == 1 && p.records[0].isBare(p.text) {
		return // in front of the root, or nowhere
	}
	line := p.text[start:end]
	for _, taken := range p.records[n:] {
		p.records[n-1].quotes += taken.quotes
	}
	p.records = p.records[:n]
	last := &p.records[n-1]
	last.end = end
	last.open = isOpen(line, false)
	last.quotes += strings.Count(line, `"`)
}

// maxBack is how many records are looked at to find the one that a line continues.
const maxBack = 40

// continued returns how many records stay when a line continues one of them: those behind it were no
// elements, but lines of it. A record that has nothing to be continued, or an id alone, was none. Nor
// was one whose quotes are in pairs already, if there is one before it with a quote that waits for its
// partner: a name that goes on has its first quote and pairs.
func (p *parser) continued() int {
	n := len(p.records)
	for n > 1 && p.records[n-1].isBare(p.text) {
		n--
	}
	if n == 0 || p.records[n-1].open {
		return n
	}
	for k := n - 1; k > 0 && k >= n-maxBack; k-- {
		r := &p.records[k]
		if r.quotes%2 != 0 {
			return k + 1
		}
		if r.ref != 0 {
			break
		}
	}
	return n
}

// isBare says whether a record has neither name nor value.
func (r *record) isBare(text string) bool {
	tail := text[r.tail:r.end]
	return tail == "" || strings.HasPrefix(tail, idMark)
}

// isOpen says whether a name or a value must go on behind a line: nothing closes it there. first marks
// the line that holds the role; s is then what follows the role.
func isOpen(s string, first bool) bool {
	if first && (s == "" || strings.HasPrefix(s, idMark)) {
		return false
	}
	if first && (s == nameMark || s == valueMark) || strings.HasSuffix(s, `"`+valueMark) {
		return true
	}
	return !strings.HasSuffix(s, `"`) && !strings.Contains(s, `"`+idMark)
}

// fits says whether the refs of a refs.json are those of the text.
func (p *parser) fits() bool {
	count := 0
	for i := range p.records {
		if r := &p.records[i]; r.ref != 0 {
			if p.exact[r.ref].role != r.rawRole {
				return false
			}
			count++
		}
	}
	return count == len(p.exact)
}

// snapshot makes the elements of the records.
func (p *parser) snapshot() *ui.Snapshot {
	s := &ui.Snapshot{Elements: make([]ui.Element, len(p.records))}
	path := []int{} // the open elements, one a level
	for i := range p.records {
		r := &p.records[i]
		for len(path) > r.depth {
			s.Elements[path[len(path)-1]].End = i
			path = path[:len(path)-1]
		}
		e := &s.Elements[i]
		e.Role, e.Depth, e.Parent = r.role, r.depth, -1
		if len(path) > 0 {
			e.Parent = path[len(path)-1]
		}
		path = append(path, i)
		p.fill(s, e, r)
	}
	for _, i := range path {
		s.Elements[i].End = len(p.records)
	}
	hideBelowSecrets(s)
	return s
}

// fill sets the texts of an element. The value of a password field goes no further than the list of
// secrets.
func (p *parser) fill(s *ui.Snapshot, e *ui.Element, r *record) {
	tail := p.text[r.tail:r.end]
	parts := splitTail(tail)
	exact, isExact := p.exact[r.ref]
	if isExact {
		parts = splitExact(tail, exact, parts)
	}
	if isSecretField(r.role, parts.name, parts.id) {
		if !isExact {
			parts = splitSecret(tail)
		}
		e.Secret = true
		s.AddSecret(cleanText(parts.value), isCut(parts.value))
		parts.value = ""
	}
	if r.ref != 0 {
		e.Ref = r.refText(p.text)
	}
	e.Name, e.Value, e.ID = cleanText(parts.name), cleanText(parts.value), cleanText(parts.id)
	e.ValueCut = isCut(parts.value)
}

// head is the beginning of a line: indent, ref and role.
type head struct {
	indent  int
	ref     int // 0 for none
	role    ui.Role
	rawRole string // as printed, in lower case; other("x") stays as it is
	other   bool   // the role is outside of agent-cu's list
	known   bool   // the role is in it, or is other("…")
	bytes   int    // length of indent, ref and role
	depth   int    // set when the line is an element
}

// refText is the ref as callers use it: "@e5".
func (r *record) refText(text string) string {
	line := text[r.tail-r.bytes+r.indent : r.tail]
	return line[1:strings.IndexByte(line, ']')]
}

// parseHead reads the beginning of a line; ok is false for a line that has not the form of an element.
func parseHead(line string) (h head, ok bool) {
	rest := strings.TrimLeft(line, " ")
	h.indent = len(line) - len(rest)
	if after, found := strings.CutPrefix(rest, "[@e"); found {
		digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
		if digits == 0 || digits > 9 || !strings.HasPrefix(after[digits:], "] ") {
			return h, false
		}
		for _, c := range after[:digits] {
			h.ref = h.ref*10 + int(c-'0')
		}
		if h.ref == 0 || h.ref == math.MaxInt32 {
			return h, false
		}
		rest = after[digits+2:]
	}
	n := h.readRole(rest)
	if n == 0 {
		return h, false
	}
	h.bytes = len(line) - len(rest) + n
	tail := rest[n:]
	ok = tail == "" || strings.HasPrefix(tail, nameMark) || strings.HasPrefix(tail, valueMark) || strings.HasPrefix(tail, idMark)
	return h, ok
}

// readRole reads a role in either spelling, or other("…"), and returns its length; 0 for no role.
func (h *head) readRole(s string) int {
	if inner, found := strings.CutPrefix(s, otherMark); found {
		for i := 0; i+1 < len(inner); i++ {
			switch {
			case inner[i] == '\\':
				i++
			case inner[i] == '"' && inner[i+1] == ')':
				n := len(otherMark) + i + 2
				h.role, h.rawRole, h.other, h.known = ui.Role(unescapeRust(inner[:i])), s[:n], true, true
				return n
			}
		}
		return 0
	}
	n := 0
	for n < len(s) && (s[n]|0x20) >= 'a' && (s[n]|0x20) <= 'z' {
		n++
	}
	h.rawRole = strings.ToLower(s[:n])
	h.role = ui.Role(h.rawRole)
	h.known = isRole(h.rawRole)
	return n
}

// isRole says whether a word is a role of agent-cu 0.1's list, in lower case.
func isRole(word string) bool {
	switch word {
	case "application", "window", "dialog", "sheet", "popover", "group", "scrollarea", "splitgroup", "tabgroup",
		"toolbar", "button", "checkbox", "radiobutton", "textfield", "textarea", "securetextfield", "slider",
		"stepper", "switch", "combobox", "popupbutton", "disclosuretriangle", "colorwell", "datepicker", "menu",
		"menubar", "menuitem", "menubutton", "list", "listitem", "table", "tablerow", "tablecolumn", "outline",
		"outlinerow", "tree", "treeitem", "tab", "tabpanel", "link", "navigationbar", "statictext", "image",
		"icon", "progressindicator", "busyindicator", "levelindicator", "webarea", "heading", "paragraph",
		"blockquote", "form", "article", "banner", "complementary", "contentinfo", "main", "search",
		"systemwide", "unknown":
		return true
	}
	return false
}
