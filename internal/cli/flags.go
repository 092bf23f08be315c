package cli

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/spf13/pflag"
)

// mode is what a run does; serve is the MCP stdio server.
type mode string

const (
	serve       mode = ""
	ask         mode = "ask"
	click       mode = "click"
	clickSteps  mode = "click-steps"
	typeText    mode = "type"
	ping        mode = "ping"
	release     mode = "release"
	health      mode = "health"
	verifyLog   mode = "verify-log"
	printConfig mode = "print-config"
	httpServe   mode = "http"
	version     mode = "version"
	help        mode = "help"
)

// modes are the mode flags in the order of the help text: how many positional arguments each takes
// (at most -1: any number), and what the help says.
var modes = []struct {
	mode       mode
	args       string
	least      int
	most       int
	whatItDoes string
}{
	{ask, "QUESTION", 1, 1, "read one window and answer"},
	{click, "APP TARGET", 2, 2, "click one visible label"},
	{clickSteps, "APP STEP...", 1, -1, "click 1 to 10 labels one after the other"},
	{typeText, "APP TARGET TEXT", 3, 3, "set the text of a field (never presses Enter)"},
	{ping, "", 0, 0, "check that server, Ollama and model answer"},
	{release, "", 0, 0, "unload the model now"},
	{health, "", 0, 0, "report what is there and what is missing"},
	{verifyLog, "", 0, 0, "check the hash chain of the action log"},
	{printConfig, "CLIENT", 1, 1, "print the block that registers the server: claude-code, claude-desktop, codex, cursor, vscode, cline"},
	{version, "", 0, 0, "print the version"},
	{help, "", 0, 0, "print this help"},
}

// options are the parsed command line.
type options struct {
	mode       mode
	args       []string
	app        *string
	imageOut   string
	confirm    bool
	client     *string
	sessionID  *string
	keepWarm   bool
	healthHTTP bool
	http       string
	record     string
	replay     string
	config     string
	pretty     bool
	ascii      string // auto, always, never
}

// usageError is a wrong command line: exit code 2, the message on stderr.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// parse reads the command line. A wrong one gives a *usageError.
func parse(args []string) (options, error) {
	var o options
	set := pflag.NewFlagSet("mcp-computer-use", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SortFlags = false
	chosen := make(map[mode]*bool)
	for _, m := range modes {
		chosen[m.mode] = set.Bool(string(m.mode), false, m.whatItDoes)
	}
	app := set.String("app", "", "the window to read, by title, process or a usual name")
	client := set.String("client", "", "name of the calling client, for a session")
	sessionID := set.String("session-id", "", "name of the session")
	set.StringVar(&o.imageOut, "image-out", "", "with --ask: also write a JPEG of the window to this file")
	set.BoolVar(&o.confirm, "confirm-dangerous", false, "a human agreed to the dangerous action")
	set.BoolVar(&o.keepWarm, "keep-warm", false, "keep the model loaded as in a session")
	set.BoolVar(&o.healthHTTP, "health-http", false, "with the server: also serve GET /health on loopback")
	set.StringVar(&o.http, "http", "", "serve MCP over HTTP at this address instead of stdio")
	set.StringVar(&o.record, "record", "", "record every child process and HTTP exchange into this folder")
	set.StringVar(&o.replay, "replay", "", "answer from a recording: no desktop, no agent-cu, no Ollama")
	set.StringVar(&o.config, "config", "", "configuration file; it must exist")
	set.BoolVar(&o.pretty, "pretty", false, "print the JSON over several lines")
	set.StringVar(&o.ascii, "ascii", "auto", "write non-ASCII as \\uXXXX: auto, always, never")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			o.mode = help
			return o, nil
		}
		if strings.HasPrefix(err.Error(), "unknown") {
			return o, usagef("%v (a label or text that begins with a dash goes behind --)", err)
		}
		return o, usagef("%v", err)
	}
	for _, name := range []string{"record", "replay", "config", "image-out"} {
		// An unset variable of a script, as in --replay "$DIR", must not mean the real desktop.
		if set.Changed(name) && set.Lookup(name).Value.String() == "" {
			return o, usagef("--%s needs a value that is not empty", name)
		}
	}
	o.args = set.Args()
	if set.Changed("app") {
		o.app = app
	}
	if set.Changed("client") {
		o.client = client
	}
	if set.Changed("session-id") {
		o.sessionID = sessionID
	}
	if err := o.choose(chosen, set.Changed("http")); err != nil {
		return o, err
	}
	return o, o.check()
}

