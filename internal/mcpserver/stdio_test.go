package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/result"
)

// bubble runs a test in synthetic time: waits cost nothing and clocks are exact.
func bubble(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// slow is a look that takes a time, and stops when it is cancelled.
func slow(d time.Duration) *fakeTools {
	return &fakeTools{look: func(ctx context.Context, r bridge.LookRequest) bridge.LookOutcome {
		select {
		case <-time.After(d):
			return bridge.LookOutcome{Result: lookResult()}
		case <-ctx.Done():
			return bridge.LookOutcome{Result: &result.Look{Error: result.New(result.AgentCUFailed, "cancelled")}}
		}
	}}
}

const askDone = `{"question":"Is it done?"}`

func TestSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, slow(time.Second), Options{})
		c.hello(`{}`)
		start := time.Now()
		for i := range 20 {
			c.call(fmt.Sprint(i), "look_at_screen", askDone)
		}
		c.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
		c.call(`"health"`, "health", `{}`)
		c.answer(`"ping"`)
		c.answer(`"health"`)
		if took := time.Since(start); took != 0 {
			t.Errorf("ping and health waited %v for the calls", took)
		}
		for i := range 20 {
			c.answer(fmt.Sprint(i))
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("twenty calls of 1 s took %v", took)
		}
	})
}

// Calls that nobody reads the answers of must not hold up what comes in.
func TestReadingNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inRead, inWrite := io.Pipe()
		outRead, outWrite := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- New(&fakeTools{}, Options{}).Serve(t.Context(), inRead, outWrite, nil) }()
		for i := range 1000 {
			fmt.Fprintf(inWrite, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"health"}}`+"\n", i)
		}
		inWrite.Close()
		start := time.Now()
		if err := <-ended; err != nil || time.Since(start) > 1800*time.Millisecond {
			t.Errorf("left after %v with %v", time.Since(start), err)
		}
		outRead.Close()
	})
}

func TestCancel(t *testing.T) {
	for name, pause := range map[string]time.Duration{"at once": 0, "running": 300 * time.Millisecond} {
		for _, id := range []string{`7`, `"seven"`, `9007199254740993`} {
			bubble(t, name+" "+id, func(t *testing.T) {
				var stopped atomic.Bool
				tools := slow(time.Minute)
				look := tools.look
				tools.look = func(ctx context.Context, r bridge.LookRequest) bridge.LookOutcome {
					defer func() { stopped.Store(ctx.Err() != nil) }()
					return look(ctx, r)
				}
				c := connect(t, tools, Options{})
				c.hello(`{}`)
				c.call(id, "look_at_screen", askDone)
				time.Sleep(pause)
				c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"r"}}`, id)
				time.Sleep(2 * time.Minute)
				if !stopped.Load() {
					t.Error("the call goes on")
				}
				if len(c.all()) != 1 {
					t.Errorf("an answer to a cancelled call: %q", c.all()[1:])
				}
				c.call(id, "health", `{}`) // the id is free again
				c.answer(id)
			})
		}
	}
}

