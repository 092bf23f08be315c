package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"t","version":"1"}}}`

// server is a running program that speaks MCP over its pipes.
type server struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stdout io.Closer // the end of it that we hold
	stderr *lockedText
}

// lockedText collects what a process writes while it runs.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve starts the real program as a server; it is ended with the test.
func (b *bench) serve(t testing.TB, args ...string) *server {
	t.Helper()
	s := &server{cmd: b.command(t, args...), stderr: &lockedText{}}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdout = out
	s.out, s.cmd.Stderr = bufio.NewReaderSize(out, 1<<20), s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	return s
}

func (s *server) send(t testing.TB, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(s.in, line); err != nil {
			t.Fatal(err)
		}
	}
}

// answer is one line of the server.
type answer struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct{ Code int }
}

// tool is the JSON of a tool's text block.
func (a answer) tool(t testing.TB) map[string]any {
	t.Helper()
	var r struct {
		Content []struct{ Type, Text string }
	}
	if err := json.Unmarshal(a.Result, &r); err != nil || len(r.Content) == 0 {
		t.Fatalf("%v in %s", err, a.Result)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(r.Content[0].Text), &out); err != nil {
		t.Fatalf("%v in %s", err, r.Content[0].Text)
	}
	return out
}

// next reads a line; all that stands on stdout has to be one.
func (s *server) next(t testing.TB) answer {
	t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%v, stderr: %s", err, s.stderr)
	}
	var a answer
	if err := json.Unmarshal([]byte(line), &a); err != nil || strings.Contains(line, "\r") {
		t.Fatalf("%v in %q", err, line)
	}
	return a
}

// rest reads until the server has ended, which has to be with exit code 0.
func (s *server) rest(t testing.TB) []answer {
	t.Helper()
	var all []answer
	for {
		line, err := s.out.ReadString('\n')
		if err == io.EOF && line == "" {
			break
		}
		var a answer
		if jsonErr := json.Unmarshal([]byte(line), &a); err != nil || jsonErr != nil {
			t.Fatalf("%v, %v in %q", err, jsonErr, line)
		}
		all = append(all, a)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v, stderr: %s", err, s.stderr)
	}
	return all
}

func callLine(id any, tool, arguments string) string {
	text, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", text, tool, arguments)
}

// TestRawBytes sends what clients and accidents send, through the real pipes of the real process.
func TestRawBytes(t *testing.T) {
	b := newBench(t)
	s := b.serve(t)
	s.send(t, "\ufeff"+hello+"\r\n", "\r\n", "\n", "  \n",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\r\n",
		"{not json}\n", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`+"\n", `"text"`+"\n",
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`+"\n",
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`+"\n",
		`{"jsonrpc":"2.0","id":"nine","method":"nonsense/method"}`+"\n",
		`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`+"\n",
		`{"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"not mine"}}`+"\n",
		callLine("surrogate", "look_at_screen", `{"question":"lone \ud800 surrogate?","app":"Calculator"}`),
		callLine("bytes", "look_at_screen", "{\"question\":\"bad \xff\xfe bytes?\",\"app\":\"Calculator\"}"),
		callLine("nul", "click", `{"app":"Calculator","target":"a\u0000b"}`),
		callLine("hostile", "click", `{"app":"Calculator","target":"$(id) \u202e`+"`x`"+` --app=Notes"}`),
		callLine("huge", "click", `{"app":"Calculator","target":"`+strings.Repeat("x", 1<<20)+`"}`),
		callLine("many", "click", `{"app":"Calculator","steps":[`+strings.Repeat(`"7",`, 100_000)+`"7"]}`))
	answers := []answer{}
	for range 14 { // every request above, and every line that is none, has one
		answers = append(answers, s.next(t))
	}
	s.send(t, strings.TrimSuffix(callLine("last", "look_at_screen", `{"question":"What does it show?","app":"Calculator"}`), "\n"))
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	found := map[string]answer{}
	codes := map[string][]int{}
	for _, a := range append(answers, s.rest(t)...) {
		id := string(a.ID)
		if a.Error != nil {
			codes[id] = append(codes[id], a.Error.Code)
			continue
		}
		if _, twice := found[id]; twice {
			t.Errorf("two answers to %s", id)
		}
		found[id] = a
	}
	for _, id := range []string{"0", "9007199254740993", "1.5", `"surrogate"`, `"bytes"`, `"nul"`, `"hostile"`, `"huge"`, `"many"`, `"last"`} {
		if _, ok := found[id]; !ok {
			t.Errorf("no answer to %s", id)
		}
	}
	slices.Sort(codes["null"])
	if got := codes["null"]; !slices.Contains(got, -32700) || !slices.Contains(got, -32600) {
		t.Errorf("errors without an id: %v", got)
	}
	if !slices.Equal(codes[`"nine"`], []int{-32601}) || len(codes["99"]) > 0 {
		t.Errorf("errors %v", codes)
	}
	if t.Failed() {
		return
	}
	for id, want := range map[string]any{`"surrogate"`: nil, `"last"`: nil, `"nul"`: "TARGET_NOT_FOUND", `"hostile"`: "TARGET_NOT_FOUND",
		`"huge"`: "INVALID_TARGET", `"many"`: "INVALID_TARGET"} {
		out := found[id].tool(t)
		code, _ := at(out, "error.code")
		if code != want {
			t.Errorf("%s: %v, want %v", id, code, want)
		}
	}
	for _, c := range b.calls(t) {
		if c[0] == "click" {
			t.Errorf("a click: %q", c)
		}
	}
	if errs := s.stderr.String(); strings.Contains(errs, "{\"jsonrpc") || strings.Contains(errs, "xxxxxxxx") {
		t.Errorf("stderr: %.300s", errs)
	}
}

