package extractors

import (
	"regexp"
	"strings"
	"testing"
)

// workbench is an editor window on Windows with a file, a terminal and whatever stands beside the parts.
func workbench(terminal, beside string) string {
	tree := `window "a.go - api - Visual Studio Code"
  group "a.go - api - Visual Studio Code"
    [@e1] textarea "a.go - api - Visual Studio Code" val="vscode-file://vscode-app/c:/x" id=RootWebArea
      group
        group id=workbench.parts.sidebar
          statictext "Explorer"
          [@e2] button "Explorer Section: api"
          tree "Files Explorer"
            treeitem "a.go"
              statictext "a.go"
        group id=workbench.parts.editor
          tabgroup
            [@e3] tab "a.go, Editor Group 1"
              [@e4] button "Close (Ctrl+F4)"
          [@e5] textfield "a.go, Editor Group 1" val="package a"
        group id=workbench.parts.panel
          tabgroup "Active View Switcher"
            [@e6] tab "Problems (Ctrl+Shift+M) - Total 84 Problems"
            [@e7] tab "Terminal"
          group id=terminal
            group
              list
`
	for _, line := range strings.Split(terminal, "\n") {
		tree += "                [@e8] listitem\n"
		if line != "" {
			tree += "                  statictext \"" + line + "\"\n"
		}
	}
	tree += `              [@e9] textfield "Terminal 1, bash
Run the command: Toggle Screen Reader Accessibility Mode for an optimized screen reader experience"
            list "Terminal tabs"
              [@e10] listitem "bash"
        group id=workbench.parts.statusbar
          [@e11] button "main, Checkout Branch/Tag..."
`
	for _, line := range strings.Split(strings.Trim(beside, "\n"), "\n") {
		if line != "" {
			tree += "        " + line + "\n"
		}
	}
	return tree
}

func editorShot(name, status, terminal, beside string, failures ...string) shot {
	one := shot{name: name, app: "Code", title: "a.go - api - Visual Studio Code", tree: workbench(terminal, beside), status: status,
		details: map[string]any{"project": "api", "file": "a.go"}}
	if len(failures) > 0 {
		one.details["failures"] = failures
	} else {
		one.no = append(one.no, "failures")
	}
	return one
}

const redPytest = "FAILED tests/a.py::t - assert 0\n1 failed, 12 passed in 0.41s"

