package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mcp-computer-use/agentcu"
	"mcp-computer-use/internal/appwindow"
	"mcp-computer-use/internal/audit"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/matching"
	"mcp-computer-use/sessions"
)

// The two actions, as results and the audit log name them.
const (
	actionClick = "click"
	actionType  = "type"
)

// act is one click or type_text call under way.
type act struct {
	*Bridge
	call
	action   string
	app      *string
	labels   []string
	batch    bool   // steps, not one target
	text     string // what is typed; never logged
	confirm  Confirmation
	progress Progress
	client   string
	session  string
	hints    []string
	out      *result.Act

	home   *agentcu.Home
	choice appwindow.Choice
	steps  []result.Step
	danger *Danger
	acted  int
	// consents are the steps (0-based) whose danger a human had agreed to; confirmed says that one of
	// them was carried out.
	consents  map[int]bool
	confirmed bool
	unlogged  bool // a record could not be written
	spent     bool // the consent to one danger has had its one act
	// asked says that the model was asked to choose; freeBefore is the free RAM (MB) before that.
	asked      bool
	freeBefore float64
}

// found is an element that a label was resolved to.
type found struct {
	snapshot  *ui.Snapshot
	candidate matching.Candidate
}

func (f found) element() ui.Element { return f.snapshot.Elements[f.candidate.Index] }

// Click clicks one label, or up to ten one after the other (spec/contract.md section 7).
func (b *Bridge) Click(ctx context.Context, req ClickRequest) ActOutcome {
	a := b.newAct(actionClick, req.App, req.Client, req.SessionID, req.Confirm, req.Progress)
	a.batch = req.HasSteps && req.Target == nil
	if req.Target != nil {
		a.out.Target = oldest(*req.Target, mostLabel)
	}
	failed := a.checkClick(req)
	return a.finish(ctx, failed)
}

// Type sets the text of one field.
func (b *Bridge) Type(ctx context.Context, req TypeRequest) ActOutcome {
	a := b.newAct(actionType, req.App, req.Client, req.SessionID, req.Confirm, req.Progress)
	a.out.Target = oldest(req.Target, mostLabel)
	failed := a.checkType(req)
	return a.finish(ctx, failed)
}

func (b *Bridge) newAct(action string, app, client, sessionID *string, confirm Confirmation, p Progress) *act {
	a := &act{Bridge: b, call: b.begin(), action: action, app: app, confirm: confirm, progress: p,
		out: &result.Act{Action: action}, consents: make(map[int]bool)}
	if client != nil {
		a.client = sessions.ClientName(client)
	}
	if id, ok := sessions.Identify(client, sessionID); ok {
		a.client, a.session = id.Client, id.Session
		a.out.Session = &result.Session{Client: id.Client, SessionID: id.Session}
	}
	return a
}

// finish runs a call that passed validation, and completes its result.
func (a *act) finish(ctx context.Context, failed *result.Error) ActOutcome {
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	if failed == nil {
		a.touchSession(ctx)
		failed = a.run(ctx)
	}
	if a.asked {
		a.releaseIfLow(ctx, a.freeBefore)
	}
	a.report(failed)
	return ActOutcome{Result: a.out, Danger: a.danger, Acted: a.acted}
}

// touchSession keeps an existing session active; an act never makes or replaces one.
func (a *act) touchSession(ctx context.Context) {
	if err := a.deps.Sessions.Purge(ctx); err != nil {
		a.deps.Log.Warn("purge sessions", "err", err)
	}
	if a.out.Session == nil {
		return
	}
	if err := a.deps.Sessions.Touch(ctx, sessions.ID{Client: a.client, Session: a.session}); err != nil {
		a.deps.Log.Warn("touch session", "err", err)
	}
}

