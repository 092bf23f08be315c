package autostart

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/proc"
)

func kind(t *testing.T, err error) Kind {
	t.Helper()
	if err == nil {
		return ""
	}
	var ours *Error
	if !errors.As(err, &ours) {
		t.Fatalf("error %v is no *Error", err)
	}
	var look *ollama.Error
	if errors.As(err, &look) {
		t.Errorf("error %v passes as one of the client", err)
	}
	if ours.Message == "" || strings.ContainsAny(ours.Message, "\r\n") {
		t.Errorf("message %q is not one line", ours.Message)
	}
	return ours.Kind
}

func TestStartsAndOutlives(t *testing.T) {
	for _, mode := range []string{"", "late"} {
		b := newBench(t, mode)
		starter := New(b.options, realSeams(b.url))
		if starter.Last() != nil {
			t.Error("a last result before any attempt")
		}
		ctx, cancel := context.WithCancel(t.Context())
		out := starter.Ensure(ctx, 0)
		cancel() // the end of the call is not the end of the server
		if !out.Reachable || !out.Started || out.Err != nil || out.Note != "" && runtime.GOOS != "windows" {
			t.Fatalf("mode %q: %+v", mode, out)
		}
		starts := b.starts()
		if len(starts) != 1 || !cmp.Equal(starts[0].Args, []string{"serve"}) || starts[0].Host != b.host {
			t.Errorf("mode %q: starts %+v, want host %s", mode, starts, b.host)
		}
		if last := starter.Last(); last == nil || !last.OK || last.Err != nil || last.Method == None {
			t.Errorf("mode %q: last %+v", mode, last)
		}
		if again := starter.Ensure(t.Context(), 0); !again.Reachable || again.Started {
			t.Errorf("mode %q: again %+v", mode, again)
		}
		if got := len(b.starts()); got != 1 || !proc.Alive(starts[0].PID) {
			t.Errorf("mode %q: %d starts, or the server is gone", mode, got)
		}
		for _, name := range []string{logName, lockName + ".lock"} {
			info, err := os.Stat(filepath.Join(b.dir, name))
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("mode %q: %s: %v, %v", mode, name, info, err)
			}
		}
	}
}

func TestEightProcessesOneStart(t *testing.T) {
	b := newBench(t, "late")
	env := append(os.Environ(), roleVar+"=racer", modeVar+"=late", notesVar+"="+b.notes, dirVar+"="+b.dir, urlVar+"="+b.url, progVar+"="+b.program)
	const racers = 8
	said := make(chan string, racers)
	for range racers {
		go func() {
			result, err := proc.New().Run(t.Context(), proc.Command{Path: b.program, Env: env})
			if err != nil {
				said <- err.Error()
				return
			}
			said <- strings.TrimSpace(string(result.Stdout))
		}()
	}
	starters := 0
	for range racers {
		switch one := <-said; one {
		case "true true <nil>":
			starters++
		case "true false <nil>":
		default:
			t.Errorf("a racer said %q", one)
		}
	}
	if starts := b.starts(); len(starts) != 1 || starters != 1 || !proc.Alive(starts[0].PID) {
		t.Errorf("%d starts by %d starters", len(starts), starters)
	}
}

func TestFailsFast(t *testing.T) {
	b := newBench(t, "fails")
	b.options.Timeout = time.Minute // what it would last if nobody saw the end
	starter := New(b.options, realSeams(b.url))
	out := starter.Ensure(t.Context(), 0)
	if kind(t, out.Err) != Ended || !strings.Contains(out.Err.Error(), "no space left on device") {
		t.Errorf("%+v", out)
	}
	if last := starter.Last(); last == nil || last.OK || last.Err == nil {
		t.Errorf("last %+v", last)
	}
	if out = starter.Ensure(t.Context(), 0); kind(t, out.Err) != Ended || len(b.starts()) != 2 {
		t.Errorf("a server that ended keeps the next one from starting: %+v, %d starts", out, len(b.starts()))
	}
}

func TestNeverAnswers(t *testing.T) {
	b := newBench(t, "never")
	starter := New(b.options, realSeams(b.url))
	out := starter.Ensure(t.Context(), 400*time.Millisecond)
	if kind(t, out.Err) != NoAnswer || out.Started {
		t.Errorf("%+v", out)
	}
	// It may still come up: the next call waits for it and starts no second one.
	if out = starter.Ensure(t.Context(), 400*time.Millisecond); kind(t, out.Err) != NoAnswer || len(b.starts()) != 1 {
		t.Errorf("second call: %+v, %d starts", out, len(b.starts()))
	}
}

func TestAnotherProgramOnThePort(t *testing.T) {
	for name, body := range map[string]func(string) string{
		"a web server":        func(string) string { return "<html>hello</html>" },
		"nothing of Ollama's": func(string) string { return "" },
		"JSON":                func(string) string { return `{"status":"ok"}` },
	} {
		b := newBench(t, "")
		listener, err := net.Listen("tcp", b.host)
		if err != nil {
			t.Skip("the port was taken meanwhile")
		}
		go answerWith(listener, body)
		out := New(b.options, realSeams(b.url)).Ensure(t.Context(), 0)
		_ = listener.Close()
		if kind(t, out.Err) != PortTaken || len(b.starts()) != 0 {
			t.Errorf("%s: %+v, %d starts", name, out, len(b.starts()))
		}
	}
}

