package extractors

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mcp-computer-use/internal/ui"
)

// variant is a window in short form and what must come out of it.
type variant struct {
	name, app, title, text, tree string
	platform                     ui.Platform
	noText                       bool
	status                       string
	details                      map[string]any
	no                           []string
}

func (v variant) input() Input {
	in := Input{AppName: v.app, WindowTitle: v.title, Platform: v.platform, HasText: !v.noText, MaxChars: DefaultMaxChars}
	if in.AppName == "" {
		in.AppName, in.WindowTitle = "claude", "Claude"
	}
	if in.Platform == "" {
		in.Platform = ui.Windows
	}
	if v.text != "" {
		in.Lines = strings.Split(strings.Trim(v.text, "\n"), "\n")
	}
	if v.tree != "" {
		in.Snapshot = parseTree(renumber(strings.Trim(v.tree, "\n")))
	}
	return in
}

var anyRef = regexp.MustCompile(`\[@e\d+\]`)

// renumber counts the refs of a tree that was put together from pieces.
func renumber(tree string) string {
	count := 0
	return anyRef.ReplaceAllStringFunc(tree, func(string) string {
		count++
		return fmt.Sprintf("[@e%d]", count)
	})
}

func (v variant) check(t *testing.T) {
	t.Helper()
	checkCase(t, readCase{in: v.input(), want: caseWant{Status: v.status, Details: v.details, NoDetails: v.no}})
}

// Pieces of the desktop application's tree. Each is a child of the page.
const (
	deskPage = `window "Claude"
  group
    [@e1] textarea "Seed list - Claude" val="https://claude.ai/chat/1" id=RootWebArea
`
	rename    = "      [@e2] button \"Seed list, rename chat\"\n"
	done      = "      group\n        statictext \"Claude finished the response\"\n"
	youSaid   = "      group \"Message 1 of 2\"\n        statictext \"You said: Sort it.\"\n        statictext \"Sort it.\"\n"
	claudeDid = "      group \"Message 2 of 2\"\n        statictext \"Claude responded: Sorted.\"\n        statictext \"Sorted.\"\n"
	youAgain  = "      group \"Message 3 of 3\"\n        statictext \"You said: And now?\"\n        statictext \"And now?\"\n"
	field     = "      group\n        [@e3] textfield \"Write your prompt to Claude\" val=\"Reply...\"\n        [@e4] button \"Model: Haiku 4.5\"\n"
	sendIt    = "        [@e5] button \"Send message\"\n"
	stopIt    = "        [@e5] button \"Stop response\"\n"
)

