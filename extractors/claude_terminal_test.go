package extractors

import (
	"testing"

	"mcp-computer-use/internal/ui"
)

const (
	rule  = "────────────────────────────────────────"
	box   = "\n" + rule + "\n❯ \n" + rule + "\n"
	auto  = "  ⏵⏵ accept edits on (shift+tab to cycle)\n"
	sent  = "❯ do it\n\n● On it.\n\n"
	ended = "✻ Cooked for 2s\n"
)

// term is a variant in a terminal of Linux without a tree.
func term(name, title, text, status string, details map[string]any, no ...string) variant {
	return variant{name: name, app: "gnome-terminal-server", title: title, platform: ui.Linux, text: text, status: status, details: details, no: no}
}

func TestClaudeTerminalStatus(t *testing.T) {
	for _, v := range []variant{
		term("finished line", "✳ Job", sent+ended+box+auto, StatusFinished, map[string]any{"session": "Job"}, "waiting_for_user"),
		term("without a glyph", "✳ Claude Code", sent+"Brewed for 8m 49s\n"+box, StatusFinished, nil, "session"),
		term("other letters", "✳ Claude Code", sent+"✻ Sautéed for 1m 0s · done 18:51\n"+box, StatusFinished, nil),
		term("spinner", "✳ Job", sent+"✽ Sautéing… (5s · thought for 1s)\n"+box+auto, StatusWorking, nil),
		term("spinner with the name of a task", "✳ Job", sent+"✶ Fix the footer… (1m 2s · ↓ 2k tokens · still thinking)\n"+box, StatusWorking, nil),
		term("spinner under an older finished line", "✳ Job", sent+ended+"\n❯ more\n\n✢ Baking…\n"+box, StatusWorking, nil),
		term("finished under an older spinner", "✳ Claude Code", sent+"✢ Baking… (3s)\n\n● Done.\n\n"+ended+box, StatusFinished, nil),
		term("footer", "✳ Job", sent+box+"  ⏵⏵ bypass permissions on (shift+tab to cycle) · esc to interrupt     61% context used\n", StatusWorking, map[string]any{"context_used": "61%"}),
		term("footer of an old version while idle", "✳ Job", sent+ended+box+"  esc to clear · esc to interrupt\n", StatusFinished, nil),
		term("footer with a status line of the user", "✳ Job", sent+box+"  main · Opus · esc to interrupt\n", StatusWorking, nil),
		term("footers that say nothing", "✳ Claude Code", sent+box+auto+"  ⏸ manual mode on · ? for shortcuts\n  ✗ Auto-update failed · Try claude doctor\n", StatusUnknown, nil, "failures"),
		term("tip", "✳ Claude Code", sent+"  ⎿  Tip: Hit shift+tab to cycle between manual mode\n"+box, StatusUnknown, nil),
		term("title working", "◐ Job", sent+box, StatusWorking, nil),
		term("title working against a finished line", "⠂ Job", sent+ended+box, StatusWorking, nil),
		term("title of an older version", "⠐ Job", "", StatusWorking, nil),
		term("title idle, text says nothing", "✳ Job", sent+box, StatusFinished, nil),
		term("title idle, a prompt was just sent", "✳ Job", sent+ended+"\n❯ and now the other one\n"+box, StatusUnknown, nil),
		term("title at start", "✳ Claude Code", box+"  ? for shortcuts\n", StatusUnknown, nil, "session"),
		term("title idle alone", "✳", "", StatusUnknown, nil),
		term("another program's spinner", "⠋ Running", sent+ended, StatusUnknown, nil),
		term("finished line before a newer prompt", "✳ Claude Code", sent+ended+"\n❯ more\n\n● On it.\n"+box, StatusUnknown, nil),
		term("finished line before a newer message", "✳ Claude Code", sent+ended+"\n● A background command ended.\n"+box, StatusUnknown, nil),
		term("interrupted", "✳ Claude Code", sent+"  ⎿  Interrupted · What should Claude do instead?\n"+box, StatusFinished, nil),
		term("waiting for agents", "✳ Job", sent+"✻ Waiting for 3 background agents to finish\n"+box, StatusWorking, map[string]any{"background_tasks": []any{"Waiting for 3 background agents to finish"}}),
		term("a command that runs", "✳ Job", sent+"● Bash(make)\n  ⎿  Running… (12s)\n     (ctrl+b to run in background)\n"+box, StatusWorking, nil),
		term("a call that runs", "✳ Job", sent+"● Bash(make)\n  ⎿  Running…\n"+box, StatusWorking, nil),
		term("thinking block above the answer", "✳ Job", "❯ do it\n\n✻ Thinking…\n\n  The user wants it.\n\n● Done.\n"+box, StatusFinished, nil),
		term("queued prompt below the spinner", "✳ Job", sent+"✢ Baking… (3s)\n\n❯ and this\n"+box, StatusWorking, nil),
		term("one word behind a dot", "✳ Job", sent+"· Baking…\n"+box, StatusWorking, nil),
		term("stalled", "✳ Job", sent+"  ⎿  Waiting for API response · will retry in 5s\n"+box, StatusWorking, nil),
		term("signs in a message", "✳ Claude Code", "❯ say it\n\n● While it works a line shows:\n  ✻ Cooked for 2s\n  ✽ Baking… (3s)\n  esc to interrupt\n  Interrupted\n"+box, StatusUnknown, nil),
		term("signs in a tool's output", "✳ Claude Code", "❯ say it\n\n● Bash(cat log)\n  ⎿  x\n     ✻ Cooked for 2s\n     Worked for 5s\n"+box, StatusUnknown, nil),
		term("sign in the prompt", "✳ Claude Code", sent+rule+"\n❯ Worked for 5s\n"+rule+"\n", StatusUnknown, nil),
		term("in a frame", "✳ Claude Code", sent+ended+"╭────────────────╮\n│ > draft        │\n╰────────────────╯\n", StatusFinished, nil),
		term("nothing", "✳ Claude Code", "", StatusUnknown, nil),
	} {
		t.Run(v.name, v.check)
	}
}

