package autostart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/proc"
)

var (
	errDenied = &proc.Error{Kind: proc.AccessDenied, Path: "ollama.exe", ExitCode: -1}
	errNoFile = &proc.Error{Kind: proc.NotStarted, Path: "ollama.exe", ExitCode: -1, Err: fs.ErrNotExist}
	errWMI    = &WMIError{Code: 21, Reason: "Win32_Process.Create returned 21"}
)

// TestLadder holds the order of the ways of starting on Windows.
func TestLadder(t *testing.T) {
	type answer struct {
		inJob bool
		err   error
	}
	for _, c := range []struct {
		name       string
		breakaway  answer
		killErr    error
		wmi        error
		plain      answer
		method     Method
		asked      []bool // Breakaway of each direct start
		wmiAsked   bool
		killed     bool
		failed     bool
		hostIsNote bool
	}{
		{name: "breakaway works", method: Breakaway, asked: []bool{true}},
		{name: "denied, WMI works", breakaway: answer{err: errDenied}, method: WMI, asked: []bool{true}, wmiAsked: true},
		{name: "still in a job, WMI works", breakaway: answer{inJob: true}, method: WMI, asked: []bool{true}, wmiAsked: true, killed: true},
		{name: "still in a job, can't be ended", breakaway: answer{inJob: true}, killErr: errNoKill, method: Breakaway, asked: []bool{true}, killed: true, hostIsNote: true},
		{name: "denied, no WMI", breakaway: answer{err: errDenied}, wmi: errWMI, plain: answer{inJob: true}, method: Popen, asked: []bool{true, false}, wmiAsked: true, hostIsNote: true},
		{name: "denied, WMI too late, no job", breakaway: answer{err: errDenied}, wmi: context.DeadlineExceeded, method: Popen, asked: []bool{true, false}, wmiAsked: true},
		{name: "in a job, no WMI", breakaway: answer{inJob: true}, wmi: errWMI, plain: answer{inJob: true}, method: Popen, asked: []bool{true, false}, wmiAsked: true, killed: true, hostIsNote: true},
		{name: "the file itself is denied", breakaway: answer{err: errDenied}, wmi: errWMI, plain: answer{err: errDenied}, method: Popen, asked: []bool{true, false}, wmiAsked: true, failed: true},
		{name: "no such file", breakaway: answer{err: errNoFile}, method: Breakaway, asked: []bool{true}, failed: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			starter := &fakeStarter{started: func(program proc.Detached) (proc.Started, error) {
				one := c.plain
				if program.Breakaway {
					one = c.breakaway
				}
				if one.err != nil {
					return proc.Started{}, one.err
				}
				return proc.Started{PID: 42, InJob: one.inJob}, nil
			}}
			server := &fakeServer{address: "127.0.0.1:11999", errs: func(look int) error {
				if look < 3 || c.failed {
					return errSilent
				}
				return nil
			}}
			s := New(Options{Enabled: true, Timeout: time.Minute, Dir: t.TempDir(), Program: `C:\ollama.exe`}, Seams{Server: server, Starter: starter})
			wmiAsked, killed := false, false
			s.goos = "windows"
			s.alive = func(int) bool { return true }
			s.kill = func(pid int) error { killed = pid == 42; return c.killErr }
			s.wmi = func(_ context.Context, program proc.Detached) (int, error) {
				wmiAsked = true
				if program.Path != `C:\ollama.exe` {
					t.Errorf("program %+v", program)
				}
				return 43, c.wmi
			}
			out := s.Ensure(t.Context(), 0)
			var asked []bool
			for _, one := range starter.asked {
				asked = append(asked, one.Breakaway)
			}
			if diff := cmp.Diff(c.asked, asked); diff != "" {
				t.Error(diff)
			}
			if wmiAsked != c.wmiAsked || killed != c.killed || (out.Err != nil) != c.failed {
				t.Errorf("wmi %v, killed %v, %+v", wmiAsked, killed, out)
			}
			if strings.Contains(out.Note, "end with it") != c.hostIsNote {
				t.Errorf("note %q", out.Note)
			}
			if last := s.Last(); last.Method != c.method || last.OK == c.failed {
				t.Errorf("last %+v", last)
			}
			if c.failed && kind(t, out.Err) != NotStarted {
				t.Errorf("error %v", out.Err)
			}
		})
	}
}

