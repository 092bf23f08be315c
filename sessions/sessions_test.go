package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-computer-use/internal/store"
)

func TestFile(t *testing.T) {
	s, c := newStore(t)
	seen := screen("working", "Tests run", Detail{"project", "MyApp"}, Detail{"session", "Fix <ui>"}, Detail{"branch", "main"},
		Detail{"next_step", "Open the app"}, Detail{"failures", []string{"one", "two"}}, Detail{"waiting_for_user", true})
	call(t, s, "codex", "fix-ui", seen, "Is it done?")
	wantFiles(t, s, "codex__fix-ui.json")
	data, err := os.ReadFile(filepath.Join(s.dir, "codex__fix-ui.json"))
	mustDo(t, err)
	var got map[string]any
	mustDo(t, json.Unmarshal(data, &got))
	for key, want := range map[string]any{"client": "codex", "session_id": "fix-ui", "app": "Claude", "project": "MyApp",
		"session": "Fix <ui>", "last_message": "Tests run", "next_step": "Open the app", "status": "working",
		"updated_at": "2026-05-01T12:00:00.000000+00:00", "last_message_sha256": hash("Tests run")} {
		if got[key] != want {
			t.Errorf("%s: %v, want %v", key, got[key], want)
		}
	}
	if hashes := got["details_sha256"].(map[string]any); len(hashes) != 6 || hashes["branch"] != hash(`"main"`) {
		t.Errorf("hashes %v", hashes)
	}
	if first := got["questions"].([]any)[0].(map[string]any); first["question"] != "Is it done?" || first["confidence"] != 0.9 ||
		first["model"] != "m" || first["answer"] != "answer to Is it done?" {
		t.Errorf("question %v", first)
	}
	if info, err := os.Stat(filepath.Join(s.dir, "codex__fix-ui.json")); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	c.at = c.at.Add(time.Hour)
	call(t, s, "codex", "fix-ui", seen, "")
	if doc := stored(t, s, "codex__fix-ui.json"); !doc.UpdatedAt.Equal(c.at) || len(doc.Questions) != 1 {
		t.Errorf("%+v", doc)
	}
}

func TestCached(t *testing.T) {
	s, _ := newStore(t)
	before := screen("working", "text", Detail{"branch", "main"})
	call(t, s, "a", "b", before, "Is it done?")
	cases := []struct {
		name            string
		seen            Observation
		question, model string
		cached          bool
	}{
		{"the same", before, "Is it done?", "m", true},
		{"any model", before, "Is it done?", "", true},
		{"case, spaces and marks", before, "  is IT\tdone ?!", "m", true},
		{"another question", before, "Is it not done?", "m", false},
		{"another model", before, "Is it done?", "other", false},
		{"another status", screen("finished", "text", Detail{"branch", "main"}), "Is it done?", "m", false},
		{"another last message", screen("working", "text.", Detail{"branch", "main"}), "Is it done?", "m", false},
		{"another detail", screen("working", "text", Detail{"branch", "dev"}), "Is it done?", "m", false},
		{"a detail more", screen("working", "text", Detail{"branch", "main"}, Detail{"x", true}), "Is it done?", "m", false},
		{"a detail less", screen("working", "text"), "Is it done?", "m", false},
		{"another window", Observation{App: "Codex", Status: "working", LastMessage: "text", Details: before.Details}, "Is it done?", "m", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, ok := begin(t, s, "a", "b").Cached(c.seen, c.question, c.model)
			if want := (Answer{"Is it done?", "answer to Is it done?", 0.9, "m"}); ok != c.cached || ok && got != want {
				t.Errorf("%+v, %v", got, ok)
			}
		})
	}
}

// An answer from an earlier screen must not come back when another question was asked in between.
func TestCachedAnswersBelongToTheirScreen(t *testing.T) {
	s, _ := newStore(t)
	call(t, s, "a", "b", screen("working", "one"), "Is it done?")
	call(t, s, "a", "b", screen("finished", "two"), "Which branch?")
	if got, ok := begin(t, s, "a", "b").Cached(screen("finished", "two"), "Is it done?", ""); ok {
		t.Errorf("an old answer came back: %+v", got)
	}
	if _, ok := begin(t, s, "a", "b").Cached(screen("working", "one"), "Is it done?", ""); !ok {
		t.Error("the screen is as it was, and its answer is not known")
	}
}

