package ps1

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// scripts are all PowerShell scripts of the repository, by their path from its root.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != "..":
			return filepath.SkipDir
		case filepath.Ext(path) == ".ps1":
			data, err := os.ReadFile(path)
			found[filepath.ToSlash(path[3:])] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ps1/cu_capture.ps1", "scripts/cu-open.ps1"} {
		if found[name] == "" {
			t.Fatalf("%s is missing", name)
		}
	}
	return found
}

func TestScriptsAreASCII(t *testing.T) {
	for name, text := range scripts(t) {
		for _, problem := range notASCII(text) {
			t.Errorf("%s: %s", name, problem)
		}
	}
	if got := notASCII("a\n\u05d0\n"); len(got) != 1 || !strings.HasPrefix(got[0], "line 2") {
		t.Errorf("a Hebrew letter: %q", got)
	}
	if got := notASCII("\x00"); len(got) != 1 {
		t.Errorf("NUL: %q", got)
	}
}

// notASCII lists what Windows PowerShell would read in the code page of the computer.
func notASCII(text string) (problems []string) {
	for i, line := range strings.Split(text, "\n") {
		for _, b := range []byte(strings.TrimSuffix(line, "\r")) {
			if b >= 0x7f || b < ' ' && b != '\t' {
				problems = append(problems, fmt.Sprintf("line %d holds the byte %#x", i+1, b))
				break
			}
		}
	}
	return problems
}

// rule forbids what an older language does not know, with what it must and must not catch beside it.
type rule struct {
	pattern     string
	catch, pass []string
}

// powershell51 is what came after Windows PowerShell 5.1.
func powershell51() []rule {
	return []rule{
		{`\?\?`, []string{`$a = $b ?? 1`, `$a ??= 1`}, []string{`$a = 1`}},
		{`\$\{?\w+\}?\?[.\[]`, []string{`${a}?.Length`, `${a}?[0]`}, []string{`$a.Length`}},
		{`&&`, []string{`a && b`}, []string{`& $exe`}},
		{`\|\|`, []string{`a || b`}, []string{`a | b`}},
		{`\s\?\s[^{]`, []string{`$a = $b ? 1 : 2`}, []string{`$b | ? { $_ }`}},
		{`(?i)-(AsHashtable|AsByteStream|Parallel|LeafBase|NoEnumerate|SkipCertificateCheck)\b`, []string{`ConvertFrom-Json -AsHashtable`, `% -Parallel { }`}, []string{`Get-Content -Raw`}},
		{`(?i)\b(Join-String|Test-Json|Get-Error|Remove-Alias|Get-Uptime)\b`, []string{`$a | Join-String`}, []string{`Join-Path a b`}},
		{`(?i)\$Is(Windows|Linux|MacOS|CoreCLR)\b`, []string{`if ($IsWindows) { }`}, []string{`$isWindow`}},
		{`(?i)utf8(No)?BOM`, []string{`-Encoding utf8NoBOM`}, []string{`-Encoding utf8`}},
		{`(?i)^\s*clean\s*\{`, []string{`clean { }`}, []string{`$clean = { }`}},
		{"`u\\{", []string{"\"`u{5d0}\""}, []string{"\"`n\""}},
		{`(?i)\bwindowstyle\b|\bencodedcommand\b|invoke-expression|\biex\b`, []string{`-WindowStyle Hidden`, `iex $x`}, []string{`$index`}},
	}
}

