package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// runTree runs the child inside a job that ends with its handle. The child starts suspended, so that
// whatever it starts is in the job too: a job is inherited at the start of a process, never later.
func runTree(cmd *exec.Cmd) error {
	job := newJob()
	if job != 0 {
		// Open until Wait has returned: closing it is what ends the tree.
		defer func() { _ = windows.CloseHandle(job) }()
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW}
	cmd.Cancel = func() error {
		if job != 0 {
			_ = windows.TerminateJobObject(job, 1)
		}
		err := cmd.Process.Kill()
		if errors.Is(err, windows.ERROR_ACCESS_DENIED) { // it has ended, or the job's end took it along
			return os.ErrProcessDone
		}
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	assign(job, cmd.Process.Pid)
	if err := resume(uint32(cmd.Process.Pid)); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		cmd.ProcessState = nil // it never ran: the exit code is the one that Kill gave it
		return fmt.Errorf("let the process run: %w", err)
	}
	err := cmd.Wait()
	if job != 0 {
		_ = windows.TerminateJobObject(job, 1)
	}
	return err
}

// newJob makes a job without a name whose processes end with its last handle; 0 when that fails. The
// handle can't be inherited, since no security attributes are given.
func newJob() windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0
	}
	return job
}

// assign puts a suspended child into the job. A failure is not one of the run: an unusual parent job
// can refuse it, and then the child alone is ended at the deadline.
func assign(job windows.Handle, pid int) {
	if job == 0 {
		return
	}
	child, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(child) }()
	_ = windows.AssignProcessToJobObject(job, child)
}

// resume lets the threads of a suspended process run. os/exec keeps the process handle open, so its
// number can't belong to another process. Threads that others put into the process, such as virus
// scanners, may be gone by the time they are opened: one that runs is enough.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	var entry windows.ThreadEntry32
	entry.Size = uint32(unsafe.Sizeof(entry))
	resumed, failed := false, error(windows.ERROR_NOT_FOUND)
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		if err := resumeThread(entry.ThreadID); err != nil {
			failed = err
		} else {
			resumed = true
		}
	}
	if resumed {
		return nil
	}
	return failed
}

func resumeThread(id uint32) error {
	thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, id)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(thread) }()
	_, err = windows.ResumeThread(thread)
	return err
}

// errNoImage is the refusal of anything but a program file.
var errNoImage = errors.New("only .exe and .com files are started")

// checkImage refuses what Windows would hand to an interpreter: cmd.exe parses the arguments of a batch
// file, so that they can be code (golang/go#69939). A name without one of the two extensions would be
// completed by os/exec, with that of a batch file beside it too.
func checkImage(path string) error {
	ext := strings.ToLower(filepath.Ext(path))
	if ext != ".exe" && ext != ".com" {
		return errNoImage
	}
	return nil
}
