//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hanging are the agent-cu processes that were told to hang.
func (b *bench) hanging(t testing.TB) []int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(b.desk, "hangs.*"))
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, file := range files {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(file), "hangs."))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// gone says that none of these processes runs any more; a zombie does not run.
func gone(pids []int) bool {
	for _, pid := range pids {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		zombie := err == nil && bytes.Contains(stat, []byte(") Z "))
		if syscall.Kill(pid, 0) == nil && !zombie {
			return false
		}
	}
	return true
}

func TestSignals(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		b := newBench(t)
		s := b.serve(t)
		s.send(t, hello+"\n")
		s.next(t)
		if err := s.cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		s.rest(t) // wants exit code 0
		if errs := s.stderr.String(); strings.Contains(errs, "panic") {
			t.Errorf("%v: %s", sent, errs)
		}
	}
}

// A stuck agent-cu goes away with its call: when the call is cancelled, when stdin ends, on a signal.
func TestStuckEngine(t *testing.T) {
	for _, how := range []string{"cancel", "EOF", "signal"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.file(t, "options", "hang text\nhang snapshot\n")
			s := b.serve(t)
			s.send(t, hello+"\n", callLine(7, "look_at_screen", `{"question":"What does it show?","app":"Calculator"}`))
			s.next(t)
			wait(t, "it hangs", func() bool { return len(b.hanging(t)) == 2 })
			pids := b.hanging(t)
			switch how {
			case "cancel":
				s.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`+"\n")
				wait(t, "they end", func() bool { return gone(pids) })
				s.send(t, `{"jsonrpc":"2.0","id":8,"method":"ping"}`+"\n")
				if a := s.next(t); string(a.ID) != "8" {
					t.Errorf("an answer to the cancelled call: %s", a.ID)
				}
				return
			case "EOF":
				if err := s.in.Close(); err != nil {
					t.Fatal(err)
				}
			case "signal":
				if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}
			s.rest(t)
			wait(t, "they end", func() bool { return gone(pids) })
			if left, _ := filepath.Glob(filepath.Join(b.dir, "tmp", "*")); len(left) > 0 {
				t.Errorf("left %q", left)
			}
		})
	}
}

// An act that is interrupted says that it may have happened, and is on record.
func TestInterruptedAct(t *testing.T) {
	b := newBench(t)
	b.file(t, "options", "hang click\n")
	cmd := b.command(t, "--click", "Calculator", "7")
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, "it clicks", func() bool { return len(b.hanging(t)) == 1 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is what is asked for below
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(out.String(), "may have happened") {
		t.Errorf("exit code %d, stdout %q", code, out.String())
	}
}

// An interrupted run prints no half answer and says 130, whatever it waited for.
func TestInterrupted(t *testing.T) {
	for _, waits := range []string{"model", "engine"} {
		t.Run(waits, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.model.hang = true
			if waits == "engine" {
				b.file(t, "options", "hang text\n")
			}
			cmd := b.command(t, "--ask", "What does it show?", "--app", "Calculator")
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			wait(t, "it waits", func() bool {
				return waits == "model" && len(b.model.questions()) == 1 || waits == "engine" && len(b.hanging(t)) == 1
			})
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit code is what is asked for below
			if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || out.Len() > 0 {
				t.Errorf("exit code %d, stdout %q", code, out.String())
			}
			wait(t, "agent-cu ends", func() bool { return gone(b.hanging(t)) })
			if left, _ := filepath.Glob(filepath.Join(b.dir, "tmp", "*")); len(left) > 0 {
				t.Errorf("left %q", left)
			}
		})
	}
}

// A client that is gone without a word ends the server, and what it runs.
func TestClientThatIsGone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.file(t, "options", "hang text\nhang snapshot\n")
	s := b.serve(t)
	s.send(t, hello+"\n", callLine(7, "look_at_screen", `{"question":"What does it show?","app":"Calculator"}`))
	s.next(t)
	wait(t, "it hangs", func() bool { return len(b.hanging(t)) == 2 })
	if err := s.stdout.Close(); err != nil {
		t.Fatal(err)
	}
	s.send(t, `{"jsonrpc":"2.0","id":8,"method":"ping"}`+"\n")
	err := s.cmd.Wait()
	wait(t, "agent-cu ends", func() bool { return gone(b.hanging(t)) })
	if left, _ := filepath.Glob(filepath.Join(b.dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	if !s.cmd.ProcessState.Exited() {
		t.Errorf("%v", err)
	}
}

// questions are what the model was asked so far.
func (m *model) questions() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.asked...)
}

// wait polls until something holds, for at most ten seconds.
func wait(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain: " + what)
		}
	}
}
