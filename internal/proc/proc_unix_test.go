//go:build unix

package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// living says whether a process runs. One that ended but was not waited for yet does not: its parent,
// which is not us, may take its time.
func living(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") || ourChild(string(stat))
}

// ourChild says whether a line of /proc/PID/stat is that of a child of ours: a zombie of our own counts
// as living, since it is our part to wait for it.
func ourChild(stat string) bool {
	_, after, _ := strings.Cut(stat, ") ")
	fields := strings.Fields(after)
	return len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid())
}

func TestRunTellsKilledFromExit(t *testing.T) {
	cmd, pids := command(t, "stubborn")
	go func() {
		eventually(func() bool { return len(reported(t, pids)) >= 2 })
		_ = syscall.Kill(reported(t, pids)[0], syscall.SIGKILL)
	}()
	result, err := New().Run(t.Context(), cmd)
	if kindOf(err) != Killed || result.ExitCode != -1 {
		t.Errorf("got %v, exit code %d", err, result.ExitCode)
	}
	wantEnded(t, pids, 2)
}

func TestStartMakesASessionOfItsOwn(t *testing.T) {
	cmd, _ := command(t, "sleep")
	started, err := New().Start(t.Context(), Detached{Path: cmd.Path, Env: cmd.Env})
	if err != nil {
		t.Fatal(err)
	}
	group, err := syscall.Getpgid(started.PID)
	if err != nil || group != started.PID || started.InJob {
		t.Errorf("group %d of process %d, %v", group, started.PID, err)
	}
	_ = syscall.Kill(started.PID, syscall.SIGKILL)
	<-started.Exited
}

func TestParentName(t *testing.T) {
	if name := ParentName(); strings.ContainsAny(name, "/\n") {
		t.Errorf("got %q", name)
	}
}

func TestASuccessAtTheDeadlineIsOne(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	cmd, _ := command(t, "echo")
	done := exec.Command(cmd.Path)
	done.Env = cmd.Env
	if err := done.Run(); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := classify(ctx, done, context.Canceled); err != nil {
		t.Errorf("got %v", err)
	}
	if err := classify(ctx, done, exec.ErrWaitDelay); kindOf(err) != PipeHeld {
		t.Errorf("got %v", err)
	}
	// Its group is gone: there is nothing that could not be killed.
	if err := ended(killGroup(done.Process.Pid)); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("got %v", err)
	}
	if err := ended(syscall.EINVAL); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("got %v", err)
	}
}

// A process that was never let run has done nothing: no state is left of it.
func TestAnIdleProcessIsNotStarted(t *testing.T) {
	cause := errors.New("no thread")
	idle := exec.Command("/x/agent-cu")
	if err := classify(t.Context(), idle, cause); kindOf(err) != NotStarted || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := classify(ctx, idle, cause); kindOf(err) != NotStarted || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestLookOnThisMachine(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("x"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program := write("tool", 0o700)
	write("data", 0o600)
	t.Chdir(folder)
	look := func(name, env string) (string, error) {
		return Finder{GOOS: runtime.GOOS, Env: []string{env}, Stat: os.Stat}.Look(name)
	}
	if got, err := look("tool", "PATH="+folder); err != nil || got != program {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := look(program, "X=y"); err != nil || got != program {
		t.Errorf("absolute: %q, %v", got, err)
	}
	for what, call := range map[string][2]string{
		"not executable": {"data", "PATH=" + folder}, "current folder": {"tool", "PATH=.:"},
		"no PATH": {"tool", "X=y"}, "relative": {"./tool", "PATH=" + folder}, "empty": {"", "PATH=" + folder},
		"folder": {"..", "PATH=" + folder},
	} {
		got, err := look(call[0], call[1])
		if kindOf(err) != NotFound || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
}
