package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcp-computer-use/internal/store"
	"mcp-computer-use/ps1"
)

// maxScript is how many bytes of the script's file are compared.
const maxScript = 1 << 20

// materialise puts the embedded script into the private folder and returns its path. What is there is
// read and compared before each run, and written anew where it differs. The name holds the content's
// hash, so that two versions of the program don't write over each other.
//
// The compiled code of the script is not kept: the compiler's output differs each time, so a file that
// somebody else put there could not be told from ours.
func (c *Camera) materialise() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !filepath.IsAbs(c.opts.PrivateDir) {
		return "", &Error{Kind: Failed, Message: "there is no private folder for the capture script"}
	}
	if err := store.EnsureDir(c.opts.PrivateDir); err != nil {
		return "", scriptError(err)
	}
	want := ps1.Capture()
	hash := sha256.Sum256([]byte(want))
	path := filepath.Join(c.opts.PrivateDir, ps1.CaptureName+"-"+hex.EncodeToString(hash[:6])+".ps1")
	if isFileWith(path, want) {
		return path, nil
	}
	if err := store.WriteFile(path, []byte(want)); err != nil {
		return "", scriptError(err)
	}
	if !isFileWith(path, want) {
		return "", scriptError(errors.New("its content is not what was written"))
	}
	return path, nil
}

func scriptError(err error) *Error {
	return &Error{Kind: Failed, Message: fmt.Sprintf("the capture script could not be put in place: %v", err), Err: err,
		Suggestion: "Make the folder of sessions and logs writable, or name another one with MCP_CU_SESSIONS_DIR."}
}

// isFileWith says whether a regular file, no link to another place, holds exactly text.
func isFileWith(path, text string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	data, err := store.ReadFile(path, maxScript)
	return err == nil && string(data) == text
}

const (
	runPrefix = "picture-"
	// abandoned is the age at which a folder is no longer that of a running capture.
	abandoned = time.Hour
)

// newRunDir makes the folder of one capture: the picture lies in it, and what PowerShell's compiler
// needs for a moment. remove takes it away with all in it.
func (c *Camera) newRunDir() (dir string, remove func() error, err error) {
	c.removeAbandoned(time.Now())
	dir, err = os.MkdirTemp(c.opts.PrivateDir, runPrefix)
	if err != nil {
		return "", nil, &Error{Kind: Failed, Message: "no private folder for the picture could be made", Err: store.Wrap("create", c.opts.PrivateDir, err)}
	}
	return dir, func() error { return removeAll(dir) }, nil
}

// removeAll tries again for up to two seconds: on Windows a child that was just ended, or a virus
// scanner, can still hold a file.
func removeAll(dir string) error {
	var err error
	for range 100 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		if err = removeEach(dir); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// removeEach removes a folder file by file. Not every Windows, Wine among them, has the calls that
// os.RemoveAll needs.
func removeEach(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if entry.IsDir() {
			err = errors.Join(err, removeEach(path))
		} else {
			err = errors.Join(err, os.Remove(path))
		}
	}
	if err != nil {
		return err
	}
	return os.Remove(dir)
}

// removeAbandoned removes what captures left behind whose program was killed: pictures are private.
func (c *Camera) removeAbandoned(now time.Time) {
	entries, err := os.ReadDir(c.opts.PrivateDir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), runPrefix) {
			continue
		}
		info, err := entry.Info()
		if err != nil || now.Sub(info.ModTime()) < abandoned { // one without a known age may be in use
			continue
		}
		// Best effort: it is tried again at the next picture.
		_ = removeAll(filepath.Join(c.opts.PrivateDir, entry.Name()))
	}
}
