package agentcu

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-computer-use/internal/proc"
)

// tree is a file system for the resolver: name to content. A content that begins with "-> " is a link,
// one that begins with "!" a file that may not be executed. Windows names ignore case.
type tree struct {
	goos  string
	names map[string]string
}

func (t *tree) get(name string) (string, bool) {
	for known, content := range t.names {
		if known == name || t.goos == "windows" && strings.EqualFold(known, name) {
			if target, link := strings.CutPrefix(content, "-> "); link {
				return t.get(target)
			}
			return content, true
		}
	}
	return "", false
}

type fileInfo struct {
	name string
	mode fs.FileMode
}

func (f fileInfo) Name() string       { return f.name }
func (f fileInfo) Size() int64        { return 1 }
func (f fileInfo) Mode() fs.FileMode  { return f.mode }
func (f fileInfo) ModTime() time.Time { return time.Time{} }
func (f fileInfo) IsDir() bool        { return f.mode.IsDir() }
func (f fileInfo) Sys() any           { return nil }

func (t *tree) Stat(name string) (fs.FileInfo, error) {
	content, ok := t.get(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	mode := fs.FileMode(0o755)
	if strings.HasPrefix(content, "!") {
		mode = 0o644
	}
	if content == "DIR" {
		mode |= fs.ModeDir
	}
	return fileInfo{name, mode}, nil
}

func (t *tree) ReadHead(name string, n int) ([]byte, error) {
	content, ok := t.get(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	content = strings.TrimPrefix(content, "!")
	return []byte(content[:min(n, len(content))]), nil
}

func (t *tree) EvalSymlinks(name string) (string, error) {
	if target, link := strings.CutPrefix(t.names[name], "-> "); link {
		return t.EvalSymlinks(target)
	}
	if _, ok := t.get(name); !ok {
		return "", fs.ErrNotExist
	}
	return name, nil
}

func resolverFor(goos, arch, path string, names map[string]string) resolver {
	t := &tree{goos: goos, names: names}
	return resolver{
		Finder: proc.Finder{GOOS: goos, Env: []string{"PATH=" + path}, Stat: t.Stat}, arch: arch, files: t,
	}
}

func launcher(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "launchers", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	pe      = "MZ\x90\x00"
	elf     = "\x7fELF\x02"
	macho   = "\xcf\xfa\xed\xfe\x07"
	js      = "#!/usr/bin/env node\n"
	npmDir  = `C:\Users\נועה O'B\AppData\Roaming\npm`
	winTail = `\node_modules\agent-cu\bin\agent-computer-use-windows-x64.exe`
	jsTail  = `\node_modules\agent-cu\bin\agent-cu.js`
)

// checkResolve compares a resolved program; an empty want means NotInstalled.
func checkResolve(t *testing.T, r resolver, command, want string, args ...string) {
	t.Helper()
	got, err := r.resolve(command)
	if got.Path != want || strings.Join(got.Args, "|") != strings.Join(args, "|") {
		t.Errorf("%q: got %+v, %v, want %q", command, got, err, want)
	}
	if want == "" {
		var failed *Error
		if !errors.As(err, &failed) || failed.Kind != NotInstalled || !strings.Contains(failed.Message, "MCP_CU_AGENT_CU_CMD") {
			t.Errorf("%q: error %v", command, err)
		}
	}
}

func TestResolveOnWindows(t *testing.T) {
	global := `C:\Users\נועה O'B\AppData\Local\pnpm`
	pnpmJS := global + `\global\5\node_modules\agent-cu\bin\agent-cu.js`
	pnpmExe := global + `\global\5\node_modules\agent-cu\bin\agent-computer-use-windows-x64.exe`
	absolute := strings.ReplaceAll(launcher(t, "pnpm.cmd"), `%~dp0\global\5`, `D:\store`)
	extra := launcher(t, "pnpm.cmd") + "del important\r\n"
	for name, test := range map[string]struct {
		path  string
		names map[string]string
		want  string
		args  []string
	}{
		"an exe on PATH": {`C:\npm;C:\bin`, map[string]string{
			`C:\npm\agent-cu`: js, `C:\npm\agent-cu.cmd`: launcher(t, "npm.cmd"), `C:\npm` + winTail: pe,
			`C:\bin\agent-cu.exe`: pe}, `C:\bin\agent-cu.exe`, nil},
		"npm": {npmDir, map[string]string{npmDir + `\agent-cu`: launcher(t, "npm.sh"),
			npmDir + `\agent-cu.cmd`: launcher(t, "npm.cmd"), npmDir + `\agent-cu.ps1`: "x",
			npmDir + jsTail: js, npmDir + winTail: pe}, npmDir + winTail, nil},
		"npm on a share": {`\\server\tools`, map[string]string{`\\server\tools\agent-cu.cmd`: launcher(t, "npm.cmd"),
			`\\server\tools` + winTail: pe}, `\\server\tools` + winTail, nil},
		"scoped historical name": {npmDir, map[string]string{npmDir + `\agent-cu.cmd`: "anything",
			npmDir + `\node_modules\@kortix-ai\agent-computer-use\bin\agent-computer-use-windows-x64.exe`: pe},
			npmDir + `\node_modules\@kortix-ai\agent-computer-use\bin\agent-computer-use-windows-x64.exe`, nil},
		"pnpm": {global, map[string]string{global + `\agent-cu.cmd`: launcher(t, "pnpm.cmd"), pnpmJS: js, pnpmExe: pe},
			pnpmExe, nil},
		"pnpm with NODE_PATH": {global, map[string]string{
			global + `\agent-cu.cmd`: launcher(t, "pnpm-node-path.cmd"), pnpmJS: js, pnpmExe: pe}, pnpmExe, nil},
		"pnpm with a baked Node": {global, map[string]string{
			global + `\agent-cu.cmd`: launcher(t, "pnpm-baked-node.cmd"), pnpmJS: js, pnpmExe: pe}, pnpmExe, nil},
		"pnpm on another drive": {global, map[string]string{global + `\agent-cu.cmd`: absolute,
			`D:\store\node_modules\agent-cu\bin\agent-cu.js`:                        js,
			`D:\store\node_modules\agent-cu\bin\agent-computer-use-windows-x64.exe`: pe},
			`D:\store\node_modules\agent-cu\bin\agent-computer-use-windows-x64.exe`, nil},
		"a line that no generator writes": {global, map[string]string{global + `\agent-cu.cmd`: extra, pnpmJS: js,
			pnpmExe: pe, global + `\node.exe`: pe}, "", nil},
		"scoop": {`C:\scoop\shims`, map[string]string{`C:\scoop\shims\agent-cu.exe`: pe,
			`C:\scoop\shims\agent-cu.shim`:                "path = \"C:\\scoop\\apps\\agent-cu\\current\\agent-cu.exe\"\r\n",
			`C:\scoop\apps\agent-cu\current\agent-cu.exe`: pe}, `C:\scoop\apps\agent-cu\current\agent-cu.exe`, nil},
		"scoop shim to a script": {`C:\scoop\shims`, map[string]string{`C:\scoop\shims\agent-cu.exe`: pe,
			`C:\scoop\shims\agent-cu.shim`: "path = C:\\x\\agent-cu.cmd", `C:\x\agent-cu.cmd`: pe},
			`C:\scoop\shims\agent-cu.exe`, nil},
		"the exe is missing, Node is there": {npmDir + `;C:\node`, map[string]string{
			npmDir + `\agent-cu.cmd`: launcher(t, "npm.cmd"), npmDir + jsTail: js, `C:\node\node.exe`: pe},
			`C:\node\node.exe`, []string{npmDir + jsTail}},
		"the exe and Node are missing": {npmDir, map[string]string{npmDir + `\agent-cu.cmd`: launcher(t, "npm.cmd"),
			npmDir + jsTail: js}, "", nil},
		"only the sh script":     {npmDir, map[string]string{npmDir + `\agent-cu`: launcher(t, "npm.sh")}, "", nil},
		"relative PATH entries":  {`.;bin;\bin`, map[string]string{`.\agent-cu.exe`: pe, `bin\agent-cu.exe`: pe, `\bin\agent-cu.exe`: pe}, "", nil},
		"a folder named so":      {`C:\bin`, map[string]string{`C:\bin\agent-cu.exe`: "DIR"}, "", nil},
		"nothing":                {`C:\bin`, nil, "", nil},
		"an exe that is no real": {npmDir, map[string]string{npmDir + `\agent-cu.cmd`: launcher(t, "npm.cmd"), npmDir + winTail: "#!/bin/sh"}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, arch := range []string{"amd64", "arm64"} {
				checkResolve(t, resolverFor("windows", arch, test.path, test.names), "agent-cu", test.want, test.args...)
			}
		})
	}
}

func TestResolveNameWithExtension(t *testing.T) {
	r := resolverFor("windows", "amd64", `C:\bin`, map[string]string{`C:\bin\agent-cu.exe`: pe})
	checkResolve(t, r, "agent-cu.EXE", `C:\bin\agent-cu.exe`)
	checkResolve(t, r, "agent-cu.exe.cmd", "")
	checkResolve(t, r, "\u023a", "") // longer in lower case
}

func TestResolveConfiguredOnWindows(t *testing.T) {
	names := map[string]string{
		`C:\t ools\agent.exe`: pe, `C:\x\tool.com`: pe, `C:\x\evil.cmd`: pe, `C:\x\evil.cmd. `: pe, `C:\x\EVIL.BAT..`: pe,
		`C:\x\run.ps1`: pe, npmDir + `\agent-cu`: launcher(t, "npm.sh"), npmDir + jsTail: js, npmDir + winTail: pe,
		`C:\x\script`: "#!/bin/sh\n", `C:\x\bare`: pe, `C:\x\bare.cmd`: "evil", `C:\x\a.b`: pe, `\\server\share\a.exe`: pe,
	}
	r := resolverFor("windows", "amd64", `C:\x`, names)
	for command, want := range map[string]string{
		`C:\t ools\agent.exe`:  `C:\t ools\agent.exe`,
		`C:\t ools\agent`:      `C:\t ools\agent.exe`,
		`\\server\share\a.exe`: `\\server\share\a.exe`,
		npmDir + `\agent-cu`:   npmDir + winTail,
		npmDir + jsTail:        npmDir + winTail,
		`C:\x\tool.com`:        `C:\x\tool.com`,
		`C:\x\evil.cmd`:        "", `C:\x\evil.cmd. `: "", `C:\x\EVIL.BAT..`: "", `C:/x/run.PS1`: "", `evil.cmd`: "",
		`C:\x\bare`: "", `C:\x\a.b`: "", `C:\x\script`: "", `C:\x\missing.exe`: "", `x\tool.com`: "", `.\tool.com`: "", "C:\\x\\tool.com\x00": "",
		`C:\t ools\agent.exe --flag`: "",
	} {
		checkResolve(t, r, command, want)
	}
}

func TestResolveOnUnix(t *testing.T) {
	const lib = "/usr/lib/node_modules/agent-cu/bin/"
	pnpm := map[string]string{
		"/home/noa/pnpm/agent-cu": launcher(t, "pnpm.sh"),
		"/home/noa/pnpm/global/5/node_modules/agent-cu/bin/agent-cu.js":                  js,
		"/home/noa/pnpm/global/5/node_modules/agent-cu/bin/agent-computer-use-linux-x64": elf,
	}
	with := func(base map[string]string, name, content string) map[string]string {
		changed := map[string]string{name: content}
		for k, v := range base {
			if k != name {
				changed[k] = v
			}
		}
		return changed
	}
	npm := map[string]string{
		"/usr/bin/agent-cu": "-> " + lib + "agent-cu.js", lib + "agent-cu.js": js,
		lib + "agent-computer-use-linux-x64": elf, lib + "agent-computer-use-macos-arm64": macho,
	}
	for name, test := range map[string]struct {
		goos, arch, path string
		names            map[string]string
		want             string
		args             []string
	}{
		"native":        {"linux", "amd64", "bin:/opt", map[string]string{"bin/agent-cu": elf, "/opt/agent-cu": elf}, "/opt/agent-cu", nil},
		"npm link":      {"linux", "amd64", "/usr/bin", npm, lib + "agent-computer-use-linux-x64", nil},
		"npm on a Mac":  {"darwin", "arm64", "/usr/bin", npm, lib + "agent-computer-use-macos-arm64", nil},
		"other machine": {"linux", "arm64", "/usr/bin", npm, "", nil},
		"Node in need": {"linux", "arm64", "/usr/bin", with(npm, "/usr/bin/node", elf), "/usr/bin/node",
			[]string{lib + "agent-cu.js"}},
		"a binary further on PATH": {"linux", "arm64", "/usr/bin:/opt", with(with(npm, "/usr/bin/node", elf), "/opt/agent-cu", elf),
			"/opt/agent-cu", nil},
		"not executable": {"linux", "amd64", "/usr/bin", with(npm, lib+"agent-computer-use-linux-x64", "!"+elf), "", nil},
		"pnpm": {"linux", "amd64", "/home/noa/pnpm", pnpm,
			"/home/noa/pnpm/global/5/node_modules/agent-cu/bin/agent-computer-use-linux-x64", nil},
		"pnpm with NODE_PATH": {"linux", "amd64", "/home/noa/pnpm", with(pnpm, "/home/noa/pnpm/agent-cu", launcher(t, "pnpm-node-path.sh")),
			"/home/noa/pnpm/global/5/node_modules/agent-cu/bin/agent-computer-use-linux-x64", nil},
		"pnpm with a baked Node": {"linux", "amd64", "/home/noa/pnpm", with(pnpm, "/home/noa/pnpm/agent-cu", launcher(t, "pnpm-baked-node.sh")),
			"/home/noa/pnpm/global/5/node_modules/agent-cu/bin/agent-computer-use-linux-x64", nil},
		"an unknown script":    {"linux", "amd64", "/usr/bin", map[string]string{"/usr/bin/agent-cu": "#!/bin/sh\nexec rm\n"}, "", nil},
		"a script with a line": {"linux", "amd64", "/home/noa/pnpm", with(pnpm, "/home/noa/pnpm/agent-cu", launcher(t, "pnpm.sh")+"rm x\n"), "", nil},
		"no execute bit":       {"linux", "amd64", "/usr/bin", map[string]string{"/usr/bin/agent-cu": "!" + elf}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			checkResolve(t, resolverFor(test.goos, test.arch, test.path, test.names), "agent-cu", test.want, test.args...)
		})
	}
}

