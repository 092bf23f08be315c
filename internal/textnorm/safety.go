package textnorm

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Safety returns the form in which the danger gate reads a text: compatibility characters resolved,
// format and private-use characters, niqqud, accents and mnemonic ampersands off, look-alike letters
// as Latin ones, case folded, maqaf and every white space as one space. It only ever makes more
// texts equal, so that a disguise can't hide a word. Source: spec/contract.md section 8.
func Safety(s string) string { return safety(s, -1) }

// SafetyForms returns Safety(s) and, where they differ, a second reading in which an ampersand, a
// private-use glyph and characters that can't be read (controls, U+FFFD) part two words instead of
// vanishing: nobody can tell which of the two a person sees, so the gate asks about both.
func SafetyForms(s string) []string {
	first := Safety(s)
	second := safety(s, ' ')
	if second == first {
		return []string{first}
	}
	return []string{first, second}
}

// safety does the work of both readings; unsure is what becomes of a doubtful character.
func safety(s string, unsure rune) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	for range maxRounds {
		next := squeeze(safetyRound(s, unsure))
		if next == s {
			break
		}
		s = next
	}
	return s
}

func safetyRound(s string, unsure rune) string {
	s = norm.NFKD.String(strings.Map(dropFormat, s))
	s = strings.Map(func(r rune) rune { return safetyRune(r, unsure) }, s)
	s = mnemonics(s, unsure)
	return norm.NFC.String(fold(s))
}

// dropFormat runs before the decomposition, so that no format character keeps two parts of one
// character apart.
func dropFormat(r rune) rune {
	if unicode.Is(unicode.Cf, r) || filler(r) {
		return -1
	}
	return r
}

func safetyRune(r, unsure rune) rune {
	switch {
	case r < 0x20 || r == 0x7F:
		if space(r) {
			return ' '
		}
		return unsure
	case r < 0x80:
		return r
	case r == maqaf || space(r):
		return ' '
	case niqqud(r), unicode.Is(unicode.Cf, r), filler(r), unicode.In(r, unicode.Mn, unicode.Me):
		return -1
	case unicode.Is(unicode.Co, r), r == 0xFFFC, r == 0xFFFD, !unicode.IsGraphic(r):
		return unsure
	}
	return latin(r)
}

// filler are letters and reserved code points that show as nothing.
func filler(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x2065, 0x3164, 0xFFA0:
		return true
	}
	return r >= 0xE0000 && r <= 0xE0FFF || r >= 0xFFF0 && r <= 0xFFF8
}

// mnemonics takes out the ampersands that mark a short-cut letter; a doubled one is a character of
// its own and parts two words.
func mnemonics(s string, unsure rune) string {
	if !strings.ContainsRune(s, '&') {
		return s
	}
	s = strings.ReplaceAll(s, "&&", " ")
	if unsure == ' ' {
		return strings.ReplaceAll(s, "&", " ")
	}
	return strings.ReplaceAll(s, "&", "")
}

// latin returns the Latin letter that a character looks like, or the character itself. It works
// before case folding, since a capital and its small letter can resemble different ones.
func latin(r rune) rune {
	switch {
	case r >= 0x1F150 && r <= 0x1F169: // negative circled
		return 'a' + r - 0x1F150
	case r >= 0x1F170 && r <= 0x1F189: // negative squared
		return 'a' + r - 0x1F170
	case r >= 0x1F1E6 && r <= 0x1F1FF: // regional indicators
		return 'a' + r - 0x1F1E6
	}
	if i, found := slices.BinarySearchFunc(lookAlikes[:], r, func(l lookAlike, r rune) int { return int(l.from - r) }); found {
		return lookAlikes[i].to
	}
	return r
}
