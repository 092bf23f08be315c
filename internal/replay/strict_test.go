package replay

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-computer-use/internal/proc"
)

// small is a recording of one child and one request.
func small(t *testing.T, scrub Scrub) (string, *Player) {
	t.Helper()
	r, dir := record(t, scrub)
	inner := runnerFunc(func(context.Context, proc.Command) (proc.Result, error) { return proc.Result{}, nil })
	if _, err := r.Runner(inner).Run(t.Context(), proc.Command{Path: "agent-cu", Args: []string{"text", "-a", "A", "--no-cdp"}}); err != nil {
		t.Fatal(err)
	}
	s := server(t)
	ask(t, r.Transport(http.DefaultTransport), "POST", s.URL+"/api/chat", `{"model": "m", "n": 1}`)
	return dir, reopen(t, r, dir, scrub)
}

func TestUnusedRecordsFailTheRun(t *testing.T) {
	_, p := small(t, Scrub{})
	var unused *UnusedError
	if err := p.Finish(); !errors.As(err, &unused) || strings.Join(unused.Records, " ") != "001-agent-cu-text-a-a 002-post-api-chat" {
		t.Errorf("Finish: %v", err)
	}
}

func TestUnmatchedRequestsFailWithTheWholeRequest(t *testing.T) {
	_, p := small(t, Scrub{})
	tests := []struct {
		name string
		do   func() error
		want []string
	}{
		{"another flag", func() error {
			_, err := p.Runner().Run(t.Context(), proc.Command{Path: "/x/agent-cu", Args: []string{"text", "-a", "A", "--cdp"}})
			return err
		}, []string{"agent-cu text -a A", `"--cdp"`, `001-agent-cu-text-a-a: arguments, recorded: "text", "-a", "A", "--no-cdp"`}},
		{"another window", func() error {
			_, err := p.Runner().Run(t.Context(), proc.Command{Path: "/x/agent-cu", Args: []string{"text", "-a", "B"}})
			return err
		}, []string{"agent-cu text -a B", "nearest: 001-agent-cu-text-a-a: agent-cu text -a A"}},
		{"output files", func() error {
			_, err := p.Runner().Run(t.Context(), proc.Command{Path: "/x/agent-cu", Args: []string{"text", "-a", "A", "--no-cdp"}, Outputs: []string{"/x"}})
			return err
		}, []string{"1 output files, recorded: 0"}},
		{"another body", func() error { return post(t, p, "/api/chat", `{"model": "other", "n": 1}`) },
			[]string{"POST /api/chat", `"model": "other"`, `002-post-api-chat: body line 2`}},
		{"another number", func() error { return post(t, p, "/api/chat", `{"model": "m", "n": 1.0}`) }, []string{`"n": 1.0`}},
		{"another query", func() error { return post(t, p, "/api/chat?a=b", `{"model": "m", "n": 1}`) }, []string{"?a=b", `query "a=b", recorded ""`}},
		{"another path", func() error { return post(t, p, "/api/show", `{"model": "m"}`) }, []string{"POST /api/show", "002-post-api-chat"}},
	}
	for _, tt := range tests {
		err := tt.do()
		var miss *NoMatchError
		if !errors.As(err, &miss) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(miss.Error(), want) {
				t.Errorf("%s: %q is missing in\n%s", tt.name, want, miss)
			}
		}
	}
	// No miss used a record up, and Finish knows them all.
	if err := post(t, p, "/api/chat", `{"n": 1, "model": "m"}`); err != nil {
		t.Errorf("the recorded request: %v", err)
	}
	if got := strings.Count(p.Finish().Error(), "the recording has no answer"); got != len(tests) {
		t.Errorf("Finish tells of %d misses, want %d", got, len(tests))
	}
}

func post(t *testing.T, p *Player, path, body string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://x.invalid"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.Transport().RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return err
}

