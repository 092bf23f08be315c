package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/proc"
)

// runnerFunc is a Runner made of a function.
type runnerFunc func(context.Context, proc.Command) (proc.Result, error)

func (f runnerFunc) Run(ctx context.Context, cmd proc.Command) (proc.Result, error) {
	return f(ctx, cmd)
}

// seen is what a caller can tell of one answer.
type seen struct {
	Stdout, Stderr string
	Exit           int
	Duration       time.Duration
	Outputs        []string
	Kind           proc.Kind
	Code           int
	Is             []string
	Text           string
}

func look(result proc.Result, err error, outputs []string) seen {
	s := seen{Stdout: string(result.Stdout), Stderr: string(result.Stderr), Exit: result.ExitCode, Duration: result.Duration}
	for _, path := range outputs {
		data, err := os.ReadFile(path)
		s.Outputs = append(s.Outputs, fmt.Sprintf("%q %t", data, err == nil))
	}
	var failed *proc.Error
	if errors.As(err, &failed) {
		s.Kind, s.Code = failed.Kind, failed.ExitCode
	}
	if err != nil {
		s.Is, s.Text = namesIn(err), err.Error()
	}
	return s
}

func record(t *testing.T, scrub Scrub) (*Recorder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r, err := NewRecorder(dir, Header{Platform: "windows", Programs: map[string]string{"agent-cu": "/opt/agent-cu"}}, scrub)
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func reopen(t *testing.T, r *Recorder, dir string, scrub Scrub) *Player {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	p, err := Open(dir, scrub)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return p
}

// call is one scripted child.
type call struct {
	name   string
	args   []string
	writes []string // contents of the output files; "-" writes none
	result proc.Result
	err    error
}

func calls() []call {
	bad := "caf\xe9 \xff\x00 \r\nlast line without end"
	failed := func(kind proc.Kind, code int, err error) error {
		return &proc.Error{Kind: kind, Path: "/opt/agent-cu", ExitCode: code, Err: err}
	}
	return []call{
		{"windows", []string{"windows", "--compact"}, nil, proc.Result{Stdout: []byte("[]\n"), Duration: 1234567 * time.Microsecond}, nil},
		{"bytes", []string{"text", "-a", "A"}, nil, proc.Result{Stdout: []byte(bad), Stderr: []byte("-- warning --\n")}, nil},
		{"outputs", []string{"snapshot", "-a", "A", "-i"}, []string{`{"refs": {}}`, "\x89PNG\x00\xff", "-", ""}, proc.Result{Stdout: []byte("window \"A\"\n")}, nil},
		{"the same again, another answer", []string{"snapshot", "-a", "A", "-i"}, []string{"2", "-", "-", "-"}, proc.Result{Stdout: []byte("window \"B\"\n")}, nil},
		{"another window", []string{"snapshot", "--app=-A", "-i"}, []string{"3", "-", "-", "-"}, proc.Result{}, nil},
		{"exit status", []string{"click", "@e1", "-a", "A"}, nil, proc.Result{Stderr: []byte(`{"error": true}`), ExitCode: 1}, failed(proc.ExitStatus, 1, errors.New("exit status 1"))},
		{"time-out", []string{"click", "@e2", "-a", "A"}, nil, proc.Result{Stdout: []byte("par"), ExitCode: -1}, failed(proc.TimedOut, -1, fmt.Errorf("agent-cu: %w", context.DeadlineExceeded))},
		{"canceled", []string{"click", "@e3", "-a", "A"}, nil, proc.Result{ExitCode: -1}, failed(proc.Canceled, -1, context.Canceled)},
		{"not started", []string{"click", "@e4", "-a", "A"}, nil, proc.Result{ExitCode: -1}, failed(proc.NotStarted, -1, &fs.PathError{Op: "fork/exec", Path: "/opt/x", Err: fs.ErrNotExist})},
		{"held", []string{"click", "@e5", "-a", "A"}, nil, proc.Result{Stdout: []byte("all")}, failed(proc.PipeHeld, 0, errors.New("wait delay"))},
		{"killed", []string{"click", "@e6", "-a", "A"}, nil, proc.Result{ExitCode: -1}, failed(proc.Killed, -1, errors.New("signal: killed"))},
		{"too large", []string{"click", "@e7", "-a", "A"}, nil, proc.Result{ExitCode: -1}, failed(proc.OutputTooLarge, -1, nil)},
		{"an error of its own", []string{"click", "@e8", "-a", "A"}, nil, proc.Result{ExitCode: -1}, errors.New("no runner")},
		{"no arguments", nil, nil, proc.Result{}, nil},
	}
}

// command builds a call's command with a home and output files of its own, as every run has.
func (c call) command(t *testing.T) proc.Command {
	home := t.TempDir()
	cmd := proc.Command{Path: "/opt/agent-cu", Args: c.args, Env: []string{"HOME=" + home}}
	for i := range c.writes {
		cmd.Outputs = append(cmd.Outputs, filepath.Join(home, ".agent-cu", fmt.Sprintf("out%d.json", i)))
	}
	return cmd
}

func TestReplayedProcessesAnswerAsRecorded(t *testing.T) {
	r, dir := record(t, Scrub{})
	var want []seen
	for _, c := range calls() {
		runner := r.Runner(runnerFunc(func(_ context.Context, cmd proc.Command) (proc.Result, error) {
			for i, content := range c.writes {
				if content != "-" {
					if err := writeOutput(cmd.Outputs[i], []byte(content)); err != nil {
						t.Fatal(err)
					}
				}
			}
			return c.result, c.err
		}))
		cmd := c.command(t)
		result, err := runner.Run(t.Context(), cmd)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: the recorder changed the error to %v", c.name, err)
		}
		want = append(want, look(result, err, cmd.Outputs))
	}
	p := reopen(t, r, dir, Scrub{})
	for i, c := range calls() {
		cmd := c.command(t)
		result, err := p.Runner().Run(t.Context(), cmd)
		if diff := cmp.Diff(want[i], look(result, err, cmd.Outputs)); diff != "" {
			t.Errorf("%s (-recorded +replayed):\n%s", c.name, diff)
		}
	}
	if err := p.Finish(); err != nil {
		t.Errorf("Finish: %v", err)
	}
}

