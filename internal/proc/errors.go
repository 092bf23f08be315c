package proc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Kind says how a child process failed.
type Kind string

// The kinds of failure; each Error has exactly one.
const (
	// NotStarted: there was no process (missing file, no permission, bad argument).
	NotStarted Kind = "not started"
	// TimedOut: the context's deadline passed and the tree was ended. The child may have done its work.
	TimedOut Kind = "timed out"
	// Canceled: the context was cancelled and the tree was ended. The child may have done its work.
	Canceled Kind = "canceled"
	// Killed: somebody else ended the child by a signal (Unix only; Windows shows an exit code).
	Killed Kind = "killed"
	// ExitStatus: the child ended by itself with an exit code other than 0.
	ExitStatus Kind = "exit status"
	// PipeHeld: the child ended with exit code 0, but a descendant kept its output open. The Result
	// holds all that was written until then.
	PipeHeld Kind = "output held open"
	// OutputTooLarge: a stream passed MaxOutput and the tree was ended.
	OutputTooLarge Kind = "output too large"
	// AccessDenied: Windows refused a detached start. With Breakaway the job may forbid it, so that
	// the same start without Breakaway can still work.
	AccessDenied Kind = "access denied"
	// NotFound: Finder found no program of that name.
	NotFound Kind = "not found"
)

// Error tells why a child gave no plain success. Its text names the program's file and the kind, and
// never holds arguments, input or output: those can be what the user typed.
type Error struct {
	Kind     Kind
	Path     string // the program, or for NotFound its name
	ExitCode int    // for ExitStatus; otherwise -1
	Err      error  // the operating system's error, or the context's cause; may be nil

	ctx error // context.Canceled or context.DeadlineExceeded where the context ended the child
}

// Error names the program, how it ended and why, in one line.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s", baseName(e.Path), e.Kind)
	if e.Kind == ExitStatus {
		return fmt.Sprintf("%s %d", text, e.ExitCode)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap gives the cause and, where the context ended the child, the context's error.
func (e *Error) Unwrap() []error {
	var chain []error
	for _, err := range []error{e.Err, e.ctx} {
		if err != nil {
			chain = append(chain, err)
		}
	}
	return chain
}

// contextError is the Error of a child that ctx ended, or nil when ctx is still live.
func contextError(ctx context.Context, path string) *Error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	kind := Canceled
	if errors.Is(err, context.DeadlineExceeded) {
		kind = TimedOut
	}
	return &Error{Kind: kind, Path: path, ExitCode: -1, Err: context.Cause(ctx), ctx: err}
}

// baseName is the last part of a path written with either separator.
func baseName(path string) string {
	return filepath.Base(path[strings.LastIndexByte(path, '\\')+1:])
}
