package extractors

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"mcp-computer-use/internal/ui"
)

const casesDir = "../fixtures/cases"

// readCase is one window of fixtures/cases/read with what must come out of it.
type readCase struct {
	name string
	in   Input
	want caseWant
}

type caseWant struct {
	Error     string         `json:"error"`
	Window    string         `json:"window"`
	Extractor string         `json:"extractor"`
	Status    string         `json:"status"`
	Details   map[string]any `json:"details"`
	NoDetails []string       `json:"no_details"`
	TextHas   []string       `json:"text_has"`
	TextLacks []string       `json:"text_lacks"`
	HintHas   any            `json:"hint_has"`
}

type caseWindow struct {
	Title     string `json:"title"`
	App       string `json:"app"`
	Frontmost bool   `json:"frontmost"`
}

// readCases loads the cases of the given extractors; all of them when none is given.
func readCases(t testing.TB, extractors ...string) []readCase {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(casesDir, "read", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s (%v)", casesDir, err)
	}
	var all []readCase
	for _, path := range paths {
		one := loadCase(t, path)
		if one.want.Error == "" && (len(extractors) == 0 || has(extractors, one.want.Extractor)) {
			all = append(all, one)
		}
	}
	return all
}

func has(list []string, entry string) bool {
	for _, one := range list {
		if one == entry {
			return true
		}
	}
	return false
}

func loadCase(t testing.TB, path string) readCase {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, file := range archive.Files {
		files[file.Name] = string(file.Data)
	}
	one := readCase{name: strings.TrimSuffix(filepath.Base(path), ".txtar")}
	var ask struct{ App string }
	var windows []caseWindow
	for name, into := range map[string]any{"ask.json": &ask, "want.json": &one.want, "windows.json": &windows} {
		if files[name] == "" && name == "windows.json" {
			continue
		}
		if err := json.Unmarshal([]byte(files[name]), into); err != nil {
			t.Fatalf("%s: %s: %v", one.name, name, err)
		}
	}
	window := pickWindow(windows, ask.App, one.want.Window)
	one.in = Input{AppName: window.App, RequestedApp: ask.App, WindowTitle: window.Title, Platform: ui.Windows, MaxChars: DefaultMaxChars}
	if system := strings.TrimSpace(files["os"]); system != "" {
		one.in.Platform = ui.Platform(system)
	}
	if text, found := files["text"]; found {
		one.in.HasText = true
		one.in.Lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	if text, found := files["snapshot"]; found {
		one.in.Snapshot = windowTree(parseTree(text), window.Title)
	}
	return one
}

// pickWindow is a rough choice of the window, good enough where the case does not say which.
func pickWindow(windows []caseWindow, app, title string) caseWindow {
	ranks := []func(caseWindow) bool{
		func(w caseWindow) bool { return title != "" && w.Title == title },
		func(w caseWindow) bool { return w.Title == app },
		func(w caseWindow) bool { return strings.EqualFold(w.App, app) },
		func(w caseWindow) bool {
			return app != "" && strings.Contains(strings.ToLower(w.Title), strings.ToLower(app))
		},
		func(w caseWindow) bool { return w.Frontmost },
		func(w caseWindow) bool { return true },
	}
	for _, fits := range ranks {
		for _, window := range windows {
			if fits(window) {
				return window
			}
		}
	}
	return caseWindow{}
}

// checkCase compares an outcome with what a case wants of it.
func checkCase(t *testing.T, one readCase) {
	t.Helper()
	out := Extract(one.in)
	if one.want.Extractor != "" && out.Profile != one.want.Extractor {
		t.Errorf("profile %q, want %q", out.Profile, one.want.Extractor)
	}
	if one.want.Status != "" && out.Status != one.want.Status {
		t.Errorf("status %q, want %q", out.Status, one.want.Status)
	}
	found := detailMap(out)
	for key, value := range one.want.Details {
		if diff := cmp.Diff(value, found[key]); diff != "" {
			t.Errorf("details.%s (-want +got):\n%s", key, diff)
		}
	}
	for _, key := range one.want.NoDetails {
		if value, there := found[key]; there {
			t.Errorf("details.%s is %v, want none", key, value)
		}
	}
	for _, text := range one.want.TextHas {
		if !strings.Contains(out.LastMessage, text) {
			t.Errorf("last message lacks %q:\n%s", text, out.LastMessage)
		}
	}
	for _, text := range one.want.TextLacks {
		if strings.Contains(out.LastMessage, text) {
			t.Errorf("last message holds %q:\n%s", text, out.LastMessage)
		}
	}
	if hint, _ := one.want.HintHas.(string); strings.HasPrefix(hint, "minimi") && out.Exposed {
		t.Error("the window counts as exposed, want not")
	}
}

// detailMap gives the details the shape that encoding/json would read back.
func detailMap(out Outcome) map[string]any {
	found := map[string]any{}
	for _, detail := range out.Details {
		value := detail.Value
		if list, ok := value.([]string); ok {
			entries := make([]any, len(list))
			for i := range list {
				entries[i] = list[i]
			}
			value = entries
		}
		found[detail.Key] = value
	}
	return found
}

func TestReadCases(t *testing.T) {
	for _, one := range readCases(t, ProfileClaude, ProfileGeneric) {
		t.Run(one.name, func(t *testing.T) { checkCase(t, one) })
	}
}

// TestCasesAreCurrent compares the copy of the cases with the folder they come from, where that
// folder is there.
func TestCasesAreCurrent(t *testing.T) {
	const source = "../../shared/cases"
	if _, err := os.Stat(source); err != nil {
		if entries, err := os.ReadDir(casesDir); err != nil || len(entries) == 0 {
			t.Fatalf("the copy holds nothing: %v", err)
		}
		return
	}
	if diff := cmp.Diff(folder(t, source), folder(t, casesDir)); diff != "" {
		t.Errorf("%s differs from %s (-source +copy):\n%s", casesDir, source, diff)
	}
}

// folder reads every file below a folder.
func folder(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
