package bridge

import (
	"context"
	"errors"
	"strings"

	"mcp-computer-use/internal/appwindow"
	"mcp-computer-use/internal/guidance"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/sessions"
	"mcp-computer-use/timeouts"
)

// Hints of a look; several are joined by a space.
const (
	hintNothingExposed = "The window exposes no content, so nothing is known about it: it may be minimised, " +
		"the screen may be locked, or accessibility may be off in the application."
	hintMinimised   = "The window is minimised; restore it and ask again."
	hintUseSession  = "Pass client and session_id to get the context of earlier calls and changed_since_last."
	hintSessionLost = "The session could not be used (its file is locked or not writable), so this is an answer without it."
)

// mostShownTitle bounds a title in an answer, in characters: a page chooses the title of its window.
const mostShownTitle = 1000

// strangersBeforeHint is how many looks without a session one process answers before it suggests one.
const strangersBeforeHint = 3

// look is one look_at_screen call under way.
type look struct {
	*Bridge
	call
	req     LookRequest
	app     string // the application as the caller named it, "" for none
	session *sessions.Session
	hints   []string
	out     *result.Look
}

// Look answers a question about one window (spec/contract.md sections 4 to 6). The outcome always
// holds a result; what went wrong is its Error.
func (b *Bridge) Look(ctx context.Context, req LookRequest) LookOutcome {
	l := &look{Bridge: b, call: b.begin(), req: req,
		out: &result.Look{WindowsSeen: []string{}, Status: result.Unknown}}
	ctx, cancel := l.bounded(ctx)
	defer cancel()
	outcome := LookOutcome{Result: l.out}
	if l.out.Error = l.validate(); l.out.Error == nil {
		outcome.JPEG = l.run(ctx)
	}
	l.out.Hint = strings.Join(l.hints, " ")
	l.out.DurationSeconds = l.seconds()
	return outcome
}

// validate refuses what can't be answered; nothing has been run by then.
func (l *look) validate() *result.Error {
	l.req.Question = strings.ToValidUTF8(l.req.Question, "\uFFFD")
	switch guidance.CheckQuestion(l.req.Question, l.opts.MaxQuestionChars) {
	case guidance.EmptyQuestion:
		return result.New(result.EmptyQuestion, "the question is empty")
	case guidance.QuestionTooLong:
		return result.New(result.QuestionTooLong, questionTooLong(l.req.Question, l.opts.MaxQuestionChars))
	}
	if l.req.App != nil {
		l.app = *l.req.App
		if err := appwindow.CheckName(l.app); err != nil {
			return result.New(result.AppNotFound, err.Error())
		}
	}
	l.hints = append(l.hints, guidance.QuestionHints(l.req.Question)...)
	return nil
}

// run reads the window while Ollama is probed, and lets the model word the answer.
func (l *look) run(ctx context.Context) []byte {
	l.openSession(ctx)
	probed := l.startProbe(ctx)
	seen, failed := l.read(ctx)
	if seen != nil {
		for _, title := range seen.titles {
			l.out.WindowsSeen = append(l.out.WindowsSeen, oldest(title, mostShownTitle))
		}
		l.hints = append(l.hints, seen.hints...)
	}
	if failed != nil {
		probed.stop()
		l.out.Error = failed
		return nil
	}
	l.describe(seen)
	picture := l.startPicture(ctx, seen)
	l.answer(ctx, seen, probed)
	return l.finishPicture(picture)
}

// openSession finds the call's session. A session that can't be used costs a hint, never the answer.
func (l *look) openSession(ctx context.Context) {
	if err := l.deps.Sessions.Purge(ctx); err != nil {
		l.deps.Log.Warn("purge sessions", "err", err)
	}
	id, ok := sessions.Identify(l.req.Client, l.req.SessionID)
	if !ok {
		if l.strangers.Add(1) > strangersBeforeHint {
			l.hints = append(l.hints, hintUseSession)
		}
		return
	}
	session, err := l.deps.Sessions.Begin(ctx, id)
	if err != nil {
		l.deps.Log.Warn("open session", "err", err)
		l.hints = append(l.hints, hintSessionLost)
		return
	}
	for _, warning := range session.Warnings() {
		l.deps.Log.Warn("session", "warning", warning)
	}
	l.session = session
	names := session.ID()
	l.out.Session = &result.Session{Client: names.Client, SessionID: names.Session}
}

