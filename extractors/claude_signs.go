package extractors

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// spinnerGlyphs turn in front of the verb of a running turn and stay in front of a finished one.
// A middle dot or a star is also a bullet, so more than one word needs the elapsed time beside it.
const spinnerGlyphs = "✢✳✶✻✽✺✹✸✷∗·*"

// duration is how Claude Code prints elapsed time: 11s, 8m 49s, 1h 0m 3s.
const duration = `\d+(?:\.\d+)?[dhms](?: \d+[hms])*`

var (
	pastTense  = lazy(`^\p{Lu}\p{L}*ed for ` + duration + `(?: · .*)?$`)
	liveTime   = lazy(`\((?:[^()]* · )?` + duration + `(?: · [^()]*)?\)?$|\(esc to interrupt`)
	waitAgents = lazy(`^Waiting for [1-9]\d* (?:background [a-z]+|agents?|workflows?)\b.* to finish(?:$| ·|…| \()`)
)

// signKind tells the lines that Claude Code itself puts at the left edge: spinner, finished line,
// waiting for agents, interruption.
func signKind(text string) lineKind {
	if len(text) >= longLine {
		return kindOther
	}
	glyph, rest := cutGlyph(text)
	switch {
	case strings.HasPrefix(rest, "Waiting for ") && waitAgents.MatchString(rest):
		return kindWaitAgent
	case doneLine(rest):
		return kindDone
	case interruptedLine(rest):
		return kindStopped
	case glyph != 0 && spinnerLine(glyph, rest), stalledLine(rest), runInBackground(text):
		return kindSpinner
	}
	return kindOther
}

// cutGlyph splits the spinner's glyph from a line; 0 when there is none.
func cutGlyph(text string) (rune, string) {
	glyph, size := utf8.DecodeRuneInString(text)
	if size == 0 || glyph == utf8.RuneError || !strings.ContainsRune(spinnerGlyphs, glyph) {
		return 0, text
	}
	rest := strings.TrimLeft(text[size:], "\ufe0e\ufe0f")
	if trimmed := strings.TrimLeft(rest, " "); trimmed != rest {
		return glyph, trimmed
	}
	return 0, text
}

// spinnerLine knows a gerund with an ellipsis, or any words with an ellipsis and the elapsed time:
// the words may be the name of a task.
func spinnerLine(glyph rune, rest string) bool {
	if strings.HasSuffix(rest, "(esc to interrupt)") || strings.HasSuffix(rest, " · esc to interrupt)") {
		return true
	}
	words, after, found := strings.Cut(rest, "…")
	if !found || words == "" {
		return false
	}
	after = strings.TrimSpace(after)
	if liveTime.MatchString(after) {
		return true
	}
	verb, more, _ := strings.Cut(words, " ")
	if (glyph == '·' || glyph == '*') && more != "" {
		return strings.HasPrefix(after, "(")
	}
	first, _ := utf8.DecodeRuneInString(verb)
	return unicode.IsUpper(first) && strings.HasSuffix(verb, "ing") && (after == "" || strings.HasPrefix(after, "("))
}

// doneLine knows the past tense with a duration: "Cooked for 2s". "Thought for 2s" is none: thinking
// that ended is no turn that ended.
func doneLine(rest string) bool {
	return strings.Contains(rest, "ed for ") && pastTense.MatchString(rest)
}

// interruptedLine knows what stays on the screen after the user stopped a turn.
func interruptedLine(text string) bool {
	text = strings.TrimSpace(strings.TrimPrefix(text, "⎿"))
	return text == "Interrupted" || text == "Interrupted by user" || hasAnyPrefix(text, "Interrupted · ", "Interrupted by user · ") ||
		text == "[Request interrupted by user]" || text == "[Request interrupted by user for tool use]"
}

// stalledLine knows a turn that waits for the service.
func stalledLine(text string) bool {
	return hasAnyPrefix(text, "Waiting for API response · will retry in", "No response from API · Retrying in")
}

