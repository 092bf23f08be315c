package textnorm

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Word is one word of a text.
type Word struct {
	Text string
	// Spaced says that nothing but white space parts this word from the one before, or from the start.
	Spaced bool
}

// MatchWords returns the words of a text in its tier-2 form: runs of letters, digits, marks and
// underscores.
func MatchWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !wordRune(r) && r != '_' })
}

// LabelWords returns the words of a text in its Safety form. Hyphens, underscores and digits inside a
// word belong to it; a change between Hebrew and another script begins a new word (ה-Send).
// Source: spec/contract.md section 8.
func LabelWords(s string) []Word {
	var words []Word
	start, spaced := -1, true
	flush := func(end int) {
		if start >= 0 {
			run := s[start:end]
			left := strings.TrimLeft(run, "-_")
			if word := strings.TrimRight(left, "-_"); word != "" {
				words = append(words, Word{word, spaced && left == run})
				spaced = word == left
			} else {
				spaced = false
			}
		}
		start = -1
	}
	last := rune(0) // the letter before, within a run
	for i, r := range s {
		if !wordRune(r) && r != '-' && r != '_' {
			flush(i)
			spaced = spaced && space(r)
			last = 0
			continue
		}
		if unicode.IsLetter(r) {
			if last != 0 && hebrew(r) != hebrew(last) {
				flush(i)
			}
			last = r
		}
		if start < 0 {
			start = i
		}
	}
	flush(len(s))
	return words
}

// IDWords returns the readings of an accessibility id, each a list of words in Safety form: split at
// camelCase, separators and digits; split at separators and digits alone; unsplit.
// Source: spec/contract.md section 8.
func IDWords(id string) [][]Word {
	if id == "" {
		return nil
	}
	raw := norm.NFKC.String(strings.Map(dropFormat, strings.ToValidUTF8(id, "\uFFFD")))
	parts := strings.FieldsFunc(raw, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != maqaf })
	readings := [][]Word{words(parts, camel), words(parts, whole)}
	for _, form := range SafetyForms(id) {
		readings = append(readings, LabelWords(form))
	}
	return readings
}

func words(parts []string, split func(string) []string) []Word {
	var all []Word
	for _, part := range parts {
		for _, piece := range split(part) {
			for _, word := range LabelWords(Safety(piece)) {
				word.Spaced = true
				all = append(all, word)
			}
		}
	}
	return all
}

func whole(s string) []string { return []string{s} }

// camel splits before a capital that follows a small letter, and before the last capital of a run
// that a small letter follows: btnDELETEAll is btn, DELETE, All.
func camel(s string) []string {
	runes := []rune(s)
	var pieces []string
	start := 0
	for i := 1; i < len(runes); i++ {
		afterSmall := !unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i])
		endsRun := i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i+1])
		if afterSmall || endsRun {
			pieces = append(pieces, string(runes[start:i]))
			start = i
		}
	}
	return append(pieces, string(runes[start:]))
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

func hebrew(r rune) bool { return r >= 0x0590 && r <= 0x05FF }
