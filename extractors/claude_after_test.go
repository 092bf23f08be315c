package extractors

import (
	"strings"
	"testing"

	"mcp-computer-use/internal/ui"
)

// Pieces of the page behind its turns; those of claude_variants_test.go stand before them.
const (
	bareStop  = "      [@e5] button \"Stop\"\n"
	flatField = "      [@e3] textfield \"Prompt\" val=\"Type / for commands\"\n      [@e4] button \"Model: Opus 4.5\"\n"
	actions   = "        group \"Message actions\"\n          [@e6] button \"Copy\"\n"
	flatTurns = "      statictext \"You said: Sort it.\"\n      statictext \"Sort it.\"\n      statictext \"Claude responded: Sorted.\"\n      statictext \"Sorted.\"\n"
	noName    = "        [@e5] button\n"
)

func status(text string) string { return "      group\n        statictext \"" + text + "\"\n" }

// TestClaudeStopWithoutRow looks at a Stop in a composer that has no group of its own, or no field.
func TestClaudeStopWithoutRow(t *testing.T) {
	turns := deskPage + rename + done + youSaid + claudeDid
	flat := deskPage + rename + "      statictext \"Claude finished the response\"\n" + flatTurns
	row := "      [@e9] button \"Stop\"\n      [@e10] button \"More options for Stop\"\n"
	for _, v := range []variant{
		{name: "flat page", tree: flat + flatField + bareStop, status: StatusWorking},
		{name: "flat page, groups of messages", tree: turns + flatField + bareStop, status: StatusWorking},
		{name: "above the field", tree: turns + bareStop + flatField, status: StatusWorking},
		{name: "in the group of the turns", status: StatusWorking,
			tree: deskPage + "      group\n" + indent(done+youSaid+claudeDid+flatField+bareStop) + "\n"},
		{name: "field not exposed", tree: turns + "      group\n        [@e4] button \"Add files, connectors, and more\"\n        [@e5] button \"Stop\"\n", status: StatusWorking},
		{name: "field not exposed, flat", tree: turns + "      [@e4] button \"Model: Opus 4.5\"\n" + bareStop, status: StatusWorking},
		{name: "full name above the field", tree: turns + "      [@e5] button \"Stop response\"\n" + flatField, status: StatusWorking},
		{name: "nothing tells whose it is", tree: turns + "      group\n        [@e5] button \"Stop\"\n", status: StatusUnknown},
		{name: "in a panel, send without a name", tree: turns + field + noName + "      group \"Preview\"\n        [@e9] button \"Stop\"\n", status: StatusUnknown},
		{name: "after an answer without an end", tree: flat + bareStop + flatField, status: StatusUnknown},
		{name: "no turn, old status text", tree: deskPage + done + "      group\n        [@e5] button \"Stop\"\n", status: StatusUnknown},
		{name: "send beside it", tree: turns + flatField + bareStop + "      [@e7] button \"Send message\"\n", status: StatusFinished},
		{name: "side row behind the turns", tree: turns + row + field + noName, status: StatusFinished},
		{name: "side row with a state behind the field", tree: turns + flatField + noName[2:] + strings.Replace(row, "button \"Stop\"", "button \"Running Stop\"", 1), status: StatusFinished},
		{name: "in a message", tree: turns + "        [@e9] button \"Stop\"\n" + field + noName, status: StatusFinished},
		{name: "before the turns", tree: deskPage + bareStop + done + youSaid + claudeDid + field + noName, status: StatusFinished},
		{name: "in a preview", tree: turns + "      [@e20] textarea \"Preview\" id=RootWebArea\n        [@e21] button \"Stop\"\n" + field + noName, status: StatusFinished},
		{name: "a name that goes on in a second line", tree: turns + flatField + "      [@e5] button \"Stop\nthe pump\"\n", status: StatusFinished},
		{name: "a text", tree: turns + flatField + "      statictext \"Stop\"\n", status: StatusFinished},
	} {
		t.Run(v.name, v.check)
	}
}

