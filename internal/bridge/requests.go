package bridge

import "mcp-computer-use/internal/result"

// Progress tells a waiting client what is awaited, in plain words; nil where nobody listens. It is
// called from the goroutine of the call, at most once for each thing awaited.
type Progress func(message string)

// LookRequest is one look_at_screen call. Nil pointers mean that the argument was not given.
type LookRequest struct {
	Question     string
	App          *string
	Client       *string
	SessionID    *string
	KeepWarm     bool
	IncludeImage bool
	ImageOut     string // file to write the picture to (CLI); empty for none
	Progress     Progress
}

// LookOutcome is the answer of a look; JPEG is set when Result.Image is.
type LookOutcome struct {
	Result *result.Look
	JPEG   []byte
}

// ClickRequest is one click call. Exactly one of Target and Steps must be given; a step that was no
// string is nil.
type ClickRequest struct {
	App       *string
	Target    *string
	Steps     []*string
	HasSteps  bool // steps was given, perhaps as an empty list
	Client    *string
	SessionID *string
	Confirm   Confirmation
	Progress  Progress
}

// TypeRequest is one type_text call. Text is nil when the argument was no string.
type TypeRequest struct {
	App       *string
	Target    string
	Text      *string
	Client    *string
	SessionID *string
	Confirm   Confirmation
	Progress  Progress
}

// Confirmation says whether a human agreed to a dangerous action. The zero value: nobody was asked.
type Confirmation struct {
	Flag     bool    // confirm_dangerous = true
	Elicited *Danger // a human agreed to exactly this danger through the client
}

// Danger is what the gate held back: enough to ask a human, and to recognise the same danger again.
type Danger struct {
	App    string // window title; for a label the application as the caller named it, empty where none was named
	Action string // click or type
	Target string // the label that the caller gave
	Name   string // the element's name; empty when the label itself was blocked
	Role   string
	Rule   string
}

// ActOutcome is the answer of click and type_text. Danger is set when the gate ended the call; Acted
// is the number of acts that ran before (a human is asked only when it is 0).
type ActOutcome struct {
	Result *result.Act
	Danger *Danger
	Acted  int
}
