package archtest

import (
	"slices"
	"strings"
	"testing"
)

const module = "mcp-computer-use"

// row says what a package may import of ours, and why nothing else.
type row struct {
	path    string // below the module; "." is main
	imports string // names of packages
	because string // the reason that a test prints for any other import
}

// table is the whole import graph that is allowed. A package that is not in it fails the test.
func table() []row {
	return []row{
		{".", "cli", "main only ends the process with what cli returns"},
		{"internal/cli", "config mcpserver bridge result agentcu capture ollama autostart memory sessions audit safety timeouts store proc replay", "cli wires the parts; what they do is not its business"},
		{"internal/config", "agentcu bridge mcpserver capture ollama autostart memory sessions audit safety timeouts store", "config composes options and must not know who uses them"},
		{"internal/mcpserver", "bridge result guidance", "mcpserver translates the protocol; argv, files and Ollama are behind bridge"},
		{"internal/bridge", "agentcu appwindow capture extractors matching safety audit sessions ollama autostart memory timeouts guidance result ui", "bridge is the order of the use cases; processes and files are behind the packages it calls"},
		{"agentcu", "proc timeouts ui", "agentcu knows one program's command line, not sessions, safety or the protocol"},
		{"capture", "agentcu proc ps1 imaging store timeouts ui", "capture takes pictures and must not know who looks at them"},
		{"internal/autostart", "ollama proc ps1 store timeouts", "autostart starts one server and must not know questions or sessions"},
		{"extractors", "textnorm ui", "extractors are pure: a screen in, facts out"},
		{"internal/appwindow", "textnorm ui", "the choice of a window is pure"},
		{"matching", "textnorm ui", "ranking is pure: no clock, no input, no application"},
		{"safety", "textnorm ui", "the danger decision is pure, so that nothing outside can change it"},
		{"internal/imaging", "ui", "imaging works on pictures wherever they come from"},
		{"internal/audit", "store textnorm", "the action log must not depend on what it records"},
		{"sessions", "store", "sessions are files; who asks is not their business"},
		{"timeouts", "store", "time-outs must not know what runs inside them"},
		{"internal/replay", "proc", "a recording knows requests and answers, no product logic"},
		{"internal/result", "", "results are data"},
		{"internal/guidance", "", "guidance is text"},
		{"internal/ollama", "", "the client of Ollama must not know what a prompt means"},
		{"internal/memory", "", "memory must not know how a model is called"},
		{"ps1", "", "scripts are data"},
		{"internal/textnorm", "", "a leaf: what a text is for is the caller's business"},
		{"internal/store", "", "a leaf: what is stored is the caller's business"},
		{"internal/ui", "", "a leaf: vocabulary only"},
		{"internal/proc", "", "a leaf: which program runs is the caller's business"},
		{"internal/archtest", "", "tests only"},
	}
}

// layers orders the packages: an import goes to a lower line. It proves that the table has no cycle.
func layers() []string {
	return []string{
		"ui proc ps1 textnorm store result guidance ollama memory archtest",
		"timeouts sessions audit imaging extractors appwindow matching safety replay",
		"agentcu autostart",
		"capture",
		"bridge",
		"mcpserver",
		"config",
		"cli",
		"main",
	}
}

// confined says where a package that is not ours may be imported by code that is no test.
type confined struct {
	prefix  string
	only    string
	because string
}

func confinements() []confined {
	return []confined{
		{"os/exec", "proc", "every child process has to end within its deadline, with its whole tree"},
		{"net/http", "ollama replay mcpserver", "everything that leaves the process goes through one transport, so that it can be recorded"},
		{"net/http/httptest", "", "for tests"},
		{"testing", "", "for tests"},
		{"C", "", "the program is one static binary without cgo"},
		{"plugin", "", "the program is one static binary"},
		{"github.com/mark3labs/mcp-go", "mcpserver", "the SDK can be changed in one place"},
		{"github.com/pelletier/go-toml", "config", "one reader of settings"},
		{"github.com/sethvargo/go-envconfig", "config", "one reader of settings"},
		{"github.com/gofrs/flock", "store", "one way to lock a file"},
		{"github.com/ollama/ollama", "ollama", "one client of Ollama"},
		{"golang.org/x/text", "textnorm", "one form of texts to compare"},
		{"github.com/spf13/pflag", "cli", "one reader of flags"},
		{"github.com/tidwall/gjson", "agentcu capture bridge", "for JSON of others only; ours has types"},
		{"github.com/pmezard/go-difflib", "matching", "for the ratio of two labels only"},
		{"golang.org/x/image", "imaging", "one decoder of pictures"},
		{"github.com/shirou/gopsutil", "memory", "one reader of free memory"},
		{"golang.org/x/sys", "proc store memory capture", "system calls stay in the packages that have a file for each system"},
		{"github.com/google/go-cmp", "", "for tests"},
		{"github.com/rogpeppe/go-internal", "", "for tests"},
	}
}

func name(path string) string {
	if path == "." {
		return "main"
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

func rowOf(path string) *row {
	for _, r := range table() {
		if r.path == path {
			return &r
		}
	}
	return nil
}

func TestTableGoesDownTheLayers(t *testing.T) {
	at := make(map[string]int)
	for i, line := range layers() {
		for _, pkg := range strings.Fields(line) {
			at[pkg] = i + 1
		}
	}
	for _, r := range table() {
		from := name(r.path)
		if at[from] == 0 {
			t.Errorf("%s has no layer", from)
		}
		for _, to := range strings.Fields(r.imports) {
			if at[to] == 0 || at[to] >= at[from] {
				t.Errorf("%s (layer %d) may import %s (layer %d): an import goes down", from, at[from], to, at[to])
			}
		}
		if r.because == "" {
			t.Errorf("%s has no reason", from)
		}
	}
	names := make([]string, 0, len(at))
	for _, r := range table() {
		names = append(names, name(r.path))
	}
	for pkg := range at {
		if !slices.Contains(names, pkg) {
			t.Errorf("layer of a package %s that is not in the table", pkg)
		}
	}
}
