package bridge

import (
	"context"
	"errors"
	"time"

	"mcp-computer-use/internal/autostart"
	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/timeouts"
)

const (
	// probeTime is what a question about Ollama's state may take; it only reads a list.
	probeTime = 5 * time.Second
	// peekTime is how long an answer from the session's file waits for the probe.
	peekTime = 8 * time.Millisecond
)

// probed is what is known of Ollama before the model is asked.
type probed struct {
	loaded  bool
	cold    bool    // the question would load the model first
	started bool    // this call has started Ollama
	note    string  // what a user should know about the start; empty where there is nothing
	freeMB  float64 // 0 where the system does not say
	err     error   // Ollama can't be used
}

// probe runs beside the read of a window.
type probe struct {
	done     chan struct{}
	found    probed
	cancel   context.CancelFunc
	mayStart bool // it starts Ollama where that is needed
}

// startProbe looks at Ollama while the window is read, and starts it where that is allowed:
// the later calls of a session leave that to its first one (README, "Ollama auto-start").
func (l *look) startProbe(ctx context.Context) *probe {
	ctx, cancel := context.WithCancel(ctx)
	p := &probe{done: make(chan struct{}), cancel: cancel, mayStart: l.session == nil || l.session.First()}
	if l.opts.CodeSummary {
		p.found.freeMB = l.freeMB()
		close(p.done)
		return p
	}
	go func() {
		defer close(p.done)
		err := safely("look at Ollama", func() error {
			p.found = l.probe(ctx, l.call, p.mayStart)
			return nil
		})
		if err != nil {
			p.found.err = err
		}
	}()
	return p
}

// stop ends a probe whose outcome nobody needs.
func (p *probe) stop() {
	p.cancel()
	<-p.done
}

// wait returns the outcome.
func (p *probe) wait() probed {
	<-p.done
	p.cancel()
	return p.found
}

// peek returns the outcome if it is there (almost) at once, and ends the probe.
func (p *probe) peek() probed {
	timer := time.NewTimer(peekTime)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.stop()
	}
	p.cancel()
	return p.found
}

// probe asks which models are loaded, and has Ollama started if it does not answer.
func (b *Bridge) probe(ctx context.Context, c call, mayStart bool) probed {
	found := probed{freeMB: b.freeMB()}
	loaded, err := b.loaded(ctx)
	if isUnreachable(err) && mayStart {
		outcome := b.startOllama(ctx, c)
		found.started, found.note, err = outcome.Started, outcome.Note, outcome.Err
		if outcome.Reachable {
			loaded, err = b.loaded(ctx)
		}
	}
	if err != nil {
		found.err = err
		return found
	}
	_, found.loaded = b.deps.Ollama.Own(loaded)
	found.cold = found.started || b.deps.Ollama.Cold(loaded)
	return found
}

func (b *Bridge) loaded(ctx context.Context) ([]ollama.Running, error) {
	ctx, cancel := timeouts.WithLimit(ctx, probeTime, "the question which models are loaded")
	defer cancel()
	return b.deps.Ollama.Loaded(ctx)
}

// startOllama makes sure that Ollama answers, within what the budget leaves beside a model call.
func (b *Bridge) startOllama(ctx context.Context, c call) autostart.Outcome {
	var budget time.Duration
	if _, limited := c.budget.Remaining(); limited {
		budget, _ = c.budget.CapWait(c.budget.Total())
		budget = max(budget, time.Millisecond) // 0 would mean no limit
	}
	outcome := b.deps.Autostart.Ensure(ctx, budget)
	if outcome.Note != "" {
		b.deps.Log.Warn("start of Ollama", "note", outcome.Note)
	}
	return outcome
}

func (b *Bridge) freeMB() float64 {
	free, err := b.deps.FreeMB()
	if err != nil {
		b.deps.Log.Warn("free memory", "err", err)
		return 0
	}
	return free
}

// isUnreachable says that no Ollama answers at the address.
func isUnreachable(err error) bool {
	var failed *ollama.Error
	return errors.As(err, &failed) && failed.Kind == ollama.Unreachable
}

// keepAlive is the policy for a call now. The session of the call itself needs no file yet to count.
func (b *Bridge) keepAlive(inSession, keepWarm bool) (policy, reason string) {
	return b.deps.Memory.Policy(inSession || b.deps.Sessions.Active(), keepWarm)
}

// setMemory says how long the model stays, and what was free before the call.
func (l *look) setMemory(found probed) {
	policy, reason := l.keepAlive(l.session != nil, l.req.KeepWarm)
	l.out.Memory = &result.Memory{KeepAlive: policy, Reason: reason, WasLoaded: found.loaded,
		FreeRAMMB: result.Megabytes(found.freeMB)}
}
