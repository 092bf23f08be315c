package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// DefaultWait is how long a lock is waited for (spec/windows.md M6.2).
const DefaultWait = 5 * time.Second

// lockSuffix is appended to a file's name for the file that is locked. The data itself is never
// locked: on Windows nobody could read it then.
const lockSuffix = ".lock"

// The pause between two tries is between these, by chance, so that waiting processes do not stay in
// step.
const (
	minPause = 25 * time.Millisecond
	maxPause = 50 * time.Millisecond
)

// Locker takes locks that exclude the goroutines that share it and all other processes. The zero value
// is ready to use; it must not be copied. Several Lockers in one process exclude each other as
// processes do.
type Locker struct {
	// Wait is how long a lock is waited for; 0 means DefaultWait.
	Wait time.Duration

	mu   sync.Mutex
	held map[string]*turn
}

// turn is the in-process part of one path's lock: the token goes round, users counts who holds or
// awaits it.
type turn struct {
	token chan struct{}
	users int
}

// Lock locks path by its lock file, path + ".lock", which is created (0600) and never removed: a
// removed one would let two owners in. It returns the function that unlocks, to be called exactly once
// on every path.
//
// When the wait is over the error is an *Error of kind Locked; when ctx ends first it is the context's
// cause. The lock ends with the process, so there is no stale lock to break. It is not re-entrant.
func (l *Locker) Lock(ctx context.Context, path string) (unlock func(), err error) {
	path = filepath.Clean(path)
	limited, cancel := context.WithTimeoutCause(ctx, l.wait(), &Error{Op: "lock", Path: path, Kind: Locked})
	defer cancel()
	free, err := l.enter(limited, path)
	if err != nil {
		return nil, err
	}
	file := flock.New(path+lockSuffix, flock.SetPermissions(FileMode))
	if err := try(limited, file); err != nil {
		free()
		return nil, err
	}
	return func() {
		_ = file.Unlock() // closing the file ends the lock in any case
		free()
	}, nil
}

func (l *Locker) wait() time.Duration {
	if l.Wait > 0 {
		return l.Wait
	}
	return DefaultWait
}

// try takes the lock between processes.
func try(ctx context.Context, file *flock.Flock) error {
	pause := minPause + rand.N(maxPause-minPause)
	_, err := file.TryLockContext(ctx, pause)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ended(ctx)
	}
	return Wrap("lock", file.Path(), err)
}

// ended returns why a wait was over: the lock's own *Error, or what ended the caller's context.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	var own *Error
	if errors.As(cause, &own) {
		return own
	}
	return fmt.Errorf("waiting for a lock: %w", cause)
}

// enter waits for the path's turn within this process.
func (l *Locker) enter(ctx context.Context, path string) (leave func(), err error) {
	l.mu.Lock()
	if l.held == nil {
		l.held = make(map[string]*turn)
	}
	one := l.held[path]
	if one == nil {
		one = &turn{token: make(chan struct{}, 1)}
		l.held[path] = one
	}
	one.users++
	l.mu.Unlock()

	done := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(l.held, path)
		}
	}
	select {
	case one.token <- struct{}{}:
		return func() { <-one.token; done() }, nil
	case <-ctx.Done():
		done()
		return nil, ended(ctx)
	}
}
