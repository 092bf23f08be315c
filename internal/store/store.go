// Package store keeps small files safe between processes: locks beside the file, atomic replacement,
// quarantine of broken files, and the place of the state folder.
//
// It must not know what the files hold.
package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"syscall"
)

// Modes of what the program keeps: nobody else may read it (spec/contract.md section 10).
const (
	FileMode   fs.FileMode = 0o600
	FolderMode fs.FileMode = 0o700
)

// CorruptSuffix is appended to the name of a file that could not be understood.
const CorruptSuffix = ".corrupt"

// Kind says why a file could not be used.
type Kind int

// The kinds. Other is a cause that none of the rest describes.
const (
	Other     Kind = iota
	Denied         // no permission, or a read-only disk
	Full           // no space, or a quota reached
	NotFolder      // a file stands where a folder must be
	NotFile        // a folder stands where a file must be
	TooLarge       // more bytes than the reader takes
	Locked         // another process kept the lock until the deadline
)

// kindText is what a user reads; an empty text leaves the word to the cause.
var kindText = map[Kind]string{
	Denied:    "no permission, or a read-only disk",
	Full:      "the disk is full",
	NotFolder: "a file stands where a folder must be",
	NotFile:   "a folder stands where a file must be",
	TooLarge:  "the file is larger than it can be",
	Locked:    "locked by another process",
}

// Error is the failure of one operation on one path.
type Error struct {
	Op   string // "lock", "read", "write", "open", "create", "append", "set aside", "remove"
	Path string
	Kind Kind
	Err  error // the cause; nil for Locked and TooLarge
}

// Error names the operation, the path and the reason.
func (e *Error) Error() string {
	text := e.Op + " " + e.Path
	if reason := kindText[e.Kind]; reason != "" {
		text += ": " + reason
	}
	if e.Err == nil {
		return text
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the *Error in err's chain, Other where there is none.
func KindOf(err error) Kind {
	var known *Error
	if errors.As(err, &known) {
		return known.Kind
	}
	return Other
}

// Wrap makes an error of the standard library an *Error with its kind; a missing file stays recognisable
// through errors.Is. Nil stays nil.
func Wrap(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: op, Path: path, Kind: classify(err, runtime.GOOS), Err: bare(err)}
}

// bare drops the path that the standard library adds, which the Error already names.
func bare(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Windows error codes that package syscall does not name on every platform.
const (
	winFileNotFound     syscall.Errno = 2
	winAccessDenied     syscall.Errno = 5
	winWriteProtect     syscall.Errno = 19
	winSharingViolation syscall.Errno = 32
	winHandleDiskFull   syscall.Errno = 39
	winDiskFull         syscall.Errno = 112
	winDirectory        syscall.Errno = 267
)

func classify(err error, goos string) Kind {
	var number syscall.Errno
	if goos == "windows" && errors.As(err, &number) {
		switch number {
		case winWriteProtect, winAccessDenied, winSharingViolation:
			return Denied
		case winHandleDiskFull, winDiskFull:
			return Full
		case winDirectory:
			return NotFolder
		}
	}
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return Denied
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return Full
	case errors.Is(err, syscall.ENOTDIR):
		return NotFolder
	case errors.Is(err, syscall.EISDIR):
		return NotFile
	}
	return Other
}

// transient says whether an error of a rename or an open passes by itself: on Windows any reader or
// virus scanner that has the file open causes it. Source: spec/windows.md M6.4.
func transient(err error, goos string) bool {
	var number syscall.Errno
	if goos != "windows" || !errors.As(err, &number) {
		return false
	}
	return number == winAccessDenied || number == winSharingViolation || number == winFileNotFound
}

// EnsureDir makes the folder (0700) and its parents where they are missing. A folder that is there
// keeps its mode: it may be the user's.
func EnsureDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &Error{Op: "create", Path: dir, Kind: NotFolder}
	}
	return Wrap("create", dir, os.MkdirAll(dir, FolderMode))
}

// Open opens a file for reading. A pipe in its place, which would block for ever, is an error of kind
// NotFile as a folder is; a missing file is fs.ErrNotExist.
func Open(path string) (*os.File, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// regular says why a path can't be opened like a file; nil where it can.
func regular(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode()&(fs.ModeDir|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	return err
}

// ReadFile returns the content of a file of at most limit bytes. A missing file is fs.ErrNotExist.
// A replacement that is under way on Windows is waited for.
func ReadFile(path string, limit int64) ([]byte, error) {
	var data []byte
	read := func() error {
		file, err := Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		data, err = io.ReadAll(io.LimitReader(file, limit+1))
		return err
	}
	busy := func(err error) bool { return transient(err, runtime.GOOS) && !errors.Is(err, fs.ErrNotExist) }
	if err := retry(read, busy, replaceWait); err != nil {
		return nil, Wrap("read", path, err)
	}
	if int64(len(data)) > limit {
		return nil, &Error{Op: "read", Path: path, Kind: TooLarge}
	}
	return data, nil
}

// Quarantine sets a broken file aside as path + CorruptSuffix, in the place of an earlier one, so that
// there is never more than one. It returns the new path. Hold the file's lock and look at the file
// again before calling it: another process may have set it aside and written a good one.
func Quarantine(path string) (string, error) {
	aside := path + CorruptSuffix
	if err := replace(path, aside, os.Rename, runtime.GOOS); err != nil {
		return "", Wrap("set aside", path, err)
	}
	return aside, nil
}

// Remove deletes a file; one that is gone already is no error.
func Remove(path string) error {
	busy := func(err error) bool { return transient(err, runtime.GOOS) && !errors.Is(err, fs.ErrNotExist) }
	err := retry(func() error { return os.Remove(path) }, busy, replaceWait)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return Wrap("remove", path, err)
}

// tempName is what WriteFile calls its temporary files.
var tempName = regexp.MustCompile(`^\..+\.\d+\.tmp$`)

// IsTemp says whether a file name is that of a temporary file of WriteFile. One that is old was left
// behind by a killed writer.
func IsTemp(name string) bool { return tempName.MatchString(name) }

var errNoName = errors.New("the path has no file name")
