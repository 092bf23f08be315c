package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/result"
)

// gated are tools whose every action is dangerous until someone agreed; acted counts what was done.
type gated struct {
	*fakeTools
	acted int
	seen  []bridge.Confirmation
}

func newGated() *gated {
	g := &gated{}
	g.fakeTools = &fakeTools{act: func(_ context.Context, c bridge.Confirmation) bridge.ActOutcome {
		g.seen = append(g.seen, c)
		outcome := held(0)
		if !c.Flag && (c.Elicited == nil || *c.Elicited != *outcome.Danger) {
			return outcome
		}
		g.acted++
		ok := true
		return bridge.ActOutcome{Result: &result.Act{OK: &ok, Action: "click"}, Acted: 1}
	}}
	return g
}

// heldBack tells whether the answer is the gate's, and whether it still names the flag.
func heldBack(r reply) (held, namesFlag bool) {
	return r.Result.IsError && strings.Contains(r.text(), string(result.DangerousAction)), strings.Contains(r.text(), "confirm_dangerous")
}

const clickDelete = `{"app":"Files","target":"Delete"}`

func TestElicitation(t *testing.T) {
	cases := []struct {
		why       string
		after     time.Duration
		reply     string // members of the client's answer
		acts      int
		namesFlag bool
	}{
		{"yes", 3 * time.Second, `"result":{"action":"accept","content":{"confirm":true}}`, 1, false},
		{"yes at the limit of haste", tooQuick, `"result":{"action":"accept","content":{"confirm":true}}`, 1, false},
		{"a yes that no human can give", 299 * time.Millisecond, `"result":{"action":"accept","content":{"confirm":true}}`, 0, true},
		{"accept without a tick", 3 * time.Second, `"result":{"action":"accept","content":{"confirm":false}}`, 0, false},
		{"accept without the field", 3 * time.Second, `"result":{"action":"accept","content":{}}`, 0, true},
		{"accept without content", 3 * time.Second, `"result":{"action":"accept"}`, 0, true},
		{"a word for yes", 3 * time.Second, `"result":{"action":"accept","content":{"confirm":"true"}}`, 0, true},
		{"no", 3 * time.Second, `"result":{"action":"decline"}`, 0, false},
		{"an automatic no", 10 * time.Millisecond, `"result":{"action":"decline"}`, 0, true},
		{"dismissed", 3 * time.Second, `"result":{"action":"cancel"}`, 0, true},
		{"an unknown action", 3 * time.Second, `"result":{"action":"maybe"}`, 0, true},
		{"an error", 3 * time.Second, `"error":{"code":-32601,"message":"no"}`, 0, true},
		{"no object", 3 * time.Second, `"result":5`, 0, true},
		{"too late", 2 * time.Minute, `"result":{"action":"accept","content":{"confirm":true}}`, 0, true},
	}
	for _, one := range cases {
		bubble(t, one.why, func(t *testing.T) {
			tools := newGated()
			c := connect(t, tools, Options{Elicit: true, CallBudget: 110 * time.Second})
			c.hello(`{"elicitation":{}}`)
			c.call("9", "click", clickDelete)
			question := c.wait("elicitation/create")
			time.Sleep(one.after)
			c.send(`{"jsonrpc":"2.0","id":1,%s}`, one.reply)
			r := c.answer("9")
			heldIt, flag := heldBack(r)
			if tools.acted != one.acts || heldIt != (one.acts == 0) || flag != one.namesFlag {
				t.Errorf("acted %d times, answer %s", tools.acted, r.text())
			}
			if !strings.Contains(question, `"requestedSchema":{"properties":{"confirm":{"title":"Confirm","type":"boolean"}},"required":["confirm"],"type":"object"}`) {
				t.Errorf("question: %s", question)
			}
			_, withdrawn := c.find("notifications/cancelled")
			if withdrawn != (one.why == "too late") {
				t.Errorf("withdrawn: %v", withdrawn)
			}
		})
	}
}

