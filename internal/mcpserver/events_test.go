package mcpserver

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

func TestEventStore(t *testing.T) {
	var s eventStore
	put := func(session, stream, message string) string {
		t.Helper()
		id, err := s.StoreEvent(t.Context(), session, stream, json.RawMessage(message))
		if err != nil || id == "" {
			t.Fatalf("%q, %v", id, err)
		}
		return id
	}
	missed := func(session, id string) ([]string, error) {
		var got []string
		_, err := s.ReplayEventsAfter(t.Context(), session, id, func(_ string, m json.RawMessage) error {
			got = append(got, string(m))
			return nil
		})
		return got, err
	}
	first := put("a", "one", `"1"`)
	put("a", "two", `"2"`)
	put("b", "one", `"3"`)
	put("a", "one", `"4"`)
	if got, err := missed("a", first); err != nil || !slices.Equal(got, []string{`"4"`}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := missed("b", first); !errors.Is(err, server.ErrUnknownEventID) {
		t.Errorf("another client's event: %v", err)
	}
	if err := s.PurgeSession(t.Context(), "a"); err != nil || len(s.events) != 1 || s.bytes != len(`"3"`) {
		t.Errorf("%v, %d events of %d bytes", err, len(s.events), s.bytes)
	}
	if _, err := missed("a", first); !errors.Is(err, server.ErrUnknownEventID) {
		t.Errorf("a forgotten event: %v", err)
	}
}

// A server that runs for days keeps no more than it may.
func TestEventStoreIsBounded(t *testing.T) {
	var s eventStore
	for range mostEvents + 10 {
		if _, err := s.StoreEvent(t.Context(), "a", "one", json.RawMessage("1")); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.events) != mostEvents || s.bytes != mostEvents {
		t.Errorf("%d events of %d bytes", len(s.events), s.bytes)
	}
	picture := json.RawMessage(strings.Repeat("x", mostEventBytes/2))
	for range 5 {
		if _, err := s.StoreEvent(t.Context(), "a", "one", picture); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.events) != 2 || s.bytes != mostEventBytes {
		t.Errorf("%d events of %d bytes", len(s.events), s.bytes)
	}
}
