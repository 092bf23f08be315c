package extractors

import (
	"slices"
	"strings"
)

// claudeView is what one look at Claude Code found, in the desktop application or in a terminal.
type claudeView struct {
	project, session, branch, folder, model string
	files, background, failures             []string
	context, prompt, next, asks             string

	working  bool // a live sign of a running turn
	finished bool // a sign of a finished turn that is newer than any of a running one
	asked    bool // a question with its answers waits for the user
	byTitle  bool // the window title alone is evidence of working or finished
	desktop  bool // read from the desktop application
}

// status follows spec/profiles.md, "claude_code": the README gives this profile three values, so a
// pending question shows in the details and only keeps the turn from counting as finished.
func (v claudeView) status() string {
	switch {
	case v.working:
		return StatusWorking
	case v.asked:
		return StatusUnknown
	case v.finished:
		return StatusFinished
	}
	return StatusUnknown
}

// details lists what was found in the order of the README's keys.
func (v claudeView) details() []Detail {
	var all details
	all.text("project", v.project)
	all.text("session", v.session)
	all.text("branch", v.branch)
	all.text("folder", v.folder)
	all.text("model", v.model)
	all.list("files", v.files, maxList)
	all.list("background_tasks", v.background, maxList)
	all.text("context_used", v.context)
	all.flag("waiting_for_user", v.asked)
	all.text("waiting_prompt", v.prompt)
	all.lastList("failures", v.failures)
	all.text("next_step", v.next)
	if v.asks != v.prompt {
		all.text("asks_user", v.asks)
	}
	return all
}

// extractClaude reads Claude Code, in the desktop application and in a terminal.
func extractClaude(in Input) Outcome {
	t := newTree(in.Snapshot)
	lines := messageLines(in)
	out := Outcome{Exposed: exposed(in, t)}
	var view claudeView
	if inTerminal(in, t) {
		view = readTerminal(in, t)
		lines = trimBlank(dropRepeats(withoutRulers(lines)))
	} else {
		view = readDesktop(in, t)
		view.desktop = true
	}
	out.Status, out.Details = StatusUnknown, view.details()
	if out.Exposed || view.byTitle {
		out.Status = view.status()
	}
	if view.desktop {
		lines = withoutHints(lines, out.Status == StatusFinished)
	}
	out.LastMessage, out.Truncated = lastMessage(lines, in.MaxChars)
	return out
}

// inTerminal tells the terminal from the desktop application: by the process, by the glyph in the
// title (a Windows console belongs to the program that runs in it, so its process may be claude),
// or, where neither is known, by a text that no page stands behind and that has a tool's output.
func inTerminal(in Input, t *tree) bool {
	if terminalApps[appOf(in)] {
		return true
	}
	if len(t.documents()) > 0 {
		return false
	}
	if glyph, _, _ := titleGlyph(in.WindowTitle); glyph != 0 {
		return true
	}
	for _, line := range in.Lines {
		if len(line) < longLine && (strings.HasPrefix(strings.TrimSpace(line), "⎿") || isRuler(line)) {
			return true
		}
	}
	return false
}

func withoutRulers(lines []string) []string {
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		if !isRuler(line) && !isBorder(line) {
			kept = append(kept, line)
		}
	}
	return kept
}

// withoutHints drops what the application writes itself below a chat: the hint in the empty prompt
// field, which is no draft, the standing disclaimer, and the status text of a response where it is
// an earlier one's, since a model that reads on would take it at its word.
func withoutHints(lines []string, finished bool) []string {
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case len(text) < maxValue && composerHint(text), text == doneText && !finished,
			text == "Claude is AI and can make mistakes. Please double-check responses.":
		default:
			kept = append(kept, line)
		}
	}
	return trimBlank(kept)
}

// composerHint says whether a line is nothing but a hint of the prompt field.
func composerHint(text string) bool {
	text = strings.TrimRight(strings.ToLower(text), ".…")
	return text == "reply" || slices.Contains(composerNames, text)
}