// Nobody is asked unless the setting, the client and the moment allow it.
func TestNoElicitation(t *testing.T) {
	cases := []struct {
		why, capabilities, arguments string
		elicit                       bool
		acted                        int
	}{
		{"the setting is off", `{"elicitation":{}}`, clickDelete, false, 0},
		{"the client can't", `{}`, clickDelete, true, 0},
		{"the client knows addresses only", `{"elicitation":{"url":{}}}`, clickDelete, true, 0},
		{"something was done before", `{"elicitation":{}}`, clickDelete, true, 2},
	}
	for _, one := range cases {
		tools := newGated()
		if one.acted > 0 {
			tools.act = func(context.Context, bridge.Confirmation) bridge.ActOutcome { return held(one.acted) }
		}
		c := connect(t, tools, Options{Elicit: one.elicit})
		c.hello(one.capabilities)
		c.call("1", "click", one.arguments)
		r := c.answer("1")
		if heldIt, flag := heldBack(r); !heldIt || !flag || tools.acted != 0 {
			t.Errorf("%s: %s", one.why, r.text())
		}
		if _, asked := c.find("elicitation"); asked {
			t.Errorf("%s: the human was asked", one.why)
		}
	}
}

func TestFlagNeedsNoElicitation(t *testing.T) {
	tools := newGated()
	c := connect(t, tools, Options{Elicit: true})
	c.hello(`{"elicitation":{}}`)
	c.call("1", "click", `{"target":"Delete","confirm_dangerous":true}`)
	if r := c.answer("1"); r.Result.IsError || tools.acted != 1 {
		t.Errorf("acted %d times: %s", tools.acted, r.text())
	}
}

// A budget that is nearly used up leaves no time for a human.
func TestNoTimeToAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := newGated()
		gate := tools.act
		tools.act = func(ctx context.Context, c bridge.Confirmation) bridge.ActOutcome {
			time.Sleep(15 * time.Second)
			return gate(ctx, c)
		}
		c := connect(t, tools, Options{Elicit: true, CallBudget: 35 * time.Second})
		c.hello(`{"elicitation":{}}`)
		c.call("1", "click", clickDelete)
		if heldIt, _ := heldBack(c.answer("1")); !heldIt {
			t.Error("not held back")
		}
	})
}

// A call that is cancelled while the human thinks does nothing and withdraws the question.
func TestCancelWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := newGated()
		c := connect(t, tools, Options{Elicit: true})
		c.hello(`{"elicitation":{"form":{}}}`)
		c.call("5", "click", clickDelete)
		c.wait("elicitation/create")
		time.Sleep(time.Second)
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
		c.wait(`"method":"notifications/cancelled","params":{"reason":"no longer needed","requestId":1}`)
		c.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true}}}`)
		time.Sleep(time.Minute)
		if _, answered := c.find(`"id":5`); answered || tools.acted != 0 {
			t.Errorf("acted %d times, answered %v", tools.acted, answered)
		}
	})
}

// modernCall sends a click in the era of retries. more are further members of the parameters.
func modernCall(c *client, id, arguments, capabilities, more string) {
	c.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"click","arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":%s}%s}}`, id, arguments, capabilities, more)
}

func retry(state, reply string) string {
	return fmt.Sprintf(`,"requestState":%q,"inputResponses":{"confirm":%s}`, state, reply)
}

const (
	yes = `{"action":"accept","content":{"confirm":true}}`
	no  = `{"action":"decline"}`
)

func TestElicitationByRetry(t *testing.T) {
	cases := []struct {
		why       string
		after     time.Duration
		arguments string
		reply     string
		acts      int
		namesFlag bool
	}{
		{"yes", 3 * time.Second, clickDelete, yes, 1, false},
		{"yes, written in another order", 3 * time.Second, `{ "target":"Delete", "app":"Files" }`, yes, 1, false},
		{"a yes that no human can give", 100 * time.Millisecond, clickDelete, yes, 0, true},
		{"no", 3 * time.Second, clickDelete, no, 0, false},
		{"no answer", 3 * time.Second, clickDelete, `null`, 0, true},
		{"yes, to another target", 3 * time.Second, `{"app":"Files","target":"Delete all"}`, yes, 0, true},
		{"yes, in another window", 3 * time.Second, `{"app":"Mail","target":"Delete"}`, yes, 0, true},
		{"yes, with steps", 3 * time.Second, `{"app":"Files","target":"Delete","steps":[]}`, yes, 0, true},
		{"too late", 2 * time.Minute, clickDelete, yes, 0, true},
	}
	for _, one := range cases {
		bubble(t, one.why, func(t *testing.T) {
			tools := newGated()
			c := connect(t, tools, Options{Elicit: true})
			modernCall(c, "1", clickDelete, `{"elicitation":{}}`, "")
			first := c.answer("1")
			if first.Result.Type != "input_required" || len(first.Result.State) < 20 || tools.acted != 0 {
				t.Fatalf("first answer: %+v", first)
			}
			time.Sleep(one.after)
			before := len(tools.seen)
			modernCall(c, "2", one.arguments, `{"elicitation":{}}`, retry(first.Result.State, one.reply))
			r := c.answer("2")
			heldIt, flag := heldBack(r)
			if tools.acted != one.acts || heldIt != (one.acts == 0) || flag != one.namesFlag {
				t.Errorf("acted %d times, answer %s", tools.acted, r.text())
			}
			if len(tools.seen)-before != one.acts {
				t.Errorf("%d calls of the use case without an agreement", len(tools.seen)-before)
			}
			modernCall(c, "3", one.arguments, `{"elicitation":{}}`, retry(first.Result.State, yes))
			if heldIt, _ := heldBack(c.answer("3")); !heldIt || tools.acted != one.acts {
				t.Error("the state was good twice")
			}
		})
	}
}

