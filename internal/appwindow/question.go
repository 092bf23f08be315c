package appwindow

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-computer-use/internal/textnorm"
)

// maxQuestion is the longest question, in bytes, that is searched; longer ones are refused elsewhere.
const maxQuestion = 16 << 10

// oneLetter are the Hebrew letters that stand right before a name ("בכרום", "בChrome").
const oneLetter = "בהוכלמש"

// named returns the name in the question that stands first, of several at one place the longest: one of
// the alias table, or of an open window its process or its title in full, each as a word of its own.
func (d *desk) named() (name string, spoken bool) {
	if len(d.Question) > maxQuestion {
		return "", false
	}
	text := newSentence(d.Question)
	best := place{at: -1}
	for _, one := range aliases() {
		for _, form := range one.names {
			if p := text.find(form, needsCapital(form), true); p.before(best) {
				best, name = p, one.nameFor(form, d)
			}
		}
	}
	for i := range d.Windows {
		if p := text.find(d.apps[i], needsCapital(d.apps[i]), false); p.before(best) {
			best, name = p, d.Windows[i].App
		}
		if p := text.find(d.titles[i], false, false); p.before(best) {
			best, name = p, d.Windows[i].Title
		}
	}
	return name, best.at >= 0
}

// nameFor is the name to look for when an alias was spoken; without a list the engine gets the
// application's own.
func (a *alias) nameFor(form string, d *desk) string {
	if d.ListFailed || len(d.Windows) == 0 {
		return a.canonical
	}
	return form
}

// place is where a name stands in a question; at is -1 for nowhere.
type place struct{ at, size int }

func (p place) before(other place) bool {
	if p.at < 0 {
		return false
	}
	return other.at < 0 || p.at < other.at || p.at == other.at && p.size > other.size
}

// sentence is a question in tier-2 form, with a mark for each byte that came of a capital.
type sentence struct {
	form    string
	capital []bool
}

func newSentence(question string) *sentence {
	s := &sentence{}
	var form strings.Builder
	for _, r := range textnorm.MatchCased(question) {
		folded := " "
		if r != ' ' {
			folded = textnorm.Match(string(r))
		}
		for range len(folded) {
			s.capital = append(s.capital, unicode.IsUpper(r))
		}
		form.WriteString(folded)
	}
	s.form = form.String()
	return s
}

// find returns the first place where a name stands as a whole word, and with a capital if it needs
// one. A one-letter name is none. Hebrew prefixes are allowed before Latin names, and, if prefixed is
// set, before Hebrew ones: those of the alias table resemble no other word.
func (s *sentence) find(form string, capital, prefixed bool) place {
	if utf8.RuneCountInString(form) < 2 {
		return place{at: -1}
	}
	for from := 0; ; {
		i := strings.Index(s.form[from:], form)
		if i < 0 {
			return place{at: -1}
		}
		i += from
		if s.opens(i, prefixed) && s.closes(i+len(form)) && (!capital || s.capital[i]) {
			return place{at: i, size: len(form)}
		}
		_, size := utf8.DecodeRuneInString(s.form[i:])
		from = i + size
	}
}

// opens says whether a word may begin at a byte: after anything that is no letter, or after one or two
// Hebrew prefixes that begin a word themselves.
func (s *sentence) opens(i int, prefixed bool) bool {
	first, _ := utf8.DecodeRuneInString(s.form[i:])
	allowed := 2
	if unicode.Is(unicode.Hebrew, first) && !prefixed {
		allowed = 0
	}
	for ; ; allowed-- {
		last, size := utf8.DecodeLastRuneInString(s.form[:i])
		if size == 0 || !inWord(last) {
			return true
		}
		if allowed == 0 || !strings.ContainsRune(oneLetter, last) {
			return false
		}
		i -= size
	}
}

// closes says whether a word may end before a byte. A full stop with a letter after it goes on: the
// file claude.md is not Claude.
func (s *sentence) closes(i int) bool {
	rest := strings.TrimPrefix(s.form[i:], ".exe")
	if end, found := strings.CutPrefix(rest, "."); found {
		rest = end
	}
	next, size := utf8.DecodeRuneInString(rest)
	return size == 0 || !inWord(next)
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_'
}