// TestClaudeStatusLines looks at the lines that Claude Code writes between the last turn and the field.
func TestClaudeStatusLines(t *testing.T) {
	turns := deskPage + rename + done + youSaid + claudeDid
	agents, spinner := "Waiting for 2 background agents to finish", "✽ Moseying… (12s · ↓ 2k tokens)"
	for _, v := range []variant{
		{name: "agents", tree: turns + status(agents) + field + noName, status: StatusWorking, details: map[string]any{"background_tasks": []any{agents}}},
		{name: "spinner", tree: turns + status(spinner) + field + noName, status: StatusWorking, no: []string{"background_tasks"}},
		{name: "agents and a glyph", tree: turns + status("✻ "+agents) + field + sendIt, status: StatusWorking, details: map[string]any{"background_tasks": []any{agents}}},
		{name: "as the name of a group", tree: turns + "      group \"" + spinner + "\"\n" + field + noName, status: StatusWorking},
		{name: "behind the actions of a flat turn", tree: deskPage + done + flatTurns + actions[2:] + status(spinner) + field + noName, status: StatusWorking},
		{name: "after the user's turn", tree: turns + youAgain + status(spinner) + field + noName, status: StatusWorking},
		{name: "no field to stand above", tree: turns + status(spinner), status: StatusUnknown},
		{name: "behind the field", tree: turns + field + noName + status(spinner), status: StatusUnknown},
		{name: "in an answer without an end", tree: deskPage + "      statictext \"Claude finished the response\"\n" + flatTurns + "      statictext \"" + agents + "\"\n" + field + noName, status: StatusUnknown},
		{name: "in an answer without an end, send shows", tree: deskPage + flatTurns + "      statictext \"" + agents + "\"\n" + field + sendIt, status: StatusFinished},
		{name: "in a message", tree: turns + "        statictext \"" + spinner + "\"\n" + field + noName, status: StatusFinished, no: []string{"background_tasks"}},
		{name: "before the turns", tree: deskPage + status(spinner) + done + youSaid + claudeDid + field + noName, status: StatusFinished},
		{name: "prose", tree: turns + status("A line such as "+agents+" means busy.") + field + noName, status: StatusFinished},
		{name: "in a preview", tree: turns + "      [@e20] textarea \"Preview\" id=RootWebArea\n        statictext \"" + spinner + "\"\n" + field + noName, status: StatusFinished},
		{name: "text alone", text: doneText + "\nYou said: Go.\nGo.\n4:02 PM\nClaude responded: Done.\nDone.\n4:09 PM\n" + agents, status: StatusWorking},
		{name: "text alone, in the message", text: doneText + "\nYou said: Go.\nGo.\n4:02 PM\nClaude responded: Done.\nDone.\n" + agents + "\n4:09 PM", status: StatusFinished},
		{name: "text alone, without times", text: doneText + "\nYou said: Go.\nGo.\nClaude responded: Done.\nDone.\n" + agents, status: StatusUnknown},
		{name: "text alone, no turn", text: "4:09 PM\n" + spinner, status: StatusUnknown},
	} {
		t.Run(v.name, v.check)
	}
}

func TestStillRunning(t *testing.T) {
	checkRule(t, lineRule{match: stillRunning,
		yes: []string{"1 shell still running", "2 shells still running", "3 background tasks still running", "1 local agent still running", "2 processes still running"},
		no:  []string{"0 shells still running", "shell still running", "1 shell still running.", "1 shell still running on the box", "1 test still running", "I left 1 shell still running"}})
	turns, tail := deskPage+youSaid+claudeDid, field+sendIt
	for _, v := range []variant{
		{name: "a text of its own", tree: turns + "        statictext \"1 shell still running\"\n" + tail, status: StatusFinished, details: map[string]any{"background_tasks": []any{"1 shell still running"}}},
		{name: "outside the message", tree: turns + status("2 shells still running") + tail, status: StatusFinished, details: map[string]any{"background_tasks": []any{"2 shells still running"}}},
		{name: "part of a tool line", tree: turns + "        [@e8] button \"Ran 2 commands, 1 shell still running\"\n" + tail, status: StatusFinished, details: map[string]any{"background_tasks": []any{"1 shell still running"}}},
		{name: "part of a tool line in a text", tree: turns + "        statictext \"Ran 2 commands (1 failed), 1 shell still running\"\n" + tail, status: StatusFinished, details: map[string]any{"background_tasks": []any{"1 shell still running"}}},
		{name: "in a sentence", tree: turns + "        statictext \"There is 1 shell still running, so wait.\"\n" + tail, status: StatusFinished, no: []string{"background_tasks"}},
		{name: "in an earlier turn", tree: turns + "        statictext \"1 shell still running\"\n" + strings.ReplaceAll(youAgain, "3 of 3", "3 of 4") +
			"      group \"Message 4 of 4\"\n        statictext \"Claude responded: Two.\"\n        statictext \"Two.\"\n" + tail, status: StatusFinished, no: []string{"background_tasks"}},
		{name: "text alone", text: "You said: Go.\nGo.\nClaude responded: Done.\nDone.\n1 shell still running", status: StatusUnknown, details: map[string]any{"background_tasks": []any{"1 shell still running"}}},
	} {
		t.Run(v.name, v.check)
	}
}

