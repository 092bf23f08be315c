// Package capture takes one picture of one window and knows its geometry.
//
// It owns how a window is pictured on each platform and what counts as a usable picture. It must not
// know what is in the picture, or who looks at it.
package capture

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"time"

	"mcp-computer-use/agentcu"
	"mcp-computer-use/internal/imaging"
	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/timeouts"
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

	// Geometry says what part of the screen it shows; its Shown is empty where that is not known.
	Geometry imaging.Geometry
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

// DefaultTimeout is the image_timeout of a program that nobody configured.
const DefaultTimeout = 15 * time.Second

// Options are the settings of a Camera.
type Options struct {
	// Platform is the engine's. On Linux and macOS agent-cu takes the picture; on Windows it would take
	// the whole screen, so a script does.
	Platform ui.Platform
	// GOOS is the system of this machine, or of the one that a replay was recorded on; empty means this
	// machine's. The script only runs on "windows".
	GOOS string
	// Timeout bounds one picture; 0 means DefaultTimeout.
	Timeout time.Duration
	// PrivateDir is a folder of this user alone for the script and, while one is taken, its picture. It
	// is made where it is missing. An absolute path.
	PrivateDir string
	// Env is the environment ("KEY=value") that children start from; nil means that of this process.
	Env []string
	// Programs are the PowerShells to try, in order; nil means Windows' own one, then PowerShell 7.
	Programs []string
}

// Camera takes pictures. It is safe for concurrent use.
type Camera struct {
	opts   Options
	runner proc.Runner
	client *agentcu.Client

	mu sync.Mutex // held while the script's file is checked and written
}

// New returns a Camera that starts processes through runner and client only. Nothing is started or
// written yet. client may be nil where Platform is ui.Windows.
func New(opts Options, runner proc.Runner, client *agentcu.Client) *Camera {
	if opts.GOOS == "" {
		opts.GOOS = runtime.GOOS
	}
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	return &Camera{opts: opts, runner: runner, client: client}
}

// Take pictures the window within ctx and image_timeout. Nothing is focused, raised, moved or restored,
// and no file is left on any path. The failure is an *Error.
func (c *Camera) Take(ctx context.Context, request Request) (Picture, error) {
	if request.Window.Minimized {
		return Picture{}, minimized()
	}
	ctx, stop := timeouts.WithLimit(ctx, c.opts.Timeout, "the picture")
	defer stop()
	var (
		picture Picture
		err     error
	)
	switch {
	case c.opts.Platform != ui.Windows:
		picture, err = c.byEngine(ctx, request)
	case c.opts.GOOS == "windows":
		picture, err = c.byScript(ctx, request)
	default:
		err = wholeScreen(nil)
	}
	if err != nil {
		return Picture{}, c.asError(ctx, err)
	}
	return picture, nil
}

// asError makes an *Error of any failure: where the time was up, that is the reason, whatever a child
// that was ended said last.
func (c *Camera) asError(ctx context.Context, err error) *Error {
	var (
		known  *Error
		engine *agentcu.Error
	)
	if errors.As(err, &known) && known.Kind != Failed {
		return known
	}
	timedOut := errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &engine) && engine.Kind == agentcu.Timeout
	switch {
	case timedOut:
		return &Error{Kind: Timeout, Message: "the picture of the window was not there " + inTime(ctx), Err: err}
	case known != nil:
		return known
	case errors.Is(err, context.Canceled):
		return &Error{Kind: Failed, Message: "the picture was given up because the call was cancelled", Err: err}
	}
	return &Error{Kind: Failed, Message: "the picture could not be taken: " + err.Error(), Err: err}
}

// inTime names the limit that was reached, where it was one of ours.
func inTime(ctx context.Context) string {
	if limit := timeouts.Cause(ctx); limit != nil {
		return "within " + limit.After.Round(100*time.Millisecond).String()
	}
	return "in time"
}

func minimized() *Error {
	return &Error{Kind: Minimized, Message: "the window is minimised, so there is nothing to picture"}
}

func blank() *Error {
	return &Error{Kind: Blank, Message: "the picture has one colour only: the window drew nothing into it"}
}

func wholeScreen(cause error) *Error {
	return &Error{Kind: Failed, Err: cause,
		Message:    "agent-cu would take the whole screen here, not this window alone, so no picture was kept",
		Suggestion: "Use the text answer; the whole screen is never handed out in place of a window."}
}

// hintMaybeBlank goes with a picture that is nearly of one colour.
const hintMaybeBlank = "The picture is nearly all of one colour: it may be blank, or the window may be empty."
