package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mcp-computer-use/agentcu"
	"mcp-computer-use/internal/appwindow"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/matching"
)

// step resolves one label in a fresh snapshot and acts on it. The lock is held throughout, so that no
// other action of this server comes between the snapshot and the act.
func (a *act) step(ctx context.Context, number int, label string) *result.Error {
	if a.unlogged {
		// One act is off the record already: no further one while the log can't be opened.
		if err := a.deps.Audit.Prepare(ctx); err != nil {
			return a.refuse(ctx, codeOf(err), number, found{})
		}
	}
	unlock, err := a.lock(ctx)
	if err != nil {
		return a.refuse(ctx, codeOf(err), number, found{})
	}
	defer unlock()
	f, failed := a.resolve(ctx, label)
	if failed != nil {
		return a.refuse(ctx, failed, number, f)
	}
	if failed := a.checkElement(f, number); failed != nil {
		return a.refuse(ctx, failed, number, f)
	}
	a.confirmed = a.confirmed || a.consents[number]
	a.spent = a.confirmed
	if err := a.perform(ctx, f); err != nil {
		failed, outcome := codeOf(err), "failed"
		var cu *agentcu.Error
		if errors.As(err, &cu) && cu.MayHaveActed {
			outcome = "unknown"
		}
		return a.end(ctx, failed, number, f, outcome)
	}
	a.acted++
	a.record(ctx, number, f, "ok", nil)
	a.succeed(label, f)
	if a.action == actionType {
		a.readBack(ctx, f)
	}
	return nil
}

// succeed puts the element that was acted on into the result.
func (a *act) succeed(label string, f found) {
	e := f.element()
	score := result.Score(f.candidate.Score)
	if a.batch {
		a.steps = append(a.steps, result.Step{Target: label, OK: true, Name: e.Name, Role: string(e.Role),
			Match: string(f.candidate.How), Tier: f.candidate.Tier, Score: &score})
		return
	}
	a.out.Name, a.out.Role, a.out.Ref = &e.Name, string(e.Role), e.Ref
	a.out.Match, a.out.Tier, a.out.Score = string(f.candidate.How), f.candidate.Tier, &score
}

// resolve takes a snapshot and looks the label up in it.
func (a *act) resolve(ctx context.Context, label string) (found, *result.Error) {
	snapshot, err := a.snapshot(ctx)
	if err != nil {
		return found{}, codeOf(err)
	}
	if failed := a.otherWindow(ctx, snapshot); failed != nil {
		return found{}, failed
	}
	mode := matching.Click
	if a.action == actionType {
		mode = matching.Type
	}
	outcome := matching.Find(snapshot, label, mode)
	if outcome.Verdict == matching.Ambiguous && outcome.Weak && a.opts.ResolveWithModel {
		if chosen, ok := a.chooseByModel(ctx, label, outcome); ok {
			return found{snapshot, chosen}, nil
		}
	}
	if outcome.Verdict == matching.Found {
		return found{snapshot, outcome.Best}, nil
	}
	return found{}, a.unresolved(label, outcome)
}

// snapshot reads the window afresh, cut down to the chosen window.
func (a *act) snapshot(ctx context.Context) (*ui.Snapshot, error) {
	ctx, cancel := a.forReading(ctx)
	defer cancel()
	whole, err := a.deps.AgentCU.Snapshot(ctx, a.home, a.choice.Arg)
	if err != nil {
		return nil, fmt.Errorf("read the window: %w", err)
	}
	part, ok := a.windowPart(whole, a.choice)
	if !ok {
		return nil, &agentcu.Error{Kind: agentcu.Failed,
			Message: "the window is not in the application's tree any more; it may have closed or changed its title"}
	}
	return part, nil
}

// otherWindow refuses a snapshot of another window than the chosen one. Windows' engine takes the first one
// whose title holds the argument, and a step can have opened such a one, a dialog named after its
// application. A window that has a new title while no window has the old one is the same window.
func (a *act) otherWindow(ctx context.Context, snapshot *ui.Snapshot) *result.Error {
	if a.opts.Platform != ui.Windows || !a.choice.Known || len(snapshot.Elements) == 0 {
		return nil
	}
	shown := snapshot.Elements[0].Name
	if !holdsTitle(shown, a.choice.Title) || sameTitle(shown, a.choice.Title) {
		return nil // what does not hold the title was not found by it: the tree names its window in another way
	}
	ctx, cancel := a.forReading(ctx)
	defer cancel()
	listing, err := a.deps.AgentCU.WindowList(ctx, a.home)
	if err != nil {
		return codeOf(fmt.Errorf("look which window this is: %w", err))
	}
	for _, w := range listing.Windows {
		if sameTitle(w.Title, a.choice.Title) {
			return a.noWindow(&appwindow.AmbiguousError{Name: a.choice.Arg, Titles: []string{shown, w.Title}, Engine: true})
		}
	}
	return nil
}

// longTitle is from where on, in bytes, the two may have been cut at different places.
const longTitle = 500

// sameTitle compares what two systems say of one title: case (which the engine ignores too), white space and
// invisible characters don't count.
func sameTitle(a, b string) bool {
	a, b = plainTitle(a), plainTitle(b)
	return strings.EqualFold(a, b) || min(len(a), len(b)) >= longTitle && a[:longTitle] == b[:longTitle]
}

// holdsTitle is the engine's rule for a window that -a names.
func holdsTitle(shown, title string) bool {
	return strings.Contains(strings.ToLower(plainTitle(shown)), strings.ToLower(plainTitle(title)))
}

func plainTitle(title string) string {
	visible := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, title)
	return strings.Join(strings.Fields(visible), " ")
}