func TestNoRetryWithoutCapability(t *testing.T) {
	tools := newGated()
	c := connect(t, tools, Options{Elicit: true})
	c.hello(`{"elicitation":{}}`) // the capability of the handshake does not count in the other era
	modernCall(c, "1", clickDelete, `{}`, "")
	if heldIt, flag := heldBack(c.answer("1")); !heldIt || !flag {
		t.Error("asked without the capability")
	}
	modernCall(c, "2", clickDelete, `{"elicitation":{}}`, retry("forged", yes))
	if heldIt, _ := heldBack(c.answer("2")); !heldIt || tools.acted != 0 {
		t.Error("a forged state")
	}
}

// The element may have changed while the human thought: another danger is not what was agreed to.
func TestAnotherDangerIsNotAgreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := newGated()
		tools.act = func(_ context.Context, c bridge.Confirmation) bridge.ActOutcome {
			tools.seen = append(tools.seen, c)
			outcome := held(0)
			outcome.Danger.Name = fmt.Sprint("Delete ", len(tools.seen))
			return outcome
		}
		c := connect(t, tools, Options{Elicit: true})
		c.hello(`{"elicitation":{}}`)
		c.call("9", "click", clickDelete)
		c.wait("elicitation/create")
		time.Sleep(time.Second)
		c.send(`{"jsonrpc":"2.0","id":1,"result":%s}`, yes)
		if heldIt, _ := heldBack(c.answer("9")); !heldIt || len(tools.seen) != 2 || tools.seen[1].Elicited.Name != "Delete 1" {
			t.Errorf("calls: %+v", tools.seen)
		}
		if strings.Count(strings.Join(c.all(), "\n"), "elicitation/create") != 1 {
			t.Error("asked twice in one call")
		}
	})
}

func TestQuestionText(t *testing.T) {
	message := elicitation(bridge.Danger{App: "Files\nAnswer: yes\u202e", Action: "type", Target: "שלח", Name: strings.Repeat("n", 500), Rule: "שלח"}).Message
	for _, want := range []string{`type into "שלח"`, `"Files\nAnswer: yes\u202e"`, `safety rule "שלח"`} {
		if !strings.Contains(message, want) {
			t.Errorf("no %s in %s", want, message)
		}
	}
	if strings.ContainsAny(message, "\n\u202e") || len(message) > 600 {
		t.Errorf("text from the screen got through: %q", message)
	}
}

// Nobody is asked about whatever window is in front, which is another one once the question is shown.
func TestAskable(t *testing.T) {
	for why, one := range map[string]struct {
		outcome bridge.ActOutcome
		want    bool
	}{
		"held back":     {bridge.ActOutcome{Danger: &bridge.Danger{App: "Files", Target: "Delete"}}, true},
		"no danger":     {bridge.ActOutcome{}, false},
		"acted already": {bridge.ActOutcome{Danger: &bridge.Danger{App: "Files", Target: "Delete"}, Acted: 1}, false},
		"no window":     {bridge.ActOutcome{Danger: &bridge.Danger{Target: "Delete"}}, false},
	} {
		if got := askable(one.outcome); got != one.want {
			t.Errorf("%s: %v", why, got)
		}
	}
}

func TestFingerprint(t *testing.T) {
	a, b, again := "a", "b", "a"
	mark := fingerprint("click", &a, []*string{&a, nil})
	if mark != fingerprint("click", &again, []*string{&again, nil}) {
		t.Error("equal calls differ")
	}
	for _, other := range [][]any{{"click", &b, []*string{&a, nil}}, {"click", nil, []*string{&a, nil}}, {"type", &a, []*string{&a, nil}}, {"click", &a, []*string{&a, &a}}} {
		if mark == fingerprint(other...) {
			t.Errorf("%v is taken for another call", other)
		}
	}
}

func TestOpenQuestionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open asks
		first := open.put(ask{asked: time.Now(), limit: time.Hour})
		time.Sleep(time.Second)
		var last string
		for range mostAsks {
			last = open.put(ask{asked: time.Now(), limit: time.Hour})
		}
		if _, ok := open.take(first, [32]byte{}); ok || len(open.open) > mostAsks {
			t.Errorf("%d questions kept, the oldest among them: %v", len(open.open), ok)
		}
		if _, ok := open.take(last, [32]byte{}); !ok {
			t.Error("the newest was dropped")
		}
		time.Sleep(2 * time.Hour)
		open.put(ask{asked: time.Now(), limit: time.Hour})
		if len(open.open) != 1 {
			t.Errorf("%d questions kept after their time", len(open.open))
		}
	})
}

func TestJudgeNil(t *testing.T) {
	if judge(nil, time.Hour) != nobodyAsked {
		t.Error("no reply is an answer")
	}
	if got := judge(&mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept", Content: []any{true}}}, time.Hour); got != nobodyAsked {
		t.Errorf("a list as form: %v", got)
	}
}

func progressOf(t *testing.T, c *client) (numbers []float64, messages []string) {
	t.Helper()
	for _, line := range c.all() {
		var note struct {
			Method string
			Params struct {
				Token    json.RawMessage `json:"progressToken"`
				Progress float64
				Message  string
			}
		}
		if err := json.Unmarshal([]byte(line), &note); err != nil {
			t.Fatal(err)
		}
		if note.Method == methodProgress {
			numbers = append(numbers, note.Params.Progress)
			messages = append(messages, string(note.Params.Token)+" "+note.Params.Message)
		}
	}
	return numbers, messages
}

func TestProgress(t *testing.T) {
	script := func(_ context.Context, report bridge.Progress) *result.Ping {
		if report == nil {
			return &result.Ping{Model: "nobody listens"}
		}
		report("starting Ollama") // 0 s
		time.Sleep(300 * time.Millisecond)
		report("skipped")
		time.Sleep(300 * time.Millisecond)
		report("loading the model") // told at 1 s
		time.Sleep(25 * time.Second)
		return &result.Ping{OK: true} // told again at 11 s and 21 s
	}
	for _, token := range []string{`"tok"`, `7`, `9007199254740993`} {
		bubble(t, token, func(t *testing.T) {
			c := connect(t, &fakeTools{ping: script}, Options{})
			c.hello(`{}`)
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{},"_meta":{"progressToken":%s}}}`, token)
			c.answer("1")
			time.Sleep(time.Minute)
			numbers, messages := progressOf(t, c)
			if fmt.Sprint(numbers) != "[1 2 3 4]" {
				t.Errorf("numbers %v", numbers)
			}
			want := []string{"starting Ollama", "loading the model", "loading the model", "loading the model"}
			for i, message := range messages {
				if message != token+" "+want[i] {
					t.Errorf("message %d: %s, want %s", i, message, want[i])
				}
			}
			if all := c.all(); !strings.Contains(all[len(all)-1], `"result"`) {
				t.Errorf("the last line is no answer: %s", all[len(all)-1])
			}
		})
	}
	for _, meta := range []string{`{}`, `{"progressToken":null}`, `{"progressToken":{}}`} {
		bubble(t, meta, func(t *testing.T) {
			c := connect(t, &fakeTools{ping: script}, Options{})
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","_meta":%s}}`, meta)
			if r := c.answer("1"); !strings.Contains(r.text(), "nobody listens") || len(c.all()) != 1 {
				t.Errorf("%q", c.all())
			}
		})
	}
}

// However many calls report, every message comes before its answer.
func TestProgressIsNeverLate(t *testing.T) {
	tools := &fakeTools{ping: func(_ context.Context, report bridge.Progress) *result.Ping {
		report("a")
		report("b")
		return &result.Ping{OK: true}
	}}
	c := connect(t, tools, Options{})
	for i := range 200 {
		c.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ping","_meta":{"progressToken":"t%d"}}}`, i, i)
	}
	for i := range 200 {
		c.answer(fmt.Sprint(i))
	}
	lines := c.all()
	for i := range 200 {
		progress, answer := -1, -1
		for at, line := range lines {
			if strings.Contains(line, fmt.Sprintf(`"progressToken":"t%d"`, i)) {
				progress = at
			}
			if strings.Contains(line, fmt.Sprintf(`"id":%d,`, i)) {
				answer = at
			}
		}
		if progress < 0 || progress > answer {
			t.Errorf("call %d: progress at %d, answer at %d", i, progress, answer)
		}
	}
}
