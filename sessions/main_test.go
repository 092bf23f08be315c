package sessions

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// Environment that makes the test binary a child which uses a session instead of running tests.
const (
	dirEnv   = "SESSIONS_TEST_DIR"
	countEnv = "SESSIONS_TEST_COUNT"
	nameEnv  = "SESSIONS_TEST_NAME" // the session id; empty for a new one at each call
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(dirEnv); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(dir string) error {
	count, err := strconv.Atoi(os.Getenv(countEnv))
	if err != nil {
		return err
	}
	options := DefaultOptions()
	options.Questions, options.LockWait = 1000, 30*time.Second
	folder := New(options, dir, nil)
	for n := range count {
		id := ID{"race", os.Getenv(nameEnv)}
		if id.Session == "" {
			id.Session = fmt.Sprintf("%d-%d", os.Getpid(), n)
		}
		session, err := folder.Begin(context.Background(), id)
		if err != nil {
			return err
		}
		answer := Answer{Question: fmt.Sprintf("Call %d of %d?", n, os.Getpid()), Summary: "yes", Confidence: 1, Model: "m"}
		if err := session.Commit(context.Background(), screen("working", "text"), &answer); err != nil {
			return err
		}
		if err := folder.Purge(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// run runs so many children at the same time; all must succeed.
func run(t *testing.T, children, count int, dir, name string) {
	t.Helper()
	var all []*os.Process
	for range children {
		all = append(all, start(t, count, dir, name))
	}
	for _, one := range all {
		if state, err := one.Wait(); err != nil || !state.Success() {
			t.Errorf("child: %v, %v", state, err)
		}
	}
}

func start(t *testing.T, count int, dir, name string) *os.Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(self, []string{self}, &os.ProcAttr{
		Env:   append(os.Environ(), dirEnv+"="+dir, countEnv+"="+strconv.Itoa(count), nameEnv+"="+name),
		Files: []*os.File{nil, os.Stdout, os.Stderr},
	})
	if err != nil {
		t.Fatal(err)
	}
	return process
}