// tripFunc is a RoundTripper made of a function.
type tripFunc func(*http.Request) (*http.Response, error)

func (f tripFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// answer is what a caller can tell of one HTTP exchange.
type answer struct {
	Status                     int
	Type, Body, Kind, BodyKind string
	Is                         []string
	Refused, Reset, Timeout    bool
}

func ask(t *testing.T, transport http.RoundTripper, method, url, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		var timeout net.Error
		return answer{Kind: networkKind(err), Is: namesIn(err), Refused: isErrno(err, syscall.ECONNREFUSED, 10061),
			Reset: isErrno(err, syscall.ECONNRESET, 10054), Timeout: errors.As(err, &timeout) && timeout.Timeout()}
	}
	data, err := io.ReadAll(resp.Body)
	a := answer{Status: resp.StatusCode, Type: resp.Header.Get("Content-Type"), Body: string(data)}
	if err != nil {
		a.BodyKind, a.Is = networkKind(err), namesIn(err)
	}
	_ = resp.Body.Close()
	return a
}

// server answers like Ollama on a good and on a bad day.
func server(t *testing.T) *httptest.Server {
	count := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		switch {
		case req.URL.Path == "/api/tags":
			count++
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = fmt.Fprintf(w, `{"models":[%d]}`, count)
		case strings.Contains(string(body), "stream"):
			w.Header().Set("Content-Type", "application/x-ndjson")
			for i := range 3 {
				_, _ = fmt.Fprintf(w, "{\"n\": %d}\n", i)
				w.(http.Flusher).Flush()
			}
		case strings.Contains(string(body), "cut"):
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case strings.Contains(string(body), "drop"):
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte("bad \xff bytes"))
		}
	}))
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	return s
}

