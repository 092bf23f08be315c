package audit

import (
	"bytes"
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

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newLog(t *testing.T) (*Log, *clock) {
	t.Helper()
	c := &clock{time.Date(2026, 5, 1, 12, 0, 0, 123456789, time.UTC)}
	return New(DefaultOptions(), filepath.Join(t.TempDir(), "state"), c.now), c
}

// add appends a click on each target.
func add(t *testing.T, l *Log, targets ...string) {
	t.Helper()
	for _, target := range targets {
		warning, err := l.Append(t.Context(), Record{Action: "click", Target: target})
		if err != nil || warning != "" {
			t.Fatalf("append %q: %q, %v", target, warning, err)
		}
	}
}

func content(t *testing.T, l *Log) string {
	t.Helper()
	data, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// shown are the records as "action target".
func shown(t *testing.T, l *Log) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(content(t, l)) {
		var r struct{ Action, Target string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, strings.TrimSpace(r.Action+" "+r.Target))
	}
	return all
}

func wantShown(t *testing.T, l *Log, want ...string) {
	t.Helper()
	if got := shown(t, l); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("records %q, want %q", got, want)
	}
}

func wantVerified(t *testing.T, l *Log, records int) {
	t.Helper()
	report, err := Verify(t.Context(), l.Path())
	if err != nil || !report.OK || report.Records != records || report.BrokenAt != 0 || report.Reason != "" {
		t.Errorf("verify: %+v, %v; want %d intact records", report, err, records)
	}
}

func wantBroken(t *testing.T, l *Log, at int) {
	t.Helper()
	report, err := Verify(t.Context(), l.Path())
	if err != nil || report.OK || report.BrokenAt != at || report.Reason == "" {
		t.Errorf("verify: %+v, %v; want it broken at line %d", report, err, at)
	}
}

func TestLine(t *testing.T) {
	l, _ := newLog(t)
	length := 5
	record := Record{Client: "codex", SessionID: "fix-ui", App: `Notes <draft> & "more"`, Action: "type", Target: "Amount\n",
		Ref: "@e8", Name: "סכום\u0085\u2028", Role: "textfield", Result: "ok", Confirmed: ByFlag, ErrorCode: "NONE",
		TextLen: &length, Hint: "none", Typed: "zzzzz"}
	if _, err := l.Append(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	body := `{"time":"2026-05-01T12:00:00.123Z","client":"codex","session_id":"fix-ui","app":"Notes <draft> & \"more\"",` +
		`"action":"type","target":"Amount\n","ref":"@e8","name":"סכום\u0085\u2028","role":"textfield","result":"ok",` +
		`"confirmed":true,"error_code":"NONE","text_len":5,"hint":"none","seq":1,"prev":""`
	if got, want := content(t, l), body+`,"hash":"`+sum([]byte(body))+"\"}\n"; got != want {
		t.Errorf("line\n%s want\n%s", got, want)
	}
	if _, err := l.Append(t.Context(), Record{Action: "click", Confirmed: Elicited}); err != nil {
		t.Fatal(err)
	}
	second := strings.SplitAfter(content(t, l), "\n")[1]
	if !strings.HasPrefix(second, `{"time":"2026-05-01T12:00:00.123Z","action":"click","confirmed":"elicited","seq":2,"prev":"`+sum([]byte(body))+`"`) {
		t.Errorf("second line %s", second)
	}
	wantVerified(t, l, 2)
}

func TestLongFieldsAreCutAfterScrubbing(t *testing.T) {
	l, _ := newLog(t)
	record := Record{Action: "type", Name: strings.Repeat("ש", 3000), Hint: strings.Repeat("x", 3000) + "secret", Typed: "my secret"}
	if _, err := l.Append(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	var got struct{ Name, Hint string }
	if err := json.Unmarshal([]byte(content(t, l)), &got); err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(got.Name)); n != maxField || got.Hint != Redacted {
		t.Errorf("name of %d characters, hint %q", n, got.Hint)
	}
}

func TestModes(t *testing.T) {
	l, _ := newLog(t)
	if err := l.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := content(t, l); got != "" {
		t.Errorf("prepare wrote %q", got)
	}
	for path, want := range map[string]os.FileMode{l.Path(): 0o600, l.Path() + ".lock": 0o600, filepath.Dir(l.Path()): 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want && os.PathSeparator == '/' {
			t.Errorf("%s: mode %o, want %o", path, got, want)
		}
	}
}

func TestPrepareFails(t *testing.T) {
	cases := map[string]struct {
		spoil func(t *testing.T, l *Log)
		kind  store.Kind
	}{
		"the log is a folder": {func(t *testing.T, l *Log) { mustDo(t, os.MkdirAll(l.Path(), 0o700)) }, store.NotFile},
		"the folder is a file": {func(t *testing.T, l *Log) {
			mustDo(t, os.WriteFile(filepath.Dir(l.Path()), nil, 0o600))
		}, store.NotFolder},
		"locked": {func(t *testing.T, l *Log) {
			mustDo(t, os.MkdirAll(filepath.Dir(l.Path()), 0o700))
			var other store.Locker
			unlock, err := other.Lock(t.Context(), l.Path())
			mustDo(t, err)
			t.Cleanup(unlock)
		}, store.Locked},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l, _ := newLog(t)
			l.locker.Wait = 30 * time.Millisecond
			c.spoil(t, l)
			for what, err := range map[string]error{"prepare": l.Prepare(t.Context()), "append": appendOne(t, l)} {
				var known *Error
				if !errors.As(err, &known) || store.KindOf(err) != c.kind || known.Locked != (c.kind == store.Locked) ||
					!strings.HasPrefix(known.Error(), "action log: ") || !strings.Contains(known.Error(), filepath.Dir(l.Path())) {
					t.Errorf("%s: %v (kind %d)", what, err, store.KindOf(err))
				}
			}
		})
	}
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func appendOne(t *testing.T, l *Log) error {
	t.Helper()
	_, err := l.Append(t.Context(), Record{Action: "click"})
	return err
}