func TestLongTexts(t *testing.T) {
	s, _ := newStore(t)
	long := strings.Repeat("שלום ", 10_000)
	seen := Observation{App: long, Status: "working", LastMessage: long, Details: []Detail{{"project", long}, {"next_step", []string{long}}}}
	call(t, s, "a", "b", seen, long)
	if info, err := os.Stat(filepath.Join(s.dir, "a__b.json")); err != nil || info.Size() > 20_000 {
		t.Errorf("%v, %v", info, err)
	}
	wantChanges(t, call(t, s, "a", "b", seen, ""))
	seen.LastMessage += "."
	wantChanges(t, call(t, s, "a", "b", seen, ""), "new text in the last message")
}

func TestLastFiveQuestions(t *testing.T) {
	s, _ := newStore(t)
	for n := range 7 {
		call(t, s, "a", "b", screen("working", "text"), fmt.Sprintf("Question %d?", n))
	}
	call(t, s, "a", "b", screen("working", "text"), "question 3")
	var got []string
	for _, one := range stored(t, s, "a__b.json").Questions {
		got = append(got, one.Question)
	}
	if want := "Question 2?|Question 4?|Question 5?|Question 6?|question 3"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %s", got, want)
	}
	if last, ok := begin(t, s, "a", "b").LastAnswer(); !ok || last.Question != "question 3" {
		t.Errorf("last answer %+v", last)
	}
}

func TestOneFilePerClient(t *testing.T) {
	s, _ := newStore(t)
	call(t, s, "cline", "a", screen("working", "x"), "Q?")
	call(t, s, "codex", "one", screen("working", "x"), "Q?")
	call(t, s, "codex_2", "one", screen("working", "x"), "Q?")
	call(t, s, "codex", "two", screen("working", "x"), "Q?")
	wantFiles(t, s, "cline__a.json", "codex_2__one.json", "codex__two.json")
	call(t, s, "codex", "one", screen("working", "x"), "Q?")
	wantFiles(t, s, "cline__a.json", "codex_2__one.json", "codex__one.json")
	if doc := stored(t, s, "codex__one.json"); len(doc.Questions) != 1 {
		t.Errorf("a replaced session came back: %+v", doc)
	}
}

func TestFirst(t *testing.T) {
	s, _ := newStore(t)
	one := begin(t, s, "a", "b")
	_, answered := one.LastAnswer()
	if !one.First() || answered || one.ID() != (ID{"a", "b"}) || one.Warnings() != nil {
		t.Errorf("%+v", one)
	}
	wantFiles(t, s, "a__b.json") // active at once
	if !begin(t, s, "a", "b").First() {
		t.Error("a call that never finished counts as the first")
	}
	wantChanges(t, call(t, s, "a", "b", screen("unknown", ""), ""))
	if begin(t, s, "a", "b").First() {
		t.Error("still the first")
	}
}

func TestPurge(t *testing.T) {
	s, c := newStore(t)
	mustDo(t, s.Purge(t.Context())) // no folder yet
	call(t, s, "old", "a", screen("working", "x"), "Q?")
	call(t, s, "touched", "a", screen("working", "x"), "Q?")
	c.at = c.at.Add(10 * time.Hour)
	call(t, s, "young", "a", screen("working", "x"), "Q?")
	mustDo(t, s.Touch(t.Context(), ID{"touched", "a"}))
	long := c.at.Add(-15 * time.Hour)
	put(t, s, "broken__a.json", "{", long)
	put(t, s, "broken__b.json", "{", c.at)
	put(t, s, "a__a.json.corrupt", "{", long)
	put(t, s, ".a__a.json.17.tmp", "{", long)
	put(t, s, ".a__a.json.18.tmp", "{", c.at)
	foreign := []string{"timing_stats.json", "actions.log", "notes.json", "x__y.txt", ".notes.tmp", "a b__c.json", "timing_stats.json.corrupt"}
	for _, name := range foreign {
		put(t, s, name, "{}", long)
	}
	c.at = c.at.Add(14 * time.Hour)
	mustDo(t, s.Purge(t.Context())) // just a day
	wantFiles(t, s, append(foreign, "old__a.json", "touched__a.json", "young__a.json", "broken__b.json")...)
	c.at = c.at.Add(time.Second)
	mustDo(t, s.Purge(t.Context()))
	wantFiles(t, s, append(foreign, "touched__a.json", "young__a.json", "broken__b.json")...)
}

