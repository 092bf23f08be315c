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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mcp-computer-use/internal/proc"
)

// maxOutputFile bounds a file that is kept for a child; pictures of large screens are smaller.
const maxOutputFile = 64 << 20

// Recorder writes what passes through its runners and transports. It is safe for concurrent use.
type Recorder struct {
	dir   string
	scrub Scrub

	mu      sync.Mutex
	count   int
	typed   typedLog
	secrets []shownSecret
	texts   []*exchange // written outputs that may repeat a secret seen later
	open    []*recordedBody
	err     error // the first failure to write
}

// NewRecorder begins a recording in a folder, which is made where it is missing and must be empty.
func NewRecorder(dir string, header Header, scrub Scrub) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("begin a recording: %w", err)
	}
	if entries, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("begin a recording: %w", err)
	} else if len(entries) > 0 {
		return nil, fmt.Errorf("begin a recording: %s is not empty; name a new or an empty folder", dir)
	}
	r := &Recorder{dir: dir, scrub: scrub}
	header.Version = FormatVersion
	if err := writeJSON(filepath.Join(dir, headerFile), header, scrub.clean); err != nil {
		return nil, fmt.Errorf("begin a recording: %w", err)
	}
	return r, nil
}

// Close ends the recording: answers that are still being read are written as far as they came. It
// returns the first failure to write a record; such a recording can't be replayed.
func (r *Recorder) Close() error {
	r.mu.Lock()
	open := slices.Clone(r.open)
	r.mu.Unlock()
	for _, body := range open {
		body.finish(nil)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return fmt.Errorf("recording: %w", r.err)
	}
	return nil
}

// begin gives an exchange its place in the order. The program goes on whatever becomes of the record.
func (r *Recorder) begin(e *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	e.name = fmt.Sprintf("%03d-%s", r.count, fileName(r.scrub.text(e.kind)))
}

// save writes a finished exchange.
func (r *Recorder) save(e *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(e.write(r.dir, r.scrub.clean))
}

func (r *Recorder) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

var unsafeName = regexp.MustCompile(`[^a-z0-9]+`)

// fileName makes a kind into a short file name that every system takes.
func fileName(kind string) string {
	name := strings.Trim(unsafeName.ReplaceAllString(strings.ToLower(kind), "-"), "-")
	if len(name) > 40 {
		name = strings.TrimRight(name[:40], "-")
	}
	return name
}

// Runner returns a runner that writes down what inner does.
func (r *Recorder) Runner(inner proc.Runner) proc.Runner { return recordingRunner{r, inner} }

type recordingRunner struct {
	r     *Recorder
	inner proc.Runner
}

// Run implements proc.Runner.
func (x recordingRunner) Run(ctx context.Context, cmd proc.Command) (proc.Result, error) {
	p, e := x.r.process(cmd)
	x.r.begin(e)
	result, err := x.inner.Run(ctx, cmd)
	p.ExitCode, p.DurationMS = result.ExitCode, millis(result.Duration)
	p.Failure = processFailure(err, func(text string) string { return maskText(text, cmd.Sensitive) })
	x.r.keepOutputs(p, cmd)
	x.r.finish(e, cmd, result)
	return result, err
}

// process makes the record of a command, without its answer.
func (r *Recorder) process(cmd proc.Command) (*processRecord, *exchange) {
	args := r.scrub.canonicalArgs(cmd)
	if cmd.Sensitive != "" {
		r.mu.Lock()
		args = maskArgs(args, cmd.Sensitive, r.typed.add(cmd))
		r.mu.Unlock()
	}
	p := &processRecord{Program: programName(cmd.Path), Args: args, TypedChars: utf8.RuneCountInString(cmd.Sensitive)}
	return p, &exchange{Process: p, kind: processKind(p.Program, args, false)}
}

// keepOutputs takes the files that the child wrote into the record.
func (r *Recorder) keepOutputs(p *processRecord, cmd proc.Command) {
	for i, path := range cmd.Outputs {
		out := outputFile{Path: r.scrub.outputPath(path, cmd)}
		data, err := readBounded(path)
		switch {
		case err == nil:
			out.File, out.data = "output-"+strconv.Itoa(i+1)+"-"+outputBase(path), data
		case !errors.Is(err, os.ErrNotExist):
			r.mu.Lock()
			r.note(err)
			r.mu.Unlock()
		}
		p.Outputs = append(p.Outputs, out)
	}
}

var unsafeOutput = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func outputBase(path string) string {
	name := strings.Trim(unsafeOutput.ReplaceAllString(random.ReplaceAllString(programName(path), ""), "-"), "-")
	if name == "" {
		return "file"
	}
	return name
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxOutputFile+1))
	if err == nil && len(data) > maxOutputFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxOutputFile)
	}
	return data, err
}

