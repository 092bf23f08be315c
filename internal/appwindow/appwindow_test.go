package appwindow

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"mcp-computer-use/internal/ui"
)

func win(app, title string) ui.Window { return ui.Window{App: app, Title: title} }

func front(app, title string) ui.Window { return ui.Window{App: app, Title: title, Frontmost: true} }

func ptr(s string) *string { return &s }

// cases returns the files of a folder of shared cases.
func cases(t *testing.T, folder string) []string {
	for _, root := range []string{"../../fixtures/cases", "../../../shared/cases"} {
		if files, _ := filepath.Glob(filepath.Join(root, folder, "*.txtar")); len(files) > 0 {
			return files
		}
	}
	t.Fatalf("no cases in %s", folder)
	return nil
}

func decode(t *testing.T, archive *txtar.Archive, name string, into any) bool {
	for _, file := range archive.Files {
		if file.Name != name {
			continue
		}
		if err := json.Unmarshal(file.Data, into); err != nil {
			t.Fatal(name, err)
		}
		return true
	}
	return false
}

// TestCases chooses the window of every read case and every act case.
func TestCases(t *testing.T) {
	for _, file := range append(cases(t, "read"), cases(t, "act")...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var ask struct {
				Question string
				App      *string
			}
			var call struct {
				Arguments struct{ App *string }
			}
			var want struct {
				Window, Error string
				HintHas       string `json:"hint_has"`
				OK            bool
			}
			req := Request{Platform: ui.Windows}
			decode(t, archive, "want.json", &want)
			decode(t, archive, "windows.json", &req.Windows)
			decode(t, archive, "apps.json", &req.Apps)
			for _, section := range archive.Files {
				if section.Name == "os" {
					req.Platform = ui.Platform(strings.TrimSpace(string(section.Data)))
				}
			}
			if decode(t, archive, "call.json", &call) {
				req.App, req.Action = call.Arguments.App, true
			} else {
				decode(t, archive, "ask.json", &ask)
				req.App, req.Question = ask.App, ask.Question
			}
			got, err := Choose(req)
			var ambiguous *AmbiguousError
			switch {
			case want.Error == "APP_NOT_FOUND":
				if err == nil || errors.As(err, &ambiguous) {
					t.Errorf("got %+v, %v", got, err)
				}
			case want.OK, want.Window != "":
				if err != nil || want.Window != "" && got.Title != want.Window {
					t.Errorf("got %+v, %v", got, err)
				}
				if req.Platform == ui.Windows && got.Arg != got.Title {
					t.Errorf("-a %q", got.Arg)
				}
				if want.HintHas == " " && got.Hint == "" {
					t.Error("no hint")
				}
			}
		})
	}
}

