// Package ps1 holds the PowerShell scripts that are part of the program, with the names and shapes that
// they and their callers agree on.
//
// It must not know when a script runs, or how a process is started.
package ps1

import (
	_ "embed"
)

//go:embed cu_capture.ps1
var capture string

// Capture is the text of cu_capture.ps1: pure ASCII, so that no code page changes it.
func Capture() string { return capture }

const (
	// CaptureName is the script's file name without its extension.
	CaptureName = "cu_capture"
	// CaptureRequestEnv is the environment variable that holds the CaptureRequest as ASCII JSON.
	CaptureRequestEnv = "MCP_CU_CAPTURE_REQUEST"
	// CaptureMark stands in front of the CaptureAnswer, which is one line of ASCII JSON.
	CaptureMark = "MCP_CU_CAPTURE:"
)

// CaptureRequest is what cu_capture.ps1 is asked for.
type CaptureRequest struct {
	PID      int    `json:"pid"`       // 0 where unknown
	Title    string `json:"title"`     // "=" and the full title: PowerShell would make a date of a text that looks like one
	Out      string `json:"out"`       // absolute path of the JPEG; nothing may be there
	MaxWidth int    `json:"max_width"` // pixels
	Quality  int    `json:"quality"`   // 1 to 100
}

// CaptureAnswer is what cu_capture.ps1 says (spec/windows.md M4.6). Rectangles and points are in screen
// pixels.
type CaptureAnswer struct {
	OK bool `json:"ok"`

	// Of a picture that was written.
	Handle     int64      `json:"hwnd"`
	PID        int        `json:"pid"`
	Title      string     `json:"title"`
	Rect       [4]int     `json:"rect"`   // of the window: left, top, right, bottom
	Origin     [2]int     `json:"origin"` // what the picture's corner shows
	Source     [2]int     `json:"source"` // pixels that it shows: width, height
	Size       [2]int     `json:"size"`   // of the JPEG: width, height
	Scale      [2]float64 `json:"scale"`  // size / source, for each axis
	DPI        int        `json:"dpi"`
	Flags      int        `json:"flags"`       // of PrintWindow
	MaybeBlank bool       `json:"maybe_blank"` // nearly all of the content has one colour
	Warnings   []string   `json:"warnings"`    // of the Warn constants

	// Of a failure.
	Code       string   `json:"code"`       // of the Code constants
	Detail     string   `json:"detail"`     // a few ASCII characters
	Candidates []string `json:"candidates"` // titles with their processes
}

// The codes of a failure.
const (
	CodeLanguage  = "language"  // PowerShell may not load code; Detail is the language mode
	CodeSession   = "session"   // no desktop: a service, or SSH
	CodeGone      = "gone"      // no window of that title and process
	CodeAmbiguous = "ambiguous" // several of them
	CodeMinimized = "minimized"
	CodeCloaked   = "cloaked" // Detail is DWM's reason: 1 application, 2 shell, 4 its owner
	CodeEmpty     = "empty"   // no width or height
	CodeLarge     = "large"   // Detail is its size
	CodeProtected = "protected"
	CodeBlank     = "blank"  // each pixel has one colour
	CodeFailed    = "failed" // the window drew nothing; Detail is the call
	CodeScript    = "script" // Detail is the step and the type of the error
)

// The remarks on a picture that was taken.
const (
	WarnLocked   = "locked"   // the desktop is locked or not the user's
	WarnHung     = "hung"     // the window does not seem to answer
	WarnElevated = "elevated" // the window's process has more rights than this one
)
