package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"mcp-computer-use/internal/proc"
)

// Player answers requests from a recording. It is safe for concurrent use.
type Player struct {
	header Header
	scrub  Scrub

	mu     sync.Mutex
	all    []*exchange
	queues map[string][]*exchange // by kind, in the order of the recording
	typed  map[int]string         // texts typed in this run, by the number of their mark
	misses []error
}

// Open reads a whole recording. scrub has to name the folders of this run, as for NewRecorder.
func Open(dir string, scrub Scrub) (*Player, error) {
	header, err := readHeader(dir)
	if err != nil {
		return nil, err
	}
	p := &Player{header: header, scrub: scrub, queues: make(map[string][]*exchange), typed: make(map[int]string)}
	if p.all, err = readExchanges(dir); err != nil {
		return nil, err
	}
	for _, e := range p.all {
		p.scrub.request(e)
		p.queues[e.kind] = append(p.queues[e.kind], e)
	}
	return p, nil
}

// request cleans the request of a record like that of a run: what is private to the one who replays may
// be an ordinary word to the one who recorded.
func (s Scrub) request(e *exchange) {
	if h := e.HTTP; h != nil {
		h.Path, h.Query, h.request = s.text(h.Path), s.text(h.Query), s.clean(maskFence(h.request))
		e.kind = httpKind(h.Method, h.Path)
		return
	}
	for i, arg := range e.Process.Args {
		e.Process.Args[i] = s.text(arg)
	}
	e.kind = processKind(e.Process.Program, e.Process.Args, e.Process.Detached)
}

// Header returns what the recorded run depended on.
func (p *Player) Header() Header { return p.header }

// Finish says whether the run asked for exactly what was recorded. The error joins a *NoMatchError for
// each request without answer and one *UnusedError.
func (p *Player) Finish() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	problems := slices.Clone(p.misses)
	var unused []string
	for _, e := range p.all {
		if slices.Contains(p.queues[e.kind], e) {
			unused = append(unused, e.name)
		}
	}
	if len(unused) > 0 {
		problems = append(problems, &UnusedError{unused})
	}
	return errors.Join(problems...)
}

// take returns the next record of a kind if it is the same request, and uses it up.
func (p *Player) take(kind, request string, differs func(*exchange) string) (*exchange, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	queue := p.queues[kind]
	var near []string
	if len(queue) > 0 {
		difference := differs(queue[0])
		if difference == "" {
			p.queues[kind] = queue[1:]
			return queue[0], nil
		}
		near = []string{queue[0].name + ": " + difference}
	} else {
		near = p.nearest(kind)
	}
	miss := &NoMatchError{Kind: kind, Request: request, Nearest: near}
	p.misses = append(p.misses, miss)
	return nil, miss
}

// nearest names up to three unused records that begin with the same word as a kind, or any.
func (p *Player) nearest(kind string) []string {
	word, _, _ := strings.Cut(kind, " ")
	var same, other []string
	for _, e := range p.all {
		switch {
		case !slices.Contains(p.queues[e.kind], e):
		case strings.HasPrefix(e.kind, word+" "):
			same = append(same, e.name+": "+e.kind)
		default:
			other = append(other, e.name+": "+e.kind)
		}
	}
	list := append(same, other...)
	if len(list) == 0 {
		return []string{"none, all records are used"}
	}
	return list[:min(3, len(list))]
}

// Runner returns a runner that starts nothing and answers from the recording, without waiting for as
// long as the child took. It writes the files that the child wrote to cmd.Outputs.
func (p *Player) Runner() proc.Runner { return playingRunner{p} }

type playingRunner struct{ p *Player }

// Run implements proc.Runner. A request that was not recorded gives a *NoMatchError.
func (x playingRunner) Run(_ context.Context, cmd proc.Command) (proc.Result, error) {
	e, err := x.p.process(cmd, false)
	if err != nil {
		return proc.Result{ExitCode: -1}, err
	}
	r := e.Process
	for i, out := range r.Outputs {
		if out.File == "" || i >= len(cmd.Outputs) {
			continue
		}
		if err := writeOutput(cmd.Outputs[i], out.data); err != nil {
			return proc.Result{ExitCode: -1}, fmt.Errorf("replay %s: %w", e.name, err)
		}
	}
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	stdout := unmask(r.stdout, x.p.typed, subCommand(r.Args) == "tree")
	result := proc.Result{
		Stdout: lengthen(stdout, cmd.Outputs), Stderr: lengthen(r.stderr, cmd.Outputs), ExitCode: r.ExitCode, Duration: r.duration(),
	}
	return result, r.Failure.processError(cmd.Path)
}

