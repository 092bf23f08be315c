//go:build unix

package store

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in place of a file is refused at once: opening it would wait for somebody at its other end.
func TestPipeInPlaceOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	_, openErr := Open(path)
	_, readErr := ReadFile(path, 100)
	for what, err := range map[string]error{
		"Open": Wrap("open", path, openErr), "ReadFile": readErr,
		"CheckAppend": CheckAppend(path), "Append": Append(path, []byte("x")),
	} {
		if KindOf(err) != NotFile {
			t.Errorf("%s: %v, want an error of kind %v", what, err, NotFile)
		}
	}
}
