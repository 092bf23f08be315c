package extractors

import (
	"strings"
	"unicode/utf8"
)

// details reads the transcript of a terminal: header, last turn, footer.
func (s *terminal) details(view *claudeView) {
	s.header(view)
	turn := s.lastTurn()
	view.failures = s.failures(turn)
	view.background = s.background(turn)
	view.context = s.context()
	view.next = nextStep(s.said(0))
	if !view.asked {
		view.asks = askedSentence(s.said(turn))
	}
}

// lastTurn returns the line of the last prompt that was sent, 0 when none is on the screen.
func (s *terminal) lastTurn() int {
	last := 0
	for i, kind := range s.kinds {
		if kind == kindUser && isArrow(s.lines[i]) {
			last = i
		}
	}
	return last
}

// header reads the folder from the welcome box or from the lines beside the logo, and the model from
// the latter. The newest one on the screen counts.
func (s *terminal) header(view *claudeView) {
	logo := -1
	for i, line := range s.lines[:len(s.kinds)] {
		text := unbox(line)
		if path, found := strings.CutPrefix(text, "cwd: "); found && s.kinds[i] == kindOther {
			view.setFolder(strings.TrimSpace(path))
			continue
		}
		if strings.Contains(text, "Claude Code v") && s.kinds[i] == kindOther {
			logo = i
			continue
		}
		if logo >= 0 && i-logo <= 12 && s.kinds[i] == kindOther {
			view.setHeaderCell(headerCell(line), i-logo)
		}
	}
	for _, line := range s.foot {
		if model := footModel(line); model != "" {
			view.model = model
		}
	}
}

// footModel reads the model from a status line of the user's own.
func footModel(line string) string {
	_, model, _ := strings.Cut(line, "Model: ")
	for _, end := range []string{"  ", " · ", " | ", " │ "} {
		model, _, _ = strings.Cut(model, end)
	}
	if !modelLike(model) {
		return ""
	}
	return model
}

// headerCell returns what stands beside the logo, or in the left half of the welcome box.
func headerCell(line string) string {
	line = strings.TrimLeft(line, " │▐▛█▜▌▝▘▀▄▖▗▙▟▞▚")
	cell, _, _ := strings.Cut(line, "│")
	return strings.TrimSpace(cell)
}

// setHeaderCell takes model and folder from a cell that stands so many lines below the version.
func (v *claudeView) setHeaderCell(cell string, below int) {
	model, _, _ := strings.Cut(cell, " · ")
	switch {
	case modelLike(model):
		v.model = model
	case below == 1 && strings.Contains(cell, " · ") && strings.ContainsAny(model, "0123456789"):
		v.model = model
	case pathLike(cell):
		v.setFolder(cell)
	}
}

// said returns the lines of Claude's messages from a line on, wrapped ones joined.
func (s *terminal) said(from int) []string {
	width := s.width()
	var lines []string
	joins := false
	for i := from; i < len(s.kinds); i++ {
		if s.kinds[i] != kindMessage {
			joins = false
			continue
		}
		text := strings.TrimSpace(s.lines[i])
		if joins && s.wraps(i, width) {
			lines[len(lines)-1] += " " + text
			continue
		}
		lines = append(lines, trimBullet(text))
		joins = true
	}
	return lines
}

// width is the width of the terminal: that of its rules, else of its longest line.
func (s *terminal) width() int {
	longest := 0
	for _, line := range s.lines {
		size := utf8.RuneCountInString(line)
		if isRuler(line) || isBorder(line) {
			return size
		}
		longest = max(longest, size)
	}
	return longest
}

// wraps says whether line i goes on where the line above it ended: its first word had no room there.
func (s *terminal) wraps(i, width int) bool {
	text := strings.TrimSpace(s.lines[i])
	if hasAnyPrefix(text, "- ", "* ", "• ", "● ", "⏺ ", "│", "#") {
		return false
	}
	if number, rest, found := strings.Cut(text, ". "); found && rest != "" && strings.Trim(number, "0123456789") == "" {
		return false
	}
	word, _, _ := strings.Cut(text, " ")
	return utf8.RuneCountInString(s.lines[i-1])+1+utf8.RuneCountInString(word) > width-2
}

// failures returns the failures of the last turn: of tools' output by the whole rule, of messages by
// the one for prose. What the user wrote and how a tool was called reports nothing.
func (s *terminal) failures(turn int) []string {
	var found []string
	for i := turn; i < len(s.kinds); i++ {
		line := s.lines[i]
		text := trimBullet(line)
		switch s.kinds[i] {
		case kindMessage:
			if messageFailure(text) {
				found = append(found, text)
			}
		case kindOutput, kindSpinner:
			if failureLine(text) && signKind(text) == kindOther {
				found = append(found, text)
			}
		}
	}
	return found
}

