package sessions

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcp-computer-use/internal/store"
)

// folderLock is the name whose lock guards what concerns several files: that a client has one, and
// expiry. It is taken after a file's own lock and held for a few milliseconds.
const folderLock = "sessions"

// exclusive runs do while no other process changes session files. The session's own lock comes first,
// so that whoever waits for it keeps nobody else waiting. Both locks share one deadline.
func (s *Store) exclusive(ctx context.Context, id ID, do func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.LockWait,
		&store.Error{Op: "lock", Path: s.primary(id), Kind: store.Locked})
	defer cancel()
	unlock, err := s.locker.Lock(ctx, s.primary(id))
	if err != nil {
		return err
	}
	defer unlock()
	unlockAll, err := s.locker.Lock(ctx, filepath.Join(s.dir, folderLock))
	if err != nil {
		return err
	}
	defer unlockAll()
	return do()
}

// find returns the session's file and its content; the file need not exist. With errCorrupt the path is
// that of the corrupt file.
func (s *Store) find(id ID) (path string, doc document, err error) {
	path = s.primary(id)
	doc, err = read(path)
	if err != nil {
		return path, document{}, err
	}
	if doc.exists() && doc.ownedBy(id) {
		return path, doc, nil
	}
	other := s.alternate(id)
	second, err := read(other)
	switch {
	case err != nil:
		return other, document{}, err
	case second.exists() && second.ownedBy(id):
		return other, second, nil
	case doc.exists():
		return other, document{}, nil
	}
	return path, document{}, nil
}

// ownedBy says whether the file belongs to the session. One that names no owner belongs to the session
// whose name it bears.
func (d *document) ownedBy(id ID) bool {
	return d.Client == "" && d.SessionID == "" || d.Client == id.Client && d.SessionID == id.Session
}

// entries are the session files of the folder, full paths.
func (s *Store) entries() []string { return s.named(fileName.MatchString) }

// named are the regular files of the folder with such a name.
func (s *Store) named(wanted func(name string) bool) []string {
	all, err := os.ReadDir(s.dir)
	if err != nil {
		return nil // no folder yet: no sessions
	}
	var found []string
	for _, one := range all {
		if one.Type().IsRegular() && wanted(one.Name()) {
			found = append(found, filepath.Join(s.dir, one.Name()))
		}
	}
	return found
}

// others are the client's files but for keep: who owns a file is written in it.
func (s *Store) others(id ID, keep string) []string {
	var found []string
	for _, path := range s.entries() {
		if path == keep {
			continue
		}
		if doc, err := read(path); err == nil && doc.exists() && doc.Client == id.Client {
			found = append(found, path)
		}
	}
	return found
}

// removeOthers deletes the client's other files: each client has one. The folder's lock must be held.
func (s *Store) removeOthers(id ID, keep string) error {
	var failed error
	for _, path := range s.others(id, keep) {
		failed = errors.Join(failed, store.Remove(path))
	}
	return failed
}

// leftoverAge is how old a temporary file must be to be nobody's any more: no write takes so long.
const leftoverAge = time.Hour

// Purge deletes the files that were not updated for the time to live, set-aside ones and what killed
// writers left behind too. Call it on every call, with or without a session. A file that can't be
// deleted now is left to a later call; the error tells why.
func (s *Store) Purge(ctx context.Context) error {
	var old []string
	for _, path := range s.entries() {
		if at, known := updatedAt(path, s.now()); known && s.expired(at) {
			old = append(old, path)
		}
	}
	failed := s.removeStale()
	if len(old) == 0 {
		return failed
	}
	unlock, err := s.locker.Lock(ctx, filepath.Join(s.dir, folderLock))
	if err != nil {
		return wrap(filepath.Join(s.dir, folderLock), err)
	}
	defer unlock()
	for _, path := range old {
		if at, known := updatedAt(path, s.now()); known && s.expired(at) { // still, under the lock
			failed = errors.Join(failed, wrap(path, store.Remove(path)))
		}
	}
	return failed
}

// removeStale deletes set-aside session files after the time to live, and temporary files.
func (s *Store) removeStale() error {
	var failed error
	aside := func(name string) bool {
		base, found := strings.CutSuffix(name, store.CorruptSuffix)
		return found && fileName.MatchString(base)
	}
	for _, path := range s.named(aside) {
		if info, err := os.Lstat(path); err == nil && s.expired(info.ModTime()) {
			failed = errors.Join(failed, wrap(path, store.Remove(path)))
		}
	}
	for _, path := range s.named(store.IsTemp) {
		if info, err := os.Lstat(path); err == nil && s.now().Sub(info.ModTime()) > leftoverAge {
			failed = errors.Join(failed, wrap(path, store.Remove(path)))
		}
	}
	return failed
}

// Active says whether any session was updated within the setting's time, by whichever process.
func (s *Store) Active() bool {
	for _, path := range s.entries() {
		if at, known := updatedAt(path, s.now()); known && s.now().Sub(at) <= s.options.Active {
			return true
		}
	}
	return false
}

func (s *Store) expired(at time.Time) bool { return !at.IsZero() && s.now().Sub(at) > s.options.TTL }

// skew is how far a time may lie in the future without being a wrong clock's.
const skew = time.Minute

// updatedAt returns when a session file was updated: by its own word or, where that can't be read or
// lies in the future, by the file system's.
func updatedAt(path string, now time.Time) (at time.Time, known bool) {
	doc, err := read(path)
	if err == nil && doc.exists() && doc.UpdatedAt.Sub(now) <= skew {
		return doc.UpdatedAt.Time, true
	}
	if err == nil && !doc.exists() {
		return time.Time{}, false // gone in the meantime
	}
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}