// finish masks what the child printed and writes the record.
func (r *Recorder) finish(e *exchange, cmd proc.Command, result proc.Result) {
	p := e.Process
	r.mu.Lock()
	defer r.mu.Unlock()
	r.typed.remember(cmd, result.Stdout)
	p.stdout = shorten(r.typed.clean(cmd, result.Stdout), cmd.Outputs)
	p.stderr = shorten(result.Stderr, cmd.Outputs)
	if cmd.Sensitive != "" {
		p.stdout = []byte(maskText(string(p.stdout), cmd.Sensitive))
		p.stderr = []byte(maskText(string(p.stderr), cmd.Sensitive))
	}
	switch subCommand(cmd.Args) {
	case "tree":
		p.stdout = r.typed.maskTree(p.stdout)
	case "snapshot":
		var found []shownSecret
		if p.stdout, found = maskSecrets(p.stdout); len(found) > 0 {
			r.secrets = append(r.secrets, found...)
			r.maskWritten()
		}
	case "text":
		p.stdout = maskLines(p.stdout, r.secrets)
		r.texts = append(r.texts, e)
	}
	r.note(e.write(r.dir, r.scrub.clean))
}

// maskWritten masks lines of earlier outputs that a later snapshot showed to be secret: both are read
// side by side, and either may end first.
func (r *Recorder) maskWritten() {
	for _, e := range r.texts {
		masked := maskLines(e.Process.stdout, r.secrets)
		if bytes.Equal(masked, e.Process.stdout) {
			continue
		}
		e.Process.stdout = masked
		r.note(os.WriteFile(filepath.Join(r.dir, e.name, "stdout.txt"), r.scrub.clean(masked), 0o600))
	}
}

// maskText takes a typed text out of what a program says about it. Very short texts stay: they are
// parts of other words.
func maskText(text, sensitive string) string {
	if len(sensitive) < 4 {
		return text
	}
	return strings.ReplaceAll(text, sensitive, "<typed>")
}

// shorten writes the paths of output files as placeholders, plain and as JSON has them.
func shorten(text []byte, outputs []string) []byte {
	for i, path := range outputs {
		if path == "" {
			continue
		}
		mark := []byte(placeholder("output-" + strconv.Itoa(i+1)))
		text = bytes.ReplaceAll(text, []byte(strings.ReplaceAll(path, `\`, `\\`)), mark)
		text = bytes.ReplaceAll(text, []byte(path), mark)
	}
	return text
}

// Starter returns a starter that writes down what inner does.
func (r *Recorder) Starter(inner proc.Starter) proc.Starter { return recordingStarter{r, inner} }

type recordingStarter struct {
	r     *Recorder
	inner proc.Starter
}

// Start implements proc.Starter.
func (x recordingStarter) Start(ctx context.Context, program proc.Detached) (proc.Started, error) {
	p, e := x.r.process(proc.Command{Path: program.Path, Args: program.Args, Env: program.Env})
	p.Detached, e.kind = true, processKind(p.Program, p.Args, true)
	x.r.begin(e)
	began := time.Now()
	started, err := x.inner.Start(ctx, program)
	p.PID, p.InJob, p.DurationMS = started.PID, started.InJob, millis(time.Since(began))
	p.Failure = processFailure(err, strings.Clone)
	x.r.save(e)
	return started, err
}

// Transport returns a transport that writes down what inner does. An answer's body is written when it
// was read to its end or closed.
func (r *Recorder) Transport(inner Transport) Transport {
	return recordingTransport{r, inner}
}

type recordingTransport struct {
	r     *Recorder
	inner http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (x recordingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, sent, err := takeBody(req)
	if err != nil {
		return nil, err
	}
	h := &httpRecord{Method: req.Method, Path: pathOf(req), Query: req.URL.RawQuery, request: maskFence(body)}
	e := &exchange{HTTP: h, kind: httpKind(h.Method, h.Path)}
	x.r.begin(e)
	began := time.Now()
	resp, err := x.inner.RoundTrip(sent)
	h.DurationMS = millis(time.Since(began))
	if err != nil {
		h.Failure = networkFailure(err)
		x.r.save(e)
		return resp, err
	}
	h.Status, h.ContentType = resp.StatusCode, resp.Header.Get("Content-Type")
	kept := &recordedBody{r: x.r, e: e, inner: resp.Body}
	x.r.mu.Lock()
	x.r.open = append(x.r.open, kept)
	x.r.mu.Unlock()
	resp.Body = kept
	return resp, nil
}

// recordedBody keeps the bytes of an answer while they are read.
type recordedBody struct {
	r     *Recorder
	e     *exchange
	inner io.ReadCloser

	mu   sync.Mutex
	data bytes.Buffer
	done bool
}

// Read implements io.Reader.
func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	b.mu.Lock()
	b.data.Write(p[:n])
	b.mu.Unlock()
	if err != nil {
		b.finish(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *recordedBody) Close() error {
	err := b.inner.Close()
	b.finish(nil)
	return err
}

// finish writes the exchange once. err is how reading ended: io.EOF is the plain end.
func (b *recordedBody) finish(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done {
		return
	}
	b.done = true
	if err != nil && err != io.EOF {
		b.e.HTTP.BodyFailure = networkFailure(err)
	}
	b.e.HTTP.response = b.data.Bytes()
	b.r.save(b.e)
	b.r.mu.Lock()
	b.r.open = slices.DeleteFunc(b.r.open, func(one *recordedBody) bool { return one == b })
	b.r.mu.Unlock()
}
