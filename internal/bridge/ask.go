package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/timeouts"
)

// mostTokens bounds a reply: a summary of 400 characters and the brief reasoning of gpt-oss fit in; a
// model that repeats itself for ever does not.
const mostTokens = 512

// answerSchema constrains the model's reply (spec/contract.md section 6).
var answerSchema = json.RawMessage(`{"type":"object","properties":{"summary":{"type":"string"},` +
	`"confidence":{"type":"number"}},"required":["summary","confidence"]}`)

// asked is one model call: what it was allowed, and what came back.
type asked struct {
	plan  timeouts.Decision
	limit time.Duration
	took  time.Duration
	reply ollama.Reply
}

// plan decides the time-out of the model call for a text.
func (l *look) plan(text string, cold bool) timeouts.Decision {
	plan, err := l.deps.Planner.Look(l.deps.Ollama.Model(), utf8.RuneCountInString(text), cold)
	if err != nil {
		l.deps.Log.Warn("time-out history", "err", err)
	}
	return plan
}

// askModel lets the model word the answer. It returns what went wrong, or nil.
func (l *look) askModel(ctx context.Context, seen *seen, p *probe) *result.Error {
	l.out.ModelUsed = l.deps.Ollama.Model()
	if l.req.Progress != nil {
		l.req.Progress("waiting for the local model")
	}
	found := p.wait()
	if isUnreachable(found.err) && !p.mayStart {
		// Inside a session nobody looked whether Ollama has to be started: now the call fails without it.
		found = l.probe(ctx, l.call, true)
	}
	l.setMemory(found)
	if found.note != "" {
		l.hints = append(l.hints, found.note)
	}
	if found.err != nil {
		return l.ollamaError(ctx, found.err)
	}
	chat := l.prompt(seen)
	got, err := l.ask(ctx, seen, found, chat)
	if isUnreachable(err) && l.session != nil && !found.started {
		// Ollama went away in the middle of a session: start it once, ask once more.
		if l.startOllama(ctx, l.call).Reachable {
			found.cold, found.started = true, true
			got, err = l.ask(ctx, seen, found, chat)
		}
	}
	var failed *result.Error
	if err != nil {
		failed = l.modelError(ctx, got, err)
	} else {
		failed = l.takeReply(ctx, got)
	}
	l.out.Memory.UnloadedLowMemory = l.releaseIfLow(ctx, found.freeMB)
	return failed
}

// ask is one question within the plan's time-out and the budget.
func (l *look) ask(ctx context.Context, seen *seen, found probed, chat ollama.ChatRequest) (asked, error) {
	got := asked{plan: l.plan(seen.outcome.LastMessage, found.cold)}
	got.limit = l.setTiming(got.plan)
	if !l.budget.Enough() {
		return got, errNoBudget
	}
	timeout := l.out.Timing.TimeoutSeconds
	l.out.TimeoutSeconds = &timeout
	start := time.Now()
	reply, err := l.chat(ctx, got.limit, chat)
	got.reply, got.took = reply, time.Since(start)
	l.out.Timing.ModelWallSeconds = result.Seconds(got.took.Seconds())
	l.learn(ctx, found, got, err)
	return got, err
}

// chat is one question to the model within a limit. While it runs nobody may unload the model.
func (b *Bridge) chat(ctx context.Context, limit time.Duration, question ollama.ChatRequest) (ollama.Reply, error) {
	ctx, cancel := timeouts.WithLimit(ctx, limit, "the model's time-out")
	defer cancel()
	b.asking.Add(1)
	defer b.asking.Add(-1)
	return b.deps.Ollama.Chat(ctx, question)
}

// learn records how long the model took, or that it took too long.
func (l *look) learn(ctx context.Context, found probed, got asked, err error) {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	var failed *ollama.Error
	switch {
	case err == nil:
		err = l.deps.Planner.Succeeded(ctx, l.deps.Ollama.Model(), got.took, found.cold)
	case errors.As(err, &failed) && failed.Kind == ollama.Timeout:
		err = l.deps.Planner.TimedOut(ctx, l.deps.Ollama.Model())
	default:
		return
	}
	if err != nil {
		l.deps.Log.Warn("time-out history", "err", err)
	}
}

// errNoBudget says that too little of the call budget is left to ask a model.
var errNoBudget = errors.New("less than 5 s of the call budget are left")

// setTiming fills in `timing` from a plan and returns what the budget leaves of its time-out.
func (l *look) setTiming(plan timeouts.Decision) time.Duration {
	limit, capped := l.budget.Cap(plan.Timeout)
	l.out.Timing = &result.Timing{TimeoutSeconds: result.Seconds(limit.Seconds()), TimeoutSource: string(plan.Source),
		Samples: plan.Samples, Cold: plan.Cold, BudgetSeconds: result.Seconds(l.budget.Total().Seconds()),
		BudgetCapped: capped}
	return limit
}

// takeReply reads the reply; a model can fill in summary and confidence and nothing else.
func (l *look) takeReply(ctx context.Context, got asked) *result.Error {
	summary, confidence, ok := ollama.ParseAnswer(got.reply.Text, got.reply.DoneReason)
	if !ok {
		return result.New(result.ModelFailed, fmt.Sprintf("%s gave an empty answer", l.out.ModelUsed))
	}
	c := result.Confidence(confidence)
	l.out.Summary, l.out.Confidence = summary, &c
	l.out.TimeoutSeconds = nil
	rate := result.Rate(got.reply.TokensPerSecond())
	l.out.TokensPerSecond = &rate
	if size, known := l.modelMB(ctx); known {
		l.out.MemoryMB = &size
	}
	return nil
}

// modelMB is what the model takes in memory now; not known where Ollama does not say.
func (b *Bridge) modelMB(ctx context.Context) (size result.Megabytes, known bool) {
	ctx, cancel := timeouts.WithLimit(ctx, time.Second, "the question which models are loaded")
	defer cancel()
	loaded, err := b.deps.Ollama.Loaded(ctx)
	if err != nil {
		b.deps.Log.Warn("loaded models", "err", err)
		return 0, false
	}
	own, _ := b.deps.Ollama.Own(loaded)
	return result.Megabytes(own.MB()), true
}
