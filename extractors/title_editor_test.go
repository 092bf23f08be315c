package extractors

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const code = "Visual Studio Code"

// TestEditorTitles holds every form of spec/apps.md section 2.1.
func TestEditorTitles(t *testing.T) {
	for _, one := range []struct {
		title string
		names editorNames
		want  editorTitle
	}{
		{"checkout.go - shop-api - " + code, editorNames{}, editorTitle{File: "checkout.go", Project: "shop-api", App: code}},
		{"● checkout.go - shop-api - " + code, editorNames{}, editorTitle{File: "checkout.go", Project: "shop-api", App: code, Dirty: true}},
		{"[Extension Development Host] ● panel.ts - demo-ext - " + code, editorNames{}, editorTitle{File: "panel.ts", Project: "demo-ext", App: code, Dirty: true}},
		{"[Erweiterungshost] ● panel.ts - demo-ext - " + code, editorNames{}, editorTitle{File: "panel.ts", Project: "demo-ext", App: code, Dirty: true}},
		{"[slug].tsx - site - " + code, editorNames{}, editorTitle{File: "[slug].tsx", Project: "site", App: code}},
		{"Startup.cs - payroll - " + code + " [Administrator]", editorNames{}, editorTitle{File: "Startup.cs", Project: "payroll", App: code}},
		{"a.c - k - " + code + " [Superuser]", editorNames{}, editorTitle{File: "a.c", Project: "k", App: code}},
		{"theme.css - portal - " + code + " - Modified", editorNames{}, editorTitle{File: "theme.css", Project: "portal", App: code, State: "Modified"}},
		{"a.c - k - " + code + " - Untracked [Administrator]", editorNames{}, editorTitle{File: "a.c", Project: "k", App: code, State: "Untracked"}},
		{"a.c - k - " + code + " [Superuser] - Deleted", editorNames{}, editorTitle{File: "a.c", Project: "k", App: code, State: "Deleted"}},
		{"b.rs - api [WSL: Ubuntu] - " + code, editorNames{}, editorTitle{File: "b.rs", Project: "api", Remote: "WSL: Ubuntu", App: code}},
		{"schema.sql - מסד-נתונים [SSH: build-box] - " + code + " - Insiders", editorNames{}, editorTitle{File: "schema.sql", Project: "מסד-נתונים", Remote: "SSH: build-box", App: code + " - Insiders"}},
		{"m.go - proj (Workspace) [Dev Container: x] - " + code, editorNames{}, editorTitle{File: "m.go", Project: "proj", Remote: "Dev Container: x", App: code}},
		{"proj (Workspace) - " + code, editorNames{}, editorTitle{Project: "proj", App: code}},
		{"b.rs - api [WSL: Ubuntu] - Travel - " + code, editorNames{}, editorTitle{File: "b.rs", Project: "api", Remote: "WSL: Ubuntu", Profile: "Travel", App: code}},
		{"b.rs - api - Travel - " + code, editorNames{roots: []string{"api"}}, editorTitle{File: "b.rs", Project: "api", Profile: "Travel", App: code}},
		{"b.rs - api - Travel - " + code, editorNames{profiles: []string{"Travel"}}, editorTitle{File: "b.rs", Project: "api", Profile: "Travel", App: code}},
		{"b.rs - api - Travel - " + code, editorNames{}, editorTitle{File: "b.rs", Project: "api - Travel", App: code}},
		{"b.rs - api - Work - " + code, editorNames{}, editorTitle{File: "b.rs", Project: "api", Profile: "Work", App: code}},
		{code, editorNames{}, editorTitle{App: code}},
		{code + " [Administrator]", editorNames{}, editorTitle{App: code}},
		{"widget - " + code, editorNames{}, editorTitle{Project: "widget", App: code}},
		{"x.ps1 - my - app - " + code, editorNames{}, editorTitle{File: "x.ps1", Project: "my - app", App: code}},
		{"my - app - " + code, editorNames{roots: []string{"my - app"}}, editorTitle{Project: "my - app", App: code}},
		{"api.v2 - " + code, editorNames{roots: []string{"api.v2"}}, editorTitle{Project: "api.v2", App: code}},
		{"plan - v2.md - notes - " + code, editorNames{}, editorTitle{File: "plan - v2.md", Project: "notes", App: code}},
		{"plan - draft - notes - " + code, editorNames{tabs: []string{"plan - draft"}}, editorTitle{File: "plan - draft", Project: "notes", App: code}},
		{"powershell - workspace - " + code, editorNames{}, editorTitle{Editor: "powershell", Project: "workspace", App: code}},
		{"powershell - workspace - " + code, editorNames{tabs: []string{"powershell"}}, editorTitle{File: "powershell", Project: "workspace", App: code}},
		{"Ispravka UI dizajna meni… - Remote User - " + code + " [Administrator]", editorNames{}, editorTitle{Editor: "Ispravka UI dizajna meni…", Project: "Remote User", App: code}},
		{"● Ich möchte … • Untitled-1 - " + code, editorNames{}, editorTitle{Editor: "Ich möchte … • Untitled-1", App: code, Dirty: true}},
		{"Dear diary • Untitled-2 - " + code, editorNames{}, editorTitle{Editor: "Dear diary • Untitled-2", App: code}},
		{"● Untitled-1 - " + code, editorNames{}, editorTitle{Editor: "Untitled-1", App: code, Dirty: true}},
		{"● draft - " + code, editorNames{}, editorTitle{Editor: "draft", App: code, Dirty: true}},
		{".env - api - " + code, editorNames{}, editorTitle{File: ".env", Project: "api", App: code}},
		{"Makefile - api - " + code, editorNames{}, editorTitle{File: "Makefile", Project: "api", App: code}},
		{"LICENSE - " + code, editorNames{}, editorTitle{File: "LICENSE", App: code}},
		{"build - " + code, editorNames{}, editorTitle{Project: "build", App: code}},
		{"notes.md - " + code, editorNames{}, editorTitle{File: "notes.md", App: code}},
		{"דוח-חודשי.md - ידיעון - " + code, editorNames{}, editorTitle{File: "דוח-חודשי.md", Project: "ידיעון", App: code}},
		{code + " - tips.md - docs - " + code, editorNames{}, editorTitle{File: code + " - tips.md", Project: "docs", App: code}},
		{"claude.ts - site - Cursor", editorNames{}, editorTitle{File: "claude.ts", Project: "site", App: "Cursor"}},
		{"ledger - VSCodium", editorNames{}, editorTitle{Project: "ledger", App: "VSCodium"}},
		{"a.c - k - Code - OSS", editorNames{}, editorTitle{File: "a.c", Project: "k", App: "Code - OSS"}},
		{"a.c - k - Code - Insiders", editorNames{}, editorTitle{File: "a.c", Project: "k", App: "Code - Insiders"}},
		{"a.rs - api-v2 - Windsurf", editorNames{}, editorTitle{File: "a.rs", Project: "api-v2", App: "Windsurf"}},
		{"api-v2 - Windsurf - a.rs", editorNames{}, editorTitle{File: "a.rs", Project: "api-v2", App: "Windsurf"}},
		{"a.rs - api-v2 - Windsurf - Modified", editorNames{}, editorTitle{File: "a.rs", Project: "api-v2", App: "Windsurf", State: "Modified"}},
		{"kiosk - Antigravity - boot.json", editorNames{}, editorTitle{File: "boot.json", Project: "kiosk", App: "Antigravity"}},
		{"kiosk [SSH: pi] - Antigravity IDE - ● boot.json", editorNames{}, editorTitle{File: "boot.json", Project: "kiosk", Remote: "SSH: pi", App: "Antigravity IDE", Dirty: true}},
		{"DevControl - Antigravity - Walkthrough", editorNames{}, editorTitle{Editor: "Walkthrough", Project: "DevControl", App: "Antigravity"}},
		{"DevControl - Antigravity", editorNames{}, editorTitle{Project: "DevControl", App: "Antigravity"}},
		{"router.go — gateway", editorNames{}, editorTitle{File: "router.go", Project: "gateway"}},
		{"router.go — my - app [SSH: box]", editorNames{}, editorTitle{File: "router.go", Project: "my - app", Remote: "SSH: box"}},
		{"gateway", editorNames{}, editorTitle{Project: "gateway"}},
		{"Talk with Dr. Who — notes", editorNames{}, editorTitle{Editor: "Talk with Dr. Who", Project: "notes"}},
		{"a\u00a0b.go -\u200e proj - " + code, editorNames{}, editorTitle{File: "a b.go", Project: "proj", App: code}},
		{"", editorNames{}, editorTitle{}},
	} {
		if diff := cmp.Diff(one.want, parseEditorTitle(one.title, one.names)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", one.title, diff)
		}
	}
}

