package proc

import (
	"os"

	"golang.org/x/sys/windows"
)

// parentWatch holds a handle of the parent from the start: its number may be given to another process
// when it ends, the handle stays its own. A process that is younger than we are is not our parent.
func parentWatch() (alive func() bool, done func()) {
	unknown := func() bool { return true }
	const access = windows.SYNCHRONIZE | windows.PROCESS_QUERY_LIMITED_INFORMATION
	parent, err := windows.OpenProcess(access, false, uint32(os.Getppid()))
	if err == windows.ERROR_INVALID_PARAMETER { // there is no such process any more
		return func() bool { return false }, func() {}
	}
	if err != nil {
		return unknown, func() {}
	}
	done = func() { _ = windows.CloseHandle(parent) }
	theirs, known := startTime(parent)
	ours, ok := startTime(windows.CurrentProcess())
	if known && ok && theirs > ours {
		return func() bool { return false }, done
	}
	return func() bool { return runs(parent) }, done
}

// runs says whether the process of a handle has not ended.
func runs(process windows.Handle) bool {
	event, err := windows.WaitForSingleObject(process, 0)
	return err != nil || event != windows.WAIT_OBJECT_0
}

// startTime is when a process was created, in nanoseconds of the system clock.
func startTime(process windows.Handle) (int64, bool) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	return created.Nanoseconds(), true
}

// parentName asks for the image of the process that has the parent's number.
func parentName() string {
	parent, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(os.Getppid()))
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(parent) }()
	buf := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(buf))
	if err := windows.QueryFullProcessImageName(parent, 0, &buf[0], &size); err != nil {
		return ""
	}
	return baseName(windows.UTF16ToString(buf[:size]))
}
