package timeouts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestWithLimit(t *testing.T) {
	ctx, cancel := WithLimit(t.Context(), 0, "agent-cu text")
	defer cancel()
	<-ctx.Done()
	cause := Cause(ctx)
	if cause == nil || *cause != (Exceeded{"agent-cu text", 0}) {
		t.Fatalf("cause %v", cause)
	}
	wrapped := fmt.Errorf("reading: %w", context.Cause(ctx))
	var exceeded *Exceeded
	if !errors.As(wrapped, &exceeded) || !errors.Is(wrapped, context.DeadlineExceeded) || errors.Is(wrapped, context.Canceled) {
		t.Errorf("%v is not recognised", wrapped)
	}
}

func TestCauseOfOtherEnds(t *testing.T) {
	outer, stop := context.WithCancelCause(t.Context())
	ctx, cancel := WithLimit(outer, time.Hour, "the model")
	defer cancel()
	if got := Cause(ctx); got != nil {
		t.Errorf("a running context has the cause %v", got)
	}
	stop(errors.New("interrupted"))
	<-ctx.Done()
	if got := Cause(ctx); got != nil {
		t.Errorf("an interrupted context has the cause %v", got)
	}
	inner, cancelInner := WithLimit(t.Context(), 0, "the call")
	defer cancelInner()
	below, cancelBelow := WithLimit(inner, time.Hour, "the model")
	defer cancelBelow()
	<-below.Done()
	if got := Cause(below); got == nil || got.Limit != "the call" {
		t.Errorf("the outer limit ended it, cause %v", got)
	}
}

func TestExceededText(t *testing.T) {
	for d, want := range map[time.Duration]string{38 * time.Second: "38s", 37512 * time.Millisecond: "37.5s",
		90 * time.Minute: "5400s", 3 * time.Millisecond: "3ms", 0: "0s"} {
		err := &Exceeded{"gpt-oss:20b", d}
		if got := err.Error(); !strings.Contains(got, "gpt-oss:20b") || !strings.HasSuffix(got, " "+want) {
			t.Errorf("%v: %q, want %q at its end", d, got, want)
		}
		if !err.Timeout() {
			t.Error("no time-out")
		}
	}
}

func TestBudget(t *testing.T) {
	now := time.Unix(1000, 0)
	clock := func() time.Time { return now }
	b := newBudget(20*time.Second, clock)
	type capped struct {
		d  time.Duration
		by bool
	}
	get := func(d time.Duration, by bool) capped { return capped{d, by} }
	cases := []struct {
		elapsed, left    time.Duration
		enough           bool
		limit            time.Duration
		all, read, await capped
	}{
		{0, 20 * time.Second, true, 30 * time.Second, capped{20 * time.Second, true}, capped{19 * time.Second, true}, capped{15 * time.Second, true}},
		{0, 20 * time.Second, true, 10 * time.Second, capped{10 * time.Second, false}, capped{10 * time.Second, false}, capped{10 * time.Second, false}},
		{0, 20 * time.Second, true, 20 * time.Second, capped{20 * time.Second, false}, capped{19 * time.Second, true}, capped{15 * time.Second, true}},
		{15 * time.Second, 5 * time.Second, true, 30 * time.Second, capped{5 * time.Second, true}, capped{4 * time.Second, true}, capped{0, true}},
		{15*time.Second + 1, 5*time.Second - 1, false, time.Second, capped{time.Second, false}, capped{time.Second, false}, capped{0, true}},
		{25 * time.Second, 0, false, time.Second, capped{0, true}, capped{0, true}, capped{0, true}},
	}
	for _, c := range cases {
		now = time.Unix(1000, 0).Add(c.elapsed)
		left, limited := b.Remaining()
		if left != c.left || !limited || b.Enough() != c.enough || b.Elapsed() != c.elapsed || b.Total() != 20*time.Second {
			t.Errorf("after %v: %v left, limited %v, enough %v", c.elapsed, left, limited, b.Enough())
		}
		if all, read, wait := get(b.Cap(c.limit)), get(b.CapRead(c.limit)), get(b.CapWait(c.limit)); all != c.all || read != c.read || wait != c.await {
			t.Errorf("after %v, limit %v: %v %v %v", c.elapsed, c.limit, all, read, wait)
		}
	}
	for name, off := range map[string]Budget{"zero value": {}, "zero": newBudget(0, nil), "negative": newBudget(-5, nil)} {
		left, limited := off.Remaining()
		d, by := off.Cap(time.Hour)
		r, byRead := off.CapRead(time.Hour)
		if left != 0 || limited || !off.Enough() || d != time.Hour || by || r != time.Hour || byRead || off.Total() != 0 {
			t.Errorf("%s: a budget that is off limits", name)
		}
	}
}
