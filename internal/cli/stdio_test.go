package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

const pingLine = `{"jsonrpc":"2.0","id":"ping","method":"ping"}` + "\n"

// emptyQuestion is a call that is answered without running anything.
const emptyQuestion = `{"question":""}`

// A session that is piped in as a whole and ends at once is answered as a whole.
func TestPipedSession(t *testing.T) {
	b := newBench(t)
	for n := range 20 {
		cmd := b.command(t)
		cmd.Stdin = strings.NewReader(hello + "\n" + strings.TrimSuffix(callLine(1, "look_at_screen", emptyQuestion), "\n"))
		out, err := cmd.Output()
		if err != nil || bytes.Count(out, []byte("\n")) != 2 || !bytes.Contains(out, []byte("EMPTY_QUESTION")) {
			t.Fatalf("run %d: %v, %s", n, err, out)
		}
	}
}

// A client that sends thousands of calls before it reads one answer holds nothing up and loses none.
func TestManyCallsBeforeOneIsRead(t *testing.T) {
	const calls = 3000
	s := newBench(t).serve(t)
	s.send(t, hello+"\n")
	sent := make(chan error, 1)
	go func() {
		var err error
		for n := range calls {
			if _, failed := io.WriteString(s.in, callLine(n+1, "look_at_screen", emptyQuestion)); failed != nil {
				err = failed
			}
		}
		sent <- err
	}()
	select {
	case err := <-sent:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server stopped reading")
	}
	seen := map[string]bool{}
	for range calls + 1 {
		seen[string(s.next(t).ID)] = true
	}
	if len(seen) != calls+1 {
		t.Errorf("%d different answers to %d requests", len(seen), calls+1)
	}
}

// A call that is cancelled in the same breath gets no answer, and its id is free again.
func TestCancelInTheSameBreath(t *testing.T) {
	b := newBench(t)
	b.file(t, "options", "delay windows=400\n")
	s := b.serve(t)
	s.send(t, hello+"\n")
	s.next(t)
	look := `{"question":"What does it show?","app":"Calculator"}`
	for _, id := range []any{7, "seven"} {
		mark := fmt.Sprintf("%#v", id)
		s.send(t, callLine(id, "look_at_screen", look)+`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+mark+"}}\n"+pingLine)
		if a := s.next(t); string(a.ID) != `"ping"` {
			t.Errorf("%v: an answer to %s", id, a.ID)
		}
	}
	time.Sleep(600 * time.Millisecond) // long enough for an answer that must not come
	s.send(t, callLine(7, "look_at_screen", emptyQuestion))
	if a := s.next(t); string(a.ID) != "7" || !bytes.Contains(a.Result, []byte("EMPTY_QUESTION")) {
		t.Errorf("%s: %s", a.ID, a.Result)
	}
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	if more := s.rest(t); len(more) > 0 {
		t.Errorf("%d further lines", len(more))
	}
}

// Long lines are served in both directions; one over the limit is an error, and the next one is served.
func TestLongLines(t *testing.T) {
	s := newBench(t).serve(t)
	s.send(t, hello+"\n")
	s.next(t)
	s.send(t, callLine("long", "look_at_screen", `{"question":"","pad":"`+strings.Repeat("x", 5<<20)+`"}`))
	if a := s.next(t); string(a.ID) != `"long"` || a.Error != nil {
		t.Errorf("5 MiB in: %s, %+v", a.ID, a.Error)
	}
	id := `"` + strings.Repeat("i", 3<<20) + `"`
	s.send(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`+"\n")
	if a := s.next(t); string(a.ID) != id {
		t.Errorf("3 MiB out: an id of %d bytes", len(a.ID))
	}
	s.send(t, `{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("m", 33<<20)+`"}`+"\n", pingLine)
	if a := s.next(t); string(a.ID) != "null" || a.Error == nil || a.Error.Code != -32700 {
		t.Errorf("33 MiB in: %s, %+v", a.ID, a.Error)
	}
	if a := s.next(t); string(a.ID) != `"ping"` {
		t.Errorf("after it: %s", a.ID)
	}
}

// Progress of a call comes before its answer, through the real pipes.
func TestProgressComesFirst(t *testing.T) {
	const calls = 20
	s := newBench(t).serve(t)
	s.send(t, hello+"\n")
	s.next(t)
	for n := range calls {
		s.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ping","_meta":{"progressToken":"t%d."}}}`+"\n", n, n))
	}
	told := map[string]bool{}
	for answered := 0; answered < calls; {
		line, err := s.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if _, token, ok := strings.Cut(line, `"progressToken":"t`); ok {
			number, _, _ := strings.Cut(token, ".")
			told[number] = true
			continue
		}
		_, rest, _ := strings.Cut(line, `"id":`)
		number, _, _ := strings.Cut(rest, ",")
		if !told[number] {
			t.Errorf("the answer to %s came before its progress", number)
		}
		answered++
		delete(told, number)
	}
	if len(told) > 0 {
		t.Errorf("progress after the answer: %v", told)
	}
}
