package timeouts

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-computer-use/internal/store"
)

const model = "gpt-oss:20b"

// secs are durations from seconds.
func secs(all ...float64) samples {
	out := make(samples, len(all))
	for i, one := range all {
		out[i] = time.Duration(one * float64(time.Second))
	}
	return out
}

func sec(one float64) time.Duration { return secs(one)[0] }

func TestDecide(t *testing.T) {
	cases := []struct {
		name  string
		set   func(*Options)
		past  history
		chars int
		cold  bool
		want  Decision
	}{
		{"defaults", nil, history{}, 0, false, Decision{sec(30), Static, 0, false}},
		{"per 1k characters", nil, history{}, 2500, false, Decision{sec(40), Static, 0, false}},
		{"at most the maximum", nil, history{}, 1e6, false, Decision{sec(90), Static, 0, false}},
		{"at least the minimum", func(o *Options) { o.Base = sec(5) }, history{}, 0, false, Decision{sec(20), Static, 0, false}},
		{"cold is added after the maximum", nil, history{}, 1e6, true, Decision{sec(135), Static, 0, true}},
		{"the maximum wins over the minimum", func(o *Options) { o.Min = sec(100) }, history{}, 0, false, Decision{sec(90), Static, 0, false}},
		{"negative characters", nil, history{}, -5000, false, Decision{sec(30), Static, 0, false}},
		{"learned", nil, history{Warm: secs(15)}, 0, false, Decision{sec(30), Adaptive, 1, false}},
		{"learned, the text on top", nil, history{Warm: secs(15)}, 1000, false, Decision{sec(34), Adaptive, 1, false}},
		{"learned, the minimum before the text", nil, history{Warm: secs(1)}, 1000, false, Decision{sec(24), Adaptive, 1, false}},
		{"learned, at most the maximum", nil, history{Warm: secs(80)}, 0, false, Decision{sec(90), Adaptive, 1, false}},
		{"learned, cold", nil, history{Warm: secs(15)}, 0, true, Decision{sec(75), Adaptive, 1, true}},
		{"one outlier of eight counts", nil, history{Warm: secs(12, 12, 12, 40, 12, 12, 12, 12)}, 0, false, Decision{sec(80), Adaptive, 8, false}},
		{"older than the window", nil, history{Warm: secs(40, 12, 12, 12, 12, 12, 12, 12, 12)}, 0, false, Decision{sec(24), Adaptive, 8, false}},
		{"cold calls teach nothing", nil, history{Cold: secs(40, 40)}, 0, false, Decision{sec(30), Static, 0, false}},
		{"one time-out", nil, history{Timeouts: 1}, 0, false, Decision{sec(45), Bumped, 0, false}},
		{"two time-outs", nil, history{Timeouts: 2}, 0, false, Decision{sec(67.5), Bumped, 0, false}},
		{"many time-outs", nil, history{Timeouts: 64}, 0, false, Decision{sec(90), Bumped, 0, false}},
		{"bumped from the learned", nil, history{Warm: secs(15), Timeouts: 1}, 0, true, Decision{sec(90), Bumped, 1, true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			options := DefaultOptions()
			if c.set != nil {
				c.set(&options)
			}
			if got := NewPlanner(options, t.TempDir()).decide(c.past, c.chars, c.cold); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestP90(t *testing.T) {
	cases := []struct {
		all  samples
		want float64
	}{
		{secs(3), 3}, {secs(1, 2), 2}, {secs(9, 1, 2, 3, 4, 5, 6, 7, 8), 9},
		{secs(10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 9}, {secs(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 10},
	}
	for _, c := range cases {
		if got := p90(c.all); got != sec(c.want) {
			t.Errorf("p90(%v) = %v, want %vs", c.all, got, c.want)
		}
	}
}

func TestDirect(t *testing.T) {
	p := NewPlanner(DefaultOptions(), t.TempDir())
	if got, want := p.Direct(false), (Decision{sec(30), Static, 0, false}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := p.Direct(true), (Decision{sec(75), Static, 0, true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// look is a plan that must come without a warning.
func look(t *testing.T, p *Planner, want Decision) {
	t.Helper()
	if got, err := p.Look(model, 0, false); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestLearning(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	p := NewPlanner(DefaultOptions(), dir)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	look(t, p, Decision{sec(30), Static, 0, false})
	if _, err := os.Stat(dir); err == nil {
		t.Error("a plan made the folder")
	}
	do(p.TimedOut(t.Context(), model))
	look(t, p, Decision{sec(45), Bumped, 0, false})
	do(p.TimedOut(t.Context(), model))
	do(p.Succeeded(t.Context(), model, sec(25), true))
	look(t, p, Decision{sec(30), Static, 0, false}) // a cold success ends the bump and teaches nothing
	do(p.Succeeded(t.Context(), model, sec(12.5), false))
	look(t, p, Decision{sec(25), Adaptive, 1, false})
	look(t, NewPlanner(DefaultOptions(), dir), Decision{sec(25), Adaptive, 1, false})
	do(p.TimedOut(t.Context(), "another model"))
	look(t, p, Decision{sec(25), Adaptive, 1, false})
	for range 9 {
		do(p.Succeeded(t.Context(), model, sec(16), false))
	}
	do(p.Succeeded(t.Context(), model, 0, false)) // too short for the clock is a sample all the same
	look(t, p, Decision{sec(32), Adaptive, 8, false})

	off := DefaultOptions()
	off.Adaptive = false
	quiet := NewPlanner(off, dir)
	look(t, quiet, Decision{sec(30), Static, 0, false})
	do(quiet.TimedOut(t.Context(), model))
	look(t, p, Decision{sec(32), Adaptive, 8, false})
	if info, err := os.Stat(p.path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestStrangeHistories(t *testing.T) {
	static := Decision{sec(30), Static, 0, false}
	cases := []struct {
		name, file string
		want       Decision
		warns      bool
	}{
		{"empty", "", static, true},
		{"no JSON", "{nonsense", static, true},
		{"an array", "[1, 2]", static, true},
		{"null", "null", static, false},
		{"an object of something else", `{"a": 1}`, static, false},
		{"another form of models", `{"models": [1]}`, static, true},
		{"a strange model beside ours", `{"models": {"a": 5, "gpt-oss:20b": {"warm_seconds": [15]}}}`, Decision{sec(30), Adaptive, 1, false}, false},
		{"negative, huge, zero, text", `{"models": {"gpt-oss:20b": {"warm_seconds": [-5, 1e300, 0, "x", null, 16, 86401]}}}`,
			Decision{sec(32), Adaptive, 1, false}, false},
		{"nothing usable", `{"models": {"gpt-oss:20b": {"warm_seconds": [-5, 1e300]}}}`, static, false},
		{"NaN", `{"models": {"gpt-oss:20b": {"warm_seconds": [NaN]}}}`, static, true},
		{"too large for a number", `{"models": {"gpt-oss:20b": {"warm_seconds": [1e999, 16]}}}`, Decision{sec(32), Adaptive, 1, false}, false},
		{"samples that are none", `{"models": {"gpt-oss:20b": {"warm_seconds": {"a": 1}}}}`, static, false},
		{"negative time-outs", `{"models": {"gpt-oss:20b": {"timeouts": -3}}}`, static, false},
		{"endless time-outs", `{"models": {"gpt-oss:20b": {"timeouts": 1e300}}}`, Decision{sec(90), Bumped, 0, false}, false},
		{"time-outs as text", `{"models": {"gpt-oss:20b": {"timeouts": "9"}}}`, static, false},
		{"too large", `{"models": {}}` + strings.Repeat(" ", maxStatsFile), static, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := NewPlanner(DefaultOptions(), t.TempDir())
			if err := os.WriteFile(p.path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := p.Look(model, 0, false)
			if got != c.want || (err != nil) != c.warns {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
			if err := p.Succeeded(t.Context(), "new", sec(15), false); err != nil {
				t.Fatal(err)
			}
			if got, err := p.Look("new", 0, false); err != nil || got != (Decision{sec(30), Adaptive, 1, false}) {
				t.Errorf("after a success: %+v, %v", got, err)
			}
			aside, err := os.ReadFile(p.path + ".corrupt")
			if (err == nil) != c.warns || c.warns && string(aside) != c.file {
				t.Errorf("set aside: %q, %v", aside, err)
			}
		})
	}
}

func TestHistoryOutOfReach(t *testing.T) {
	dir := t.TempDir()
	p := NewPlanner(DefaultOptions(), dir)
	if err := os.Mkdir(p.path, 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := p.Look(model, 0, false)
	var known *Error
	if got != (Decision{sec(30), Static, 0, false}) || !asError(err, &known) || known.Path != p.path {
		t.Errorf("%+v, %v", got, err)
	}
	if err := p.Succeeded(t.Context(), model, time.Second, false); !asError(err, &known) {
		t.Errorf("a folder was written: %v", err)
	}
	if err := os.Remove(p.path); err != nil {
		t.Fatal(err)
	}
	var other store.Locker
	unlock, err := other.Lock(t.Context(), p.path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	p.locker.Wait = 30 * time.Millisecond
	look(t, p, Decision{sec(30), Static, 0, false}) // reading needs no lock
	if err := p.TimedOut(t.Context(), model); store.KindOf(err) != store.Locked {
		t.Errorf("%v", err)
	}
}

func asError(err error, target **Error) bool {
	known, ok := err.(*Error)
	*target = known
	return ok
}

func TestProcessesKeepEachOthersSamples(t *testing.T) {
	dir := t.TempDir()
	var all []*os.Process
	for range 6 {
		all = append(all, start(t, dir))
	}
	for _, one := range all {
		if state, err := one.Wait(); err != nil || !state.Success() {
			t.Errorf("child: %v, %v", state, err)
		}
	}
	doc, err := NewPlanner(DefaultOptions(), dir).load()
	if err != nil || len(doc.Models) != 30 {
		t.Errorf("%d models, %v", len(doc.Models), err)
	}
	for name, past := range doc.Models {
		if len(past.Warm) != 1 {
			t.Errorf("%s: %v", name, past.Warm)
		}
	}
}

// Whatever the file holds, a plan lies within the settings, and a success can be recorded.
func FuzzHistory(f *testing.F) {
	f.Add(`{"models": {"gpt-oss:20b": {"warm_seconds": [1, 2.5, -1, 1e300], "cold_seconds": [3], "timeouts": 2}}}`)
	f.Add(`{"models": {"gpt-oss:20b": null}}`)
	f.Add(`{"models": {"gpt-oss:20b": {"timeouts": 1e400}}}`)
	f.Add("{nonsense")
	f.Fuzz(func(t *testing.T, file string) {
		doc, err := parse([]byte(file))
		if err != nil {
			return
		}
		p := NewPlanner(DefaultOptions(), "")
		for _, past := range doc.Models {
			got := p.decide(past, 1000, true)
			if got.Timeout < p.options.Min || got.Timeout > p.options.Max+p.options.ColdLoadExtra || got.Samples > 8 {
				t.Errorf("%+v", got)
			}
		}
		again, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parse(again); err != nil {
			t.Errorf("%s does not read again: %v", again, err)
		}
	})
}

func TestNoOverflow(t *testing.T) {
	options := DefaultOptions()
	options.Max, options.Base, options.Per1kChars = math.MaxInt64, math.MaxInt64/2, time.Hour*24
	p := NewPlanner(options, t.TempDir())
	for _, past := range []history{{}, {Timeouts: 64}, {Warm: samples{math.MaxInt64 / 2, math.MaxInt64}}} {
		if got := p.decide(past, math.MaxInt32, true); got.Timeout < options.Base {
			t.Errorf("%+v: %v", past, got.Timeout)
		}
	}
}

func BenchmarkLook(b *testing.B) {
	p := NewPlanner(DefaultOptions(), b.TempDir())
	for range 8 {
		if err := p.Succeeded(b.Context(), model, time.Second, false); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := p.Look(model, 3000, false); err != nil {
			b.Fatal(err)
		}
	}
}