// unresolved words a look-up that came to no single element.
func (a *act) unresolved(label string, outcome matching.Outcome) *result.Error {
	for _, c := range outcome.Candidates {
		a.out.Candidates = append(a.out.Candidates, result.Candidate{Name: c.Name, Role: string(c.Role), Tier: c.Tier,
			Score: result.Score(c.Score), How: string(c.How)})
	}
	switch outcome.Verdict {
	case matching.NotEditable:
		return result.New(result.TargetNotEditable, fmt.Sprintf("%q is a %s and can't be typed into", label,
			outcome.Best.Role))
	case matching.Ambiguous:
		failed := result.New(result.TargetAmbiguous, fmt.Sprintf("%q can mean several elements", label))
		if twins(outcome.Candidates) {
			failed.Message += ", and the engine can't tell some of them apart"
			failed.Suggestion = "Elements of one role, name and id can't be told apart here. Use a label that only one " +
				"element has, or ask the user to act."
		} else if outcome.Weak {
			failed.Message = fmt.Sprintf("%q is not the full label of any element", label)
		}
		return failed
	}
	return result.New(result.TargetNotFound, fmt.Sprintf("no element is labelled %q", label))
}

func twins(candidates []matching.Candidate) bool {
	for _, c := range candidates {
		if c.Twin {
			return true
		}
	}
	return false
}

// checkElement is the danger check of what the label was resolved to, and the last look at the text.
func (a *act) checkElement(f found, number int) *result.Error {
	e, label := f.element(), a.labels[number]
	rule, blocked := a.deps.Gate.Element(f.snapshot, f.candidate.Index)
	if !blocked && a.consents[number] {
		// What was agreed to is the label: an element of another name is held to it, however harmless it looks.
		rule, blocked = a.deps.Gate.Label(label)
	}
	if blocked {
		danger := Danger{App: a.windowName(), Action: a.action, Target: label, Name: e.Name, Role: string(e.Role),
			Rule: rule}
		if !a.agreed(danger, f.candidate.Tier) {
			return a.hold(danger)
		}
		a.consents[number] = true
	}
	if a.action == actionType && e.Role != ui.RoleTextArea && strings.IndexFunc(a.text, isLineBreak) >= 0 {
		return result.New(result.InvalidTarget, fmt.Sprintf("the text holds a line break and %q is a %s, not a text area",
			label, e.Role)).Suggest("Type one line, or name a text area.")
	}
	return nil
}

// perform acts once. It is never repeated, whatever becomes of it.
func (a *act) perform(ctx context.Context, f found) error {
	var err error
	if a.action == actionType {
		_, err = a.deps.AgentCU.Type(ctx, a.home, a.choice.Arg, f.element().Ref, a.text)
	} else {
		_, err = a.deps.AgentCU.Click(ctx, a.home, a.choice.Arg, f.element().Ref)
	}
	if err != nil {
		return fmt.Errorf("act: %w", err)
	}
	return nil
}

// readBack looks whether the field holds the text now. Anything but a whole equal value is not verified.
func (a *act) readBack(ctx context.Context, f found) {
	length, verified := utf8.RuneCountInString(a.text), false
	a.out.TextLen, a.out.Verified = &length, &verified
	snapshot, err := a.snapshot(ctx)
	if err != nil {
		a.deps.Log.Warn("read the field back", "err", err)
		a.hints = append(a.hints, "The field could not be read back.")
		return
	}
	now, ok := sameElement(snapshot, f.element())
	if ok && now.ValueCut && strings.HasPrefix(plainBreaks(a.text), strings.TrimSuffix(plainBreaks(now.Value), "…")) {
		verified, err = a.readWhole(ctx, now)
		if err != nil || !verified {
			a.hints = append(a.hints, "The field begins with the text; the engine shows no more of it.")
		}
		return
	}
	verified = ok && !now.Secret && plainBreaks(now.Value) == plainBreaks(a.text)
}

// readWhole asks for the uncut value of a field.
func (a *act) readWhole(ctx context.Context, e ui.Element) (bool, error) {
	ctx, cancel := a.forReading(ctx)
	defer cancel()
	value, err := a.deps.AgentCU.Value(ctx, a.home, a.choice.Arg, e)
	if err != nil {
		return false, fmt.Errorf("read the whole value: %w", err)
	}
	return plainBreaks(value) == plainBreaks(a.text), nil
}

// plainBreaks writes all line breaks in one way: applications turn \n into theirs.
func plainBreaks(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// sameElement finds the one element of that role, name and id; typing can change everything else.
func sameElement(snapshot *ui.Snapshot, want ui.Element) (ui.Element, bool) {
	var hit ui.Element
	count := 0
	for _, e := range snapshot.Elements {
		if e.Role == want.Role && e.Name == want.Name && e.ID == want.ID {
			hit = e
			count++
		}
	}
	return hit, count == 1
}

// chooseByModel lets the local model pick among weak candidates. Any failure means that nothing was
// chosen.
func (a *act) chooseByModel(ctx context.Context, label string, outcome matching.Outcome) (matching.Candidate, bool) {
	none := matching.Candidate{}
	if !a.budget.Enough() {
		return none, false
	}
	if a.progress != nil {
		a.progress("waiting for the local model")
	}
	state := a.probe(ctx, a.call, true)
	if state.err != nil || !a.budget.Enough() {
		a.deps.Log.Warn("choice by model", "err", state.err)
		return none, false
	}
	limit, _ := a.budget.Cap(a.deps.Planner.Direct(state.cold).Timeout)
	start := time.Now()
	a.asked, a.freeBefore = true, state.freeMB
	number, err := a.askChoice(ctx, limit, label, outcome.Candidates)
	if err != nil {
		a.deps.Log.Warn("choice by model", "err", err, "seconds", time.Since(start).Seconds())
		return none, false
	}
	return outcome.Choose(number)
}
