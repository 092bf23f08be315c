package extractors

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// failureLine says whether a line of terminal, test or build output reports a failure. Source:
// spec/apps.md section 6; the rules with their examples are in failureRules.
func failureLine(line string) bool {
	return hasCount(line) || hasKey(line) || hasMark(line) || hasToolMark(line)
}

// proseFailureLine is the rule for messages and web pages, where a sentence may speak of errors: a
// count holds only on a line of counts and result words. Source: spec/profiles.md.
func proseFailureLine(line string) bool {
	return hasKey(line) || hasMark(line) || hasToolMark(line) || hasCount(line) && countsOnly(line)
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

// hasCount looks for a number above zero before a word of failure: "1 failed", "2 tests failed",
// "10 failures", "2 Error(s)". The digits of a longer number, a fraction or a list don't count, so
// the 0 of "10 failures" is no "0 failures"; a number with groups of three digits does.
func hasCount(line string) bool {
	for i := 0; i < len(line); i++ {
		if !isDigit(line[i]) {
			continue
		}
		end := numberEnd(line, i)
		fresh := i == 0 || line[i-1] != '.' && line[i-1] != ','
		if fresh && line[i] != '0' && failureWord(line[end:]) {
			return true
		}
		i = end - 1
	}
	return false
}

// numberEnd returns the index after the digits that begin at i, with groups such as 1,024.
func numberEnd(line string, i int) int {
	end := i
	for end < len(line) && isDigit(line[end]) {
		end++
	}
	for end-i <= 3 || line[end-4] == ',' {
		if len(line) < end+4 || line[end] != ',' || !isDigit(line[end+1]) || !isDigit(line[end+2]) ||
			!isDigit(line[end+3]) || len(line) > end+4 && isDigit(line[end+4]) {
			break
		}
		end += 4
	}
	return end
}

// failureWord says whether what follows a number is a word of failure on its own, perhaps after
// "test" or "tests". A number that stands against a word (3xfailed) counts nothing.
func failureWord(rest string) bool {
	word, after, spaced := nextWord(rest)
	if spaced && (strings.EqualFold(word, "test") || strings.EqualFold(word, "tests")) {
		word, after, spaced = nextWord(after)
	}
	if !spaced || strings.HasPrefix(after, "-") {
		return false
	}
	switch strings.ToLower(word) {
	case "failed", "failing", "failure", "failures", "error", "errors":
		return true
	}
	return false
}

// nextWord splits a text into its first word and the rest; spaced says that white space came first.
func nextWord(text string) (word, rest string, spaced bool) {
	trimmed := strings.TrimLeftFunc(text, unicode.IsSpace)
	end := strings.IndexFunc(trimmed, func(r rune) bool { return !isWord(r) })
	if end < 0 {
		end = len(trimmed)
	}
	if end > 16 { // longer than every word that is looked for
		return "", "", false
	}
	return trimmed[:end], trimmed[end:], len(trimmed) < len(text) && end > 0
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// hasKey looks for a word of failure with a number above zero after a colon or an equals sign:
// "Failures: 1", "errors=2", "API Error: 400".
func hasKey(line string) bool {
	for i := 0; i < len(line); i++ {
		if line[i] != ':' && line[i] != '=' {
			continue
		}
		value := strings.TrimLeftFunc(line[i+1:], unicode.IsSpace)
		if value != "" && '1' <= value[0] && value[0] <= '9' && endsInFailure(line[:i]) {
			return true
		}
	}
	return false
}

// endsInFailure says whether the last word of a text is one of failure.
func endsInFailure(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	for _, word := range []string{"failed", "failure", "failures", "error", "errors"} {
		start := len(text) - len(word)
		if start < 0 || !strings.EqualFold(text[start:], word) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		return start == 0 || !isWord(before)
	}
	return false
}

// hasMark looks for the fixed words with which tools mark a failure, case included.
func hasMark(line string) bool {
	start := strings.TrimLeftFunc(line, unicode.IsSpace)
	switch {
	case strings.HasPrefix(start, "FAILED "):
		if next, _ := utf8.DecodeRuneInString(start[7:]); len(start) > 7 && !unicode.IsSpace(next) {
			return true
		}
	case strings.HasPrefix(start, "ERROR "):
		if dottedName(start[6:]) {
			return true
		}
	case hasAnyPrefix(start, "--- FAIL:", "Build FAILED"), followedBySpace(start, "FAIL"), followedBySpace(start, "Failed!"):
		return true
	}
	return strings.Contains(line, "test result: FAILED") || diagnostic(line, "TS", "CS", "MSB")
}

// followedBySpace says whether a text begins with a word and white space after it.
func followedBySpace(text, word string) bool {
	rest, found := strings.CutPrefix(text, word)
	next, _ := utf8.DecodeRuneInString(rest)
	return found && rest != "" && unicode.IsSpace(next)
}

// dottedName says whether a text begins with a file or module name: a dot inside its first token.
func dottedName(text string) bool {
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		text = text[:end]
	}
	for from := 1; from < len(text); {
		dot := strings.IndexByte(text[from:], '.')
		if dot < 0 {
			return false
		}
		from += dot + 1
		if next, _ := utf8.DecodeRuneInString(text[from:]); from < len(text) && isWord(next) {
			return true
		}
	}
	return false
}

// diagnostic looks for a compiler's message with a code: "error TS2322".
func diagnostic(line string, families ...string) bool {
	for rest := line; ; {
		_, after, found := strings.Cut(rest, "error ")
		if !found {
			return false
		}
		for _, family := range families {
			code, fits := strings.CutPrefix(after, family)
			if fits && code != "" && isDigit(code[0]) {
				return true
			}
		}
		rest = after
	}
}
