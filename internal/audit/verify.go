package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"mcp-computer-use/internal/store"
)

// Report is the outcome of a verification.
type Report struct {
	OK       bool
	Records  int    // lines that were read
	BrokenAt int    // the first line that does not fit, from 1; 0 where OK
	Reason   string // in plain words; empty where OK
}

// Verify checks the chain of a log: every line's hash, number and predecessor. A missing file is an
// intact log without records. Records that are missing at the very end can't be noticed.
//
// The log is locked meanwhile, unless it can't be (a copy on a read-only disk); the error is an *Error
// and means that the log could not be read at all.
func Verify(ctx context.Context, path string) (Report, error) {
	fault := func(err error) (Report, error) { return Report{}, &Error{Path: path, Err: err} }
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return Report{OK: true}, nil
	}
	var locker store.Locker
	unlock, err := locker.Lock(ctx, path)
	switch {
	case err == nil:
		defer unlock()
	case store.KindOf(err) == store.Locked:
		return Report{}, &Error{Path: path, Locked: true, Err: err}
	case ctx.Err() != nil:
		return fault(err)
	}
	file, err := store.Open(path)
	if err != nil {
		return fault(store.Wrap("open", path, err))
	}
	defer file.Close()
	report, err := verifyReader(file)
	if err != nil {
		return fault(store.Wrap("read", path, err))
	}
	return report, nil
}

// verifyReader checks the chain of a log that is read from r. Time and memory are linear in the log and
// in its longest line.
func verifyReader(r io.Reader) (Report, error) {
	var chain checker
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			whole, ended := bytes.CutSuffix(line, []byte("\n"))
			chain.add(whole)
			if !ended {
				chain.note("it is cut off")
			}
		}
		if errors.Is(err, io.EOF) {
			return chain.report(), nil
		}
		if err != nil {
			return Report{}, err
		}
	}
}

// checker follows the chain line by line and keeps the first fault.
type checker struct {
	count    int
	last     link
	brokenAt int
	reason   string
	marked   bool // the log begins with the mark of an earlier fault
}

func (c *checker) note(reason string) {
	if c.reason == "" {
		c.brokenAt, c.reason = c.count, reason
	}
}

// add takes the next line, without its end.
func (c *checker) add(line []byte) {
	c.count++
	one, err := parseLine(line)
	switch {
	case err != nil:
		c.note("it is no record of this log")
		return
	case !one.sound:
		c.note("it was changed: its hash does not fit")
	case c.count == 1 && !one.first():
		c.note("records before it are missing")
	case c.count == 1:
		c.marked = one.action == purgeAction && one.result == brokenResult
	case !one.follows(c.last):
		c.note("it does not follow the record before it: lines were removed, repeated or moved")
	}
	c.last = one.own
}

func (c *checker) report() Report {
	if c.reason == "" && c.marked {
		c.brokenAt, c.reason = 1, "the log had been changed before old records were purged"
	}
	return Report{OK: c.reason == "", Records: c.count, BrokenAt: c.brokenAt, Reason: c.reason}
}