// What counts is the time in the file; only where it can't be right does the file system's.
func TestPurgeByWhichTime(t *testing.T) {
	s, c := newStore(t)
	for name, at := range map[string]any{"old__a": c.at.Add(-25 * time.Hour), "number__a": float64(c.at.Add(-25 * time.Hour).Unix()),
		"zoneless__a": c.at.Add(-25 * time.Hour).Format("2006-01-02T15:04:05.000000"), "young__a": c.at.Add(-23 * time.Hour),
		"future__a": c.at.Add(99 * time.Hour), "futureold__a": c.at.Add(99 * time.Hour)} {
		client, _, _ := strings.Cut(name, "__")
		call(t, s, client, "a", screen("working", "x"), "")
		rewrite(t, s, name+".json", "updated_at", at)
		mustDo(t, os.Chtimes(filepath.Join(s.dir, name+".json"), c.at, c.at))
	}
	old := c.at.Add(-25 * time.Hour)
	mustDo(t, os.Chtimes(filepath.Join(s.dir, "young__a.json"), old, old))
	mustDo(t, os.Chtimes(filepath.Join(s.dir, "futureold__a.json"), old, old))
	mustDo(t, s.Purge(t.Context()))
	wantFiles(t, s, "future__a.json", "young__a.json")
}

func TestExpiredSessionStartsAnew(t *testing.T) {
	s, c := newStore(t)
	call(t, s, "a", "b", screen("working", "x"), "Q?")
	c.at = c.at.Add(25 * time.Hour)
	mustDo(t, s.Touch(t.Context(), ID{"a", "b"}))
	if doc := stored(t, s, "a__b.json"); doc.UpdatedAt.Equal(c.at) {
		t.Error("an action revived an expired session")
	}
	one := begin(t, s, "a", "b")
	if _, ok := one.LastAnswer(); ok || !one.First() {
		t.Error("an expired session was continued")
	}
	wantChanges(t, one.Compare(screen("finished", "y")))
}

func TestActive(t *testing.T) {
	s, c := newStore(t)
	if s.Active() {
		t.Error("active without a folder")
	}
	begin(t, s, "a", "b")
	for after, want := range map[time.Duration]bool{0: true, 10 * time.Minute: true, 10*time.Minute + time.Second: false} {
		c.at = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(after)
		if got := s.Active(); got != want {
			t.Errorf("after %v: %v", after, got)
		}
	}
	mustDo(t, s.Touch(t.Context(), ID{"a", "b"}))
	if !s.Active() {
		t.Error("not active after a touch")
	}
}

func TestActionsNeverMakeAFile(t *testing.T) {
	s, _ := newStore(t)
	mustDo(t, s.Touch(t.Context(), ID{"a", "b"}))
	if _, err := os.Stat(s.dir); err == nil {
		t.Error("an action made the folder")
	}
	call(t, s, "a", "b", screen("working", "x"), "Q?")
	before := stored(t, s, "a__b.json")
	mustDo(t, s.Touch(t.Context(), ID{"a", "other"}))
	mustDo(t, s.Touch(t.Context(), ID{"a", "b"}))
	wantFiles(t, s, "a__b.json")
	after := stored(t, s, "a__b.json")
	if after.UpdatedAt = before.UpdatedAt; fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%+v\n%+v", before, after)
	}
}