// csharp5 is what came after C# 5. The compiler finds more of it; this also works without one.
func csharp5() []rule {
	return []rule{
		{`(^|[^"\w])\$@?"`, []string{`x = $"a{b}";`}, []string{`x = "$";`, `x = "a";`}},
		{`\?\.[A-Za-z_]`, []string{`a?.B()`}, []string{`a ? .5 : 1`, `a.B()`}},
		{`\?\[`, []string{`a?[0]`}, []string{`a[0]`}},
		{`\bnameof\(`, []string{`nameof(a)`}, []string{`NameOf(a)`}},
		{`=>`, []string{`int A() => 1;`, `int B => 1;`}, []string{`a >= b`}},
		{`\bout\s+var\b`, []string{`F(out var a)`}, []string{`F(out a)`}},
		{`\bis\s+(not\s|null\b|\w+\s+\w+\))`, []string{`if (a is B b)`, `a is null`}, []string{`if (a is B)`}},
		{`\bwhen\s*\(`, []string{`catch (E e) when (x)`}, []string{`catch (E e)`}},
		{`\busing\s+static\b`, []string{`using static System.Math;`}, []string{`using System;`}},
		{`\}\s*=\s*[^=]`, []string{`int A { get; } = 1;`}, []string{`int A { get; set; }`, `} == a`}},
		{`[0-9]_[0-9]`, []string{`1_000`}, []string{`a1_b`, `1000`}},
		{`\?\?=`, []string{`a ??= b`}, []string{`a ?? b`}},
		{`\?\?\s*throw\b`, []string{`a ?? throw new E()`}, []string{`throw new E();`}},
		{`\bdefault\s*[;,)]`, []string{`return default;`}, []string{`default(int)`}},
	}
}

// lint returns the lines that a rule forbids. Lines that are comments don't count.
func lint(text string, comment string, rules []rule) (problems []string) {
	for _, r := range rules {
		pattern := regexp.MustCompile(r.pattern)
		for i, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), comment) && pattern.MatchString(line) {
				problems = append(problems, fmt.Sprintf("line %d: %s matches %s", i+1, strings.TrimSpace(line), r.pattern))
			}
		}
	}
	return problems
}

// parts separates the C# in a script's here-string from the PowerShell around it. Lines keep their
// numbers.
func parts(script string) (powershell, csharp string) {
	var shell, code []string
	inside := false
	for _, line := range strings.Split(strings.ReplaceAll(script, "\r\n", "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "'@"):
			inside = false
		case inside:
			shell, code = append(shell, ""), append(code, line)
			continue
		case strings.HasSuffix(line, "@'"):
			inside = true
		}
		shell, code = append(shell, line), append(code, "")
	}
	return strings.Join(shell, "\n"), strings.Join(code, "\n")
}

func TestScriptsUseOldSyntax(t *testing.T) {
	for name, text := range scripts(t) {
		shell, code := parts(text)
		for _, problem := range append(lint(shell, "#", powershell51()), lint(code, "//", csharp5())...) {
			t.Errorf("%s: %s", name, problem)
		}
		if strings.Contains(text, "Add-Type -TypeDefinition") != (strings.TrimSpace(code) != "") {
			t.Errorf("%s: its C# was not found", name)
		}
	}
}

func TestLintCatches(t *testing.T) {
	for _, r := range append(powershell51(), csharp5()...) {
		for _, line := range r.catch {
			if len(lint(line, "#", []rule{r})) == 0 {
				t.Errorf("%s does not catch %s", r.pattern, line)
			}
		}
		for _, line := range r.pass {
			if got := lint(line, "#", []rule{r}); len(got) != 0 {
				t.Errorf("%s catches %s", r.pattern, line)
			}
		}
		if len(r.catch) == 0 || len(r.pass) == 0 {
			t.Errorf("%s has no examples", r.pattern)
		}
	}
}

