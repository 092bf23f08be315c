package timeouts

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

// childEnv makes the test binary record one success per model of a folder instead of running tests.
const childEnv = "TIMEOUTS_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		planner := NewPlanner(DefaultOptions(), dir)
		planner.locker.Wait = 30 * time.Second
		for n := range 5 {
			if err := planner.Succeeded(context.Background(), fmt.Sprintf("%d-%d", os.Getpid(), n), time.Second, false); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start runs the test binary as a child that records successes.
func start(t *testing.T, dir string) *os.Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(self, []string{self}, &os.ProcAttr{Env: append(os.Environ(), childEnv+"="+dir),
		Files: []*os.File{nil, os.Stdout, os.Stderr}})
	if err != nil {
		t.Fatal(err)
	}
	return process
}
