package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childMode names what the re-executed test binary does instead of testing.
const childMode = "PROC_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(child(mode))
	}
	os.Exit(m.Run())
}

// lifetime ends a child that a failing test left behind.
const lifetime = 60 * time.Second

// child is the body of all child processes of these tests.
func child(mode string) int {
	switch mode {
	case "echo":
		fmt.Printf("args=%q\n", os.Args[1:])
		fmt.Fprint(os.Stderr, "to stderr")
	case "stdin":
		data, err := io.ReadAll(os.Stdin)
		fmt.Printf("%d %v", len(data), err)
	case "env":
		fmt.Printf("%s|%s", os.Getenv("ONLY"), os.Getenv("PROC_TEST_NOT_PASSED"))
	case "exit3":
		fmt.Print("before the end")
		return 3
	case "stubborn": // ignores SIGTERM, with a grandchild that shares its output
		signal.Ignore(syscall.SIGTERM)
		reportPID(os.Getpid())
		reportPID(spawn("sleep"))
		time.Sleep(lifetime)
	case "holder": // ends at once and leaves a grandchild that holds its output
		reportPID(spawn("sleep"))
		fmt.Print("all of the answer")
	case "breeder": // starts processes for as long as it lives
		for range 200 {
			reportPID(spawn("sleep"))
		}
		time.Sleep(lifetime)
	case "flood":
		block := make([]byte, 1<<20)
		for range 100 {
			if _, err := os.Stdout.Write(block); err != nil {
				return 1
			}
		}
		time.Sleep(lifetime)
	case "watch":
		gone := WatchParent(context.Background())
		_ = os.WriteFile(os.Getenv("PROC_TEST_FILE")+".ready", nil, 0o600)
		select {
		case <-gone:
		case <-time.After(lifetime):
			return 1
		}
		_ = os.WriteFile(os.Getenv("PROC_TEST_FILE"), []byte("gone"), 0o600)
	case "parent": // starts a watcher and ends once it watches
		spawn("watch")
		eventually(func() bool { _, err := os.Stat(os.Getenv("PROC_TEST_FILE") + ".ready"); return err == nil })
	case "sleep":
		time.Sleep(lifetime)
	case "log":
		fmt.Println("to the log")
		fmt.Fprintln(os.Stderr, "errors too")
	}
	return 0
}

// spawn starts another child that shares our output.
func spawn(mode string) int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childMode+"="+mode)
	if mode != "watch" {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return 0
	}
	return cmd.Process.Pid
}

func reportPID(pid int) {
	f, err := os.OpenFile(os.Getenv("PROC_TEST_FILE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, _ = fmt.Fprintln(f, pid)
		_ = f.Close()
	}
}

// tempDir is t.TempDir without the check that all of it can be removed: Wine can't.
func tempDir(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "windows" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("", "proc-test-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, name := range append(left, dir) {
			_ = os.Remove(name)
		}
	})
	return dir
}

// command is this test binary as a child; pids is the file where it reports processes.
func command(t *testing.T, mode string, args ...string) (cmd Command, pids string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pids = filepath.Join(tempDir(t), "pids")
	// The race detector lets a process sleep for a second before it ends.
	env := append(os.Environ(), childMode+"="+mode, "PROC_TEST_FILE="+pids, "GORACE=atexit_sleep_ms=0")
	return Command{Path: exe, Args: args, Env: env}, pids
}

// reported returns the processes that the children reported.
func reported(t *testing.T, file string) []int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var pids []int
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if pid, err := strconv.Atoi(lines.Text()); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// wantEnded fails when a reported process still lives after a moment.
func wantEnded(t *testing.T, file string, atLeast int) {
	t.Helper()
	pids := reported(t, file)
	if len(pids) < atLeast {
		t.Fatalf("%d processes were reported, want %d", len(pids), atLeast)
	}
	for _, pid := range pids {
		if !eventually(func() bool { return !living(pid) }) {
			t.Errorf("process %d is left", pid)
		}
	}
}

