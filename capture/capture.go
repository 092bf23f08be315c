// Package capture takes one picture of one window and knows its geometry.
//
// It owns how a window is pictured on each platform and what counts as a usable picture. It must not
// know what is in the picture, or who looks at it.
package capture

import (
	"context"

	"mcp-computer-use/internal/ui"
)

// Request names the window to picture.
type Request struct {
	Window ui.Window
	Arg    string // what agent-cu's -a gets for it
}

// Picture is a JPEG of one window, at most 1024 pixels wide.
type Picture struct {
	JPEG          []byte
	Width, Height int    // pixels of the JPEG
	Hint          string // advice for the reader; empty where there is none
}

// Kind says why there is no picture; it is a closed set.
type Kind string

// The kinds of failure (README, "Optional window image capture").
const (
	Failed    Kind = "failed"
	Blank     Kind = "blank"
	Minimized Kind = "minimized"
	Timeout   Kind = "timeout"
)

// Error is why there is no picture. Suggestion is empty where the kind's usual one fits.
type Error struct {
	Kind       Kind
	Message    string
	Suggestion string
	Err        error
}

// Error makes the type an error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause; it may be nil.
func (e *Error) Unwrap() error { return e.Err }

// Camera takes pictures. It is safe for concurrent use.
type Camera struct{}

// Take pictures the window within ctx. The failure is an *Error.
func (c *Camera) Take(context.Context, Request) (Picture, error) {
	return Picture{}, &Error{Kind: Failed, Message: "pictures of windows can't be taken yet"}
}
