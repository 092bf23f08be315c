package bridge

import (
	"context"
	"time"

	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/timeouts"
)

const (
	// unloadTime bounds an unload; Ollama answers it at once.
	unloadTime = 5 * time.Second
	// goneTime is how long Ollama may go on listing a model that it has unloaded.
	goneTime = 2 * time.Second
	goneStep = 50 * time.Millisecond
)

// releaseIfLow unloads the model right after its answer where RAM is short, before (MB, 0 where it is not
// known) or after the call, and says whether it did (README, "Memory release").
func (b *Bridge) releaseIfLow(ctx context.Context, beforeMB float64) bool {
	if !b.low(beforeMB) && !b.low(b.freeMB()) {
		return false
	}
	ctx, cancel := afterwards(ctx)
	defer cancel()
	if err := b.unload(ctx); err != nil {
		b.deps.Log.Warn("unload for want of memory", "err", err)
		return false
	}
	return true
}

// low says that RAM is known to be short.
func (b *Bridge) low(freeMB float64) bool { return freeMB > 0 && b.deps.Memory.Low(freeMB) }

func (b *Bridge) unload(ctx context.Context) error {
	ctx, cancel := timeouts.WithLimit(ctx, unloadTime, "unloading the model")
	defer cancel()
	return b.deps.Ollama.Unload(ctx)
}

// Release unloads the model now and says what that freed.
func (b *Bridge) Release(ctx context.Context) *result.Release {
	c := b.begin()
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	out := &result.Release{Model: b.deps.Ollama.Model()}
	loaded, err := b.loaded(ctx)
	var own ollama.Running
	if err == nil {
		own, out.WasLoaded = b.deps.Ollama.Own(loaded)
	}
	if err == nil && out.WasLoaded {
		err = b.unload(ctx)
	}
	if err != nil {
		out.Error = b.ollamaError(ctx, err)
		return out
	}
	out.OK = true
	if out.WasLoaded {
		out.FreedMB = result.Megabytes(max(own.MB()-b.leftMB(ctx, own.MB()), 0))
	}
	return out
}

// leftMB waits a moment until the unloaded model is gone, and returns what it still takes: as much as
// before where nobody says, since nothing was seen to be freed.
func (b *Bridge) leftMB(ctx context.Context, before float64) float64 {
	deadline := time.Now().Add(goneTime)
	for {
		loaded, err := b.loaded(ctx)
		if err != nil {
			return before
		}
		own, there := b.deps.Ollama.Own(loaded)
		if !there {
			return 0
		}
		if time.Now().After(deadline) {
			return own.MB()
		}
		select {
		case <-ctx.Done():
			return own.MB()
		case <-time.After(goneStep):
		}
	}
}
