package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-computer-use/agentcu"
	"mcp-computer-use/extractors"
	"mcp-computer-use/internal/appwindow"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/internal/ui"
)

// seen is a window as it was read.
type seen struct {
	window  ui.Window
	arg     string // what -a got
	titles  []string
	hints   []string
	outcome extractors.Outcome
	at      time.Time
}

// parts are the two reads of a window; each may have failed on its own.
type parts struct {
	lines         []string
	snapshot      *ui.Snapshot // as the engine gave it: off Windows the whole application
	part          *ui.Snapshot // the chosen window's part of it; nil where that is not in it
	textErr       error
	snapshotErr   error
	wantsSnapshot bool
}

// read finds the window and reads it. The seen window is given beside an error too, as far as known.
func (l *look) read(ctx context.Context) (*seen, *result.Error) {
	ctx, cancel := l.forReading(ctx)
	defer cancel()
	home, err := l.deps.AgentCU.NewHome()
	if err != nil {
		return nil, codeOf(err)
	}
	defer func() { l.closeHome(home) }()
	choice, open, err := l.choose(ctx, home, l.req.App, l.req.Question, false)
	if err != nil {
		failed := codeOf(err)
		var none *appwindow.NotFoundError
		if errors.As(err, &none) {
			return &seen{titles: none.Titles}, failed
		}
		return nil, failed
	}
	got := l.readParts(ctx, home, choice)
	if got.vanished() || got.strayed() {
		// A terminal's title turns like a clock while its program works: look under the new one.
		again, stillOpen, err := l.choose(ctx, home, l.req.App, l.req.Question, false)
		if open = stillOpen; err == nil && (again.Arg != choice.Arg || again.Title != choice.Title) {
			choice = again
			got = l.readParts(ctx, home, choice)
		}
	}
	found := &seen{window: choice.Window, arg: choice.Arg, titles: []string{choice.Title}, at: time.Now()}
	if choice.Hint != "" {
		found.hints = append(found.hints, choice.Hint)
	}
	if got.failed() {
		failed := codeOf(got.err())
		if failed.Code == result.AppNotFound {
			found.titles = titlesOf(open) // that window was not seen, and the caller has to name another
		}
		return found, failed
	}
	found.outcome = extractors.Extract(l.input(choice, got))
	return found, nil
}

// choose lists the windows and picks the one that is meant. A missing agent-cu ends it; any other
// failure of the list leaves the name itself to the engine (spec/contract.md section 5, rule 6). open are the
// windows of the list.
func (b *Bridge) choose(ctx context.Context, home *agentcu.Home, app *string, question string, action bool) (
	choice appwindow.Choice, open []ui.Window, err error) {
	listing, err := b.deps.AgentCU.WindowList(ctx, home)
	if isKind(err, agentcu.NotInstalled) || isKind(err, agentcu.Canceled) {
		return appwindow.Choice{}, nil, err
	}
	if err != nil {
		b.deps.Log.Warn("list windows", "err", err)
	}
	choice, chosenErr := appwindow.Choose(appwindow.Request{App: app, Question: question, Windows: listing.Windows,
		Apps: listing.Apps, Platform: b.opts.Platform, Action: action, ListFailed: err != nil})
	if chosenErr != nil {
		return choice, listing.Windows, fmt.Errorf("choose a window: %w", chosenErr)
	}
	return choice, listing.Windows, nil
}

// mostTitles is how many open windows a failure names (spec/contract.md section 4).
const mostTitles = 10

func titlesOf(windows []ui.Window) []string {
	titles := []string{}
	for _, w := range windows {
		if w.Title != "" && len(titles) < mostTitles {
			titles = append(titles, w.Title)
		}
	}
	return titles
}

// readParts runs text and snapshot side by side, so that a read takes as long as the slower one.
func (l *look) readParts(ctx context.Context, home *agentcu.Home, choice appwindow.Choice) parts {
	got := parts{wantsSnapshot: l.opts.SnapshotDetails}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if got.wantsSnapshot {
			got.snapshotErr = safely("snapshot", func() (err error) {
				got.snapshot, err = l.deps.AgentCU.Snapshot(ctx, home, choice.Arg)
				return err
			})
		}
	}()
	got.lines, got.textErr = l.deps.AgentCU.Text(ctx, home, choice.Arg)
	<-done
	if got.snapshotErr == nil && got.snapshot != nil {
		if part, ok := l.windowPart(got.snapshot, choice); ok {
			got.part = part
		}
	}
	return got
}