func writeOutput(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// lengthen puts the paths of this run where the recording has placeholders. JSON escapes are not needed
// outside of Windows; there the path is written as JSON has it, since only JSON names such files.
func lengthen(text []byte, outputs []string) []byte {
	text = bytes.Clone(text)
	for i, path := range outputs {
		escaped := strings.ReplaceAll(path, `\`, `\\`)
		text = bytes.ReplaceAll(text, []byte(placeholder("output-"+strconv.Itoa(i+1))), []byte(escaped))
	}
	return text
}

// process finds the record of a command and learns the text that it types.
func (p *Player) process(cmd proc.Command, detached bool) (*exchange, error) {
	const mark = "<typed>"
	live := &processRecord{Program: programName(cmd.Path), TypedChars: utf8.RuneCountInString(cmd.Sensitive), Detached: detached}
	for _, arg := range maskArgs(p.scrub.canonicalArgs(cmd), cmd.Sensitive, mark) {
		live.Args = append(live.Args, p.scrub.text(arg))
	}
	kind := processKind(live.Program, live.Args, detached)
	e, err := p.take(kind, live.show(len(cmd.Outputs)), func(e *exchange) string {
		return live.differs(e.Process, len(cmd.Outputs), mark)
	})
	if err == nil && cmd.Sensitive != "" {
		p.learn(e.Process.Args, cmd.Sensitive)
	}
	return e, err
}

func (p *Player) learn(recorded []string, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, arg := range recorded {
		if m := typedMark.FindStringSubmatch(arg); m != nil {
			number, _ := strconv.Atoi(m[1])
			p.typed[number] = text
		}
	}
}

// differs says how a command is not the recorded one; "" when it is.
func (r *processRecord) differs(recorded *processRecord, outputs int, mark string) string {
	args := make([]string, len(recorded.Args))
	for i, arg := range recorded.Args {
		args[i] = typedMark.ReplaceAllString(arg, mark)
	}
	switch {
	case !slices.Equal(r.Args, args):
		return fmt.Sprintf("arguments, recorded: %s", quoteAll(args))
	case r.TypedChars != recorded.TypedChars:
		return fmt.Sprintf("%d characters typed, recorded: %d", r.TypedChars, recorded.TypedChars)
	case outputs != len(recorded.Outputs):
		return fmt.Sprintf("%d output files, recorded: %d", outputs, len(recorded.Outputs))
	}
	return ""
}

// show prints a command for a person; its arguments have been masked.
func (r *processRecord) show(outputs int) string {
	text := r.Program
	for _, arg := range r.Args {
		text += " " + strconv.Quote(arg)
	}
	if outputs > 0 {
		text += fmt.Sprintf("\nwriting %d files", outputs)
	}
	return text
}

// Starter returns a starter that starts nothing and answers from the recording.
func (p *Player) Starter() proc.Starter { return playingStarter{p} }

type playingStarter struct{ p *Player }

// Start implements proc.Starter. A request that was not recorded gives a *NoMatchError.
func (x playingStarter) Start(_ context.Context, program proc.Detached) (proc.Started, error) {
	e, err := x.p.process(proc.Command{Path: program.Path, Args: program.Args, Env: program.Env}, true)
	if err != nil {
		return proc.Started{}, err
	}
	return proc.Started{PID: e.Process.PID, InJob: e.Process.InJob}, e.Process.Failure.processError(program.Path)
}

// Transport returns a transport that opens no connection and answers from the recording.
func (p *Player) Transport() Transport { return playingTransport{p} }

type playingTransport struct{ p *Player }

// RoundTrip implements http.RoundTripper. A request that was not recorded gives a *NoMatchError.
func (x playingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, _, err := takeBody(req)
	if err != nil {
		return nil, err
	}
	scrub := x.p.scrub
	live := &httpRecord{Method: req.Method, Path: scrub.text(pathOf(req)), Query: scrub.text(req.URL.RawQuery), request: scrub.clean(maskFence(body))}
	e, err := x.p.take(httpKind(live.Method, live.Path), live.show(), func(e *exchange) string { return live.differs(e.HTTP) })
	if err != nil {
		return nil, err
	}
	h := e.HTTP
	if h.Failure != nil {
		return nil, h.Failure.networkError()
	}
	resp := &http.Response{
		Status: fmt.Sprintf("%d %s", h.Status, http.StatusText(h.Status)), StatusCode: h.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: &playedBody{bytes.NewReader(h.response), h.BodyFailure.networkError()}, ContentLength: -1, Request: req,
	}
	if h.ContentType != "" {
		resp.Header.Set("Content-Type", h.ContentType)
	}
	return resp, nil
}

// playedBody ends like the recorded body did.
type playedBody struct {
	data *bytes.Reader
	fail error // instead of io.EOF; nil for the plain end
}

// Read implements io.Reader.
func (b *playedBody) Read(p []byte) (int, error) {
	n, err := b.data.Read(p)
	if err == io.EOF && b.fail != nil {
		err = b.fail
	}
	return n, err
}

// Close implements io.Closer.
func (b *playedBody) Close() error { return nil }
