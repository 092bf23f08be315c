package autostart

import (
	"context"
	"errors"
	"os"

	"mcp-computer-use/internal/proc"
)

// endsWithHost is the note of a server that its host can take down with itself.
const endsWithHost = "Ollama was started inside the job of the program that runs this server and may end with it; start it by hand to keep it."

// launch starts the server by the first way that works, and notes which. Source: spec/windows.md M5.2.
func (a *attempt) launch(ctx context.Context, program proc.Detached) (proc.Started, error) {
	if a.goos != "windows" {
		a.method = Popen
		return a.seams.Starter.Start(ctx, program)
	}
	a.method = Breakaway
	program.Breakaway = true
	started, err := a.seams.Starter.Start(ctx, program)
	switch {
	case err == nil && !started.InJob:
		return started, nil
	case err == nil && a.kill(started.PID) != nil:
		a.addNote(endsWithHost)
		return started, nil // two servers would be worse
	case err != nil && !denied(err):
		return proc.Started{}, err
	}
	a.method = WMI
	pid, wmiErr := a.wmi(ctx, program)
	if wmiErr == nil {
		return proc.Started{PID: pid}, nil
	}
	// An access that is denied can also mean the file itself; a start without the wish to leave the job
	// tells which.
	a.method = Popen
	program.Breakaway = false
	started, plainErr := a.seams.Starter.Start(ctx, program)
	if plainErr != nil {
		return proc.Started{}, errors.Join(err, wmiErr, plainErr)
	}
	if started.InJob {
		a.addNote(endsWithHost)
	}
	return started, nil
}

func (a *attempt) addNote(text string) {
	if a.note != "" {
		a.note += " "
	}
	a.note += text
}

func denied(err error) bool {
	var failed *proc.Error
	return errors.As(err, &failed) && failed.Kind == proc.AccessDenied
}

var errNoKill = errors.New("the process can't be ended")

// killProcess ends a process that we have just started.
func killProcess(pid int) error {
	if pid <= 0 {
		return errNoKill
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer func() { _ = process.Release() }()
	return process.Kill()
}