var windowsEnv = []string{
	`SystemRoot=C:\Windows`, "ollama_host=mac.invalid:1", `Path=C:\bin`, `PSModulePath=C:\ps7`, "OLLAMA_MODELS=D:\\m",
	"MCP_CU_WMI_EXE=evil.exe", `CUDA_PATH=C:\cuda`, "OLLAMA_HOST=mac.invalid:2", "OLLAMA_HOSTS=kept",
}

func TestServerEnv(t *testing.T) {
	want := []string{
		`SystemRoot=C:\Windows`, `Path=C:\bin`, `PSModulePath=C:\ps7`, "OLLAMA_MODELS=D:\\m", "MCP_CU_WMI_EXE=evil.exe",
		`CUDA_PATH=C:\cuda`, "OLLAMA_HOSTS=kept", "OLLAMA_HOST=127.0.0.1:5",
	}
	if diff := cmp.Diff(want, serverEnv(windowsEnv, "127.0.0.1:5", "windows")); diff != "" {
		t.Error(diff)
	}
	got := serverEnv([]string{"ollama_host=a", "OLLAMA_HOST=b", "A=1"}, "127.0.0.1:5", "linux")
	if diff := cmp.Diff([]string{"ollama_host=a", "A=1", "OLLAMA_HOST=127.0.0.1:5"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWMICommand(t *testing.T) {
	program := proc.Detached{Path: `C:\Users\דנה & co\ollama.exe`, Args: []string{"serve"}, Dir: `C:\Users\דנה & co`,
		Env: serverEnv(windowsEnv, "127.0.0.1:5", "windows")}
	want := proc.Command{
		Path: `C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`,
		Args: []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", `C:\state\x.ps1`},
		Env: []string{
			`SystemRoot=C:\Windows`, `Path=C:\bin`, `MCP_CU_WMI_PSMODULEPATH=C:\ps7`, "OLLAMA_MODELS=D:\\m", `CUDA_PATH=C:\cuda`,
			"OLLAMA_HOSTS=kept", "OLLAMA_HOST=127.0.0.1:5",
			`MCP_CU_WMI_EXE=C:\Users\דנה & co\ollama.exe`, `MCP_CU_WMI_DIR=C:\Users\דנה & co`, "MCP_CU_WMI_FLAGS=16777216",
		},
	}
	if diff := cmp.Diff(want, wmiCommand(program, `C:\state\x.ps1`)); diff != "" {
		t.Error(diff)
	}
	program.Env = []string{"USERNAME=דנה", `SystemRoot=relative`}
	got := wmiCommand(program, "x")
	if !strings.HasPrefix(got.Path, `C:\Windows\`) || got.Env[len(got.Env)-1] != "MCP_CU_WMI_FLAGS=16778240" {
		t.Errorf("%+v", got)
	}
}

func TestWMIAnswer(t *testing.T) {
	for stdout, want := range map[string]int{
		"MCP_CU_WMI:{\"return\":0,\"pid\":77}\r\n":            77,
		"noise\nMCP_CU_WMI:{\"return\":0,\"pid\":77}\nmore\n": 77,
	} {
		if pid, err := wmiAnswer([]byte(stdout)); pid != want || err != nil {
			t.Errorf("%q: %d, %v", stdout, pid, err)
		}
	}
	for _, stdout := range []string{
		"", "noise", "MCP_CU_WMI:", "MCP_CU_WMI:{}", `MCP_CU_WMI:{"return":0}`, `MCP_CU_WMI:{"pid":5}`, `MCP_CU_WMI:{"return":21,"pid":0}`,
		`MCP_CU_WMI:{"error":"System.Management.Automation.PSInvalidOperationException","mode":"ConstrainedLanguage"}`,
		"MCP_CU_WMI:{\"return\":0,\"pid\":7}\nMCP_CU_WMI:{\"return\":0,\"pid\":8}", `x MCP_CU_WMI:{"return":0,"pid":7}`,
	} {
		pid, err := wmiAnswer([]byte(stdout))
		var ours *WMIError
		if !errors.As(err, &ours) || pid != 0 || ours.Reason == "" {
			t.Errorf("%q: %d, %v", stdout, pid, err)
		}
		if strings.Contains(stdout, "21") && ours.Code != 21 {
			t.Errorf("code %d", ours.Code)
		}
	}
}

func FuzzWMIAnswer(f *testing.F) {
	f.Add([]byte("MCP_CU_WMI:{\"return\":0,\"pid\":77}"))
	f.Add([]byte("MCP_CU_WMI:{\"error\":\"x\"}\xff"))
	f.Fuzz(func(t *testing.T, stdout []byte) {
		if pid, err := wmiAnswer(stdout); (err == nil) != (pid > 0) {
			t.Errorf("%q: %d, %v", stdout, pid, err)
		}
	})
}

func TestStartThroughWMI(t *testing.T) {
	for name, c := range map[string]struct {
		runner fakeRunner
		ok     bool
	}{
		"works":            {fakeRunner{stdout: "MCP_CU_WMI:{\"return\":0,\"pid\":77}\r\n"}, true},
		"works, bad exit":  {fakeRunner{stdout: "MCP_CU_WMI:{\"return\":0,\"pid\":77}\r\n", err: errNoFile}, true},
		"silent":           {fakeRunner{}, false},
		"refused":          {fakeRunner{stdout: `MCP_CU_WMI:{"return":9,"pid":0}`}, false},
		"no PowerShell":    {fakeRunner{err: errNoFile}, false},
		"script's own end": {fakeRunner{stdout: `MCP_CU_WMI:{"error":"X","mode":"FullLanguage"}`, err: errNoFile}, false},
	} {
		dir := t.TempDir()
		s := New(Options{Dir: dir}, Seams{Runner: &c.runner})
		pid, err := s.startThroughWMI(t.Context(), proc.Detached{Path: `C:\o\ollama.exe`})
		if (err == nil) != c.ok || c.ok != (pid == 77) {
			t.Errorf("%s: %d, %v", name, pid, err)
		}
		script, err := os.ReadFile(filepath.Join(dir, scriptName))
		if err != nil || string(script) != string(wmiScript) {
			t.Errorf("%s: script: %v", name, err)
		}
	}
}

// TestScript holds what Windows PowerShell 5.1 needs, as far as it can be seen without one.
func TestScript(t *testing.T) {
	text := string(wmiScript)
	for i, b := range wmiScript {
		if b >= 0x80 {
			t.Fatalf("byte %#x at %d", b, i)
		}
	}
	for _, word := range []string{"Win32_ProcessStartup", "Invoke-CimMethod", "$mark = '" + wmiMark + "'", "'MCP_CU_WMI_*'", "'Stop'", "SilentlyContinue"} {
		if !strings.Contains(text, word) {
			t.Errorf("%s is missing", word)
		}
	}
	for _, word := range []string{"?.", "??", "Invoke-Expression", "wmic", "&&"} {
		if strings.Contains(text, word) {
			t.Errorf("%s must not stand in it", word)
		}
	}
	if strings.Count(text, "{") != strings.Count(text, "}") || strings.Count(text, "(") != strings.Count(text, ")") {
		t.Error("brackets do not pair")
	}
}

// fakeFiles are the files of a finder.
type fakeFiles map[string]bool

func (f fakeFiles) Stat(name string) (fs.FileInfo, error) {
	if f[name] {
		return fakeInfo{}, nil
	}
	return nil, fs.ErrNotExist
}

type fakeInfo struct{ fs.FileInfo }

func (fakeInfo) IsDir() bool       { return false }
func (fakeInfo) Mode() fs.FileMode { return 0o755 }

func TestFindOllama(t *testing.T) {
	const local = `C:\Users\d\AppData\Local`
	for name, c := range map[string]struct {
		goos  string
		env   []string
		files fakeFiles
		want  string
	}{
		"on PATH":             {"linux", []string{"PATH=rel:/a:/b"}, fakeFiles{"/b/ollama": true, "rel/ollama": true}, "/b/ollama"},
		"nowhere":             {"linux", []string{"PATH=/a"}, fakeFiles{}, ""},
		"current folder":      {"linux", []string{"PATH=:."}, fakeFiles{"ollama": true, "./ollama": true}, ""},
		"Windows, on PATH":    {"windows", []string{`Path=C:\a;C:\b`, "LOCALAPPDATA=" + local}, fakeFiles{`C:\b\ollama.exe`: true, local + `\Programs\Ollama\ollama.exe`: true}, `C:\b\ollama.exe`},
		"Windows, installed":  {"windows", []string{`Path=C:\a`, "LOCALAPPDATA=" + local}, fakeFiles{local + `\Programs\Ollama\ollama.exe`: true}, local + `\Programs\Ollama\ollama.exe`},
		"Windows, batch file": {"windows", []string{`Path=C:\a`, "PATHEXT=.CMD;.BAT"}, fakeFiles{`C:\a\ollama.cmd`: true, `C:\a\ollama.exe.cmd`: true, `C:\a\ollama.exe.bat`: true}, ""},
		"Windows, nowhere":    {"windows", []string{`Path=C:\a`, "LOCALAPPDATA=relative"}, fakeFiles{`relative\Programs\Ollama\ollama.exe`: true}, ""},
	} {
		if got := findOllama(proc.Finder{GOOS: c.goos, Env: c.env, Stat: c.files.Stat}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestStartedLately(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 30, 0, time.UTC)
	line := func(event, host string, pid int, at string) string {
		return fmt.Sprintf("%s%s %s pid=%d method=popen at=2026-05-01T12:00:%sZ\n", marker, event, host, pid, at)
	}
	const here = "127.0.0.1:5"
	for name, c := range map[string]struct {
		log  string
		want bool
	}{
		"no log":          {"", false},
		"just started":    {line("starting", here, 0, "20") + "some words\n" + line("started", here, 1, "20"), true},
		"starting":        {line("starting", here, 0, "20") + "words without an end", true},
		"ended":           {line("started", here, 1, "20") + line("ended", here, 1, "21"), false},
		"gone":            {line("started", here, 2, "20"), false},
		"long ago":        {line("started", here, 1, "00"), false},
		"another address": {line("started", "127.0.0.1:55", 1, "20"), false},
		"damaged":         {marker + "started " + here + " pid=x", false},
		"in the future":   {strings.Replace(line("started", here, 1, "20"), "T12", "T14", 1), false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, logName), []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		s := New(Options{Dir: dir, Timeout: 30 * time.Second}, Seams{Now: func() time.Time { return now }})
		s.alive = func(pid int) bool { return pid == 1 }
		if got := (&attempt{Starter: s, host: here}).startedLately(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestLastWords(t *testing.T) {
	for log, want := range map[string]string{
		"": "", "old words\n" + marker + "starting x\n": "",
		marker + "starting x\nfirst\nError: \x1b[1mno\tspace  \n\n" + marker + "started x\n": ": Error: [1mno space",
		marker + "starting x\n" + strings.Repeat("ש", 300):                                   ": " + strings.Repeat("ש", 200) + "…",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, logName), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := (&attempt{Starter: New(Options{Dir: dir}, Seams{})}).lastWords(); got != want {
			t.Errorf("%q: %q, want %q", log, got, want)
		}
	}
}

func TestTrimLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), logName)
	if err := os.WriteFile(path, []byte("small"), 0o600); err != nil {
		t.Fatal(err)
	}
	trimLog(path)
	if _, err := os.Stat(path); err != nil {
		t.Errorf("a small log was moved: %v", err)
	}
	if err := os.Truncate(path, maxLog+1); err != nil {
		t.Fatal(err)
	}
	trimLog(path)
	if _, err := os.Stat(path + ".old"); err != nil {
		t.Error(err)
	}
}

// TestEndIsSeenThroughTheProcess covers the systems that tell no end of a detached program.
func TestEndIsSeenThroughTheProcess(t *testing.T) {
	hands := &clock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	server := &fakeServer{address: "127.0.0.1:11999", errs: func(int) error { return errSilent }}
	starter := &fakeStarter{started: func(proc.Detached) (proc.Started, error) { return proc.Started{PID: 42}, nil }}
	s := New(Options{Enabled: true, Timeout: time.Minute, Dir: t.TempDir(), Program: "/x"},
		Seams{Server: server, Starter: starter, Now: hands.Now, Sleep: hands.Sleep})
	s.alive = func(int) bool { return false }
	if out := s.Ensure(t.Context(), 0); kind(t, out.Err) != Ended {
		t.Errorf("%+v", out)
	}
	// A server that ends because another one was faster is no failure.
	server.looks = 0
	server.errs = func(look int) error {
		if look < 6 {
			return errSilent
		}
		return nil
	}
	if out := s.Ensure(t.Context(), 0); !out.Started {
		t.Errorf("%+v", out)
	}
}
