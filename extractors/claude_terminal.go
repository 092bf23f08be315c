package extractors

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// lineKind is what a line of Claude Code's terminal screen is.
type lineKind int

const (
	kindOther     lineKind = iota
	kindUser               // a prompt that was sent, and its further lines
	kindMessage            // what Claude says, and its further lines
	kindCall               // the call of a tool
	kindOutput             // what a tool printed
	kindSpinner            // a live sign of work
	kindDone               // the past-tense line under a finished turn
	kindStopped            // the user interrupted the turn
	kindWaitAgent          // waiting for agents in the background, which is work too
)

// terminal is the screen of Claude Code, split at its prompt box.
type terminal struct {
	lines  []string   // every line without the window's frame
	kinds  []lineKind // per line of the transcript, which ends where the prompt begins
	foot   []string   // lines below the prompt
	prompt int        // index of the prompt box in lines; len(lines) when there is none
}

// readTerminal reads Claude Code in a terminal: its text, and the title where the text says nothing.
func readTerminal(in Input, t *tree) claudeView {
	screen := newTerminal(terminalLines(in, t))
	glyph, task, live := titleGlyph(in.WindowTitle)
	named := glyph != 0 && task != "" && !strings.EqualFold(task, "Claude Code")
	var view claudeView
	if named {
		view.session = task
	}
	offered := false
	view.prompt, view.asked, offered = findOptions(screen)
	if !view.asked && screen.menuFooter() {
		view.asked, offered = screen.menuRow(), true
	}
	working, finished := screen.state()
	view.working = working || live
	view.finished = !offered && !hiddenScreenBusy(in, t) && (finished || named && !live && !screen.justSent())
	view.byTitle = live || named
	screen.details(&view)
	return view
}

// terminalLines returns the lines of the terminal's buffer: the text without the title and without
// the labels of other tabs. Where there is no text at all the tree has none of it either.
func terminalLines(in Input, t *tree) []string {
	known := t.frameTexts(t.frame())
	delete(known, "")
	lines := make([]string, 0, len(in.Lines))
	for _, line := range in.Lines {
		if len(line) >= longLine {
			line = strings.ToValidUTF8(line[:longLine], "")
		}
		line = strings.TrimRight(stripFormat(strings.ReplaceAll(line, "\u00a0", " ")), " \r\t")
		if line != "" && (isTitle(line, in.WindowTitle) || known[cleanValue(line)]) {
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// hiddenScreenBusy looks, where the text command gave nothing, at the part of the screen that the tree
// shows as a value: a live sign or a dialog in it contradicts an idle title.
func hiddenScreenBusy(in Input, t *tree) bool {
	if slices.ContainsFunc(in.Lines, func(line string) bool { return strings.TrimSpace(line) != "" && !isTitle(line, in.WindowTitle) }) {
		return false
	}
	frame := t.frame()
	for i, el := range t.els {
		if el.Value == "" || frame[i] || len(el.Value) >= longLine {
			continue
		}
		screen := newTerminal(strings.Split(el.Value, "\n"))
		working, _ := screen.state()
		if _, _, offered := findOptions(screen); working || offered || screen.menuFooter() {
			return true
		}
	}
	return false
}

func newTerminal(lines []string) *terminal {
	s := &terminal{lines: lines}
	var end int
	s.prompt, end = findPrompt(lines)
	s.foot = lines[end:]
	s.kinds = classify(lines[:s.prompt])
	return s
}

// findPrompt finds the prompt box at the bottom: between two rules, in a frame, or a bare arrow. It
// returns its first line and the line after it, or the number of lines twice.
func findPrompt(lines []string) (start, end int) {
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-40; i-- {
		text := strings.TrimSpace(lines[i])
		switch {
		case isRuler(text), isBorder(text) && strings.HasPrefix(text, "╰"):
			for k := i - 1; k >= 0 && k >= i-30; k-- {
				above := strings.TrimSpace(lines[k])
				if isRuler(above) || isBorder(above) && strings.HasPrefix(above, "╭") {
					if k+1 < i && isArrow(unbox(lines[k+1])) {
						return k, i + 1
					}
					break
				}
			}
		case text == "❯" || text == ">":
			return i, i + 1
		}
	}
	return len(lines), len(lines)
}

// isArrow says whether a line begins as the prompt does, and not as an answer that can be chosen.
func isArrow(text string) bool {
	if _, _, option := optionRow(text); option {
		return false
	}
	return text == "❯" || text == ">" || hasAnyPrefix(text, "❯ ", "> ", "! ", "# ") || text == "!"
}

// isRuler knows the rule above and below the prompt, also with a label in it.
func isRuler(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "────") && strings.HasSuffix(line, "─") && utf8.RuneCountInString(line) >= 10
}

// isBorder knows a line that is nothing but the upper or lower edge of a frame, or a dashed rule.
func isBorder(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && hasAnyPrefix(line, "╭", "╰", "├", "╌") && strings.Trim(line, "╭╮╰╯├┤─╌ ") == ""
}

// unbox removes the sides of a frame and the space around a line.
func unbox(line string) string {
	line = strings.TrimSpace(line)
	for _, side := range []string{"│", "┃"} {
		line = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(line, side), side))
	}
	return line
}

