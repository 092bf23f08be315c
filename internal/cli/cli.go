// Package cli is the edge towards the shell: flags, stdio, signals, exit codes and the wiring of all
// other packages.
//
// It must not know how a tool works or how MCP frames its messages.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"mcp-computer-use/internal/config"
	"mcp-computer-use/internal/proc"
)

// The exit codes (spec/contract.md section 2).
const (
	exitOK          = 0
	exitFailed      = 1 // the result has an error, or ok is false
	exitUsage       = 2 // wrong command line or configuration: nothing was run
	exitInterrupted = 130
)

// releaseVersion is set by the linker for releases; builds from a checkout say devel.
var releaseVersion = "devel"

// streams are the process's three.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run is one run of the program: its command line, settings and streams.
type run struct {
	streams
	options
	loaded config.Loaded
	form   form
	log    *slog.Logger
}

// Main runs the program and returns its exit code (spec/contract.md section 2).
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := streams{stdin, stdout, stderr}
	opts, err := parse(args)
	if err != nil {
		return s.usage(err)
	}
	switch opts.mode {
	case help:
		return s.print(usage())
	case version:
		return s.print("mcp-computer-use " + programVersion() + "\n")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := &run{streams: s, options: opts, form: form{pretty: opts.pretty, ascii: wantsASCII(opts.ascii, stdout)}}
	r.log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	code, err := r.start(ctx)
	switch {
	case ctx.Err() != nil && opts.mode != serve && opts.mode != httpServe:
		return exitInterrupted
	case err != nil:
		return s.usage(err)
	}
	return code
}

// start reads the settings and does what the mode says. Its error means that nothing was run.
func (r *run) start(ctx context.Context) (int, error) {
	if r.mode == printConfig {
		return r.printConfig()
	}
	if err := r.configure(ctx); err != nil {
		return exitUsage, err
	}
	if r.mode == verifyLog {
		return r.verifyLog(ctx)
	}
	app, err := r.wire(ctx)
	if err != nil {
		return exitUsage, err
	}
	code := exitFailed
	if r.mode == serve || r.mode == httpServe {
		code, err = r.serve(ctx, app)
	} else {
		code = r.once(ctx, app)
	}
	if closeErr := app.close(); closeErr != nil {
		fmt.Fprintln(r.err, closeErr)
		code = max(code, exitFailed)
	}
	return code, err
}

// configure loads the settings; a replay has its own and reads neither files nor variables.
func (r *run) configure(ctx context.Context) error {
	if r.replay != "" {
		return nil
	}
	work, err := os.Getwd()
	if err != nil {
		work = "" // a folder that is gone holds no configuration
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	r.loaded, err = config.Load(ctx, config.Request{ConfigPath: r.config, Environ: os.Environ(), WorkDir: work,
		Home: home, GOOS: runtime.GOOS})
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if shell := proc.ParentName(); r.mode == serve && isWrapper(shell) {
		r.loaded.Warnings = append(r.loaded.Warnings, "the server was started through "+shell+
			", which can keep it alive after its client has gone: register the program itself (--print-config)")
	}
	for _, warning := range r.loaded.Warnings {
		fmt.Fprintln(r.err, "mcp-computer-use: warning:", warning)
	}
	return nil
}

// isWrapper says that a parent process is a command interpreter of Windows (spec/windows.md M7.7).
func isWrapper(name string) bool {
	name = strings.ToLower(name)
	return name == "cmd.exe" || name == "cmd"
}

// usage reports what stopped the start.
func (s streams) usage(err error) int {
	fmt.Fprintln(s.err, "mcp-computer-use:", err)
	var wrong *usageError
	if errors.As(err, &wrong) {
		fmt.Fprintln(s.err, "Try: mcp-computer-use --help")
	}
	return exitUsage
}

func (s streams) print(text string) int {
	if _, err := io.WriteString(s.out, text); err != nil {
		return exitFailed
	}
	return exitOK
}

// programVersion is the release's version, else what the Go toolchain knows of the build.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if releaseVersion != "devel" || !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return releaseVersion
	}
	return info.Main.Version
}

// wantsASCII says whether non-ASCII is escaped: by itself only on Windows where stdout is no console,
// since a pipe's code page is unknown there.
func wantsASCII(choice string, stdout io.Writer) bool {
	switch choice {
	case "always":
		return true
	case "never":
		return false
	}
	return runtime.GOOS == "windows" && !isTerminal(stdout)
}

// isTerminal says whether a stream is a console or terminal.
func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
