// Package autostart starts `ollama serve` when the configured server is on this machine and nobody
// answers: one start for any number of processes that want it, and a server that outlives them all.
//
// It owns the probe, the lock, the ways of starting and the last result. It must not know what the
// server is needed for: no questions, sessions or models.
package autostart

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/store"
	"mcp-computer-use/timeouts"
)

// Options are what a user can set. Source: README, "Ollama auto-start".
type Options struct {
	Enabled bool
	Timeout time.Duration // most that one call waits for a start
	Dir     string        // the state folder: lock, log and script are kept there
	Env     []string      // the environment that the server gets, "KEY=value"; nil means this process's
	Program string        // absolute path of ollama; empty: it is looked for
}

// DefaultOptions are the values of the original's README, without a folder.
func DefaultOptions() Options { return Options{Enabled: true, Timeout: 30 * time.Second} }

// Server is the configured Ollama server; *ollama.Client is one.
type Server interface {
	// Address is where it is configured to be.
	Address() *url.URL
	// Pulled returns the models it has; errors are *ollama.Error.
	Pulled(ctx context.Context) ([]string, error)
	// Alive returns nil when an Ollama answers.
	Alive(ctx context.Context) error
	// ProbeOther finds an Ollama at the default address when another one is configured.
	ProbeOther(ctx context.Context) (address string, found bool)
}

// Seams are the outside world. Server, Runner and Starter are needed, the rest may be nil.
type Seams struct {
	Server  Server
	Runner  proc.Runner  // for the start through WMI
	Starter proc.Starter // for all other starts
	Now     func() time.Time
	Sleep   func(ctx context.Context, pause time.Duration) // ends early with ctx
	Alive   func(pid int) bool                             // whether a process of this machine runs
	Kill    func(pid int) error                            // ends a process that was just started
}

// Method is the way in which a server was started.
type Method string

// The methods, as last_autostart shows them.
const (
	Breakaway Method = "breakaway" // Windows: outside of the job of our host
	WMI       Method = "wmi"       // Windows: by the WMI service
	Popen     Method = "popen"     // a plain start; on Windows the last resort, elsewhere the only way
	None      Method = "none"      // it never came to a start
)

// Result is how an attempt of this process went.
type Result struct {
	Method  Method
	OK      bool
	Seconds float64
	Err     error // nil when OK
}

// Outcome is what Ensure found.
type Outcome struct {
	Reachable bool  // an Ollama answers
	Started   bool  // it did not at first: the model has to be loaded, so the call is a cold one
	Err       error // an *Error when not Reachable
	Note      string
}

// Starter starts the server of one configuration. It is safe for concurrent use, and several of them
// in one process or in many exclude each other.
type Starter struct {
	options Options
	seams   Seams
	goos    string
	kill    func(pid int) error
	alive   func(pid int) bool
	wmi     func(ctx context.Context, program proc.Detached) (pid int, err error)
	locker  store.Locker

	mu   sync.Mutex
	last *Result
}

// lockName is the path whose lock file is ollama-autostart.lock.
const lockName = "ollama-autostart"

// New returns a Starter; nothing is looked at before Ensure.
func New(options Options, seams Seams) *Starter {
	if seams.Now == nil {
		seams.Now = time.Now
	}
	if seams.Sleep == nil {
		seams.Sleep = sleep
	}
	if seams.Alive == nil {
		seams.Alive = proc.Alive
	}
	if seams.Kill == nil {
		seams.Kill = killProcess
	}
	if options.Env == nil {
		options.Env = os.Environ()
	}
	s := &Starter{options: options, seams: seams, goos: runtime.GOOS, kill: seams.Kill, alive: seams.Alive}
	s.locker.Wait = 24 * time.Hour // the context is what bounds the wait
	s.wmi = s.startThroughWMI
	return s
}

// Last is the latest attempt of this process to start a server; nil when there was none. Waiting for
// another process's start is no attempt.
func (s *Starter) Last() *Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		return nil
	}
	return new(*s.last)
}

// Ensure makes sure that Ollama answers, and starts it where that is allowed and needed. budget is how
// long the caller can wait for a start, 0 for as long as Options.Timeout; the smaller one counts. A
// server that is up costs one request. A start that is not finished in time goes on by itself.
func (s *Starter) Ensure(ctx context.Context, budget time.Duration) Outcome {
	first := s.probe(ctx)
	if first.state == up {
		return Outcome{Reachable: true}
	}
	if err := s.refusal(ctx, first, budget); err != nil {
		if first.state == pending && s.probe(ctx).state == up { // busy, but there
			return Outcome{Reachable: true}
		}
		return Outcome{Err: err}
	}
	limit := s.options.Timeout
	if budget > 0 && budget < limit {
		limit = budget
	}
	inner, cancel := timeouts.WithLimit(ctx, limit, "the start of Ollama")
	defer cancel()
	began := s.seams.Now()
	a := &attempt{Starter: s, host: bindAddress(s.seams.Server.Address()), limit: limit}
	err := a.run(inner)
	if err != nil && ctx.Err() != nil {
		err = &Error{Kind: Canceled, Message: "the call ended while Ollama was starting", Err: errors.Join(context.Cause(ctx), err)}
	}
	if a.tried || err != nil {
		s.record(Result{Method: a.method, OK: err == nil, Seconds: s.seams.Now().Sub(began).Seconds(), Err: err})
	}
	return Outcome{Reachable: err == nil, Started: err == nil, Err: err, Note: a.note}
}

func (s *Starter) record(result Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = &result
}

// refusal says why no start may even be tried; nil when it may.
func (s *Starter) refusal(ctx context.Context, first probed, budget time.Duration) error {
	address := s.seams.Server.Address()
	switch {
	case ctx.Err() != nil:
		return &Error{Kind: Canceled, Message: "the call ended", Err: context.Cause(ctx)}
	case !s.options.Enabled:
		return &Error{Kind: Disabled, Message: "nothing answers at " + address.Redacted() + ", and auto-start is off", Err: first.err}
	case !startable(address):
		return &Error{Kind: NotLocal, Message: "nothing answers at " + address.Redacted() + ", which is no plain address of this machine, so that it can't be started from here", Err: first.err}
	case first.state == foreign:
		return portTaken(address, first.err)
	case budget < 0:
		return &Error{Kind: NoAnswer, Message: "no time is left to start Ollama", Err: first.err}
	}
	return nil
}

// file is the path of a file in the state folder.
func (s *Starter) file(name string) string {
	path := filepath.Join(s.options.Dir, name)
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

func sleep(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
