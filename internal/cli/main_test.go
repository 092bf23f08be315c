package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary play the program in scripts.
func TestMain(m *testing.M) {
	testscript.Main(withProgram{m}, map[string]func(){
		"mcp-computer-use": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// withProgram removes the built program when all tests have run.
type withProgram struct{ m *testing.M }

// Run implements testscript.TestingM.
func (w withProgram) Run() int {
	code := w.m.Run()
	if dir := os.Getenv("PROGRAM_TEST_DIR"); dir != "" {
		_ = os.RemoveAll(dir)
	}
	return code
}

// buildOnce builds the real program and the stand-in for agent-cu (testdata/agent-cu) into one folder.
var buildOnce = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "program-")
	if err != nil {
		return "", err
	}
	if err := os.Setenv("PROGRAM_TEST_DIR", dir); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "mcp-computer-use", "./testdata/agent-cu")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

func built(t testing.TB, name string) string {
	t.Helper()
	dir, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}

// program is the real program, built once.
func program(t testing.TB) string { t.Helper(); return built(t, "mcp-computer-use") }

// standIn is the path of the stand-in for agent-cu.
func standIn(t testing.TB) string { t.Helper(); return built(t, "agent-cu") }

// model is a stand-in Ollama. The zero value, once started, is loaded and answers at once.
type model struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // what the model was sent
	hang  bool     // a question gets no answer
	woken chan struct{}
}

func newModel(t testing.TB) *model {
	t.Helper()
	m := &model{woken: make(chan struct{})}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() {
		close(m.woken)
		m.Close()
	})
	return m
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	const name = `"name":"test-model:latest","model":"test-model:latest","size":1500000000`
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/api/version":
		fmt.Fprint(w, `{"version":"0.17.4"}`)
	case "/api/tags":
		fmt.Fprint(w, `{"models":[{`+name+`}]}`)
	case "/api/ps":
		fmt.Fprint(w, `{"models":[{`+name+`,"context_length":4096}]}`)
	case "/api/generate":
		fmt.Fprint(w, `{"model":"test-model","response":"","done":true,"done_reason":"unload"}`)
	case "/api/chat":
		m.chat(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (m *model) chat(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, `{"error":"bad request"}`, http.StatusBadRequest)
		return
	}
	last := body.Messages[len(body.Messages)-1].Content
	m.mu.Lock()
	m.asked = append(m.asked, last)
	hang := m.hang
	m.mu.Unlock()
	if hang {
		select {
		case <-m.woken:
		case <-r.Context().Done():
		}
		return
	}
	reply := `{"summary": "stand-in summary", "confidence": 0.9}`
	if strings.Contains(last, "pong") && !strings.Contains(last, "<screen-") {
		reply = "pong"
	}
	answer, _ := json.Marshal(map[string]any{"model": "test-model", "done": true, "done_reason": "stop", "eval_count": 24,
		"eval_duration": 600_000_000, "message": map[string]any{"role": "assistant", "content": reply}})
	_, _ = w.Write(append(answer, '\n'))
}

// bench is a folder to run the program in, with nothing of this machine in its environment.
type bench struct {
	dir, desk, sessions string
	env                 []string
	model               *model
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir(), model: newModel(t)}
	b.desk, b.sessions = filepath.Join(b.dir, "desk"), filepath.Join(b.dir, "sessions")
	for _, folder := range []string{b.desk, filepath.Join(b.dir, "tmp"), filepath.Join(b.dir, "work"), filepath.Join(b.dir, "home")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.env = cleanEnv(b.dir, standIn(t), b.model.URL)
	return b
}

// cleanEnv is the environment of a program that runs below a folder.
func cleanEnv(dir, agentCU, ollama string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "USERPROFILE=" + filepath.Join(dir, "home"),
		"TMPDIR=" + filepath.Join(dir, "tmp"), "TEMP=" + filepath.Join(dir, "tmp"), "TMP=" + filepath.Join(dir, "tmp"),
		"STAND_IN_DESK=" + filepath.Join(dir, "desk"), "MCP_CU_SESSIONS_DIR=" + filepath.Join(dir, "sessions"),
		"MCP_CU_AGENT_CU_CMD=" + agentCU, "MCP_CU_OLLAMA_URL=" + ollama, "MCP_CU_MODEL=test-model", "MCP_CU_AUTOSTART_OLLAMA=0",
		"MCP_CU_MEMORY_WATCH=0", "MCP_CU_MIN_FREE_MB=0", "MCP_CU_ENGINE_OS=windows"}
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		env = append(env, "SYSTEMROOT="+root) // Windows starts nothing without it
	}
	return env
}

// command is the real program in this bench, not started.
func (b *bench) command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Env, cmd.Dir = b.env, filepath.Join(b.dir, "work")
	return cmd
}

// file writes a file of the desk.
func (b *bench) file(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.desk, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// calls are the calls of agent-cu: verb, app, ref, text.
func (b *bench) calls(t testing.TB) [][4]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.desk, "calls"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var list [][4]string
	for line := range strings.Lines(string(data)) {
		var one [4]string
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list
}

// run runs the program to its end and gives its exit code and both streams.
func (b *bench) run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := b.command(t, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