func TestPathsOfOneRunAreNoDifference(t *testing.T) {
	run := func(t *testing.T, runner proc.Runner, state string, inner func(proc.Command)) string {
		t.Helper()
		home := t.TempDir()
		picture := filepath.Join(state, "shot-"+filepath.Base(home)+".png")
		cmd := proc.Command{Path: "agent-cu", Env: []string{"HOME=" + home}, Outputs: []string{picture},
			Args: []string{"screenshot", "--path=" + picture, "-s", filepath.Join(state, "cu.ps1"), "-t", filepath.Join(os.TempDir(), "cu-123456789.ps1"), "-h", filepath.Join(home, "x")}}
		if inner != nil {
			inner(cmd)
		}
		result, err := runner.Run(t.Context(), cmd)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"path": "` + picture + `"}`; string(result.Stdout) != want {
			t.Errorf("stdout %q, want %q", result.Stdout, want)
		}
		data, err := os.ReadFile(picture)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	first, second := t.TempDir(), t.TempDir()
	r, dir := record(t, Scrub{Folders: map[string]string{"state": first}})
	var child proc.Command
	inner := runnerFunc(func(_ context.Context, cmd proc.Command) (proc.Result, error) {
		return proc.Result{Stdout: []byte(`{"path": "` + cmd.Outputs[0] + `"}`)}, os.WriteFile(cmd.Outputs[0], []byte("\x89PNG\x00/home/joe"), 0o600)
	})
	run(t, r.Runner(inner), first, func(cmd proc.Command) { child = cmd })
	p := reopen(t, r, dir, Scrub{Folders: map[string]string{"state": second}})
	if got := run(t, p.Runner(), second, nil); got != "\x89PNG\x00/home/joe" {
		t.Errorf("picture %q", got)
	}
	want := []string{"screenshot", "--path={output-1}", "-s", "{state}/cu.ps1", "-t", "{temp}/cu-*.ps1", "-h", "{home}/x"}
	if got := p.all[0].Process.Args; strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("recorded arguments %q of %q, want %q", got, child.Args, want)
	}
}

func TestUserAndTokensAreNotWritten(t *testing.T) {
	scrub := Scrub{Home: "/home/joebloggs", User: "joebloggs", Secrets: []string{"configured-token"}}
	r, dir := record(t, scrub)
	inner := runnerFunc(func(context.Context, proc.Command) (proc.Result, error) {
		return proc.Result{Stdout: []byte("joebloggs: /home/joebloggs/x ghp_0123456789abcdef0123\n")}, nil
	})
	ask := proc.Command{Path: "/home/joebloggs/bin/agent-cu", Args: []string{"text", "-a", "/home/joebloggs/x - Editor"}}
	if _, err := r.Runner(inner).Run(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequest("POST", "http://x.invalid/api/chat", strings.NewReader(`{"q": "what is /home/joebloggs/x?"}`))
	req.Header.Set("Authorization", "Bearer configured-token")
	trip := tripFunc(func(req *http.Request) (*http.Response, error) {
		if req.Header.Get("Authorization") == "" {
			t.Error("the header was taken off the request")
		}
		return nil, context.Canceled
	})
	if _, err := r.Transport(trip).RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p := reopen(t, r, dir, scrub)
	for _, private := range []string{"joebloggs", "configured", "ghp_0"} {
		if all := everything(t, dir); strings.Contains(all, private) {
			t.Errorf("%q was written:\n%s", private, all)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*joe*")); len(names) > 0 {
		t.Errorf("the name is in file names: %q", names)
	}
	// A run of the same user asks with the name, a replay of its own answers without.
	if _, err := p.Runner().Run(t.Context(), ask); err != nil {
		t.Error(err)
	}
	if err := post(t, p, "/api/chat", `{"q": "what is /home/useruseru/x?"}`); !errors.Is(err, context.Canceled) {
		t.Errorf("with the masked name: %v", err)
	}
}

func TestAnybodyCanReplay(t *testing.T) {
	r, dir := record(t, Scrub{User: "somebody"})
	inner := runnerFunc(func(context.Context, proc.Command) (proc.Result, error) {
		return proc.Result{Stdout: []byte("Joebloggs & Sons")}, nil
	})
	ask := proc.Command{Path: "agent-cu", Args: []string{"text", "-a", "Joebloggs & Sons"}}
	if _, err := r.Runner(inner).Run(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	trip := tripFunc(func(*http.Request) (*http.Response, error) { return nil, context.Canceled })
	req, _ := http.NewRequest("POST", "http://x.invalid/api/chat", strings.NewReader(`{"text": "Joebloggs & Sons"}`))
	if _, err := r.Transport(trip).RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p := reopen(t, r, dir, Scrub{User: `OFFICE\joebloggs`})
	if result, err := p.Runner().Run(t.Context(), ask); err != nil || string(result.Stdout) != "Joebloggs & Sons" {
		t.Errorf("%q, %v", result.Stdout, err)
	}
	if err := post(t, p, "/api/chat", `{"text": "Joebloggs & Sons"}`); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := p.Finish(); err != nil {
		t.Error(err)
	}
}

func TestRequestsAreReadable(t *testing.T) {
	got := string(indentJSON([]byte(`{"a":"\u003cb\u003e \u0026 \\u003c \\\u003e \u00e9"}`)))
	if want := "{\n  \"a\": \"<b> & \\\\u003c \\\\> \\u00e9\"\n}\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(indentJSON([]byte("no JSON"))); got != "no JSON" {
		t.Error(got)
	}
}

func TestParseExchange(t *testing.T) {
	good := []string{
		`{"process": {"program": "agent-cu", "args": ["text"], "exit_code": 0, "duration_ms": 1.5}}`,
		`{"http": {"method": "GET", "path": "/api/ps", "status": 200, "duration_ms": 0}}`,
		`{"http": {"method": "GET", "path": "/", "failure": {"kind": "connection refused"}, "duration_ms": 0}}`,
	}
	for _, text := range good {
		if _, err := parseExchange([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	bad := map[string]string{
		`{}`: "needs either",
		`{"process": {"program": "a"}, "http": {"method": "GET", "path": "/"}}`: "needs either",
		good[0] + `x`: "after the end",
		`{"process": {"program": "agent-cu", "arguments": []}}`:                                                   "arguments",
		`{"process": {"program": "/bin/sh"}}`:                                                                     "no file name",
		`{"process": {"program": "a", "outputs": [{"path": "x", "file": "../../etc/passwd"}]}}`:                   "output file",
		`{"process": {"program": "a", "outputs": [{"path": "x", "file": "output-1-a/b"}]}}`:                       "output file",
		`{"process": {"program": "a", "failure": {}}}`:                                                            "without kind",
		`{"process": {"program": "a", "failure": {"kind": "timed out", "is": ["odd"]}}}`:                          "odd",
		`{"http": {"method": "GET", "path": "/", "duration_ms": 0}}`:                                              "status 0",
		`{"http": {"method": "GET", "path": "/", "status": 200, "failure": {"kind": "other"}, "duration_ms": 0}}`: "status 200",
		`{"http": {"method": "GET", "path": "/", "failure": {"kind": "timed out"}, "duration_ms": 0}}`:            "none of",
		`{"http": {"method": "GET", "path": "x", "status": 200, "duration_ms": 0}}`:                               "no method or path",
	}
	for text, want := range bad {
		if _, err := parseExchange([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseExchange(f *testing.F) {
	f.Add([]byte(`{"process": {"program": "agent-cu", "args": ["text", "-a", "A"], "outputs": [{"path": "{home}/refs.json", "file": "output-1-refs.json"}], "failure": {"kind": "timed out", "is": ["canceled"]}}}`))
	f.Add([]byte(`{"http": {"method": "GET", "path": "/api/ps", "status": 200, "body_failure": {"kind": "body cut"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parseExchange(data)
		if err != nil {
			return
		}
		again, err := encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseExchange(again); err != nil {
			t.Fatalf("%s is read, but not %s: %v", data, again, err)
		}
		if e.Process != nil {
			for _, out := range e.Process.Outputs {
				if out.File != "" && !filepath.IsLocal(out.File) {
					t.Fatalf("a record reaches out of its folder: %q", out.File)
				}
			}
		}
	})
}

func FuzzMaskSecrets(f *testing.F) {
	f.Add([]byte(before))
	f.Fuzz(func(t *testing.T, data []byte) {
		masked, found := maskSecrets(data)
		if len(masked) != len(data) {
			t.Fatalf("length %d became %d", len(data), len(masked))
		}
		if len(found) == 0 && string(masked) != string(data) {
			t.Fatal("masked without a secret")
		}
	})
}
