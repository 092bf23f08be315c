package agentcu

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"mcp-computer-use/internal/proc"
)

func TestLastDocument(t *testing.T) {
	anyKind := func(gjson.Result) bool { return true }
	for in, want := range map[string]string{
		`{"a":1}`:                     `{"a":1}`,
		"[1]\n{\"a\":2}\n":            `{"a":2}`,
		"{\n  \"a\": [\n{}\n]\n}\r\n": "{\n  \"a\": [\n{}\n]\n}",
		"2026 WARN miss {\"retry\": 1}\n[{\"title\":\"x\"}]": `[{"title":"x"}]`,
		"[2026-01-01] [WARN] {\"retry\": 1}\n{\"a\":1}\n":    `{"a":1}`,
		"{\"cut\": \n{\"a\":1}\n":                            `{"a":1}`,
		"{\"a\":1}\nWARN {\"b\":2}\n":                        `{"a":1}`,
		"\ufeff {\"a\":1}":                                   `{"a":1}`,
		"{\"a\":\"{\\n}\"}\n\n":                              `{"a":"{\n}"}`,
		"WARN {\"b\":2}\n":                                   "",
		"[1] trailing\n":                                     "",
		"{\"a\":":                                            "",
		"\"text\"\n7\n":                                      "",
		"":                                                   "",
	} {
		doc, ok := lastDocument([]byte(in), anyKind)
		if ok != (want != "") || doc.Raw != want {
			t.Errorf("%q: got %q, %v", in, doc.Raw, ok)
		}
	}
	if doc, ok := lastDocument([]byte("[1]\n{\"log\": true}\n"), gjson.Result.IsArray); !ok || doc.Raw != "[1]" {
		t.Errorf("the kind that is wanted: %q, %v", doc.Raw, ok)
	}
}

// FuzzLastDocument: what is found is JSON, and an answer behind log lines is found.
func FuzzLastDocument(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n"))
	f.Add([]byte("WARN {\"a\":1}\n[{]\n{\"b\""))
	f.Fuzz(func(t *testing.T, log []byte) {
		if doc, ok := lastDocument(log, gjson.Result.IsObject); ok && !json.Valid([]byte(doc.Raw)) {
			t.Errorf("not JSON: %q", doc.Raw)
		}
		const answer = `{"success":true,"message":"x"}`
		line := strings.ReplaceAll(string(log), "\n", " ")
		if doc, ok := lastDocument([]byte("WARN "+line+"\n"+answer+"\n"), gjson.Result.IsObject); !ok || doc.Raw != answer {
			t.Errorf("after a log line: %q", doc.Raw)
		}
	})
}

func exitedWith(code int, stderr string) (proc.Result, error) {
	return proc.Result{ExitCode: code, Stderr: []byte(stderr)}, &proc.Error{Kind: proc.ExitStatus, Path: "/x/agent-cu", ExitCode: code}
}

func TestFailureOfExitedChildren(t *testing.T) {
	errorJSON := func(kind string) string {
		return "warning: refs are old {\"a\": 1}\n{\n  \"error\": true,\n  \"message\": \"the message\",\n  \"type\": \"" + kind + "\"\n}\nhint: \"snapshot\"\n"
	}
	click, look := call{verb: "click", act: true}, call{verb: "text"}
	for _, test := range []struct {
		cl     call
		code   int
		stderr string
		want   Error
	}{
		{click, 1, errorJSON("element_not_found"), Error{Kind: ElementNotFound, Type: "element_not_found", Message: "the message"}},
		{click, 1, errorJSON("ambiguous_selector"), Error{Kind: Ambiguous, Type: "ambiguous_selector", Message: "the message"}},
		{click, 1, errorJSON("action_not_supported"), Error{Kind: NotSupported, Type: "action_not_supported", Message: "the message"}},
		{look, 1, errorJSON("permission_denied"), Error{Kind: PermissionDenied, Type: "permission_denied", Message: "the message"}},
		{look, 1, errorJSON("application_not_found"), Error{Kind: AppNotFound, Type: "application_not_found", Message: "the message"}},
		{look, 1, errorJSON("platform_error"), Error{Kind: Failed, Type: "platform_error", Message: "the message"}},
		{look, 1, errorJSON("brand_new"), Error{Kind: Failed, Type: "brand_new", Message: "the message"}},
		{look, 1, errorJSON("usage"), Error{Kind: Failed, Type: "usage", Message: "the message"}},
		{look, 2, errorJSON("timeout"), Error{Kind: Timeout, Type: "timeout", Message: "the message"}},
		{click, 2, errorJSON("timeout"), Error{Kind: Timeout, Type: "timeout", Message: "the message", MayHaveActed: true}},
		{click, 2, "error: unexpected argument", Error{Kind: Usage, Message: "error: unexpected argument"}},
		{click, 1, errorJSON("platform_error"), Error{Kind: Failed, Type: "platform_error", Message: "the message", MayHaveActed: true}},
		{click, 1, errorJSON("brand_new"), Error{Kind: Failed, Type: "brand_new", Message: "the message"}},
		{click, 101, "thread 'main' panicked", Error{Kind: Failed, Message: "thread 'main' panicked", MayHaveActed: true}},
		{click, 1, "", Error{Kind: Failed, Message: "agent-cu click ended with exit code 1", MayHaveActed: true}},
		{look, 3, "", Error{Kind: Failed, Message: "agent-cu text ended with exit code 3"}},
		{look, 101, "thread 'main' panicked", Error{Kind: Failed, Message: "thread 'main' panicked"}},
		{look, 1, `{"error": false, "type": "timeout"}`, Error{Kind: Failed, Message: `{"error": false, "type": "timeout"}`}},
	} {
		result, err := exitedWith(test.code, test.stderr)
		got := failure(test.cl, result, err)
		if !errors.Is(got, err) {
			t.Errorf("%s: the process error is lost", test.stderr)
		}
		got.err = nil
		if diff := cmp.Diff(test.want, *got, cmp.AllowUnexported(Error{})); diff != "" {
			t.Errorf("%s: want -, got +\n%s", test.stderr, diff)
		}
	}
}

