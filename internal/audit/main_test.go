package audit

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// childEnv makes the test binary append records to the log of a folder instead of running tests.
const (
	childEnv = "AUDIT_TEST_DIR"
	countEnv = "AUDIT_TEST_COUNT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

func child(dir string) int {
	count, _ := strconv.Atoi(os.Getenv(countEnv))
	options := DefaultOptions()
	options.LockWait = 30 * time.Second
	log := New(options, dir, nil)
	for n := range count {
		if _, err := log.Append(context.Background(), Record{Action: "click", Target: fmt.Sprintf("%d-%d", os.Getpid(), n)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// start runs the test binary as a child that appends count records.
func start(t *testing.T, dir string, count int) *os.Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(self, []string{self}, &os.ProcAttr{
		Env:   append(os.Environ(), childEnv+"="+dir, countEnv+"="+strconv.Itoa(count)),
		Files: []*os.File{nil, os.Stdout, os.Stderr},
	})
	if err != nil {
		t.Fatal(err)
	}
	return process
}

// finish waits for a child that must succeed.
func finish(t *testing.T, process *os.Process) {
	t.Helper()
	state, err := process.Wait()
	if err != nil || !state.Success() {
		t.Errorf("child: %v, %v", state, err)
	}
}
