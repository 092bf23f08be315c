package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

const (
	mostEvents     = 1000    // messages that are kept for all clients together
	mostEventBytes = 8 << 20 // and their length
)

// eventStore keeps the newest messages of the HTTP transport, so that a client whose stream broke can ask
// for what it missed. The library's own store keeps every answer, with its screen text and pictures, for as
// long as a session lasts. The zero value is ready; it is safe for concurrent use.
type eventStore struct {
	mu     sync.Mutex
	last   int64
	bytes  int
	events []event // oldest first
}

type event struct {
	number          int64
	session, stream string
	message         json.RawMessage
}

var _ server.EventStore = (*eventStore)(nil)

// StoreEvent keeps a message and returns its id. The oldest ones make room for it.
func (s *eventStore) StoreEvent(_ context.Context, session, stream string, message json.RawMessage) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.events = append(s.events, event{s.last, session, stream, slices.Clone(message)})
	s.bytes += len(message)
	for len(s.events) > mostEvents || s.bytes > mostEventBytes {
		s.bytes -= len(s.events[0].message)
		s.events = slices.Delete(s.events, 0, 1)
	}
	return strconv.FormatInt(s.last, 10), nil
}

// ReplayEventsAfter sends what came after an event on its stream. An event that is not kept (any more) is
// server.ErrUnknownEventID.
func (s *eventStore) ReplayEventsAfter(_ context.Context, session, lastID string, send func(string, json.RawMessage) error) (string, error) {
	stream, missed, ok := s.after(session, lastID)
	if !ok {
		return "", fmt.Errorf("%w: %.40q", server.ErrUnknownEventID, lastID)
	}
	for _, one := range missed {
		if err := send(strconv.FormatInt(one.number, 10), one.message); err != nil {
			return "", err
		}
	}
	return stream, nil
}

func (s *eventStore) after(session, lastID string) (stream string, missed []event, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.events {
		switch {
		case one.session != session:
		case !ok && strconv.FormatInt(one.number, 10) == lastID:
			stream, ok = one.stream, true
		case ok && one.stream == stream:
			missed = append(missed, one)
		}
	}
	return stream, missed, ok
}

// PurgeSession forgets what a client was sent.
func (s *eventStore) PurgeSession(_ context.Context, session string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = slices.DeleteFunc(s.events, func(one event) bool {
		if one.session == session {
			s.bytes -= len(one.message)
		}
		return one.session == session
	})
	return nil
}