// classify tells the lines of the transcript apart. Claude Code puts its marks at the left edge:
// what is indented under a mark belongs to it, whatever it says.
func classify(lines []string) []lineKind {
	kinds := make([]lineKind, len(lines))
	state := kindOther
	for i, line := range lines {
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		kind := kindOther
		switch {
		case text == "":
		case strings.HasPrefix(text, "⎿"):
			state, kind = kindOutput, kindOutput
			if interruptedLine(text) {
				kind = kindStopped
			} else if liveOutput(text) {
				kind = kindSpinner
			}
		case hasAnyPrefix(text, "●", "⏺") && indent <= 1:
			state = kindMessage
			if toolCall(trimBullet(text)) {
				state = kindCall
			}
			kind = state
		case indent == 0 && isArrow(text):
			state, kind = kindUser, kindUser
		case indent <= 1 && signKind(text) != kindOther, state == kindOther && signKind(text) == kindWaitAgent:
			kind, state = signKind(text), kindOther
		case state == kindOutput && liveOutput(text):
			kind = kindSpinner
		case indent == 0 && (isRuler(text) || isBorder(text)):
		default:
			kind = state
			if kind == kindCall { // the wrapped rest of a call
				kind = kindOther
			}
		}
		kinds[i] = kind
	}
	return kinds
}

// toolCall knows the call of a tool, "Bash(make)", behind its bullet.
func toolCall(text string) bool {
	name, _, found := strings.Cut(text, "(")
	return found && name != "" && strings.IndexFunc(name, func(r rune) bool { return !isWord(r) && r != '-' && r != ':' }) < 0
}

// state tells from the text alone whether a turn runs or has finished. The newest sign counts: a
// finished one only when nothing was sent or said after it, a live one only when nothing was said.
func (s *terminal) state() (working, finished bool) {
	if s.footSaysWorking() {
		return true, false
	}
	for i := len(s.kinds) - 1; i >= 0; i-- {
		switch s.kinds[i] {
		case kindSpinner, kindWaitAgent:
			return true, false
		case kindDone, kindStopped:
			return false, true
		case kindUser:
			return s.spinnerAbove(i), false
		case kindMessage, kindCall:
			return false, false
		}
	}
	return false, false
}

// justSent says whether the transcript ends in what the user sent: an idle title is then older.
func (s *terminal) justSent() bool {
	for i := len(s.kinds) - 1; i >= 0; i-- {
		if strings.TrimSpace(s.lines[i]) != "" {
			return s.kinds[i] == kindUser
		}
	}
	return false
}

// spinnerAbove looks for a live sign directly above prompts that wait in line.
func (s *terminal) spinnerAbove(i int) bool {
	for ; i >= 0; i-- {
		switch s.kinds[i] {
		case kindSpinner, kindWaitAgent:
			return true
		case kindDone, kindStopped, kindMessage, kindCall:
			return false
		}
	}
	return false
}

// footSaysWorking looks for the hint how to interrupt, as the last part of a line of the footer. Old
// versions showed it beside "esc to clear" while idle.
func (s *terminal) footSaysWorking() bool {
	foot, boxed := s.foot, s.prompt < len(s.lines)
	if !boxed {
		foot = lastOf(trimBlank(s.lines), 6)
	}
	found := false
	for _, line := range foot {
		if strings.Contains(line, "esc to clear") {
			return false
		}
		for _, column := range strings.Split(strings.TrimSpace(line), "  ") {
			column = strings.TrimSpace(column)
			_, last, joined := splitLast(column, " · ")
			plain := column == "esc to interrupt"
			found = found || plain || joined && last == "esc to interrupt" && (boxed || footer(column))
		}
	}
	return found
}

// footer knows the beginnings of the permanent line below the prompt.
func footer(line string) bool {
	return hasAnyPrefix(line, "⏵⏵", "⏸", "? for shortcuts", "esc to", "ctrl+", "shift+", "↓", "↑") || isDigit(line[0])
}

func splitLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return "", text, false
}