// report puts the outcome into the result's keys.
func (a *act) report(failed *result.Error) {
	a.out.Error = failed
	ok := failed == nil
	if a.batch {
		completed, total := a.acted, len(a.labels)
		if total > 0 {
			a.out.Completed, a.out.Total, a.out.Steps = &completed, &total, &a.steps
		}
		if a.steps == nil {
			a.steps = []result.Step{}
		}
	}
	if ok || a.batch && a.out.Steps != nil {
		a.out.OK = &ok
	}
	if a.confirmed {
		a.out.Confirmed = true
		if a.consent() == audit.Elicited {
			a.out.Confirmed = string(audit.Elicited)
		}
	}
	if a.acted > 0 && a.pointer() {
		a.out.Delivery = "pointer"
	}
	a.out.Hint = strings.Join(a.hints, " ")
	a.out.DurationSeconds = a.seconds()
}

// consent is the way in which a human agreed.
func (a *act) consent() audit.Confirmed {
	if a.confirm.Elicited != nil && !a.confirm.Flag {
		return audit.Elicited
	}
	return audit.ByFlag
}

// pointer says that the engine acts by moving the pointer and sending keys (spec/agent-cu.md).
func (b *Bridge) pointer() bool { return b.opts.Platform == ui.Linux }

// run is the contract's order after validation.
func (a *act) run(ctx context.Context) *result.Error {
	if err := a.deps.Audit.Prepare(ctx); err != nil {
		return codeOf(err)
	}
	if a.pointer() && !a.opts.AllowPointer {
		failed := result.New(result.ActionUnsafe, "on this platform agent-cu acts with the pointer and the keyboard, "+
			"which can reach another window than the one that is meant")
		return a.refuse(ctx, failed, 0, found{})
	}
	if failed := a.checkLabels(ctx); failed != nil {
		return failed
	}
	home, err := a.deps.AgentCU.NewHome()
	if err != nil {
		return a.refuse(ctx, codeOf(err), 0, found{})
	}
	a.home = home
	defer a.closeHome(home)
	if a.choice, _, err = a.choose(ctx, home, a.app, "", true); err != nil {
		return a.refuse(ctx, a.noWindow(err), 0, found{})
	}
	a.out.App = oldest(a.windowName(), mostShownTitle)
	for i, label := range a.labels {
		if failed := a.step(ctx, i, label); failed != nil {
			return failed
		}
	}
	return nil
}

// windowName is the title of the window acted on; the name that -a gets where no list was to be had.
func (a *act) windowName() string {
	if a.choice.Title != "" {
		return a.choice.Title
	}
	return a.choice.Arg
}

// checkLabels is the danger check of all labels, before anything is looked at.
func (a *act) checkLabels(ctx context.Context) *result.Error {
	for i, label := range a.labels {
		rule, blocked := a.deps.Gate.Label(label)
		if !blocked {
			continue
		}
		danger := Danger{App: a.askedApp(), Action: a.action, Target: label, Rule: rule}
		if a.agreed(danger, 0) && (a.confirm.Flag || len(a.consents) == 0) {
			a.consents[i] = true
			continue
		}
		return a.refuse(ctx, a.hold(danger), i, found{})
	}
	return nil
}

// askedApp is the application as the caller named it.
func (a *act) askedApp() string {
	if a.app == nil {
		return ""
	}
	return *a.app
}

// agreed says whether a human has agreed to this danger. tier is how the element was found, 0 for the
// label itself. A yes to a label covers the element of that very name, not another one, and a yes that the
// client asked for covers one act, not the same step once more.
func (a *act) agreed(danger Danger, tier int) bool {
	if a.confirm.Flag {
		return true
	}
	yes := a.confirm.Elicited
	if a.spent || yes == nil || yes.Action != danger.Action || yes.Target != danger.Target || yes.Rule != danger.Rule || yes.App == "" {
		return false
	}
	if danger.Name == "" && danger.Role == "" {
		// The label of a danger that was found at the element passes here and is judged there.
		return true
	}
	if yes.Name == "" && yes.Role == "" {
		return tier == 1 || tier == 2
	}
	return yes.Name == danger.Name && yes.Role == danger.Role && yes.App == danger.App
}

