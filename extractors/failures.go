package extractors

import "strings"

// failureLine says whether a line of terminal, test or build output reports a failure. Source:
// spec/apps.md section 6.
func failureLine(line string) bool { return hasCount(line) || hasKey(line) || hasMark(line) }

// proseFailureLine is the rule for messages and web pages, where a sentence may speak of errors: a
// count holds only on a line of counts and result words. Source: spec/profiles.md.
func proseFailureLine(line string) bool {
	return hasKey(line) || hasMark(line) || hasCount(line) && countsOnly(line)
}

// failureLines returns the lines that a rule takes for failures.
func failureLines(lines []string, rule func(string) bool) []string {
	var found []string
	for _, line := range lines {
		if rule(line) {
			found = append(found, line)
		}
	}
	return found
}

func hasCount(line string) bool   { return strings.Contains(line, " failed") }
func hasKey(line string) bool     { return false }
func hasMark(line string) bool    { return false }
func countsOnly(line string) bool { return true }
