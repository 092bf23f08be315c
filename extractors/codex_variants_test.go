package extractors

import (
	"fmt"
	"strings"
	"testing"
)

// codexApp is the application's window around the given parts of its document.
func codexApp(parts ...string) string {
	var b strings.Builder
	b.WriteString("window \"ChatGPT\"\n  group\n    [@e1] textarea \"ChatGPT\" val=\"app://-/index.html\" id=RootWebArea\n")
	for _, part := range parts {
		for _, line := range strings.Split(strings.Trim(part, "\n"), "\n") {
			b.WriteString("      " + line + "\n")
		}
	}
	b.WriteString("  toolbar val=\"ChatGPT\" id=TitleBar\n    [@e2] button \"Close\" id=Close\n")
	return b.String()
}

// codexRowTree is a side-bar row in the nested shape of the live captures.
func codexRowTree(title string) string {
	return fmt.Sprintf(`    [@e11] listitem "%[1]s"
      [@e12] button "%[1]s"
        group
          [@e13] button "Chat actions"
          [@e14] button "Pin chat"
          [@e15] button "Archive chat"
        statictext "%[1]s"
`, title)
}

func sidebar(titles ...string) string {
	s := "group\n  [@e10] button \"Switch mode, current mode: Codex\"\n  statictext \"Recents\"\n  list\n"
	for _, title := range titles {
		s += codexRowTree(title)
	}
	return s + "  [@e16] button \"View activity\"\n"
}

func thread(lines string) string {
	return "group\n  group\n    [@e20] button \"Plan\"\n    [@e21] button \"Chat actions\"\n    [@e22] button \"Share\"\n" + indent(lines)
}

func indent(lines string) string {
	return "  " + strings.ReplaceAll(strings.Trim(lines, "\n"), "\n", "\n  ") + "\n"
}

const (
	userTurn = "statictext \"You said:\"\ngroup\n  statictext \"Do it.\"\ngroup\n  [@e30] button \"Copy message\"\n"
	botTurn  = "statictext \"ChatGPT said:\"\ngroup\n  [@e31] button \"Edited a file\"\n  statictext \"It is done.\"\n"
	rated    = "group\n  [@e32] button \"Copy\"\ngroup\n  [@e33] button \"Good response\"\ngroup\n  [@e34] button \"Bad response\"\n"
	sendRow  = "group\n  [@e40] textfield \"Ask anything\" val=\"\nAsk anything\"\n  [@e41] button \"Dictate\"\n  [@e42] button \"Send\"\n"
	stopRow  = "group\n  [@e40] textfield \"Ask anything\"\n  [@e41] button \"Dictate\"\n  [@e42] button \"Stop\"\n"
)

