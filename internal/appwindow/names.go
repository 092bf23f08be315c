package appwindow

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the longest application name in characters.
const maxName = 200

// NameError says that an application name is not acceptable. It is APP_NOT_FOUND, and nothing is run.
type NameError struct{ Reason string }

// Error gives the reason.
func (e *NameError) Error() string { return "app " + e.Reason }

// CheckName refuses a name that is empty, longer than 200 characters, or holds a character that a
// shell would act on, though none ever sees it. An apostrophe after a Hebrew letter is part of a
// Hebrew name. The error is a *NameError. Source: spec/contract.md section 5, rule 7.
func CheckName(app string) error {
	switch {
	case strings.TrimSpace(app) == "":
		return &NameError{"is empty"}
	case utf8.RuneCountInString(app) > maxName:
		return &NameError{fmt.Sprintf("is longer than %d characters", maxName)}
	case !utf8.ValidString(app):
		return &NameError{"is no valid text"}
	}
	last := rune(0)
	for _, r := range app {
		switch {
		case r == '\'' && last >= 'א' && last <= 'ת':
		case strings.ContainsRune("`$|&;<>\"'\\", r):
			return &NameError{fmt.Sprintf("holds the character %q", r)}
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return &NameError{"holds a line break or a control character"}
		}
		last = r
	}
	return nil
}