func TestEditorRuns(t *testing.T) {
	red := []string{"FAILED tests/a.py::t - assert 0", "1 failed, 12 passed in 0.41s"}
	fails := func(name, terminal string, failures ...string) shot {
		return editorShot(name, StatusError, terminal, "", failures...)
	}
	clean := func(name, terminal string) shot { return editorShot(name, StatusUnknown, terminal, "") }
	var shots []shot
	for _, prompt := range []string{`PS C:\work> `, `C:\work>`, `dana@box:~/api$ `, `dana@mac api % `, `dana@box ~/api> `, `$ `,
		`➜  api git:(main) ✗ `, `❯ `, `(.venv) PS C:\work> `, `(base) dana@box:~/api$ `, `root@box:/app# `, `bash-5.2$ `,
		`[dana@box api]$ `, `~/api ❯ `, `mac:api dana$ `, `└─$ `, `PS /home/dana> `, `vscode ➜ /workspaces/api (main) $ `, "\u200fdana@box:~/מסד$ ", `dana@box:~/מסד נתונים$ `} {
		shots = append(shots,
			clean("newer command after "+prompt, prompt+"pytest\n"+redPytest+"\n"+prompt+"git status\nnothing to commit"),
			fails("bare prompt "+prompt, prompt+"pytest\n"+redPytest+"\n"+strings.TrimRight(prompt, " "), red...),
			fails("first command after "+prompt, prompt+"pytest\n"+redPytest, red...))
	}
	shots = append(shots,
		clean("green rerun", "$ ptw\n"+redPytest+"\n12 passed in 0.40s"),
		fails("red rerun", "$ ptw\n12 passed in 0.40s\n"+redPytest, red...),
		fails("green summary of another tool", "$ make\n"+redPytest+"\n Test Files  3 passed (3)\n      Tests  8 passed (8)", red...),
		fails("green, red, green of three tools", "$ make\nTests:       5 passed, 5 total\n"+redPytest+"\ntest result: ok. 9 passed; 0 failed; 0 ignored", red...),
		fails("a suite that does not run", "$ npx jest\nTest Suites: 1 failed, 5 passed, 6 total\nTests:       42 passed, 42 total", "Test Suites: 1 failed, 5 passed, 6 total"),
		clean("jest watch", "$ npx jest --watch\nFAIL a.test.ts\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\nPASS a.test.ts\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total"),
		clean("tsc watch", "$ npx tsc -w\nsrc/a.ts(3,7): error TS2322: no\nFound 1 error. Watching for file changes.\nFile change detected. Starting incremental compilation...\nFound 0 errors. Watching for file changes."),
		fails("tsc watch, still red", "$ npx tsc -w\nFound 0 errors. Watching for file changes.\nsrc/a.ts(3,7): error TS2322: no\nFound 1 error. Watching for file changes.", "src/a.ts(3,7): error TS2322: no", "Found 1 error. Watching for file changes."),
		fails("go packages", "$ go test ./...\n--- FAIL: TestA (0.01s)\nFAIL    x/a     0.02s\nok      x/b     0.01s", "--- FAIL: TestA (0.01s)", "FAIL    x/a     0.02s"),
		clean("go package, newer run", "$ gow test ./...\n--- FAIL: TestA (0.01s)\nFAIL    x/a     0.02s\nok      x/b     0.01s\nok      x/a     0.02s\nok      x/b     0.01s"),
		fails("dotnet assemblies", "$ dotnet test\nFailed!  - Failed:     1, Passed:     4, Total: 5 - A.dll (net9.0)\nPassed!  - Failed:     0, Passed:     5, Total: 5 - B.dll (net9.0)", "Failed!  - Failed:     1, Passed:     4, Total: 5 - A.dll (net9.0)"),
		fails("cargo binaries", "$ cargo test\nRunning unittests src/lib.rs (target/a)\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\nDoc-tests kiosk\ntest result: ok. 3 passed; 0 failed; 0 ignored", "test result: FAILED. 1 passed; 1 failed; 0 ignored"),
		clean("msbuild again", "$ msb\nBuild FAILED.\n    2 Error(s)\nBuild succeeded.\n    0 Warning(s)\n    0 Error(s)"),
		fails("mocha", "$ npx mocha\n  8 passing (12ms)\n  1 failing", "1 failing"),
		fails("thrown errors", "$ node a.js\nTypeError: x is not a function\n    at a.js:3\nValueError: bad\njava.lang.IllegalStateException: closed", "TypeError: x is not a function", "ValueError: bad", "java.lang.IllegalStateException: closed"),
		clean("prose about errors", "$ ./deploy\nerror handling improved\nconsole.error(x)\nErrors: 0\nno Error: here\n  ✓ should throw error on invalid input"),
		fails("task", " *  Executing task: npm run old \nTests:       1 failed, 1 total\n *  Executing task: npm test \nTests:       2 failed, 2 total", "Tests:       2 failed, 2 total"),
		clean("task is newer", "Tests:       1 failed, 1 total\n *  Executing task: npm run lint \nfine"),
		fails("npm's echo is no prompt", "$ npm test\n"+redPytest+"\n> api@1.0.0 test\n> jest", red...),
		fails("yarn's dollar is no prompt", "PS D:\\web> yarn check\nyarn run v1.22.22\n$ eslint . ; jest\n✖ 3 problems (2 errors, 1 warning)\n$ jest\nTests:       5 passed, 5 total", "✖ 3 problems (2 errors, 1 warning)"),
		fails("a dollar above a bare prompt with a place", "$ pytest\n"+redPytest+"\n$ coverage\ndana@box:~/api$", red...),
		fails("a dollar in a task", " *  Executing task: yarn check \n$ pytest\n"+redPytest+"\n$ jest\nTests:       5 passed, 5 total", red...),
		fails("a dollar in a named shell", "bash-5.2$ yarn check\n"+redPytest+"\n$ jest", red...),
		fails("a price", "$ make\n"+redPytest+"\n$ 5 is the limit", red...),
		fails("a share", "mac% make\n"+redPytest+"\n% of lines covered: 80\n% done by now", red...),
		clean("a bare percent where nothing is richer", "% make\n"+redPytest+"\n% make lint\nfine"),
		clean("two bare dollars", "$ make\n"+redPytest+"\n$ git status\nprice: 5$ each > 4"),
		fails("vitest's arrow is no prompt", "$ npx vitest\n FAIL  a.test.ts > adds\n ❯ a.test.ts (4 tests | 1 failed)\n ❯ a.test.ts:3:5", "FAIL  a.test.ts > adds", "❯ a.test.ts (4 tests | 1 failed)"),
	)
	checkShots(t, ProfileEditor, shots)
}