func TestCancelOfNothing(t *testing.T) {
	c := connect(t, &fakeTools{}, Options{})
	for _, params := range []string{`{"requestId":99}`, `{"requestId":null}`, `{"requestId":{}}`, `{}`, `[]`, `5`} {
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":%s}`, params)
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	c.answer("1")
	if len(c.all()) != 1 {
		t.Errorf("answers: %q", c.all())
	}
}

func TestEndOfInput(t *testing.T) {
	bubble(t, "idle", func(t *testing.T) {
		c := connect(t, &fakeTools{}, Options{})
		c.hello(`{}`)
		start := time.Now()
		if err := c.leave(); err != nil || time.Since(start) != 0 {
			t.Errorf("left after %v with %v", time.Since(start), err)
		}
	})
	bubble(t, "a short call is answered", func(t *testing.T) {
		c := connect(t, slow(900*time.Millisecond), Options{})
		c.hello(`{}`)
		c.call("1", "look_at_screen", askDone)
		start := time.Now()
		if err := c.leave(); err != nil || time.Since(start) != 900*time.Millisecond {
			t.Errorf("left after %v with %v", time.Since(start), err)
		}
		if _, ok := c.find(`"id":1,`); !ok {
			t.Error("the call was not answered")
		}
	})
	bubble(t, "a long call is cancelled", func(t *testing.T) {
		c := connect(t, slow(time.Minute), Options{})
		c.hello(`{}`)
		c.call("1", "look_at_screen", askDone)
		start := time.Now()
		if err := c.leave(); err != nil || time.Since(start) != time.Second {
			t.Errorf("left after %v with %v", time.Since(start), err)
		}
	})
	bubble(t, "a stuck call is left behind", func(t *testing.T) {
		tools := &fakeTools{look: func(context.Context, bridge.LookRequest) bridge.LookOutcome {
			time.Sleep(time.Hour)
			return bridge.LookOutcome{Result: lookResult()}
		}}
		c := connect(t, tools, Options{})
		c.hello(`{}`)
		c.call("1", "look_at_screen", askDone)
		start := time.Now()
		if err := c.leave(); err != nil || time.Since(start) > 1800*time.Millisecond {
			t.Errorf("left after %v with %v", time.Since(start), err)
		}
		time.Sleep(2 * time.Hour) // the bubble must not burst before the stuck call ends
	})
	bubble(t, "all at once", func(t *testing.T) {
		c := connect(t, &fakeTools{}, Options{})
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		c.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"health"}}`) // no line feed
		if err := c.leave(); err != nil {
			t.Error(err)
		}
		c.answer("0")
		c.answer("1")
	})
}

func TestEndOfContext(t *testing.T) {
	bubble(t, "idle", func(t *testing.T) {
		c := connect(t, &fakeTools{}, Options{})
		c.cancel()
		if err := <-c.ended; err != nil {
			t.Errorf("%v, want a clean return", err)
		}
	})
	bubble(t, "busy", func(t *testing.T) {
		c := connect(t, slow(time.Minute), Options{})
		c.call("1", "look_at_screen", askDone)
		synctest.Wait()
		start := time.Now()
		c.cancel()
		if err := <-c.ended; err != nil || time.Since(start) != 0 {
			t.Errorf("left after %v with %v", time.Since(start), err)
		}
	})
}

func TestBrokenStreams(t *testing.T) {
	broken := errors.New("the pipe broke")
	bubble(t, "output", func(t *testing.T) {
		inRead, inWrite := io.Pipe()
		outRead, outWrite := io.Pipe()
		outRead.CloseWithError(broken)
		ended := make(chan error, 1)
		go func() { ended <- New(slow(time.Minute), Options{}).Serve(t.Context(), inRead, outWrite, nil) }()
		fmt.Fprintln(inWrite, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look_at_screen","arguments":`+askDone+`}}`)
		fmt.Fprintln(inWrite, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if err := <-ended; !errors.Is(err, broken) {
			t.Errorf("got %v, want the write error", err)
		}
		inWrite.Close()
	})
	bubble(t, "input", func(t *testing.T) {
		err := New(&fakeTools{}, Options{}).Serve(t.Context(), iotest.ErrReader(broken), io.Discard, nil)
		if !errors.Is(err, broken) {
			t.Errorf("got %v, want the read error", err)
		}
	})
}

