// Package safety decides whether a label or an element may be acted on without a human's word.
//
// It owns the list of dangerous words, how they inflect, what counts as a word in a label and in an
// id, and which answers of a dialog carry its danger. It must not know how a human is asked or how
// an act is done. Whatever it is given and can't judge, it blocks.
// Sources: README, "Safety rules & blocklist"; spec/contract.md section 8.
package safety

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-computer-use/internal/textnorm"
	"mcp-computer-use/internal/ui"
)

// unreadable is the rule of an element that is not there to be judged.
const unreadable = "unreadable element"

// Gate judges labels and elements. It is made once, never changes, and may be used by any number of
// goroutines at the same time.
type Gate struct {
	entries []entry
	// first finds entries by a form of their first word.
	first map[string][]int
}

// entry is one word or phrase of the list, ready to be looked up.
type entry struct {
	rule     string
	exact    []string          // the words of the entry itself
	forms    []map[string]bool // for each of them every form that counts, itself included
	prefixes string            // Hebrew letters that may stand before the first word, up to two
}

// New returns a gate with the built-in list and the given additions. Additions only ever add: an
// empty one, or one with fewer than two letters or digits, is left out with a warning that names it,
// since it would block everything or nothing.
func New(extra []string) (*Gate, []string) {
	gate := &Gate{first: map[string][]int{}}
	for _, one := range rules() {
		gate.add(one)
	}
	var warnings []string
	for _, word := range extra {
		if letters(word) < 2 {
			warnings = append(warnings, fmt.Sprintf("blocklist entry %q has fewer than two letters and is not used", word))
			continue
		}
		gate.add(rule{word: word, kind: addition})
	}
	return gate, warnings
}

// letters counts what is left of an addition as words.
func letters(s string) int {
	n := 0
	for _, word := range textnorm.LabelWords(textnorm.Safety(s)) {
		n += strings.Count(word.Text, "") - 1
	}
	return n
}

func (g *Gate) add(r rule) {
	one := entry{rule: textnorm.Match(r.word), prefixes: r.prefixes()}
	for _, word := range textnorm.LabelWords(textnorm.Safety(r.word)) {
		key := final(word.Text)
		one.exact = append(one.exact, key)
		one.forms = append(one.forms, r.forms(key))
	}
	for form := range one.forms[0] {
		g.first[form] = append(g.first[form], len(g.entries))
	}
	g.entries = append(g.entries, one)
}

// Label says whether a label is blocked, and by which entry of the list. One that consists of nothing
// but what cleaning takes away holds no word, and passes.
func (g *Gate) Label(label string) (rule string, blocked bool) {
	for _, form := range textnorm.SafetyForms(label) {
		if rule, blocked := g.words(textnorm.LabelWords(form)); blocked {
			return rule, true
		}
	}
	return "", false
}

// Element says whether acting on an element is blocked: by its name, by the words of its id, or, for
// the plain answers of a dialog, by what the dialog asks (the rule is then "dialog:" and the word).
// An index that is out of range and a nil snapshot are blocked.
func (g *Gate) Element(snap *ui.Snapshot, i int) (rule string, blocked bool) {
	if snap == nil || i < 0 || i >= len(snap.Elements) {
		return unreadable, true
	}
	element := &snap.Elements[i]
	if rule, blocked := g.Label(element.Name); blocked {
		return rule, true
	}
	if rule, blocked := g.id(element.ID); blocked {
		return rule, true
	}
	if textnorm.Safety(element.Name) == "" && buttonLike(element.Role) {
		if rule, blocked := g.caption(snap, i); blocked {
			return rule, true
		}
	}
	return g.dialog(snap, i)
}

func (g *Gate) id(id string) (string, bool) {
	for _, reading := range textnorm.IDWords(id) {
		if rule, blocked := g.words(reading); blocked {
			return rule, true
		}
	}
	return "", false
}

// caption judges a button whose name says nothing (none, or the glyph of an icon) by the texts inside
// it.
func (g *Gate) caption(snap *ui.Snapshot, i int) (string, bool) {
	for k := i + 1; k < end(snap, i); k++ {
		if rule, blocked := g.text(&snap.Elements[k]); blocked {
			return rule, true
		}
	}
	return "", false
}

// hit is a place where an entry stands in a text.
type hit struct {
	entry int
	size  int // words
	exact bool
}

// words returns the entry that stands earliest; at one place the longest, of these an exact one
// before a prefixed or inflected one.
func (g *Gate) words(words []textnorm.Word) (string, bool) {
	keys := make([]string, len(words))
	for i, word := range words {
		keys[i] = final(word.Text)
	}
	for at := range words {
		if best, found := g.at(words, keys, at); found {
			return g.entries[best.entry].rule, true
		}
	}
	return "", false
}

// at returns the best entry that begins at a word.
func (g *Gate) at(words []textnorm.Word, keys []string, at int) (best hit, found bool) {
	key := keys[at]
	for cut := 0; cut <= 2 && key != ""; cut++ {
		for _, n := range g.first[key] {
			one := hit{entry: n, size: len(g.entries[n].exact)}
			if !g.prefixed(n, keys[at], cut) || !g.rest(n, words, keys, at) {
				continue
			}
			one.exact = cut == 0 && equal(g.entries[n].exact, keys[at:at+one.size])
			if !found || g.better(one, best) {
				best, found = one, true
			}
		}
		r, size := utf8.DecodeRuneInString(key)
		if !unicode.Is(unicode.Hebrew, r) {
			break
		}
		key = key[size:]
	}
	return best, found
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// prefixed says whether the letters cut off a word may stand before the entry.
func (g *Gate) prefixed(n int, key string, cut int) bool {
	for _, r := range key {
		if cut == 0 {
			return true
		}
		if !strings.ContainsRune(g.entries[n].prefixes, r) {
			return false
		}
		cut--
	}
	return false
}

// rest says whether the further words of an entry follow, parted by white space alone.
func (g *Gate) rest(n int, words []textnorm.Word, keys []string, at int) bool {
	forms := g.entries[n].forms
	if at+len(forms) > len(words) {
		return false
	}
	for k := 1; k < len(forms); k++ {
		if !words[at+k].Spaced || !forms[k][keys[at+k]] {
			return false
		}
	}
	return true
}

func (g *Gate) better(a, b hit) bool {
	if a.size != b.size {
		return a.size > b.size
	}
	if a.exact != b.exact {
		return a.exact
	}
	if la, lb := len(g.entries[a.entry].rule), len(g.entries[b.entry].rule); la != lb {
		return la > lb
	}
	return a.entry < b.entry
}

// final writes the Hebrew final letters as ordinary ones, so that a word is the same in either
// spelling.
func final(word string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case 'ך':
			return 'כ'
		case 'ם':
			return 'מ'
		case 'ן':
			return 'נ'
		case 'ף':
			return 'פ'
		case 'ץ':
			return 'צ'
		}
		return r
	}, word)
}