func TestEditorProblems(t *testing.T) {
	status := func(name string) string { return `[@e70] button "` + name + `"` }
	rows := `group id=workbench.panel.markers
  tree "Problems"
    treeitem "2 problems in file a.go of folder src"
      treeitem "Error generated by go: x at line 1 and character 2."
      treeitem "Warning generated by go: y at line 1 and character 2."`
	checkShots(t, ProfileEditor, []shot{
		editorShot("status bar", StatusError, "", status("3 Errors, 1 Warnings"), "3 errors"),
		editorShot("newer status bar", StatusError, "", status("Errors: 2, Warnings: 1"), "2 errors"),
		editorShot("one error", StatusError, "", status("1 Errors"), "1 error"),
		editorShot("warnings", StatusUnknown, "", status("84 Warnings")),
		editorShot("newer warnings", StatusUnknown, "", status("Warnings: 84")),
		editorShot("none", StatusUnknown, "", status("No Problems")),
		editorShot("rows", StatusError, "", rows, "1 error"),
		editorShot("rows and count", StatusError, "", rows+"\n"+status("5 Errors, 1 Warnings"), "5 errors"),
		editorShot("after the terminal's", StatusError, "$ pytest\n"+redPytest, status("2 Errors"), "FAILED tests/a.py::t - assert 0", "1 failed, 12 passed in 0.41s", "2 errors"),
		editorShot("count as text", StatusUnknown, "", `statictext "3 Errors, 1 Warnings"`),
	})
}

