//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// runTree runs the child in a process group of its own, and ends that group with it.
func runTree(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// SIGKILL at once: nothing that we run has anything to tidy up, and a child that ignores SIGTERM
	// would go on clicking.
	cmd.Cancel = func() error { return ended(killGroup(cmd.Process.Pid)) }
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	err := cmd.Wait()
	// Whoever is left in the group was started by the child. The number cannot have been given to
	// another group yet while a member lives, and without one there is nothing to end.
	_ = killGroup(pid)
	return err
}

// killGroup ends every process of a group.
func killGroup(pgid int) error { return syscall.Kill(-pgid, syscall.SIGKILL) }

// ended says in os/exec's words that nobody was left to be killed: the child was faster than the end of
// its context. macOS answers EPERM for a group whose processes have all ended.
func ended(err error) error {
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) {
		return os.ErrProcessDone
	}
	return err
}

// checkImage has nothing to refuse: no shell is involved in a start.
func checkImage(string) error { return nil }
