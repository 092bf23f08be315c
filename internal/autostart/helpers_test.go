package autostart

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/proc"
)

// Variables by which the test binary plays another program.
const (
	roleVar  = "AUTOSTART_TEST_ROLE" // ollama, racer
	modeVar  = "AUTOSTART_TEST_MODE" // of the ollama: late, fails, leaves, never
	notesVar = "AUTOSTART_TEST_NOTES"
	dirVar   = "AUTOSTART_TEST_DIR"
	urlVar   = "AUTOSTART_TEST_URL"
	progVar  = "AUTOSTART_TEST_PROGRAM"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "ollama":
		playOllama()
	case "racer":
		playRacer()
	default:
		os.Exit(m.Run())
	}
}

// note is what a played ollama leaves behind.
type note struct {
	PID  int
	Args []string
	Host string
}

// playOllama is an `ollama serve` that ends by itself after 20 s.
func playOllama() {
	line, _ := json.Marshal(note{os.Getpid(), os.Args[1:], os.Getenv("OLLAMA_HOST")})
	file, err := os.OpenFile(os.Getenv(notesVar), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(9)
	}
	fmt.Fprintln(file, string(line))
	_ = file.Close()
	time.AfterFunc(20*time.Second, func() { os.Exit(0) })
	switch os.Getenv(modeVar) {
	case "fails":
		fmt.Fprintln(os.Stderr, "Error: no space left on device")
		os.Exit(1)
	case "late":
		time.Sleep(600 * time.Millisecond)
	case "never":
		select {}
	}
	listener, err := net.Listen("tcp", os.Getenv("OLLAMA_HOST"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
	answerAsOllama(listener)
}

// answerAsOllama serves the two requests that are made of a server, by hand.
func answerAsOllama(listener net.Listener) {
	answerWith(listener, func(path string) string {
		switch path {
		case "/api/tags":
			return `{"models":[]}`
		case "/api/version":
			return `{"version":"0.17.4"}`
		}
		return ""
	})
}

func answerWith(listener net.Listener, body func(path string) string) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = connection.Close() }()
			reader := bufio.NewReader(connection)
			first, _ := reader.ReadString('\n')
			for line := first; len(strings.TrimSpace(line)) > 0; line, _ = reader.ReadString('\n') {
				continue
			}
			path := strings.Fields(first + " / /")[1]
			status, text := "200 OK", body(path)
			if text == "" {
				status, text = "404 Not Found", "404 page not found"
			}
			fmt.Fprintf(connection, "HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(text), text)
		}()
	}
}

// playRacer is one process that wants Ollama.
func playRacer() {
	env := append(os.Environ(), roleVar+"=ollama")
	starter := New(Options{Enabled: true, Timeout: 15 * time.Second, Dir: os.Getenv(dirVar), Env: env, Program: os.Getenv(progVar)},
		realSeams(os.Getenv(urlVar)))
	out := starter.Ensure(context.Background(), 0)
	fmt.Printf("%v %v %v\n", out.Reachable, starter.Last() != nil, out.Err)
}

func realSeams(address string) Seams {
	client, err := ollama.New(ollama.Options{URL: address, Model: "m", NumCtx: 1}, nil)
	if err != nil {
		panic(err)
	}
	return Seams{Server: client, Runner: proc.New(), Starter: proc.New()}
}

// bench is a folder, a free port, and the notes of the servers that were started on it.
type bench struct {
	t               *testing.T
	dir, notes, url string
	host, program   string
	options         Options
}

func newBench(t *testing.T, mode string) *bench {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := listener.Addr().String()
	_ = listener.Close()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "state"), host: host, url: "http://" + host, program: program}
	b.notes = filepath.Join(t.TempDir(), "notes")
	env := append(os.Environ(), roleVar+"=ollama", modeVar+"="+mode, notesVar+"="+b.notes, "OLLAMA_HOST=mac.invalid:1")
	b.options = Options{Enabled: true, Timeout: 10 * time.Second, Dir: b.dir, Env: env, Program: program}
	t.Cleanup(b.endAll)
	return b
}

func (b *bench) starts() []note {
	b.t.Helper()
	data, err := os.ReadFile(b.notes)
	if err != nil {
		return nil
	}
	var all []note
	for line := range strings.Lines(string(data)) {
		var one note
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			b.t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

func (b *bench) endAll() {
	for _, one := range b.starts() {
		_ = killProcess(one.PID)
		for range 200 { // until it is gone, so that its files can be removed
			if !proc.Alive(one.PID) {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// fakeServer is a server whose state the test decides.
type fakeServer struct {
	mu      sync.Mutex
	address string
	looks   int
	errs    func(look int) error // nil: up
	other   string
	alive   error
}

func (f *fakeServer) Address() *url.URL {
	address, err := ollama.ParseURL(f.address)
	if err != nil {
		panic(err)
	}
	return address
}

func (f *fakeServer) Pulled(context.Context) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
	return nil, f.errs(f.looks)
}

func (f *fakeServer) Alive(context.Context) error { return f.alive }

func (f *fakeServer) ProbeOther(context.Context) (string, bool) { return f.other, f.other != "" }

var (
	errSilent  = &ollama.Error{Kind: ollama.Unreachable, Message: "no connection"}
	errForeign = &ollama.Error{Kind: ollama.BadReply, Status: 200, Message: "a web page"}
	errPending = &ollama.Error{Kind: ollama.Timeout, Message: "no answer in time"}
)

// fakeStarter writes down what it is asked to start.
type fakeStarter struct {
	mu      sync.Mutex
	asked   []proc.Detached
	started func(program proc.Detached) (proc.Started, error)
}

func (f *fakeStarter) Start(_ context.Context, program proc.Detached) (proc.Started, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, program)
	return f.started(program)
}

// fakeRunner answers as PowerShell.
type fakeRunner struct {
	asked  []proc.Command
	stdout string
	err    error
}

func (f *fakeRunner) Run(_ context.Context, command proc.Command) (proc.Result, error) {
	f.asked = append(f.asked, command)
	return proc.Result{Stdout: []byte(f.stdout)}, f.err
}

// clock is a clock that only sleeping moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(_ context.Context, pause time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(pause)
}