// TestEditorTitleParts builds titles from parts and wants the parts back.
func TestEditorTitleParts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for range 4000 {
		want := editorTitle{
			File:    pick("a.go", "דוח.md", ".env", "Makefile", "hello,world.rs", "x.test.ts"),
			Project: pick("api", "my - app", "מסד-נתונים", "widget (old)", "node.js"),
			Remote:  pick("", "WSL: Ubuntu", "SSH: box", "Dev Container: x"),
			App:     pick("Visual Studio Code", "Visual Studio Code - Insiders", "Cursor", "VSCodium", "Code - OSS"),
			State:   pick("", "Modified", "Untracked"),
			Dirty:   random.IntN(2) == 0,
		}
		title := want.File + " - " + want.Project
		if want.Dirty {
			title = dirtyMark + title
		}
		if random.IntN(3) == 0 {
			title = extHostMark + title
		}
		if random.IntN(3) == 0 {
			title += " (Workspace)"
		}
		if want.Remote != "" {
			title += " [" + want.Remote + "]"
		}
		title += " - " + want.App + pick("", " [Administrator]", " [Superuser]")
		if want.State != "" {
			title += " - " + want.State
		}
		if diff := cmp.Diff(want, parseEditorTitle(title, editorNames{})); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", title, diff)
		}
	}
}

func TestTabSuffixes(t *testing.T) {
	for name, want := range map[string]string{
		"invoice.ts, preview, Editor Group 1":     "invoice.ts",
		"hello,world.rs, preview, Editor Group 2": "hello,world.rs",
		"a.go, pinned, Window 2: Editor Group 1":  "a.go",
		"Fix it…, Chat Editors: Editor Group 1":   "Fix it…",
		"a.go, エディター グループ 2":                      "a.go",
		"● a.go, Editor Group 1":                  "a.go",
		"a, preview of things.md":                 "a, preview of things.md",
		strings.Repeat("x", 3000) + ", preview":   strings.Repeat("x", 3000) + ", preview",
	} {
		if got := cutTabSuffix(name); got != want {
			t.Errorf("%.60q: %.60q, want %.60q", name, got, want)
		}
	}
}
