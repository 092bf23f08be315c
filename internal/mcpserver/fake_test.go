package mcpserver

import (
	"context"
	"math"
	"sync"

	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/result"
)

// fakeTools stands in for the use cases. Each function may be replaced by a test; requests are kept.
type fakeTools struct {
	look    func(context.Context, bridge.LookRequest) bridge.LookOutcome
	act     func(context.Context, bridge.Confirmation) bridge.ActOutcome
	ping    func(context.Context, bridge.Progress) *result.Ping
	release func(context.Context) *result.Release
	health  func(context.Context) *result.Health

	mu     sync.Mutex
	looks  []bridge.LookRequest
	clicks []bridge.ClickRequest
	types  []bridge.TypeRequest
}

var _ Tools = (*fakeTools)(nil)

func (f *fakeTools) Look(ctx context.Context, r bridge.LookRequest) bridge.LookOutcome {
	f.mu.Lock()
	f.looks = append(f.looks, r)
	f.mu.Unlock()
	if f.look != nil {
		return f.look(ctx, r)
	}
	return bridge.LookOutcome{Result: lookResult()}
}

func (f *fakeTools) Click(ctx context.Context, r bridge.ClickRequest) bridge.ActOutcome {
	f.mu.Lock()
	f.clicks = append(f.clicks, r)
	f.mu.Unlock()
	return f.acted(ctx, "click", r.Confirm)
}

func (f *fakeTools) Type(ctx context.Context, r bridge.TypeRequest) bridge.ActOutcome {
	f.mu.Lock()
	f.types = append(f.types, r)
	f.mu.Unlock()
	return f.acted(ctx, "type", r.Confirm)
}

func (f *fakeTools) acted(ctx context.Context, action string, confirm bridge.Confirmation) bridge.ActOutcome {
	if f.act != nil {
		return f.act(ctx, confirm)
	}
	ok := true
	return bridge.ActOutcome{Result: &result.Act{OK: &ok, Action: action}, Acted: 1}
}

func (f *fakeTools) Ping(ctx context.Context, progress bridge.Progress) *result.Ping {
	if f.ping != nil {
		return f.ping(ctx, progress)
	}
	return &result.Ping{OK: true, Server: true, Model: "m"}
}

func (f *fakeTools) Release(ctx context.Context) *result.Release {
	if f.release != nil {
		return f.release(ctx)
	}
	return &result.Release{OK: true, Model: "m"}
}

func (f *fakeTools) Health(ctx context.Context) *result.Health {
	if f.health != nil {
		return f.health(ctx)
	}
	return &result.Health{OK: true, Server: true, Version: "1.2.3"}
}

// calls is the number of calls that reached a use case with a request.
func (f *fakeTools) calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.looks) + len(f.clicks) + len(f.types)
}

func lookResult() *result.Look {
	return &result.Look{WindowsSeen: []string{"Claude"}, Status: result.Finished, Summary: `done <b>&"ü" ✓ 😀 שלום` + "\u2028\x7f",
		Details: result.Details{{Key: "project", Value: "x"}}, ModelUsed: "m"}
}

// notFinite is a result without a JSON form.
func notFinite() *result.Release { return &result.Release{FreedMB: result.Megabytes(math.NaN())} }

// held is the outcome of an action that the gate kept back.
func held(acted int) bridge.ActOutcome {
	return bridge.ActOutcome{
		Result: &result.Act{Error: result.New(result.DangerousAction, "held back"), Action: "click", Target: "Delete"},
		Danger: &bridge.Danger{App: "Files", Action: "click", Target: "Delete", Name: "Delete all", Role: "button", Rule: "delete"},
		Acted:  acted,
	}
}
