package bridge

import (
	"context"
	"strings"
	"sync"
	"time"

	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/timeouts"
)

// pingTokens bounds the reply to a ping, with room for gpt-oss's brief reasoning.
const pingTokens = 64

// healthTime bounds each look of health; it only reads.
const healthTime = 4 * time.Second

// Ping checks server, Ollama (which is started if needed) and model. No screen is read.
func (b *Bridge) Ping(ctx context.Context, progress Progress) *result.Ping {
	c := b.begin()
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	out := &result.Ping{Server: true, Model: b.deps.Ollama.Model()}
	out.Error = b.ping(ctx, c, out, progress)
	out.OK = out.Error == nil && out.ModelReplyOK
	out.Seconds = c.seconds()
	return out
}

func (b *Bridge) ping(ctx context.Context, c call, out *result.Ping, progress Progress) *result.Error {
	state := b.probe(ctx, c, true)
	if state.err != nil {
		return b.ollamaError(ctx, state.err)
	}
	out.Ollama, out.Cold = true, state.cold
	if !c.budget.Enough() {
		return noBudget(c)
	}
	if progress != nil {
		progress("waiting for the local model")
	}
	limit, _ := c.budget.Cap(b.deps.Planner.Direct(state.cold).Timeout)
	keep, _ := b.keepAlive(false, false)
	reply, err := b.chat(ctx, limit, ollama.ChatRequest{User: "Reply with the one word: pong", KeepAlive: keep,
		NumPredict: pingTokens})
	b.releaseIfLow(ctx, state.freeMB)
	failed := b.modelFailure(ctx, limit, err)
	if failed == nil {
		out.ModelReplyOK = strings.Contains(strings.ToLower(reply.Text), "pong")
	}
	return failed
}

// Health looks at everything and starts nothing.
func (b *Bridge) Health(ctx context.Context) *result.Health {
	ctx, cancel := timeouts.WithLimit(ctx, healthTime, "health")
	defer cancel()
	out := &result.Health{Server: true, Version: b.opts.Version, OllamaURL: b.deps.Ollama.URL(),
		Model: b.deps.Ollama.Model(), FreeRAMMB: result.Megabytes(b.freeMB()), SessionsDir: b.opts.SessionsDir,
		ConfigFile: b.opts.ConfigFile}
	out.KeepAlive.Policy, out.KeepAlive.Reason = b.keepAlive(false, false)
	b.lastAutostart(out)
	var wait sync.WaitGroup
	for what, look := range map[string]func(context.Context, *result.Health){"ollama": b.ollamaHealth, "agent-cu": b.engineHealth} {
		wait.Go(func() {
			if err := safely("health of "+what, func() error { look(ctx, out); return nil }); err != nil {
				b.deps.Log.Error("health", "err", err)
			}
		})
	}
	wait.Wait()
	out.Warnings = append(out.Warnings, b.opts.Warnings...)
	out.OK = out.OllamaReachable && out.ModelPulled && out.AgentCUInstalled
	return out
}

func (b *Bridge) ollamaHealth(ctx context.Context, out *result.Health) {
	version, err := b.deps.Ollama.Version(ctx)
	if err != nil {
		if other := b.otherOllama(ctx); other != "" {
			out.Warnings = append(out.Warnings, other+" Auto-start would start a second one.")
		}
		return
	}
	out.OllamaReachable, out.OllamaVersion = true, version
	if names, err := b.deps.Ollama.Pulled(ctx); err == nil {
		out.ModelPulled = b.deps.Ollama.Has(names)
	}
	if loaded, err := b.deps.Ollama.Loaded(ctx); err == nil {
		own, there := b.deps.Ollama.Own(loaded)
		out.ModelLoaded, out.MemoryMB = there, result.Megabytes(own.MB())
	}
}

func (b *Bridge) engineHealth(ctx context.Context, out *result.Health) {
	program, err := b.deps.AgentCU.Locate(ctx)
	if err != nil {
		return
	}
	out.AgentCUInstalled, out.AgentCUPath = true, program.Path
	if version, err := b.deps.AgentCU.Version(ctx); err == nil {
		out.AgentCUVersion = version
	}
}

// lastAutostart tells how this process started Ollama last.
func (b *Bridge) lastAutostart(out *result.Health) {
	last := b.deps.Autostart.Last()
	if last == nil {
		return
	}
	out.OllamaAutostarted = last.OK
	out.LastAutostart = &result.Autostart{Method: string(last.Method), OK: last.OK,
		Seconds: result.Seconds(last.Seconds)}
	if last.Err != nil {
		out.LastAutostart.Error = last.Err.Error()
	}
}
