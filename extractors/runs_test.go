package extractors

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-computer-use/internal/ui"
)

const runsDir = "../fixtures/runs"

// recordedWindows loads every tree of the recorded runs with the text and the window list that were
// read for it.
func recordedWindows(t *testing.T) []harmCase {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(runsDir, "*", "header.json"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("no runs in %s (%v)", runsDir, err)
	}
	var all []harmCase
	for _, header := range runs {
		all = append(all, loadRun(t, filepath.Dir(header))...)
	}
	if len(all) < 20 {
		t.Fatalf("only %d trees in %s", len(all), runsDir)
	}
	return all
}

// loadRun returns the windows of one run, one per tree. Exchanges are numbered in order; text and tree of
// a window are asked for at the same time, so either may have the lower number.
func loadRun(t *testing.T, dir string) []harmCase {
	t.Helper()
	var header struct{ Platform string }
	readJSON(t, filepath.Join(dir, "header.json"), &header)
	steps, err := filepath.Glob(filepath.Join(dir, "[0-9]*-agent-cu-*"))
	if err != nil {
		t.Fatal(err)
	}
	var all []harmCase
	var windows []caseWindow
	for n, step := range steps {
		switch stepCommand(step) {
		case "windows":
			var more []caseWindow
			if json.Unmarshal([]byte(stdout(step)), &more) == nil {
				windows = append(windows, more...)
			}
		case "snapshot":
			app := stepApp(t, step)
			window := pickWindow(windows, app, "")
			one := harmCase{name: filepath.Base(dir) + " " + filepath.Base(step)}
			one.lines = strings.Split(strings.TrimSuffix(stdout(step), "\n"), "\n")
			one.in = Input{AppName: window.App, RequestedApp: app, WindowTitle: window.Title, Platform: ui.Platform(header.Platform), MaxChars: DefaultMaxChars}
			one.in.Snapshot = windowTree(parseTree(strings.Join(one.lines, "\n")), window.Title)
			one.in.Lines = textBeside(t, steps, n, app)
			one.in.HasText = one.in.Lines != nil
			all = append(all, one)
		}
	}
	return all
}

// stepCommand is the command of an exchange, from the name of its folder: "003-agent-cu-text-a-claude".
func stepCommand(step string) string {
	_, rest, _ := strings.Cut(filepath.Base(step), "-agent-cu-")
	name, _, _ := strings.Cut(rest, "-")
	return name
}

// stdout is what an exchange printed; a failed one may have printed nothing.
func stdout(step string) string {
	data, err := os.ReadFile(filepath.Join(step, "stdout.txt"))
	if err != nil {
		return ""
	}
	return string(data)
}

// stepApp is the window or application that an exchange was about.
func stepApp(t *testing.T, step string) string {
	t.Helper()
	var exchange struct {
		Process struct{ Args []string }
	}
	readJSON(t, filepath.Join(step, "exchange.json"), &exchange)
	for _, arg := range exchange.Process.Args {
		if app, found := strings.CutPrefix(arg, "--app="); found {
			return app
		}
	}
	t.Fatalf("%s names no application", step)
	return ""
}

// textBeside returns the text that was read nearest to a tree of the same window; nil without one.
func textBeside(t *testing.T, steps []string, n int, app string) []string {
	t.Helper()
	for away := 1; away < len(steps); away++ {
		for _, k := range []int{n - away, n + away} {
			if k >= 0 && k < len(steps) && stepCommand(steps[k]) == "text" && stepApp(t, steps[k]) == app {
				return strings.Split(strings.TrimSuffix(stdout(steps[k]), "\n"), "\n")
			}
		}
	}
	return nil
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestRecordedWindows checks that the loader finds what the runs hold: window, text and status.
func TestRecordedWindows(t *testing.T) {
	want := map[string]string{
		"claude-working": StatusWorking, "claude-finished": StatusFinished, "claude-waiting": StatusUnknown, "claude-terminal-working": StatusWorking,
		"claude-minimised": StatusUnknown, "codex-waiting": StatusWaiting, "codex-finished": StatusFinished, "editor-waiting": StatusWaiting, "browser-error": StatusError,
	}
	for _, one := range recordedWindows(t) {
		name, _, _ := strings.Cut(one.name, " ")
		if status, listed := want[name]; listed {
			if out := Extract(one.in); out.Status != status || one.in.WindowTitle == "" {
				t.Errorf("%s: %q is %s, want %s", name, one.in.WindowTitle, out.Status, status)
			}
			delete(want, name)
		}
	}
	for name := range want {
		t.Errorf("%s has no tree", name)
	}
}
