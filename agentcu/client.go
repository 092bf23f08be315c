// Package agentcu is everything the program knows about the agent-cu command line: where its binary
// is, the arguments and the environment of each command, what its answers and failures mean, and the
// text form of its snapshots.
//
// It must not know what an answer is used for: no MCP, no sessions, no judgement whether an action is
// safe, and no second try of anything.
package agentcu

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/timeouts"
)

// defaultCommand is the name that is looked up when none is configured.
const defaultCommand = "agent-cu"

// maxCommandLine is the longest command line that Windows takes, in UTF-16 units with its final NUL.
// It is kept everywhere, so that a call does not depend on the platform.
const maxCommandLine = 32767

// perCharacter is what agent-cu's key-stroke fall-back takes for a character (spec/windows.md M2.8).
const perCharacter = 15 * time.Millisecond

// Options are the settings of a Client.
type Options struct {
	// Command is the program: a name to look up on PATH, or an absolute path. It is never split.
	Command string
	// Timeout bounds each call of agent-cu; Type adds 15 ms for each character.
	Timeout time.Duration
	// NoCDP passes --no-cdp, without which agent-cu on macOS restarts Electron applications.
	NoCDP bool
	// Platform is the engine's, which decides how windows are listed.
	Platform ui.Platform
	// Program is an absolute path that is used as it is, with no look-up at all; for replays.
	Program string
	// Env is the environment to start from ("KEY=value"); nil means that of this process.
	Env []string
	// TempDir holds the private homes; empty means the system's folder for temporary files.
	TempDir string
}

// DefaultOptions are the settings of a program that nobody configured, for the platform given.
func DefaultOptions(platform ui.Platform) Options {
	return Options{Command: defaultCommand, Timeout: 20 * time.Second, NoCDP: true, Platform: platform}
}

// Client runs agent-cu. It is safe for concurrent use; keeping a snapshot and its acts together is the
// caller's part, by a Home of their own. Every failure of its methods is an *Error.
type Client struct {
	runner proc.Runner
	opts   Options

	sweep sync.Once // abandoned homes are looked for once
	mu    sync.Mutex
	found located // the latest successful look-up
}

// New returns a Client that starts processes through runner only. Nothing is looked up or started yet.
func New(runner proc.Runner, opts Options) *Client {
	if opts.Command == "" {
		opts.Command = defaultCommand
	}
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultOptions(opts.Platform).Timeout
	}
	return &Client{runner: runner, opts: opts}
}

// Reply is what agent-cu says about an act that it carried out.
type Reply struct {
	Message string // such as `pressed "7" at (10, 20)`; for logs, not proof of anything
}

// call is one command of agent-cu, built but not run.
type call struct {
	verb      string
	args      []string // everything after the program, the verb first
	outputs   []string
	sensitive string
	extra     time.Duration // on top of Options.Timeout
	act       bool          // it can change what is on the screen
}

// run carries out a call in a home. The error is an *Error; what the child printed comes with it.
func (c *Client) run(ctx context.Context, home *Home, cl call) (proc.Result, error) {
	program, err := c.Locate(ctx)
	if err != nil {
		return proc.Result{ExitCode: -1}, err
	}
	if home == nil {
		own, err := c.NewHome()
		if err != nil {
			return proc.Result{ExitCode: -1}, err
		}
		defer func() { _ = own.Close() }()
		home = own
	}
	args := append(append([]string{}, program.Args...), cl.args...)
	if err := checkArgs(program.Path, args); err != nil {
		return proc.Result{ExitCode: -1}, err
	}
	limit := c.opts.Timeout + cl.extra
	ctx, stop := timeouts.WithLimit(ctx, limit, "agent-cu "+cl.verb)
	defer stop()
	result, err := c.runner.Run(ctx, proc.Command{
		Path: program.Path, Args: args, Env: c.childEnv(home), Outputs: cl.outputs, Sensitive: cl.sensitive,
	})
	if err != nil {
		if failed := failure(cl, result, err); failed != nil {
			return result, failed
		}
	}
	return result, nil
}

// checkArgs refuses what can't be handed to a process: NUL, and lines that Windows does not take. The
// length is an upper bound, as if every quote and backslash had to be escaped.
func checkArgs(program string, args []string) error {
	units := 1
	for _, arg := range append([]string{program}, args...) {
		if strings.ContainsRune(arg, 0) {
			return &Error{Kind: Usage, Message: "an argument holds a NUL character"}
		}
		units += len(utf16.Encode([]rune(arg))) + strings.Count(arg, `"`) + strings.Count(arg, `\`) + len(` ""`)
	}
	if units > maxCommandLine {
		return &Error{Kind: TooLarge, Message: "the arguments are longer than a command line may be"}
	}
	return nil
}

// environ is the environment that children start from.
func (c *Client) environ() []string {
	if c.opts.Env != nil {
		return c.opts.Env
	}
	return os.Environ()
}