func TestSilentListener(t *testing.T) {
	server := &fakeServer{address: "127.0.0.1:11999", errs: func(int) error { return errPending }}
	starter := &fakeStarter{started: func(proc.Detached) (proc.Started, error) { return proc.Started{}, errors.New("started") }}
	s := New(Options{Enabled: true, Timeout: 300 * time.Millisecond, Dir: t.TempDir(), Program: "/x"}, Seams{Server: server, Starter: starter})
	out := s.Ensure(t.Context(), 0)
	if kind(t, out.Err) != NoAnswer || len(starter.asked) != 0 || !strings.Contains(out.Err.Error(), "listens") {
		t.Errorf("%+v, asked %v", out, starter.asked)
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		address  string
		enabled  bool
		program  string
		budget   time.Duration
		want     Kind
		recorded bool
	}{
		"off":             {"127.0.0.1:11999", false, "/x", 0, Disabled, false},
		"another machine": {"http://192.168.1.2:11434", true, "/x", 0, NotLocal, false},
		"https":           {"https://127.0.0.1:11999", true, "/x", 0, NotLocal, false},
		"behind a proxy":  {"http://127.0.0.1:11999/ollama", true, "/x", 0, NotLocal, false},
		"a look-alike":    {"http://127.0.0.1.example.org:11434", true, "/x", 0, NotLocal, false},
		"not installed":   {"localhost:11999", true, "", 0, NotInstalled, true},
		"no time":         {"localhost:11999", true, "/x", -1, NoAnswer, false},
	} {
		server := &fakeServer{address: c.address, errs: func(int) error { return errSilent }}
		starter := &fakeStarter{}
		s := New(Options{Enabled: c.enabled, Timeout: time.Minute, Dir: t.TempDir(), Program: c.program, Env: []string{"PATH=" + t.TempDir()}},
			Seams{Server: server, Starter: starter})
		out := s.Ensure(t.Context(), c.budget)
		if kind(t, out.Err) != c.want || out.Reachable || len(starter.asked) != 0 {
			t.Errorf("%s: %+v, asked %v", name, out, starter.asked)
		}
		if last := s.Last(); (last != nil) != c.recorded || last != nil && (last.Method != None || last.OK) {
			t.Errorf("%s: last %+v", name, last)
		}
	}
}

func TestFolderCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server := &fakeServer{address: "127.0.0.1:11999", errs: func(int) error { return errSilent }}
	s := New(Options{Enabled: true, Timeout: time.Minute, Dir: file, Program: "/x"}, Seams{Server: server, Starter: &fakeStarter{}})
	if out := s.Ensure(t.Context(), 0); kind(t, out.Err) != NoFolder {
		t.Errorf("%+v", out)
	}
}

func TestUpIsOneLook(t *testing.T) {
	server := &fakeServer{address: "http://example.org:1", errs: func(int) error { return nil }}
	out := New(Options{}, Seams{Server: server}).Ensure(t.Context(), 0)
	if !out.Reachable || out.Started || server.looks != 1 {
		t.Errorf("%+v after %d looks", out, server.looks)
	}
}

func TestTroubledOllamaIsUp(t *testing.T) {
	server := &fakeServer{address: "127.0.0.1:11999", errs: func(int) error { return errForeign }}
	if out := New(Options{Enabled: true}, Seams{Server: server}).Ensure(t.Context(), 0); !out.Reachable {
		t.Errorf("%+v", out)
	}
}

func TestBusyRemoteServerIsUp(t *testing.T) {
	server := &fakeServer{address: "http://example.org:1", errs: func(look int) error {
		if look == 1 {
			return errPending
		}
		return nil
	}}
	if out := New(Options{}, Seams{Server: server}).Ensure(t.Context(), 0); !out.Reachable || out.Started {
		t.Errorf("%+v", out)
	}
}

func TestCanceled(t *testing.T) {
	server := &fakeServer{address: "127.0.0.1:11999", errs: func(int) error { return errSilent }}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client went away")
	starter := &fakeStarter{started: func(proc.Detached) (proc.Started, error) {
		cancel(gone)
		return proc.Started{PID: os.Getpid()}, nil
	}}
	s := New(Options{Enabled: true, Timeout: time.Minute, Dir: t.TempDir(), Program: "/x"}, Seams{Server: server, Starter: starter})
	if out := s.Ensure(ctx, 0); kind(t, out.Err) != Canceled || !errors.Is(out.Err, gone) {
		t.Errorf("%+v", out)
	}
}

func TestOtherPortNote(t *testing.T) {
	server := &fakeServer{address: "127.0.0.1:11999", other: "http://127.0.0.1:11434", errs: func(look int) error {
		if look < 4 {
			return errSilent
		}
		return nil
	}}
	starter := &fakeStarter{started: func(proc.Detached) (proc.Started, error) { return proc.Started{PID: os.Getpid()}, nil }}
	s := New(Options{Enabled: true, Timeout: time.Minute, Dir: t.TempDir(), Program: "/x"}, Seams{Server: server, Starter: starter})
	out := s.Ensure(t.Context(), 0)
	if !out.Started || !strings.Contains(out.Note, "http://127.0.0.1:11434") || !strings.Contains(out.Note, "MCP_CU_OLLAMA_URL") {
		t.Errorf("%+v", out)
	}
}

func TestBindAddress(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:5": "127.0.0.1:5", "127.0.0.1": "127.0.0.1:11434", "http://127.0.0.2:7": "127.0.0.2:7", "[::1]:9": "[::1]:9", "0.0.0.0": "127.0.0.1:11434",
	} {
		if got := bindAddress((&fakeServer{address: address}).Address()); got != want {
			t.Errorf("bindAddress(%s) = %s", address, got)
		}
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{30 * time.Second: "30", 1500 * time.Millisecond: "1.5", 0: "0"} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %s", d, got)
		}
	}
}
