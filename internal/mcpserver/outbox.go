package mcpserver

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// outbox writes lines in the order in which they are put. Putting never blocks, so that a client that
// does not read can't hold up the reading of its messages, or a tool.
type outbox struct {
	to io.Writer

	mu     sync.Mutex
	lines  [][]byte
	closed bool
	err    error
	wake   chan struct{} // holds one token while there is news

	done chan struct{} // closed when nothing more is written: after close, or at the first error
}

func newOutbox(to io.Writer) *outbox {
	o := &outbox{to: to, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go o.run()
	return o
}

// put adds a line, which must not end in a line feed. After close or an error it is dropped.
func (o *outbox) put(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.lines = append(o.lines, append(line, '\n'))
		o.signal()
	}
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) run() {
	defer close(o.done)
	for range o.wake {
		for {
			line, last := o.take()
			if line == nil {
				if last {
					return
				}
				break
			}
			if _, err := o.to.Write(line); err != nil {
				o.fail(fmt.Errorf("write to the client: %w", err))
				return
			}
		}
	}
}

// take returns the next line, or whether there will be none.
func (o *outbox) take() (line []byte, last bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.lines) == 0 {
		return nil, o.closed
	}
	line, o.lines = o.lines[0], o.lines[1:]
	return line, false
}

func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err, o.closed, o.lines = err, true, nil
}

// close waits until everything is written, at most for the given time, and returns the write error.
func (o *outbox) close(wait time.Duration) error {
	o.mu.Lock()
	o.closed = true
	o.signal()
	o.mu.Unlock()
	select {
	case <-o.done:
	case <-time.After(wait):
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
