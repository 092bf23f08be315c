package mcpserver

import (
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/result"
)

// answer is the tool result of a value: one text block with its JSON. failed must say whether the JSON
// has an error. The error is set when the value has no JSON form.
func answer(value any, failed bool) (*mcp.CallToolResult, error) {
	encoded, err := result.Encode(value)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(encoded))}, IsError: failed}, nil
}

// failure is a failed tool result in plain words, for calls that never reached a tool.
func failure(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(words)}, IsError: true}
}

// lookAnswer is the tool result of a look, with the picture as a second block where one was taken.
// There is never structured content beside it: some clients would then drop every block.
func (s *Server) lookAnswer(outcome bridge.LookOutcome) (*mcp.CallToolResult, error) {
	var value any = outcome.Result
	if s.opts.Brief {
		value = outcome.Result.Brief()
	}
	tool, err := answer(value, outcome.Result.Error != nil)
	if err == nil && outcome.Result.Image != nil && len(outcome.JPEG) > 0 {
		picture := base64.StdEncoding.EncodeToString(outcome.JPEG)
		tool.Content = append(tool.Content, mcp.NewImageContent(picture, "image/jpeg"))
	}
	return tool, err
}