func TestCheckName(t *testing.T) {
	for _, good := range []string{"Claude", "אדג'", "צ'אט", "Visual Studio Code - Insiders", "notes (2)", "C# Pad!", "קלוד", strings.Repeat("א", 200), "Microsoft\u200b Edge", "*x?"} {
		if err := CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "  ", "\t", strings.Repeat("a", 201), "a`b", "$x", "a|b", "a & b", "a;b", "<a", "a>b", `a"b`, "a'b", "'", "' א", `a\b`, "a\nb", "a\x00b", "a\x1bb",
		"a\u0085b", "a\u2028b", "a\xffb", "א\"ב"} {
		var name *NameError
		if err := CheckName(bad); !errors.As(err, &name) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestRanks(t *testing.T) {
	for _, c := range []struct {
		why, app string
		windows  []ui.Window
		want     string
	}{
		{"title before process", "Notes", []ui.Window{win("notes", "Ideas"), win("x", "Notes")}, "Notes"},
		{"process before a part of a title", "chrome", []ui.Window{win("Code", "chrome.ts - x"), win("chrome", "Inbox")}, "Inbox"},
		{"alias before a part of a title", "Edge", []ui.Window{front("Notepad", "Edge cases"), win("msedge", "Prices")}, "Prices"},
		{"Edge with its zero-width space", "Prices - Microsoft Edge", []ui.Window{win("msedge", "Prices - Microsoft\u200b Edge")}, "Prices - Microsoft\u200b Edge"},
		{"part of a title", "mail", []ui.Window{win("olk", "Mailroom")}, "Mailroom"},
		{"part of a process name", "terminal", []ui.Window{win("WindowsTerminal", "pwsh")}, "pwsh"},
		{"program file", "notepad.exe", []ui.Window{win("x", "notepad"), win("Notepad", "a.txt")}, "a.txt"},
		{"niqqud and marks", "\u200fקְלוֹד\u200f", []ui.Window{win("claude", "Chat")}, "Chat"},
		{"the front one of several", "Notepad", []ui.Window{win("Notepad", "a"), front("Notepad", "b")}, "b"},
		{"a read takes the first of several", "Notepad", []ui.Window{win("Notepad", "a"), win("Notepad", "b")}, "a"},
		{"codex is the ChatGPT application", "Codex", []ui.Window{win("chrome", "Codex - Google Chrome"), win("ChatGPT", "ChatGPT")}, "ChatGPT"},
		{"codex in Hebrew", "קודקס", []ui.Window{win("ChatGPT", "Thread")}, "Thread"},
		{"calculator to Hebrew", "Calculator", []ui.Window{win("chrome", "Calculator history"), win("ApplicationFrameHost", "מחשבון")}, "מחשבון"},
		{"calculator from Hebrew", "מחשבון", []ui.Window{win("ApplicationFrameHost", "Calculator")}, "Calculator"},
		{"calc", "calc", []ui.Window{win("ApplicationFrameHost", "מחשבון")}, "מחשבון"},
		{"notepad from Hebrew", "פנקס רשימות", []ui.Window{win("Notepad", "a.txt - Notepad")}, "a.txt - Notepad"},
		{"editor by its usual name", "VS Code", []ui.Window{win("chrome", "VS Code docs"), win("Code", "a.go - x - Visual Studio Code")}, "a.go - x - Visual Studio Code"},
		{"elevated editor", "vscode", []ui.Window{win("", "a - Visual Studio Code [Administrator]")}, "a - Visual Studio Code [Administrator]"},
		{"untitled windows can't be addressed", "chrome", []ui.Window{win("chrome", ""), win("chrome", "x")}, "x"},
		{"metacharacters in a title", "Terms", []ui.Window{win("x", `Terms & "Rules" | <b>`)}, `Terms & "Rules" | <b>`},
	} {
		got, err := Choose(Request{App: ptr(c.app), Windows: c.windows, Platform: ui.Windows})
		if err != nil || got.Title != c.want || got.Arg != c.want || !got.Known {
			t.Errorf("%s: got %+v, %v", c.why, got, err)
		}
	}
	for _, c := range []struct {
		app     string
		windows []ui.Window
	}{
		{"Paint", []ui.Window{win("x", "y")}},
		{"\u200b", []ui.Window{win("x", "y")}},
		{"chrome", []ui.Window{win("chrome", "")}},
		{"קלוד", []ui.Window{win("chrome", "Claude - Google Chrome")}},
	} {
		var missing *NotFoundError
		if got, err := Choose(Request{App: ptr(c.app), Windows: c.windows, Platform: ui.Windows}); !errors.As(err, &missing) {
			t.Errorf("%q: got %+v, %v", c.app, got, err)
		}
	}
}

func TestQuestion(t *testing.T) {
	windows := []ui.Window{win("claude", "Chat"), win("chrome", "Seeds"), win("msedge", "Prices"), win("Code", "a - Visual Studio Code"), win("Cursor", "b"),
		win("scanstation", "Field Planner"), win("ApplicationFrameHost", "מחשבון"), win("WINWORD", "c"), front("x", "In front")}
	for question, want := range map[string]string{
		"Is Claude finished?":                       "Chat",
		"is claude's answer there":                  "Chat",
		"Is Claude Code finished?":                  "Chat",
		"What is open in Chrome, not in Claude?":    "Seeds",
		"What is in CLAUDE or Chrome":               "Chat",
		"Which prices does Edge show?":              "Prices",
		"Is there an edge case?":                    "In front",
		"Is the terminal idle?":                     "In front",
		"Is the code compiled?":                     "In front",
		"Is Code compiling?":                        "a - Visual Studio Code",
		"Which file is open in VS Code?":            "a - Visual Studio Code",
		"Where is the cursor?":                      "In front",
		"What does Cursor ask?":                     "b",
		"Is the knowledge base saved?":              "In front",
		"Did scanstation fail?":                     "Field Planner",
		"What does field planner show?":             "Field Planner",
		"Is claude.md saved?":                       "In front",
		"Is it done, Claude.":                       "Chat",
		"Does claude.exe run?":                      "Chat",
		"Is preclaude done? And claudette?":         "In front",
		"מה פתוח בכרום?":                            "Seeds",
		"מה מוצג ב-Chrome?":                         "Seeds",
		"האם הClaude סיים?":                         "Chat",
		"מה ב־אדג׳":                                 "Prices",
		"והאם קלוד סיים":                            "Chat",
		"מה התוצאה במחשבון":                         "מחשבון",
		"מה התוצאה במחשבונים":                       "In front",
		"What does the calculator say?":             "מחשבון",
		"Ｉｓ Ｃｌａｕｄｅ ｆｉｎｉｓｈｅｄ":                        "Chat",
		"What is on the screen now?":                "In front",
		"":                                          "In front",
		strings.Repeat("x", maxQuestion) + "Claude": "In front",
	} {
		got, err := Choose(Request{Question: question, Windows: windows, Platform: ui.Windows})
		if err != nil || got.Title != want {
			t.Errorf("%.60q: got %+v, %v", question, got, err)
		}
	}
	for _, question := range []string{"Is Firefox done?", "Is Codex finished?", "האם פיירפוקס פתוח?", "Is Windsurf idle?", "What is in Notepad?"} {
		var missing *NotFoundError
		if got, err := Choose(Request{Question: question, Windows: windows, Platform: ui.Windows}); !errors.As(err, &missing) || len(missing.Titles) != len(windows) {
			t.Errorf("%q: got %+v, %v", question, got, err)
		}
	}
}

func TestActionsNeverGuess(t *testing.T) {
	var ambiguous *AmbiguousError
	two := []ui.Window{front("x", "y"), win("Notepad", "a"), win("Notepad", "b")}
	if _, err := Choose(Request{App: ptr("Notepad"), Windows: two, Platform: ui.Windows, Action: true}); !errors.As(err, &ambiguous) ||
		!slices.Equal(ambiguous.Titles, []string{"a", "b"}) || ambiguous.Engine {
		t.Errorf("two windows: %v", err)
	}
	many := slices.Repeat([]ui.Window{win("Notepad", "same")}, 20)
	if _, err := Choose(Request{App: ptr("Notepad"), Windows: many, Platform: ui.Windows, Action: true}); !errors.As(err, &ambiguous) || len(ambiguous.Titles) != maxCandidates {
		t.Errorf("many windows: %v", err)
	}
	// The window in front has a title that one listed before it contains, in another case.
	hidden := []ui.Window{win("chrome", "Meeting NOTES - Google Chrome"), front("Notes", "Notes")}
	for _, app := range []*string{ptr("Notes"), nil} {
		if _, err := Choose(Request{App: app, Windows: hidden, Platform: ui.Windows, Action: true}); !errors.As(err, &ambiguous) || !ambiguous.Engine ||
			!slices.Equal(ambiguous.Titles, []string{"Meeting NOTES - Google Chrome", "Notes"}) {
			t.Errorf("earlier title: %v", err)
		}
		if got, err := Choose(Request{App: app, Windows: hidden, Platform: ui.Windows}); err != nil || got.Title != "Notes" || got.Hint == "" {
			t.Errorf("a read: %+v, %v", got, err)
		}
	}
	slices.Reverse(hidden)
	if got, err := Choose(Request{App: ptr("Notes"), Windows: hidden, Platform: ui.Windows, Action: true}); err != nil || got.Hint != "" {
		t.Errorf("listed first: %+v, %v", got, err)
	}
}

func TestOtherPlatforms(t *testing.T) {
	files, pad := win("org.gnome.Nautilus", "Files"), win("mousepad", "a.txt - Mousepad")
	for _, c := range []struct {
		why      string
		req      Request
		want     string // title; empty for ambiguous, "-" for not found
		arg      string
		wantHint bool
	}{
		{"Linux gets the application's name", Request{App: ptr("a.txt - Mousepad"), Platform: ui.Linux, Windows: []ui.Window{files, pad}}, "a.txt - Mousepad", "mousepad", false},
		{"Linux has nothing in front", Request{Platform: ui.Linux, Windows: []ui.Window{files, pad}}, "-", "", false},
		{"Linux, the only one there is", Request{Platform: ui.Linux, Windows: []ui.Window{pad, win("mousepad", "")}}, "a.txt - Mousepad", "mousepad", false},
		{"Linux, an earlier application contains the name", Request{App: ptr("mousepad"), Platform: ui.Linux, Windows: []ui.Window{pad},
			Apps: []ui.App{{Name: "Mousepad-helper"}, {Name: "mousepad"}}}, "a.txt - Mousepad", "mousepad", true},
		{"the same for an action", Request{App: ptr("mousepad"), Platform: ui.Linux, Action: true, Windows: []ui.Window{pad},
			Apps: []ui.App{{Name: "Mousepad-helper"}, {Name: "mousepad"}}}, "", "", false},
		{"a later application does not matter", Request{App: ptr("mousepad"), Platform: ui.Linux, Action: true, Windows: []ui.Window{pad},
			Apps: []ui.App{{Name: "mousepad"}, {Name: "mousepad-helper"}}}, "a.txt - Mousepad", "mousepad", false},
		{"a title of another application does not matter", Request{App: ptr("mousepad"), Platform: ui.Linux, Action: true,
			Windows: []ui.Window{win("gedit", "about mousepad"), pad}, Apps: []ui.App{{Name: "gedit"}, {Name: "mousepad"}}}, "a.txt - Mousepad", "mousepad", false},
		{"two of one name", Request{App: ptr("zenity"), Platform: ui.Linux, Action: true, Windows: []ui.Window{win("zenity", "Question")},
			Apps: []ui.App{{Name: "zenity"}, {Name: "zenity"}}}, "", "", false},
		{"two windows of one application", Request{App: ptr("Ask two"), Platform: ui.Linux, Action: true, Windows: []ui.Window{win("zenity", "Ask one"), win("zenity", "Ask two")},
			Apps: []ui.App{{Name: "zenity"}}}, "Ask two", "zenity", false},
		{"macOS, the front application", Request{Platform: ui.MacOS, Windows: []ui.Window{win("Finder", "Downloads"), win("Code", ""), win("Code", "a.go")},
			Apps: []ui.App{{Name: "Finder"}, {Name: "Code", Frontmost: true}}}, "a.go", "Code", false},
		{"macOS, an earlier application begins with the name", Request{App: ptr("Code"), Platform: ui.MacOS, Action: true, Windows: []ui.Window{win("Code", "a.go")},
			Apps: []ui.App{{Name: "Code Helper"}, {Name: "Code"}}}, "a.go", "Code", false},
		{"macOS, the same name twice", Request{App: ptr("Code"), Platform: ui.MacOS, Windows: []ui.Window{win("Code", "a.go")},
			Apps: []ui.App{{Name: "Code", PID: 1}, {Name: "Code", PID: 2}}}, "a.go", "Code", true},
		{"macOS, the title in front twice", Request{App: ptr("Code"), Platform: ui.MacOS, Action: true, Windows: []ui.Window{win("Code", "Untitled"), win("Code", "Untitled")},
			Apps: []ui.App{{Name: "Code", Frontmost: true}}}, "", "", false},
		{"the same for a read", Request{App: ptr("Code"), Platform: ui.MacOS, Windows: []ui.Window{win("Code", "Untitled"), win("Code", "Untitled")},
			Apps: []ui.App{{Name: "Code", Frontmost: true}}}, "Untitled", "Code", true},
		{"macOS, the title in another application too", Request{App: ptr("Code"), Platform: ui.MacOS, Action: true, Windows: []ui.Window{win("Code", "Untitled"), win("TextEdit", "Untitled")},
			Apps: []ui.App{{Name: "Code", Frontmost: true}, {Name: "TextEdit"}}}, "Untitled", "Code", false},
		{"macOS, a window without a title", Request{App: ptr("Code"), Platform: ui.MacOS, Windows: []ui.Window{win("Code", "")}}, "", "Code", false},
		{"macOS, neither a title nor a name", Request{Platform: ui.MacOS, Windows: []ui.Window{win("", "")}, Apps: []ui.App{{Frontmost: true}}}, "-", "", false},
		{"macOS, nothing in front", Request{Platform: ui.MacOS, Windows: []ui.Window{win("Code", "a.go")}, Apps: []ui.App{{Name: "Code"}}}, "-", "", false},
	} {
		got, err := Choose(c.req)
		var ambiguous *AmbiguousError
		var missing *NotFoundError
		switch {
		case c.want == "-":
			if !errors.As(err, &missing) {
				t.Errorf("%s: got %+v, %v", c.why, got, err)
			}
		case c.want == "" && c.arg == "":
			if !errors.As(err, &ambiguous) {
				t.Errorf("%s: got %+v, %v", c.why, got, err)
			}
		case err != nil || got.Title != c.want || got.Arg != c.arg || (got.Hint != "") != c.wantHint:
			t.Errorf("%s: got %+v, %v", c.why, got, err)
		}
	}
}

func TestWithoutAList(t *testing.T) {
	some := []ui.Window{front("x", "y")}
	for _, c := range []struct {
		req  Request
		want string
	}{
		{Request{App: ptr("Paint")}, "Paint"},
		{Request{App: ptr("קלוד"), Action: true}, "קלוד"},
		{Request{App: ptr("Paint"), ListFailed: true, Windows: some}, "Paint"},
		{Request{Question: "Is Claude finished?"}, "Claude"},
		{Request{Question: "האם קודקס סיים?", ListFailed: true}, "ChatGPT"},
	} {
		if got, err := Choose(c.req); err != nil || got.Arg != c.want || got.Title != c.want || got.Known {
			t.Errorf("%+v: got %+v, %v", c.req, got, err)
		}
	}
	var missing *NotFoundError
	if got, err := Choose(Request{Question: "What is there?", ListFailed: true}); !errors.As(err, &missing) {
		t.Errorf("nothing to go by: %+v, %v", got, err)
	}
	var name *NameError
	if got, err := Choose(Request{App: ptr("a|b"), ListFailed: true}); !errors.As(err, &name) {
		t.Errorf("a bad name: %+v, %v", got, err)
	}
}

func TestAliasesAreTheirOwn(t *testing.T) {
	seen := map[string]string{}
	for _, one := range aliases() {
		for _, name := range one.names {
			if other := seen[name]; other != "" {
				t.Errorf("%q stands for %s and %s", name, other, one.canonical)
			}
			seen[name] = one.canonical
			if got := aliasOf(name); got == nil || got.canonical != one.canonical {
				t.Errorf("aliasOf(%q) = %v", name, got)
			}
		}
	}
	if got := aliasOf("settings"); got != nil {
		t.Errorf("settings is an ordinary word, not %s", got.canonical)
	}
	if titles := (&desk{Request: Request{Windows: slices.Repeat([]ui.Window{win("a", "b")}, 30)}}).notFound(""); len(titles.(*NotFoundError).Titles) != maxTitles {
		t.Error("more titles than the error may list")
	}
	for _, err := range []error{&NotFoundError{}, &NotFoundError{Name: "a"}, &AmbiguousError{Name: "a"}, &AmbiguousError{Engine: true}, &NameError{"x"}} {
		if err.Error() == "" {
			t.Errorf("%T says nothing", err)
		}
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("Claude", "Is Claude finished?", "Claude", "claude", true, uint8(0))
	f.Add("", "בכרום", "כרום", "chrome", false, uint8(1))
	f.Add("אדג׳", "İ ﬁ e\u0301", "\xff", "", false, uint8(2))
	f.Fuzz(func(t *testing.T, app, question, title, process string, action bool, platform uint8) {
		req := Request{Question: question, Action: action, Platform: []ui.Platform{ui.Windows, ui.Linux, ui.MacOS}[platform%3],
			Windows: []ui.Window{win(process, title+"x"), front(process, title), win("chrome", question)}, Apps: []ui.App{{Name: process}}}
		if app != "" {
			req.App = &app
		}
		got, err := Choose(req)
		again, errAgain := Choose(req)
		if got != again || (err == nil) != (errAgain == nil) {
			t.Errorf("%+v, then %+v", got, again)
		}
		if err != nil {
			return
		}
		if !got.Known || got.Title != got.Window.Title || !slices.Contains(req.Windows, got.Window) {
			t.Errorf("%+v", got)
		}
		if action && got.Hint != "" {
			t.Errorf("an action with a doubt: %+v", got)
		}
		if req.Platform == ui.Windows && action {
			for _, w := range req.Windows { // what the engine would select
				if strings.Contains(strings.ToLower(w.Title), strings.ToLower(got.Arg)) {
					if w != got.Window {
						t.Errorf("the engine would take %q for %q", w.Title, got.Arg)
					}
					break
				}
			}
		}
	})
}
