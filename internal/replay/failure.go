package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"syscall"

	"mcp-computer-use/internal/proc"
)

// failure is an error that can be written down and come back as one of the same kind.
type failure struct {
	Kind     string   `json:"kind"`              // of proc.Error for a process; one of the network kinds below
	Message  string   `json:"message,omitempty"` // of the cause
	ExitCode int      `json:"exit_code,omitempty"`
	Is       []string `json:"is,omitempty"` // names of errors in the chain
}

// The kinds of failure of an HTTP request.
const (
	kindRefused  = "connection refused"
	kindReset    = "connection reset"
	kindClosed   = "connection closed"
	kindCut      = "body cut"
	kindNoHost   = "no such host"
	kindTimeout  = "time-out"
	kindCanceled = "canceled"
	kindOther    = "other"
)

func networkKinds() []string {
	return []string{kindRefused, kindReset, kindClosed, kindCut, kindNoHost, kindTimeout, kindCanceled, kindOther}
}

// check refuses a record without kind or with an unknown name.
func (f *failure) check() error {
	if f == nil {
		return nil
	}
	if f.Kind == "" {
		return errors.New("a failure without kind")
	}
	for _, name := range f.Is {
		if sentinel(name) == nil {
			return fmt.Errorf("unknown error name %q", name)
		}
	}
	return nil
}

// sentinelNames are the errors that callers ask for with errors.Is.
func sentinelNames() []string {
	return []string{"deadline exceeded", "canceled", "not exist", "permission"}
}

func sentinel(name string) error {
	switch name {
	case "deadline exceeded":
		return context.DeadlineExceeded
	case "canceled":
		return context.Canceled
	case "not exist":
		return fs.ErrNotExist
	case "permission":
		return fs.ErrPermission
	}
	return nil
}

func namesIn(err error) []string {
	var names []string
	for _, name := range sentinelNames() {
		if errors.Is(err, sentinel(name)) {
			names = append(names, name)
		}
	}
	return names
}

// cause stands for a recorded error: its text, and the errors that it answers for.
type cause struct {
	text string
	is   []string
}

// Error is the recorded text.
func (c *cause) Error() string { return c.text }

// Is answers for the errors that were in the recorded chain.
func (c *cause) Is(target error) bool {
	return slices.ContainsFunc(c.is, func(name string) bool { return sentinel(name) == target })
}

// Timeout makes a recorded time-out one for net.Error too.
func (c *cause) Timeout() bool { return slices.Contains(c.is, "deadline exceeded") }

// Temporary completes net.Error.
func (c *cause) Temporary() bool { return false }

// processFailure writes down what a Runner or Starter returned; nil for nil. mask takes typed text out.
func processFailure(err error, mask func(string) string) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Kind: "unknown", Message: err.Error(), Is: namesIn(err), ExitCode: -1}
	var own *proc.Error
	if errors.As(err, &own) {
		f.Kind, f.ExitCode, f.Message = string(own.Kind), own.ExitCode, ""
		if own.Err != nil {
			f.Message = own.Err.Error()
		}
	}
	f.Message = mask(f.Message)
	return f
}

// processError is the error that a record stands for; nil for nil.
func (f *failure) processError(path string) error {
	if f == nil {
		return nil
	}
	var inner error
	if f.Message != "" || len(f.Is) > 0 {
		inner = &cause{f.Message, f.Is}
	}
	if f.Kind == "unknown" {
		return inner
	}
	return &proc.Error{Kind: proc.Kind(f.Kind), Path: path, ExitCode: f.ExitCode, Err: inner}
}

// networkFailure writes down an error of a RoundTripper or of a body; nil for nil.
func networkFailure(err error) *failure {
	if err == nil {
		return nil
	}
	return &failure{Kind: networkKind(err), Message: err.Error(), Is: namesIn(err)}
}

func networkKind(err error) string {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return kindCanceled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return kindTimeout
	case isErrno(err, syscall.ECONNREFUSED, 10061):
		return kindRefused
	case isErrno(err, syscall.ECONNRESET, 10054), isErrno(err, syscall.EPIPE, 10053):
		return kindReset
	case errors.As(err, &dns):
		return kindNoHost
	case errors.Is(err, io.ErrUnexpectedEOF):
		return kindCut
	case errors.Is(err, io.EOF):
		return kindClosed
	}
	return kindOther
}

// isErrno asks for an error number; Windows has its own ones for sockets, which the portable names
// of package syscall do not stand for.
func isErrno(err error, unix, windows syscall.Errno) bool {
	return errors.Is(err, unix) || os.PathSeparator == '\\' && errors.Is(err, windows)
}

// networkError is the error that a record stands for; nil for nil. It has the type and the chain that
// callers look for, on whatever system it is replayed.
func (f *failure) networkError() error {
	if f == nil {
		return nil
	}
	switch f.Kind {
	case kindRefused:
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno(syscall.ECONNREFUSED, 10061))}
	case kindReset:
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", errno(syscall.ECONNRESET, 10054))}
	case kindNoHost:
		return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
	case kindCut:
		return io.ErrUnexpectedEOF
	case kindClosed:
		return io.EOF
	case kindTimeout:
		return &cause{f.Message, append([]string{"deadline exceeded"}, f.Is...)}
	case kindCanceled:
		return &cause{f.Message, append([]string{"canceled"}, f.Is...)}
	}
	return &cause{f.Message, f.Is}
}

func errno(unix, windows syscall.Errno) syscall.Errno {
	if os.PathSeparator == '\\' {
		return windows
	}
	return unix
}