// Twenty calls at once are all answered, and ping is not held up by them.
func TestParallelCalls(t *testing.T) {
	b := newBench(t)
	b.file(t, "options", "delay text=150\n")
	s := b.serve(t)
	s.send(t, hello+"\n")
	s.next(t)
	for n := range 20 {
		s.send(t, callLine(n+1, "look_at_screen", `{"question":"What does it show?","app":"Calculator"}`))
	}
	s.send(t, `{"jsonrpc":"2.0","id":"ping","method":"ping"}`+"\n")
	order := []string{}
	for range 21 {
		a := s.next(t)
		order = append(order, string(a.ID))
		if string(a.ID) != `"ping"` {
			if out := a.tool(t); out["summary"] != "stand-in summary" {
				t.Errorf("%s: %v", a.ID, out)
			}
		}
	}
	if slices.Index(order, `"ping"`) > 10 {
		t.Errorf("ping waited: %q", order)
	}
	slices.Sort(order)
	if len(slices.Compact(order)) != 21 {
		t.Errorf("answers to %q", order)
	}
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	if more := s.rest(t); len(more) > 0 {
		t.Errorf("%d further lines", len(more))
	}
}

// An agent-cu that floods its output is ended; the answer says so and the server goes on.
func TestFlood(t *testing.T) {
	b := newBench(t)
	b.file(t, "options", "flood text=100\nflood snapshot=100\n")
	s := b.serve(t)
	s.send(t, hello+"\n", callLine(1, "look_at_screen", `{"question":"What does it show?","app":"Calculator"}`))
	s.next(t)
	if code, _ := at(s.next(t).tool(t), "error.code"); code != "AGENT_CU_FAILED" {
		t.Errorf("code %v", code)
	}
	b.file(t, "options", "")
	s.send(t, callLine(2, "look_at_screen", `{"question":"What does it show?","app":"Calculator"}`))
	if out := s.next(t).tool(t); out["summary"] != "stand-in summary" {
		t.Errorf("%v", out)
	}
}
