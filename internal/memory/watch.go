package memory

import (
	"context"
	"fmt"
	"time"
)

// Model is what the watcher may do to the one model that the program uses.
type Model interface {
	// IsLoaded says whether the model is in memory.
	IsLoaded(ctx context.Context) (bool, error)
	// Unload takes it out of memory; a model that is not there is no error.
	Unload(ctx context.Context) error
}

// lookTimeout bounds what the watcher asks of the model's server.
const lookTimeout = 10 * time.Second

// Watcher unloads the model between calls when RAM runs short.
type Watcher struct {
	Options Options
	Free    Reader
	Model   Model
	Busy    func() bool      // a model call is under way: nothing is unloaded then; nil for never
	Tick    <-chan time.Time // replaces the clock; nil for one tick every Options.WatchInterval
	Report  func(Event)      // told of what was done and of failures, from Run's goroutine; nil for nobody
}

// Event is one thing that the watcher did, or failed to do.
type Event struct {
	FreeMB   float64
	Unloaded bool
	Err      error // nil when Unloaded
}

// Run watches until ctx ends; it belongs into a goroutine of its own. It returns at once where the
// options turn it off. A failure is reported and the next tick tries again: Run never panics.
func (w *Watcher) Run(ctx context.Context) {
	if !w.Options.Watch || w.Options.MinFreeMB <= 0 || w.Tick == nil && w.Options.WatchInterval <= 0 {
		return
	}
	tick := w.Tick
	if tick == nil {
		ticker := time.NewTicker(w.Options.WatchInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-tick:
			if !open {
				return
			}
			w.look(ctx)
		}
	}
}

// look is one tick. The server is asked only when RAM is short, so that a machine at rest stays so.
func (w *Watcher) look(ctx context.Context) {
	var event Event
	defer func() {
		if broken := recover(); broken != nil {
			event.Unloaded, event.Err = false, fmt.Errorf("watch memory: %v", broken)
		}
		if (event.Unloaded || event.Err != nil) && ctx.Err() == nil {
			w.report(event)
		}
	}()
	event.FreeMB, event.Err = w.Free()
	if event.Err != nil || !w.Options.Low(event.FreeMB) || w.busy() {
		return
	}
	limited, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	loaded, err := w.Model.IsLoaded(limited)
	if err != nil || !loaded || w.busy() {
		event.Err = err
		return
	}
	event.Err = w.Model.Unload(limited)
	event.Unloaded = event.Err == nil
}

func (w *Watcher) busy() bool { return w.Busy != nil && w.Busy() }

func (w *Watcher) report(event Event) {
	if w.Report == nil {
		return
	}
	defer func() { _ = recover() }() // a broken listener must not end the watch
	w.Report(event)
}
