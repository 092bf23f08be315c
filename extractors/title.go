package extractors

import (
	"strings"
	"unicode"
)

// plainTitle is a window title without format characters (Edge writes U+200B into its own name,
// right-to-left pages bring direction marks), with every kind of space as a plain one, trimmed.
func plainTitle(title string) string {
	title = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, stripFormat(title))
	return strings.TrimSpace(title)
}

// cutLast splits s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// digits returns the length in bytes of the run of decimal digits, of any script, at the start of s.
func digits(s string) int {
	for i, r := range s {
		if !unicode.IsDigit(r) {
			return i
		}
	}
	return len(s)
}

// digitValue is the value of a decimal digit of any script, or -1. Unicode keeps the ten digits of a
// script together.
func digitValue(r rune) int {
	if !unicode.IsDigit(r) {
		return -1
	}
	value := 0
	for unicode.IsDigit(r-rune(value)-1) && value < 9 {
		value++
	}
	return value
}
