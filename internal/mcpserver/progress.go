package mcpserver

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-computer-use/internal/bridge"
)

// progressGap is the shortest time between two progress messages of one call.
const progressGap = time.Second

const methodProgress = "notifications/progress"

// tokenKey carries the progress token of a call as it came, so that a large number keeps its digits.
type tokenKey struct{}

// reporter tells the client that a call still waits, and for what. A message is told at once unless the
// last one is younger than progressGap; then the newest waits for its turn. While nothing new comes the
// last one is told again, because clients restart their time-out on it.
type reporter struct {
	send  func(number int, message string) // nil: the client did not ask for progress
	every time.Duration

	mu      sync.Mutex
	message string
	number  int       // of the last message sent; rises from 1
	last    time.Time // when it was sent
	timer   *time.Timer
	closed  bool
}

func (s *Server) newReporter(ctx context.Context, request mcp.CallToolRequest) *reporter {
	r := &reporter{every: s.opts.ProgressEvery}
	token := progressToken(ctx, request)
	if token == nil {
		return r
	}
	r.send = func(number int, message string) {
		params := map[string]any{"progressToken": token, "progress": number, "message": message}
		if own, ok := server.ClientSessionFromContext(ctx).(*session); ok {
			own.notify(methodProgress, params) // in one queue with the answers, so that it is never late
			return
		}
		// Over HTTP a lost progress message is no loss to the call.
		_ = s.mcp.SendNotificationToClient(ctx, methodProgress, params)
	}
	return r
}

// progressToken returns the token of the call, a string or a number, or nil.
func progressToken(ctx context.Context, request mcp.CallToolRequest) any {
	if raw, ok := ctx.Value(tokenKey{}).(json.RawMessage); ok {
		if _, ok := parseID(raw); ok {
			return raw
		}
		return nil
	}
	if request.Params.Meta == nil {
		return nil
	}
	switch token := request.Params.Meta.ProgressToken.(type) {
	case string, float64:
		return token
	default:
		return nil
	}
}

// progress returns the function that the use case calls, nil when nobody listens.
func (r *reporter) progress() bridge.Progress {
	if r.send == nil {
		return nil
	}
	return r.report
}

func (r *reporter) report(message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.message = message
	if wait := progressGap - time.Since(r.last); r.number > 0 && wait > 0 {
		r.arm(wait)
		return
	}
	r.tell()
}

// tell sends the newest message and plans its repetition.
func (r *reporter) tell() {
	r.number++
	r.last = time.Now()
	r.send(r.number, r.message)
	r.arm(r.every)
}

func (r *reporter) arm(wait time.Duration) {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.timer = time.AfterFunc(wait, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		// A timer that was stopped too late finds that its turn has not come.
		if !r.closed && time.Since(r.last) >= progressGap {
			r.tell()
		}
	})
}

// close ends the telling: nothing is sent after it returns.
func (r *reporter) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
}
