package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, content := range []string{"old", "", "new content"} {
		if err := WriteFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(path, 100); err != nil || string(got) != content {
			t.Errorf("read %q, %v; want %q", got, err, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != FileMode {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	wantFiles(t, dir, "a.json")
}

// An error of the rename is tried again only where it passes by itself; whatever happens, the old
// content stays until it is replaced, and no temporary file is left.
func TestWriteFileRename(t *testing.T) {
	cases := []struct {
		name  string
		goos  string
		errno syscall.Errno
		fails int // how many renames fail
		ok    bool
		kind  Kind
	}{
		{"access denied passes", "windows", winAccessDenied, 3, true, Other},
		{"sharing violation passes", "windows", winSharingViolation, 3, true, Other},
		{"file not found passes", "windows", winFileNotFound, 3, true, Other},
		{"disk full is final", "windows", winDiskFull, 1, false, Full},
		{"write protection is final", "windows", winWriteProtect, 1, false, Denied},
		{"no permission is final elsewhere", "linux", syscall.EACCES, 1, false, Other},
		{"number 32 is final elsewhere", "darwin", winSharingViolation, 1, false, Other},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.json")
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			tries := 0
			rename := func(from, to string) error {
				if tries++; tries <= c.fails {
					return &os.LinkError{Op: "rename", Old: from, New: to, Err: c.errno}
				}
				return os.Rename(from, to)
			}
			err := writeFile(path, []byte("new"), rename, c.goos)
			want := map[bool]string{true: "new", false: "old"}[c.ok]
			if got, _ := os.ReadFile(path); (err == nil) != c.ok || string(got) != want {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
			if wantTries := map[bool]int{true: c.fails + 1, false: 1}[c.ok]; tries != wantTries {
				t.Errorf("%d tries, want %d", tries, wantTries)
			}
			if err != nil && classify(err, c.goos) != c.kind && c.kind != Other {
				t.Errorf("kind %d of %v, want %d", classify(err, c.goos), err, c.kind)
			}
			wantFiles(t, dir, "a.json")
		})
	}
}

func TestErrorsNameTheReason(t *testing.T) {
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "file"), filepath.Join(dir, "folder")
	if err := errors.Join(os.WriteFile(file, []byte("12345"), 0o600), os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	_, tooLarge := ReadFile(file, 4)
	_, readFolder := ReadFile(folder, 4)
	cases := []struct {
		name string
		err  error
		kind Kind
		text string
	}{
		{"a file as the folder", EnsureDir(file), NotFolder, "a file stands where a folder must be"},
		{"a file above the folder", EnsureDir(filepath.Join(file, "sub")), NotFolder, "a file stands where a folder must be"},
		{"a folder as the file", CheckAppend(folder), NotFile, "a folder stands where a file must be"},
		{"a folder to append to", Append(folder, []byte("x")), NotFile, "a folder stands where a file must be"},
		{"a folder to read", readFolder, NotFile, "a folder stands where a file must be"},
		{"a large file", tooLarge, TooLarge, "larger"},
		{"no name", WriteFile(dir+"/", nil), Other, "no file name"},
		{"denied", Wrap("open", file, &fs.PathError{Op: "open", Path: file, Err: syscall.EACCES}), Denied, "no permission"},
		{"read-only disk", Wrap("open", file, syscall.EROFS), Denied, "read-only disk"},
		{"full", Wrap("write", file, errors.Join(syscall.ENOSPC, nil)), Full, "the disk is full"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var known *Error
			if !errors.As(c.err, &known) || known.Kind != c.kind || !strings.Contains(c.err.Error(), c.text) {
				t.Errorf("%v (kind %d), want kind %d with %q", c.err, KindOf(c.err), c.kind, c.text)
			}
		})
	}
	if Wrap("open", file, nil) != nil {
		t.Error("no error became one")
	}
	if _, err := ReadFile(filepath.Join(dir, "missing"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if got, err := ReadFile(file, 5); err != nil || string(got) != "12345" {
		t.Errorf("a file of just the limit: %q, %v", got, err)
	}
}

func TestFullDisk(t *testing.T) {
	const full = "/dev/full"
	if info, err := os.Stat(full); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Skip("no device that is always full")
	}
	if err := Append(full, []byte("x")); KindOf(err) != Full {
		t.Errorf("%v (kind %d)", err, KindOf(err))
	}
}

func TestClassifyWindows(t *testing.T) {
	for number, want := range map[syscall.Errno]Kind{winAccessDenied: Denied, winSharingViolation: Denied, winWriteProtect: Denied,
		winDiskFull: Full, winHandleDiskFull: Full, winDirectory: NotFolder, 87: Other} {
		if got := classify(&os.PathError{Err: number}, "windows"); got != want {
			t.Errorf("error %d: kind %d, want %d", number, got, want)
		}
	}
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	for _, line := range []string{"one\n", "two\n"} {
		if err := errors.Join(CheckAppend(path), Append(path, []byte(line))); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestQuarantineKeepsOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, content := range []string{"first", "second"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		aside, err := Quarantine(path)
		if err != nil || aside != path+".corrupt" {
			t.Fatalf("%q, %v", aside, err)
		}
		if got, _ := os.ReadFile(aside); string(got) != content {
			t.Errorf("set aside %q, want %q", got, content)
		}
	}
	wantFiles(t, dir, "a.json.corrupt")
	if err := errors.Join(Remove(path+".corrupt"), Remove(path)); err != nil {
		t.Error(err)
	}
	wantFiles(t, dir)
}

func TestIsTemp(t *testing.T) {
	for name, want := range map[string]bool{".a.json.123.tmp": true, ".actions.log.9.tmp": true, "a.json": false,
		"a.json.123.tmp": false, ".a.json.tmp": false, ".a.json.12x.tmp": false, ".notes.tmp": false, "a.json.corrupt": false} {
		if got := IsTemp(name); got != want {
			t.Errorf("IsTemp(%q) = %v", name, got)
		}
	}
}

func TestEnsureDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := errors.Join(EnsureDir(dir), EnsureDir(dir)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != FolderMode {
		t.Errorf("%v, %v", info, err)
	}
}

func TestStateDir(t *testing.T) {
	cases := []struct {
		name, goos, exe, want string
		env                   map[string]string
		folder                string // the one that exists
	}{
		{name: "setting", goos: "linux", env: map[string]string{"MCP_CU_SESSIONS_DIR": "/x/y", "HOME": "/h"}, want: "/x/y"},
		{name: "empty setting", goos: "linux", env: map[string]string{"MCP_CU_SESSIONS_DIR": " ", "HOME": "/h"},
			want: "/h/.local/state/mcp-computer-use/.sessions"},
		{name: "beside", goos: "linux", exe: "/opt/cu/mcp-computer-use", folder: "/opt/cu/.sessions",
			env: map[string]string{"HOME": "/h"}, want: "/opt/cu/.sessions"},
		{name: "nothing beside", goos: "linux", exe: "/opt/cu/mcp-computer-use", env: map[string]string{"HOME": "/h"},
			want: "/h/.local/state/mcp-computer-use/.sessions"},
		{name: "the setting wins", goos: "linux", exe: "/opt/cu/x", folder: "/opt/cu/.sessions",
			env: map[string]string{"MCP_CU_SESSIONS_DIR": "/s"}, want: "/s"},
		{name: "XDG", goos: "linux", env: map[string]string{"XDG_STATE_HOME": "/xdg", "HOME": "/h"},
			want: "/xdg/mcp-computer-use/.sessions"},
		{name: "relative XDG", goos: "linux", env: map[string]string{"XDG_STATE_HOME": "xdg", "HOME": "/h/"},
			want: "/h/.local/state/mcp-computer-use/.sessions"},
		{name: "macOS", goos: "darwin", env: map[string]string{"HOME": "/Users/a"},
			want: "/Users/a/Library/Application Support/mcp-computer-use/.sessions"},
		{name: "Windows", goos: "windows", env: map[string]string{"LOCALAPPDATA": `C:\Users\א\AppData\Local`},
			want: `C:\Users\א\AppData\Local\mcp-computer-use\.sessions`},
		{name: "Windows without LOCALAPPDATA", goos: "windows", env: map[string]string{"USERPROFILE": `C:\Users\a`},
			want: `C:\Users\a\AppData\Local\mcp-computer-use\.sessions`},
		{name: "Windows beside", goos: "windows", exe: `C:\Tools\mcp-computer-use.exe`, folder: `C:\Tools\.sessions`,
			env: map[string]string{"LOCALAPPDATA": `C:\L`}, want: `C:\Tools\.sessions`},
		{name: "the root as home", goos: "linux", env: map[string]string{"HOME": "/"},
			want: "/.local/state/mcp-computer-use/.sessions"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := StateDir(Surroundings{GOOS: c.goos, Exe: c.exe, Getenv: func(name string) string { return c.env[name] },
				IsDir: func(path string) bool { return path == c.folder }})
			if err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
	none := Surroundings{GOOS: "linux", Getenv: func(string) string { return "" }, IsDir: func(string) bool { return false }}
	if got, err := StateDir(none); !errors.Is(err, ErrNoPlace) {
		t.Errorf("%q, %v", got, err)
	}
}
