//go:build unix

package proc

import "os"

// parentWatch tells by the parent's number: it changes, for good, when the parent ends, so that a
// number given to another process can't deceive.
func parentWatch() (alive func() bool, done func()) {
	parent := os.Getppid()
	return func() bool { return os.Getppid() == parent }, func() {}
}
