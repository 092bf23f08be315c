// Package memory decides how long a model stays in memory: the time to keep it after a call, and
// whether it has to go because the machine runs short.
//
// It owns the reading of free RAM, the keep-alive rules and the watcher that enforces them between
// calls. It must not know how a model is called or what it is asked.
package memory

import (
	"fmt"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/mem"
)

// Options are the rules. Source: README, "Memory release".
type Options struct {
	Idle                 time.Duration // kept after a call while no session is active; 0: none at all, less: for ever
	Session              time.Duration // kept while one is, or with keep_warm
	SessionActiveMinutes float64       // minutes for which a session counts as active after its last call
	MinFreeMB            float64       // less free RAM than this (MB of 1,048,576 bytes) unloads the model; 0: never
	Watch                bool          // look between calls too
	WatchInterval        time.Duration
}

// DefaultOptions are the values of the original's README.
func DefaultOptions() Options {
	return Options{
		Idle: 3 * time.Minute, Session: 10 * time.Minute, SessionActiveMinutes: 10,
		MinFreeMB: 2048, Watch: true, WatchInterval: 30 * time.Second,
	}
}

// Policy returns how long the model stays loaded after a call, in Ollama's form, and why. active says
// that some session was used within SessionActive; a call with a session of its own is one at once.
func (o Options) Policy(active, keepWarm bool) (keepAlive, reason string) {
	switch {
	case keepWarm:
		return formatKeepAlive(o.Session), "keep_warm was asked for"
	case active:
		return formatKeepAlive(o.Session), "a session is active"
	}
	return formatKeepAlive(o.Idle), "no session is active"
}

// SessionActive is how long a session counts as active after its last call.
func (o Options) SessionActive() time.Duration {
	return time.Duration(o.SessionActiveMinutes * float64(time.Minute))
}

// Low says whether so little RAM is free (MB) that the model has to go.
func (o Options) Low(freeMB float64) bool { return o.MinFreeMB > 0 && freeMB < o.MinFreeMB }

// Reader reads how many MB of RAM (1,048,576 bytes) the system can still hand out.
type Reader func() (freeMB float64, err error)

// FreeMB is the Reader of this machine: MemAvailable on Linux, available physical memory on Windows,
// free plus inactive pages on macOS. It is advice: another program can take the memory a moment later.
func FreeMB() (float64, error) {
	stat, err := mem.VirtualMemory()
	if err != nil {
		return 0, fmt.Errorf("read free memory: %w", err)
	}
	return float64(stat.Available) / (1 << 20), nil
}

// formatKeepAlive is the shortest form that Ollama takes: 3m, 1h30m, 90s as 1m30s, 0 for at once and
// -1 for ever.
func formatKeepAlive(keep time.Duration) string {
	switch {
	case keep < 0:
		return "-1"
	case keep == 0:
		return "0"
	}
	text := keep.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
