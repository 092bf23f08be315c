package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recording that can't begin leaves nothing behind.
func TestRecordingThatCannotBegin(t *testing.T) {
	temp, full := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "old"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("USERPROFILE", t.TempDir())
	t.Setenv("MCP_CU_AGENT_CU_CMD", filepath.Join(full, "agent-cu"))
	var errs strings.Builder
	if code := Main([]string{"--record", full, "--health"}, strings.NewReader(""), io.Discard, &errs); code != exitUsage ||
		!strings.Contains(errs.String(), "not empty") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
