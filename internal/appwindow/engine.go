package appwindow

import (
	"fmt"
	"strings"

	"mcp-computer-use/internal/ui"
)

// settle makes a choice of a window, after asking whether `-a` would select that very window. A read
// goes on with a hint, an action does not. others are further windows that the name may mean.
func (d *desk) settle(i int, others []int) (Choice, error) {
	window := d.Windows[i]
	choice := Choice{Window: window, Arg: d.arg(window), Title: window.Title, Known: true}
	if choice.Arg == "" {
		return Choice{}, d.notFound("")
	}
	if rivals := d.rivals(i, choice.Arg); len(rivals) > 0 {
		if d.Action {
			return Choice{}, &AmbiguousError{Name: choice.Arg, Titles: rivals, Engine: true}
		}
		choice.Hint = fmt.Sprintf("Another window also answers to %q and agent-cu takes the first one, so this may be the answer of the other.", choice.Arg)
	} else if len(others) > 0 {
		choice.Hint = fmt.Sprintf("%d more windows match the name and none of them is in front; this is the first listed.", len(others))
	}
	return choice, nil
}

// arg is what -a gets: the full title on Windows, the application's name elsewhere.
func (d *desk) arg(w ui.Window) string {
	if d.Platform == ui.Linux || d.Platform == ui.MacOS {
		if w.App != "" {
			return w.App
		}
	}
	return w.Title
}

// rivals returns the titles or names that the engine may select instead of window i, the window's own
// among them, at most maxCandidates; nothing when the engine selects that window.
func (d *desk) rivals(i int, arg string) []string {
	var matches func(lower string) bool
	switch d.Platform {
	case ui.Linux:
		matches = func(name string) bool { return strings.Contains(name, strings.ToLower(arg)) }
	case ui.MacOS:
		matches = func(name string) bool { return name == strings.ToLower(arg) }
	default:
		return d.rivalTitles(i, arg)
	}
	if apps := d.rivalApps(d.Windows[i], matches); len(apps) > 0 {
		return apps
	}
	return d.namesakes(i)
}

// namesakes are the windows of one application that share window i's title, itself among them: in the
// application's tree nothing tells them apart.
func (d *desk) namesakes(i int) []string {
	var same []int
	for k, w := range d.Windows {
		if w.Title != "" && w.App == d.Windows[i].App && d.titles[k] == d.titles[i] {
			same = append(same, k)
		}
	}
	if len(same) < 2 {
		return nil
	}
	return d.list(same, maxCandidates)
}

// rivalTitles are the windows listed earlier whose titles contain the argument: the engine takes the
// first top-level window that does, in stacking order and whatever the case.
func (d *desk) rivalTitles(i int, arg string) []string {
	wanted := strings.ToLower(arg)
	var rivals []int
	for k := range i {
		if strings.Contains(strings.ToLower(d.Windows[k].Title), wanted) {
			rivals = append(rivals, k)
		}
	}
	if len(rivals) == 0 {
		return nil
	}
	return append(d.list(rivals, maxCandidates-1), d.Windows[i].Title)
}

// rivalApps are the applications listed before the window's own that match, or another of the very
// same name: only the first of them can be reached.
func (d *desk) rivalApps(w ui.Window, matches func(lower string) bool) []string {
	var rivals []string
	own := 0
	for _, app := range d.running() {
		switch {
		case app.Name == w.App:
			if own++; own > 1 {
				rivals = append(rivals, app.Name)
			}
		case own == 0 && matches(strings.ToLower(app.Name)):
			rivals = append(rivals, app.Name)
		}
	}
	if len(rivals) == 0 {
		return nil
	}
	return append(rivals[:min(len(rivals), maxCandidates-1)], w.App)
}

// running is the list of applications; where there is none it is made of the windows.
func (d *desk) running() []ui.App {
	if len(d.Apps) > 0 {
		return d.Apps
	}
	var apps []ui.App
	seen := map[ui.App]bool{}
	for _, w := range d.Windows {
		app := ui.App{Name: w.App, PID: w.PID}
		if !seen[app] {
			seen[app] = true
			apps = append(apps, app)
		}
	}
	return apps
}