func TestCodexStatus(t *testing.T) {
	one := func(name, status string, parts ...string) shot {
		return shot{name: name, app: "ChatGPT", title: "ChatGPT", tree: codexApp(parts...), status: status}
	}
	pair := "group\n  statictext \"Allow command rm -rf build?\"\n  [@e35] button \"Deny\"\n  [@e36] button \"Approve\"\n"
	checkShots(t, ProfileCodex, []shot{
		one("finished", StatusFinished, sidebar("Plan"), thread(userTurn+botTurn+rated+sendRow)),
		one("newer rating", StatusFinished, thread(userTurn+botTurn+strings.Replace(rated, "Good response", "Rate response", 1)+sendRow)),
		one("copied just now", StatusFinished, thread(userTurn+botTurn+strings.Replace(rated, "\"Copy\"", "\"Copied\"", 1)+sendRow)),
		one("footer in one group", StatusFinished, thread(userTurn+botTurn+"group\n  [@e1] button \"Copy\"\n  [@e2] button \"Bad response\"\n"+sendRow)),
		one("no rating", StatusUnknown, thread(userTurn+botTurn+"group\n  [@e1] button \"Copy\"\n"+sendRow)),
		one("no copy", StatusUnknown, thread(userTurn+botTurn+"group\n  [@e1] button \"Good response\"\n"+sendRow)),
		one("rating far away", StatusUnknown, thread(userTurn+botTurn+"[@e1] button \"Copy\"\n"+strings.Repeat("statictext \"x\"\n", 20)+"[@e2] button \"Good response\"\n"+sendRow)),
		one("footer of an older answer", StatusUnknown, thread(userTurn+botTurn+rated+userTurn+botTurn+sendRow)),
		one("user's message is newer", StatusUnknown, thread(userTurn+botTurn+rated+userTurn+sendRow)),
		one("user's newer heading stands deeper", StatusUnknown, thread("statictext \"ChatGPT said:\"\nstatictext \"Done.\"\n"+rated+"group\n  statictext \"You said:\"\n  statictext \"Go on.\"\n"+sendRow)),
		one("row in the footer's page called like a heading", StatusFinished, thread(userTurn+botTurn+rated+"[@e1] button \"You said:\"\n"+sendRow)),
		one("user's heading is not exposed", StatusUnknown, thread(userTurn+botTurn+rated+"group\n  statictext \"Go on.\"\n[@e1] button \"Copy message\"\n"+sendRow)),
		one("stop, field not exposed", StatusUnknown, thread(userTurn+botTurn+rated+"group\n  [@e41] button \"Dictate\"\n  [@e42] button \"Stop\"\n")),
		one("side row called stop, field not exposed", StatusFinished, sidebar("Stop"), thread(userTurn+botTurn+rated)),
		one("stop beside another field, composer shown", StatusFinished, thread(userTurn+botTurn+rated+sendRow+"group\n  [@e43] textfield \"Filter\"\n  [@e44] button \"Stop\"\n")),
		one("working", StatusWorking, thread(userTurn+botTurn+stopRow)),
		one("working beats a footer", StatusWorking, thread(userTurn+botTurn+rated+stopRow)),
		one("composer known by its hint", StatusWorking, thread(userTurn+botTurn+strings.Replace(stopRow, "textfield \"Ask anything\"", "textfield val=\"\nDo anything\"", 1))),
		one("field in a group of its own", StatusWorking, thread(userTurn+botTurn+"group\n  group\n    [@e40] textfield \"Do anything\" val=\"draft\"\n  group\n    [@e41] button \"Dictate\"\n    [@e42] button \"Stop\"\n")),
		one("controls in two groups", StatusWorking, thread(userTurn+botTurn+"group\n  group\n    [@e40] textfield \"Do anything\"\n    [@e41] button \"Add files and more\"\n    [@e43] button \"Dictate\"\n  group\n    [@e42] button \"Stop\"\n")),
		one("stop of a panel", StatusFinished, thread(userTurn+botTurn+rated+sendRow+"group\n  statictext \"npm run dev\"\n  [@e51] button \"Stop\"\n")),
		one("flat composer", StatusWorking, thread(userTurn+botTurn+"[@e40] textfield \"Do anything\"\n[@e41] button \"Dictate\"\n[@e42] button \"Stop\"\n")),
		one("other stops", StatusUnknown, thread(userTurn+botTurn+strings.Replace(stopRow, "\"Stop\"", "\"Stop generating\"", 1)+"[@e1] button \"Stop voice chat\"\n")),
		one("stop beside another field", StatusFinished, thread(userTurn+botTurn+rated+sendRow), "group\n  [@e50] textfield \"Terminal input\"\n  [@e51] button \"Stop\"\n"),
		one("stop in a preview", StatusFinished, thread(userTurn+botTurn+rated+sendRow), "group\n  [@e50] textarea \"Timer\" val=\"http://localhost/\"\n    [@e51] textfield \"Ask anything\"\n    [@e52] button \"Stop\"\n"),
		one("stop as text", StatusUnknown, thread(userTurn+botTurn+strings.Replace(stopRow, "[@e42] button \"Stop\"", "statictext \"Stop\"", 1))),
		one("row called Stop", StatusFinished, sidebar("Stop", "Deny", "Allow once", "Pin chat"), thread(userTurn+botTurn+rated+sendRow)),
		one("flat rows called like controls", StatusFinished, `group
  statictext "Recents"
  [@e1] button "Allow once"
  [@e2] button "Chat actions"
  [@e3] button "Pin chat Archive chat"
  [@e4] button "Deny"
  [@e5] button "Chat actions"
  [@e6] button "Unpin chat"
  [@e7] button "Archive chat"`, thread(userTurn+botTurn+rated+sendRow)),
		one("waiting", StatusWaiting, thread(userTurn+botTurn+pair+sendRow)),
		one("waiting beats stop and footer", StatusWaiting, thread(userTurn+botTurn+rated+pair+stopRow)),
		one("half a pair is none", StatusFinished, thread(userTurn+botTurn+rated+"group\n  statictext \"Allow command?\"\n  [@e35] button \"Allow once\"\n"+sendRow)),
		one("half a pair while working", StatusWorking, thread(userTurn+botTurn+"[@e35] button \"Deny\"\n"+stopRow)),
		one("pair far apart", StatusUnknown, thread(userTurn+"[@e1] button \"Deny\"\n"+strings.Repeat("statictext \"x\"\n", 20)+"[@e2] button \"Approve\"\n")),
		one("pair in a preview", StatusFinished, thread(userTurn+botTurn+rated+sendRow), "group\n  [@e50] textarea \"Requests\" val=\"http://localhost/\"\n    [@e51] button \"Approve\"\n    [@e52] button \"Deny\"\n"),
		{name: "preview before the chat", app: "ChatGPT", title: "ChatGPT", status: StatusFinished, tree: `
window "ChatGPT"
  [@e1] textarea "Requests" val="http://localhost/"
    [@e2] button "Approve"
    [@e3] button "Deny"
  [@e4] textarea "ChatGPT" val="app://-/index.html" id=RootWebArea
    statictext "ChatGPT said:"
    statictext "Done."
    [@e5] button "Copy"
    [@e6] button "Good response"`, has: []string{"Done."}},
		one("home", StatusUnknown, sidebar("Plan"), "group\n  statictext \"What should we work on?\"\n"+indent(sendRow)),
		one("quotation of a heading", StatusFinished, thread(userTurn+"statictext \"ChatGPT said:\"\ngroup\n  statictext \"You said:\"\n  statictext \"no\"\n"+rated+sendRow)),
		one("reconnecting is history", StatusFinished, thread(userTurn+"statictext \"ChatGPT said:\"\ngroup\n  [@e1] button \"Reconnecting\"\n  statictext \"Working\"\n"+rated+sendRow)),
		{name: "Linux headings", app: "codex", title: "ChatGPT", status: StatusFinished, tree: `
window "ChatGPT"
  webarea "ChatGPT"
    heading "You said:"
      statictext "You said:"
    paragraph "Do it."
    heading "ChatGPT said:"
      statictext "ChatGPT said:"
    paragraph "Done."
    [@e1] button "Copy"
    [@e2] button "Good response"
    group
      [@e3] textfield "Message ChatGPT"
      [@e4] button "Send"`, has: []string{"Done."}, lacks: []string{"Do it."}},
		{name: "palette", app: "ChatGPT", title: "ChatGPT", status: StatusFinished, tree: codexApp(thread(userTurn+botTurn+rated+sendRow), "window \"Command menu\"\n  list\n    [@e1] listitem \"New chat\"\n")},
		{name: "nothing", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown, text: "app://-/index.html\nChatGPT", hidden: true},
	})
}

