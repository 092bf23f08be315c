// Package sessions keeps the context between calls: one small file per client and session id with what
// was seen last, what changed since, and the last answers.
//
// It owns the names and the content of these files, their expiry and their replacement. It must not
// know about MCP, agent-cu or pictures, and it keeps nothing in memory between calls.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"mcp-computer-use/internal/store"
)

// Options are the settings of this package; their names and defaults are the README's.
type Options struct {
	TTL    time.Duration // session_ttl_hours: a file that was not updated for so long is deleted
	Active time.Duration // session_active_minutes: a file that was updated within it keeps the model loaded
	// Questions is how many answers a file keeps; 0 means 5.
	Questions int
	// LockWait is how long another process may keep a file locked; 0 means store.DefaultWait.
	LockWait time.Duration
}

// DefaultOptions returns the README's defaults.
func DefaultOptions() Options {
	return Options{TTL: 24 * time.Hour, Active: 10 * time.Minute, Questions: 5}
}

// Store is the folder of session files. It is safe for concurrent use, also by several processes.
type Store struct {
	dir     string
	options Options
	now     func() time.Time
	locker  *store.Locker
}

// New returns the store of a folder, which is made when the first session is written. A nil clock is
// time.Now.
func New(options Options, dir string, now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	if options.Questions <= 0 {
		options.Questions = DefaultOptions().Questions
	}
	if options.LockWait <= 0 {
		options.LockWait = store.DefaultWait
	}
	return &Store{dir: dir, options: options, now: now, locker: &store.Locker{Wait: options.LockWait}}
}

// Error says why a session can't be used; the call can still be answered without it.
type Error struct {
	Path   string // the session's file
	Locked bool   // another process kept it locked; the same call can succeed later
	Err    error
}

// Error names the file and the reason.
func (e *Error) Error() string { return fmt.Sprintf("session %s: %v", filepath.Base(e.Path), e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// wrap makes an error of store one of this package.
func wrap(path string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Path: path, Locked: store.KindOf(err) == store.Locked, Err: err}
}

// Session is one look within a session: what the file held when the call began.
type Session struct {
	store    *Store
	id       ID
	before   document
	warnings []string
}

// Begin reads the session's file and marks it as active, so that other processes keep the model loaded
// while this call runs. A session that is new gets its file, and the client's other one is deleted
// (README, "Sessions"). A corrupt file is set aside and counts as absent; Warnings tells.
//
// The error is an *Error, or the end of ctx. No lock is held after the return.
func (s *Store) Begin(ctx context.Context, id ID) (*Session, error) {
	session := &Session{store: s, id: id}
	primary := s.primary(id)
	if err := store.EnsureDir(s.dir); err != nil {
		return nil, wrap(primary, err)
	}
	err := s.exclusive(ctx, id, func() error {
		path, doc, err := s.find(id)
		if errors.Is(err, errCorrupt) {
			session.warnings, err = setAside(path)
		}
		if err != nil {
			return err
		}
		if s.expired(doc.UpdatedAt.Time) {
			doc = document{}
		}
		session.before = doc
		doc.Client, doc.SessionID = id.Client, id.Session
		doc.UpdatedAt = stamp{s.now()}
		if err := write(path, doc); err != nil {
			return err
		}
		return s.removeOthers(id, path)
	})
	if err != nil {
		return nil, wrap(primary, err)
	}
	return session, nil
}

// Touch marks an existing session as active and changes nothing else: it is for actions, which never
// make or replace a file (spec/contract.md section 10). Without a file it does nothing.
func (s *Store) Touch(ctx context.Context, id ID) error {
	if !s.alive(id) {
		return nil
	}
	err := s.exclusive(ctx, id, func() error {
		path, doc, err := s.find(id)
		if errors.Is(err, errCorrupt) || err == nil && !doc.exists() {
			return nil // replaced or broken in the meantime
		}
		if err != nil {
			return err
		}
		doc.UpdatedAt = stamp{s.now()}
		return write(path, doc)
	})
	return wrap(s.primary(id), err)
}

// alive says whether the session has a file that has not expired, or one that can't be read just now.
func (s *Store) alive(id ID) bool {
	_, doc, err := s.find(id)
	if err != nil {
		return !errors.Is(err, errCorrupt)
	}
	return doc.exists() && !s.expired(doc.UpdatedAt.Time)
}

// setAside quarantines a corrupt file and says so.
func setAside(path string) ([]string, error) {
	aside, err := store.Quarantine(path)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("The session file %s could not be read; it was kept as %s and the session starts anew.",
		filepath.Base(path), filepath.Base(aside))}, nil
}

// ID returns the names the session goes by, after sanitising.
func (s *Session) ID() ID { return s.id }

// First says that the session holds no finished call yet.
func (s *Session) First() bool { return !s.before.observed() }

// Warnings are what a user should know about the file; nil where there is nothing.
func (s *Session) Warnings() []string { return s.warnings }

// LastAnswer returns the newest answer of the session, as context for the next one.
func (s *Session) LastAnswer() (Answer, bool) {
	kept := s.before.Questions
	if len(kept) == 0 {
		return Answer{}, false
	}
	return kept[len(kept)-1].answer(), true
}

// Cached returns the answer that the same question got from the same model on the same screen: window,
// status, details and last message all as they were then. An empty model stands for any.
func (s *Session) Cached(seen Observation, question, model string) (Answer, bool) {
	screen, asked := seen.fingerprint(), normal(question)
	for _, kept := range s.before.Questions {
		if kept.Screen == screen && normal(kept.Question) == asked && (model == "" || kept.Model == model) {
			return kept.answer(), true
		}
	}
	return Answer{}, false
}

// Commit stores what was seen and, where answer is not nil, the answer. It merges into the file as it
// is now: answers that other processes added stay, and what they saw later than seen.At wins.
//
// A session that another one of the same client has replaced meanwhile is not brought back.
//
// Commit only what the caller was told: an observation that is committed is the base of the next
// changed_since_last.
func (s *Session) Commit(ctx context.Context, seen Observation, answer *Answer) error {
	folder, id := s.store, s.id
	err := folder.exclusive(ctx, id, func() error {
		path, doc, err := folder.find(id)
		if errors.Is(err, errCorrupt) {
			_, err = setAside(path)
		} else if err == nil && !doc.exists() && len(folder.others(id, path)) > 0 {
			return nil // replaced while this call ran: the newer session stays
		}
		if err != nil {
			return err
		}
		doc.Client, doc.SessionID = id.Client, id.Session
		doc.UpdatedAt = stamp{folder.now()}
		doc.see(seen, folder.now())
		if answer != nil {
			doc.keep(*answer, seen.fingerprint(), folder.now(), folder.options.Questions)
		}
		if err := write(path, doc); err != nil {
			return err
		}
		return folder.removeOthers(id, path)
	})
	return wrap(folder.primary(id), err)
}
