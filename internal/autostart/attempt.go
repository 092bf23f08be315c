package autostart

import (
	"context"
	"fmt"
	"os"
	"time"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/store"
)

const (
	firstPause = 50 * time.Millisecond
	maxPause   = 500 * time.Millisecond
	// exitGrace is how long an answer is awaited after our server has ended: the reason can be that
	// another one was faster, or that it left a child behind to serve.
	exitGrace = 1500 * time.Millisecond
)

// attempt is one Ensure that found nobody.
type attempt struct {
	*Starter
	host   string // OLLAMA_HOST of the server
	limit  time.Duration
	method Method
	tried  bool // a start of our own was tried
	note   string
}

// run returns nil as soon as Ollama answers, whoever started it.
func (a *attempt) run(ctx context.Context) error {
	a.method = None
	if err := store.EnsureDir(a.options.Dir); err != nil {
		return &Error{Kind: NoFolder, Message: "the folder for lock and log can't be used", Err: err}
	}
	unlock, err := a.locker.Lock(ctx, a.file(lockName))
	if err != nil {
		if ctx.Err() != nil {
			return a.tooLate("another process is starting Ollama and was not ready", err)
		}
		return &Error{Kind: NoFolder, Message: "the lock against double starts can't be taken", Err: err}
	}
	defer unlock()
	switch again := a.probe(ctx); {
	case again.state == up:
		return nil
	case again.state == foreign:
		return portTaken(a.seams.Server.Address(), again.err)
	case again.state == pending, a.startedLately():
		// A start now would be a second one on the same port.
		return a.await(ctx, proc.Started{})
	}
	return a.start(ctx)
}

// start starts a server of our own and waits for it. The lock is held.
func (a *attempt) start(ctx context.Context) error {
	program, err := a.program()
	if err != nil {
		return err
	}
	if other, found := a.seams.Server.ProbeOther(ctx); found {
		a.note = fmt.Sprintf("Ollama also answers at %s; a second one was started at %s. Set MCP_CU_OLLAMA_URL to %s to use the first.",
			other, a.seams.Server.Address().Redacted(), other)
	}
	trimLog(program.LogFile)
	a.tried = true
	a.mark(eventStarting, 0)
	started, err := a.launch(ctx, program)
	if err != nil {
		a.mark(eventEnded, 0)
		return &Error{Kind: NotStarted, Message: "ollama serve can't be started", Err: err}
	}
	a.mark(eventStarted, started.PID)
	return a.await(ctx, started)
}

// program is the server to start, with all that it gets from us.
func (a *attempt) program() (proc.Detached, error) {
	path := a.options.Program
	if path == "" {
		finder := proc.Finder{GOOS: a.goos, Env: a.options.Env, Stat: os.Stat}
		if path = findOllama(finder); path == "" {
			return proc.Detached{}, &Error{Kind: NotInstalled, Message: "nothing answers at " + a.seams.Server.Address().Redacted() +
				", and no ollama program was found on PATH to start it"}
		}
	}
	return proc.Detached{
		Path: path, Args: []string{"serve"}, Env: serverEnv(a.options.Env, a.host, a.goos),
		Dir: a.workFolder(), LogFile: a.file(logName),
	}, nil
}

// workFolder is where the server works: the user's home, which stays, or our own folder.
func (a *attempt) workFolder() string {
	name := "HOME"
	if a.goos == "windows" {
		name = "USERPROFILE"
	}
	finder := proc.Finder{GOOS: a.goos, Env: a.options.Env}
	home := finder.Getenv(name)
	if info, err := os.Stat(home); err == nil && info.IsDir() && finder.IsAbs(home) {
		return home
	}
	return a.file("")
}

// await polls until Ollama answers. started is our server, or the zero value for another's.
func (a *attempt) await(ctx context.Context, started proc.Started) error {
	var ended time.Time
	var look probed
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		before := look
		look = a.probe(ctx)
		switch {
		case look.state == up:
			return nil
		case ctx.Err() != nil:
			return a.late(before) // the look itself was cut short
		case ended.IsZero() && a.gone(started):
			ended = a.seams.Now()
			a.mark(eventEnded, started.PID)
		case !ended.IsZero() && a.seams.Now().Sub(ended) >= exitGrace:
			if look.state == foreign {
				return portTaken(a.seams.Server.Address(), look.err)
			}
			return &Error{Kind: Ended, Message: "ollama serve ended at once" + a.lastWords(), Err: look.err}
		}
		a.pause(ctx, pause, started, ended)
	}
}

// pause waits, and less long when our server ends meanwhile.
func (a *attempt) pause(ctx context.Context, pause time.Duration, started proc.Started, ended time.Time) {
	if started.Exited == nil || !ended.IsZero() {
		a.seams.Sleep(ctx, pause)
		return
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	woken := make(chan struct{})
	go func() {
		defer close(woken)
		select {
		case <-started.Exited:
			stop()
		case <-inner.Done():
		}
	}()
	a.seams.Sleep(inner, pause)
	stop()
	<-woken
}

// gone says whether our server has ended.
func (a *attempt) gone(started proc.Started) bool {
	if started.Exited == nil {
		return started.PID > 0 && !a.alive(started.PID)
	}
	select {
	case <-started.Exited:
		return true
	default:
		return false
	}
}

// late is the error of a wait whose time was over.
func (a *attempt) late(look probed) error {
	switch look.state {
	case foreign:
		return portTaken(a.seams.Server.Address(), look.err)
	case pending:
		return a.tooLate("something listens at "+a.host+" and did not answer", look.err)
	}
	return a.tooLate("Ollama was started and did not answer", look.err)
}

func (a *attempt) tooLate(what string, err error) error {
	message := fmt.Sprintf("%s within %ss", what, seconds(a.limit))
	return &Error{Kind: NoAnswer, Message: message, Err: err}
}

// seconds prints a duration with at most one decimal.
func seconds(d time.Duration) string {
	text := fmt.Sprintf("%.1f", d.Seconds())
	if text[len(text)-2:] == ".0" {
		text = text[:len(text)-2]
	}
	return text
}
