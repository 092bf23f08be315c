package extractors

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-computer-use/internal/textnorm"
)

// Limits of a detail (spec/profiles.md, "Lists and strings in details").
const (
	maxValue = 200 // characters of one value, the "…" of a cut one included
	maxList  = 10  // entries of a list unless a key says otherwise
)

// stripFormat drops every format character (category Cf): direction marks, zero-width characters,
// soft hyphens. Applications put them into titles, and they never belong to a value.
func stripFormat(s string) string {
	if isASCII(s) || strings.IndexFunc(s, isFormat) < 0 {
		return s
	}
	return textnorm.StripFormat(s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isFormat says whether a character is of category Cf. The scripts that most text is written in are
// told without a look into the table.
func isFormat(r rune) bool {
	switch {
	case r < 0x600:
		return r == 0xad
	case 0x2070 <= r && r < 0xfeff, 0xfffb < r && r < 0x110bd:
		return false
	}
	return unicode.Is(unicode.Cf, r)
}

// cleanValue makes a detail of a piece of screen text: one line, trimmed, without format and control
// characters, without a leading bullet, at most maxValue characters.
func cleanValue(s string) string {
	if len(s) > 8*maxValue { // a huge name is cut before it is looked at as a whole
		s = cutRunes(strings.TrimSpace(s), 4*maxValue)
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case isFormat(r), r == '\ufffc':
			return -1
		case r == '\t': // a gap as shown, as in go test's lines
			return r
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = trimBullet(s)
	if utf8.RuneCountInString(s) > maxValue {
		s = strings.TrimSpace(cutRunes(s, maxValue-1)) + "…"
	}
	return s
}

// trimBullet removes white space, list bullets and the hook before a tool's output from the start.
// A dash or a star is a bullet only before a space: `--- FAIL:` and `*.go` stay as they are.
func trimBullet(s string) string {
	for {
		s = strings.TrimSpace(s)
		rest := strings.TrimLeft(s, "•●◦▪‣⁃∙·⏺⎿")
		if rest == s {
			if !hasAnyPrefix(s, "- ", "* ", "– ") {
				return s
			}
			_, size := utf8.DecodeRuneInString(s)
			rest = s[size:]
		}
		s = rest
	}
}

// cutRunes returns the first n characters of s.
func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// cleanList cleans every value and drops empty and repeated ones; the order stays.
func cleanList(values []string) []string {
	seen := make(map[string]bool, len(values))
	var kept []string
	for _, value := range values {
		if value = cleanValue(value); value != "" && !seen[value] {
			seen[value] = true
			kept = append(kept, value)
		}
	}
	return kept
}

// firstOf returns at most n entries from the start of a list.
func firstOf(list []string, n int) []string { return list[:min(n, len(list))] }

// lastOf returns at most n entries from the end of a list.
func lastOf(list []string, n int) []string { return list[max(0, len(list)-n):] }

// details collects the entries of Outcome.Details in the order of the calls. Empty values, empty
// lists and false are left out.
type details []Detail

// text adds a string, cleaned.
func (d *details) text(key, value string) {
	if value = cleanValue(value); value != "" {
		*d = append(*d, Detail{key, value})
	}
}

// list adds the first n entries of a list, cleaned and without repetitions.
func (d *details) list(key string, values []string, n int) {
	if kept := firstOf(cleanList(values), n); len(kept) > 0 {
		*d = append(*d, Detail{key, kept})
	}
}

// lastList adds the last maxList entries of a list, cleaned and without repetitions.
func (d *details) lastList(key string, values []string) {
	if kept := lastOf(cleanList(values), maxList); len(kept) > 0 {
		*d = append(*d, Detail{key, kept})
	}
}

// flag adds true; false is never shown.
func (d *details) flag(key string, value bool) {
	if value {
		*d = append(*d, Detail{key, true})
	}
}

// numberBetween looks for a number from 0 to 100 that stands directly between two texts.
func numberBetween(text, before, after string) (int, bool) {
	for rest := text; ; {
		at := strings.Index(rest, after)
		if at < 0 {
			return 0, false
		}
		start := at
		for start > 0 && isDigit(rest[start-1]) {
			start--
		}
		number, err := strconv.Atoi(rest[start:at])
		if err == nil && number <= 100 && strings.HasSuffix(rest[:start], before) {
			return number, true
		}
		rest = rest[at+len(after):]
	}
}

func itoa(number int) string { return strconv.Itoa(number) }
