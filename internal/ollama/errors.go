package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/ollama/ollama/api"
)

// Kind is the closed set of ways in which a call fails.
type Kind string

// The kinds. A caller may map them to its own codes one by one.
const (
	Unreachable Kind = "unreachable" // nothing, or no Ollama, answers at the address
	NotFound    Kind = "not found"   // the server does not have the model
	Timeout     Kind = "timeout"     // the context's deadline came first
	Canceled    Kind = "canceled"    // the caller gave up
	Busy        Kind = "busy"        // status 503: the server's queue is full
	Failed      Kind = "failed"      // the server refused or broke off
	BadReply    Kind = "bad reply"   // an answer that is not Ollama's, or without an end
)

// Error is how a call failed. Message is one short line without the question's text.
type Error struct {
	Kind    Kind
	Op      string // what was tried, for a message: "ask the model"
	Status  int    // HTTP status; 0 when none came
	Message string
	Err     error // may be nil; holds the context's cause for Timeout and Canceled
}

// Error makes the type an error.
func (e *Error) Error() string { return fmt.Sprintf("ollama: %s: %s", e.Op, e.Message) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// orNil keeps a nil *Error from becoming a non-nil error.
func (e *Error) orNil() error {
	if e == nil {
		return nil
	}
	return e
}

// What a call without an error of the client library can still lack.
var (
	errNotOllama = errors.New("the answer is not Ollama's")
	errNoEnd     = errors.New("the answer has no end")
	errTooLarge  = errors.New("the answer is too large")
)

const noAnswer = "no answer in time"

// redirectError is a redirect that was not followed: the question must not reach another server than
// the configured one.
type redirectError struct{ target string }

func (e *redirectError) Error() string {
	return "the server answers with a redirect to " + e.target + ", which is not followed"
}

// explain turns what the library returned and what the transport saw into a *Error; nil for success.
// The library loses errors: a deadline behind the headers, a cut connection and an error status
// without a body all come back as nil, hence the second look.
func (x *exchange) explain(ctx context.Context, op string, err error) *Error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err == nil && x.bodyErr == nil && x.status < http.StatusMultipleChoices {
		return nil
	}
	e := &Error{Op: op, Status: x.status, Err: errors.Join(err, x.bodyErr)}
	var redirect *redirectError
	switch {
	case errors.As(err, &redirect):
		e.Kind, e.Message = BadReply, redirect.Error()
	case ctx.Err() != nil:
		x.ended(ctx, e)
	case x.status == 0:
		e.Kind, e.Message = withoutStatus(err)
	case errors.Is(x.bodyErr, context.DeadlineExceeded):
		e.Kind, e.Message = Timeout, noAnswer
	case x.bodyErr != nil:
		e.Kind, e.Message = Failed, "the connection broke in the middle of the answer"
		if errors.Is(x.bodyErr, errTooLarge) {
			e.Kind, e.Message = BadReply, errTooLarge.Error()
		}
	case x.status >= http.StatusBadRequest:
		e.Kind, e.Message = withStatus(x.status, err)
	default:
		e.Kind, e.Message = badReply(err)
	}
	return e
}

// ended explains a call that the context ended.
func (x *exchange) ended(ctx context.Context, e *Error) {
	e.Err = errors.Join(e.Err, context.Cause(ctx), ctx.Err())
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Kind, e.Message = Canceled, "the call was canceled"
	case x.dialing && !x.connected:
		e.Kind, e.Message = Unreachable, "no connection in time"
	default:
		e.Kind, e.Message = Timeout, noAnswer
	}
}

func withoutStatus(err error) (Kind, string) {
	var dial *net.OpError
	var dns *net.DNSError
	if errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, &dns) || errors.Is(err, syscall.ECONNREFUSED) {
		return Unreachable, "no connection"
	}
	// Without an ended context these come from a replay of an exchange that was ended by one.
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout, noAnswer
	case errors.Is(err, context.Canceled):
		return Canceled, "the call was canceled"
	}
	return Failed, "the connection broke before an answer"
}

func withStatus(status int, err error) (Kind, string) {
	text, ours := serverText(err)
	message := fmt.Sprintf("status %d", status)
	if text != "" {
		message += ": " + text
	}
	switch {
	case status == http.StatusNotFound && ours:
		return NotFound, message
	case status == http.StatusNotFound: // Ollama itself has every path that is asked for
		return Unreachable, "another program than Ollama answers there (" + message + ")"
	case status == http.StatusServiceUnavailable:
		return Busy, message
	}
	return Failed, message
}

func badReply(err error) (Kind, string) {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.Is(err, errNotOllama), errors.As(err, &syntax), errors.As(err, &mismatch):
		return BadReply, errNotOllama.Error()
	case errors.Is(err, errNoEnd):
		return BadReply, errNoEnd.Error()
	case err != nil && strings.HasPrefix(strings.TrimSpace(err.Error()), "<"):
		return BadReply, "a web page instead of an answer"
	case err != nil:
		return Failed, oneLine(err.Error())
	}
	return BadReply, "an unexpected status"
}

// serverText is the server's own error text; ours says that it came in Ollama's JSON form.
func serverText(err error) (text string, ours bool) {
	var status api.StatusError
	if !errors.As(err, &status) {
		return "", false
	}
	text = oneLine(status.ErrorMessage)
	// The library gives the raw body where it was no JSON: a web page, or a router's plain 404.
	return text, text != "" && !strings.HasPrefix(text, "404 page") && !strings.HasPrefix(text, "<")
}

// oneLine bounds foreign text for a message.
func oneLine(text string) string {
	const most = 200
	text = cleanLine(text)
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}
