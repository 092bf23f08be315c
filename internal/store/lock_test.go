package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestProcessesExcludeEachOther(t *testing.T) {
	dir := t.TempDir()
	const processes = 8
	var all []*os.Process
	for range processes {
		all = append(all, start(t, "count", dir))
	}
	for _, one := range all {
		if state, err := one.Wait(); err != nil || !state.Success() {
			t.Errorf("child: %v, %v", state, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "data"))
	if err != nil || string(data) != "200" {
		t.Errorf("%d processes counted to %q, %v", processes, data, err)
	}
	wantFiles(t, dir, "data", "data.lock")
}

func TestGoroutinesExcludeEachOther(t *testing.T) {
	for name, shared := range map[string]bool{"one locker": true, "two lockers": false} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			lockers := []*Locker{{}, {}}
			if shared {
				lockers[1] = lockers[0]
			}
			var group sync.WaitGroup
			inside := make(chan struct{}, 1)
			for n := range 8 {
				group.Go(func() {
					for range 5 {
						unlock, err := lockers[n%2].Lock(t.Context(), path)
						if err != nil {
							t.Error(err)
							return
						}
						select {
						case inside <- struct{}{}:
							<-inside
						default:
							t.Error("two at once")
						}
						unlock()
					}
				})
			}
			group.Wait()
			if left := len(lockers[0].held) + len(lockers[1].held); left != 0 {
				t.Errorf("%d paths are remembered", left)
			}
		})
	}
}

func TestLockedByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	var holder Locker
	unlock, err := holder.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for name, locker := range map[string]*Locker{"another locker": {Wait: 60 * time.Millisecond}, "the same": &holder} {
		holder.Wait = 60 * time.Millisecond
		_, err := locker.Lock(t.Context(), path)
		if KindOf(err) != Locked || !strings.Contains(err.Error(), "locked by another process") {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := Locker{Wait: time.Hour}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client went away")
	cancel(gone)
	if _, err := other.Lock(ctx, path); !errors.Is(err, gone) || KindOf(err) == Locked {
		t.Errorf("cancelled: %v", err)
	}
	unlock()
	free, err := other.Lock(t.Context(), filepath.Dir(path)+"/./data")
	if err != nil {
		t.Fatal(err)
	}
	free()
	wantFiles(t, filepath.Dir(path), "data.lock")
}

func TestLockWithoutFolder(t *testing.T) {
	var locker Locker
	_, err := locker.Lock(t.Context(), filepath.Join(t.TempDir(), "missing", "data"))
	var known *Error
	if !errors.As(err, &known) || known.Op != "lock" || len(locker.held) != 0 {
		t.Errorf("%v, %d paths remembered", err, len(locker.held))
	}
}

func TestKilledWriter(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "data")
	for range 4 {
		process := start(t, "write", dir)
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if files, _ := filepath.Glob(filepath.Join(dir, ".data*")); len(files) > 0 {
				break // in the middle of a write
			}
		}
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := process.Wait(); err != nil {
			t.Fatal(err)
		}
		data, err := ReadFile(path, 2<<20)
		if errors.Is(err, os.ErrNotExist) {
			continue // killed before the first write was done
		}
		if err != nil || len(data) != 1<<20 || strings.Trim(string(data), string(data[:1])) != "" {
			t.Errorf("%d bytes, %v: not one whole write", len(data), err)
		}
	}
	if err := lockedWrite(path, []byte("next")); err != nil {
		t.Errorf("the lock of a killed process stays: %v", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := file.Name(); name != "data" && name != "data.lock" && !IsTemp(name) {
			t.Errorf("unknown file %s", name)
		}
	}
}

func TestReaderBesideWriter(t *testing.T) {
	dir := t.TempDir()
	process := start(t, "write", dir)
	defer func() { _ = process.Kill(); _, _ = process.Wait() }()
	path, seen := filepath.Join(dir, "data"), 0
	for deadline := time.Now().Add(10 * time.Second); seen < 50 && time.Now().Before(deadline); {
		data, err := ReadFile(path, 2<<20)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil || len(data) != 1<<20 || data[0] != data[len(data)-1] {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
		seen++
	}
	if seen == 0 {
		t.Error("nothing was read")
	}
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range files {
		got = append(got, file.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("files %q, want %q", got, want)
	}
}

func BenchmarkLock(b *testing.B) {
	var locker Locker
	path := filepath.Join(b.TempDir(), "data")
	for b.Loop() {
		unlock, err := locker.Lock(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		unlock()
	}
}

func BenchmarkWriteFile(b *testing.B) {
	path, data := filepath.Join(b.TempDir(), "data"), make([]byte, 4096)
	for b.Loop() {
		if err := WriteFile(path, data); err != nil {
			b.Fatal(err)
		}
	}
}
