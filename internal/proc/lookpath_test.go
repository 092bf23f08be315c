package proc

import (
	"io/fs"
	"strings"
	"testing"
	"time"
)

// tree is a file system of names with their modes; Windows names are compared without case.
type tree map[string]fs.FileMode

type entry struct {
	name string
	mode fs.FileMode
}

func (e entry) Name() string       { return e.name }
func (e entry) Size() int64        { return 1 }
func (e entry) Mode() fs.FileMode  { return e.mode }
func (e entry) ModTime() time.Time { return time.Time{} }
func (e entry) IsDir() bool        { return e.mode.IsDir() }
func (e entry) Sys() any           { return nil }

func (t tree) Stat(name string) (fs.FileInfo, error) {
	for known, mode := range t {
		if strings.EqualFold(known, name) {
			return entry{name, mode}, nil
		}
	}
	return nil, fs.ErrNotExist
}

func TestLookOnWindows(t *testing.T) {
	files := tree{
		`C:\npm\agent-cu`: 0o666, `C:\npm\agent-cu.cmd`: 0o666, `C:\bin\agent-cu.exe`: 0o666,
		`C:\bin\tool.v2.exe`: 0o666, `C:\bin\folder.exe`: fs.ModeDir | 0o777, `C:\bin\notes.txt`: 0o666,
		`\\server\share\far.exe`: 0o666, `relative\near.exe`: 0o666, `.\near.exe`: 0o666, `near.exe`: 0o666,
	}
	path := `Path=relative;.;;"C:\npm";C:\bin\;\\server\share`
	for _, test := range []struct{ name, pathext, want string }{
		{"agent-cu", "", `C:\npm\agent-cu.cmd`},
		{"agent-cu.exe", "", `C:\bin\agent-cu.exe`},
		{"AGENT-CU.EXE", "", `C:\bin\AGENT-CU.EXE`},
		{"agent-cu", "PATHEXT=.EXE", `C:\bin\agent-cu.exe`},
		{"tool.v2", "", `C:\bin\tool.v2.exe`},
		{"far", "", `\\server\share\far.exe`},
		{`C:\bin\agent-cu`, "", `C:\bin\agent-cu.exe`},
		{`c:/bin/agent-cu.exe`, "", ""}, // this tree knows no other separator
		{"near", "", ""},
		{"folder", "", ""},
		{"notes.txt", "", ""},
		{`bin\agent-cu`, "", ""},
		{`C:agent-cu`, "", ""},
		{`..\bin\agent-cu`, "", ""},
	} {
		env := []string{path}
		if test.pathext != "" {
			env = append(env, test.pathext)
		}
		got, err := Finder{GOOS: "windows", Env: env, Stat: files.Stat}.Look(test.name)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s with %s: %q, %v, want %q", test.name, test.pathext, got, err, test.want)
		}
	}
}

func TestIsAbs(t *testing.T) {
	for name, want := range map[string]bool{
		`C:\x`: true, `z:/x`: true, `\\server\share`: true, `\x`: false, `C:x`: false, `x`: false, ``: false,
		`\\\x`: false, `1:\x`: false,
	} {
		if got := (Finder{GOOS: "windows"}).IsAbs(name); got != want {
			t.Errorf("%s on Windows: %v", name, got)
		}
	}
	for name, want := range map[string]bool{`/x`: true, `x/y`: false, ``: false, `C:\x`: false} {
		if got := (Finder{GOOS: "linux"}).IsAbs(name); got != want {
			t.Errorf("%s on Linux: %v", name, got)
		}
	}
}

func TestGetenvTakesTheLast(t *testing.T) {
	env := []string{"Path=old", "PATH=new", "=C:=C:\\x", "novalue"}
	for goos, want := range map[string]string{"windows": "new", "linux": "new"} {
		if got := (Finder{GOOS: goos, Env: env}).Getenv("PATH"); got != want {
			t.Errorf("%s: %q", goos, got)
		}
	}
	if got := (Finder{GOOS: "linux", Env: env[:1]}).Getenv("PATH"); got != "" {
		t.Errorf("case counts on Linux: %q", got)
	}
}