func TestFailureOfEndedChildren(t *testing.T) {
	click, look := call{verb: "click", act: true}, call{verb: "text"}
	for _, test := range []struct {
		err       error
		kind      Kind
		mayHaveIt bool
	}{
		{&proc.Error{Kind: proc.TimedOut, Err: context.DeadlineExceeded}, Timeout, true},
		{&proc.Error{Kind: proc.Canceled, Err: context.Canceled}, Canceled, true},
		{&proc.Error{Kind: proc.Killed}, Failed, true},
		{&proc.Error{Kind: proc.OutputTooLarge}, TooLarge, true},
		{&proc.Error{Kind: proc.NotStarted, Err: fs.ErrNotExist}, NotInstalled, false},
		{&proc.Error{Kind: proc.NotStarted, Err: fs.ErrPermission}, NotInstalled, false},
		{&proc.Error{Kind: proc.NotStarted, Err: context.Canceled}, Canceled, false},
		{&proc.Error{Kind: proc.NotStarted, Err: context.DeadlineExceeded}, Timeout, false},
		{&proc.Error{Kind: proc.NotStarted, Err: os.ErrInvalid}, Failed, false},
		{errors.New("replay: no such record"), Failed, false},
	} {
		got := failure(click, proc.Result{}, test.err)
		if got.Kind != test.kind || got.MayHaveActed != test.mayHaveIt || got.Message == "" {
			t.Errorf("%v: %+v", test.err, got)
		}
		if got = failure(look, proc.Result{}, test.err); got.MayHaveActed {
			t.Errorf("%v: a read may not have acted", test.err)
		}
	}
	if got := failure(click, proc.Result{}, &proc.Error{Kind: proc.PipeHeld}); got != nil {
		t.Errorf("a held pipe is a success: %v", got)
	}
}

func TestMessagesHideTypedText(t *testing.T) {
	for text, message := range map[string]string{
		"s3cret":       "can't type s3cret here",
		"a \"b\"\nc":   `failed for "a \"b\"\nc" (escaped)`,
		"x":            `can't type "x" or 'x'`,
		" padded out ": "xdotool: padded out",
	} {
		cl := Options{}.typeCall("App", "@e1", text)
		result, err := exitedWith(1, `{"error": true, "type": "platform_error", "message": `+quoteJSON(message)+`}`)
		got := failure(cl, result, err).Error()
		if strings.Contains(got, strings.TrimSpace(text)) && len(text) > 1 || strings.Contains(got, `"x"`) || !strings.Contains(got, "[text]") {
			t.Errorf("%q is in %q", text, got)
		}
	}
	cl := call{verb: "text"}
	if got := cl.mask(strings.Repeat("א", 400)); len(got) > maxMessage+len("…") || strings.Contains(got, "\ufffd") {
		t.Errorf("a long message has %d bytes", len(got))
	}
}

func quoteJSON(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

func TestTextLines(t *testing.T) {
	for in, want := range map[string][]string{
		"":                         nil,
		"\n":                       nil,
		"a\nb\n":                   {"a", "b"},
		"a\r\n\r\nb":               {"a", "", "b"},
		"\ufeffa\xff\tb\x00\x1bc":  {"a\ufffd\tbc"},
		"one\rtwo\u0085three\vx\n": {"one two three x"},
		"  kept  \n":               {"  kept  "},
	} {
		if diff := cmp.Diff(want, textLines([]byte(in))); diff != "" {
			t.Errorf("%q: want -, got +\n%s", in, diff)
		}
	}
}
