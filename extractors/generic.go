package extractors

import "strings"

// genericTail is the number of lines at the end of the text in which failures count.
const genericTail = 30

// extractGeneric reads a window that no other profile knows: its status is always unknown, failures
// come from the last lines. Inside a page a sentence may speak of errors, so there a count needs a
// line of its own. Source: spec/profiles.md, "generic".
func extractGeneric(in Input) Outcome {
	t := newTree(in.Snapshot)
	rule := failureLine
	if len(t.documents()) > 0 {
		rule = proseFailureLine
	}
	var found details
	tail := lastOf(trimBlank(screenLines(in)), genericTail)
	found.lastList("failures", failureLines(tail, rule))
	text, cut := lastMessage(messageLines(in), in.MaxChars)
	return Outcome{Status: StatusUnknown, Details: found, Exposed: exposed(in, t), LastMessage: strings.TrimRight(text, " \n"), Truncated: cut}
}
