package proc

import (
	"errors"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// startDetached starts the program with a hidden console of its own. DETACHED_PROCESS would make each
// console program below it open a visible one.
func startDetached(cmd *exec.Cmd, breakaway bool) (Started, error) {
	flags := uint32(windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP)
	if breakaway {
		flags |= windows.CREATE_BREAKAWAY_FROM_JOB
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
	if err := cmd.Start(); err != nil {
		failed := notStarted(cmd.Path, err)
		if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			failed.Kind = AccessDenied
		}
		return Started{}, failed
	}
	started := Started{PID: cmd.Process.Pid, InJob: inJob(uint32(cmd.Process.Pid))}
	_ = cmd.Process.Release()
	return started, nil
}

// inJob says whether a process is in any job. What can't be found out counts as yes: a program that
// may end with its host is the case to warn of.
func inJob(pid uint32) bool {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return true
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var result int32
	isProcessInJob := windows.NewLazySystemDLL("kernel32.dll").NewProc("IsProcessInJob")
	ok, _, _ := isProcessInJob.Call(uintptr(process), 0, uintptr(unsafe.Pointer(&result)))
	return ok == 0 || result != 0
}

// alive looks whether the process has ended: one that anybody still holds a handle of can be opened long
// after that.
func alive(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	return runs(process)
}