func TestReplayedRequestsAnswerAsRecorded(t *testing.T) {
	s := server(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	script := []struct{ method, url, body string }{
		{"GET", s.URL + "/api/tags", ""},
		{"GET", s.URL + "/api/tags", ""},
		{"POST", s.URL + "/api/chat?x=1", `{"stream": true, "text": "<screen-0123456789abcdef>"}`},
		{"POST", s.URL + "/api/chat", `{"cut": 1}`},
		{"POST", s.URL + "/api/chat", "drop"},
		{"POST", s.URL + "/api/chat", `{"a": 1.50, "b": [true]}`},
		{"GET", gone.URL + "/api/ps", ""},
		{"GET", "http://x.invalid/slow", ""},
		{"GET", "http://x.invalid/stopped", ""},
		{"GET", "http://x.invalid/reset", ""},
	}
	inner := tripFunc(func(req *http.Request) (*http.Response, error) {
		switch req.URL.Path {
		case "/slow":
			return nil, context.DeadlineExceeded
		case "/stopped":
			return nil, context.Canceled
		case "/reset":
			return nil, &net.OpError{Op: "read", Err: os.NewSyscallError("read", errno(syscall.ECONNRESET, 10054))}
		}
		return http.DefaultTransport.RoundTrip(req)
	})
	r, dir := record(t, Scrub{})
	var want []answer
	for _, one := range script {
		want = append(want, ask(t, r.Transport(inner), one.method, one.url, one.body))
	}
	if w := want[3]; w.BodyKind != kindCut || w.Body != "half" {
		t.Errorf("the cut body is recorded as %+v", w)
	}
	p := reopen(t, r, dir, Scrub{})
	for i, one := range script {
		body := strings.Replace(one.body, "0123456789abcdef", "fedcba98765432100", 1)
		if i == 5 {
			body = `{"b":[true],"a":1.50}`
		}
		if i == 2 {
			body = strings.Replace(one.body, "0123456789abcdef", "fedcba9876543210", 1)
		}
		if diff := cmp.Diff(want[i], ask(t, p.Transport(), one.method, "http://elsewhere.invalid"+one.url[strings.Index(one.url[8:], "/")+8:], body)); diff != "" {
			t.Errorf("%s %s (-recorded +replayed):\n%s", one.method, one.url, diff)
		}
	}
	if err := p.Finish(); err != nil {
		t.Errorf("Finish: %v", err)
	}
}

func TestKindsInterleaveAndOrderHoldsWithinOne(t *testing.T) {
	r, dir := record(t, Scrub{})
	answers := map[string]int{}
	inner := runnerFunc(func(_ context.Context, cmd proc.Command) (proc.Result, error) {
		key := strings.Join(cmd.Args, " ")
		answers[key]++
		return proc.Result{Stdout: fmt.Appendf(nil, "%s %d\n", key, answers[key])}, nil
	})
	script := []string{"text -a A", "snapshot -a A", "text -a B", "text -a A", "snapshot -a A"}
	for _, line := range script {
		if _, err := r.Runner(inner).Run(t.Context(), proc.Command{Path: "agent-cu", Args: strings.Fields(line)}); err != nil {
			t.Fatal(err)
		}
	}
	p := reopen(t, r, dir, Scrub{})
	for _, line := range []string{"snapshot -a A", "snapshot -a A", "text -a B", "text -a A", "text -a A"} {
		answers[line+" played"]++
		result, err := p.Runner().Run(t.Context(), proc.Command{Path: "/x/agent-cv", Args: strings.Fields(line)})
		if err == nil {
			t.Fatalf("another program's file name was taken: %s", result.Stdout)
		}
		result, err = p.Runner().Run(t.Context(), proc.Command{Path: `C:\bin\Agent-CU.EXE`, Args: strings.Fields(line)})
		want := fmt.Sprintf("%s %d\n", line, answers[line+" played"])
		if err != nil || string(result.Stdout) != want {
			t.Errorf("%s: %q, %v, want %q", line, result.Stdout, err, want)
		}
	}
}

func TestConcurrentRecordAndReplay(t *testing.T) {
	r, dir := record(t, Scrub{})
	inner := runnerFunc(func(_ context.Context, cmd proc.Command) (proc.Result, error) {
		return proc.Result{Stdout: []byte(cmd.Args[2])}, nil
	})
	run := func(runner proc.Runner) {
		var wait sync.WaitGroup
		for i := range 20 {
			wait.Go(func() {
				name := fmt.Sprintf("w%d", i)
				result, err := runner.Run(t.Context(), proc.Command{Path: "agent-cu", Args: []string{"text", "-a", name}})
				if err != nil || string(result.Stdout) != name {
					t.Errorf("%s: %q, %v", name, result.Stdout, err)
				}
			})
		}
		wait.Wait()
	}
	run(r.Runner(inner))
	p := reopen(t, r, dir, Scrub{})
	run(p.Runner())
	if err := p.Finish(); err != nil {
		t.Error(err)
	}
}

// starterFunc is a Starter made of a function.
type starterFunc func() (proc.Started, error)

func (f starterFunc) Start(context.Context, proc.Detached) (proc.Started, error) { return f() }

func TestReplayedStartsAnswerAsRecorded(t *testing.T) {
	r, dir := record(t, Scrub{})
	refused := &proc.Error{Kind: proc.AccessDenied, Path: "ollama", ExitCode: -1}
	program := proc.Detached{Path: "/usr/bin/ollama", Args: []string{"serve"}}
	_, err := r.Starter(starterFunc(func() (proc.Started, error) { return proc.Started{}, refused })).Start(t.Context(), program)
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	want, _ := r.Starter(starterFunc(func() (proc.Started, error) { return proc.Started{PID: 7, InJob: true}, nil })).Start(t.Context(), program)
	p := reopen(t, r, dir, Scrub{})
	var failed *proc.Error
	if _, err := p.Starter().Start(t.Context(), program); !errors.As(err, &failed) || failed.Kind != proc.AccessDenied {
		t.Errorf("first start: %v", err)
	}
	got, err := p.Starter().Start(t.Context(), program)
	if err != nil || got.PID != want.PID || got.InJob != want.InJob {
		t.Errorf("second start: %+v, %v", got, err)
	}
	if err := p.Finish(); err != nil {
		t.Error(err)
	}
}

func TestRecordingsAreNotMixed(t *testing.T) {
	r, dir := record(t, Scrub{})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := NewRecorder(dir, Header{}, Scrub{}); err == nil {
		t.Error("a folder that holds a recording was taken")
	}
	if _, err := Open(t.TempDir(), Scrub{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of an empty folder: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, headerFile))
	if err != nil || os.WriteFile(filepath.Join(dir, headerFile), bytes.Replace(data, []byte(`"version": 1`), []byte(`"version": 2`), 1), 0o600) != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Scrub{}); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("Open of another version: %v", err)
	}
}
