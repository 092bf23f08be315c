package agentcu

import (
	"context"
	"sync"

	"github.com/tidwall/gjson"

	"mcp-computer-use/internal/ui"
)

// sideBySide is how many `windows` calls run at once on Linux (spec/contract.md section 5).
const sideBySide = 8

// Listing is what is open. Windows are in the engine's order, which on Windows is the stacking order.
// Apps are filled on Linux and macOS, in the engine's order too; a name can occur twice, and then only
// the first of them can be reached.
type Listing struct {
	Windows []ui.Window
	Apps    []ui.App
}

// WindowList lists the open windows as the engine's platform allows (spec/contract.md section 5). A nil
// home means one of its own. An application whose windows can't be listed is left out as long as any
// other answers.
func (c *Client) WindowList(ctx context.Context, home *Home) (Listing, error) {
	if home == nil {
		own, err := c.NewHome()
		if err != nil {
			return Listing{}, err
		}
		defer func() { _ = own.Close() }()
		home = own
	}
	switch c.opts.Platform {
	case ui.Linux:
		return c.listByApp(ctx, home)
	case ui.MacOS:
		return c.listWithApps(ctx, home)
	default:
		windows, err := c.windows(ctx, home, "")
		return Listing{Windows: windows}, err
	}
}

// listWithApps asks macOS for both lists: its windows do not say which one is in front, its
// applications do. Without the second list the first is still an answer.
func (c *Client) listWithApps(ctx context.Context, home *Home) (Listing, error) {
	var listing Listing
	var err error
	var group sync.WaitGroup
	group.Go(func() { listing.Apps, _ = c.apps(ctx, home) })
	listing.Windows, err = c.windows(ctx, home, "")
	group.Wait()
	return listing, err
}

// listByApp asks for the windows of each application by name, since Linux knows no list of all. The
// engine takes the first application whose name contains the one given, so rows of another application
// are dropped: its own call lists them.
func (c *Client) listByApp(ctx context.Context, home *Home) (Listing, error) {
	apps, err := c.apps(ctx, home)
	if err != nil {
		return Listing{}, err
	}
	names := distinctNames(apps)
	lists, failures := make([][]ui.Window, len(names)), make([]error, len(names))
	slots := make(chan struct{}, sideBySide)
	var group sync.WaitGroup
	for i, name := range names {
		slots <- struct{}{}
		group.Go(func() {
			lists[i], failures[i] = c.windows(ctx, home, name)
			<-slots
		})
	}
	group.Wait()
	listing := Listing{Apps: apps}
	for i, list := range lists {
		for _, window := range list {
			if window.Title != "" && window.App == names[i] {
				listing.Windows = append(listing.Windows, window)
			}
		}
		if failures[i] != nil {
			err = failures[i]
		}
	}
	if len(listing.Windows) > 0 {
		err = nil
	}
	return listing, err
}

func distinctNames(apps []ui.App) []string {
	var names []string
	seen := map[string]bool{}
	for _, app := range apps {
		if app.Name != "" && !seen[app.Name] {
			seen[app.Name] = true
			names = append(names, app.Name)
		}
	}
	return names
}

// rows runs a command that prints one JSON array.
func (c *Client) rows(ctx context.Context, home *Home, cl call) ([]gjson.Result, error) {
	result, err := c.run(ctx, home, cl)
	if err != nil {
		return nil, err
	}
	return array(cl, result.Stdout)
}

func (c *Client) windows(ctx context.Context, home *Home, app string) ([]ui.Window, error) {
	rows, err := c.rows(ctx, home, c.opts.windowsCall(app))
	if err != nil {
		return nil, err
	}
	windows := make([]ui.Window, 0, len(rows))
	for _, row := range rows {
		windows = append(windows, ui.Window{
			Title: row.Get("title").String(), App: row.Get("app").String(), PID: int(row.Get("pid").Int()),
			Frontmost: row.Get("frontmost").Bool(), Minimized: row.Get("minimized").Bool(), Bounds: bounds(row),
		})
	}
	return windows, nil
}

// bounds needs both position and size; half a rectangle is none.
func bounds(row gjson.Result) *ui.Rect {
	position, size := row.Get("position"), row.Get("size")
	if !position.IsObject() || !size.IsObject() {
		return nil
	}
	return &ui.Rect{
		X: position.Get("x").Float(), Y: position.Get("y").Float(),
		Width: size.Get("width").Float(), Height: size.Get("height").Float(),
	}
}

func (c *Client) apps(ctx context.Context, home *Home) ([]ui.App, error) {
	rows, err := c.rows(ctx, home, c.opts.appsCall())
	if err != nil {
		return nil, err
	}
	apps := make([]ui.App, 0, len(rows))
	for _, row := range rows {
		apps = append(apps, ui.App{
			Name: row.Get("name").String(), PID: int(row.Get("pid").Int()), Frontmost: row.Get("frontmost").Bool(),
		})
	}
	return apps, nil
}
