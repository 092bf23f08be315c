package timeouts

import "time"

// MinModelTime is the least time that is worth a model call: with less left of the budget the call ends
// with MODEL_TIMEOUT at once (README, "Call budget").
const MinModelTime = 5 * time.Second

// readReserve is the part of the budget that reads leave over, so that the answer can still be built
// and sent (spec/contract.md section 10).
const readReserve = time.Second

// Budget is the wall time of one tool call, counted from its start. The zero value is no budget at all.
// It is a value: copy it freely.
type Budget struct {
	total time.Duration
	start time.Time
	now   func() time.Time
}

// newBudget starts a budget now. A total of 0 or less means that there is none. A nil clock is
// time.Now.
func newBudget(total time.Duration, now func() time.Time) Budget {
	if now == nil {
		now = time.Now
	}
	return Budget{total: max(total, 0), start: now(), now: now}
}

// Total returns the whole budget; 0 means that there is none.
func (b Budget) Total() time.Duration { return b.total }

// Elapsed returns the time since the start of the call; 0 for the zero value.
func (b Budget) Elapsed() time.Duration {
	if b.now == nil {
		return 0
	}
	return b.now().Sub(b.start)
}

// Remaining returns what is left, never less than 0. limited is false where there is no budget.
func (b Budget) Remaining() (left time.Duration, limited bool) {
	if b.total <= 0 {
		return 0, false
	}
	return max(b.total-b.Elapsed(), 0), true
}

// Enough says whether a model call may still be started: at least MinModelTime is left.
func (b Budget) Enough() bool {
	left, limited := b.Remaining()
	return !limited || left >= MinModelTime
}

// Cap returns the smaller one of d and what is left, and whether the budget was the smaller one.
func (b Budget) Cap(d time.Duration) (time.Duration, bool) {
	left, limited := b.Remaining()
	if !limited || d <= left {
		return d, false
	}
	return left, true
}

// CapRead is Cap for a read of the window: the last second of the budget is kept back.
func (b Budget) CapRead(d time.Duration) (time.Duration, bool) {
	return b.capLess(d, readReserve)
}

// CapWait is Cap for a wait that a model call follows (the start of Ollama): it leaves room for the
// shortest model call.
func (b Budget) CapWait(d time.Duration) (time.Duration, bool) {
	return b.capLess(d, MinModelTime)
}

func (b Budget) capLess(d, reserve time.Duration) (time.Duration, bool) {
	left, limited := b.Remaining()
	left = max(left-reserve, 0)
	if !limited || d <= left {
		return d, false
	}
	return left, true
}
