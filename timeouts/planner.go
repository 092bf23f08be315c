package timeouts

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"time"

	"mcp-computer-use/internal/store"
)

// Options are the settings of this package; their names and defaults are the README's.
type Options struct {
	Base          time.Duration // timeout_base
	Per1kChars    time.Duration // timeout_per_1k_chars; 0 adds nothing
	Min           time.Duration // timeout_min
	Max           time.Duration // timeout_max; wins over Min where they contradict
	ColdLoadExtra time.Duration // cold_load_extra, added after Max
	Adaptive      bool          // adaptive_timeout
	Window        int           // adaptive_window: samples that count
	CallBudget    time.Duration // call_budget_seconds; 0 means none
}

// DefaultOptions returns the README's defaults.
func DefaultOptions() Options {
	return Options{Base: 30 * time.Second, Per1kChars: 4 * time.Second, Min: 20 * time.Second, Max: 90 * time.Second,
		ColdLoadExtra: 45 * time.Second, Adaptive: true, Window: 8, CallBudget: 110 * time.Second}
}

// Source says where a time-out comes from (`timing.timeout_source`).
type Source string

// The three sources.
const (
	Static   Source = "static"
	Adaptive Source = "adaptive"
	Bumped   Source = "bumped"
)

// Decision is the time-out of one model call, before the budget caps it.
type Decision struct {
	Timeout time.Duration
	Source  Source
	Samples int  // warm calls that were learned from
	Cold    bool // the model has to be loaded first
}

// bump is the factor by which each MODEL_TIMEOUT raises the next time-out.
const bump = 1.5

// statsFile is the name of the history inside the sessions folder.
const statsFile = "timing_stats.json"

// statsWait bounds the wait for the history's lock: it is no reason to hold an answer back.
const statsWait = time.Second

// Planner plans time-outs. It keeps nothing in memory: each plan reads the history anew, so that all
// processes learn from each other. It is safe for concurrent use.
type Planner struct {
	options Options
	path    string
	locker  *store.Locker
}

// NewPlanner returns a planner whose history lies in the sessions folder. The folder is made when the
// first sample is recorded.
func NewPlanner(options Options, sessionsDir string) *Planner {
	return &Planner{options: options, path: filepath.Join(sessionsDir, statsFile),
		locker: &store.Locker{Wait: statsWait}}
}

// Budget starts the budget of one tool call.
func (p *Planner) Budget() Budget { return newBudget(p.options.CallBudget, nil) }

// Look plans the model call of look_at_screen: chars is the length of what the model is sent. The
// decision holds in any case; the error is a warning that the history could not be used.
func (p *Planner) Look(model string, chars int, cold bool) (Decision, error) {
	var past history
	var err error
	if p.options.Adaptive {
		past, err = p.read(model)
	}
	return p.decide(past, chars, cold), err
}

// Direct plans a call that does not depend on a text: ping and the choice among candidates use the base
// (README, "Smart timeout").
func (p *Planner) Direct(cold bool) Decision {
	return Decision{Timeout: p.withCold(p.options.Base, cold), Source: Static, Cold: cold}
}

// Succeeded records a successful model call of look_at_screen and ends a bump. Cold calls are kept
// apart and never learned from. A context that has ended records nothing: pass one that outlives the
// call.
func (p *Planner) Succeeded(ctx context.Context, model string, took time.Duration, cold bool) error {
	return p.update(ctx, model, func(past *history) {
		past.Timeouts = 0
		took = max(took, time.Microsecond) // the file's unit: less would be no sample
		if cold {
			past.Cold = p.lastSamples(append(past.Cold, took))
		} else {
			past.Warm = p.lastSamples(append(past.Warm, took))
		}
	})
}

// TimedOut records that a model call of look_at_screen reached its time-out. A call that was refused
// for want of budget never asked the model and is not recorded.
func (p *Planner) TimedOut(ctx context.Context, model string) error {
	return p.update(ctx, model, func(past *history) { past.Timeouts = min(past.Timeouts+1, maxTimeouts) })
}

func (p *Planner) decide(past history, chars int, cold bool) Decision {
	o := p.options
	base, decision := o.Base, Decision{Source: Static, Cold: cold}
	if warm := p.lastSamples(past.Warm); len(warm) > 0 {
		base = max(times(p90(warm), 2), o.Min)
		decision.Source, decision.Samples = Adaptive, len(warm)
	}
	limit := p.clamp(add(base, times(o.Per1kChars, float64(max(chars, 0))/1000)))
	if past.Timeouts > 0 {
		limit = min(times(limit, math.Pow(bump, float64(past.Timeouts))), o.Max)
		decision.Source = Bumped
	}
	decision.Timeout = p.withCold(limit, cold)
	return decision
}

func (p *Planner) clamp(d time.Duration) time.Duration {
	return min(max(d, p.options.Min), p.options.Max)
}

func (p *Planner) withCold(d time.Duration, cold bool) time.Duration {
	if cold {
		return add(d, p.options.ColdLoadExtra)
	}
	return d
}

// lastSamples returns those that the window takes.
func (p *Planner) lastSamples(all samples) samples {
	return all[max(len(all)-max(p.options.Window, 1), 0):]
}

// p90 is the 90th percentile by nearest rank: the smallest sample that at least nine of ten do not
// exceed. It panics without samples.
func p90(all samples) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	rank := (len(sorted)*9 + 9) / 10 // ceil(0.9 n)
	return sorted[rank-1]
}

// times multiplies without overflow.
func times(d time.Duration, factor float64) time.Duration {
	product := float64(d) * factor
	if product >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(product)
}

// add adds two durations that are not negative without overflow.
func add(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
