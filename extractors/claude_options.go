package extractors

import (
	"slices"
	"strings"
)

// optionReach bounds a block of answers and the question above it, in lines.
const optionReach = 60

// optionRow takes an answer that can be chosen apart: "❯ 2. Yes, and …".
func optionRow(text string) (number int, marked, ok bool) {
	text = unbox(text)
	if rest, found := strings.CutPrefix(text, "❯"); found {
		marked, text = true, strings.TrimSpace(rest)
	}
	digits := 0
	for digits < len(text) && digits < 2 && isDigit(text[digits]) {
		number = number*10 + int(text[digits]-'0')
		digits++
	}
	rest, found := strings.CutPrefix(text[digits:], ".")
	return number, marked, digits > 0 && found && strings.TrimSpace(rest) != ""
}

// findOptions looks for a question with a block of numbered answers, one of them marked, that waits
// at the bottom of the screen: a prompt box, a message or a sent prompt below it means that it is
// history or a quotation. offered says that answers wait there, asked that they answer a question.
func findOptions(s *terminal) (question string, asked, offered bool) {
	marked := -1
	for i := len(s.lines) - 1; i >= max(0, len(s.lines)-optionReach); i-- {
		if _, is, ok := optionRow(s.lines[i]); ok && is {
			marked = i
			break
		}
	}
	if marked < 0 || s.prompt < len(s.lines) {
		return "", false, false
	}
	top, bottom, count := optionBlock(s.lines, marked)
	hinted := false
	for _, line := range s.lines[bottom+1:] {
		text := unbox(line)
		if hasAnyPrefix(text, "●", "⏺") || hasAnyPrefix(line, "❯ ", "> ") || signKind(text) == kindDone {
			return "", false, false
		}
		hinted = hinted || strings.Contains(text, "Esc to cancel") || hasAnyPrefix(text, "Enter to ")
	}
	question = questionAbove(s.lines[max(0, top-20):top])
	if hinted || endsAsking(question) && count > 1 {
		return question, true, true
	}
	return "", false, true
}

// menuHints begin the parts of the line below a dialog, lower case: how to choose and how to leave.
var menuHints = []string{"enter to ", "press enter to ", "esc to cancel", "esc to exit", "esc to close", "esc to go back", "esc to return", "esc to dismiss"}

// menuFooter says whether the screen ends in the line below a dialog: a list to choose from, or a notice
// to confirm. While one is open there is no prompt box, and nothing on the screen is a turn's end.
func (s *terminal) menuFooter() bool {
	if s.prompt < len(s.lines) {
		return false
	}
	return slices.ContainsFunc(lastOf(trimBlank(s.lines), 4), menuHint)
}

// menuHint says whether a line, or one of its parts, tells how to leave a dialog.
func menuHint(line string) bool {
	if len(line) >= maxValue*2 {
		return false
	}
	for _, part := range strings.Split(strings.ReplaceAll(unbox(line), " · ", "  "), "  ") {
		if hasAnyPrefix(strings.ToLower(strings.TrimSpace(part)), menuHints...) {
			return true
		}
	}
	return false
}

// menuRow says whether the dialog at the bottom has a chosen entry, indented or in a frame as entries are.
func (s *terminal) menuRow() bool {
	for i := len(s.lines) - 1; i >= max(0, len(s.lines)-optionReach); i-- {
		text := unbox(s.lines[i])
		if hasAnyPrefix(text, "●", "⏺", "⎿") || isRuler(text) {
			return false
		}
		if strings.HasPrefix(text, "❯ ") {
			return !strings.HasPrefix(s.lines[i], "❯")
		}
	}
	return false
}

// optionBlock returns the first and the last answer of the block around a marked one.
func optionBlock(lines []string, marked int) (top, bottom, count int) {
	top, bottom, count = marked, marked, 1
	number, _, _ := optionRow(lines[marked])
	for i, want := marked-1, number-1; i >= 0 && want > 0 && marked-i < optionReach; i-- {
		if is, _, ok := optionRow(lines[i]); ok && is == want {
			top, want, count = i, want-1, count+1
		}
	}
	for i, want := marked+1, number+1; i < len(lines) && i-marked < optionReach; i++ {
		if is, _, ok := optionRow(lines[i]); ok && is == want {
			bottom, want, count = i, want+1, count+1
		}
	}
	return top, bottom, count
}

// questionAbove returns the question that ends directly above the answers, wrapped lines joined;
// where the text above asks nothing itself, the nearest question of the same dialog, else the
// paragraph that stands there.
func questionAbove(lines []string) string {
	paragraphs := paragraphsUp(lines)
	if len(paragraphs) == 0 {
		return ""
	}
	for _, paragraph := range paragraphs {
		for end := len(paragraph); end > 0; end-- {
			if endsAsking(paragraph[end-1]) {
				return joinQuestion(paragraph[:end])
			}
		}
	}
	return strings.Join(paragraphs[0], " ")
}

// paragraphsUp splits the lines above the answers into paragraphs, the lowest first, up to the rule
// that begins the dialog or to what belongs to the transcript.
func paragraphsUp(lines []string) [][]string {
	var all [][]string
	var now []string
	flush := func() {
		if len(now) > 0 {
			slices.Reverse(now)
			all = append(all, now)
		}
		now = nil
	}
	for i := len(lines) - 1; i >= 0; i-- {
		text := unbox(lines[i])
		if isRuler(text) || isBorder(lines[i]) || hasAnyPrefix(text, "●", "⏺", "⎿", "❯ ") {
			break
		}
		if text == "" {
			flush()
			continue
		}
		now = append(now, text)
	}
	flush()
	return all
}

// openers begin the questions that Claude Code asks itself.
var openers = []string{"Do you ", "Would you ", "Allow ", "Claude ", "Which ", "What ", "How ", "Should ", "Is ", "Are ",
	"Can ", "Could ", "Where ", "When ", "Why ", "Who ", "Will ", "Does ", "Did ", "Shall ", "Ready to ", "Use ", "Quick safety check"}

// joinQuestion joins the lines of a wrapped question: from the last line up to the one that opens
// it, not beyond a line that ends a sentence or is a title.
func joinQuestion(lines []string) string {
	from := len(lines) - 1
	for from > 0 && len(lines)-from < 5 && !hasAnyPrefix(lines[from], openers...) {
		above := lines[from-1]
		if hasAnyPrefix(above, "☐", "☒", "✔", "←") || strings.HasSuffix(above, ".") || strings.HasSuffix(above, ":") || endsAsking(above) {
			break
		}
		from--
	}
	question := strings.Join(lines[from:], " ")
	return lastSentence(question)
}
