// Package timeouts decides how long things may take: the limit of a model call (fixed, learned or
// raised after a time-out), the budget of a whole tool call, and contexts that say which limit ended
// them.
//
// It owns timing_stats.json. It must not know what runs inside a limit.
package timeouts

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Exceeded says that a named limit was reached. It is the cause of a context from WithLimit, and
// errors.Is takes it for context.DeadlineExceeded.
type Exceeded struct {
	Limit string        // what was limited, in words for a reader: "agent-cu text", "the model"
	After time.Duration // the limit
}

// Error names the limit and its seconds.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("%s did not end within %s", e.Limit, inSeconds(e.After))
}

// Is makes the error one kind of context.DeadlineExceeded.
func (e *Exceeded) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout marks the error as a time-out for code that asks through net.Error's method.
func (e *Exceeded) Timeout() bool { return true }

// inSeconds prints a duration the way results do: seconds with at most one decimal.
func inSeconds(d time.Duration) string {
	tenths := d.Round(100 * time.Millisecond).Seconds()
	if tenths == 0 && d > 0 {
		return d.String()
	}
	return strconv.FormatFloat(tenths, 'f', -1, 64) + "s"
}

// WithLimit returns a context that ends after d with a *Exceeded of that name as its cause. The cancel
// function must be called on every path. A limit of 0 or less has passed already.
func WithLimit(ctx context.Context, d time.Duration, name string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, &Exceeded{Limit: name, After: d})
}

// Cause returns the limit that ended the context, or nil where the context has not ended or ended for
// another reason (an interrupt, a client that went away).
func Cause(ctx context.Context) *Exceeded {
	var exceeded *Exceeded
	if errors.As(context.Cause(ctx), &exceeded) {
		return exceeded
	}
	return nil
}
