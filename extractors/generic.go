package extractors

// genericTail is the number of lines at the end of the text in which failures count.
const genericTail = 30

// extractGeneric reads a window that no other profile knows: its status is always unknown, failures
// come from the last lines. Source: spec/profiles.md, "generic".
func extractGeneric(in Input) Outcome {
	lines := messageLines(in)
	out := Outcome{Status: StatusUnknown, Exposed: exposed(in, newTree(in.Snapshot))}
	var found details
	found.lastList("failures", failureLines(lastOf(lines, genericTail), failureLine))
	out.Details = found
	out.LastMessage, out.Truncated = lastMessage(lines, in.MaxChars)
	return out
}
