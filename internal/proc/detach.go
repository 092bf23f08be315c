package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Detached is a program that is to outlive this one, such as a server.
type Detached struct {
	Path string   // absolute path of the program
	Args []string // arguments without the program's own name
	Env  []string // the whole environment; nil means the parent's
	Dir  string   // working folder; empty means the parent's
	// LogFile takes stdout and stderr, appended, made with mode 0600; empty throws them away. It is a
	// file and never a pipe: nobody is there to read one.
	LogFile string
	// Breakaway asks Windows to start it outside of the job of this process. No meaning elsewhere.
	Breakaway bool
}

// Started is a detached program that runs.
type Started struct {
	PID int
	// InJob says that the program is in a job of Windows, and so may end with it.
	InJob bool
	// Exited is closed when the program has ended. Windows gives none (nil blocks for ever), because
	// the process is let go at once there.
	Exited <-chan struct{}
}

// Starter starts programs that outlive this one. The failure is an *Error: AccessDenied where
// Windows refuses the start (Breakaway in a job that does not allow it), else NotStarted. Ending ctx
// later does not end the program.
type Starter interface {
	Start(ctx context.Context, program Detached) (Started, error)
}

// Alive says whether a process with this number runs; where that can't be told it counts as running.
// The number of one that has ended may belong to another by now.
func Alive(pid int) bool { return pid > 0 && alive(pid) }

// Start implements Starter. The program's stdin is empty and none of our handles reaches it.
func (o *OS) Start(ctx context.Context, program Detached) (Started, error) {
	if failed := contextError(ctx, program.Path); failed != nil {
		failed.Kind = NotStarted
		return Started{}, failed
	}
	if err := checkImage(program.Path); err != nil {
		return Started{}, notStarted(program.Path, err)
	}
	cmd := exec.Command(program.Path, program.Args...)
	cmd.Env, cmd.Dir = program.Env, program.Dir
	if program.LogFile != "" {
		log, err := os.OpenFile(program.LogFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return Started{}, notStarted(program.Path, fmt.Errorf("log file: %w", err))
		}
		defer func() { _ = log.Close() }()
		cmd.Stdout, cmd.Stderr = log, log
	}
	return startDetached(cmd, program.Breakaway)
}