func TestCorruptFile(t *testing.T) {
	contents := map[string]string{"cut": `{"broken": `, "empty": "", "null": "null", "another object": `{"a": 1}`,
		"an array": "[]", "another type": `{"client": 5, "updated_at": "2026-05-01T12:00:00Z"}`, "a bad time": `{"updated_at": "yesterday"}`,
		"too large": `{"updated_at": "2026-05-01T12:00:00Z", "x": "` + strings.Repeat("x", maxFile) + `"}`}
	for name, content := range contents {
		t.Run(name, func(t *testing.T) {
			s, c := newStore(t)
			put(t, s, "a__b.json", content, c.at)
			mustDo(t, s.Touch(t.Context(), ID{"a", "b"}))
			one := begin(t, s, "a", "b")
			if w := one.Warnings(); len(w) != 1 || !strings.Contains(w[0], "a__b.json.corrupt") || !one.First() {
				t.Errorf("warnings %q", w)
			}
			mustDo(t, one.Commit(t.Context(), screen("working", "x"), nil))
			wantFiles(t, s, "a__b.json", "a__b.json.corrupt")
			if aside, err := os.ReadFile(filepath.Join(s.dir, "a__b.json.corrupt")); err != nil || string(aside) != content {
				t.Errorf("set aside %q, %v", aside, err)
			}
			if again := begin(t, s, "a", "b"); again.Warnings() != nil || again.First() {
				t.Error("said twice")
			}
			put(t, s, "a__b.json", content, c.at)
			mustDo(t, one.Commit(t.Context(), screen("working", "x"), nil))
			wantFiles(t, s, "a__b.json", "a__b.json.corrupt")
		})
	}
}

// A file that names no owner, such as one of another version, belongs to the session it is named after.
func TestFileWithoutOwner(t *testing.T) {
	s, c := newStore(t)
	put(t, s, "a__b.json", `{"status": "working", "last_message": "x", "updated_at": "2026-05-01T11:59:00+00:00"}`, c.at)
	one := begin(t, s, "a", "b")
	wantChanges(t, one.Compare(screen("finished", "x")), "window: (none) -> Claude", "status: working -> finished", "new text in the last message")
	if doc := stored(t, s, "a__b.json"); doc.Client != "a" || doc.SessionID != "b" {
		t.Errorf("%+v", doc)
	}
}

func TestMerge(t *testing.T) {
	s, c := newStore(t)
	first, second := begin(t, s, "a", "b"), begin(t, s, "a", "b")
	early, late := screen("working", "early"), screen("finished", "late")
	early.At, late.At = c.at, c.at.Add(time.Minute)
	c.at = c.at.Add(2 * time.Minute)
	mustDo(t, second.Commit(t.Context(), late, &Answer{Question: "Late?"}))
	mustDo(t, first.Commit(t.Context(), early, &Answer{Question: "Early?"}))
	doc := stored(t, s, "a__b.json")
	if len(doc.Questions) != 2 || doc.Status != "finished" || doc.LastMessage != "late" {
		t.Errorf("%+v", doc)
	}
	if _, ok := begin(t, s, "a", "b").Cached(late, "Early?", ""); ok {
		t.Error("an answer from the early screen counts for the late one")
	}
}

func TestReplacedSessionIsNotBroughtBack(t *testing.T) {
	s, _ := newStore(t)
	slow := begin(t, s, "a", "old")
	begin(t, s, "a", "new")
	mustDo(t, slow.Commit(t.Context(), screen("working", "x"), &Answer{Question: "Q?"}))
	wantFiles(t, s, "a__new.json")
	lost := begin(t, s, "b", "lost")
	mustDo(t, os.Remove(filepath.Join(s.dir, "b__lost.json")))
	mustDo(t, lost.Commit(t.Context(), screen("working", "x"), &Answer{Question: "Q?"}))
	wantFiles(t, s, "a__new.json", "b__lost.json") // deleted by hand, replaced by nothing
}

func TestUnusableFolder(t *testing.T) {
	cases := map[string]func(t *testing.T, s *Store) bool{ // whether it is a lock
		"the folder is a file": func(t *testing.T, s *Store) bool { mustDo(t, os.WriteFile(s.dir, nil, 0o600)); return false },
		"the file is a folder": func(t *testing.T, s *Store) bool {
			mustDo(t, os.MkdirAll(filepath.Join(s.dir, "a__b.json"), 0o700))
			return false
		},
		"the file is locked": func(t *testing.T, s *Store) bool { hold(t, s, "a__b.json"); return true },
		"all are locked":     func(t *testing.T, s *Store) bool { hold(t, s, folderLock); return true },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t)
			s.options.LockWait = 30 * time.Millisecond
			locked := spoil(t, s)
			_, err := s.Begin(t.Context(), ID{"a", "b"})
			var known *Error
			if !errors.As(err, &known) || known.Locked != locked || filepath.Base(known.Path) != "a__b.json" ||
				!strings.HasPrefix(known.Error(), "session a__b.json: ") || locked != strings.Contains(known.Error(), "locked by another process") {
				t.Errorf("begin: %v", err)
			}
			if err := (&Session{store: s, id: ID{"a", "b"}}).Commit(t.Context(), screen("x", "y"), nil); !errors.As(err, &known) {
				t.Errorf("commit: %v", err)
			}
		})
	}
}

