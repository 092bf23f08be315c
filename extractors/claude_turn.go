package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// turnDetails reads the messages: failures, background tasks and the question to the user from
// Claude's last turn, the next step from the last of its turns that names one.
func (d *desk) turnDetails(view *claudeView) {
	from, to, ok := d.assistantTurn()
	if ok {
		lines := d.turnLines(from, to)
		view.asks = askedSentence(lines)
		view.failures = d.turnFailures(from, to)
		view.background = d.turnBackground(from)
	}
	for n := len(d.heads) - 1; n >= 0 && view.next == ""; n-- {
		end := len(d.els)
		if n+1 < len(d.heads) {
			end = d.heads[n+1].at
		} else if ok {
			end = to
		}
		if d.heads[n].claude {
			view.next = nextStep(d.turnLines(d.heads[n].at, end))
		}
	}
}

// turnLines returns the lines of the texts of a turn, without its heading, times, and what a child
// repeats of its parent.
func (d *desk) turnLines(from, to int) []string {
	var lines []string
	last := -1 // the parent of the text before
	for i := from + 1; i < to; i++ {
		if !d.isText(i) || !d.own(i) || d.repeatsParent(i) || hasAnyPrefix(d.name(i), claudeHead) {
			continue
		}
		parent := d.els[i].Parent
		joins := parent == last && parent >= 0 && (d.els[parent].Role == ui.RoleParagraph || d.els[parent].Role == ui.RoleListItem)
		if last = parent; joins && len(lines) > 0 && !strings.Contains(d.els[i].Name, "\n") {
			lines[len(lines)-1] = joinPieces(lines[len(lines)-1], d.els[i].Name)
			continue
		}
		for _, line := range strings.Split(d.els[i].Name, "\n") {
			if !clockLine(line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// joinPieces puts the pieces of one paragraph together, which is printed in pieces where its style
// changes. A line of a megabyte is long enough as it is.
func joinPieces(line, piece string) string {
	if len(line) >= longLine {
		return line
	}
	if strings.HasSuffix(line, " ") || hasAnyPrefix(piece, " ", ".", ",", ":", ";", "?", "!", "؟", ")") {
		return line + piece
	}
	return line + " " + piece
}

func (d *desk) repeatsParent(i int) bool {
	parent := d.els[i].Parent
	return parent >= 0 && d.isText(parent) && d.els[parent].Name == d.els[i].Name
}

// clockLine knows the time under a message.
func clockLine(line string) bool {
	if len(line) > 64 { // direction marks included
		return false
	}
	line = strings.TrimSpace(stripFormat(line))
	line = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(line, "AM"), "PM"), " \u00a0\u202f")
	hour, minute, found := strings.Cut(line, ":")
	return found && len(hour) <= 2 && len(minute) == 2 && strings.Trim(hour+minute, "0123456789") == "" && hour != ""
}

// turnFailures returns the failures of a turn: lines of its texts, and the lines of its tools, which
// are buttons and count what failed in brackets.
func (d *desk) turnFailures(from, to int) []string {
	var lines []string
	for i := from + 1; i < to; i++ {
		if !d.own(i) || d.row[i] {
			continue
		}
		switch {
		case d.isText(i) && !d.repeatsParent(i) && !strings.HasPrefix(d.name(i), claudeHead):
			lines = append(lines, failureLines(strings.Split(d.els[i].Name, "\n"), messageFailure)...)
		case d.isButton(i):
			lines = append(lines, failureLines(strings.Split(d.els[i].Name, "\n"), toolFailure)...)
		}
	}
	return lines
}

// messageFailure is the rule for a line of a message: that of prose, and the summary of tools.
func messageFailure(line string) bool {
	return proseFailureLine(line) || toolFailure(line) && toolSummary(line)
}

// toolVerbs begin the line that sums up what a tool did.
var toolVerbs = set("ran", "read", "used", "edited", "created", "wrote", "searched", "finished", "listed",
	"updated", "deleted", "fetched", "called", "started", "stopped", "loaded", "viewed", "checked", "running")

// toolLine says whether a line begins as the summary of tool calls does.
func toolLine(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return toolVerbs[strings.ToLower(word)]
}

// toolSummary says whether every part of a line between commas begins as a summary does.
func toolSummary(line string) bool {
	if len(line) >= 4*maxValue || !toolLine(line) {
		return false
	}
	for _, part := range commaParts(line) {
		if !toolLine(part) && !stillRunning(strings.TrimSpace(part)) {
			return false
		}
	}
	return !strings.HasSuffix(line, ".")
}

// toolFailure knows the brackets of a tool line that count failures: "(1 failed)". What stands in
// quotes belongs to a command.
func toolFailure(line string) bool {
	if len(line) >= 4*maxValue {
		return false
	}
	for from := 0; ; {
		open := strings.IndexByte(line[from:], '(')
		if open < 0 {
			return false
		}
		from += open + 1
		inner, _, closed := strings.Cut(line[from:], ")")
		if closed && hasCount(inner) && countsOnly(inner) && !quoted(line[:from]) {
			return true
		}
	}
}

// quoted says whether a text leaves a quotation open.
func quoted(text string) bool {
	for _, mark := range []string{`"`, "'", "`"} {
		if strings.Count(text, mark)%2 > 0 {
			return true
		}
	}
	return false
}

// turnBackground returns what the last turn and the notices after it say of tasks in the background.
func (d *desk) turnBackground(from int) []string {
	to := len(d.els)
	if d.composer > from {
		to = d.composer
	}
	var tasks []string
	for i := from + 1; i < to; i++ {
		if !d.own(i) || d.row[i] {
			continue
		}
		line, _, _ := strings.Cut(d.name(i), "\n")
		switch {
		case len(line) >= longLine:
		case backgroundNotice(line), d.isText(i) && stillRunning(line):
			tasks = append(tasks, line)
		case d.isButton(i) && toolLine(line), d.isText(i) && !d.repeatsParent(i) && toolSummary(line):
			tasks = append(tasks, backgroundParts(line)...)
		}
	}
	return append(tasks, d.waitsFor()...)
}

// readDesktopText reads the desktop application from its text alone, which has no buttons: the
// headings in their order and the status text before them are all the evidence there is.
func readDesktopText(lines []string) claudeView {
	var view claudeView
	claudeAt, youAt, done := -1, -1, false
	for i, line := range lines {
		line = strings.TrimSpace(stripFormat(cutRunes(line, longLine)))
		switch {
		case strings.HasPrefix(line, youHead):
			youAt = i
		case strings.HasPrefix(line, claudeHead) && i+1 < len(lines) && repeatsHead(line, stripFormat(lines[i+1])):
			claudeAt = i
		case line == doneText && claudeAt < 0 && youAt < 0:
			done = true
		}
	}
	signs := lineSigns(lines[max(claudeAt, youAt)+1:])
	view.working = signs.status && max(claudeAt, youAt) >= 0
	if claudeAt <= youAt { // the user's turn stands last, or there are no turns
		view.finished = done && youAt < 0 && !signs.doubt
		return view
	}
	turn := slices.DeleteFunc(slices.Clone(lines[claudeAt+1:]), func(line string) bool { return clockLine(line) || noiseLine(line) })
	asked := slices.ContainsFunc(turn, func(line string) bool {
		return strings.HasPrefix(line, "Allow Claude to ") && endsAsking(line)
	})
	view.finished = done && !asked && !signs.doubt && timed(lines, claudeAt, youAt)
	view.next = nextStep(turn)
	view.failures = failureLines(turn, messageFailure)
	view.background = linesOfBackground(turn)
	if !asked {
		view.asks = askedSentence(turn)
	}
	return view
}

// linesOfBackground returns what the lines of a turn say of tasks in the background.
func linesOfBackground(turn []string) []string {
	var tasks []string
	for _, line := range turn {
		text := strings.TrimSpace(line)
		switch {
		case len(line) >= longLine:
		case backgroundNotice(text), stillRunning(text):
			tasks = append(tasks, text)
		case toolSummary(text):
			tasks = append(tasks, backgroundParts(text)...)
		}
	}
	return tasks
}

// timed says whether the last turn ends in the time that finished messages carry, where any do. The
// status text of an earlier response stays on the page while a new one is written.
func timed(lines []string, claudeAt, youAt int) bool {
	return !slices.ContainsFunc(lines[:max(claudeAt, youAt)], clockLine) || slices.ContainsFunc(lines[claudeAt:], clockLine)
}