// hold reports what the gate held back.
func (a *act) hold(danger Danger) *result.Error {
	a.danger = &danger
	a.out.WouldClick = &result.WouldClick{Target: danger.Target, Name: danger.Name, Role: danger.Role}
	a.out.MatchedRule = danger.Rule
	what := fmt.Sprintf("%q", danger.Target)
	if danger.Name != "" && danger.Name != danger.Target {
		what += fmt.Sprintf(" (%s %q)", danger.Role, danger.Name)
	}
	return result.New(result.DangerousAction, fmt.Sprintf("%s is held back by the rule %q", what, danger.Rule))
}

// noWindow words why there is no one window to act on, and lists those that a name could mean.
func (a *act) noWindow(err error) *result.Error {
	var (
		ambiguous *appwindow.AmbiguousError
		none      *appwindow.NotFoundError
		failed    = codeOf(err)
	)
	switch {
	case errors.As(err, &ambiguous):
		for _, title := range ambiguous.Titles[:min(len(ambiguous.Titles), matching.MaxCandidates)] {
			a.out.Candidates = append(a.out.Candidates, result.Candidate{Name: title, Role: string(ui.RoleWindow),
				How: "window"})
		}
	case errors.As(err, &none) && len(none.Titles) > 0:
		failed.Suggestion = fmt.Sprintf("Pass the title of an open window as app: %s.", quoted(none.Titles, 5))
	case errors.As(err, &none):
		failed.Suggestion = "No open window was seen. Open the application first, or name its window."
	}
	return failed
}

// quoted lists up to most texts in quotes.
func quoted(texts []string, most int) string {
	var list []string
	for _, text := range texts[:min(len(texts), most)] {
		list = append(list, fmt.Sprintf("%q", text))
	}
	return strings.Join(list, ", ")
}

// refuse ends the call at a step (0-based) and records that nothing was done in it.
func (a *act) refuse(ctx context.Context, failed *result.Error, step int, f found) *result.Error {
	outcome := "failed"
	if failed.Code == result.DangerousAction || failed.Code == result.ActionUnsafe {
		outcome = "refused"
	}
	return a.end(ctx, failed, step, f, outcome)
}

// end records the failure of a step and places it in the result.
func (a *act) end(ctx context.Context, failed *result.Error, step int, f found, outcome string) *result.Error {
	if a.batch {
		a.out.FailedStep = step + 1
		if a.choice.Arg != "" {
			a.steps = append(a.steps, result.Step{Target: a.labels[step], Error: failed})
		}
	}
	a.record(ctx, step, f, outcome, failed)
	return failed
}

// record writes the audit record of a step (0-based). What happened must be on record even when the
// caller is gone; a record that can't be written after an act is said in a hint.
func (a *act) record(ctx context.Context, step int, f found, outcome string, failed *result.Error) {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	r := audit.Record{Client: a.client, SessionID: a.session, App: a.askedApp(), Action: a.action, Target: a.labels[step],
		Result: outcome, Typed: a.text}
	if name := a.windowName(); name != "" {
		r.App = name
	}
	if f.snapshot != nil {
		e := f.element()
		r.Ref, r.Name, r.Role = e.Ref, e.Name, string(e.Role)
	}
	if a.consents[step] && f.snapshot != nil && outcome != "refused" {
		// An act that failed or was given up has passed the gate too, and says why.
		r.Confirmed = a.consent()
	}
	if failed != nil {
		r.ErrorCode = string(failed.Code)
	}
	if a.action == actionType {
		n := utf8.RuneCountInString(a.text)
		r.TextLen = &n
	}
	warning, err := a.deps.Audit.Append(ctx, r)
	if warning != "" {
		a.deps.Log.Warn("action log", "warning", warning)
	}
	if err != nil {
		a.deps.Log.Error("action log", "err", err)
		if !a.unlogged {
			a.hints = append(a.hints, "The action log could not be written after an action.")
		}
		a.unlogged = true
	}
}

// lock takes the act lock; it is held from a snapshot to the act that uses its refs.
func (b *Bridge) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case b.acting <- struct{}{}:
		return func() { <-b.acting }, nil
	case <-ctx.Done():
		return nil, &agentcu.Error{Kind: agentcu.Timeout,
			Message: "another action of this server was still running: " + context.Cause(ctx).Error()}
	}
}
