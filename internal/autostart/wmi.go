package autostart

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/store"
	"mcp-computer-use/timeouts"
)

// wmiScript is pure ASCII, which Windows PowerShell reads alike in every code page.
//
//go:embed wmi.ps1
var wmiScript []byte

const (
	scriptName = "ollama-autostart.ps1"
	wmiMark    = "MCP_CU_WMI:"
	wmiTimeout = 15 * time.Second

	// The WMI service runs what it starts in a job that limits memory to less than a model needs, so
	// the server has to leave that job.
	createBreakawayFromJob   = 0x01000000
	createUnicodeEnvironment = 0x00000400
)

// WMIError says that WMI gave no process.
type WMIError struct {
	Code   int    // return value of Win32_Process.Create; 0 where it never came to that
	Reason string // one line
	Err    error  // may be nil
}

// Error makes the type an error.
func (e *WMIError) Error() string { return "start through WMI: " + e.Reason }

// Unwrap returns the cause.
func (e *WMIError) Unwrap() error { return e.Err }

// startThroughWMI lets the WMI service start the server. The service passes no handles on, so the
// server's output is lost and the log only says that it was started.
func (s *Starter) startThroughWMI(ctx context.Context, program proc.Detached) (pid int, err error) {
	ctx, cancel := timeouts.WithLimit(ctx, wmiTimeout, "the start through WMI")
	defer cancel()
	script, err := s.writeScript()
	if err != nil {
		return 0, &WMIError{Reason: "the script can't be written", Err: err}
	}
	result, err := s.seams.Runner.Run(ctx, wmiCommand(program, script))
	pid, refused := wmiAnswer(result.Stdout)
	switch {
	case refused == nil:
		return pid, nil // it runs, however PowerShell ended then: a second start would be wrong
	case len(result.Stdout) == 0 && err != nil:
		return 0, &WMIError{Reason: "PowerShell failed", Err: err}
	}
	return 0, errors.Join(refused, err)
}

// writeScript puts the script into the state folder, anew each time, and checks what then is there.
func (s *Starter) writeScript() (string, error) {
	path := s.file(scriptName)
	if err := store.WriteFile(path, wmiScript); err != nil {
		return "", err
	}
	data, err := store.ReadFile(path, 1<<20)
	if err != nil {
		return "", err
	}
	if string(data) != string(wmiScript) {
		return "", errors.New("the script was changed while it was written")
	}
	return path, nil
}

// wmiCommand builds the PowerShell call. Its arguments are constants and the script's path, since
// PowerShell would parse anything else; what the server gets is in the environment: its own one, and
// variables that the script takes out again.
func wmiCommand(program proc.Detached, script string) proc.Command {
	finder := proc.Finder{GOOS: "windows", Env: program.Env}
	root := finder.Getenv("SystemRoot")
	if !finder.IsAbs(root) {
		root = `C:\Windows`
	}
	var env []string
	for _, entry := range program.Env {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case strings.EqualFold(name, "PSModulePath"): // that of PowerShell 7 breaks Windows PowerShell
			env = append(env, "MCP_CU_WMI_PSMODULEPATH="+value)
		case !strings.HasPrefix(strings.ToUpper(name), "MCP_CU_WMI_"):
			env = append(env, entry)
		}
	}
	env = append(env, "MCP_CU_WMI_EXE="+program.Path, "MCP_CU_WMI_DIR="+program.Dir, "MCP_CU_WMI_FLAGS="+wmiFlags(program.Env))
	return proc.Command{
		Path: finder.Join(root, "System32", "WindowsPowerShell", "v1.0", "powershell.exe"),
		Args: []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", script},
		Env:  env,
	}
}

func wmiFlags(env []string) string {
	flags := createBreakawayFromJob
	if strings.ContainsFunc(strings.Join(env, ""), func(r rune) bool { return r > 0x7e }) {
		flags |= createUnicodeEnvironment
	}
	return strconv.Itoa(flags)
}

// wmiAnswer reads the script's line. A process was started only when it says so: a PowerShell that
// prints nothing can still exit with 0.
func wmiAnswer(stdout []byte) (pid int, err error) {
	var found []string
	for _, line := range strings.Split(string(stdout), "\n") {
		if rest, ours := strings.CutPrefix(strings.TrimSpace(line), wmiMark); ours {
			found = append(found, rest)
		}
	}
	if len(found) != 1 {
		return 0, &WMIError{Reason: fmt.Sprintf("PowerShell gave %d answers", len(found))}
	}
	var answer struct {
		Return *int
		PID    int
		Error  string
		Mode   string
	}
	if err := json.Unmarshal([]byte(found[0]), &answer); err != nil {
		return 0, &WMIError{Reason: "PowerShell gave no JSON", Err: err}
	}
	switch {
	case answer.Error != "":
		return 0, &WMIError{Reason: fmt.Sprintf("%.100s (language mode %.40s)", answer.Error, answer.Mode)}
	case answer.Return == nil || *answer.Return == 0 && answer.PID <= 0:
		return 0, &WMIError{Reason: "the answer names no process"}
	case *answer.Return != 0:
		return 0, &WMIError{Code: *answer.Return, Reason: fmt.Sprintf("Win32_Process.Create returned %d", *answer.Return)}
	}
	return answer.PID, nil
}
