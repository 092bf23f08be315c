package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/guidance"
)

// serverTools returns the tools as the library wants them.
func (s *Server) serverTools() []server.ServerTool {
	var tools []server.ServerTool
	for _, d := range definitions() {
		tool := mcp.NewToolWithRawSchema(d.name, guidance.ToolDescription(d.name), json.RawMessage(d.schema))
		tool.Annotations = mcp.ToolAnnotation{
			ReadOnlyHint: &d.hints.readOnly, DestructiveHint: &d.hints.destructive,
			IdempotentHint: &d.hints.idempotent, OpenWorldHint: &d.hints.openWorld,
		}
		tools = append(tools, server.ServerTool{Tool: tool, Handler: s.handler(d)})
	}
	return tools
}

// inListedOrder undoes the library's sorting by name.
func inListedOrder(_ context.Context, tools []mcp.Tool) []mcp.Tool {
	order := guidance.ToolNames()
	sorted := slices.Clone(tools)
	slices.SortFunc(sorted, func(a, b mcp.Tool) int {
		return slices.Index(order, a.Name) - slices.Index(order, b.Name)
	})
	return sorted
}

// unknownTool takes the place of the arguments of a call to a tool that is not there.
type unknownTool struct{ name string }

// redirectUnknownTool sends a call to an unknown tool to one that is there: the library would answer it
// with a protocol error, which a model never sees. The handler recognises the marker and does nothing.
func redirectUnknownTool(_ context.Context, _ any, request *mcp.CallToolRequest) {
	if slices.Contains(guidance.ToolNames(), request.Params.Name) {
		return
	}
	request.Params.Arguments = unknownTool{request.Params.Name}
	request.Params.RawArguments = nil
	request.Params.Name = guidance.Health
}

// call is one call of a tool, bound and ready.
type call struct {
	arguments
	request  mcp.CallToolRequest
	progress bridge.Progress
}

// handler binds and runs one tool. It returns a Go error, which becomes a protocol error, only where no
// result can be told.
func (s *Server) handler(d definition) server.ToolHandlerFunc {
	run := s.runners()[d.name]
	return func(ctx context.Context, request mcp.CallToolRequest) (answer *mcp.CallToolResult, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				// The value may hold what a user typed: the log gets its type alone.
				loggerFrom(ctx).Error("a tool panicked", "tool", d.name,
					"type", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
				answer, err = failure(fmt.Sprintf("Error executing tool %s: %v", d.name, fault)), nil
			}
		}()
		if unknown, ok := request.Params.Arguments.(unknownTool); ok {
			return failure("Unknown tool: " + unknown.name), nil
		}
		bound, err := bind(d, rawArguments(request))
		if fault, ok := errors.AsType[*bindError](err); ok {
			return failure(fault.Error()), nil
		} else if err != nil {
			return nil, err
		}
		report := s.newReporter(ctx, request)
		defer report.close()
		return run(ctx, call{arguments: bound, request: request, progress: report.progress()})
	}
}

func rawArguments(request mcp.CallToolRequest) []byte {
	if raw, ok := request.GetRawArguments().(json.RawMessage); ok {
		return raw
	}
	return nil
}

type runner func(context.Context, call) (*mcp.CallToolResult, error)

// runners maps each tool's name to what it does.
func (s *Server) runners() map[string]runner {
	return map[string]runner{
		guidance.LookAtScreen: s.look,
		guidance.Click:        s.click,
		guidance.TypeText:     s.typeText,
		guidance.Ping: func(ctx context.Context, c call) (*mcp.CallToolResult, error) {
			r := s.tools.Ping(ctx, c.progress)
			return answer(r, r.Error != nil)
		},
		guidance.ReleaseModel: func(ctx context.Context, _ call) (*mcp.CallToolResult, error) {
			r := s.tools.Release(ctx)
			return answer(r, r.Error != nil)
		},
		guidance.Health: func(ctx context.Context, _ call) (*mcp.CallToolResult, error) {
			return answer(s.tools.Health(ctx), false)
		},
	}
}

func (s *Server) look(ctx context.Context, c call) (*mcp.CallToolResult, error) {
	question := c.text("question")
	return s.lookAnswer(s.tools.Look(ctx, bridge.LookRequest{
		Question: *question, App: c.text("app"), Client: c.text("client"), SessionID: c.text("session_id"),
		KeepWarm: c.flag("keep_warm"), IncludeImage: c.flag("include_image"), Progress: c.progress,
	}))
}

func (s *Server) click(ctx context.Context, c call) (*mcp.CallToolResult, error) {
	steps, given := c.list("steps")
	request := bridge.ClickRequest{
		App: c.text("app"), Target: c.text("target"), Steps: steps, HasSteps: given,
		Client: c.text("client"), SessionID: c.text("session_id"), Progress: c.progress,
	}
	mark := fingerprint(guidance.Click, request.App, request.Target, request.Steps, given, request.Client, request.SessionID)
	return s.act(ctx, c, action{"click", mark, func(ctx context.Context, agreed bridge.Confirmation) bridge.ActOutcome {
		request.Confirm = agreed
		return s.tools.Click(ctx, request)
	}})
}

func (s *Server) typeText(ctx context.Context, c call) (*mcp.CallToolResult, error) {
	request := bridge.TypeRequest{
		App: c.text("app"), Target: *c.text("target"), Text: c.text("text"),
		Client: c.text("client"), SessionID: c.text("session_id"), Progress: c.progress,
	}
	mark := fingerprint(guidance.TypeText, request.App, request.Target, request.Text, request.Client, request.SessionID)
	return s.act(ctx, c, action{"type", mark, func(ctx context.Context, agreed bridge.Confirmation) bridge.ActOutcome {
		request.Confirm = agreed
		return s.tools.Type(ctx, request)
	}})
}

// loggerKey carries the log of the connection that a call came over.
type loggerKey struct{}

func withLogger(ctx context.Context, log *slog.Logger) context.Context {
	return context.WithValue(ctx, loggerKey{}, log)
}

func loggerFrom(ctx context.Context) *slog.Logger {
	if log, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok && log != nil {
		return log
	}
	return slog.New(slog.DiscardHandler)
}
