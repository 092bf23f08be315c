// Package guidance holds the words that the program says to agents and to the local model: the server
// instructions, the tool descriptions, the model's system prompt, and what is wrong with a question or
// could be better about it.
//
// It must not do any I/O, and must not know how the words are delivered or which code an error gets.
package guidance

import (
	_ "embed" // the system prompt is a file, so that it can be read and reviewed as text
	"strings"
)

// Names of the six tools, in the order in which they are listed.
const (
	LookAtScreen = "look_at_screen"
	Click        = "click"
	TypeText     = "type_text"
	Ping         = "ping"
	ReleaseModel = "release_model"
	Health       = "health"
)

// maxTextBytes is the length that every text sent to an agent stays below: some clients cut
// instructions and descriptions at 2 KB.
const maxTextBytes = 2048

//go:embed prompts/system_prompt.md
var systemPrompt string

// SystemPrompt returns the bundled system prompt of the local model, without surrounding white space.
func SystemPrompt() string { return strings.TrimSpace(systemPrompt) }

// ToolNames returns the tools' names in the order in which they are listed.
func ToolNames() []string {
	return []string{LookAtScreen, Click, TypeText, Ping, ReleaseModel, Health}
}

// Instructions returns the rules for agents that go with the server's introduction. What must not be
// lost stands first.
func Instructions() string { return instructions }

// ToolDescription returns the description of a tool, or "" for a name that is no tool.
func ToolDescription(name string) string {
	switch name {
	case LookAtScreen:
		return lookDescription
	case Click:
		return clickDescription
	case TypeText:
		return typeDescription
	case Ping:
		return pingDescription
	case ReleaseModel:
		return releaseDescription
	case Health:
		return healthDescription
	default:
		return ""
	}
}
