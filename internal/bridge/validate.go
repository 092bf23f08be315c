package bridge

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-computer-use/internal/appwindow"
	"mcp-computer-use/internal/result"
)

const (
	mostLabel = 200 // characters of a label
	mostSteps = 10
)

// refPattern is agent-cu's reference to an element of one snapshot. It changes with every snapshot, so
// that a label of this form is a misunderstanding, never a visible label.
var refPattern = regexp.MustCompile(`^@[eE][0-9]+$`)

// checkClick says what is wrong with a click's arguments; nothing has been run by then.
func (a *act) checkClick(req ClickRequest) *result.Error {
	switch {
	case req.Target != nil && req.HasSteps:
		return result.New(result.InvalidTarget, "target and steps were both given")
	case req.Target == nil && !req.HasSteps:
		return result.New(result.InvalidTarget, "neither target nor steps was given")
	case req.HasSteps && (len(req.Steps) == 0 || len(req.Steps) > mostSteps):
		return result.New(result.InvalidTarget, fmt.Sprintf("steps holds %d labels, 1 to %d are allowed", len(req.Steps),
			mostSteps))
	}
	labels := req.Steps
	if req.Target != nil {
		labels = []*string{req.Target}
	}
	for i, label := range labels {
		where := "target"
		if req.Target == nil {
			where = fmt.Sprintf("step %d", i+1)
		}
		if label == nil {
			return result.New(result.InvalidTarget, where+" is no string")
		}
		if failed := checkLabel(where, *label); failed != nil {
			return failed
		}
	}
	for _, label := range labels {
		a.labels = append(a.labels, *label)
	}
	return a.checkApp()
}

// checkType says what is wrong with type_text's arguments. What the text holds is never repeated.
func (a *act) checkType(req TypeRequest) *result.Error {
	if failed := checkLabel("target", req.Target); failed != nil {
		return failed
	}
	if req.Text == nil {
		return result.New(result.InvalidTarget, "text is no string").Suggest("Pass text as a JSON string, numbers too.")
	}
	if n := utf8.RuneCountInString(*req.Text); n > a.opts.MaxTypeChars {
		return result.New(result.TextTooLong, fmt.Sprintf("the text has %d characters, %d are allowed", n,
			a.opts.MaxTypeChars))
	}
	if failed := a.checkText(*req.Text); failed != nil {
		return failed
	}
	a.text = *req.Text
	a.labels = []string{req.Target}
	return a.checkApp()
}

// checkText refuses characters that could end up as key strokes such as Enter or Tab.
func (a *act) checkText(text string) *result.Error {
	if !utf8.ValidString(text) {
		return result.New(result.InvalidTarget, "the text is no valid Unicode, so that another one would be typed").
			Suggest("Pass the text as UTF-8.")
	}
	for _, r := range text {
		switch {
		case isLineBreak(r) && a.opts.AllowMultiline:
		case isLineBreak(r):
			return result.New(result.InvalidTarget, "the text holds a line break, which could be sent as the Enter key").
				Suggest("Type one line per field, or set MCP_CU_ALLOW_MULTILINE=1 for text areas.")
		case unicode.IsControl(r):
			return result.New(result.InvalidTarget, "the text holds a tab or another control character, which could be "+
				"sent as a key").Suggest("Leave control characters out of the text.")
		}
	}
	return nil
}

// isLineBreak takes what ends a line for one application or another.
func isLineBreak(r rune) bool { return strings.ContainsRune("\n\r\u2028\u2029", r) }

// checkLabel refuses what can't be a visible label.
func checkLabel(where, label string) *result.Error {
	switch n := utf8.RuneCountInString(label); {
	case !utf8.ValidString(label):
		return result.New(result.InvalidTarget, where+" is no valid text")
	case strings.IndexFunc(label, holds) < 0:
		return result.New(result.InvalidTarget, where+" is empty")
	case n > mostLabel:
		return result.New(result.InvalidTarget, fmt.Sprintf("%s has %d characters, %d are allowed", where, n, mostLabel))
	case refPattern.MatchString(bare(label)):
		return result.New(result.InvalidTarget, where+" is a reference of one snapshot, not a label")
	}
	return nil
}

// holds says that a character can be part of a name: a button may be labelled by an invisible mark
// alone, but not by white space or control characters.
func holds(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsControl(r) }

// bare drops white space and invisible marks, which can't make a label of a reference.
func bare(label string) string {
	return strings.Map(func(r rune) rune {
		if !holds(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, label)
}

func (a *act) checkApp() *result.Error {
	if a.app == nil {
		return nil
	}
	if err := appwindow.CheckName(*a.app); err != nil {
		return result.New(result.AppNotFound, err.Error())
	}
	return nil
}