func TestClaudeTerminalPrompts(t *testing.T) {
	const call = "❯ go\n\n● Write(a.txt)\n\n" + rule + "\n"
	asked := func(prompt string) map[string]any {
		return map[string]any{"waiting_for_user": true, "waiting_prompt": prompt}
	}
	for _, v := range []variant{
		term("plain", "✳ Job", call+" Do you want to create a.txt?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend\n", StatusUnknown, asked("Do you want to create a.txt?"), "asks_user"),
		term("marker on the last answer", "✳ Job", call+" Do you want to proceed?\n   1. Yes\n   2. Yes, and don't ask again for npm commands in /dir\n ❯ 3. No, and tell Claude what to do differently (esc)\n", StatusUnknown, asked("Do you want to proceed?")),
		term("in a frame", "✳ Job", "● Bash(rm x)\n\n╭──────────────────────────╮\n│ Bash command             │\n│   rm x                   │\n│ Do you want to proceed?  │\n│ ❯ 1. Yes                 │\n│   2. No                  │\n╰──────────────────────────╯\n", StatusUnknown, asked("Do you want to proceed?")),
		term("wrapped before a capital", "✳ Job", call+" Do you want to make this edit to\n README.md?\n ❯ 1. Yes\n   2. No\n", StatusUnknown, asked("Do you want to make this edit to README.md?")),
		term("question of the agent, in Hebrew", "✳ Job", "● שאלה אחת.\n\n"+rule+"\n ☐ אימות\n\nאיזו שיטה עדיפה?\n\n❯ 1. OAuth\n     Opens a page\n  2. Token\n  3. Type something.\n"+rule+"\n  4. Chat about this\n\nEnter to select · ↑/↓ to navigate · Esc to cancel\n", StatusUnknown, asked("איזו שיטה עדיפה?")),
		term("resume dialog", "✳ Job", " This session is 6h 51m old and 213.7k tokens.\n\n ❯ 1. Resume from summary (recommended)\n   2. Resume full session\n\n Enter to confirm · Esc to cancel\n", StatusUnknown, asked("This session is 6h 51m old and 213.7k tokens.")),
		term("trust dialog", "✳ Claude Code", " Do you trust the files in this folder?\n\n /home/noa/x\n\n Claude Code may read files here.\n\n ❯ 1. Yes, proceed\n   2. No, exit\n\n Enter to confirm · Esc to exit\n", StatusUnknown, asked("Do you trust the files in this folder?")),
		term("spinner above", "✳ Job", "❯ go\n\n✽ Baking… (3s)\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n", StatusWorking, asked("Do you want to proceed?")),
		term("finished line above", "✳ Job", sent+ended+"\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n", StatusUnknown, asked("Do you want to proceed?")),
		term("answered: prompt box below", "✳ Job", call+" Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n"+ended+box, StatusFinished, nil, "waiting_for_user"),
		term("no marker", "✳ Job", sent+"  Do you want to proceed?\n  1. Yes\n  2. No\n\n"+ended+box, StatusFinished, nil, "waiting_for_user"),
		term("question without answers", "✳ Claude Code", "❯ go\n\n● Do you want to proceed?\n"+box, StatusUnknown, map[string]any{"asks_user": "Do you want to proceed?"}, "waiting_for_user"),
		term("answers without a question", "✳ Job", sent+"  The plan.\n ❯ 1. Yes\n   2. No\n", StatusUnknown, nil, "waiting_for_user"),
		term("permission error in a tool's output", "✳ Claude Code", "❯ go\n\n● Bash(x)\n  ⎿  Claude requested permissions to use Bash, but you haven't granted it yet.\n\n"+ended+box, StatusFinished, nil, "waiting_for_user"),
	} {
		t.Run(v.name, v.check)
	}
}

