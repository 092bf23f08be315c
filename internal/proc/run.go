package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"sync/atomic"
	"time"
)

// MaxOutput is how many bytes of stdout, and of stderr, a child may write before it is ended: far
// more than the largest tree or picture, far less than what would hurt the machine.
const MaxOutput = 64 << 20

// waitDelay is how long a descendant may hold the child's output open after the child has ended or
// was ended. Without it, Wait would last as long as the descendant (golang/go#23019).
const waitDelay = 500 * time.Millisecond

// OS runs processes of this machine. It holds no state: the zero value works, and so do copies.
type OS struct {
	maxOutput int // MaxOutput when 0; tests set less
}

// New returns the Runner and Starter of the operating system.
func New() *OS { return &OS{} }

// Run implements Runner.
func (o *OS) Run(ctx context.Context, command Command) (Result, error) {
	if failed := contextError(ctx, command.Path); failed != nil {
		failed.Kind = NotStarted
		return Result{ExitCode: -1}, failed
	}
	if err := checkImage(command.Path); err != nil {
		return Result{ExitCode: -1}, notStarted(command.Path, err)
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	limit := o.maxOutput
	if limit == 0 {
		limit = MaxOutput
	}
	var overflow atomic.Bool
	tooMuch := func() { overflow.Store(true); stop() }
	stdout, stderr := &capped{limit: limit, full: tooMuch}, &capped{limit: limit, full: tooMuch}

	cmd := exec.CommandContext(inner, command.Path, command.Args...)
	cmd.Env, cmd.Dir = command.Env, command.Dir
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = waitDelay
	started := time.Now()
	err := runTree(cmd)
	result := Result{Stdout: stdout.buf.Bytes(), Stderr: stderr.buf.Bytes(), ExitCode: -1, Duration: time.Since(started)}
	if cmd.ProcessState != nil {
		result.ExitCode = cmd.ProcessState.ExitCode()
	}
	if overflow.Load() {
		return result, &Error{Kind: OutputTooLarge, Path: command.Path, ExitCode: -1}
	}
	return result, classify(ctx, cmd, err)
}

// classify turns what Start and Wait said into an *Error. A child that ended by itself with exit code 0
// just when the context ended is a success: its answer is whole, and what it did is known.
func classify(ctx context.Context, cmd *exec.Cmd, err error) error {
	path := cmd.Path
	if err == nil {
		return nil
	}
	if cmd.ProcessState == nil {
		if failed := contextError(ctx, path); failed != nil {
			failed.Kind = NotStarted
			return failed
		}
		return notStarted(path, err)
	}
	code := cmd.ProcessState.ExitCode()
	if code == 0 && errors.Is(err, exec.ErrWaitDelay) {
		return &Error{Kind: PipeHeld, Path: path, ExitCode: 0, Err: err}
	}
	if code == 0 && isContextEnd(err) {
		return nil
	}
	if failed := contextError(ctx, path); failed != nil {
		return failed
	}
	if code > 0 {
		return &Error{Kind: ExitStatus, Path: path, ExitCode: code, Err: err}
	}
	return &Error{Kind: Killed, Path: path, ExitCode: code, Err: err}
}

// notStarted is the error of a start that failed. A missing file answers for fs.ErrNotExist on every
// system; os/exec has an error of its own for it on Windows.
func notStarted(path string, err error) *Error {
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%w (%w)", err, fs.ErrNotExist)
	}
	return &Error{Kind: NotStarted, Path: path, ExitCode: -1, Err: err}
}

func isContextEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// errFull stops the copying of a stream that passed its limit.
var errFull = errors.New("output limit reached")

// capped keeps a stream up to a limit. Everything is read by os/exec into it: a pipe that nobody
// drains would block the child for ever.
type capped struct {
	buf   bytes.Buffer
	limit int
	full  func() // called once, when the limit is passed
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	if room := c.limit - c.buf.Len(); len(p) > room {
		c.buf.Write(p[:room])
		c.full()
		return room, errFull
	}
	return c.buf.Write(p)
}