func TestClaudeDesktopVariants(t *testing.T) {
	for _, v := range []variant{
		{name: "send after an answer", tree: deskPage + rename + youSaid + claudeDid + field + sendIt, status: StatusFinished,
			details: map[string]any{"session": "Seed list", "model": "Haiku 4.5"}, no: []string{"asks_user"}},
		{name: "just sent, send shows again", tree: deskPage + youSaid + claudeDid + youAgain + field + sendIt, status: StatusUnknown},
		{name: "just sent, old status text", tree: deskPage + done + youSaid + claudeDid + youAgain + field, status: StatusUnknown},
		{name: "a message without a heading stands last", tree: deskPage + done + youSaid + claudeDid + "      group \"Message 3 of 3\"\n        statictext \"And now?\"\n" + field + sendIt, status: StatusUnknown},
		{name: "just sent, the message has no group yet", tree: deskPage + youSaid + claudeDid + "      statictext \"You said: And now?\"\n" + field + sendIt, status: StatusUnknown},
		{name: "just sent without a group, old status text", tree: deskPage + done + youSaid + claudeDid + "      group\n        statictext \"You said: And now?\"\n" + field, status: StatusUnknown},
		{name: "just sent, inside of the last group", tree: deskPage + youSaid + claudeDid + "        group \"Message actions\"\n          [@e6] button \"Retry\"\n        statictext \"You said: And now?\"\n" + field + sendIt, status: StatusUnknown},
		{name: "a message that quotes a turn", tree: deskPage + youSaid + claudeDid + "        statictext \"You said: no\"\n        group \"Message actions\"\n          [@e6] button \"Retry\"\n" + field + sendIt, status: StatusFinished},
		{name: "controls inside of the last group", tree: deskPage + done + youSaid + claudeDid + "        group \"Message actions\"\n          [@e6] button \"Retry\"\n        [@e7] button \"Queue message\"\n" + field, status: StatusUnknown},
		{name: "queue message away from the composer", tree: deskPage + done + youSaid + claudeDid + "      group\n        [@e7] button \"Queue message\"\n" + strings.Repeat("      statictext \"x\"\n", 30) + field, status: StatusUnknown},
		{name: "a preview that stops, in a message", tree: deskPage + done + youSaid + claudeDid + "        [@e7] button \"Stop\"\n        group \"Message actions\"\n          [@e6] button \"Retry\"\n" + field, status: StatusFinished},
		{name: "context wraps in a name", tree: deskPage + youSaid + claudeDid + field + sendIt + "        statictext \"Context left until\nauto-compact: 17%\"\n", status: StatusFinished, details: map[string]any{"context_used": "83%"}},
		{name: "context wraps over two texts", tree: deskPage + youSaid + claudeDid + field + sendIt + "        statictext \"Context left until\"\n        statictext \"auto-compact: 17%\"\n", status: StatusFinished, details: map[string]any{"context_used": "83%"}},
		{name: "context and a share of something else", tree: deskPage + youSaid + claudeDid + field + sendIt + "        statictext \"Context\"\n        statictext \"17% of the plan\"\n", status: StatusFinished, no: []string{"context_used"}},
		{name: "context named in a message", tree: deskPage + youSaid + "      group \"Message 2 of 2\"\n        statictext \"Claude responded: 61% context used\"\n        statictext \"61% context used\"\n" + field + sendIt, status: StatusFinished, no: []string{"context_used"}},
		{name: "a preview of a chat", tree: deskPage + youSaid + claudeDid + "      [@e20] textarea \"Preview\" id=RootWebArea\n        group \"Message 3 of 3\"\n          statictext \"You said: no\"\n" + field + sendIt, status: StatusFinished},
		{name: "no headings at all", tree: deskPage + done + "      group\n        statictext \"Sorted.\"\n" + field + "        [@e5] button\n", status: StatusFinished},
		{name: "no document at all", platform: ui.MacOS, tree: "window \"Claude\"\n  group\n    statictext \"You said: Hi\"\n    statictext \"Hi\"\n    statictext \"Claude responded: Hello.\"\n    statictext \"Hello.\"\n    group\n      [@e1] textarea \"Prompt\"\n      [@e2] button \"Send message\"\n", status: StatusFinished},
		{name: "no turn yet", tree: deskPage + field + sendIt, status: StatusUnknown, no: []string{"session"}},
		{name: "status text, button without a name", tree: deskPage + done + youSaid + claudeDid + field + "        [@e5] button\n", status: StatusFinished},
		{name: "stop wins", tree: deskPage + done + youSaid + claudeDid + field + stopIt + sendIt, status: StatusWorking},
		{name: "bare stop in the row", tree: deskPage + youSaid + claudeDid + field + "        [@e5] button \"Stop\"\n", status: StatusWorking},
		{name: "queue message", tree: deskPage + youSaid + claudeDid + field + "        [@e5] button \"Queue message\"\n", status: StatusWorking},
		{name: "queue message in Japanese", tree: deskPage + youSaid + claudeDid + field + "        [@e5] button \"メッセージをキューに追加\"\n", status: StatusWorking},
		{name: "send in Japanese", tree: deskPage + youSaid + claudeDid + field + "        [@e5] button \"メッセージを送信\"\n", status: StatusFinished},
		{name: "a chat called like the control", tree: deskPage + "      [@e9] button \"Stop response\"\n      [@e10] button \"More options for Stop response\"\n" +
			youSaid + claudeDid + field + sendIt, status: StatusFinished},
		{name: "a running chat called like the control", tree: deskPage + "      [@e9] button \"Running Send message\"\n      [@e10] button \"More options for Send message\"\n" +
			youSaid + claudeDid + field, status: StatusUnknown},
		{name: "a row beside the field", tree: deskPage + youSaid + claudeDid + field + "        [@e9] button \"Stop\"\n        [@e10] button \"More options for Stop\"\n" + sendIt,
			status: StatusFinished},
		{name: "stop in a panel", tree: deskPage + youSaid + claudeDid + field + sendIt + "      group \"Background tasks\"\n        [@e9] button \"Stop\"\n", status: StatusFinished},
		{name: "buttons in a preview", tree: deskPage + youSaid + claudeDid + "      [@e20] textarea \"Preview\" id=RootWebArea\n        [@e21] button \"Stop response\"\n" +
			"        [@e22] button \"Allow once\"\n        [@e23] button \"Deny\"\n" + field + sendIt, status: StatusFinished, no: []string{"waiting_for_user"}},
		{name: "a message that quotes a heading", tree: deskPage + youSaid + "        statictext \"Claude responded: nothing.\"\n" + field + sendIt, status: StatusUnknown},
		{name: "a message that says the status text", tree: deskPage + youSaid + claudeDid + "        statictext \"Claude finished the response\"\n" + field, status: StatusUnknown},
		{name: "status text of an earlier answer", tree: deskPage + done + youSaid + claudeDid + "        group \"Message actions\"\n          [@e30] button \"Copy\"\n" +
			youAgain + "      group \"Message 4 of 4\"\n        statictext \"Claude responded: On it.\"\n        statictext \"On it.\"\n" + field, status: StatusUnknown},
		{name: "preview with a prompt field of its own", tree: deskPage + "      group\n        statictext \"Look\"\n        [@e20] textarea \"Preview\" id=RootWebArea\n          [@e21] textfield \"Write your prompt to Claude\"\n          [@e22] button \"Stop response\"\n" + field + sendIt, status: StatusUnknown},
		{name: "a chat called like a model", tree: deskPage + "      [@e9] button \"Opus 4.5 or Sonnet 4.5\"\n      group\n        [@e3] textfield \"Prompt\"\n        [@e4] button \"Opus 5\"\n", status: StatusUnknown, details: map[string]any{"model": "Opus 5"}},
		{name: "permission card over send", tree: deskPage + youSaid + claudeDid + "      group\n        statictext \"Bash\"\n        statictext \"Allow Claude to run make?\"\n" +
			"        group\n          [@e7] button \"Allow once\"\n          [@e8] button \"Deny\"\n" + field + sendIt, status: StatusUnknown,
			details: map[string]any{"waiting_for_user": true, "waiting_prompt": "Allow Claude to run make?"}},
		{name: "question card", tree: deskPage + youSaid + claudeDid + "      group\n        statictext \"1/2\"\n        statictext \"Which file first?\"\n" +
			"        [@e6] radiobutton \"a.go\"\n        [@e7] radiobutton \"Other\"\n        [@e8] button \"Skip\"\n        [@e9] button \"Next\"\n" + field + sendIt,
			status: StatusUnknown, details: map[string]any{"waiting_for_user": true, "waiting_prompt": "Which file first?"}},
		{name: "next and skip without a question", tree: deskPage + youSaid + claudeDid + "      group\n        statictext \"What is new\"\n        [@e8] button \"Skip\"\n        [@e9] button \"Next\"\n" + field + sendIt,
			status: StatusFinished, no: []string{"waiting_for_user"}},
		{name: "one button of a card", tree: deskPage + youSaid + claudeDid + "      group\n        statictext \"Sure?\"\n        [@e8] button \"Deny\"\n" + field + sendIt, status: StatusFinished, no: []string{"waiting_for_user"}},
		{name: "flat page", tree: deskPage + "      statictext \"You said: Hi\"\n      statictext \"Hi\"\n      statictext \"Claude responded: Hello.\"\n      statictext \"Hello.\"\n" +
			"      [@e3] textfield \"Write your prompt to Claude\"\n      [@e5] button \"Send message\"\n", status: StatusFinished},
		{name: "flat page, quoted heading", tree: deskPage + "      statictext \"You said: Hi\"\n      statictext \"Claude responded: never\"\n      statictext \"is what it printed\"\n" +
			"      [@e3] textfield \"Write your prompt to Claude\"\n      [@e5] button \"Send message\"\n", status: StatusUnknown},
		{name: "field and buttons in sibling groups", tree: deskPage + youSaid + claudeDid + "      group\n        group\n          [@e3] textfield \"Prompt\"\n        group\n          [@e4] button \"Auto\"\n          group\n            [@e5] button \"Stop response\"\n", status: StatusWorking},
		{name: "page in a shell", tree: "window \"Claude\"\n  [@e1] textarea \"Claude\" id=RootWebArea\n    group\n      [@e9] textarea \"Seed list - Claude\" id=RootWebArea\n        group \"Message 1 of 1\"\n          statictext \"Claude responded: Hello.\"\n" +
			"        group\n          [@e3] textfield \"Prompt\"\n          [@e5] button \"Send message\"\n", status: StatusFinished},
		{name: "document without children", tree: "window \"Claude\"\n  [@e1] textarea \"Claude\" val=\"https://claude.ai/new\" id=RootWebArea\n", text: "https://claude.ai/new\nClaude", status: StatusUnknown},
		{name: "no evidence", tree: deskPage + "      statictext \"Loading earlier messages…\"\n      group\n        [@e3] textfield \"Prompt\"\n        [@e5] button\n", status: StatusUnknown},
	} {
		t.Run(v.name, v.check)
	}
}

