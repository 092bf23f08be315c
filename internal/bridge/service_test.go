package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcp-computer-use/internal/audit"
	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/result"
)

func TestPingReleaseHealth(t *testing.T) {
	shape := func(v any) {
		t.Helper()
		for _, p := range shapeProblems(v) {
			t.Error(p)
		}
	}
	d := newDesk(t)
	b := d.bridge(t)
	ping := b.Ping(t.Context(), nil)
	shape(ping)
	if !ping.OK || !ping.ModelReplyOK || ping.Cold || len(d.cu.calls) != 0 || d.llm.asked()[0].Format != nil {
		t.Errorf("%+v", ping)
	}
	d.llm.set(func() { d.llm.reply = func(string) string { return "I would rather not" } })
	if ping = b.Ping(t.Context(), nil); ping.OK || ping.ModelReplyOK || ping.Error != nil {
		t.Errorf("%+v", ping)
	}
	shape(ping)
	release := b.Release(t.Context())
	shape(release)
	if !release.OK || !release.WasLoaded || release.FreedMB < 1000 || d.llm.unloads != 1 {
		t.Errorf("%+v", release)
	}
	if release = b.Release(t.Context()); !release.OK || release.WasLoaded || release.FreedMB != 0 || d.llm.unloads != 1 {
		t.Errorf("%+v", release)
	}
	shape(release)
	d.llm.set(func() { d.llm.loaded = map[string]int{standModel + ":latest": 4096} })
	asked := 0
	d.llm.before = func(_ context.Context, path string) {
		if path == "/api/ps" {
			if asked++; asked == 2 {
				d.llm.set(func() { d.llm.down = true })
			}
		}
	}
	if release = b.Release(t.Context()); !release.OK || release.FreedMB != 0 {
		t.Errorf("freed memory that nobody saw: %+v", release)
	}
	d.llm.before = nil
	d.llm.set(func() { d.llm.down = false })
	if ping = b.Ping(t.Context(), nil); !ping.Cold {
		t.Errorf("%+v", ping)
	}
	health := b.Health(t.Context())
	shape(health)
	if !health.OK || !health.ModelPulled || !health.ModelLoaded || health.LastAutostart != nil || health.AgentCUVersion != "0.1.1" {
		t.Errorf("%+v", health)
	}
	d.llm.set(func() { d.llm.pulled, d.llm.loaded = nil, nil })
	if health = b.Health(t.Context()); health.OK || !health.OllamaReachable || health.ModelPulled {
		t.Errorf("%+v", health)
	}
	if ping = b.Ping(t.Context(), nil); codeIn(ping.Error) != "MODEL_NOT_FOUND" || !ping.Ollama {
		t.Errorf("%+v", ping)
	}
	shape(ping)
	d.llm.set(func() { d.llm.down = true })
	for _, v := range []any{b.Ping(t.Context(), nil), b.Release(t.Context()), b.Health(t.Context())} {
		shape(v)
		if strings.Contains(asJSON(v), `"ok":true`) {
			t.Errorf("%s", asJSON(v))
		}
	}
	if health = b.Health(t.Context()); health.LastAutostart != nil {
		t.Error("health counts as a start")
	}
}

// Health tells how Ollama was started last, and starts nothing itself.
func TestHealthAfterAStart(t *testing.T) {
	d := newDesk(t)
	d.llm.down = true
	starter := &starts{llm: d.llm}
	d.start, d.starter = true, starter
	b := d.bridge(t)
	if h := b.Health(t.Context()); h.OK || starter.count != 0 || h.OllamaAutostarted {
		t.Errorf("%+v", h)
	}
	if p := b.Ping(t.Context(), nil); !p.OK || !p.Cold || starter.count != 1 {
		t.Errorf("%+v, %d starts", p, starter.count)
	}
	h := b.Health(t.Context())
	if !h.OllamaAutostarted || h.LastAutostart == nil || !h.LastAutostart.OK || h.LastAutostart.Method == "" {
		t.Errorf("%+v", h.LastAutostart)
	}
	for _, p := range shapeProblems(h) {
		t.Error(p)
	}
}

// Every error of the lower packages gets a code, and none is lost.
func TestCodeOf(t *testing.T) {
	if got := codeOf(errors.New("anything")); !slices.Contains(result.Codes(), got.Code) || got.Suggestion == "" {
		t.Errorf("%+v", got)
	}
	wrapped := fmt.Errorf("read: %w", result.New(result.AppNotFound, "m"))
	if got := codeOf(wrapped); got.Code != result.AppNotFound {
		t.Errorf("%+v", got)
	}
	if got := codeOf(fmt.Errorf("x: %w", &audit.Error{Locked: true, Err: errors.New("y")})); got.Code != result.AuditLogFailed || !got.Retryable {
		t.Errorf("%+v", got)
	}
	if got := codeOf(&proc.Error{Kind: proc.Killed, Path: "p"}); got.Code != result.AgentCUFailed {
		t.Errorf("%+v", got)
	}
}

func TestPlatformOf(t *testing.T) {
	for _, tt := range [][3]string{{"", "windows", "windows"}, {"", "darwin", "macos"}, {"", "linux", "linux"}, {"", "freebsd", "linux"}, {"macos", "windows", "macos"}} {
		if got := PlatformOf(tt[0], tt[1]); string(got) != tt[2] {
			t.Errorf("%v: %s", tt, got)
		}
	}
}
