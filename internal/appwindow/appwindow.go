// Package appwindow finds the window that an application's name, or a question, means.
//
// It owns the ranks by which a name is resolved, the alias table, the rules for names, and the
// question whether the engine's `-a` would select that very window. It is pure: it must not start
// processes, read windows or click. Source: spec/contract.md section 5.
package appwindow

import (
	"fmt"
	"slices"
	"strings"

	"mcp-computer-use/internal/textnorm"
	"mcp-computer-use/internal/ui"
)

// maxTitles is the most titles that an error lists.
const (
	maxTitles     = 10 // of open windows, for APP_NOT_FOUND
	maxCandidates = 5  // of windows that a name may mean
)

// Request is everything that the choice depends on.
type Request struct {
	App        *string     // the name the caller gave; nil when none was given
	Question   string      // searched for a name when App is nil; empty for actions
	Windows    []ui.Window // in the engine's order
	Apps       []ui.App    // in the engine's order; may be empty on Windows
	Platform   ui.Platform // of the engine; anything but Linux and MacOS counts as Windows
	Action     bool        // a click or typing follows: never guess
	ListFailed bool        // the window list could not be had
}

// Choice is the window to read or act on.
type Choice struct {
	Window ui.Window // zero when the window is not known
	Arg    string    // the value for -a
	Title  string    // the window's title, or the name itself when the window is not known
	Known  bool      // false when there was no list: Arg is then the name that was asked for
	Hint   string    // what the reader of the answer should know; empty for nothing
}

// NotFoundError says that no window has the name. It is APP_NOT_FOUND.
type NotFoundError struct {
	Name   string   // empty when nothing was named and no window is in front
	Titles []string // of up to 10 open windows
}

// Error says which name was looked for.
func (e *NotFoundError) Error() string {
	if e.Name == "" {
		return "no application was named and no window is in front"
	}
	return fmt.Sprintf("no window of %q is open", e.Name)
}

// AmbiguousError says that an action could hit another window than the one meant. It is
// TARGET_AMBIGUOUS.
type AmbiguousError struct {
	Name   string   // the name or title that is not unique
	Titles []string // up to 5 windows that it may mean, in the engine's order
	Engine bool     // the window is known, but the engine would select another
}

// Error says why the name is not enough.
func (e *AmbiguousError) Error() string {
	if e.Engine {
		return fmt.Sprintf("agent-cu would take another window for %q", e.Name)
	}
	return fmt.Sprintf("%q may mean several windows", e.Name)
}

// Choose finds the window. Its errors are *NameError, *NotFoundError and *AmbiguousError.
func Choose(req Request) (Choice, error) {
	if req.App != nil {
		if err := CheckName(*req.App); err != nil {
			return Choice{}, err
		}
	}
	desk := newDesk(req)
	name, spoken := desk.wanted()
	if req.ListFailed || len(req.Windows) == 0 {
		if name == "" {
			return Choice{}, desk.notFound("")
		}
		return Choice{Arg: name, Title: name}, nil
	}
	if name == "" {
		front := desk.front()
		if front < 0 {
			return Choice{}, desk.notFound("")
		}
		return desk.settle(front, nil)
	}
	hits := desk.resolve(name, !spoken)
	if len(hits) == 0 {
		return Choice{}, desk.notFound(name)
	}
	return desk.among(name, hits)
}

// desk is the list of windows with its comparable names.
type desk struct {
	Request
	titles []string // tier-2 forms
	apps   []string // tier-2 forms of the process names, without .exe
}

func newDesk(req Request) *desk {
	d := &desk{Request: req}
	for _, w := range req.Windows {
		d.titles = append(d.titles, textnorm.Match(w.Title))
		d.apps = append(d.apps, processForm(w.App))
	}
	return d
}

func processForm(name string) string {
	form := textnorm.Match(name)
	if short := strings.TrimSuffix(form, ".exe"); short != "" {
		return short
	}
	return form
}

// wanted returns the name to look for: the caller's, or the one in the question (spoken). It is empty
// when there is none.
func (d *desk) wanted() (name string, spoken bool) {
	if d.App != nil {
		return *d.App, false
	}
	return d.named()
}

// resolve returns the windows of the first rank with a hit: title equal, process equal, alias, and, if
// part is set, title or process containing the name.
func (d *desk) resolve(name string, part bool) []int {
	form := textnorm.Match(name)
	if form == "" {
		return nil
	}
	entry := aliasOf(form)
	ranks := []func(i int) bool{
		func(i int) bool { return d.titles[i] == form },
		func(i int) bool { return d.apps[i] == processForm(name) },
		func(i int) bool { return entry != nil && entry.owns(d.titles[i], d.apps[i]) },
	}
	if part {
		ranks = append(ranks, func(i int) bool {
			return strings.Contains(d.titles[i], form) || strings.Contains(d.apps[i], form)
		})
	}
	for _, untitled := range []bool{false, true} {
		if untitled && d.Platform != ui.MacOS {
			break // elsewhere a window without a title can't be addressed
		}
		for _, rank := range ranks {
			var hits []int
			for i := range d.Windows {
				if (d.titles[i] == "") == untitled && rank(i) {
					hits = append(hits, i)
				}
			}
			if len(hits) > 0 {
				return hits
			}
		}
	}
	return nil
}

// among picks one of several windows: the one in front, else for a read the first.
func (d *desk) among(name string, hits []int) (Choice, error) {
	if len(hits) == 1 {
		return d.settle(hits[0], nil)
	}
	front := d.front()
	if slices.Contains(hits, front) {
		return d.settle(front, nil)
	}
	if d.Action {
		return Choice{}, &AmbiguousError{Name: name, Titles: d.list(hits, maxCandidates)}
	}
	return d.settle(hits[0], hits[1:])
}

// front returns the frontmost window, -1 for none.
func (d *desk) front() int {
	for i, w := range d.Windows {
		if w.Frontmost && w.Title != "" {
			return i
		}
	}
	switch d.Platform {
	case ui.MacOS:
		return d.frontOfApp()
	case ui.Linux: // no window says that it is in front; the only one there is must be
		if titled := d.titled(); len(titled) == 1 {
			return titled[0]
		}
	}
	return -1
}

// frontOfApp returns the first window of the frontmost application, a titled one if it has any.
func (d *desk) frontOfApp() int {
	first := -1
	for _, app := range d.Apps {
		if !app.Frontmost {
			continue
		}
		for i, w := range d.Windows {
			if w.App != app.Name || w.PID != 0 && app.PID != 0 && w.PID != app.PID {
				continue
			}
			if w.Title != "" {
				return i
			}
			if first < 0 {
				first = i
			}
		}
	}
	return first
}

func (d *desk) titled() []int {
	var all []int
	for i, w := range d.Windows {
		if w.Title != "" {
			all = append(all, i)
		}
	}
	return all
}

func (d *desk) list(windows []int, most int) []string {
	titles := []string{}
	for _, i := range windows[:min(len(windows), most)] {
		titles = append(titles, d.Windows[i].Title)
	}
	return titles
}

func (d *desk) notFound(name string) error {
	return &NotFoundError{Name: name, Titles: d.list(d.titled(), maxTitles)}
}
