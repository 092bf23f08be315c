package autostart

import (
	"net/url"
)

// Kind is the closed set of reasons why Ollama does not answer after Ensure.
type Kind string

// The kinds. In all of them nothing answers as Ollama.
const (
	Disabled     Kind = "disabled"      // auto-start is switched off
	NotLocal     Kind = "not local"     // the address is another machine, https, or has a path
	NotInstalled Kind = "not installed" // no ollama program was found
	PortTaken    Kind = "port taken"    // another program answers at the address
	NoFolder     Kind = "no folder"     // the state folder can't hold the lock or the log
	NotStarted   Kind = "not started"   // the system refused every way of starting it
	Ended        Kind = "ended"         // the server ended by itself before it answered
	NoAnswer     Kind = "no answer"     // the time was over first; the server may still come up
	Canceled     Kind = "canceled"      // the caller gave up
)

// Error says why Ollama does not answer. Message is one line.
type Error struct {
	Kind    Kind
	Message string
	Err     error // may be nil
}

// Error makes the type an error.
func (e *Error) Error() string { return "auto-start: " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func portTaken(address *url.URL, err error) error {
	return &Error{Kind: PortTaken, Message: "another program than Ollama answers at " + address.Redacted(), Err: err}
}
