package agentcu

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"mcp-computer-use/internal/proc"
)

// installHint is the next step where agent-cu is missing.
const installHint = "install agent-cu so that it is on PATH, or set MCP_CU_AGENT_CU_CMD to the absolute path of its executable"

// Program is a resolved agent-cu: what is started, and what stands before the arguments of each call.
type Program struct {
	Path string   // absolute
	Args []string // the launcher script, only where Path is Node; else empty
}

// located is a look-up's result with what tells whether it still holds.
type located struct {
	program Program
	modTime time.Time
	size    int64
}

// Locate finds the binary to run, once: a later call only checks that the file has not changed. A
// missing one is looked for again each time. The failure is an *Error of kind NotInstalled.
func (c *Client) Locate(context.Context) (Program, error) {
	if c.opts.Program != "" {
		return Program{Path: c.opts.Program}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found.program.Path != "" {
		info, err := os.Stat(c.found.program.Path)
		if err == nil && info.ModTime().Equal(c.found.modTime) && info.Size() == c.found.size {
			return c.found.program, nil
		}
		c.found = located{}
	}
	r := resolver{Finder: proc.Finder{GOOS: runtime.GOOS, Env: c.environ(), Stat: os.Stat}, arch: runtime.GOARCH, files: osFiles{}}
	program, err := r.resolve(c.opts.Command)
	if err != nil {
		return Program{}, err
	}
	if info, err := os.Stat(program.Path); err == nil {
		c.found = located{program, info.ModTime(), info.Size()}
	}
	return program, nil
}

// files is what the resolver reads beside the Stat of its Finder.
type files interface {
	ReadHead(name string, n int) ([]byte, error) // at most the first n bytes
	EvalSymlinks(name string) (string, error)    // the file behind all links
}

// osFiles are the files of this machine.
type osFiles struct{}

// ReadHead implements files.
func (osFiles) ReadHead(name string, n int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	buf := make([]byte, n)
	read := 0
	for read < n {
		k, err := f.Read(buf[read:])
		read += k
		if err != nil {
			break
		}
	}
	return buf[:read], nil
}

// EvalSymlinks implements files.
func (osFiles) EvalSymlinks(name string) (string, error) { return filepath.EvalSymlinks(name) }

// resolver turns a configured command into a program, by reading files only. No script is ever the
// result but one that a Unix user configured: cmd.exe would parse what the user wants typed, and a
// launcher's process would stand between us and the one that clicks (spec/windows.md M1).
type resolver struct {
	proc.Finder
	arch  string // GOARCH
	files files
}

// resolve finds the program for Options.Command.
func (r resolver) resolve(command string) (Program, error) {
	switch {
	case strings.ContainsRune(command, 0):
		return Program{}, notInstalled("the configured agent-cu command holds a NUL character")
	case isScriptName(command):
		return Program{}, notInstalled("a .bat, .cmd or .ps1 file is never run as agent-cu; name its .exe")
	case strings.ContainsAny(command, `/\`) || r.IsAbs(command):
		return r.configured(command)
	case r.GOOS == "windows":
		return r.onWindowsPath(command)
	default:
		return r.onUnixPath(command)
	}
}

func notInstalled(message string) error {
	return &Error{Kind: NotInstalled, Message: message + ": " + installHint}
}

// isScriptName says whether Windows would hand a file of this name to an interpreter. Windows drops
// trailing dots and blanks of a name, so "x.bat. ." is a batch file too (CVE-2024-43402).
func isScriptName(name string) bool {
	name = strings.ToLower(strings.TrimRight(name[strings.LastIndexAny(name, `/\`)+1:], ". "))
	for _, ext := range []string{".bat", ".cmd", ".ps1"} {
		if strings.HasSuffix(name, ext) {
			return true
		}
	}
	return false
}

// configured takes an absolute path. Where it is one of npm's launchers, the binary behind it is taken;
// any other executable is what the user asked for.
func (r resolver) configured(name string) (Program, error) {
	if !r.IsAbs(name) {
		return Program{}, notInstalled("the configured path of agent-cu is not absolute")
	}
	if r.isFile(name) {
		if r.isNative(name) {
			return Program{Path: name}, nil
		}
		if binary := r.behind(name); binary != "" {
			return Program{Path: binary}, nil
		}
		if r.GOOS != "windows" && r.runnable(name) {
			return Program{Path: name}, nil
		}
	}
	if r.GOOS == "windows" && r.isNative(name+".exe") {
		return Program{Path: name + ".exe"}, nil
	}
	return Program{}, notInstalled("there is no executable file at the configured path of agent-cu")
}

// onUnixPath looks a name up on PATH: a native binary, or the one behind npm's launcher. A script that
// is no such launcher counts only under a name that the user configured. Node on the launcher is the
// last resort.
func (r resolver) onUnixPath(name string) (Program, error) {
	script := ""
	for _, dir := range r.Dirs() {
		candidate := r.Join(dir, name)
		if !r.runnable(candidate) {
			continue
		}
		if r.isNative(candidate) {
			return Program{Path: candidate}, nil
		}
		if binary := r.behind(candidate); binary != "" {
			return Program{Path: binary}, nil
		}
		if js := r.launcherScript(candidate); js != "" {
			if script == "" {
				script = js
			}
		} else if name != defaultCommand {
			return Program{Path: candidate}, nil
		}
	}
	return r.withNode(script)
}

// onWindowsPath goes through the order of spec/windows.md M1.2 after the configured path.
func (r resolver) onWindowsPath(name string) (Program, error) {
	if at := len(name) - len(".exe"); at > 0 && strings.EqualFold(name[at:], ".exe") {
		name = name[:at]
	}
	for _, dir := range r.Dirs() {
		if exe := r.Join(dir, name+".exe"); r.isFile(exe) {
			if target := r.scoopTarget(exe); target != "" {
				return Program{Path: target}, nil
			}
			return Program{Path: exe}, nil
		}
	}
	launchers := r.windowsLaunchers(name)
	for _, launcher := range launchers {
		if binary := r.besideLauncher(launcher); binary != "" {
			return Program{Path: binary}, nil
		}
	}
	script := ""
	for _, launcher := range launchers {
		js := r.launcherScript(launcher)
		if js == "" {
			continue
		}
		if binary := r.binaryBeside(js); binary != "" {
			return Program{Path: binary}, nil
		}
		if script == "" {
			script = js
		}
	}
	return r.withNode(script)
}

// windowsLaunchers are the batch launchers of that name on PATH.
func (r resolver) windowsLaunchers(name string) []string {
	var launchers []string
	for _, dir := range r.Dirs() {
		if launcher := r.Join(dir, name+".cmd"); r.isFile(launcher) {
			launchers = append(launchers, launcher)
		}
	}
	return launchers
}

// withNode runs the launcher's JavaScript by Node, which must be a real executable on PATH.
func (r resolver) withNode(script string) (Program, error) {
	if script != "" {
		name := "node"
		if r.GOOS == "windows" {
			name = "node.exe"
		}
		if node, err := r.Look(name); err == nil && r.isNative(node) {
			return Program{Path: node, Args: []string{script}}, nil
		}
	}
	return Program{}, notInstalled("no agent-cu was found")
}

func (r resolver) isFile(name string) bool {
	info, err := r.Stat(name)
	return err == nil && !info.IsDir()
}

// runnable says whether a file may be started; Windows decides by the name alone.
func (r resolver) runnable(name string) bool {
	info, err := r.Stat(name)
	return err == nil && !info.IsDir() && (r.GOOS == "windows" || info.Mode()&fs.FileMode(0o111) != 0)
}

// isNative says whether a file is a binary of the system: PE, ELF, or Mach-O of one or several
// architectures. On Unix it must be executable as well.
func (r resolver) isNative(name string) bool {
	if !r.runnable(name) {
		return false
	}
	head, err := r.files.ReadHead(name, 4)
	if err != nil {
		return false
	}
	magics := []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\xca\xfe\xba\xbf"}
	if r.GOOS == "windows" {
		magics = []string{"MZ"}
		// Windows completes any other name, with ".cmd" too.
		if ext := strings.ToLower(name[max(0, len(name)-4):]); ext != ".exe" && ext != ".com" {
			return false
		}
	}
	for _, magic := range magics {
		if strings.HasPrefix(string(head), magic) {
			return true
		}
	}
	return false
}