func TestParentGone(t *testing.T) {
	opts := func(gone chan struct{}) Options { return Options{ParentGone: gone, ParentGrace: time.Minute} }
	bubble(t, "quiet", func(t *testing.T) {
		gone := make(chan struct{})
		c := connect(t, &fakeTools{}, opts(gone))
		c.hello(`{}`)
		time.Sleep(time.Hour)
		start := time.Now()
		close(gone)
		if err := <-c.ended; err != nil || time.Since(start) != time.Minute {
			t.Errorf("left after %v with %v", time.Since(start), err)
		}
	})
	bubble(t, "a live client goes on", func(t *testing.T) {
		gone := make(chan struct{})
		c := connect(t, &fakeTools{}, opts(gone))
		close(gone)
		for range 10 {
			time.Sleep(50 * time.Second)
			c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		}
		start := time.Now()
		if <-c.ended; time.Since(start) != time.Minute {
			t.Errorf("left %v after the last message", time.Since(start))
		}
	})
	bubble(t, "a running call counts", func(t *testing.T) {
		gone := make(chan struct{})
		c := connect(t, slow(5*time.Minute), opts(gone))
		c.call("1", "look_at_screen", askDone)
		close(gone)
		start := time.Now()
		if <-c.ended; time.Since(start) < 6*time.Minute {
			t.Errorf("left after %v, within the call", time.Since(start))
		}
		c.answer("1")
	})
}

