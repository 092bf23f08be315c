package proc

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// living says whether a process runs.
func living(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(process) }()
	event, err := windows.WaitForSingleObject(process, 0)
	return err == nil && event != windows.WAIT_OBJECT_0
}

func TestJobIsMade(t *testing.T) {
	job := newJob()
	if job == 0 {
		t.Fatal("no job")
	}
	if err := windows.CloseHandle(job); err != nil {
		t.Error(err)
	}
}

func TestBatchFilesAreNeverStarted(t *testing.T) {
	folder := tempDir(t)
	canary := filepath.Join(folder, "canary")
	for _, name := range []string{"x.cmd", "x.bat", "x.ps1"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("echo ran > \""+canary+"\"\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"x.cmd", "x.bat", "x.CMD", "x.bat. .", "x", "x.", "x.ps1", "x.txt"} {
		path := filepath.Join(folder, name)
		if _, err := New().Run(t.Context(), Command{Path: path}); kindOf(err) != NotStarted || !errors.Is(err, errNoImage) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := New().Start(t.Context(), Detached{Path: path}); kindOf(err) != NotStarted {
			t.Errorf("detached %s: %v", name, err)
		}
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a batch file ran")
	}
}

func TestStartInAJobReportsIt(t *testing.T) {
	job := newJob()
	defer func() { _ = windows.CloseHandle(job) }()
	cmd, _ := command(t, "sleep")
	started, err := New().Start(t.Context(), Detached{Path: cmd.Path, Env: cmd.Env})
	if err != nil {
		t.Fatal(err)
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(started.PID))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if started.InJob {
		t.Skip("the tests run in a job themselves")
	}
	assign(job, started.PID)
	if !inJob(uint32(started.PID)) {
		t.Error("the job is not seen")
	}
	if err := windows.TerminateJobObject(job, 1); err != nil {
		t.Error(err)
	}
	if !eventually(func() bool { return !living(started.PID) }) {
		t.Error("the process outlives its job")
	}
}
