package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// client is the other end of a served pair of pipes. All of it may live in a bubble of synthetic time.
type client struct {
	t      *testing.T
	in     *io.PipeWriter
	ended  chan error // what Serve returned
	cancel context.CancelFunc

	mu    sync.Mutex
	lines []string
	news  chan struct{}
}

// connect serves tools to a new client.
func connect(t *testing.T, tools Tools, opts Options) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	collected := make(chan struct{})
	c := &client{t: t, in: inWrite, ended: make(chan error, 1), cancel: cancel, news: make(chan struct{}, 1)}
	go func() {
		err := New(tools, opts).Serve(ctx, inRead, outWrite, slog.New(slog.DiscardHandler))
		outWrite.Close()
		<-collected // what was written is there for the test
		c.ended <- err
	}()
	go func() {
		defer close(collected)
		c.collect(outRead)
	}()
	t.Cleanup(func() {
		inWrite.Close()
		cancel()
	})
	return c
}

// collect keeps what the server writes, and checks that each line is one JSON object.
func (c *client) collect(out io.Reader) {
	reader := newLineReader(out, 1<<30)
	for {
		line, _, err := reader.next()
		if err != nil {
			return
		}
		var message map[string]any
		if json.Unmarshal(line, &message) != nil || message["jsonrpc"] != "2.0" || strings.Contains(string(line), "\r") {
			c.t.Errorf("not a protocol line: %.200q", line)
		}
		c.mu.Lock()
		c.lines = append(c.lines, string(line))
		c.mu.Unlock()
		select {
		case c.news <- struct{}{}:
		default:
		}
	}
}

func (c *client) write(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatalf("the server no longer reads: %v", err)
	}
}

func (c *client) send(format string, args ...any) {
	c.t.Helper()
	c.write(fmt.Sprintf(format, args...) + "\n")
}

// call sends a tools/call. arguments are JSON.
func (c *client) call(id, tool, arguments string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// all returns the lines so far.
func (c *client) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.lines...)
}

// find returns the first line that holds the text.
func (c *client) find(text string) (string, bool) {
	for _, line := range c.all() {
		if strings.Contains(line, text) {
			return line, true
		}
	}
	return "", false
}

// wait returns the first line that holds the text, and waits for it.
func (c *client) wait(text string) string {
	c.t.Helper()
	limit := time.After(time.Minute)
	for {
		if line, ok := c.find(text); ok {
			return line
		}
		select {
		case <-c.news:
		case <-limit:
			c.t.Fatalf("no line with %q in %q", text, c.all())
		}
	}
}

// answer waits for the answer under an id.
func (c *client) answer(id string) reply {
	c.t.Helper()
	line := c.wait(`"id":` + id + `,`)
	var r reply
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		c.t.Fatal(err)
	}
	return r
}

// reply is an answer as a client reads it.
type reply struct {
	Result struct {
		Content []struct{ Type, Text, Data, MimeType string }
		IsError bool
		Type    string `json:"resultType"`
		State   string `json:"requestState"`
		Version string `json:"protocolVersion"`
	}
	Error *rpcError
}

func (r reply) text() string {
	if len(r.Result.Content) == 0 {
		return ""
	}
	return r.Result.Content[0].Text
}

// hello does the handshake. capabilities are JSON.
func (c *client) hello(capabilities string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"t","version":"1"}}}`, capabilities)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.wait(`"id":"hello"`)
}

// leave closes the input and returns what Serve returned.
func (c *client) leave() error {
	c.in.Close()
	return <-c.ended
}