func TestClaudeTerminalDetails(t *testing.T) {
	header := " ▐▛███▜▌   Claude Code v2.1.289\n▝▜█████▛▘  Opus 4.5 · Claude Max\n  ▘▘ ▝▝    ~/work/rates\n\n"
	for _, v := range []variant{
		term("logo", "✳ Job", header+sent+ended+box, StatusFinished, map[string]any{"project": "rates", "folder": "~/work/rates", "model": "Opus 4.5"}, "branch", "files"),
		term("logo in a box", "✳ Job", "╭─── Claude Code v2.0.1 ─────────────╮\n│    Welcome back Noa!   │ Tips       │\n│   Sonnet 4.5 · Pro     │ Run /init  │\n│   C:\\work\\rates        │ What's new │\n╰────────────────────────╯\n"+sent+ended+box, StatusFinished,
			map[string]any{"project": "rates", "folder": `C:\work\rates`, "model": "Sonnet 4.5"}),
		term("failures of the last turn", "✳ Job", "❯ one\n\n● Bash(pytest)\n  ⎿  3 failed in 1s\n\n"+ended+"\n❯ two, after 5 errors\n\n● Bash(pytest -k \"1 failed\")\n  ⎿  2 failed, 1 passed in 1s\n     error: x\n\n● I found 2 errors in the text.\n\n"+ended+box, StatusFinished,
			map[string]any{"failures": []any{"2 failed, 1 passed in 1s"}}),
		term("clean last turn", "✳ Job", "❯ one\n\n● Bash(pytest)\n  ⎿  3 failed in 1s\n\n"+ended+"\n❯ two\n\n● All green.\n\n"+ended+box, StatusFinished, nil, "failures"),
		term("next step and question, wrapped", "✳ Job", "❯ one\n\n● The loader is done and the cache\n  was left alone.\n  Next step: copy the June file to the\n  archive share.\n\n  All is on the branch. Shall I open the\n  pull request?\n\n"+ended+box, StatusFinished,
			map[string]any{"next_step": "copy the June file to the archive share.", "asks_user": "Shall I open the pull request?"}),
		term("the user's own words", "✳ Job", "❯ Next step: mine. Is it?\n\n● Yes.\n\n"+ended+box, StatusFinished, nil, "next_step", "asks_user"),
		term("shells", "✳ Job", sent+"✻ Baked for 2m 14s · 1 shell still running\n"+box+auto, StatusFinished, map[string]any{"background_tasks": []any{"1 shell still running"}}),
		term("shells, wrapped", "✳ Job", sent+"✻ Baked for 2m 14s · 1 shell\n  still running\n"+box+auto, StatusFinished, map[string]any{"background_tasks": []any{"1 shell still running"}}),
		term("shells in the footer", "✳ Job", sent+ended+box+"  ⏵⏵ auto mode on · 2 shells · ↓ to manage\n", StatusFinished, map[string]any{"background_tasks": []any{"2 shells"}}),
		term("sent to the background", "✳ Job", "❯ one\n\n● Bash(make watch)\n  ⎿  Running in the background (↓ to manage)\n\n"+ended+box, StatusFinished, map[string]any{"background_tasks": []any{"Running in the background (↓ to manage)"}}),
		term("notice", "✳ Job", "❯ one\n\n● Background command \"make, then test\" completed (exit code 0)\n\n"+ended+box, StatusFinished, map[string]any{"background_tasks": []any{`Background command "make, then test" completed (exit code 0)`}}),
		term("context left", "✳ Job", sent+ended+box+"  ⏵⏵ auto mode on          Context left until auto-compact: 8%\n", StatusFinished, map[string]any{"context_used": "92%"}),
		term("context low, wrapped", "✳ Job", sent+ended+box+"  ⏵⏵ auto mode on          Context low (7%\n  · 1 shell                remaining) · Run /compact\n", StatusFinished, map[string]any{"context_used": "93%"}),
		term("context left, wrapped at the hyphen", "✳ Job", sent+ended+box+"  ⏵⏵ auto mode on          Context left until auto-\n                           compact: 8%\n", StatusFinished, map[string]any{"context_used": "92%"}),
		term("tool line about the background", "✳ Job", "❯ one\n\n● Ran 2 commands, finished a background command\n\n"+ended+box, StatusFinished, map[string]any{"background_tasks": []any{"finished a background command"}}, "failures"),
		term("context used, wrapped", "✳ Job", sent+ended+box+"  ⏵⏵ auto mode on          61% context\n                           used\n", StatusFinished, map[string]any{"context_used": "61%"}),
		term("status line of the user", "✳ Job", header+sent+ended+box+"  main · Model: Sonnet 4.5 | $0.20\n", StatusFinished, map[string]any{"model": "Sonnet 4.5", "project": "rates"}),
		term("context in a message", "✳ Job", "❯ one\n\n● It said 61% context used.\n\n"+ended+box, StatusFinished, nil, "context_used"),
		term("api error", "✳ Job", "❯ one\n  ⎿  API Error: 400 {\"type\":\"error\"}\n\n"+box, StatusFinished, map[string]any{"failures": []any{`API Error: 400 {"type":"error"}`}}),
	} {
		t.Run(v.name, v.check)
	}
}

func TestClaudeTerminalWindows(t *testing.T) {
	console := variant{name: "console of the program itself", app: "claude.exe", title: "✳ Job", text: sent + ended + box, status: StatusFinished, details: map[string]any{"session": "Job"}}
	elevated := variant{name: "elevated", app: "WindowsTerminal.exe", title: "Administrator: ◓ Job", text: "Administrator: ◓ Job\nPowerShell", status: StatusWorking}
	tabs := variant{name: "signs in other tabs", app: "WindowsTerminal", title: "✳ Claude Code", text: "✳ Claude Code\n✻ Cooked for 2s\n✳ Claude Code", status: StatusUnknown,
		tree: "window \"✳ Claude Code\"\n  tabgroup\n    [@e1] tab \"✳ Claude Code\"\n      statictext \"✳ Claude Code\"\n    [@e2] tab \"✻ Cooked for 2s\"\n      statictext \"✻ Cooked for 2s\""}
	for _, v := range []variant{console, elevated, tabs} {
		t.Run(v.name, v.check)
	}
}