// askedSentence returns the last sentence at the end of one of the lines that asks something.
func askedSentence(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if len(lines[i]) >= longLine {
			continue
		}
		line := strings.TrimRight(cleanValue(lines[i]), "*_ ")
		if !endsAsking(line) || addressLine(line) {
			continue
		}
		if sentence := lastSentence(line); strings.Trim(sentence, "?؟？ ") != "" {
			return sentence
		}
	}
	return ""
}

// endsAsking says whether a text ends in a question mark, Arabic and full-width ones included.
func endsAsking(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "؟") || strings.HasSuffix(text, "？")
}

// lastSentence cuts a line after the last end of a sentence inside it.
func lastSentence(line string) string {
	start := 0
	for _, end := range []string{". ", "! ", "? ", "؟ ", "… ", "。", "！", "？"} {
		if at := strings.LastIndex(strings.TrimRight(line, "?؟？"), end); at >= 0 {
			start = max(start, at+len(end))
		}
	}
	return strings.TrimLeft(strings.TrimSpace(line[start:]), "*_")
}

// backgroundNotice knows the line that reports on a task in the background.
func backgroundNotice(line string) bool {
	rest, found := strings.CutPrefix(line, "Background ")
	if !found {
		return false
	}
	what, rest, _ := strings.Cut(rest, " ")
	switch strings.TrimSuffix(what, "s") {
	case "command", "task", "agent", "shell", "workflow":
	default:
		return false
	}
	if strings.HasPrefix(rest, `"`) {
		if at := strings.LastIndex(rest, `" `); at > 0 {
			rest = rest[at+2:]
		}
	}
	rest = strings.TrimPrefix(rest, "was ")
	return hasAnyPrefix(rest, "completed", "stopped", "failed", "finished", "killed", "timed out") &&
		(strings.Contains(rest, " · ") || strings.Contains(rest, "(") || !strings.Contains(rest, " "))
}

// backgroundParts returns the parts of a combined tool line that speak of the background.
func backgroundParts(line string) []string {
	var parts []string
	for _, part := range commaParts(line) {
		if speaksOfBackground(part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// commaParts splits a line at its commas outside brackets.
func commaParts(line string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(line) {
		switch line[i] {
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		case ',':
			if depth == 0 {
				parts = append(parts, line[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, line[start:])
}

// speaksOfBackground says whether a part of a tool line is about something in the background, and
// not about a file or a word of that name.
func speaksOfBackground(part string) bool {
	part = strings.ToLower(part)
	if stillRunning(strings.TrimSpace(part)) {
		return true
	}
	if strings.HasSuffix(part, " in the background") || strings.Contains(part, " in the background ") {
		return true
	}
	_, what, found := strings.Cut(part, " background ")
	return found && hasAnyPrefix(what, "command", "task", "agent", "shell", "workflow", "process", "job")
}

// running is what still runs in the background, counted.
var running = lazy(`^[1-9]\d* (?:background |local |remote )?(?:shell|command|task|agent|workflow|monitor|job|process)(?:e?s)? still running$`)

// stillRunning says whether a text is nothing but such a count.
func stillRunning(text string) bool { return len(text) < maxValue && running.MatchString(text) }

// pathLeaf returns the last part of a path in either notation; nothing for a root or a bare home.
func pathLeaf(path string) string {
	path = strings.TrimRight(strings.TrimSpace(path), `/\`)
	leaf := path[strings.LastIndexAny(path, `/\`)+1:]
	if leaf == "~" || strings.HasSuffix(leaf, ":") {
		return ""
	}
	return leaf
}

// pathLike says whether a text is an absolute path or one from the home folder.
func pathLike(text string) bool {
	drive := len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/')
	return drive || text == "~" || hasAnyPrefix(text, "/", "~/", `~\`, `\\`)
}

// modelLike says whether a text begins with the name of one of Claude's models and its version.
func modelLike(text string) bool {
	text = strings.TrimPrefix(text, "Claude ")
	for _, family := range []string{"Opus", "Sonnet", "Haiku"} {
		version, found := strings.CutPrefix(text, family+" ")
		if found && version != "" && isDigit(version[0]) {
			return true
		}
	}
	return false
}