func TestEditorPrompts(t *testing.T) {
	prompt := func(name, question, beside string) shot {
		one := editorShot(name, StatusWaiting, "", beside)
		one.details["waiting_for_user"], one.details["waiting_prompt"] = true, question
		one.has = []string{question}
		return one
	}
	none := func(name, beside string) shot {
		one := editorShot(name, StatusUnknown, "", beside)
		one.no = append(one.no, "waiting_for_user", "waiting_prompt")
		return one
	}
	checkShots(t, ProfileEditor, []shot{
		prompt("save several", "Do you want to save the changes to the following 3 files?", `window "Visual Studio Code"
  statictext "Do you want to save the changes to the following 3 files?"
  statictext "Your changes will be lost if you don't save them."
  [@e70] button "Save All"
  [@e71] button "Don't Save"
  [@e72] button "Cancel"`),
		prompt("one button is out of sight", "Do you want to save the changes you made to a.go?", `dialog "Visual Studio Code"
  statictext "Do you want to save the changes you made to a.go?"
  [@e70] button "Save"`),
		prompt("overwrite", "A file or folder with the name 'a.go' already exists in the destination folder. Do you want to replace it?", `group "A file or folder with the name 'a.go' already exists in the destination folder. Do you want to replace it?"
  toolbar
    [@e69] button "Close Dialog (Escape)"
  statictext "A file or folder with the name 'a.go' already exists in the destination folder. Do you want to replace it?"
  statictext "This action is irreversible!"
  [@e70] button "Replace"
  [@e71] button "Cancel"`),
		prompt("install an extension", "Do you trust the publisher \"Acme\"?", `dialog "Do you trust the publisher \"Acme\"?"
  heading "Do you trust the publisher "Acme"?"
    statictext "Do you trust the publisher "Acme"?"
  [@e70] button "Trust Publisher & Install"
  [@e71] button "Learn More"
  [@e72] button "Cancel"`),
		prompt("delete", "Are you sure you want to delete 'a.go'?", `group
  statictext "Are you sure you want to delete 'a.go'?"
  statictext "You can restore this file from the Recycle Bin."
  [@e70] button "Move to Recycle Bin"
  [@e71] button "Cancel"`),
		prompt("in Hebrew", "האם לשמור את השינויים?", `dialog "Visual Studio Code"
  statictext "האם לשמור את השינויים?"
  [@e70] button "שמור"
  [@e71] button "ביטול"`),
		prompt("statement with a way out", "A setting has changed that requires a restart to take effect.", `dialog "Visual Studio Code"
  statictext "A setting has changed that requires a restart to take effect."
  [@e70] button "Restart"
  [@e71] button "Cancel"`),
		prompt("save in a mere group", "Do you want to save the changes you made to a.go?", `group
  statictext "Do you want to save the changes you made to a.go?"
  [@e70] button "Save"
  [@e71] button "Don’t Save"
  [@e72] button "Cancel"`),
		prompt("answers in groups of their own", "Do you trust the authors of the files in this folder?", `group
  statictext "Do you trust the authors of the files in this folder?"
  group
    [@e70] button "Yes, I trust the authors"
  group
    [@e71] button "No, I don't trust the authors"`),
		prompt("in German", "Möchten Sie die Änderungen speichern?", `group
  statictext "Möchten Sie die Änderungen speichern?"
  [@e70] button "Speichern"
  [@e71] button "Nicht speichern"
  [@e72] button "Abbrechen"`),
		prompt("in Hebrew, a mere group", "האם לשמור את השינויים?", `group
  statictext "האם לשמור את השינויים?"
  [@e70] button "שמור"
  [@e71] button "ביטול"`),
		prompt("in Japanese, a mere group", "変更を保存しますか？", `group
  statictext "変更を保存しますか？"
  [@e70] button "保存"
  [@e71] button "保存しない"`),
		prompt("failed save", "Failed to save 'a.go'. Try again?", `dialog "Visual Studio Code"
  statictext "Failed to save 'a.go'. Try again?"
  [@e70] button "Retry"
  [@e71] button "Cancel"`),
		none("quoted, with buttons of a text", `group
  statictext "Do you want to save the changes you made to a.go?"
  [@e70] button "Copy"
  [@e71] button "Retry"`),
		none("quoted, with ratings", `group
  statictext "Do you trust the authors of the files in this folder?"
  [@e70] button "Copy"
  [@e71] button "Helpful"
  [@e72] button "Unhelpful"`),
		none("quoted in a dialog with a copy button", `dialog "Quotation"
  statictext "Do you want to save the changes you made to a.go?"
  [@e70] button "Copy"`),
		none("two buttons that answer nothing", `group
  statictext "Do you want to save the changes you made to a.go?"
  [@e70] button "UTF-8"
  [@e71] button "No Problems"`),
		none("a message field in the group", `group
  statictext "Do you want to keep these edits?"
  [@e70] button "Save"
  [@e71] button "Cancel"
  [@e72] textfield "Ask Copilot"`),
		none("toast", `group "2 new notifications"
  list "Notifications List"
    [@e70] listitem "Do you want to install it?, notification"
      statictext "Do you want to install it?"
      [@e71] button "Install"
      [@e72] button "Show Recommendations"`),
		none("toast as a dialog", `dialog "Info: Restart to update?, source: Updater, notification"
  list
    [@e70] listitem "Restart to update?"
      statictext "Restart to update?"
      [@e71] button "Restart"
      [@e72] button "Later"`),
		none("banner", `toolbar "Restricted Mode is intended for safe code browsing. Trust this folder to enable all features?"
  statictext "Restricted Mode is intended for safe code browsing. Trust this folder to enable all features?"
  [@e70] button "Manage"
  [@e71] button "Close Banner"`),
		none("question without buttons", `dialog "Visual Studio Code"
  statictext "Do you want to save the changes you made to a.go?"`),
		none("question with frame buttons", `window "Hint"
  statictext "Did you know?"
  [@e70] button "Close"`),
		none("group with one button", `group
  statictext "Need help?"
  [@e70] button "Learn More"`),
		none("no question", `dialog "About"
  statictext "Version 1.126"
  [@e70] button "OK"
  [@e71] button "Copy"`),
		none("question in a web view", `[@e69] textarea "Chat" val="vscode-webview://x"
  dialog "Run?"
    statictext "Run the command?"
    [@e70] button "Yes"
    [@e71] button "No"`),
		none("question in the chat", `group id=workbench.parts.auxiliarybar
  group
    statictext "Run the command?"
    [@e70] button "Continue"
    [@e71] button "Cancel"`),
	})
}

