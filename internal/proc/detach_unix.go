//go:build unix

package proc

import (
	"errors"
	"os/exec"
	"syscall"
)

// startDetached gives the program a session of its own: no terminal and no group kill of ours reaches
// it. One goroutine waits for it, or it would stay as a zombie for as long as we live.
func startDetached(cmd *exec.Cmd, _ bool) (Started, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return Started{}, notStarted(cmd.Path, err)
	}
	exited := make(chan struct{})
	started := Started{PID: cmd.Process.Pid, Exited: exited}
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	return started, nil
}

// alive sends no signal, but asks whether one could be sent.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
