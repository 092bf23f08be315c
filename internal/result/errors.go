package result

import "fmt"

// Code is one of the closed set of error codes.
type Code string

// The codes of the original's README, and the two of spec/contract.md sections 7 and 8.
const (
	TargetNotFound      Code = "TARGET_NOT_FOUND"
	TargetAmbiguous     Code = "TARGET_AMBIGUOUS"
	TargetNotEditable   Code = "TARGET_NOT_EDITABLE"
	InvalidTarget       Code = "INVALID_TARGET"
	TextTooLong         Code = "TEXT_TOO_LONG"
	DangerousAction     Code = "DANGEROUS_ACTION_NEEDS_CONFIRMATION"
	AppNotFound         Code = "APP_NOT_FOUND"
	AgentCUNotInstalled Code = "AGENT_CU_NOT_INSTALLED"
	AgentCUFailed       Code = "AGENT_CU_FAILED"
	OllamaUnreachable   Code = "OLLAMA_UNREACHABLE"
	ModelNotFound       Code = "MODEL_NOT_FOUND"
	ModelTimeout        Code = "MODEL_TIMEOUT"
	ModelFailed         Code = "MODEL_FAILED"
	QuestionTooLong     Code = "QUESTION_TOO_LONG"
	EmptyQuestion       Code = "EMPTY_QUESTION"
	ImageCaptureFailed  Code = "IMAGE_CAPTURE_FAILED"
	ImageCaptureBlank   Code = "IMAGE_CAPTURE_BLANK"
	ImageMinimized      Code = "IMAGE_WINDOW_MINIMIZED"
	ImageCaptureTimeout Code = "IMAGE_CAPTURE_TIMEOUT"
	ActionUnsafe        Code = "ACTION_UNSAFE"
	AuditLogFailed      Code = "AUDIT_LOG_FAILED"
)

// Error is what a caller can act on. Message says what happened, Suggestion names the next step.
// Retryable says that nothing has to be changed for a later try: time alone can help.
type Error struct {
	Code       Code   `json:"code"`
	Message    string `json:"message"`
	Retryable  bool   `json:"retryable"`
	Suggestion string `json:"suggestion"`
}

// Error makes the type an error.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// New returns an error of a code with the table's retryable and suggestion.
func New(code Code, message string) *Error {
	row := table[code]
	return &Error{Code: code, Message: message, Retryable: row.retryable, Suggestion: row.suggestion}
}

// Suggest returns the error with another suggestion.
func (e *Error) Suggest(suggestion string) *Error {
	e.Suggestion = suggestion
	return e
}

// Codes returns every code in the order of the README's table; documentation and tests walk over it.
func Codes() []Code {
	return []Code{TargetNotFound, TargetAmbiguous, TargetNotEditable, InvalidTarget, TextTooLong, DangerousAction,
		AppNotFound, AgentCUNotInstalled, AgentCUFailed, OllamaUnreachable, ModelNotFound, ModelTimeout, ModelFailed,
		QuestionTooLong, EmptyQuestion, ImageCaptureFailed, ImageCaptureBlank, ImageMinimized, ImageCaptureTimeout,
		ActionUnsafe, AuditLogFailed}
}

type row struct {
	retryable  bool
	suggestion string
}

// table gives each code its default next step; callers that know more replace the suggestion.
var table = map[Code]row{
	TargetNotFound:      {false, "Read the window with look_at_screen, then pass a label that is visible in it."},
	TargetAmbiguous:     {false, "Pass the full label of one of the candidates, with its role in front if two share it (button Save)."},
	TargetNotEditable:   {false, "Pass the label of a text field; click buttons and links with click."},
	InvalidTarget:       {false, "Pass one visible label of 1 to 200 characters as target, or 1 to 10 of them as steps."},
	TextTooLong:         {false, "Split the text into shorter pieces, or raise max_type_chars."},
	DangerousAction:     {false, "Ask the human user. Only after an explicit yes, call again with confirm_dangerous=true."},
	AppNotFound:         {false, "Pass one of the window titles in windows_seen as app, or open the application first."},
	AgentCUNotInstalled: {false, "Install agent-cu and make sure that its program is on PATH, or set MCP_CU_AGENT_CU_CMD to it."},
	AgentCUFailed:       {true, "Try again in a moment; if it stays, look at the window: it may be busy, hung or elevated."},
	OllamaUnreachable:   {true, "Start Ollama (ollama serve) at the configured address, or answer from the extracted text."},
	ModelNotFound:       {false, "Pull the model, or set MCP_CU_MODEL to one that is there."},
	ModelTimeout:        {true, "Try once more (the model may have been loading), or answer from the extracted text."},
	ModelFailed:         {true, "Try once more, or answer from the extracted text."},
	QuestionTooLong:     {false, "Ask one short question in English and split the rest into further calls."},
	EmptyQuestion:       {false, "Ask one short question in English, such as: Is Claude finished?"},
	ImageCaptureFailed:  {false, "Use the text answer; a picture of this window can't be taken as it is."},
	ImageCaptureBlank:   {true, "Use the text answer, or bring the window back on the screen and try again."},
	ImageMinimized:      {false, "Restore the window, then ask for the picture again."},
	ImageCaptureTimeout: {true, "Try again, or raise image_timeout."},
	ActionUnsafe:        {false, "Here the engine would move the pointer and send keys to whatever is in front. Set MCP_CU_ALLOW_POINTER_ACTIONS=1 to allow it."},
	AuditLogFailed:      {false, "Make the sessions folder writable (or set MCP_CU_SESSIONS_DIR to one that is), then call again."},
}
