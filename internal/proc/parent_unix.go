//go:build unix

package proc

import (
	"os"
	"strconv"
	"strings"
)

// parentWatch tells by the parent's number: it changes, for good, when the parent ends, so that a
// number given to another process can't deceive.
func parentWatch() (alive func() bool, done func()) {
	parent := os.Getppid()
	return func() bool { return os.Getppid() == parent }, func() {}
}

// parentName reads the name from /proc, which macOS has not.
func parentName() string {
	name, err := os.ReadFile("/proc/" + strconv.Itoa(os.Getppid()) + "/comm")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