func TestEditorWindows(t *testing.T) {
	checkShots(t, ProfileEditor, []shot{
		{name: "dialog as the window", app: "Code", title: "Visual Studio Code", status: StatusWaiting, tree: `
window "Visual Studio Code"
  statictext "Do you want to save the changes you made to a.go?"
  [@e1] button "Save"
  [@e2] button "Don't Save"
  [@e3] button "Cancel"`, details: map[string]any{"waiting_prompt": "Do you want to save the changes you made to a.go?"}, no: []string{"project"}},
		{name: "title names nothing", app: "Cursor", title: "Cursor", status: StatusUnknown, tree: strings.ReplaceAll(workbench("", ""), "a.go - api - Visual Studio Code", "Cursor"),
			details: map[string]any{"project": "api", "file": "a.go"}},
		{name: "two tabs, none selected", app: "Cursor", title: "Cursor", status: StatusUnknown, tree: strings.Replace(workbench("", ""), "            [@e3] tab", "            [@e3] tab \"b.go\"\n            [@e3] tab", 1), no: []string{"file"}},
		{name: "two tabs, one selected", app: "Cursor", title: "Cursor", status: StatusUnknown, tree: strings.Replace(workbench("", ""), "            [@e3] tab", "            [@e3] tab \"b.go, preview\" val=\"true\"\n            [@e3] tab", 1), details: map[string]any{"file": "b.go"}},
		{name: "no folder", app: "Code", title: "Visual Studio Code", status: StatusUnknown, tree: "window \"Visual Studio Code\"\n  [@e1] button \"Explorer Section: No Folder Opened\"\n  statictext \"You have not yet opened a folder.\"", no: []string{"project", "file"}},
		{name: "terminal in the text, file quotes failures", app: "Code", title: "a.md - api - Visual Studio Code", status: StatusError,
			text: "# Notes\nFAILED tests/old.py::t\n$ pytest\n1 failed\nPS C:\\api> pytest\nERROR tests/b.py - ImportError", details: map[string]any{"failures": []string{"ERROR tests/b.py - ImportError"}}},
		{name: "file quotes failures and a bare dollar", app: "Code", title: "a.md - api - Visual Studio Code", status: StatusUnknown,
			text: "# Notes\nFAILED tests/old.py::t\n$ pytest\n1 failed, 2 passed in 1s", no: []string{"failures"}, has: []string{"# Notes"}},
		{name: "message", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusUnknown, max: 200,
			text: "vscode-file://vscode-app/c:/x\nExplorer\na.go\npackage a\n$ ls\nREADME.md\nNext step: tag it", tree: workbench("$ ls\nREADME.md\nNext step: tag it", ""),
			details: map[string]any{"next_step": "tag it"}, has: []string{"package a\n$ ls\nREADME.md"}, lacks: []string{"Explorer", "vscode-file", "Checkout", "Toggle Screen Reader"}},
		{name: "step before a green summary", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusUnknown, tree: workbench("$ pytest\nNext step: tag it\n12 passed in 1s", ""), details: map[string]any{"next_step": "tag it"}},
		{name: "placeholder", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusUnknown, text: "The editor is not accessible at this time. To enable screen reader optimized mode, use Shift+Alt+F1", tree: workbench("", ""), lacks: []string{"not accessible"}},
		{name: "stale step", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusUnknown, tree: workbench("Next step: old\n$ ls\nREADME.md", ""), no: []string{"next_step"}},
		{name: "terminal as a field", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusError, text: "package a\n$ pytest\n1 failed, 2 passed in 1s\nmain",
			tree: strings.Replace(workbench("", ""), `experience"`, `experience" val="$ pytest
1 failed, 2 pa…"`, 1) + "        statictext \"main\"\n", details: map[string]any{"failures": []string{"1 failed, 2 passed in 1s"}}},
		{name: "file that begins like the terminal", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusUnknown, text: "$ pytest tests/unit tests/integration -q\n1 failed, 2 passed in 1s\nOutput\n$ pytest tests/unit tests/integration -q\n3 passed in 1s\nmain",
			tree: strings.NewReplacer(`val="package a"`, "val=\"$ pytest tests/unit tests/integration -q…\"\n          statictext \"Output\"", `experience"`, `experience" val="$ pytest tests/unit tests/integration -q…"`).Replace(workbench("", "")) + "        statictext \"main\"\n", no: []string{"failures"}},
		{name: "a file behind a terminal is no output", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusUnknown, text: "$ pytest tests/unit tests/integration -q\n3 passed in 1s\n# Log of the run on Tuesday, to be kept\nFAILED tests/old.py::t\nmain",
			tree: strings.Replace(workbench("", ""), `experience"`, `experience" val="$ pytest tests/unit tests/integration -q…"`, 1) + "        group id=workbench.parts.editor\n          [@e9] textfield \"log.md\" val=\"# Log of the run on Tuesday, to be kept…\"\n", no: []string{"failures"}},
		{name: "CDP ids on macOS", app: "Code", title: "a.go — api", status: StatusError, tree: strings.NewReplacer("id=workbench", "id=__cdp:7:workbench", "id=terminal", "id=__cdp:9:terminal").Replace(workbench("$ pytest\n"+redPytest, "")),
			details: map[string]any{"project": "api", "file": "a.go"}},
		{name: "no ids", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusError, tree: strings.NewReplacer(" id=workbench.parts.panel", "", " id=terminal", "", " id=workbench.parts.editor", "").Replace(workbench("$ pytest\n"+redPytest, ""))},
		{name: "no ids, a chat that asks", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusUnknown, no: []string{"waiting_prompt"}, tree: withoutIDs(workbench("", `group
  group
    statictext "Do you want to save the changes you made to a.go?"
    [@e70] button "Save"
    [@e71] button "Cancel"
  group
    [@e72] textfield "Ask Copilot"`))},
		{name: "no ids, a preview that quotes", app: "Code", title: "a.md - api - Visual Studio Code", status: StatusUnknown, no: []string{"waiting_prompt"}, tree: `window "a.md - api - Visual Studio Code"
  [@e1] textarea "a.md - api - Visual Studio Code" id=RootWebArea
    group
      group
        [@e2] button "main, Checkout Branch/Tag..."
        [@e3] button "Notifications"
      group "Preview a.md"
        statictext "Do you trust the authors of the files in this folder?"`},
		{name: "no ids, a prompt", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusWaiting, tree: withoutIDs(workbench("", `group
  statictext "Do you want to save the changes you made to a.go?"
  [@e70] button "Save"
  [@e71] button "Cancel"`)), details: map[string]any{"waiting_prompt": "Do you want to save the changes you made to a.go?"}},
		{name: "dialog beats failures", app: "Code", title: "a.go - api - Visual Studio Code", status: StatusWaiting, tree: workbench("$ pytest\n"+redPytest, "dialog \"x\"\n  statictext \"Save?\"\n  [@e70] button \"Save\"\n  [@e71] button \"Cancel\""),
			details: map[string]any{"waiting_prompt": "Save?", "failures": []string{"FAILED tests/a.py::t - assert 0", "1 failed, 12 passed in 0.41s"}}},
	})
}

