package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// stdio is one client over a pair of streams. Every call runs in a goroutine of its own; what is quick
// is answered by the reading goroutine, so that a handshake is done before the call behind it starts.
type stdio struct {
	server  *Server
	out     *outbox
	session *session
	log     *slog.Logger

	mu       sync.Mutex
	running  map[string]*running // by the key of the id
	closing  bool                // no further calls are taken
	drained  chan struct{}       // closed when closing and nothing runs
	activity time.Time           // of the client, or of a call
}

// running is a request that was not answered yet.
type running struct {
	cancel context.CancelFunc
	gone   bool // cancelled by the client, which must get no answer
}

func newStdio(s *Server, out io.Writer, log *slog.Logger) *stdio {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	box := newOutbox(out)
	return &stdio{server: s, out: box, session: newSession(box), log: log,
		running: map[string]*running{}, drained: make(chan struct{}), activity: time.Now()}
}

// serve reads until there is a reason to end, and then leaves within the hard limit.
func (c *stdio) serve(ctx context.Context, in io.Reader) error {
	callCtx, cancelCalls := context.WithCancel(withLogger(context.WithoutCancel(ctx), c.log))
	defer cancelCalls()
	callCtx = c.server.mcp.WithContext(callCtx, c.session)
	go c.session.pump(callCtx)
	ended := make(chan error, 1)
	go func() { ended <- c.read(callCtx, in) }()

	var reason error
	grace := c.server.opts.Grace
	select {
	case reason = <-ended:
	case <-c.orphaned(ctx):
		c.log.Info("the parent process is gone and no input comes: leaving")
	case <-c.out.done: // nobody reads our answers: nothing is worth waiting for
		grace = 0
	case <-ctx.Done():
		grace = 0
	}
	start := time.Now()
	c.drain(cancelCalls, grace)
	left := max(c.server.opts.HardLimit-time.Since(start), 100*time.Millisecond)
	return errors.Join(reason, c.out.close(left))
}

// drain lets running calls end by themselves for the grace, cancels the rest, and waits for these until
// the hard limit.
func (c *stdio) drain(cancelCalls context.CancelFunc, grace time.Duration) {
	hard := time.After(c.server.opts.HardLimit * 9 / 10) // the rest is for what waits to be written
	c.mu.Lock()
	c.closing = true
	if len(c.running) == 0 {
		close(c.drained)
	}
	c.mu.Unlock()
	if grace > 0 {
		select {
		case <-c.drained:
			return
		case <-time.After(grace):
		}
	}
	cancelCalls()
	select {
	case <-c.drained:
	case <-hard:
		c.log.Warn("leaving with calls that did not stop")
	}
}

// read takes messages until the stream ends. The error is nil for a plain end.
func (c *stdio) read(ctx context.Context, in io.Reader) error {
	lines := newLineReader(in, c.server.opts.MaxLine)
	for {
		line, tooLong, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read from the client: %w", err)
		}
		c.touch()
		if tooLong {
			c.refuse(noID(), &rpcError{Code: codeParse, Message: fmt.Sprintf("Parse error: a line has more than %d bytes", c.server.opts.MaxLine)})
			continue
		}
		c.take(ctx, line)
	}
}

// take does what one line asks for.
func (c *stdio) take(ctx context.Context, line []byte) {
	if isBlank(line) {
		return
	}
	m, to, problem := parseMessage(line)
	switch {
	case problem != nil:
		c.refuse(to, problem)
	case m.method == "":
		c.session.deliver(m)
	case m.method == "notifications/cancelled":
		c.cancel(m.params)
	case !m.isRequest():
		c.handle(ctx, m.line())
	case m.method == string(mcp.MethodToolsCall):
		params, problem := parseCall(m.params)
		if problem != nil {
			c.refuse(to, problem)
			return
		}
		if params.token != nil {
			ctx = context.WithValue(ctx, tokenKey{}, params.token)
		}
		c.start(ctx, to, m.line())
	case isQuick(m.method):
		c.out.put(encoded(to, c.handle(ctx, m.line())))
	default:
		c.start(ctx, to, m.line())
	}
}

func isBlank(line []byte) bool {
	for _, b := range line {
		if b != ' ' && b != '\t' && b != '\r' {
			return false
		}
	}
	return true
}

// isQuick names the requests whose answer is at hand. All others get a goroutine.
func isQuick(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodInitialize, mcp.MethodPing, mcp.MethodToolsList, mcp.MethodServerDiscover:
		return true
	default:
		return false
	}
}

// start runs a request beside the others. It can be cancelled from this moment on.
func (c *stdio) start(ctx context.Context, to id, line []byte) {
	ctx, cancel := context.WithCancel(ctx)
	one := &running{cancel: cancel}
	c.mu.Lock()
	_, taken := c.running[to.key]
	if c.closing || taken {
		c.mu.Unlock()
		cancel()
		if taken {
			c.refuse(to, invalid("the id is in use"))
		}
		return
	}
	c.running[to.key] = one
	c.mu.Unlock()
	go func() {
		defer cancel()
		answer := encoded(to, c.handle(ctx, line))
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, to.key)
		c.activity = time.Now()
		if !one.gone { // decided and sent under one lock: no answer follows a cancel that was read
			c.out.put(answer)
		}
		if c.closing && len(c.running) == 0 {
			close(c.drained)
		}
	}()
}

// cancel stops a request of the client, which then gets no answer. One that is not there is ignored.
func (c *stdio) cancel(params json.RawMessage) {
	var raw struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &raw) != nil {
		return
	}
	which, ok := parseID(raw.ID)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.running[which.key]; one != nil {
		one.gone = true
		one.cancel()
	}
}

// handle gives a message to the library. A panic on the way becomes an answer.
func (c *stdio) handle(ctx context.Context, line []byte) (response any) {
	defer func() {
		if fault := recover(); fault != nil {
			c.log.Error("a request panicked", "type", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
			response = &rpcError{Code: codeInternal, Message: "Internal error"}
		}
	}()
	return c.server.mcp.HandleMessage(ctx, line)
}

// refuse answers a message that was not given to the library.
func (c *stdio) refuse(to id, fault *rpcError) { c.out.put(encoded(to, fault)) }

func (c *stdio) touch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.activity = time.Now()
}

// orphaned is closed when the parent is gone and neither the client nor a call has stirred for the
// grace since. Without a watch it never is.
func (c *stdio) orphaned(ctx context.Context) <-chan struct{} {
	alone := make(chan struct{})
	gone := c.server.opts.ParentGone
	if gone == nil {
		return alone
	}
	go func() {
		select {
		case <-gone:
		case <-ctx.Done():
			return
		case <-c.out.done:
			return
		}
		c.touch()
		for wait := c.server.opts.ParentGrace; wait > 0; wait = c.quietLeft() {
			select {
			case <-time.After(wait):
			case <-c.out.done:
				return
			}
		}
		close(alone)
	}()
	return alone
}

// quietLeft is how long the silence must still last.
func (c *stdio) quietLeft() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.running) > 0 {
		return c.server.opts.ParentGrace
	}
	return c.server.opts.ParentGrace - time.Since(c.activity)
}
