//go:build realagentcu

package agentcu

import (
	"errors"
	"os"
	"strings"
	"testing"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/ui"
)

// These tests run a real agent-cu 0.1.x on Linux:
//
//	MCP_CU_REAL_AGENT_CU=/path/to/agent-cu go test -tags realagentcu -run Real ./agentcu
//
// A desktop with an accessibility bus is used where there is one. Nothing is clicked.

func realClient(t *testing.T) *Client {
	t.Helper()
	path := os.Getenv("MCP_CU_REAL_AGENT_CU")
	if path == "" {
		t.Fatal("MCP_CU_REAL_AGENT_CU names no agent-cu")
	}
	opts := DefaultOptions(ui.Linux)
	opts.Command, opts.TempDir = path, t.TempDir()
	return New(proc.New(), opts)
}

func TestRealVersion(t *testing.T) {
	version, err := realClient(t).Version(t.Context())
	if err != nil || !strings.HasPrefix(version, "0.1.") {
		t.Errorf("version %q, %v", version, err)
	}
}

// Every command line that this package builds has to pass the real argument parser.
func TestRealArgumentsAreAccepted(t *testing.T) {
	client := realClient(t)
	home, err := client.NewHome()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = home.Close() }()
	for _, app := range []string{"No Such Application", "-x", "--app", "a=b \"c\" 'd'", "שלום"} {
		for verb, run := range map[string]func() error{
			"text":       func() error { _, err := client.Text(t.Context(), home, app); return err },
			"snapshot":   func() error { _, err := client.Snapshot(t.Context(), home, app); return err },
			"tree":       func() error { _, err := client.Value(t.Context(), home, app, ui.Element{}); return err },
			"click":      func() error { _, err := client.Click(t.Context(), home, app, "@e1"); return err },
			"type":       func() error { _, err := client.Type(t.Context(), home, app, "@e1", "-5"); return err },
			"screenshot": func() error { _, err := client.Screenshot(t.Context(), home, app); return err },
			"windows":    func() error { _, err := client.windows(t.Context(), home, app); return err },
		} {
			err := run()
			if verb == "screenshot" && err == nil {
				continue // without such a window it takes the whole screen
			}
			var failed *Error
			if !errors.As(err, &failed) || failed.Type == "" || failed.Kind == Usage {
				t.Errorf("%s of %q: %v, want an error of agent-cu's own", verb, app, err)
			}
		}
	}
}

// What is open is listed, and each application's snapshot fits its refs.json.
func TestRealSnapshots(t *testing.T) {
	client := realClient(t)
	listing, err := client.WindowList(t.Context(), nil)
	var failed *Error
	if errors.As(err, &failed) && strings.Contains(failed.Message, "session bus") {
		t.Skip("no accessibility bus")
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(listing.Windows) == 0 {
		t.Skip("no window is open")
	}
	for _, window := range listing.Windows {
		checkRealSnapshot(t, client, window)
	}
}

func checkRealSnapshot(t *testing.T, client *Client, window ui.Window) {
	home, err := client.NewHome()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = home.Close() }()
	s, err := client.Snapshot(t.Context(), home, window.App)
	if err != nil {
		t.Fatal(err)
	}
	checkShape(t, s)
	refs, err := os.ReadFile(home.refs())
	exact := parseRefs(refs)
	if err != nil || len(exact) == 0 {
		t.Fatalf("%s: no refs.json, %v", window.App, err)
	}
	count := 0
	for _, e := range s.Elements {
		if e.Ref != "" {
			count++
		}
	}
	if count != len(exact) {
		t.Errorf("%s: %d refs, refs.json has %d", window.App, count, len(exact))
	}
	if part, ok := WindowSubtree(s, window.Title); !ok || len(part.Elements) == 0 {
		t.Errorf("%s: no subtree of %q", window.App, window.Title)
	}
	lines, err := client.Text(t.Context(), home, window.App)
	if err != nil {
		t.Error(err)
	}
	t.Logf("%s: %d elements, %d refs, %d lines", window.App, len(s.Elements), count, len(lines))
}
