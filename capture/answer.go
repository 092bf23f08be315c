package capture

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/ps1"
)

// blockedError is a PowerShell that could not run the script at all, so that another one may.
type blockedError struct{ reason *Error }

// Error is the reason's.
func (e *blockedError) Error() string { return e.reason.Error() }

// Unwrap gives the error that a caller gets to see.
func (e *blockedError) Unwrap() error { return e.reason }

const (
	suggestPolicy = "Allow PowerShell scripts for this user (Get-ExecutionPolicy -List shows what forbids them), or install PowerShell 7; the text answer works without."
	suggestMode   = "AppLocker or Windows Defender Application Control restricts PowerShell: an administrator has to allow the script; the text answer works without."
	suggestStart  = "Check that Windows PowerShell or PowerShell 7 is installed and not blocked; the text answer works without."
)

func notStarted(message string, cause error) error {
	return &blockedError{&Error{Kind: Failed, Message: message, Suggestion: suggestStart, Err: cause}}
}

// judge reads what PowerShell left behind. Success is the marked line, whole JSON in it and exit code 0
// together: a PowerShell that runs nothing can end with 0 as well.
func judge(result proc.Result, err error) (ps1.CaptureAnswer, error) {
	var ended *proc.Error
	if err != nil && !errors.As(err, &ended) {
		return ps1.CaptureAnswer{}, err
	}
	if ended != nil && ended.Kind != proc.ExitStatus && ended.Kind != proc.PipeHeld {
		if ended.Kind == proc.NotStarted {
			return ps1.CaptureAnswer{}, notStarted("PowerShell could not be started", ended)
		}
		return ps1.CaptureAnswer{}, ended
	}
	answer, parsing := parseAnswer(result.Stdout)
	switch {
	case parsing != nil && !errors.Is(parsing, errNoAnswer):
		return answer, &Error{Kind: Failed, Message: "the answer of the capture script can't be read: " + parsing.Error(), Err: parsing}
	case parsing != nil:
		return answer, silent(result, ended)
	case !answer.OK:
		return answer, refusal(answer)
	case ended != nil && ended.Kind == proc.ExitStatus:
		return answer, &Error{Kind: Failed, Message: fmt.Sprintf("the capture script ended with exit code %d after its answer", ended.ExitCode), Err: ended}
	}
	return answer, nil
}

// errNoAnswer says that the marked line is missing.
var errNoAnswer = errors.New("no answer")

// parseAnswer finds the one marked line and reads it.
func parseAnswer(stdout []byte) (ps1.CaptureAnswer, error) {
	var lines []string
	for line := range strings.FieldsFuncSeq(plainText(stdout), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if rest, ours := strings.CutPrefix(strings.TrimSpace(line), ps1.CaptureMark); ours {
			lines = append(lines, rest)
		}
	}
	switch {
	case len(lines) == 0:
		return ps1.CaptureAnswer{}, errNoAnswer
	case len(lines) > 1:
		return ps1.CaptureAnswer{}, fmt.Errorf("%d answers in place of one", len(lines))
	}
	var answer *ps1.CaptureAnswer
	if err := json.Unmarshal([]byte(lines[0]), &answer); err != nil {
		return ps1.CaptureAnswer{}, errors.New("it is no JSON")
	}
	if answer == nil || !answer.OK && answer.Code == "" {
		return ps1.CaptureAnswer{}, errors.New("it says neither success nor a reason")
	}
	return *answer, nil
}

// plainText undoes the encodings in which a PowerShell may write ASCII: UTF-16 of either order, with or
// without a mark, and UTF-8 with one. Our own lines are ASCII, so nothing else matters.
func plainText(data []byte) string {
	for _, form := range []struct {
		mark  string
		order binary.ByteOrder
	}{{"\xff\xfe", binary.LittleEndian}, {"\xfe\xff", binary.BigEndian}} {
		if bytes.HasPrefix(data, []byte(form.mark)) {
			return fromUTF16(data[2:], form.order)
		}
	}
	if n := bytes.Count(data, []byte{0}); n > 0 && 3*n >= len(data) {
		if data[0] == 0 {
			return fromUTF16(data, binary.BigEndian)
		}
		return fromUTF16(data, binary.LittleEndian)
	}
	return strings.TrimPrefix(string(data), "\ufeff")
}

