// Package proc runs child processes: the one place where the program starts another one.
//
// It owns deadlines, the end of whole process trees, bounded output, detached starts and the look-up
// of programs. It must not know which program it runs, or what its output means.
package proc

import (
	"context"
	"time"
)

// Command is one child process to run. Every string is passed on as it is: no shell sees it.
type Command struct {
	Path string   // absolute path of the program
	Args []string // arguments without the program's own name
	Env  []string // the whole environment as "KEY=value"; nil means the parent's
	Dir  string   // working folder; empty means the parent's

	// Outputs are files (absolute paths) that the child writes for us, such as refs.json or a
	// picture. The runner does nothing with them; a recorder keeps them and a replay writes them.
	Outputs []string
	// Sensitive is text that stands in Args and must never reach a log, a recording or an error:
	// a recorder masks it. Empty where there is none.
	Sensitive string
}

// Result is what a child left behind. It is filled as far as known when Run returns an error too.
type Result struct {
	Stdout, Stderr []byte
	ExitCode       int // -1 when the child was ended by a signal or never ran
	Duration       time.Duration
}

// Runner runs one child to its end. Implementations are safe for concurrent use.
//
// Run returns within the context's deadline plus a bounded wait, with the whole process tree ended:
// what the child left running does not outlive it. Each stream is kept up to MaxOutput bytes.
// A child that did not end by itself with exit code 0 gives a *Error, whose Kind tells how it ended;
// errors.Is also answers for context.Canceled and context.DeadlineExceeded, and the context's cause
// is in the chain. Stdin of the child is empty.
type Runner interface {
	Run(ctx context.Context, cmd Command) (Result, error)
}