// liveOutput knows the lines below a tool's call that show while the tool runs.
func liveOutput(text string) bool {
	text = strings.TrimSpace(strings.TrimPrefix(text, "⎿"))
	running, rest, _ := strings.Cut(text, "…")
	waits := (running == "Running" || running == "Waiting" || running == "Initializing") && (rest == "" || strings.HasPrefix(rest, " ("))
	return waits && len(running) < len(text) || runInBackground(text) || stalledLine(text) ||
		strings.HasPrefix(text, "API Error") && strings.Contains(text, " · Retrying in ")
}

// runInBackground knows the hint that a running command can be sent to the background.
func runInBackground(text string) bool {
	at := strings.Index(text, "ctrl+b ")
	if at < 0 || len(text) >= longLine {
		return false
	}
	hint := strings.TrimPrefix(text[at:], "ctrl+b ")
	hint = strings.TrimPrefix(strings.TrimPrefix(hint, "ctrl+b "), "(twice) ")
	before := strings.TrimSpace(text[:at])
	alone := before == "" || before == "⎿" || strings.HasSuffix(before, "(") || strings.HasSuffix(before, "·")
	return alone && strings.TrimRight(hint, ") ") == "to run in background"
}

// signRules are the rules of this file with their examples.
func signRules() []lineRule {
	is := func(kind lineKind) func(string) bool {
		return func(line string) bool { return signKind(line) == kind }
	}
	return []lineRule{
		{
			name: "spinner", match: is(kindSpinner),
			yes: []string{
				"✽ Lollygagging… (5s · thought for 1s)", "✶ Percolating… (1m 12s · ↓ 2.1k tokens · thought for 4s)", "✻ Thinking…",
				"✢ Sautéing… (esc to interrupt)", "* Baking…", "· Sautéing…", "✻ Tidy up (12s · esc to interrupt)", "· Baking… (3s)", "* Baking… (3s · ↑ 12 tokens)", "✳ Fix the tests… (1h 2m 3s · still thinking)",
				"✻ Fixing the footer… (12s · esc to interrupt)", "ctrl+b to run in background", "(ctrl+b ctrl+b (twice) to run in background)",
				"✻ Waiting for API response · will retry in 12s",
			},
			no: []string{
				"✻ Cooked for 2s", "Percolating… (1m 12s)", "* Loading the files…", "· reading…", "Loading earlier messages…", "✗ Auto-update failed · Try claude doctor",
				"press ctrl+b to run in background", "⠋ Running…", "✻ Welcome to Claude Code!", "⏵⏵ accept edits on (shift+tab to cycle)",
				"✻ Say esc to interrupt", "✻ Conversation compacted (ctrl+o for history)", "Tip: Hit shift+tab…", "✳ Tide table import",
			},
		},
		{
			name: "finished", match: is(kindDone),
			yes: []string{
				"✻ Cogitated for 11s · done 18:51", "✻ Cooked for 2s", "Worked for 5s", "Brewed for 8m 49s", "✻ Sautéed for 1m 0s",
				"✻ Baked for 2m 14s · 1 shell still running", "* Worked for 5s", "✶ Churned for 1h 0m 3s",
			},
			no: []string{
				"Afterwards a line such as ✻ Cooked for 2s stays", "I worked for 5s", "✻ Cooked for dinner", "Thought for 5s", "✻ Baking for 5s",
				"Worked for 5s on the parser", "Worked for 5s.", "cooked for 2s", "✻ Cooked",
			},
		},
		{
			name: "waiting for agents", match: is(kindWaitAgent),
			yes: []string{"✻ Waiting for 2 background agents to finish", "Waiting for 1 background workflow to finish", "✻ Waiting for 3 workflows to finish", "✽ Waiting for 3 background agents to finish (12s)"},
			no: []string{
				"A line like Waiting for 3 background agents to finish means busy", "Waiting for 0 background agents to finish",
				"Waiting for background agents", "Waiting for 3 background agents to finish means busy as well.",
			},
		},
		{
			name: "interrupted", match: is(kindStopped),
			yes: []string{"Interrupted", "⎿  Interrupted · What should Claude do instead?", "⎿ Interrupted by user"},
			no:  []string{"Interrupted sleep is bad", "The run was Interrupted", "Interrupted: 1 error during collection"},
		},
	}
}