func hold(t *testing.T, s *Store, name string) {
	t.Helper()
	mustDo(t, os.MkdirAll(s.dir, 0o700))
	var other store.Locker
	unlock, err := other.Lock(t.Context(), filepath.Join(s.dir, name))
	mustDo(t, err)
	t.Cleanup(unlock)
}

func TestCancelledCall(t *testing.T) {
	s, _ := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Begin(ctx, ID{"a", "b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRacingCallsOfOneSession(t *testing.T) {
	s, _ := newStore(t)
	const children, each = 8, 25
	for n := range 40 { // expired ones, which all of them purge at the same time
		put(t, s, fmt.Sprintf("old%d__a.json", n), `{"client": "old", "session_id": "a", "updated_at": "2020-01-01T00:00:00Z"}`, time.Unix(1577836800, 0))
	}
	run(t, children, each, s.dir, "same")
	if n := len(stored(t, s, "race__same.json").Questions); n != children*each {
		t.Errorf("%d calls are kept of %d", n, children*each)
	}
	wantFiles(t, s, "race__same.json")
}

func TestRacingSessionsOfOneClient(t *testing.T) {
	s, _ := newStore(t)
	run(t, 6, 5, s.dir, "")
	if left := s.entries(); len(left) != 1 {
		t.Errorf("files %q", left)
	}
}

func TestKilledInTheMiddle(t *testing.T) {
	s, _ := newStore(t)
	for range 3 {
		process := start(t, 100_000, s.dir, "same")
		path, deadline := filepath.Join(s.dir, "race__same.json"), time.Now().Add(5*time.Second)
		for before := modified(path); !modified(path).After(before) && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		mustDo(t, process.Kill())
		_, err := process.Wait()
		mustDo(t, err)
		one := begin(t, s, "race", "same")
		if one.Warnings() != nil {
			t.Errorf("broken: %q", one.Warnings())
		}
		mustDo(t, one.Commit(t.Context(), screen("working", "x"), nil))
	}
}

func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Whatever a file holds, it is a session with a time or it is corrupt; a session can be written again.
func FuzzParse(f *testing.F) {
	f.Add(`{"client": "a", "session_id": "b", "updated_at": "2026-05-01T12:00:00Z", "questions": [{"question": "Q", "at": 5}]}`)
	f.Add(`{"updated_at": 1e10}`)
	f.Add(`{"updated_at": 1777000000.5}`)
	f.Add(`{"broken": `)
	f.Fuzz(func(t *testing.T, content string) {
		doc, err := parse([]byte(content))
		if err != nil {
			return
		}
		one := &Session{before: doc}
		one.Compare(screen("working", "x"))
		again, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parse(again); err != nil {
			t.Errorf("%s does not read again: %v", again, err)
		}
	})
}

func BenchmarkCall(b *testing.B) {
	s := New(DefaultOptions(), b.TempDir(), nil)
	seen := screen("working", strings.Repeat("text ", 300), Detail{"branch", "main"}, Detail{"project", "MyApp"})
	for b.Loop() {
		if err := s.Purge(b.Context()); err != nil {
			b.Fatal(err)
		}
		one, err := s.Begin(b.Context(), ID{"codex", "fix-ui"})
		if err != nil {
			b.Fatal(err)
		}
		one.Compare(seen)
		if err := one.Commit(b.Context(), seen, &Answer{Question: "Is it done?", Summary: "yes"}); err != nil {
			b.Fatal(err)
		}
		s.Active()
	}
}
