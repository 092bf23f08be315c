package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// BenchmarkAsk is a whole run of --ask: the program, an agent-cu and a model that answer at once. The
// figure own-ms is what is left when as many runs of that agent-cu, two of them side by side, are taken
// off.
func BenchmarkAsk(b *testing.B) {
	bench := newBench(b)
	ask := []string{"--ask", "What does it show?", "--app", "Calculator"}
	if code, out, errs := bench.run(b, ask...); code != 0 {
		b.Fatal(out, errs)
	}
	engine := engineTime(b, bench)
	b.ResetTimer()
	for b.Loop() {
		bench.run(b, ask...)
	}
	whole := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64((whole-engine).Microseconds())/1000, "own-ms")
	b.ReportMetric(float64(engine.Microseconds())/1000, "engine-ms")
}

// engineTime is what the stand-in takes for a list, and then a text and a snapshot side by side.
func engineTime(b *testing.B, bench *bench) time.Duration {
	b.Helper()
	one := func(verb string) *exec.Cmd {
		cmd := exec.Command(standIn(b), verb)
		cmd.Env = bench.env
		cmd.Stdout = new(bytes.Buffer)
		return cmd
	}
	const rounds = 20
	began := time.Now()
	for range rounds {
		if err := one("windows").Run(); err != nil {
			b.Fatal(err)
		}
		text, tree := one("text"), one("snapshot")
		for _, cmd := range []*exec.Cmd{text, tree} {
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
		}
		for _, cmd := range []*exec.Cmd{text, tree} {
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	}
	return time.Since(began) / rounds
}

// BenchmarkServedLook is a look_at_screen call of a running server, over its pipes. The figure own-ms is
// what is left without as many runs of the stand-in.
func BenchmarkServedLook(b *testing.B) {
	bench := newBench(b)
	s := bench.looking(b)
	engine := engineTime(b, bench)
	b.ResetTimer()
	for b.Loop() {
		s.look(b)
	}
	b.ReportMetric(float64((b.Elapsed()/time.Duration(b.N)-engine).Microseconds())/1000, "own-ms")
}

// BenchmarkSlowReads is the same where text takes 400 ms and the snapshot 500: both run side by side, so
// that the whole call takes little more than the slower one.
func BenchmarkSlowReads(b *testing.B) {
	bench := newBench(b)
	bench.file(b, "options", "delay text=400\ndelay snapshot=500\n")
	s := bench.looking(b)
	b.ResetTimer()
	for b.Loop() {
		s.look(b)
	}
}

// looking is a server that has answered once.
func (b *bench) looking(t testing.TB) *server {
	t.Helper()
	s := b.serve(t)
	s.send(t, hello+"\n")
	s.next(t)
	s.look(t)
	return s
}

func (s *server) look(t testing.TB) {
	t.Helper()
	s.send(t, callLine(1, "look_at_screen", `{"question":"What does it show?","app":"Calculator"}`))
	if out := s.next(t).tool(t); out["error"] != nil {
		t.Fatal(out)
	}
}

// BenchmarkInitialize is the way from the start of the process to the answer of the handshake, and the
// memory that it then holds (Linux alone tells that).
func BenchmarkInitialize(b *testing.B) {
	bench := newBench(b)
	program(b)
	b.ResetTimer()
	var memory float64
	for b.Loop() {
		s := bench.serve(b)
		s.send(b, hello+"\n")
		s.next(b)
		b.StopTimer()
		memory = residentMB(s.cmd.Process.Pid)
		if err := s.in.Close(); err != nil {
			b.Fatal(err)
		}
		s.rest(b)
		b.StartTimer()
	}
	if memory > 0 {
		b.ReportMetric(memory, "rss-MB")
	}
}

// residentMB is the memory of a process in MB of 1,048,576 bytes, 0 where the system does not say.
func residentMB(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(status, []byte("VmRSS:"))
	fields := bytes.Fields(rest)
	if !found || len(fields) == 0 {
		return 0
	}
	kb, err := strconv.ParseFloat(string(fields[0]), 64)
	if err != nil {
		return 0
	}
	return kb / 1024
}
