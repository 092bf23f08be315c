package proc

import (
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
