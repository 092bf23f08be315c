package audit

import (
	"strings"
	"unicode"

	"mcp-computer-use/internal/textnorm"
)

// Redacted stands for a field that holds typed text.
const Redacted = "<redacted>"

// fragment is the length from which a part of the typed text counts, in characters (README, "Privacy &
// Scrubbing").
const fragment = 6

// scrubbed returns the record as it may be written. The fields are those of spec/contract.md section 8:
// the rest holds words of this program or of agent-cu.
func scrubbed(r Record) Record {
	if r.Typed == "" {
		return r
	}
	typed := newScrubber(r.Typed)
	for _, field := range []*string{&r.App, &r.Target, &r.Name, &r.Hint, &r.Client, &r.SessionID} {
		*field = typed.clean(*field)
	}
	r.Typed = ""
	return r
}

// Scrub returns the value, or Redacted where it holds the typed text, of whatever length, or six of its
// characters in a row. Case, Unicode forms, invisible characters and differences in white space do not
// hide it.
func Scrub(value, typed string) string { return newScrubber(typed).clean(value) }

// scrubber is a typed text in the forms in which it is looked for.
type scrubber struct{ forms [formCount][]rune }

const formCount = 4

// forms returns a text as it is but for case, then more and more alike to other writings of it. A value
// is compared form by form, so that each side went through the same changes.
func forms(text string) [formCount][]rune {
	visible := textnorm.StripFormat(text)
	return [formCount][]rune{
		[]rune(strings.ToLower(text)),
		[]rune(folded(visible)),
		withoutSpace(strings.ToLower(visible)),
		withoutSpace(folded(visible)),
	}
}

// folded is the form in which labels are compared. The letter at the end keeps the marks that Match
// would strip there: "a..." must not be looked for as "a".
func folded(text string) string {
	const last = "x"
	return strings.TrimSuffix(textnorm.Match(text+last), last)
}

func withoutSpace(text string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text))
}

func newScrubber(typed string) scrubber {
	if typed == "" {
		return scrubber{}
	}
	return scrubber{forms(typed)}
}

func (s scrubber) clean(value string) string {
	if value == "" {
		return value
	}
	for i, form := range forms(value) {
		if holds(form, s.forms[i]) {
			return Redacted
		}
	}
	return value
}

// holds says whether value contains typed as a whole, or a fragment of it. It takes time linear in both.
func holds(value, typed []rune) bool {
	if len(typed) == 0 || len(value) == 0 {
		return false
	}
	if len(typed) <= fragment {
		return strings.Contains(string(value), string(typed))
	}
	if len(value) < fragment {
		return false
	}
	seen := make(map[[fragment]rune]struct{}, len(value))
	for i := range len(value) - fragment + 1 {
		seen[[fragment]rune(value[i:i+fragment])] = struct{}{}
	}
	for i := range len(typed) - fragment + 1 {
		if _, found := seen[[fragment]rune(typed[i:i+fragment])]; found {
			return true
		}
	}
	return false
}