func TestPurge(t *testing.T) {
	l, c := newLog(t)
	add(t, l, "old 1", "old 2")
	c.at = c.at.Add(13 * time.Hour)
	add(t, l, "mid 1", "mid 2")
	c.at = c.at.Add(11 * time.Hour)
	add(t, l, "exactly a day later")
	wantShown(t, l, "click old 1", "click old 2", "click mid 1", "click mid 2", "click exactly a day later")
	c.at = c.at.Add(time.Second)
	add(t, l, "new")
	wantShown(t, l, "purge", "click mid 1", "click mid 2", "click exactly a day later", "click new")
	wantVerified(t, l, 5)
	if first, _, _ := strings.Cut(content(t, l), "\n"); !strings.Contains(first, `"seq":2,"prev":"`) || strings.Contains(first, `"prev":""`) {
		t.Errorf("the purge does not carry the chain on: %s", first)
	}
	c.at = c.at.Add(48 * time.Hour)
	add(t, l, "much later")
	wantShown(t, l, "purge", "click much later")
	wantVerified(t, l, 2)
	if !strings.Contains(content(t, l), `"seq":7,`) {
		t.Errorf("a number was used again: %s", content(t, l))
	}
	add(t, l, "and again")
	wantShown(t, l, "purge", "click much later", "click and again")
	wantVerified(t, l, 3)
}

func TestPurgeDoesNotHideAChange(t *testing.T) {
	l, c := newLog(t)
	add(t, l, "a", "b")
	c.at = c.at.Add(20 * time.Hour)
	add(t, l, "c", "d")
	mustDo(t, os.WriteFile(l.Path(), []byte(strings.Replace(content(t, l), `"c"`, `"x"`, 1)), 0o600))
	wantBroken(t, l, 3)
	c.at = c.at.Add(5 * time.Hour)
	add(t, l, "e")
	wantShown(t, l, "purge", "click x", "click d", "click e")
	wantBroken(t, l, 1)
	c.at = c.at.Add(20 * time.Hour)
	add(t, l, "f")
	wantShown(t, l, "purge", "click e", "click f")
	wantBroken(t, l, 1) // the mark is carried on
	c.at = c.at.Add(23 * time.Hour)
	add(t, l, "g")
	wantVerified(t, l, 3) // and expires like any record
}

