// Package extractors turns what one window shows, its text lines and its accessibility tree, into a
// status, details and the short text that a model summarises.
//
// It owns the profiles (Claude Code, Codex desktop, editors, browsers, everything else), the choice
// between them, and the rules they share: failure lines, next steps, cleaning of values, selection
// of text. Everything is a pure function of an Input. It must not know how a window was found or
// read, who asks, or what a model makes of the answer; it runs nothing and clicks nothing.
package extractors

import "mcp-computer-use/internal/ui"

// The values of Outcome.Status. They describe the application that owns the window, and only what
// the screen proves (spec/profiles.md).
const (
	StatusWorking  = "working"
	StatusFinished = "finished"
	StatusWaiting  = "waiting"
	StatusError    = "error"
	StatusUnknown  = "unknown"
)

// The values of Outcome.Profile, as a result's extracted.extractor shows them (spec/contract.md
// section 4).
const (
	ProfileClaude  = "claude"
	ProfileCodex   = "codex_desktop"
	ProfileEditor  = "editor"
	ProfileBrowser = "browser"
	ProfileGeneric = "generic"
)

// DefaultMaxChars bounds LastMessage where Input.MaxChars is not positive (README, MCP_CU_MAX_CHARS).
const DefaultMaxChars = 2000

// Input is one window as it was read.
type Input struct {
	AppName      string       // process or AT-SPI name of the resolved window; empty where unknown
	RequestedApp string       // the app as the caller named it; empty where none was named
	WindowTitle  string       // title of the resolved window
	Platform     ui.Platform  // platform of the engine
	Lines        []string     // lines of `agent-cu text`, as printed
	HasText      bool         // false when the text command failed
	Snapshot     *ui.Snapshot // nil when the snapshot is missing; on Linux and macOS the window's subtree
	MaxChars     int          // limit of LastMessage in characters; DefaultMaxChars where not positive
}

// Detail is one entry of a result's details, in the order in which it is shown.
type Detail struct {
	Key   string
	Value any // string, []string or bool; never empty, never false
}

// Outcome is what the code itself says about a window.
type Outcome struct {
	Profile     string   // one of the Profile constants
	Status      string   // one of the Status constants
	Details     []Detail // without empty values
	LastMessage string   // newest text, at most Input.MaxChars characters
	Truncated   bool     // LastMessage lost its head
	Exposed     bool     // the window shows content at all (spec/contract.md section 6)
}

// Extract chooses the profile of a window and applies it. A status other than unknown is never
// given for a window that shows no content, unless its title alone is evidence (spec/profiles.md).
func Extract(in Input) Outcome {
	if in.MaxChars <= 0 {
		in.MaxChars = DefaultMaxChars
	}
	profile := Choose(in)
	out := profile.Extract(in)
	out.Profile = profile.Name
	return out
}