// TestClaudeTerminalMenus looks at dialogs of a terminal that number no answers.
func TestClaudeTerminalMenus(t *testing.T) {
	waits := map[string]any{"waiting_for_user": true}
	rewind := rule + "\n Rewind\n\n Restore the code and/or conversation to the point before…\n\n   go\n   No code changes\n\n ❯ (current)\n\n"
	for _, v := range []variant{
		term("list to go back to", "✳ Job", sent+ended+"\n"+rewind+" Enter to continue · Esc to cancel\n", StatusUnknown, waits),
		term("list in a frame", "✳ Job", sent+ended+"\n╭──────────────────────╮\n│ Rewind               │\n│ ❯ (current)          │\n╰──────────────────────╯\n  Enter to continue · Esc to exit\n", StatusUnknown, waits),
		term("without a glyph in the title", "noa@lab", strings.Replace(sent, "● On it.", "● On it.\n  ⎿  ok", 1)+ended+"\n"+rewind+" Enter to confirm · Esc to cancel\n", StatusUnknown, nil),
		term("notice without an entry", "✳ Job", sent+ended+"\n"+rule+"\n This session is 6h old.\n\n Enter to confirm · Esc to cancel\n", StatusUnknown, nil, "waiting_for_user"),
		term("notice to go on from", "✳ Job", sent+ended+"\n Security notes\n\n Press Enter to continue…\n", StatusUnknown, nil, "waiting_for_user"),
		term("narrow terminal", "✳ Job", sent+ended+"\n"+rewind+" Enter to continue\n Esc to cancel\n", StatusUnknown, waits),
		term("over a running turn", "✳ Job", sent+"✽ Baking… (5s)\n\n"+rewind+" Enter to continue · Esc to cancel\n", StatusWorking, waits),
		term("working title", "◐ Job", sent+ended+"\n"+rewind+" Enter to continue · Esc to cancel\n", StatusWorking, waits),
		term("closed: the prompt is back", "✳ Job", sent+rewind+" Enter to continue · Esc to cancel\n\n"+ended+box, StatusFinished, nil, "waiting_for_user"),
		term("hint in the footer of a prompt", "✳ Job", sent+ended+box+"  Esc to cancel · Tab to amend\n", StatusFinished, nil, "waiting_for_user"),
		term("sent prompt above a finished line", "✳ Job", sent+ended, StatusFinished, nil, "waiting_for_user"),
		term("hint in a sentence", "✳ Job", sent+"● You may press Enter to continue or Esc to cancel.\n\n"+ended, StatusFinished, nil, "waiting_for_user"),
	} {
		t.Run(v.name, v.check)
	}
}

// TestClaudeTerminalWithoutText looks at a terminal whose text could not be read: the title decides,
// unless what the tree shows of the screen says otherwise.
func TestClaudeTerminalWithoutText(t *testing.T) {
	for _, one := range []struct{ name, title, value, status string }{
		{"cut header", "✳ Job", " ▐▛███▜▌   Claude Code v2.1.290 ▝▜████…", StatusFinished},
		{"nothing shown", "✳ Job", "", StatusFinished},
		{"cut spinner", "✳ Job", "● Running the tests\n\n✽ Moseying… (12…", StatusUnknown},
		{"spinner", "✳ Job", "✽ Moseying… (2s)", StatusUnknown},
		{"dialog", "✳ Job", "Go on?\n ❯ 1. Yes\n   2. No", StatusUnknown},
		{"notice", "✳ Job", "Old session\n Enter to confirm · Esc to cancel", StatusUnknown},
		{"working title", "◐ Job", " ▐▛███▜▌   Claude Code v2.1.290 ▝▜████…", StatusWorking},
		{"title without a task", "✳ Claude Code", " ▐▛███▜▌   Claude Code v2.1.290 ▝▜████…", StatusUnknown},
	} {
		tree := "window \"" + one.title + "\"\n  unknown\n    tabgroup\n      [@e1] tab \"" + one.title + "\"\n        unknown\n          unknown \"Terminal\""
		if one.value != "" {
			tree += " val=\"" + one.value + "\""
		}
		v := variant{name: one.name, app: "gnome-terminal-server", title: one.title, platform: ui.Linux, noText: true, tree: tree + "\n", status: one.status}
		t.Run(v.name, v.check)
	}
}