func fromUTF16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// silent explains a PowerShell that did not come to the script's answer.
func silent(result proc.Result, ended *proc.Error) error {
	cause := error(nil)
	if ended != nil {
		cause = ended
	}
	said := squeeze(plainText(result.Stderr) + plainText(result.Stdout))
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) })
	}
	failed := &Error{Kind: Failed, Err: cause}
	switch {
	case has("constrainedlanguage", "languagemode", "methodinvocationnotsupportedinconstrained"):
		failed.Message, failed.Suggestion = "PowerShell runs in a restricted language mode, which can't take pictures", suggestMode
	case has("securityerror", "pssecurityexception", "unauthorizedaccess", "about_execution_policies", "blockedbygrouppolicy", "wasblockedbyyoursoftwarerestriction"):
		failed.Message, failed.Suggestion = "a policy of this computer forbids PowerShell to run the capture script", suggestPolicy
	case has("malicious", "scriptcontainedmaliciouscontent", "virus"):
		failed.Message, failed.Suggestion = "the virus scanner stopped the capture script", suggestStart
	case ended == nil:
		failed.Message, failed.Suggestion = "PowerShell ended without an answer of the capture script", suggestStart
	default:
		failed.Message, failed.Suggestion = fmt.Sprintf("PowerShell ended with exit code %d and without an answer of the capture script", result.ExitCode), suggestStart
	}
	return &blockedError{failed}
}

// squeeze brings an error text to a form in which words can be found: PowerShell wraps its texts at the
// width of a console, in the middle of words, and escapes line ends when it writes CLIXML.
func squeeze(text string) string {
	text = strings.NewReplacer("_x000D_", "", "_x000A_", "", " ", "", "\t", "", "\r", "", "\n", "", "\u00a0", "").Replace(text)
	return strings.ToLower(text)
}

// refusal gives the script's reason its kind and words.
func refusal(answer ps1.CaptureAnswer) error {
	switch answer.Code {
	case ps1.CodeMinimized:
		return minimized()
	case ps1.CodeBlank:
		return blank()
	case ps1.CodeLanguage:
		return &blockedError{&Error{Kind: Failed, Suggestion: suggestMode,
			Message: "PowerShell runs in the language mode " + short(answer.Detail, 40) + ", which can't take pictures"}}
	case ps1.CodeScript:
		failed := &Error{Kind: Failed, Message: "the capture script failed: " + short(answer.Detail, 120)}
		if step, _, _ := strings.Cut(answer.Detail, " "); step == "request" || step == "compile" || step == "drawing" {
			failed.Suggestion = suggestStart // it never came to the window
			return &blockedError{failed}
		}
		return failed
	}
	if message, suggestion := aboutWindow(answer); message != "" {
		return &Error{Kind: Failed, Message: message, Suggestion: suggestion}
	}
	return &Error{Kind: Failed, Message: "the window could not be pictured: " + short(answer.Code+" "+answer.Detail, 120)}
}

// aboutWindow words the reasons that lie in the window or its desktop; empty for any other.
func aboutWindow(answer ps1.CaptureAnswer) (message, suggestion string) {
	switch answer.Code {
	case ps1.CodeSession:
		return "there is no desktop to picture: this program runs as a service or over SSH",
			"Start the program in the session of the user whose windows are meant."
	case ps1.CodeGone:
		return "no window of that title and process is there any more" + candidates(answer),
			"Ask again without a picture to see which windows are open."
	case ps1.CodeAmbiguous:
		return "several windows have that title and process" + candidates(answer),
			"Close one of the windows, or use the text answer."
	case ps1.CodeCloaked:
		return "Windows hides the window: " + cloakReason(answer.Detail),
			"Bring the window back on this desktop, then ask for the picture again."
	case ps1.CodeEmpty:
		return "the window has no size", ""
	case ps1.CodeLarge:
		return "the window is too large to picture: " + short(answer.Detail, 40), ""
	case ps1.CodeProtected:
		return "the window protects its content from being pictured",
			"Use the text answer; the application forbids pictures of this window."
	}
	return "", ""
}

func cloakReason(detail string) string {
	switch detail {
	case "1":
		return "its application keeps it out of sight"
	case "2":
		return "it is on another desktop, or its application is suspended"
	case "4":
		return "the window that owns it is hidden"
	}
	return "reason " + short(detail, 20)
}

// candidates names up to five windows that could have been meant.
func candidates(answer ps1.CaptureAnswer) string {
	var names []string
	for _, name := range answer.Candidates[:min(5, len(answer.Candidates))] {
		names = append(names, `"`+short(name, 130)+`"`)
	}
	if len(names) == 0 {
		return ""
	}
	return "; there is " + strings.Join(names, ", ")
}

// short is the text in one line, cut to about n characters.
func short(text string, n int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > n {
		return string(runes[:n]) + "\u2026"
	}
	return string(runes)
}

// hints are the remarks on a picture that a reader should know.
func hints(answer ps1.CaptureAnswer) string {
	var list []string
	if answer.MaybeBlank {
		list = append(list, hintMaybeBlank)
	}
	for _, remark := range [][2]string{
		{ps1.WarnLocked, "The desktop seems to be locked."},
		{ps1.WarnHung, "The window does not seem to answer: the picture can be old."},
		{ps1.WarnElevated, "The window's program has more rights than this one: clicks and text may report success and do nothing."},
	} {
		if slices.Contains(answer.Warnings, remark[0]) {
			list = append(list, remark[1])
		}
	}
	return strings.Join(list, " ")
}
