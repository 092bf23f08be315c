package sessions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newStore(t *testing.T) (*Store, *clock) {
	t.Helper()
	c := &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	return New(DefaultOptions(), filepath.Join(t.TempDir(), "state"), c.now), c
}

// screen is an observation of a window named Claude.
func screen(status, last string, details ...Detail) Observation {
	return Observation{App: "Claude", Status: status, LastMessage: last, Details: details}
}

func begin(t *testing.T, s *Store, client, session string) *Session {
	t.Helper()
	one, err := s.Begin(t.Context(), ID{client, session})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// call is a whole look: begin, compare, commit. An empty question commits no answer.
func call(t *testing.T, s *Store, client, session string, seen Observation, question string) []string {
	t.Helper()
	one := begin(t, s, client, session)
	changes := one.Compare(seen)
	var answer *Answer
	if question != "" {
		answer = &Answer{Question: question, Summary: "answer to " + question, Confidence: 0.9, Model: "m"}
	}
	if err := one.Commit(t.Context(), seen, answer); err != nil {
		t.Fatal(err)
	}
	return changes
}

func stored(t *testing.T, s *Store, name string) document {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := parse(data)
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return doc
}

// wantFiles compares the files of the folder but for its locks.
func wantFiles(t *testing.T, s *Store, want ...string) {
	t.Helper()
	all, err := os.ReadDir(s.dir)
	if err != nil && len(want) > 0 {
		t.Fatal(err)
	}
	got := []string{}
	for _, one := range all {
		if !strings.HasSuffix(one.Name(), ".lock") {
			got = append(got, one.Name())
		}
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func wantChanges(t *testing.T, got []string, want ...string) {
	t.Helper()
	if got == nil || !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
}

// put writes a file by hand, last changed at that time.
func put(t *testing.T, s *Store, name, content string, at time.Time) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	mustDo(t, os.MkdirAll(s.dir, 0o700))
	mustDo(t, os.WriteFile(path, []byte(content), 0o600))
	mustDo(t, os.Chtimes(path, at, at))
}

// rewrite changes one field of a session file by hand.
func rewrite(t *testing.T, s *Store, name, key string, value any) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	data, err := os.ReadFile(path)
	mustDo(t, err)
	var all map[string]any
	mustDo(t, json.Unmarshal(data, &all))
	all[key] = value
	data, err = json.Marshal(all)
	mustDo(t, err)
	mustDo(t, os.WriteFile(path, data, 0o600))
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