func TestResolveConfiguredOnUnix(t *testing.T) {
	const lib = "/usr/lib/node_modules/agent-cu/bin/"
	names := map[string]string{
		"/opt/my tool": elf, "/opt/wrap.sh": "#!/bin/sh\nexec /opt/x \"$@\"\n", "/opt/data": "!x", "/opt/folder": "DIR",
		"/opt/a.cmd": elf, "/opt/b.ps1 .": elf, "/usr/bin/agent-cu": "-> " + lib + "agent-cu.js", lib + "agent-cu.js": js,
		lib + "agent-computer-use-linux-x64": elf, "/opt/wrapper": "#!/bin/sh\n", "opt/x": elf,
	}
	r := resolverFor("linux", "amd64", "/opt", names)
	for command, want := range map[string]string{
		"/opt/my tool": "/opt/my tool", "/opt/wrap.sh": "/opt/wrap.sh", "wrapper": "/opt/wrapper", "my tool": "/opt/my tool",
		"/usr/bin/agent-cu": lib + "agent-computer-use-linux-x64",
		"/opt/data":         "", "/opt/folder": "", "/opt/a.cmd": "", "/opt/b.ps1 .": "", "/no/such/agent-cu": "", "no-such": "",
		"opt/x": "", "./opt/x": "", "/opt/my tool --flag": "",
	} {
		checkResolve(t, r, command, want)
	}
}

// FuzzLaunchers: a script that is accepted names agent-cu.js and has no line that was not understood.
func FuzzLaunchers(f *testing.F) {
	folder, err := os.ReadDir(filepath.Join("testdata", "launchers"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range folder {
		f.Add(launcher(f, file.Name()))
	}
	f.Add("path = C:\\x.exe\nargs = -x")
	f.Fuzz(func(t *testing.T, text string) {
		for name, parse := range map[string]func(string) (string, bool){"batch": parseBatchLauncher, "shell": parseShellLauncher} {
			target, relative := parse(text)
			if target == "" && relative {
				t.Errorf("%s: relative without a target", name)
			}
			if target != "" && !strings.Contains(text, target) {
				t.Errorf("%s: %q does not stand in the script", name, target)
			}
			if strings.ContainsAny(target, "\"\n") {
				t.Errorf("%s: target %q", name, target)
			}
			if target != "" {
				if again, _ := parse(text + "\nstart evil"); again != "" {
					t.Errorf("%s: a line more is accepted", name)
				}
			}
		}
		if target := parseScoopShim(text); strings.Contains(target, "\n") {
			t.Errorf("scoop: %q", target)
		}
	})
}
