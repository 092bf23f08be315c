package agentcu

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"mcp-computer-use/internal/ui"
)

// Version returns what `agent-cu --version` says, without the program's name: "0.1.1".
func (c *Client) Version(ctx context.Context) (string, error) {
	result, err := c.run(ctx, nil, c.opts.versionCall())
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(strings.TrimSpace(toUTF8(result.Stdout)), "\n")
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "agent-cu ")), nil
}

// Text returns the lines of `agent-cu text`. Characters that are no UTF-8 are U+FFFD, control
// characters but tabs are gone. A nil home means one of its own.
func (c *Client) Text(ctx context.Context, home *Home, app string) ([]string, error) {
	if app == "" {
		return nil, errNoApp()
	}
	result, err := c.run(ctx, home, c.opts.textCall(app))
	if err != nil {
		return nil, err
	}
	return textLines(result.Stdout), nil
}

// textLines splits the output of `text`; the line break at its end begins no line.
func textLines(stdout []byte) []string {
	text := strings.ReplaceAll(toUTF8(stdout), "\r\n", "\n")
	text = strings.TrimPrefix(strings.TrimSuffix(text, "\n"), "\ufeff")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = dropControls(line)
	}
	return lines
}

// dropControls removes control characters but tabs from a line; those that part words become blanks.
func dropControls(line string) string { return strings.ReplaceAll(cleanText(line), "\n", " ") }

// Snapshot returns the parsed `agent-cu snapshot -i -c`. The refs in it are valid in home, until the
// next snapshot in it. Its refs.json, where the child wrote one, gives the exact names and ids.
func (c *Client) Snapshot(ctx context.Context, home *Home, app string) (*ui.Snapshot, error) {
	if app == "" {
		return nil, errNoApp()
	}
	if home == nil {
		own, err := c.NewHome()
		if err != nil {
			return nil, err
		}
		defer func() { _ = own.Close() }()
		home = own
	}
	_ = os.Remove(home.refs()) // those of an earlier snapshot would not be this one's
	result, err := c.run(ctx, home, c.opts.snapshotCall(app, home))
	if err != nil {
		return nil, err
	}
	refs, err := os.ReadFile(home.refs())
	if err != nil {
		refs = nil // an older agent-cu, or a full disk: the printed names are all there is
	}
	return ParseSnapshotRefs(result.Stdout, refs), nil
}

// Click presses the element with the ref that the latest Snapshot in home gave.
func (c *Client) Click(ctx context.Context, home *Home, app, ref string) (Reply, error) {
	if err := checkAct(home, app, ref); err != nil {
		return Reply{}, err
	}
	return c.act(ctx, home, c.opts.clickCall(app, ref))
}

// Type sets the text of the element with the ref that the latest Snapshot in home gave. The reply does
// not prove that the field holds the text now.
func (c *Client) Type(ctx context.Context, home *Home, app, ref, text string) (Reply, error) {
	if err := checkAct(home, app, ref); err != nil {
		return Reply{}, err
	}
	return c.act(ctx, home, c.opts.typeCall(app, ref, text))
}

// checkAct refuses an act that could land elsewhere: a home of another snapshot, no application, or a
// selector that is no ref.
func checkAct(home *Home, app, ref string) error {
	switch {
	case home == nil:
		return &Error{Kind: Usage, Message: "an act needs the home of its snapshot"}
	case app == "":
		return errNoApp()
	case !validRef(ref):
		return &Error{Kind: Usage, Message: "an act needs a ref of a snapshot"}
	}
	return nil
}

func errNoApp() error { return &Error{Kind: Usage, Message: "no application was named"} }

func (c *Client) act(ctx context.Context, home *Home, cl call) (Reply, error) {
	result, err := c.run(ctx, home, cl)
	if err != nil {
		return Reply{}, err
	}
	answer, err := object(cl, result.Stdout)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Message: cl.mask(answer.Get("message").String())}, nil
}

// Screenshot lets agent-cu take a picture and returns the path of the PNG file, which lies in home and
// goes away with it. On Windows it is refused as NotSupported: agent-cu takes the whole screen there,
// whatever app says, and makes the path, with the user's name in it, part of a PowerShell command.
func (c *Client) Screenshot(ctx context.Context, home *Home, app string) (string, error) {
	switch {
	case c.opts.Platform == ui.Windows:
		return "", &Error{Kind: NotSupported, Message: "agent-cu takes no picture of one window on Windows"}
	case home == nil:
		return "", &Error{Kind: Usage, Message: "a picture needs a home to lie in"}
	}
	path := filepath.Join(home.dir, "screen.png")
	_ = os.Remove(path)
	cl := c.opts.screenshotCall(app, path)
	result, err := c.run(ctx, home, cl)
	if err != nil {
		return "", err
	}
	if _, err := object(cl, result.Stdout); err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return "", &Error{Kind: Failed, Message: "agent-cu screenshot wrote no picture", err: err}
	}
	return path, nil
}
