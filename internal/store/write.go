package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// replaceWait is how long a replacement that another program gets in the way of is tried again.
const replaceWait = 2 * time.Second

const (
	replacePause = 15 * time.Millisecond
	tempSuffix   = ".tmp"
)

// WriteFile replaces the content of path as a whole (mode 0600): readers see the old content or the
// new one, never a part. On an error the old content stays and no temporary file is left. The folder
// must be there. Hold the file's lock where several processes write it.
func WriteFile(path string, data []byte) error {
	return writeFile(path, data, os.Rename, runtime.GOOS)
}

func writeFile(path string, data []byte, rename func(from, to string) error, goos string) (err error) {
	folder, name := filepath.Split(path)
	if name == "" {
		return Wrap("write", path, errNoName)
	}
	if folder == "" {
		folder = "."
	}
	temp, err := os.CreateTemp(folder, "."+name+".*"+tempSuffix) // CreateTemp makes it 0600
	if err != nil {
		return Wrap("write", path, err)
	}
	if err := fill(temp, data); err != nil {
		return Wrap("write", path, errors.Join(err, os.Remove(temp.Name())))
	}
	if err := replace(temp.Name(), path, rename, goos); err != nil {
		return Wrap("write", path, errors.Join(err, os.Remove(temp.Name())))
	}
	return nil
}

// fill writes, flushes and closes; the file is closed in any case, since Windows can't remove an open
// one.
func fill(file *os.File, data []byte) error {
	_, err := file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// replace renames over path and tries again while another program has it open.
func replace(from, to string, rename func(from, to string) error, goos string) error {
	return retry(func() error { return rename(from, to) },
		func(err error) bool { return transient(err, goos) }, replaceWait)
}

// retry repeats do while its error is one that passes, at most for wait.
func retry(do func() error, passes func(error) bool, wait time.Duration) error {
	deadline := time.Now().Add(wait)
	for {
		err := do()
		if err == nil || !passes(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(replacePause)
	}
}

// openAppend opens a regular file for appending and creates a missing one.
func openAppend(path string, mode int) (*os.File, error) {
	if err := regular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|mode, FileMode)
}

// CheckAppend says whether the file can be opened for reading and appending; it is created (0600) where
// it is missing. Nothing is written.
func CheckAppend(path string) error {
	file, err := openAppend(path, os.O_RDWR)
	if err != nil {
		return Wrap("open", path, err)
	}
	return Wrap("open", path, file.Close())
}

// Append adds data at the end of the file, which is created (0600) where it is missing, and flushes it.
// When that fails half-way (a full disk), the file is cut back to its old length. Hold the file's lock.
func Append(path string, data []byte) error {
	file, err := openAppend(path, os.O_WRONLY)
	if err != nil {
		return Wrap("append", path, err)
	}
	info, err := file.Stat()
	if err != nil {
		return Wrap("append", path, errors.Join(err, file.Close()))
	}
	if err := fill(file, data); err != nil {
		return Wrap("append", path, errors.Join(err, os.Truncate(path, info.Size())))
	}
	return nil
}