// TestClaudeDesktopMessage looks at the text that a model gets.
func TestClaudeDesktopMessage(t *testing.T) {
	text := doneText + "\nYou said: Sort it.\nSort it.\nClaude responded: Sorting.\nSorting.\nReply...\nClaude is AI and can make mistakes. Please double-check responses."
	for control, want := range map[string]string{
		sendIt: doneText + "\nYou said: Sort it.\nSort it.\nClaude responded: Sorting.\nSorting.",
		stopIt: "You said: Sort it.\nSort it.\nClaude responded: Sorting.\nSorting.",
	} {
		in := variant{text: text, tree: deskPage + done + youSaid + claudeDid + field + control}.input()
		if got := Extract(in).LastMessage; got != want {
			t.Errorf("with %q the message is %q", strings.TrimSpace(control), got)
		}
	}
}

func TestClaudeDesktopOtherPlatforms(t *testing.T) {
	linux := `window "Claude"
  webarea "Seed list - Claude"
    heading "You said: Sort it."
      statictext "You said: Sort it."
    paragraph "Sort it."
      statictext "Sort it."
    heading "Claude responded: Sorted. Merge it?"
      statictext "Claude responded: Sorted. Merge it?"
    paragraph "Sorted. Merge it?"
      statictext "Sorted. Merge it?"
    group
      [@e3] textfield "Write your prompt to Claude"
      [@e4] button "Model: Opus 4.5"
`
	mac := `window "Claude"
  webarea "Seed list - Claude" id=__cdp:1
    group id=__cdp:2
      group "Claude finished the response" id=__cdp:3
      heading "You said: Sort it." id=__cdp:4
      statictext "Sort it." id=__cdp:5
      heading "Claude responded: Sorted." id=__cdp:6
      statictext "Sorted." id=__cdp:7
      group id=__cdp:8
        [@e3] textarea "Write your prompt to Claude" id=__cdp:9
        [@e4] button "Menu" val="false" id=__cdp:10
`
	for _, v := range []variant{
		{name: "linux send", platform: ui.Linux, tree: linux + "      [@e5] button \"Send message\"\n", status: StatusFinished,
			details: map[string]any{"asks_user": "Merge it?", "model": "Opus 4.5"}},
		{name: "linux stop", platform: ui.Linux, tree: linux + "      [@e5] button \"Stop response\"\n", status: StatusWorking},
		{name: "linux nothing", platform: ui.Linux, tree: linux, status: StatusUnknown},
		{name: "macos status text", platform: ui.MacOS, tree: mac, noText: true, status: StatusFinished},
		{name: "macos stop", platform: ui.MacOS, tree: mac + "        [@e5] button \"Stop response\" id=__cdp:11\n", noText: true, status: StatusWorking},
	} {
		t.Run(v.name, v.check)
	}
}

