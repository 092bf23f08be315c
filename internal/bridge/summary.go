package bridge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-computer-use/internal/result"
	"mcp-computer-use/timeouts"
)

// mostSummary is the length of a summary in characters (spec/contract.md section 6).
const mostSummary = 400

// noModel is model_used where no model was asked.
const noModel = "none"

// answerByCode answers without a model: the status, and the first and the last sentence of the newest
// message in its own words (spec/contract.md section 11). Nothing in it is worded by anybody else, so
// it is certain.
func (l *look) answerByCode(seen *seen, probed *probe) {
	confidence := result.Confidence(1)
	l.out.Summary = codeSummary(string(l.out.Status), seen.outcome.LastMessage)
	l.out.Confidence = &confidence
	l.out.ModelUsed = noModel
	l.setTiming(timeouts.Decision{Source: timeouts.Static})
	l.setMemory(probed.wait())
}

// endMarks end a sentence, in the scripts that the profiles know.
const endMarks = ".?!؟。…"

// codeSummary words a status and a message's first and last sentence, at most mostSummary characters.
func codeSummary(status, message string) string {
	first, last := ends(message)
	summary := status
	if first != "" {
		summary += ": " + first
	}
	if last != "" && last != first {
		summary += " … " + last
	}
	runes := []rune(summary)
	if len(runes) > mostSummary {
		return string(runes[:mostSummary-1]) + "…"
	}
	return summary
}

// ends returns the first and the last sentence of a text. Labels and numbers that stand among the
// sentences (a branch, a count of lines) are no sentences; where there is nothing else, they do.
func ends(text string) (first, last string) {
	var all, whole []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, sentence := range sentences(strings.TrimSpace(line)) {
			all = append(all, sentence)
			if isWhole(sentence) {
				whole = append(whole, sentence)
			}
		}
	}
	if len(whole) > 0 {
		all = whole
	}
	if len(all) == 0 {
		return "", ""
	}
	return all[0], all[len(all)-1]
}

// isWhole says that a text is a sentence of several words with its mark at the end.
func isWhole(sentence string) bool {
	last, _ := utf8.DecodeLastRuneInString(sentence)
	return strings.ContainsRune(endMarks, last) && strings.ContainsFunc(sentence, unicode.IsSpace)
}

// sentences splits a line after a full stop, question or exclamation mark that white space follows. A
// sentence holds at least one letter or digit.
func sentences(line string) []string {
	var found []string
	start := 0
	runes := []rune(line)
	for i, r := range runes {
		ends := i == len(runes)-1 || strings.ContainsRune(endMarks, r) && unicode.IsSpace(runes[i+1])
		if !ends {
			continue
		}
		sentence := strings.TrimSpace(string(runes[start : i+1]))
		start = i + 1
		if strings.IndexFunc(sentence, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
			found = append(found, sentence)
		}
	}
	return found
}