func TestTornEnd(t *testing.T) {
	l, _ := newLog(t)
	add(t, l, "a", "b")
	whole := content(t, l)
	mustDo(t, os.WriteFile(l.Path(), []byte(whole+`{"time":"2026-05-0`), 0o600))
	wantBroken(t, l, 3)
	warning, err := l.Append(t.Context(), Record{Action: "click", Target: "c"})
	if err != nil || !strings.Contains(warning, "actions.log.corrupt") {
		t.Errorf("append: %q, %v", warning, err)
	}
	wantShown(t, l, "click a", "click b", "click c")
	wantVerified(t, l, 3)
	if aside, err := os.ReadFile(l.Path() + ".corrupt"); err != nil || string(aside) != `{"time":"2026-05-0` {
		t.Errorf("set aside: %q, %v", aside, err)
	}
	add(t, l, "d") // said once
	mustDo(t, os.WriteFile(l.Path(), []byte(strings.TrimSuffix(content(t, l), "\n")), 0o600))
	wantBroken(t, l, 4)
	add(t, l, "e") // a whole record without its line end is mended without a word
	wantShown(t, l, "click a", "click b", "click c", "click d", "click e")
	wantVerified(t, l, 5)
}

func TestStrangeLinesStay(t *testing.T) {
	l, _ := newLog(t)
	add(t, l, "a", "b")
	mustDo(t, os.WriteFile(l.Path(), []byte("hello\n"+content(t, l)+"bye\n"), 0o600))
	add(t, l, "c", "d")
	if got := content(t, l); !strings.HasPrefix(got, "hello\n") || strings.Count(got, "bye\n") != 1 || strings.Count(got, "\n") != 6 {
		t.Errorf("log %q", got)
	}
	wantBroken(t, l, 1)
}

func TestUnreadableLogIsSetAside(t *testing.T) {
	l, _ := newLog(t)
	mustDo(t, l.Prepare(t.Context()))
	mustDo(t, os.WriteFile(l.Path(), bytes.Repeat([]byte{0}, 4096), 0o600))
	warning, err := l.Append(t.Context(), Record{Action: "click", Target: "a"})
	if err != nil || warning == "" {
		t.Errorf("append: %q, %v", warning, err)
	}
	wantShown(t, l, "click a")
	wantVerified(t, l, 1)
}

func TestWhatWasSetAsideExpires(t *testing.T) {
	l, c := newLog(t)
	add(t, l, "a")
	aside := l.Path() + store.CorruptSuffix
	mustDo(t, os.WriteFile(aside, []byte("torn"), 0o600))
	c.at = c.at.Add(25 * time.Hour)
	mustDo(t, os.Chtimes(aside, c.at, c.at))
	add(t, l, "b")
	if _, err := os.Stat(aside); err != nil {
		t.Errorf("gone too early: %v", err)
	}
	c.at = c.at.Add(25 * time.Hour)
	add(t, l, "c")
	if _, err := os.Stat(aside); err == nil {
		t.Error("still there")
	}
}

func TestLogLargerThanTheWindow(t *testing.T) {
	l, c := newLog(t)
	for n := range 300 {
		add(t, l, fmt.Sprint(n)+strings.Repeat("x", 490))
	}
	if len(content(t, l)) < window {
		t.Fatal("the log is too small to show anything")
	}
	wantVerified(t, l, 300)
	c.at = c.at.Add(25 * time.Hour)
	add(t, l, "late")
	wantShown(t, l, "purge", "click late")
	wantVerified(t, l, 2)
}

func TestSixProcesses(t *testing.T) {
	l, _ := newLog(t)
	const processes, each = 6, 10
	var all []*os.Process
	for range processes {
		all = append(all, start(t, filepath.Dir(l.Path()), each))
	}
	for _, one := range all {
		finish(t, one)
	}
	wantVerified(t, l, processes*each)
}

func TestKilledWriterLeavesALogThatGoesOn(t *testing.T) {
	l, _ := newLog(t)
	for range 3 {
		process := start(t, filepath.Dir(l.Path()), 100_000)
		deadline := time.Now().Add(5 * time.Second)
		before := size(l)
		for size(l) < before+2000 && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		mustDo(t, process.Kill())
		if _, err := process.Wait(); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(t.Context(), Record{Action: "click", Target: "after"}); err != nil {
			t.Fatal(err)
		}
		report, err := Verify(t.Context(), l.Path())
		if err != nil || !report.OK || report.Records < 2 {
			t.Errorf("verify: %+v, %v", report, err)
		}
	}
}

func size(l *Log) int64 {
	info, err := os.Stat(l.Path())
	if err != nil {
		return 0
	}
	return info.Size()
}

func BenchmarkAppend(b *testing.B) {
	l := New(DefaultOptions(), b.TempDir(), nil)
	for b.Loop() {
		if _, err := l.Append(b.Context(), Record{Action: "click", Target: "Seven", App: "Calculator", Typed: "some text"}); err != nil {
			b.Fatal(err)
		}
	}
}