// describe puts into the result what code observed. No model can change it.
func (l *look) describe(seen *seen) {
	l.out.Status = result.Status(seen.outcome.Status)
	for _, one := range seen.outcome.Details {
		l.out.Details = append(l.out.Details, result.Detail{Key: one.Key, Value: one.Value})
	}
	if seen.outcome.Exposed {
		return
	}
	if seen.window.Minimized {
		l.hints = append(l.hints, hintMinimised)
	}
	if l.out.Status == result.Unknown {
		l.hints = append(l.hints, hintNothingExposed)
	}
}

// observation is what the session keeps of a look.
func (s *seen) observation() sessions.Observation {
	o := sessions.Observation{App: s.window.Title, Status: s.outcome.Status, LastMessage: s.outcome.LastMessage,
		At: s.at}
	for _, one := range s.outcome.Details {
		o.Details = append(o.Details, sessions.Detail{Key: one.Key, Value: one.Value})
	}
	return o
}

// answer fills in summary and confidence: from the session's file, by code, or by the model.
func (l *look) answer(ctx context.Context, seen *seen, probed *probe) {
	observed := seen.observation()
	if l.session != nil {
		changed := l.session.Compare(observed)
		l.out.Changed = &changed
	}
	switch {
	case l.opts.CodeSummary:
		l.answerByCode(seen, probed)
	case l.fromSession(ctx, observed, probed):
		l.commit(ctx, observed, nil)
		return
	default:
		if failed := l.askModel(ctx, seen, probed); failed != nil {
			l.fail(failed, seen)
			return
		}
	}
	l.commit(ctx, observed, &sessions.Answer{Question: l.req.Question, Summary: l.out.Summary,
		Confidence: float64(*l.out.Confidence), Model: l.out.ModelUsed})
}

// fail turns a half-made answer into a failure, which shows the extracted text instead of a summary.
func (l *look) fail(failed *result.Error, seen *seen) {
	l.out.Error = failed
	l.out.Changed = nil
	l.out.Extracted = &result.Extracted{Status: l.out.Status, LastMessage: seen.outcome.LastMessage,
		Extractor: seen.outcome.Profile, Truncated: seen.outcome.Truncated}
}

// fromSession answers the same question on an unchanged screen from the session's file.
func (l *look) fromSession(ctx context.Context, observed sessions.Observation, probed *probe) bool {
	if l.session == nil {
		return false
	}
	cached, ok := l.session.Cached(observed, l.req.Question, l.deps.Ollama.Model())
	if !ok {
		return false
	}
	found := probed.peek()
	confidence := result.Confidence(cached.Confidence)
	l.out.Summary, l.out.Confidence, l.out.Cached = cached.Summary, &confidence, true
	l.out.ModelUsed = cached.Model
	plan := l.plan(observed.LastMessage, found.cold)
	l.setTiming(plan)
	l.setMemory(found)
	if found.loaded {
		l.out.Memory.UnloadedLowMemory = l.releaseIfLow(ctx, found.freeMB)
	}
	return true
}

// commit stores what the caller was told.
func (l *look) commit(ctx context.Context, observed sessions.Observation, answer *sessions.Answer) {
	if l.session == nil {
		return
	}
	ctx, cancel := afterwards(ctx)
	defer cancel()
	err := l.session.Commit(ctx, observed, answer)
	var failed *sessions.Error
	switch {
	case errors.As(err, &failed) || timeouts.Cause(ctx) != nil:
		l.hints = append(l.hints, hintSessionLost)
		fallthrough
	case err != nil:
		l.deps.Log.Warn("store session", "err", err)
	}
}
