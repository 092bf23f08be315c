package agentcu

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/timeouts"
)

// Kind says what went wrong with agent-cu; it is a closed set.
type Kind string

// The kinds of failure.
const (
	NotInstalled     Kind = "not_installed"         // no binary that may be run; the message names the next step
	AppNotFound      Kind = "application_not_found" // -a found nothing
	ElementNotFound  Kind = "element_not_found"     // the ref is gone
	Ambiguous        Kind = "ambiguous_selector"    // several elements answer to the ref
	NotSupported     Kind = "action_not_supported"  // the element can't do that
	PermissionDenied Kind = "permission_denied"     // accessibility is not granted
	Timeout          Kind = "timeout"               // agent-cu's own time-out or ours
	Canceled         Kind = "canceled"              // the caller gave up
	Usage            Kind = "usage"                 // agent-cu, or this package, refused the arguments
	TooLarge         Kind = "too_large"             // arguments or output beyond what can be handled
	Failed           Kind = "failed"                // all else
)

// kindOf maps the types of agent-cu's error JSON that have a meaning of their own.
func kindOf(errorType string) Kind {
	switch kind := Kind(errorType); kind {
	case AppNotFound, ElementNotFound, Ambiguous, NotSupported, PermissionDenied, Timeout:
		return kind
	}
	return Failed
}

// maxMessage is how much of agent-cu's message is kept, in bytes.
const maxMessage = 500

// Error is a failed call of agent-cu. It never holds text that was to be typed.
type Error struct {
	Kind    Kind
	Type    string // agent-cu's own type of error, such as platform_error; empty where it gave none
	Message string // one or more lines, at most about 500 bytes
	// MayHaveActed says that an act was started and not seen to end: it may have happened.
	MayHaveActed bool

	err error // the process error underneath; may be nil
}

// Error gives the kind and the message.
func (e *Error) Error() string {
	if e.Message == "" {
		return "agent-cu: " + string(e.Kind)
	}
	return "agent-cu: " + e.Message
}

// Unwrap gives the process error, whose chain holds the context's error and cause.
func (e *Error) Unwrap() error { return e.err }

// failure reads a child's failed end: by how it ended first, then by what it wrote. It is nil for an
// end that is no failure: a descendant that held the output of a successful child.
func failure(cl call, result proc.Result, err error) *Error {
	var ended *proc.Error
	if !errors.As(err, &ended) {
		return &Error{Kind: Failed, Message: cl.mask(err.Error()), err: err}
	}
	failed := &Error{Kind: Failed, Message: "agent-cu " + cl.verb + ": " + string(ended.Kind), err: err}
	switch ended.Kind {
	case proc.PipeHeld:
		return nil
	case proc.NotStarted:
		notStarted(failed, ended)
	case proc.TimedOut:
		failed.Kind, failed.MayHaveActed = Timeout, cl.act
		failed.Message = "agent-cu " + cl.verb + " did not end in time"
		var limit *timeouts.Exceeded
		if errors.As(err, &limit) {
			failed.Message = limit.Error()
		}
	case proc.Canceled:
		failed.Kind, failed.MayHaveActed = Canceled, cl.act
	case proc.OutputTooLarge:
		failed.Kind, failed.MayHaveActed = TooLarge, cl.act
	case proc.ExitStatus:
		cl.exited(failed, result, ended.ExitCode)
	default:
		failed.MayHaveActed = cl.act
	}
	return failed
}

// notStarted tells a missing or unusable binary from a call that was given up before it began.
func notStarted(failed *Error, ended *proc.Error) {
	var cause error = ended
	switch {
	case errors.Is(cause, fs.ErrNotExist), errors.Is(cause, fs.ErrPermission):
		failed.Kind = NotInstalled
		failed.Message = "agent-cu could not be started: " + installHint
	case isContextEnd(cause):
		failed.Kind = Canceled
		if errors.Is(cause, errDeadline) {
			failed.Kind = Timeout
		}
	default:
		failed.Message = ended.Error()
	}
}

// exited reads a non-zero exit code together with stderr: 2 without an error object is the argument
// parser's (spec/agent-cu.md).
func (cl call) exited(failed *Error, result proc.Result, code int) {
	object, ok := errorObject(result.Stderr)
	if !ok {
		object, ok = errorObject(result.Stdout)
	}
	if ok {
		failed.Type = object.Get("type").String()
		failed.Kind = kindOf(failed.Type)
		failed.Message = cl.mask(object.Get("message").String())
		// Its time-out covers the search for the element, but nothing says that it ends there; and the
		// platform's call can fail behind a press that went through, such as one that opens a dialog.
		failed.MayHaveActed = cl.act && (failed.Kind == Timeout || failed.Type == "platform_error")
		return
	}
	failed.Message = cl.mask(strings.TrimSpace(toUTF8(result.Stderr)))
	failed.MayHaveActed = cl.act // it fell over somewhere on its way
	if code == 2 {
		failed.Kind, failed.MayHaveActed = Usage, false
	}
	if failed.Message == "" {
		failed.Message = "agent-cu " + cl.verb + " ended with exit code " + strconv.Itoa(code)
	}
}

// errorObject finds {"error": true, …} among other lines.
func errorObject(data []byte) (gjson.Result, bool) {
	return lastDocument(data, func(doc gjson.Result) bool { return doc.IsObject() && doc.Get("error").Bool() })
}

// mask takes the text that was to be typed out of a message, as it is and as Rust and JSON escape it,
// and bounds the message. A text of one or two characters gives nothing away by being part of words,
// so that only its quoted form is masked.
func (cl call) mask(message string) string {
	if text := cl.sensitive; text != "" {
		quoted := strconv.Quote(text)
		forms := []string{quoted, `"` + text + `"`, `'` + text + `'`}
		if utf8.RuneCountInString(text) > 2 {
			forms = append(forms, quoted[1:len(quoted)-1], text, strings.TrimSpace(text))
		}
		for _, form := range forms {
			if form != "" {
				message = strings.ReplaceAll(message, form, "[text]")
			}
		}
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return message
}