func TestClaudeDesktopTextAlone(t *testing.T) {
	const turn = "You said: Sort it.\nSort it.\n10:40\nClaude responded: Sorted.\nSorted.\n"
	for _, v := range []variant{
		{name: "status text before the turns", text: doneText + "\n" + turn + "10:41\nReply...", status: StatusFinished},
		{name: "no status text", text: turn + "10:41", status: StatusUnknown},
		{name: "status text inside a message", text: turn + doneText + "\n10:41", status: StatusUnknown},
		{name: "just sent", text: doneText + "\n" + turn + "10:41\nYou said: And?\nAnd?", status: StatusUnknown},
		{name: "a new answer is being written", text: doneText + "\n" + turn + "10:41\nYou said: And?\nAnd?\n10:42\nClaude responded: Then I\nThen I sort", status: StatusUnknown},
		{name: "permission", text: doneText + "\n" + turn + "10:41\nAllow Claude to run this command?", status: StatusUnknown, no: []string{"asks_user", "waiting_for_user"}},
		{name: "sentence", text: "It says " + doneText + "\n" + turn, status: StatusUnknown},
		{name: "nothing", text: "", status: StatusUnknown},
	} {
		t.Run(v.name, v.check)
	}
}

func TestClaudeDesktopDetails(t *testing.T) {
	chips := "      group\n        [@e40] button \"Local\"\n        [@e41] button \"C:\\work\\ledger-desk\"\n        [@e42] button \"fix/vat\"\n        [@e43] checkbox \"worktree\" val=\"checked\"\n        [@e44] button \"+31 −9\"\n"
	turn := "      group \"Message 2 of 2\"\n        statictext \"Claude responded: Done.\"\n        [@e30] button \"Ran 4 commands (1 failed), finished a background command\"\n" +
		"        [@e31] button \"Read a.png, b.png\"\n        statictext \"1 failed, 3 passed\"\n        statictext \"I saw 2 errors in the essay.\"\n        statictext \"Next steps:\"\n        list\n" +
		"          [@e32] listitem\n            statictext \"• \"\n            statictext \"Tell Noa.\"\n        statictext \"Why so? Because. Shall I?\"\n        statictext \"10:41 AM\"\n"
	old := "      group \"Message 1 of 2\"\n        statictext \"Claude responded: Old.\"\n        [@e29] button \"Ran 6 commands (2 failed)\"\n        statictext \"Old question?\"\n"
	you := "      group \"Message 3 of 4\"\n        statictext \"You said: go\"\n        statictext \"3 failed, 1 passed\"\n        statictext \"Next: mine\"\n"
	for _, v := range []variant{
		{name: "all", tree: deskPage + old + youSaid + turn + field + sendIt + chips, status: StatusFinished, details: map[string]any{
			"project": "ledger-desk", "folder": `C:\work\ledger-desk`, "branch": "fix/vat", "background_tasks": []any{"finished a background command"},
			"failures":  []any{"Ran 4 commands (1 failed), finished a background command", "1 failed, 3 passed"},
			"next_step": "Tell Noa.", "asks_user": "Shall I?"}},
		{name: "just sent", tree: deskPage + turn + you + field + chips, status: StatusUnknown, details: map[string]any{"next_step": "Tell Noa."},
			no: []string{"failures", "asks_user", "background_tasks"}},
		{name: "folder without a branch", tree: deskPage + "      group\n        [@e40] button \"Local\"\n        [@e41] button \"notes\"\n        [@e43] checkbox \"worktree\"\n" + field, status: StatusUnknown,
			details: map[string]any{"project": "notes"}, no: []string{"branch"}},
		{name: "no chips", tree: deskPage + "      [@e2] button \"Seed list, rename session\"\n      [@e6] button \"Terminal\"\n" + field, status: StatusUnknown, no: []string{"project", "branch"}},
		{name: "project in the header", tree: deskPage + "      statictext \"notes\"\n      [@e2] button \"Seed list, rename session\"\n      [@e6] button \"notes\"\n" + field, status: StatusUnknown,
			details: map[string]any{"project": "notes", "session": "Seed list"}},
		{name: "changes", tree: deskPage + field + "      list \"Changed files\"\n        [@e50] listitem \"a b.go +1,031 −9\"\n        [@e51] listitem \"new.md +3\"\n        [@e52] listitem\n          statictext \"c.go\"\n          statictext \"+1\"\n", status: StatusUnknown,
			details: map[string]any{"files": []any{"a b.go", "new.md", "c.go"}}},
		{name: "notices", tree: deskPage + youSaid + claudeDid + "      statictext \"Background task stopped · 2 background shell command tasks didn't finish\"\n" + field + sendIt, status: StatusFinished,
			details: map[string]any{"background_tasks": []any{"Background task stopped · 2 background shell command tasks didn't finish"}}},
		{name: "prose about the background", tree: deskPage + youSaid + claudeDid + "        statictext \"Background tasks are handy, and I started a background command.\"\n" + field + sendIt, status: StatusFinished, no: []string{"background_tasks"}},
		{name: "chips in groups of their own", tree: deskPage + field + "      group\n        group\n          [@e40] button \"Local\"\n        group\n          [@e41] button \"notes\"\n        group\n          [@e42] button \"main\"\n        [@e43] checkbox \"worktree\"\n        [@e44] button \"Help\"\n", status: StatusUnknown,
			details: map[string]any{"project": "notes", "branch": "main"}},
		{name: "chips on a flat page", tree: deskPage + "      [@e39] button \"Menu\"\n" + field + "      [@e40] button \"Local\"\n      [@e41] button \"notes\"\n      [@e42] button \"main\"\n      [@e43] checkbox \"worktree\"\n", status: StatusUnknown,
			details: map[string]any{"project": "notes", "branch": "main"}},
		{name: "a command that quotes a count", tree: deskPage + youSaid + claudeDid + "        [@e30] button \"Ran grep \"(2 failed)\" log\"\n        [@e31] button \"Ran tail background.log, read background.md\"\n" + field + sendIt, status: StatusFinished,
			no: []string{"failures", "background_tasks"}},
		{name: "tool line as text", tree: deskPage + youSaid + claudeDid + "        statictext \"Used a tool (1 failed), finished 3 background commands (2 stopped)\"\n" + field + sendIt, status: StatusFinished,
			details: map[string]any{"failures": []any{"Used a tool (1 failed), finished 3 background commands (2 stopped)"}, "background_tasks": []any{"finished 3 background commands (2 stopped)"}}},
		{name: "sentence like a tool line", tree: deskPage + youSaid + claudeDid + "        statictext \"Ran the suite (1 failed), then started a background command.\"\n" + field + sendIt, status: StatusFinished,
			no: []string{"failures", "background_tasks"}},
		{name: "pieces of a paragraph", platform: ui.Linux, tree: deskPage + youSaid + claudeDid + "        paragraph\n          statictext \"Next step:\"\n          statictext \"run \"\n          statictext \"make\"\n          statictext \" again.\"\n" + field + sendIt, status: StatusFinished,
			details: map[string]any{"next_step": "run make again."}},
		{name: "changes in a panel", tree: deskPage + field + "      group \"Changes\"\n        list\n          [@e50] listitem \"a.go +1 −9\"\n", status: StatusUnknown, details: map[string]any{"files": []any{"a.go"}}},
		{name: "context", tree: deskPage + field + "        [@e60] button \"Context usage: 61%\"\n", status: StatusUnknown, details: map[string]any{"context_used": "61%"}},
	} {
		t.Run(v.name, v.check)
	}
}
