// Package bridge joins the parts to what the six tools do, step by step as the contract says, and is the
// one place where an error becomes a code.
//
// It must not know MCP types, command-line flags, file formats or how processes are started.
package bridge

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"mcp-computer-use/agentcu"
	"mcp-computer-use/capture"
	"mcp-computer-use/internal/audit"
	"mcp-computer-use/internal/autostart"
	"mcp-computer-use/internal/memory"
	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/safety"
	"mcp-computer-use/sessions"
	"mcp-computer-use/timeouts"
)

// Platform is the operating system of the engine.
type Platform = ui.Platform

// PlatformOf is the platform that a setting names, else that of this machine (goos is runtime.GOOS).
func PlatformOf(configured, goos string) Platform {
	switch {
	case configured != "":
		return Platform(configured)
	case goos == "windows":
		return ui.Windows
	case goos == "darwin":
		return ui.MacOS
	}
	return ui.Linux
}

// Options are the settings of the use cases. Names and defaults are the README's; units are those of
// the Go types, lengths are characters.
type Options struct {
	Platform         ui.Platform
	SnapshotDetails  bool
	MaxChars         int
	MaxQuestionChars int
	MaxTypeChars     int
	ImageTimeout     time.Duration
	SystemPrompt     string // of the local model
	CodeSummary      bool   // summarizer = "code": no model is asked by look_at_screen
	ResolveWithModel bool
	AllowPointer     bool // act even where the engine moves the pointer
	AllowMultiline   bool // line breaks in a textarea
	Version          string
	SessionsDir      string
	ConfigFile       string   // empty where there is none
	Warnings         []string // shown by health
}

// Deps are the parts that the use cases are made of; all but Log must be set.
type Deps struct {
	AgentCU   *agentcu.Client
	Ollama    *ollama.Client
	Autostart *autostart.Starter
	Sessions  *sessions.Store
	Audit     *audit.Log
	Planner   *timeouts.Planner
	Memory    memory.Options
	FreeMB    memory.Reader
	Camera    *capture.Camera
	Gate      *safety.Gate
	FenceID   func() string // 16 random hex digits for each prompt
	Log       *slog.Logger  // nil: nothing is logged
}

// Bridge runs the use cases. It is safe for concurrent use; acts of one Bridge never overlap.
type Bridge struct {
	opts Options
	deps Deps
	// acting is held from a snapshot to the act that uses its refs (spec/contract.md section 7).
	acting chan struct{}
	// strangers counts looks without a session, for the hint that suggests one.
	strangers atomic.Int32
	// asking counts the model calls under way, so that nobody unloads the model beneath them.
	asking atomic.Int32
}

// New returns a Bridge. Nothing is run or looked up yet.
func New(opts Options, deps Deps) *Bridge {
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	return &Bridge{opts: opts, deps: deps, acting: make(chan struct{}, 1)}
}

// Busy says whether a model call is under way.
func (b *Bridge) Busy() bool { return b.asking.Load() > 0 }

// call is what every tool call carries with it: its budget and when it began.
type call struct {
	budget  timeouts.Budget
	started time.Time
}

func (b *Bridge) begin() call {
	return call{budget: b.deps.Planner.Budget(), started: time.Now()}
}

func (c call) seconds() result.Seconds { return result.Seconds(time.Since(c.started).Seconds()) }

// bounded ends ctx with the call's budget.
func (c call) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	left, limited := c.budget.Remaining()
	if !limited {
		return context.WithCancel(ctx)
	}
	return timeouts.WithLimit(ctx, left, "the call budget")
}

// forReading ends ctx before the budget does, so that an answer can still be built.
func (c call) forReading(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, limited := c.budget.Remaining(); !limited {
		return context.WithCancel(ctx)
	}
	left, _ := c.budget.CapRead(c.budget.Total())
	return timeouts.WithLimit(ctx, left, "the call budget")
}

// afterwards is the context of what must still be done when the caller is gone: records of what
// happened. It is short, so that nothing is held up.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return timeouts.WithLimit(context.WithoutCancel(ctx), 6*time.Second, "the clean-up")
}