// background returns what the last turn says of work in the background: what still runs, what is
// waited for and what ended; without any of these the footer's count, or the last notice that a
// command was sent there.
func (s *terminal) background(turn int) []string {
	var tasks, sent []string
	for i := turn; i < len(s.kinds); i++ {
		text := strings.TrimSpace(s.lines[i])
		_, rest := cutGlyph(text)
		bullet := trimBullet(text)
		switch kind := s.kinds[i]; {
		case kind == kindWaitAgent:
			tasks = append(tasks, rest)
		case kind == kindDone:
			if i+1 < len(s.kinds) && s.kinds[i+1] == kindOther && strings.HasPrefix(s.lines[i+1], " ") {
				rest += " " + strings.TrimSpace(s.lines[i+1]) // wrapped
			}
			tasks = append(tasks, runningParts(rest)...)
		case kind == kindMessage && hasAnyPrefix(text, "●", "⏺") && backgroundNotice(bullet):
			tasks = append(tasks, bullet)
		case kind == kindMessage && hasAnyPrefix(text, "●", "⏺") && toolSummary(bullet):
			tasks = append(tasks, backgroundParts(bullet)...)
		case kind == kindOutput && strings.HasPrefix(bullet, "Running in the background"):
			sent = []string{bullet}
		}
	}
	if len(tasks) > 0 {
		return tasks
	}
	for _, line := range s.foot {
		for _, part := range strings.Split(line, " · ") {
			if part = strings.TrimSpace(part); countOf(part, "shell", "local agent", "background task", "background agent", "background shell") {
				tasks = append(tasks, part)
			}
		}
	}
	if len(tasks) > 0 {
		return tasks
	}
	return sent
}

// runningParts returns the parts of a finished line that say what still runs.
func runningParts(line string) []string {
	var parts []string
	for _, part := range strings.Split(line, " · ")[1:] {
		if strings.HasSuffix(part, " still running") || strings.Contains(part, "background") {
			parts = append(parts, part)
		}
	}
	return parts
}

// countOf says whether a text is a number and one of the nouns, in singular or plural.
func countOf(text string, nouns ...string) bool {
	number, noun, found := strings.Cut(text, " ")
	if !found || !aboveZero(number) {
		return false
	}
	for _, one := range nouns {
		if strings.TrimSuffix(noun, "s") == one {
			return true
		}
	}
	return false
}

// context returns how much of the context is used, from the footer. The notice stands at the right
// and may wrap there, so the right-hand columns of neighbouring lines are read together.
func (s *terminal) context() string {
	foot := s.foot
	if s.prompt == len(s.lines) {
		foot = lastOf(trimBlank(s.lines), 8)
	}
	used := ""
	for i, line := range foot {
		text := rightColumn(line)
		for k := i; k < len(foot) && k < i+3; k++ {
			if k > i && strings.HasSuffix(text, "-") { // wrapped inside "auto-compact"
				text += rightColumn(foot[k])
			} else if k > i {
				text += " " + rightColumn(foot[k])
			}
			if found := contextIn(text); found != "" {
				used = found
				break
			}
		}
	}
	return used
}

// rightColumn returns what stands behind the last wide gap of a line.
func rightColumn(line string) string {
	_, column, _ := splitLast(strings.TrimSpace(line), "  ")
	return strings.TrimSpace(column)
}

// contextIn reads a notice of the context: a used share as it is shown, a share that is left as the
// rest of a hundred.
func contextIn(text string) string {
	if len(text) >= longLine || !strings.Contains(text, "%") {
		return ""
	}
	for _, form := range []struct {
		before, after string
		left          bool
	}{
		{"", "% context used", false}, {"", "% of context used", false},
		{"Context left until auto-compact: ", "%", true}, {"", "% until auto-compact", true},
		{"", "% context left until auto-compact", true}, {"Context low (", "% remaining)", true},
	} {
		if number, found := numberBetween(text, form.before, form.after); found {
			if form.left {
				number = 100 - number
			}
			return itoa(number) + "%"
		}
	}
	return ""
}

// percentIn returns the share that a text names.
func percentIn(text string) string {
	if number, found := numberBetween(text, "", "%"); found {
		return itoa(number) + "%"
	}
	return ""
}
