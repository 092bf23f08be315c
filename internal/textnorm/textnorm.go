// Package textnorm brings text to the forms in which the program compares it: the form of label
// matching, the form of the danger gate, and plain text without format characters.
//
// It owns Unicode normalisation, case folding, marks, look-alike letters and the splitting into
// words. It must not know what a text is for: elements, windows and block words are none of its
// business. Everything here is pure and takes time linear in the length of the text.
package textnorm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maqaf     = '\u05BE' // the Hebrew hyphen
	geresh    = '\u05F3'
	gershayim = '\u05F4'
)

// maxRounds bounds the repetition of a form until it is stable. Two rounds settle every known text;
// the bound keeps the cost linear whatever a text holds.
const maxRounds = 4

// Match returns the form in which a label and an element's name are compared in tier 2: NFKC, case
// folded, niqqud and cantillation off, maqaf as a space, geresh and gershayim as ASCII quotes, the
// listed bidi and zero-width marks off, white space trimmed and its runs one space, trailing
// ellipses and colons off unless nothing would remain. Other format characters stay.
// Source: README, "Label matching hierarchy"; spec/contract.md section 7.
func Match(s string) string {
	if plain(s) {
		return strip(squeeze(lowerASCII(s)))
	}
	s = strings.Map(matchRune, strings.ToValidUTF8(s, "\uFFFD"))
	if plain(s) {
		return strip(squeeze(lowerASCII(s)))
	}
	for range maxRounds {
		next := strip(squeeze(matchRound(s)))
		if next == s {
			break
		}
		s = next
	}
	return s
}

// matchRound removes the marks once before and once after composing: a mark between a letter and
// its accent keeps them apart, and NFKC takes niqqud out of presentation forms.
func matchRound(s string) string {
	s = norm.NFKC.String(strings.Map(matchRune, s))
	return norm.NFKC.String(strings.Map(matchRune, fold(s)))
}

// MatchCased is Match without case folding and without stripping what trails, for texts in which a
// capital matters.
func MatchCased(s string) string {
	s = strings.Map(matchRune, strings.ToValidUTF8(s, "\uFFFD"))
	for range maxRounds {
		next := squeeze(norm.NFKC.String(strings.Map(matchRune, norm.NFKC.String(s))))
		if next == s {
			break
		}
		s = next
	}
	return s
}

func matchRune(r rune) rune {
	switch {
	case r < 0x0591:
		if r == 0x00A0 {
			return ' '
		}
		return r
	case r == maqaf:
		return ' '
	case r == geresh:
		return '\''
	case r == gershayim:
		return '"'
	case niqqud(r), removedMark(r):
		return -1
	}
	return r
}

// niqqud covers the Hebrew points and accents; the maqaf in the middle of the range is none.
func niqqud(r rune) bool { return r >= 0x0591 && r <= 0x05C7 && r != maqaf }

// removedMark are exactly the marks that tier 2 drops; the soft hyphen and the word joiner are not
// among them.
func removedMark(r rune) bool {
	switch {
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return r == 0x061C || r == 0xFEFF
}

// fold is full Unicode case folding, with a short way for text that has no case.
func fold(s string) string {
	for _, r := range s {
		if r >= 0x80 && !caseless(r) {
			return cases.Fold().String(s)
		}
	}
	return lowerASCII(s)
}

// caseless are ranges without any case, for speed only: Hebrew and general punctuation.
func caseless(r rune) bool { return r >= 0x0590 && r <= 0x05FF || r >= 0x2000 && r <= 0x206F }

// plain says that a text holds ASCII and bare Hebrew letters alone, which normalisation leaves as they
// are but for the case.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < utf8.RuneSelf {
			continue
		}
		// U+05D0 to U+05EA are D7 90 to D7 AA.
		if s[i] != 0xD7 || i+1 >= len(s) || s[i+1] < 0x90 || s[i+1] > 0xAA {
			return false
		}
		i++
	}
	return true
}

func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return strings.Map(lowerRune, s)
		}
	}
	return s
}

func lowerRune(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// squeeze trims white space and turns each run of it into one space.
func squeeze(s string) string {
	if squeezed(s) {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, space), " ")
}

func squeezed(s string) bool {
	last := ' '
	for _, r := range s {
		if space(r) && (r != ' ' || last == ' ') {
			return false
		}
		last = r
	}
	return s == "" || last != ' '
}

// space is Unicode white space and the four ASCII separators, which some scripts leave in names.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F }

// strip takes off trailing ellipses and colons until none is left. A text that consists of them
// alone stays whole: it is a label of its own.
func strip(s string) string {
	out := s
	for {
		cut := strings.TrimSuffix(strings.TrimSuffix(out, "..."), ":")
		cut = strings.TrimRight(cut, " ")
		if cut == out {
			return out
		}
		if cut == "" {
			return s
		}
		out = cut
	}
}

// StripFormat drops every character of category Cf: soft hyphens, joiners, bidi marks, tags.
func StripFormat(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r) || r == 0xAD {
			return -1
		}
		return r
	}, s)
}