func TestCodexDetails(t *testing.T) {
	project := func(name string) string {
		return fmt.Sprintf("[@e1] listitem \"%[1]s\"\n  group \"%[1]s\"\n    [@e2] button \"%[1]s\"\n    [@e3] button \"Start new chat in %[1]s\"\n", name)
	}
	many := "group\n  statictext \"Projects\"\n  [@e1] button \"Add new project\"\n"
	for n := range 12 {
		many += indent(project(fmt.Sprintf("p%d", n)))
	}
	checkShots(t, ProfileCodex, []shot{
		{name: "limits and Recents alone", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown,
			tree:    codexApp(many+"  list \"Chats in p1\"\n"+codexRowTree("In a project")+"  statictext \"Pinned\"\n"+codexRowTree("Pinned one")+"  statictext \"Recents\"\n"+codexRowTree("a")+codexRowTree("a")+codexRowTree("b")+codexRowTree("c")+codexRowTree("d")+codexRowTree("e")+codexRowTree("f"), sendRow),
			details: map[string]any{"projects": []string{"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"}, "recent_chats": []string{"a", "b", "c", "d", "e"}},
			no:      []string{"session"}},
		{name: "a chat named like a control of a project", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown,
			tree:    codexApp(sidebar("Start new chat in Rome", "Recents", "View activity, needs attention", "Change project: x"), sendRow),
			details: map[string]any{"recent_chats": []string{"Start new chat in Rome", "Recents", "View activity, needs attention", "Change project: x"}},
			no:      []string{"projects", "needs_attention", "project"}},
		{name: "header", app: "ChatGPT", title: "ChatGPT", status: StatusFinished, tree: codexApp(sidebar("Plan", "Other"), thread(userTurn+botTurn+rated+sendRow)),
			details: map[string]any{"session": "Plan", "mode": "Codex", "recent_chats": []string{"Plan", "Other"}}},
		{name: "header as text", app: "ChatGPT", title: "ChatGPT", status: StatusFinished, tree: codexApp(sidebar("Other"), "group\n  group\n    statictext \"בדיקת גיבויים\"\n    [@e1] button \"Chat actions\"\n"+indent(userTurn+botTurn+rated+sendRow)),
			details: map[string]any{"session": "בדיקת גיבויים"}},
		{name: "Chinese mode", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown, tree: codexApp("[@e1] button \"切换模式，当前模式：Codex\"\n" + sendRow), details: map[string]any{"mode": "Codex"}},
		{name: "mode as text", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown, tree: codexApp("statictext \"Switch mode, current mode: Codex\"\n" + sendRow), no: []string{"mode"}},
		{name: "work mode", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown, tree: codexApp("[@e1] button \"Switch mode, current mode: ChatGPT Work\"\n" + sendRow), details: map[string]any{"mode": "ChatGPT Work"}},
		{name: "attention", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown, tree: codexApp("[@e1] button \"View activity, needs attention\"\n" + sendRow), details: map[string]any{"needs_attention": true}},
		{name: "home heading in one piece", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown, tree: codexApp("statictext \"What should we work on in tide-tables?\"\n" + sendRow), details: map[string]any{"project": "tide-tables"}},
		{name: "old failures", app: "ChatGPT", title: "ChatGPT", status: StatusFinished,
			tree: codexApp(thread(userTurn + "statictext \"ChatGPT said:\"\nstatictext \"FAILED tests/a.py::t\"\n" + userTurn + botTurn + rated + sendRow)), no: []string{"failures"}, lacks: []string{"FAILED"}},
		{name: "failures of the user's message", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown,
			tree: codexApp(thread("statictext \"You said:\"\nstatictext \"FAILED tests/a.py::t\"\n" + sendRow)), no: []string{"failures"}, has: []string{"FAILED"}},
		{name: "prose about failures", app: "ChatGPT", title: "ChatGPT", status: StatusFinished,
			tree:    codexApp(thread(userTurn + "statictext \"ChatGPT said:\"\nstatictext \"I fixed 2 errors in the essay.\"\nstatictext \"1 failed, 31 passed\"\nstatictext \"Next steps: rest.\"\n" + rated + sendRow)),
			details: map[string]any{"failures": []string{"1 failed, 31 passed"}, "next_step": "rest."}},
		{name: "prompt without texts in its group", app: "ChatGPT", title: "ChatGPT", status: StatusWaiting,
			tree:    codexApp(thread(userTurn + "statictext \"ChatGPT said:\"\nstatictext \"a\"\nstatictext \"b\"\nstatictext \"c\"\nstatictext \"d\"\ngroup\n  [@e1] button \"Deny\"\n    statictext \"Deny\"\n  [@e2] button \"Allow once\"\n" + sendRow)),
			details: map[string]any{"waiting_prompt": "b c d", "waiting_for_user": true}},
		{name: "prompt stops at a heading", app: "ChatGPT", title: "ChatGPT", status: StatusWaiting,
			tree:    codexApp(thread("statictext \"old\"\nstatictext \"ChatGPT said:\"\nstatictext \"new\"\ngroup\n  [@e1] button \"Deny\"\n  [@e2] button \"Allow once\"\n" + sendRow)),
			details: map[string]any{"waiting_prompt": "new"}},
		{name: "last three texts of the card", app: "ChatGPT", title: "ChatGPT", status: StatusWaiting,
			tree:    codexApp(thread(userTurn + botTurn + "group\n  statictext \"one\"\n  statictext \"two\"\n  statictext \"three\"\n  statictext \"four\"\n  [@e1] button \"Allow once\"\n  [@e2] button \"Always allow\"\n  [@e3] button \"Deny\"\n" + sendRow)),
			details: map[string]any{"waiting_prompt": "two three four"}, has: []string{"four"}},
		{name: "text alone", app: "ChatGPT", title: "ChatGPT", status: StatusUnknown, text: "You said:\nold\nChatGPT said:\n1 failed, 3 passed\nNext: more\n\nWork with ChatGPT\nrates\nStop",
			details: map[string]any{"failures": []string{"1 failed, 3 passed"}, "next_step": "more"}, has: []string{"1 failed"}, lacks: []string{"old", "rates"}},
		{name: "preview text", app: "ChatGPT", title: "ChatGPT", status: StatusFinished, tree: codexApp(thread(userTurn+botTurn+rated+sendRow), "group\n  [@e50] textarea \"Log\" val=\"http://localhost/\"\n    statictext \"FAILED tests/a.py::t\"\n"),
			no: []string{"failures"}, has: []string{"It is done."}, lacks: []string{"FAILED"}},
	})
}

func FuzzCodex(f *testing.F) { fuzzProfile(f, ProfileCodex, extractCodex) }

func TestCodexLosesNoElementToFinished(t *testing.T) {
	neverFinished(t, extractCodex, readCases(t, ProfileCodex))
}