// eventually waits up to ten seconds for a condition.
func eventually(condition func() bool) bool {
	for range 1000 {
		if condition() {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// whenReported gives a context that is ended, with the cause, once the child reported n processes.
func whenReported(t *testing.T, file string, n int, cause error) context.Context {
	ctx, stop := context.WithCancelCause(t.Context())
	go func() {
		eventually(func() bool { return len(reported(t, file)) >= n })
		stop(cause)
	}()
	return ctx
}

func kindOf(err error) Kind {
	var failed *Error
	if errors.As(err, &failed) {
		return failed.Kind
	}
	return ""
}

func TestRunGivesOutputAndExitCode(t *testing.T) {
	args := []string{"", "a b", `"quoted" \`, "שלום", "--", "-x", "line\nbreak"}
	cmd, _ := command(t, "echo", args...)
	result, err := New().Run(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("args=%q\n", args); string(result.Stdout) != want {
		t.Errorf("stdout %q, want %q", result.Stdout, want)
	}
	if string(result.Stderr) != "to stderr" || result.ExitCode != 0 || result.Duration <= 0 {
		t.Errorf("got stderr %q, exit code %d, duration %v", result.Stderr, result.ExitCode, result.Duration)
	}
}

func TestRunGivesEmptyStdin(t *testing.T) {
	cmd, _ := command(t, "stdin")
	result, err := New().Run(t.Context(), cmd)
	if err != nil || string(result.Stdout) != "0 <nil>" {
		t.Errorf("got %q, %v", result.Stdout, err)
	}
}

func TestRunPassesThisEnvironmentAlone(t *testing.T) {
	t.Setenv("PROC_TEST_NOT_PASSED", "leaked")
	cmd, _ := command(t, "env")
	cmd.Env = []string{childMode + "=env", "ONLY=this"}
	if result, err := New().Run(t.Context(), cmd); err != nil || string(result.Stdout) != "this|" {
		t.Errorf("got %q, %v", result.Stdout, err)
	}
	t.Setenv(childMode, "env")
	cmd.Env = nil
	if result, err := New().Run(t.Context(), cmd); err != nil || string(result.Stdout) != "|leaked" {
		t.Errorf("the parent's: %q, %v", result.Stdout, err)
	}
}

func TestRunExitStatus(t *testing.T) {
	cmd, _ := command(t, "exit3", "--secret-argument")
	result, err := New().Run(t.Context(), cmd)
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != ExitStatus || failed.ExitCode != 3 {
		t.Fatalf("got %v", err)
	}
	if result.ExitCode != 3 || string(result.Stdout) != "before the end" {
		t.Errorf("got exit code %d, stdout %q", result.ExitCode, result.Stdout)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error holds an argument: %v", err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v claims that a context ended it", err)
	}
}

func TestRunNotStarted(t *testing.T) {
	_, err := New().Run(t.Context(), Command{Path: filepath.Join(tempDir(t), "missing.exe"), Args: []string{"secret"}})
	if kindOf(err) != NotStarted || !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), "secret") {
		t.Errorf("missing file: %v", err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	cmd, pids := command(t, "stubborn")
	_, err = New().Run(ended, cmd)
	if kindOf(err) != NotStarted || !errors.Is(err, context.Canceled) || len(reported(t, pids)) != 0 {
		t.Errorf("ended context: %v", err)
	}
	cmd.Args = []string{"nul\x00secret"}
	if _, err = New().Run(t.Context(), cmd); kindOf(err) != NotStarted || strings.Contains(err.Error(), "secret") {
		t.Errorf("NUL in an argument: %v", err)
	}
}

// why is a cause that callers look for by its type.
type why struct{ reason string }

func (w *why) Error() string { return w.reason }

func TestRunEndsTheTreeAtTheDeadline(t *testing.T) {
	var err error
	var pids string
	// A busy machine can need longer than the deadline to start both processes.
	for limit := 500 * time.Millisecond; limit < lifetime && len(reported(t, pids)) < 2; limit *= 3 {
		var cmd Command
		cmd, pids = command(t, "stubborn")
		ctx, stop := context.WithTimeoutCause(t.Context(), limit, &why{"budget spent"})
		_, err = New().Run(ctx, cmd)
		stop()
	}
	var cause *why
	if kindOf(err) != TimedOut || !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &cause) {
		t.Errorf("got %v", err)
	}
	if errors.Is(err, context.Canceled) {
		t.Errorf("%v claims to be cancelled too", err)
	}
	wantEnded(t, pids, 2)
}

func TestRunEndsTheTreeWhenCanceled(t *testing.T) {
	for _, mode := range []string{"stubborn", "breeder"} {
		t.Run(mode, func(t *testing.T) {
			cmd, pids := command(t, mode)
			_, err := New().Run(whenReported(t, pids, 2, &why{"client left"}), cmd)
			var cause *why
			if kindOf(err) != Canceled || !errors.Is(err, context.Canceled) || !errors.As(err, &cause) {
				t.Errorf("got %v", err)
			}
			wantEnded(t, pids, 2)
		})
	}
}

func TestRunGivesTheOutputThatAHolderHolds(t *testing.T) {
	cmd, pids := command(t, "holder")
	result, err := New().Run(t.Context(), cmd)
	if kindOf(err) != PipeHeld || !errors.Is(err, exec.ErrWaitDelay) {
		t.Errorf("got %v", err)
	}
	if result.ExitCode != 0 || string(result.Stdout) != "all of the answer" {
		t.Errorf("got exit code %d, stdout %q", result.ExitCode, result.Stdout)
	}
	wantEnded(t, pids, 1)
}

func TestRunBoundsOutput(t *testing.T) {
	cmd, _ := command(t, "flood")
	result, err := New().Run(t.Context(), cmd)
	if kindOf(err) != OutputTooLarge || len(result.Stdout) != MaxOutput {
		t.Errorf("got %v with %d bytes", err, len(result.Stdout))
	}
	small := &OS{maxOutput: 5}
	cmd, _ = command(t, "exit3")
	if result, err = small.Run(t.Context(), cmd); kindOf(err) != OutputTooLarge || string(result.Stdout) != "befor" {
		t.Errorf("got %v, %q", err, result.Stdout)
	}
	exact := &OS{maxOutput: len("before the end")}
	if _, err = exact.Run(t.Context(), cmd); kindOf(err) != ExitStatus {
		t.Errorf("output of just the limit: %v", err)
	}
}

func TestRunLeavesNoGoroutines(t *testing.T) {
	cmd, _ := command(t, "exit3")
	run := func() {
		if _, err := New().Run(t.Context(), cmd); kindOf(err) != ExitStatus {
			t.Fatal(err)
		}
	}
	run()
	before := runtime.NumGoroutine()
	for range 200 {
		run()
	}
	if !eventually(func() bool { return runtime.NumGoroutine() <= before }) {
		t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
	}
}

func TestStartOutlivesItsContextAndLogs(t *testing.T) {
	cmd, _ := command(t, "sleep")
	ctx, stop := context.WithCancel(t.Context())
	started, err := New().Start(ctx, Detached{Path: cmd.Path, Env: cmd.Env})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	time.Sleep(50 * time.Millisecond)
	if !living(started.PID) {
		t.Error("the program ended with its context")
	}
	if process, err := os.FindProcess(started.PID); err == nil {
		_ = process.Kill()
	}
	if !eventually(func() bool { return !living(started.PID) }) {
		t.Error("the program is left as a zombie")
	}

	log := filepath.Join(tempDir(t), "log")
	for range 2 {
		cmd, _ = command(t, "log")
		started, err = New().Start(t.Context(), Detached{Path: cmd.Path, Env: cmd.Env, LogFile: log})
		if err != nil {
			t.Fatal(err)
		}
		eventually(func() bool { return !living(started.PID) })
	}
	text, err := os.ReadFile(log)
	if want := strings.Repeat("to the log\nerrors too\n", 2); err != nil || string(text) != want {
		t.Errorf("log %q, %v", text, err)
	}
}

func TestAlive(t *testing.T) {
	if !Alive(os.Getpid()) {
		t.Error("this very process is said to have ended")
	}
	for _, pid := range []int{-1, 0, 1 << 30} {
		if Alive(pid) {
			t.Errorf("process %d is said to run", pid)
		}
	}
	cmd, _ := command(t, "sleep")
	child := exec.Command(cmd.Path)
	child.Env = cmd.Env
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if !Alive(child.Process.Pid) {
		t.Error("a running child is said to have ended")
	}
	held, err := os.FindProcess(child.Process.Pid) // keeps the ended one known on Windows
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Release() }()
	_ = child.Process.Kill()
	_ = child.Wait()
	if Alive(child.Process.Pid) {
		t.Error("an ended child is said to run")
	}
}

func TestStartFails(t *testing.T) {
	folder := tempDir(t)
	cmd, _ := command(t, "log")
	for name, program := range map[string]Detached{
		"missing program": {Path: filepath.Join(folder, "missing.exe")},
		"log is a folder": {Path: cmd.Path, LogFile: folder},
	} {
		if _, err := New().Start(t.Context(), program); kindOf(err) != NotStarted {
			t.Errorf("%s: %v", name, err)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := New().Start(ended, Detached{Path: cmd.Path, Env: cmd.Env}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

func TestWatchParentSeesTheParentEnd(t *testing.T) {
	cmd, file := command(t, "parent")
	// The parent is started detached, so that no group kill ends the watcher with it.
	started, err := New().Start(t.Context(), Detached{Path: cmd.Path, Env: cmd.Env})
	if err != nil {
		t.Fatal(err)
	}
	eventually(func() bool { return !living(started.PID) })
	gone := func() bool { text, _ := os.ReadFile(file); return string(text) == "gone" }
	if !eventually(gone) {
		t.Error("the watcher did not see it")
	}
}

func TestWatchParentStaysQuiet(t *testing.T) {
	if runtime.GOOS == "windows" && ParentName() == "" {
		t.Skip("our parent is no process of this system, as under Wine")
	}
	ctx, stop := context.WithCancel(t.Context())
	gone := WatchParent(ctx)
	stop()
	select {
	case <-gone:
		t.Error("closed although the parent lives")
	default:
	}
}

func TestErrorText(t *testing.T) {
	for want, err := range map[string]error{
		"agent-cu.exe: exit status 2":       &Error{Kind: ExitStatus, Path: `C:\x y\agent-cu.exe`, ExitCode: 2},
		"agent-cu: timed out: budget spent": &Error{Kind: TimedOut, Path: "/bin/agent-cu", Err: &why{"budget spent"}},
		"ollama: not found":                 &Error{Kind: NotFound, Path: "ollama"},
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := Command{Path: exe, Env: append(os.Environ(), childMode+"=echo")}
	for b.Loop() {
		if _, err := New().Run(b.Context(), cmd); err != nil {
			b.Fatal(err)
		}
	}
}