// choose finds the one mode that was asked for.
func (o *options) choose(chosen map[mode]*bool, http bool) error {
	var found []string
	for _, m := range modes {
		if *chosen[m.mode] {
			o.mode = m.mode
			found = append(found, "--"+string(m.mode))
		}
	}
	if http {
		o.mode = httpServe
		found = append(found, "--http")
	}
	if len(found) > 1 && *chosen[help] {
		o.mode = help
		return nil
	}
	if len(found) > 1 {
		return usagef("%s: choose one of them", strings.Join(found, " and "))
	}
	return nil
}

// check says what does not fit together.
func (o *options) check() error {
	least, most, names := 0, 0, ""
	for _, m := range modes {
		if m.mode == o.mode {
			least, most, names = m.least, m.most, m.args
		}
	}
	switch n := len(o.args); {
	case o.mode == help || o.mode == version:
		return nil
	case n < least:
		return usagef("--%s needs %s", o.mode, names)
	case most >= 0 && n > most && most == 0 && o.mode == serve:
		return usagef("%q: no mode was chosen (--ask, --click, ...)", o.args[0])
	case most >= 0 && n > most:
		return usagef("%q is one argument too many for --%s; quote arguments that hold spaces", o.args[most], o.mode)
	}
	switch {
	case o.app != nil && o.mode != ask:
		return usagef("--app goes with --ask; the other modes take the application as their first argument")
	case o.imageOut != "" && o.mode != ask:
		return usagef("--image-out goes with --ask")
	case o.confirm && o.mode != click && o.mode != clickSteps && o.mode != typeText:
		return usagef("--confirm-dangerous goes with --click, --click-steps and --type")
	case o.record != "" && o.replay != "":
		return usagef("--record and --replay exclude each other")
	case o.ascii != "auto" && o.ascii != "always" && o.ascii != "never":
		return usagef("--ascii=%s: it is auto, always or never", o.ascii)
	}
	if _, _, err := net.SplitHostPort(o.http); o.mode == httpServe && err != nil {
		return usagef("--http %q: give an address with a port, such as 127.0.0.1:8766", o.http)
	}
	return nil
}

// usage is the help text.
func usage() string {
	var b strings.Builder
	b.WriteString("mcp-computer-use: ask what a window shows, click and type by visible label.\n\n" +
		"Without a mode flag it is an MCP server over stdio. Modes:\n")
	for _, m := range modes {
		fmt.Fprintf(&b, "  --%-30s %s\n", strings.TrimSpace(string(m.mode)+" "+m.args), m.whatItDoes)
	}
	b.WriteString(`
Options:
  --app APP                      with --ask: the window, by title, process or usual name
  --image-out FILE               with --ask: also write a JPEG of the window
  --confirm-dangerous            a human agreed to this dangerous action
  --client NAME --session-id ID  keep context between calls
  --keep-warm                    keep the model loaded as in a session
  --health-http                  with the server: serve GET /health too
  --http ADDR                    serve MCP over HTTP instead of stdio
  --config FILE                  configuration file (it must exist)
  --record DIR, --replay DIR     record a run; answer from a recorded one
  --pretty                       JSON over several lines
  --ascii=auto|always|never      write non-ASCII as \uXXXX
A double dash ends the options: --type App Field -- -5

Exit codes: 0 answered, 1 an error or ok:false, 2 wrong usage or configuration, 130 interrupted.
`)
	return b.String()
}
