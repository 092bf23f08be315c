package memory

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

func TestFormatKeepAlive(t *testing.T) {
	for keep, want := range map[time.Duration]string{
		3 * time.Minute: "3m", time.Hour: "1h", 90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", 10 * time.Second: "10s",
		20 * time.Minute: "20m", 100 * time.Minute: "1h40m", time.Hour + 5*time.Second: "1h0m5s", 0: "0", -time.Second: "-1",
		-time.Hour: "-1", 500 * time.Millisecond: "500ms", 10 * time.Hour: "10h",
	} {
		if got := formatKeepAlive(keep); got != want {
			t.Errorf("formatKeepAlive(%v) = %q, want %q", keep, got, want)
		}
	}
}

func TestPolicy(t *testing.T) {
	options := DefaultOptions()
	for _, c := range []struct {
		active, warm bool
		want         string
	}{{false, false, "3m"}, {true, false, "10m"}, {false, true, "10m"}, {true, true, "10m"}} {
		keep, reason := options.Policy(c.active, c.warm)
		if keep != c.want || reason == "" {
			t.Errorf("Policy(%v, %v) = %q, %q", c.active, c.warm, keep, reason)
		}
	}
	options.Idle, options.Session = 0, -1
	if keep, _ := options.Policy(false, false); keep != "0" {
		t.Errorf("idle 0: %q", keep)
	}
	if keep, _ := options.Policy(true, false); keep != "-1" {
		t.Errorf("session -1: %q", keep)
	}
	if got := DefaultOptions().SessionActive(); got != 10*time.Minute {
		t.Errorf("SessionActive %v", got)
	}
}

func TestLow(t *testing.T) {
	options := DefaultOptions()
	for free, want := range map[float64]bool{2047.9: true, 2048: false, 9000: false, 0: true, math.NaN(): false} {
		if got := options.Low(free); got != want {
			t.Errorf("Low(%v) = %v", free, got)
		}
	}
	options.MinFreeMB = 0
	if options.Low(0) {
		t.Error("0 does not turn the check off")
	}
}

func TestFreeMB(t *testing.T) {
	if free, err := FreeMB(); err != nil || free < 1 || free > 1e7 {
		t.Errorf("FreeMB() = %v, %v", free, err)
	}
}

// fakeModel counts what the watcher asks of it.
type fakeModel struct {
	loaded          bool
	asked, unloaded int
	err             error
	panics          bool
}

func (m *fakeModel) IsLoaded(ctx context.Context) (bool, error) {
	m.asked++
	if m.panics {
		panic("broken")
	}
	if _, limited := ctx.Deadline(); !limited {
		return false, errors.New("no deadline")
	}
	return m.loaded, m.err
}

func (m *fakeModel) Unload(context.Context) error {
	m.unloaded++
	m.loaded = false
	return nil
}

func TestWatcher(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name            string
		free            float64
		freeErr         error
		model           fakeModel
		busy            bool
		asked, unloaded int
		events, errors  int
	}{
		{name: "enough", free: 5000, model: fakeModel{loaded: true}},
		{name: "low", free: 100, model: fakeModel{loaded: true}, asked: 3, unloaded: 1, events: 1},
		{name: "low, not loaded", free: 100, asked: 3},
		{name: "low, but busy", free: 100, model: fakeModel{loaded: true}, busy: true},
		{name: "unknown", freeErr: broken, model: fakeModel{loaded: true}, events: 3, errors: 3},
		{name: "no server", free: 100, model: fakeModel{err: broken}, asked: 3, events: 3, errors: 3},
		{name: "panic", free: 100, model: fakeModel{panics: true}, asked: 3, events: 3, errors: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			tick := make(chan time.Time)
			done := make(chan struct{})
			events, failures := 0, 0
			watcher := &Watcher{
				Options: DefaultOptions(), Model: &c.model, Tick: tick,
				Free: func() (float64, error) { return c.free, c.freeErr },
				Busy: func() bool { return c.busy },
				Report: func(e Event) {
					events++
					if e.Err != nil {
						failures++
					}
					panic("a broken listener")
				},
			}
			go func() { defer close(done); watcher.Run(t.Context()) }()
			for range 3 {
				tick <- time.Time{}
			}
			close(tick)
			<-done
			if c.model.asked != c.asked || c.model.unloaded != c.unloaded || events != c.events || failures != c.errors {
				t.Errorf("asked %d, unloaded %d, events %d, errors %d", c.model.asked, c.model.unloaded, events, failures)
			}
		})
	}
}

func TestWatcherStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	watcher := &Watcher{Options: DefaultOptions(), Free: func() (float64, error) { return 0, nil }, Model: &fakeModel{}}
	go func() { defer close(done); watcher.Run(ctx) }()
	cancel()
	<-done

	for name, change := range map[string]func(*Options){
		"off": func(o *Options) { o.Watch = false }, "no limit": func(o *Options) { o.MinFreeMB = 0 },
		"no interval": func(o *Options) { o.WatchInterval = 0 },
	} {
		watcher := &Watcher{Options: DefaultOptions(), Free: func() (float64, error) { t.Error(name + ": looked"); return 0, nil }}
		change(&watcher.Options)
		watcher.Run(t.Context()) // returns at once, or the test never ends
	}
}
