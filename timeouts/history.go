package timeouts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"time"

	"mcp-computer-use/internal/store"
)

// history is what is known about one model.
type history struct {
	Warm     samples `json:"warm_seconds"`
	Cold     samples `json:"cold_seconds"`
	Timeouts count   `json:"timeouts"` // time-outs since the last success
}

// document is the whole file.
type document struct {
	Models map[string]history `json:"models"`
}

// Limits of what is believed in the file: longer calls can't happen (a time-out is at most a day), and
// beyond so many time-outs every plan is at its maximum.
const (
	maxSample    = 24 * time.Hour
	maxTimeouts  = 64
	maxModels    = 64
	maxStatsFile = 1 << 20
)

// samples are durations of calls, oldest first. In JSON they are seconds.
type samples []time.Duration

// UnmarshalJSON takes every number that can be the duration of a call and passes over the rest: one
// strange value must not cost the others.
func (s *samples) UnmarshalJSON(data []byte) error {
	var all []json.RawMessage
	*s = nil
	if json.Unmarshal(data, &all) != nil {
		return nil
	}
	for _, raw := range all {
		var seconds float64
		if json.Unmarshal(raw, &seconds) == nil && plausible(seconds) {
			*s = append(*s, time.Duration(seconds*float64(time.Second)))
		}
	}
	return nil
}

func plausible(seconds float64) bool {
	return seconds > 0 && seconds <= maxSample.Seconds() // false for NaN, too
}

// MarshalJSON prints seconds with microseconds.
func (s samples) MarshalJSON() ([]byte, error) {
	out := make([]float64, len(s))
	for i, one := range s {
		out[i] = math.Round(one.Seconds()*1e6) / 1e6
	}
	return json.Marshal(out)
}

// count is a number of time-outs, read as forgivingly as samples.
type count int

// UnmarshalJSON takes a number from 0 up; anything else is 0.
func (c *count) UnmarshalJSON(data []byte) error {
	var number float64
	*c = 0
	if json.Unmarshal(data, &number) == nil && number > 0 {
		*c = count(min(number, maxTimeouts))
	}
	return nil
}

// errCorrupt says that the file is no history.
var errCorrupt = errors.New("no readable history of model calls")

// Error is a history that could not be read or written; time-outs work without it.
type Error struct {
	Path string
	Err  error
}

// Error names the file and the reason.
func (e *Error) Error() string { return fmt.Sprintf("learned time-outs (%s): %v", e.Path, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

func parse(data []byte) (document, error) {
	var doc document
	err := json.Unmarshal(data, &doc)
	var strange *json.UnmarshalTypeError // the decoder passes over it and reads the rest
	if err != nil && (!errors.As(err, &strange) || doc.Models == nil) {
		return document{}, errCorrupt
	}
	return doc, nil
}

// load reads the file; a missing one is an empty document.
func (p *Planner) load() (document, error) {
	data, err := store.ReadFile(p.path, maxStatsFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return document{}, nil
	case store.KindOf(err) == store.TooLarge:
		return document{}, errCorrupt
	case err != nil:
		return document{}, err
	}
	return parse(data)
}

// read returns the history of a model. A corrupt file is no history; the next update sets it aside.
func (p *Planner) read(model string) (history, error) {
	doc, err := p.load()
	if err != nil {
		return history{}, &Error{Path: p.path, Err: err}
	}
	return doc.Models[model], nil
}

// update changes the history of a model in the file as it is now, so that what other processes
// recorded in the meantime is kept.
func (p *Planner) update(ctx context.Context, model string, change func(*history)) error {
	if !p.options.Adaptive {
		return nil
	}
	if err := p.rewrite(ctx, model, change); err != nil {
		return &Error{Path: p.path, Err: err}
	}
	return nil
}

func (p *Planner) rewrite(ctx context.Context, model string, change func(*history)) error {
	if err := store.EnsureDir(filepath.Dir(p.path)); err != nil {
		return err
	}
	unlock, err := p.locker.Lock(ctx, p.path)
	if err != nil {
		return err
	}
	defer unlock()
	doc, err := p.load()
	if errors.Is(err, errCorrupt) {
		_, err = store.Quarantine(p.path)
	}
	if err != nil {
		return err
	}
	if doc.Models == nil || len(doc.Models) > maxModels {
		doc.Models = make(map[string]history)
	}
	past := doc.Models[model]
	change(&past)
	past.Warm, past.Cold = p.lastSamples(past.Warm), p.lastSamples(past.Cold)
	doc.Models[model] = past
	data, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return store.WriteFile(p.path, append(data, '\n'))
}
