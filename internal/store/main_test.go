package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// Environment that makes the test binary a child which works on a folder instead of running tests.
const (
	roleEnv = "STORE_TEST_ROLE"
	dirEnv  = "STORE_TEST_DIR"
)

// rounds is how often each counting child counts.
const rounds = 25

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		if err := child(role, os.Getenv(dirEnv)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(role, dir string) error {
	path := filepath.Join(dir, "data")
	switch role {
	case "count":
		for range rounds {
			if err := increment(path); err != nil {
				return err
			}
		}
		return nil
	case "write":
		for n := byte('a'); ; n = 'a' + (n+1-'a')%26 {
			if err := lockedWrite(path, bytes.Repeat([]byte{n}, 1<<20)); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("no role %q", role)
}

func increment(path string) error {
	locker := Locker{Wait: 30 * time.Second}
	unlock, err := locker.Lock(context.Background(), path)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := ReadFile(path, 100)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	count, _ := strconv.Atoi(string(data))
	return WriteFile(path, []byte(strconv.Itoa(count+1)))
}

func lockedWrite(path string, data []byte) error {
	var locker Locker
	unlock, err := locker.Lock(context.Background(), path)
	if err != nil {
		return err
	}
	defer unlock()
	return WriteFile(path, data)
}

// start runs the test binary as a child of that role.
func start(t *testing.T, role, dir string) *os.Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(self, []string{self}, &os.ProcAttr{
		Env:   append(os.Environ(), roleEnv+"="+role, dirEnv+"="+dir),
		Files: []*os.File{nil, os.Stdout, os.Stderr},
	})
	if err != nil {
		t.Fatal(err)
	}
	return process
}
