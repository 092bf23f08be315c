package bridge

import (
	"context"
	"encoding/json"
	"testing"
	"time"
)

func TestMemoryRunsShort(t *testing.T) {
	for _, tt := range []struct {
		name     string
		free     float64
		min      float64
		unloaded bool
	}{{"enough", 4000, 2048, false}, {"short", 1000, 2048, true}, {"never", 1000, 0, false}, {"not known", 0, 2048, false}} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.freeMB, d.memory.MinFreeMB = tt.free, tt.min
			got := d.look(t, d.bridge(t), ask("What is there?", "Calculator"))
			if got.Error != nil || got.Memory.UnloadedLowMemory != tt.unloaded || (d.llm.unloads == 1) != tt.unloaded ||
				float64(got.Memory.FreeRAMMB) != tt.free {
				t.Errorf("%v, %s, %d unloads", got.Error, asJSON(got.Memory), d.llm.unloads)
			}
			if got.MemoryMB == nil || *got.MemoryMB < 1000 {
				t.Errorf("memory_mb is not that of the answer: %v", got.MemoryMB)
			}
		})
	}
}

// Every call that meets a loaded model lets it go when memory is short, not just a look.
func TestMemoryRunsShortInOtherCalls(t *testing.T) {
	for name, use := range map[string]func(*testing.T, *desk, *Bridge){
		"ping": func(t *testing.T, _ *desk, b *Bridge) { b.Ping(t.Context(), nil) },
		"choice": func(t *testing.T, d *desk, b *Bridge) {
			d.llm.reply = func(string) string { return `{"choice": 1}` }
			d.checked(t, b.Click(t.Context(), clickOn("Calculator", "Open")))
		},
		"cached": func(t *testing.T, d *desk, b *Bridge) {
			b.deps.Memory.MinFreeMB = 0
			d.look(t, b, ask("What is there?", "Calculator").in("c", "s"))
			b.deps.Memory.MinFreeMB = 2048
			// The look at Ollama is awaited for a moment only; a slow machine may miss it.
			for range 50 {
				if got := d.look(t, b, ask("What is there?", "Calculator").in("c", "s")); !got.Cached {
					t.Fatalf("%s", asJSON(got))
				} else if got.Memory.UnloadedLowMemory {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, tt := range []struct {
				free float64
				want int
			}{{4000, 0}, {1000, 1}} {
				d := newDesk(t)
				d.freeMB = tt.free
				use(t, d, d.bridge(t))
				if d.llm.unloads != tt.want {
					t.Errorf("%g MB: %d unloads, want %d", tt.free, d.llm.unloads, tt.want)
				}
			}
		})
	}
}

// Whatever asked the model, it goes when memory is short, and only after the act that it chose for.
func TestMemoryRunsShortBesideLooks(t *testing.T) {
	for _, tt := range []struct {
		free    float64
		unloads int
	}{{4000, 0}, {1000, 1}} {
		d := newDesk(t)
		d.freeMB = tt.free
		if p := d.bridge(t).Ping(t.Context(), nil); !p.OK || d.llm.unloads != tt.unloads {
			t.Errorf("ping with %v MB: %+v, %d unloads", tt.free, p, d.llm.unloads)
		}
		d = newDesk(t)
		d.freeMB = tt.free
		d.llm.reply = func(string) string { return `{"choice": 1}` }
		d.cu.before = func(_ context.Context, c cuCall) error {
			if c.verb == "click" && d.llm.count("POST /api/generate") > 0 {
				t.Error("the model was unloaded between the snapshot and the act")
			}
			return nil
		}
		out := d.checked(t, d.bridge(t).Click(t.Context(), clickOn("Calculator", "Open")))
		if out.Result.Error != nil || d.llm.unloads != tt.unloads {
			t.Errorf("choice with %v MB: %v, %d unloads", tt.free, out.Result.Error, d.llm.unloads)
		}
		d = newDesk(t)
		d.freeMB = tt.free
		if out := d.checked(t, d.bridge(t).Click(t.Context(), clickOn("Calculator", "7"))); out.Result.Error != nil || len(d.llm.requests) != 0 {
			t.Errorf("a click without a model: %v, %q", out.Result.Error, d.llm.requests)
		}
	}
}

func TestKeepAlive(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  LookRequest
		want string
	}{
		{"alone", ask("What is there?", "Calculator"), "3m"},
		{"session", ask("What is there?", "Calculator").in("c", "s"), "10m"},
		{"keep_warm", LookRequest{Question: "What is there?", KeepWarm: true}, "10m"},
	} {
		d := newDesk(t)
		got := d.look(t, d.bridge(t), tt.req)
		var sent any
		if err := json.Unmarshal(d.llm.asked()[0].KeepAlive, &sent); err != nil {
			t.Fatal(err)
		}
		want, _ := time.ParseDuration(tt.want)
		text, _ := sent.(string)
		if told, err := time.ParseDuration(text); err != nil || told != want || got.Memory.KeepAlive != tt.want {
			t.Errorf("%s: sent %v, said %q, want %s", tt.name, sent, got.Memory.KeepAlive, tt.want)
		}
	}
}