// Each odd line gets its error under the right id, and the line after it is served.
func TestOddLines(t *testing.T) {
	c := connect(t, &fakeTools{}, Options{MaxLine: 4096})
	cases := []struct{ why, line, want string }{
		{"bad JSON", `{"jsonrpc": bad`, `"id":null,"error":{"code":-32700`},
		{"cut off", `{"jsonrpc":"2.0","id":1,"method":"pi`, `"id":null,"error":{"code":-32700`},
		{"two on a line", `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, `"id":null,"error":{"code":-32700`},
		{"a string", `"text"`, `"id":null,"error":{"code":-32700`},
		{"a number", `17`, `"id":null,"error":{"code":-32700`},
		{"null", `null`, `"id":null,"error":{"code":-32700`},
		{"broken UTF-8", "\xff\xfe\x00{", `"id":null,"error":{"code":-32700`},
		{"too long", strings.Repeat("x", 5000), `"id":null,"error":{"code":-32700`},
		{"an empty batch", `[]`, `"id":null,"error":{"code":-32600`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"id":null,"error":{"code":-32600`},
		{"an object as id", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"a list as id", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"a bool as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"no version", `{"id":"v","method":"ping"}`, `"id":"v","error":{"code":-32600`},
		{"another version", `{"jsonrpc":"1.0","id":"w","method":"ping"}`, `"id":"w","error":{"code":-32600`},
		{"no method", `{"jsonrpc":"2.0","id":"x"}`, `"id":"x","error":{"code":-32600`},
		{"a number as method", `{"jsonrpc":"2.0","id":"y","method":5}`, `"id":"y","error":{"code":-32600`},
		{"unknown method", `{"jsonrpc":"2.0","id":"z","method":"no/such"}`, `"id":"z","error":{"code":-32601`},
		{"no prompts", `{"jsonrpc":"2.0","id":"p","method":"prompts/list"}`, `"id":"p","error":{"code":-32601`},
		{"no resources", `{"jsonrpc":"2.0","id":"r","method":"resources/list"}`, `"id":"r","error":{"code":-32601`},
		{"a call without a name", `{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{}}`, `"id":"n","error":{"code":-32602`},
		{"a call without parameters", `{"jsonrpc":"2.0","id":"o","method":"tools/call"}`, `"id":"o","error":{"code":-32602`},
		{"a list as arguments", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"health","arguments":[]}}`, `"id":"a","error":{"code":-32602`},
		{"text as arguments", `{"jsonrpc":"2.0","id":"t","method":"tools/call","params":{"name":"health","arguments":"x"}}`, `"id":"t","error":{"code":-32602`},
		{"a result beside the method", `{"jsonrpc":"2.0","id":"b","method":"ping","result":{}}`, `"id":"b","result":{}`},
		{"names in another case", `{"jsonrpc":"2.0","id":"c","method":"ping","METHOD":"tools/list","Result":1}`, `"id":"c","result":{}`},
	}
	for i, one := range cases {
		seen := len(c.all())
		c.write(one.line + "\n")
		c.send(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 1000+i)
		c.answer(fmt.Sprint(1000 + i))
		if c.wait(one.want); len(c.all()) != seen+2 {
			t.Errorf("%s: %q", one.why, c.all()[seen:])
		}
	}
}

// What wants no answer gets none.
func TestQuietLines(t *testing.T) {
	c := connect(t, &fakeTools{}, Options{})
	for _, line := range []string{"", "\r", "  \t", `{"jsonrpc":"2.0","id":77,"error":{"code":-1,"message":"no"}}`,
		`{"jsonrpc":"2.0","id":78,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}`,
		`{"jsonrpc":"2.0","error":{"code":-1,"message":"no"}}`, `{"jsonrpc":"2.0","method":"notifications/unknown"}`,
		`{"jsonrpc":"2.0","method":"ping"}`, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"health"}}`} {
		c.write(line + "\n")
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	c.answer("1")
	if len(c.all()) != 1 {
		t.Errorf("answers: %q", c.all())
	}
}

func TestIDs(t *testing.T) {
	c := connect(t, &fakeTools{}, Options{})
	for sent, want := range map[string]string{
		`9007199254740993`: `9007199254740993`, `-5`: `-5`, `1.5`: `1.5`, `0`: `0`, `1e3`: `1e3`,
		`"abc"`: `"abc"`, `"9007199254740993"`: `"9007199254740993"`, `"ünï"`: `"ünï"`, `""`: `""`,
		`"\u0061\n<"`: `"a\n<"`, "\"\xff\"": "\"\ufffd\"",
	} {
		for _, method := range []string{`"ping"`, `"tools/call","params":{"name":"health"}`} {
			c.mu.Lock()
			c.lines = nil
			c.mu.Unlock()
			c.write(`{"jsonrpc":"2.0","id":` + sent + `,"method":` + method + "}\n")
			c.wait(`"id":` + want + `,"result"`)
		}
	}
}

func TestIDInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, slow(time.Second), Options{})
		c.call("1", "look_at_screen", askDone)
		c.call("1", "look_at_screen", askDone)
		c.wait(`"id":1,"error":{"code":-32600`)
		c.wait(`"id":1,"result"`)
	})
}

func TestWhatTheWireCarries(t *testing.T) {
	c := connect(t, &fakeTools{}, Options{})
	c.write("\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n")
	c.answer("1")
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look_at_screen","arguments":{"question":"q","pad":"%s"}}}`, strings.Repeat("x", 5_000_000))
	want, err := result.Encode(lookResult())
	if err != nil {
		t.Fatal(err)
	}
	if got := c.answer("2").text(); got != string(want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if line, _ := c.find(`"id":2,`); !strings.Contains(line, "שלום") || !strings.Contains(line, "ü") {
		t.Errorf("non-ASCII text is not raw: %s", line)
	}
}

func TestBigAnswer(t *testing.T) {
	picture := []byte(strings.Repeat("\x00\xff", 1_500_000))
	tools := &fakeTools{look: func(context.Context, bridge.LookRequest) bridge.LookOutcome {
		r := lookResult()
		r.Image = &result.Image{Width: 1, Height: 1, Bytes: len(picture)}
		return bridge.LookOutcome{Result: r, JPEG: picture}
	}}
	c := connect(t, tools, Options{})
	c.call("1", "look_at_screen", `{"question":"q","include_image":true}`)
	r := c.answer("1").Result
	if len(r.Content) != 2 || r.Content[1].Type != "image" || r.Content[1].MimeType != "image/jpeg" || len(r.Content[1].Data) != 4_000_000 {
		t.Errorf("%d blocks", len(r.Content))
	}
	if _, found := c.find("structuredContent"); found {
		t.Error("structured content beside an image")
	}
}

func TestPanicAndNaN(t *testing.T) {
	tools := &fakeTools{
		look: func(context.Context, bridge.LookRequest) bridge.LookOutcome {
			panic(errors.New("boom: bad thing ü"))
		},
		release: func(context.Context) *result.Release { return notFinite() },
	}
	c := connect(t, tools, Options{})
	c.call("1", "look_at_screen", askDone)
	if r := c.answer("1"); !r.Result.IsError || r.text() != "Error executing tool look_at_screen: boom: bad thing ü" {
		t.Errorf("panic: %+v", r)
	}
	c.call("2", "release_model", `{}`)
	if r := c.answer("2"); r.Error == nil || r.Error.Code != codeInternal {
		t.Errorf("NaN: %+v", r)
	}
	c.call("3", "health", `null`)
	if r := c.answer("3"); r.Error != nil || r.Result.IsError {
		t.Errorf("after both: %+v", r)
	}
}

func TestIsErrorFollowsTheJSON(t *testing.T) {
	failing := result.New(result.ModelFailed, "no")
	tools := &fakeTools{
		look: func(context.Context, bridge.LookRequest) bridge.LookOutcome {
			return bridge.LookOutcome{Result: &result.Look{Error: failing, WindowsSeen: []string{}, Status: result.Unknown, Hint: "h"}}
		},
		act: func(context.Context, bridge.Confirmation) bridge.ActOutcome {
			return bridge.ActOutcome{Result: &result.Act{Error: failing, Action: "click"}}
		},
		ping:    func(context.Context, bridge.Progress) *result.Ping { return &result.Ping{Error: failing} },
		release: func(context.Context) *result.Release { return &result.Release{Error: failing} },
		health:  func(context.Context) *result.Health { return &result.Health{OK: false} },
	}
	for brief, withHint := range map[bool]string{false: `"duration_seconds"`, true: `"hint":"h"}`} {
		c := connect(t, tools, Options{Brief: brief})
		for tool, arguments := range map[string]string{"look_at_screen": askDone, "click": `{}`, "type_text": `{"target":"t","text":"x"}`,
			"ping": `{}`, "release_model": `{}`, "health": `{}`} {
			c.call(`"`+tool+`"`, tool, arguments)
			r := c.answer(`"` + tool + `"`)
			if r.Result.IsError != strings.Contains(r.text(), `"error"`) || r.Result.IsError == (tool == "health") {
				t.Errorf("%s: isError %v of %s", tool, r.Result.IsError, r.text())
			}
			if tool == "look_at_screen" && !strings.Contains(r.text(), withHint) {
				t.Errorf("brief %v: %s", brief, r.text())
			}
		}
	}
}

func TestRequestsReachTheTools(t *testing.T) {
	tools := &fakeTools{}
	c := connect(t, tools, Options{})
	c.call("1", "look_at_screen", `{"question":" q ","app":"A","client":"c","session_id":"s","keep_warm":"yes","include_image":1,"image_out":"x"}`)
	c.answer("1")
	c.call("2", "click", `{"target":"7","steps":"[\"1\",2]","confirm_dangerous":true}`)
	c.answer("2")
	c.call("3", "type_text", `{"target":"t","text":{"a":1},"app":"A"}`)
	c.answer("3")
	look, click, typed := tools.looks[0], tools.clicks[0], tools.types[0]
	if look.Question != " q " || *look.App != "A" || *look.Client != "c" || *look.SessionID != "s" || !look.KeepWarm || !look.IncludeImage || look.ImageOut != "" || look.Progress != nil {
		t.Errorf("look: %+v", look)
	}
	if *click.Target != "7" || !click.HasSteps || len(click.Steps) != 2 || *click.Steps[0] != "1" || click.Steps[1] != nil || click.App != nil ||
		click.Confirm != (bridge.Confirmation{Flag: true}) {
		t.Errorf("click: %+v", click)
	}
	if typed.Target != "t" || typed.Text != nil || *typed.App != "A" || typed.Confirm != (bridge.Confirmation{}) {
		t.Errorf("type: %+v", typed)
	}
}
