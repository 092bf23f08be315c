// Package mcpserver speaks MCP: the list of tools with their schemas, the binding of arguments, the
// stdio loop, HTTP serving, progress, the question to the human behind a dangerous action, and the way
// from an outcome to a tool result (spec/mcp.md).
//
// It must not know flags, files, Ollama or agent-cu; and no type of the MCP library leaves it.
package mcpserver

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/guidance"
	"mcp-computer-use/internal/result"
)

// Tools are the use cases behind the six tools. Implementations are safe for concurrent use, return
// soon after ctx ends, and never return a nil result. They report trouble inside the result.
type Tools interface {
	// Look reads one window and answers a question about it.
	Look(ctx context.Context, request bridge.LookRequest) bridge.LookOutcome
	// Click and Type hold a dangerous action back unless the confirmation covers it. They are called a
	// second time, with the danger that a human agreed to, and find it anew before they act.
	Click(ctx context.Context, request bridge.ClickRequest) bridge.ActOutcome
	Type(ctx context.Context, request bridge.TypeRequest) bridge.ActOutcome // as Click
	// Ping may load the model, which can take a minute; progress is nil where nobody listens.
	Ping(ctx context.Context, progress bridge.Progress) *result.Ping
	// Release unloads the model.
	Release(ctx context.Context) *result.Release
	// Health starts nothing and is quick.
	Health(ctx context.Context) *result.Health
}

// Options are the server's settings. Zero durations and sizes mean the default.
type Options struct {
	Name    string // as introduced to clients
	Version string // the program's version

	Brief bool // look_at_screen answers in the short form (output = "brief")

	Elicit        bool          // ask the human through the client before a dangerous action
	ElicitTimeout time.Duration // longest wait for the human's answer
	CallBudget    time.Duration // longest time of a whole tool call, the wait included; 0: no limit

	Grace         time.Duration // how long running calls may go on after the end of input
	HardLimit     time.Duration // from the end of input to the return of Serve, whatever still runs
	MaxLine       int           // bytes of one message
	ProgressEvery time.Duration // how often a lasting wait is reported again

	// ParentGone is closed when the process that started us has ended; nil where nobody watches it.
	ParentGone <-chan struct{}
	// ParentGrace is how long no input may come after that before Serve ends: a launcher may go and
	// leave a live client behind.
	ParentGrace time.Duration

	HTTPToken string // bearer token of the HTTP transport; empty for none
}

// DefaultOptions returns the defaults. A host may kill the program 2 s after it closes our input, so
// that HardLimit stays below that.
func DefaultOptions() Options {
	return Options{
		Name:          "computer-use",
		Version:       "0.0.0",
		ElicitTimeout: time.Minute,
		CallBudget:    110 * time.Second,
		Grace:         time.Second,
		HardLimit:     1800 * time.Millisecond,
		MaxLine:       32 << 20,
		ProgressEvery: 10 * time.Second,
		ParentGrace:   10 * time.Minute,
	}
}

// withDefaults fills what was left at zero.
func (o Options) withDefaults() Options {
	d := DefaultOptions()
	if o.Name == "" {
		o.Name = d.Name
	}
	if o.Version == "" {
		o.Version = d.Version
	}
	if o.MaxLine <= 0 {
		o.MaxLine = d.MaxLine
	}
	for _, pair := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&o.ElicitTimeout, d.ElicitTimeout}, {&o.Grace, d.Grace}, {&o.HardLimit, d.HardLimit},
		{&o.ProgressEvery, d.ProgressEvery}, {&o.ParentGrace, d.ParentGrace},
	} {
		if *pair.value <= 0 {
			*pair.value = pair.fallback
		}
	}
	return o
}

// Server serves the six tools. One Server may serve several clients at once, each over its own call of
// a Serve method.
type Server struct {
	tools Tools
	opts  Options
	mcp   *server.MCPServer
	asks  asks
}

// New returns a server of the tools. It does nothing that takes time.
func New(tools Tools, opts Options) *Server {
	s := &Server{tools: tools, opts: opts.withDefaults()}
	hooks := &server.Hooks{}
	hooks.AddBeforeCallTool(redirectUnknownTool)
	s.mcp = server.NewMCPServer(s.opts.Name, s.opts.Version,
		server.WithToolCapabilities(false),
		server.WithInstructions(guidance.Instructions()),
		server.WithToolFilter(inListedOrder),
		server.WithHooks(hooks),
	)
	s.mcp.AddTools(s.serverTools()...)
	return s
}

// Serve answers one client over a pair of streams, one JSON-RPC message a line. It returns nil after
// the end of input, of ctx, or of an orphaned process; an error when a stream breaks. Nothing but
// protocol lines is written to out. A blocked read of in may outlive the call.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer, log *slog.Logger) error {
	return newStdio(s, out, log).serve(ctx, in)
}