// The script reads the names that the Go side writes.
func TestScriptAgreesWithGo(t *testing.T) {
	text := Capture()
	for _, word := range []string{CaptureMark, CaptureRequestEnv, "$request.pid", "$request.title", "$request.out", "$request.max_width", "$request.quality",
		`\"ok\":true`, `\"ok\":false`, `\"hwnd\":`, `\"pid\":`, `\"title\":`, `\"rect\":`, `\"origin\":`, `\"source\":`, `\"size\":`, `\"scale\":[`,
		`\"dpi\":`, `\"flags\":`, `\"maybe_blank\":`, `\"warnings\":`, `\"code\":`, `\"detail\":`, `\"candidates\":`} {
		if !strings.Contains(text, word) {
			t.Errorf("the script does not know %s", word)
		}
	}
	for _, code := range []string{CodeLanguage, CodeSession, CodeGone, CodeAmbiguous, CodeMinimized, CodeCloaked, CodeEmpty, CodeLarge,
		CodeProtected, CodeBlank, CodeFailed, CodeScript, WarnLocked, WarnHung, WarnElevated} {
		if !strings.Contains(text, `"`+code+`"`) && !strings.Contains(text, `'`+code+`'`) {
			t.Errorf("the script never says %s", code)
		}
	}
}

// What would touch a window, read the screen, or let cmd.exe see a text is in neither script.
func TestScriptsKeepTheirHandsOff(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)\b(SetForegroundWindow|ShowWindow(Async)?|SetWindowPos|MoveWindow|BringWindowToTop|SetFocus|SetActiveWindow|` +
		`CloseWindow|DestroyWindow|SendMessage\w*|PostMessage\w*|BitBlt|StretchBlt|CopyFromScreen|SwitchToThisWindow|cmd(\.exe)? /c|Stop-Process|OutputAssembly)\b`)
	for name, text := range scripts(t) {
		if found := forbidden.FindString(text); found != "" && name != "internal/autostart/wmi.ps1" {
			t.Errorf("%s: %s", name, found)
		}
	}
	if !forbidden.MatchString("Native.SetForegroundWindow(w)") || forbidden.MatchString("GetForegroundWindow()") {
		t.Error("the check itself is wrong")
	}
}

// tool returns the path of a program of mono, or skips; where MCP_CU_CI is 1 a missing one is a failure.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("MCP_CU_CI") == "1" {
			t.Fatalf("%s is not installed: %v", name, err)
		}
		t.Skipf("%s is not installed", name)
	}
	return path
}

// compile compiles C# 5 and returns the file. Warnings count: Add-Type takes them for errors.
func compile(t *testing.T, kind string, sources ...string) string {
	t.Helper()
	mcs, dir := tool(t, "mcs"), t.TempDir()
	out := filepath.Join(dir, "out.dll")
	args := []string{"-langversion:5", "-warn:4", "-warnaserror", "-target:" + kind, "-r:System.Drawing", "-out:" + out}
	for i, text := range sources {
		file := filepath.Join(dir, fmt.Sprintf("source%d.cs", i))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if said, err := exec.CommandContext(t.Context(), mcs, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, said)
	}
	return out
}

func TestCSharpCompiles(t *testing.T) {
	for name, text := range scripts(t) {
		if _, code := parts(text); strings.TrimSpace(code) != "" {
			t.Run(name, func(t *testing.T) { compile(t, "library", code) })
		}
	}
}

// TestCSharpDecides runs what the scripts decide without Windows. Each driver prints the decisions that
// are not as they should be, and how many it looked at.
func TestCSharpDecides(t *testing.T) {
	all := scripts(t)
	for script, driver := range map[string]string{"ps1/cu_capture.ps1": "capture.cs", "scripts/cu-open.ps1": "open.cs"} {
		t.Run(driver, func(t *testing.T) {
			mono := tool(t, "mono")
			text, err := os.ReadFile(filepath.Join("testdata", driver))
			if err != nil {
				t.Fatal(err)
			}
			_, code := parts(all[script])
			program := compile(t, "exe", code, string(text))
			said, err := exec.CommandContext(t.Context(), mono, program).CombinedOutput()
			if err != nil || !bytes.HasSuffix(bytes.TrimSpace(said), []byte(" decisions are right")) {
				t.Errorf("%v:\n%s", err, said)
			}
		})
	}
}
