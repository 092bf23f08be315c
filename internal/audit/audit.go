// Package audit keeps the log of actions: one JSON line for each click and each typed text, chained by
// hashes so that a changed or removed line shows.
//
// It owns the list of fields, the scrubbing of typed text, the chain, the purge and the verification.
// It must not know typed text beyond the call that scrubs it, nor MCP, nor agent-cu.
package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"mcp-computer-use/internal/store"
)

// FileName is the log's name inside the sessions folder (README, "Action audit log").
const FileName = "actions.log"

// Options are the settings of this package.
type Options struct {
	TTL time.Duration // action_log_ttl_hours: older records are purged by the next append
	// LockWait is how long another process may keep the log locked; 0 means store.DefaultWait.
	LockWait time.Duration
}

// DefaultOptions returns the README's defaults.
func DefaultOptions() Options { return Options{TTL: 24 * time.Hour} }

// Confirmed says how a human agreed to a dangerous action.
type Confirmed string

// The ways to agree. ByFlag prints as true, Elicited as a string.
const (
	NotConfirmed Confirmed = ""
	ByFlag       Confirmed = "true"
	Elicited     Confirmed = "elicited"
)

// Record is one action as it is logged; empty fields are left out. The fields are the README's closed
// list. Long values are cut.
type Record struct {
	Client    string
	SessionID string
	App       string // title of the window
	Action    string // click or type
	Target    string // the label that the caller gave
	Ref       string
	Name      string
	Role      string
	Result    string // what became of it, a word of the caller's
	Confirmed Confirmed
	ErrorCode string
	TextLen   *int // characters of the typed text
	Hint      string

	// Typed is the text of the action. It is never written: the fields that hold it or a part of it are
	// replaced by Redacted.
	Typed string
}

// Log is the action log of one folder. It is safe for concurrent use, also by several processes.
type Log struct {
	path    string
	options Options
	now     func() time.Time
	locker  *store.Locker
}

// New returns the log of a sessions folder. A nil clock is time.Now.
func New(options Options, sessionsDir string, now func() time.Time) *Log {
	if now == nil {
		now = time.Now
	}
	return &Log{path: filepath.Join(sessionsDir, FileName), options: options, now: now,
		locker: &store.Locker{Wait: options.LockWait}}
}

// Path returns the file of the log.
func (l *Log) Path() string { return l.path }

// Error says that the log can't be written. Before an action it is the reason not to act; after one
// the action has happened and is not on record.
type Error struct {
	Path   string
	Locked bool // another process kept it locked; the same call can succeed later
	Err    error
}

// Error gives the reason, which names the file.
func (e *Error) Error() string { return fmt.Sprintf("action log: %v", e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

func (l *Log) wrap(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Path: l.path, Locked: store.KindOf(err) == store.Locked, Err: err}
}

// Prepare checks, before an action, that the log can be locked and opened for appending; it makes the
// folder and the file where they are missing. An error means that nothing may be done. No lock is held
// after the return: an action can take long, and others act meanwhile.
func (l *Log) Prepare(ctx context.Context) error {
	if err := store.EnsureDir(filepath.Dir(l.path)); err != nil {
		return l.wrap(err)
	}
	unlock, err := l.locker.Lock(ctx, l.path)
	if err != nil {
		return l.wrap(err)
	}
	defer unlock()
	return l.wrap(store.CheckAppend(l.path))
}

// Append writes the record at the end of the log and purges what is older than the time to live. The
// warning is not empty when a broken end of the log (a crash in the middle of a write) had to be set
// aside first. The context should outlive a cancelled call: what was done must be on record.
func (l *Log) Append(ctx context.Context, r Record) (warning string, err error) {
	if err := store.EnsureDir(filepath.Dir(l.path)); err != nil {
		return "", l.wrap(err)
	}
	unlock, err := l.locker.Lock(ctx, l.path)
	if err != nil {
		return "", l.wrap(err)
	}
	defer unlock()
	now := l.now().Truncate(time.Millisecond) // what the log can hold
	body := encode(now, scrubbed(r))
	last, fast, err := l.quickLook(now)
	if err != nil {
		return "", l.wrap(err)
	}
	if fast {
		line, _ := last.next(body)
		return "", l.wrap(store.Append(l.path, line))
	}
	warning, err = l.rework(body, now)
	return warning, l.wrap(err)
}
