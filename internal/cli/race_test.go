package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcp-computer-use/internal/audit"
)

// Eight processes at a time share one session, one action log and one history of times: every call is
// answered, every file stays whole, and no act is missing from the log.
func TestRacingProcesses(t *testing.T) {
	b := newBench(t)
	b.env = append(b.env, "MCP_CU_SNAPSHOT_DETAILS=0")
	program(t)
	const workers, rounds = 8, 24
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for n := range rounds {
				args := []string{"--ask", fmt.Sprintf("Question %d of %d?", n, worker), "--app", "Calculator"}
				if n%2 == 1 {
					args = []string{"--click", "Calculator", "Seven"}
				}
				code, out, errs := b.run(t, append(args, "--client", "race", "--session-id", "same")...)
				if code != 0 || strings.Contains(out, "hint") || errs != "" {
					t.Errorf("worker %d, call %d: exit code %d, %s%s", worker, n, code, out, errs)
				}
			}
		})
	}
	group.Wait()
	report, err := audit.Verify(t.Context(), filepath.Join(b.sessions, audit.FileName))
	if want := workers * rounds / 2; err != nil || !report.OK || report.Records != want {
		t.Errorf("log %+v, %v, want %d records", report, err, want)
	}
	files, err := os.ReadDir(b.sessions)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(b.sessions, file.Name()))
		switch {
		case err != nil:
			t.Error(err)
		case strings.HasSuffix(file.Name(), ".lock"), file.Name() == audit.FileName:
		case !strings.HasSuffix(file.Name(), ".json"):
			t.Errorf("left over: %s", file.Name())
		case !json.Valid(data):
			t.Errorf("%s is broken: %.200s", file.Name(), data)
		}
	}
	session, err := os.ReadFile(filepath.Join(b.sessions, "race__same.json"))
	if n := strings.Count(string(session), "Question "); err != nil || n != 5 {
		t.Errorf("%d questions kept, %v", n, err)
	}
}
