package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-computer-use/internal/result"
)

// session is the client at the other end of a pair of streams, as the library sees it. What is sent
// through it goes into the one queue of the connection.
type session struct {
	out           *outbox
	notifications chan mcp.JSONRPCNotification
	initialized   atomic.Bool

	mu           sync.Mutex
	info         mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string
	lastID       int64
	waiting      map[string]chan *mcp.ElicitationResult // questions to the client, by the key of their id
}

func newSession(out *outbox) *session {
	return &session{out: out, waiting: map[string]chan *mcp.ElicitationResult{},
		notifications: make(chan mcp.JSONRPCNotification, 100)}
}

var (
	_ server.SessionWithClientInfo      = (*session)(nil)
	_ server.SessionWithElicitation     = (*session)(nil)
	_ server.SessionWithProtocolVersion = (*session)(nil)
)

// Initialize marks the handshake as done.
func (s *session) Initialize() { s.initialized.Store(true) }

// Initialized tells whether the handshake is done.
func (s *session) Initialized() bool { return s.initialized.Load() }

// NotificationChannel takes what the library itself has to tell; pump passes it on.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

// SessionID names the session within one Serve call, where there is only one.
func (s *session) SessionID() string { return "stdio" }

// GetClientInfo returns the client's name and version.
func (s *session) GetClientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// SetClientInfo keeps the client's name and version.
func (s *session) SetClientInfo(info mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info = info
}

// GetClientCapabilities returns what the client declared in the handshake.
func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capabilities
}

// SetClientCapabilities keeps what the client declared.
func (s *session) SetClientCapabilities(capabilities mcp.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capabilities = capabilities
}

// ProtocolVersion returns the version of the handshake, "" before it.
func (s *session) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// SetProtocolVersion keeps the version of the handshake.
func (s *session) SetProtocolVersion(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
}

// errNoAnswer means that the client answered a question with an error.
var errNoAnswer = errors.New("the client did not answer the question")

// RequestElicitation puts a question to the client and waits until it is answered or ctx ends; the
// client is then told to drop it, and a late answer finds nobody.
func (s *session) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	reply := make(chan *mcp.ElicitationResult, 1)
	s.mu.Lock()
	s.lastID++
	number := s.lastID
	key := "n" + strconv.FormatInt(number, 10)
	s.waiting[key] = reply
	s.mu.Unlock()
	line, err := encodeOutgoing(number, string(mcp.MethodElicitationCreate), request.Params)
	if err != nil {
		s.forget(key)
		return nil, err
	}
	s.out.put(line)
	select {
	case answer := <-reply:
		if answer == nil {
			return nil, errNoAnswer
		}
		return answer, nil
	case <-ctx.Done():
		if s.forget(key) {
			s.notify("notifications/cancelled", map[string]any{"requestId": number, "reason": "no longer needed"})
		}
		return nil, context.Cause(ctx)
	}
}

// forget drops a question and tells whether it was still open.
func (s *session) forget(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, open := s.waiting[key]
	delete(s.waiting, key)
	return open
}

// deliver hands the client's answer to the question that waits for it. Other answers are ignored.
func (s *session) deliver(m message) {
	s.mu.Lock()
	reply, open := s.waiting[m.id.key]
	delete(s.waiting, m.id.key)
	s.mu.Unlock()
	if !open {
		return
	}
	var body struct {
		Action  mcp.ElicitationResponseAction `json:"action"`
		Content any                           `json:"content"`
	}
	if m.fault != nil || json.Unmarshal(m.result, &body) != nil {
		reply <- nil
		return
	}
	reply <- &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: body.Action, Content: body.Content}}
}

// notify sends a notification. One that has no JSON form is dropped.
func (s *session) notify(method string, params any) {
	if line, err := encodeOutgoing(0, method, params); err == nil {
		s.out.put(line)
	}
}

// pump passes on what the library sends by itself, until ctx ends.
func (s *session) pump(ctx context.Context) {
	for {
		select {
		case note := <-s.notifications:
			if line, err := result.Encode(note); err == nil {
				s.out.put(line)
			}
		case <-ctx.Done():
			return
		}
	}
}