// withoutIDs is a tree in which nothing but the document has an id.
func withoutIDs(tree string) string { return partIDs.ReplaceAllString(tree, "") }

var partIDs = regexp.MustCompile(` id=(?:workbench\S*|terminal)`)

func TestPromptForms(t *testing.T) {
	for _, form := range promptForms() {
		for _, line := range form.yes {
			if !form.pattern.MatchString(line) || command(line, form.full) == "" {
				t.Errorf("%s: missed %q", form.name, line)
			}
		}
		for _, line := range form.no {
			if got := command(line, false); got != "" {
				t.Errorf("%s: %q is no prompt with a command, got %q", form.name, line, got)
			}
		}
		if len(form.yes) == 0 || len(form.no) == 0 {
			t.Errorf("%s needs lines that it takes and lines that it leaves", form.name)
		}
	}
}

func TestSummaryForms(t *testing.T) {
	for _, form := range summaryForms() {
		for _, line := range form.green {
			if one, found := summaryLine(line); !found || one.red || one.tool != form.tool {
				t.Errorf("%s: %q is green, got %+v", form.tool, line, one)
			}
		}
		for _, line := range form.failed {
			if one, found := summaryLine(line); !found || !one.red || one.tool != form.tool {
				t.Errorf("%s: %q is red, got %+v", form.tool, line, one)
			}
		}
		for _, line := range form.no {
			if one, found := summaryLine(line); found && one.tool == form.tool {
				t.Errorf("%s: %q is no summary", form.tool, line)
			}
		}
		if len(form.green)+len(form.failed) == 0 {
			t.Errorf("%s needs examples", form.tool)
		}
	}
}

func FuzzEditor(f *testing.F) { fuzzProfile(f, ProfileEditor, extractEditor) }

func TestEditorLosesNoElementToFinished(t *testing.T) {
	neverFinished(t, extractEditor, readCases(t, ProfileEditor))
}

func TestAnswers(t *testing.T) {
	checkRule(t, lineRule{match: isAnswer,
		yes: []string{"Save", "Save All", "Don't Save", "Don’t Save", "Cancel", "Yes, I trust the authors", "No, I don't trust the authors", "Install", "Install Anyway",
			"Move to Recycle Bin", "No", "OK", "Nicht speichern", "Ne pas enregistrer", "不保存", "ביטול", "Не сохранять"},
		no: []string{"Copy", "Retry", "Helpful", "UTF-8", "No Problems", "Notifications", "Saved searches", "main, Checkout Branch/Tag...", "Norwegian", "12"}})
	checkRule(t, lineRule{match: idleButton,
		yes: []string{"Copy", "Copy link", "Helpful", "Unhelpful", "Retry", "Learn More", "Insert at Cursor", "Redo (Ctrl+Y)"},
		no:  []string{"Save", "Cancel", "Restart", "Likely", "Edit settings"}})
}