func (p *parts) failed() bool {
	return p.textErr != nil && (!p.wantsSnapshot || p.snapshotErr != nil)
}

// vanished says that the engine found no such window in either read.
func (p *parts) vanished() bool {
	return p.failed() && isKind(p.textErr, agentcu.AppNotFound) && (!p.wantsSnapshot || isKind(p.snapshotErr, agentcu.AppNotFound))
}

func isKind(err error, kind agentcu.Kind) bool {
	var failed *agentcu.Error
	return errors.As(err, &failed) && failed.Kind == kind
}

// err is the more telling one of the two failures: a time-out of one read says less than a refusal
// that the other one got.
func (p *parts) err() error {
	if p.snapshotErr != nil && !isKind(p.snapshotErr, agentcu.Timeout) {
		return p.snapshotErr
	}
	return p.textErr
}

// strayed says that the engine showed several windows and the chosen one is not among them: by now it
// has another title, and what the others say is no answer about it.
func (p *parts) strayed() bool {
	return p.snapshotErr == nil && p.snapshot != nil && p.part == nil && severalWindows(p.snapshot)
}

func severalWindows(s *ui.Snapshot) bool {
	return len(s.Elements) > 1 && s.Elements[1].End < s.Elements[0].End
}

// input is what the extractors get. Windows that can't be the chosen one are left out: then nothing is
// known about it.
func (l *look) input(choice appwindow.Choice, got parts) extractors.Input {
	in := extractors.Input{AppName: choice.Window.App, RequestedApp: l.app, WindowTitle: choice.Title,
		Platform: l.opts.Platform, HasText: got.textErr == nil, MaxChars: l.opts.MaxChars}
	if got.strayed() {
		in.HasText = false
		return in
	}
	in.Lines = got.lines
	if got.snapshotErr != nil || got.snapshot == nil {
		return in
	}
	in.Snapshot = got.snapshot
	in.Lines = got.snapshot.DropSecrets(got.lines)
	if got.part != nil && got.part != got.snapshot {
		in.Snapshot = got.part
		in.Lines = ownLines(in.Lines, got.snapshot, got.part)
	}
	return in
}

// ownLines drops the lines of `text` that stand in other windows of the application alone: on Linux and
// macOS text covers the whole application.
func ownLines(lines []string, whole, part *ui.Snapshot) []string {
	own := words(part.Elements)
	others := words(whole.Elements)
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		key := strings.TrimSpace(line)
		if key == "" || own[key] || !others[key] {
			kept = append(kept, line)
		}
	}
	return kept
}

// words are the lines that the names and values of elements hold.
func words(elements []ui.Element) map[string]bool {
	found := make(map[string]bool, len(elements))
	for i := range elements {
		for _, text := range []string{elements[i].Name, elements[i].Value} {
			for line := range strings.SplitSeq(text, "\n") {
				if line = strings.TrimSpace(line); line != "" {
					found[line] = true
				}
			}
		}
	}
	return found
}

// windowPart cuts a snapshot down to the chosen window where the engine shows the whole application.
// Without a list there was no choice: then the application is what was asked for.
func (b *Bridge) windowPart(snapshot *ui.Snapshot, choice appwindow.Choice) (*ui.Snapshot, bool) {
	if b.opts.Platform == ui.Windows || choice.Title == "" || !choice.Known {
		return snapshot, true
	}
	return agentcu.WindowSubtree(snapshot, choice.Title)
}

// safely turns a panic into an error: one in a goroutine of ours would end the whole server, and with it
// every other call.
func safely(what string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal fault (%T)", what, p)
		}
	}()
	return work()
}

func (b *Bridge) closeHome(home *agentcu.Home) {
	if err := home.Close(); err != nil {
		b.deps.Log.Warn("remove the private home", "err", err)
	}
}
