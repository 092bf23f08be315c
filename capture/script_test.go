package capture

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-computer-use/internal/imaging"
	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/ps1"
)

var awkward = "a \"b\" 'c' $(d) `e` %F% & | < > ^ \u05e7\u05dc\u05d5\u05d3 \U0001f600 \\ -File"

// wantClean fails when anything but the script is left in the private folder.
func wantClean(t *testing.T, c *Camera) {
	t.Helper()
	_ = filepath.WalkDir(c.opts.PrivateDir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path != c.opts.PrivateDir && !strings.HasSuffix(path, ".ps1") {
			t.Errorf("left behind: %s", path)
		}
		return nil
	})
}

func TestOutcomesOfTheScript(t *testing.T) {
	const ok = Kind("")
	for name, test := range map[string]struct {
		mode, seven string
		kind        Kind
		text        string // of the message, or of the hint
		runs        int
	}{
		"good":                        {"good", "", ok, "", 1},
		"other code pages and noise":  {"noise", "", ok, "", 1},
		"BOM":                         {"bom", "", ok, "", 1},
		"UTF-16":                      {"utf16", "", ok, "", 1},
		"UTF-16 without a mark":       {"utf16 without a mark", "", ok, "", 1},
		"two answers":                 {"two answers", "good", Failed, "2 answers", 1},
		"rubbish after the JSON":      {"rubbish after the JSON", "good", Failed, "no JSON", 1},
		"cut JSON":                    {"cut", "good", Failed, "no JSON", 1},
		"no reason":                   {"no reason", "good", Failed, "neither success nor a reason", 1},
		"null":                        {"null", "good", Failed, "neither success nor a reason", 1},
		"exit code after the answer":  {"exit code", "good", Failed, "exit code 3", 1},
		"no file":                     {"no file", "good", Failed, "there is none", 1},
		"rubbish file":                {"rubbish file", "good", Failed, "no whole JPEG", 1},
		"cut file":                    {"cut file", "good", Failed, "no whole JPEG", 1},
		"PNG file":                    {"PNG file", "good", Failed, "no whole JPEG", 1},
		"another size than said":      {"other size", "good", Failed, "64 x 48 pixels", 1},
		"wider than asked for":        {"too wide", "good", Failed, "1100 x 48", 1},
		"remarks":                     {"remarks", "", ok, "nearly all of one colour", 1},
		"nothing at all":              {"nothing", "", Failed, "without an answer", 2},
		"nothing, then PowerShell 7":  {"nothing", "good", ok, "", 2},
		"missing":                     {"", "", Failed, "could not be started", 2},
		"missing, then PowerShell 7":  {"", "good", ok, "", 2},
		"policy":                      {"policy", "", Failed, "policy", 2},
		"policy of both":              {"policy", "policy", Failed, "policy", 2},
		"policy in CLIXML":            {"policy in CLIXML", "", Failed, "policy", 2},
		"policy, then PowerShell 7":   {"policy", "good", ok, "", 2},
		"restricted without answer":   {"restricted", "", Failed, "language mode", 2},
		"virus scanner":               {"scanner", "", Failed, "virus scanner", 2},
		"exit code without an answer": {"exit 5", "", Failed, "exit code 5", 2},
		"restricted":                  {`{"ok":false,"code":"language","detail":"ConstrainedLanguage"}`, "", Failed, "ConstrainedLanguage", 2},
		"no compiler":                 {`{"ok":false,"code":"script","detail":"compile System.X"}`, "good", ok, "", 2},
		"script error":                {`{"ok":false,"code":"script","detail":"save System.X"}`, "good", Failed, "save System.X", 1},
		"service":                     {`{"ok":false,"code":"session"}`, "good", Failed, "no desktop", 1},
		"gone":                        {`{"ok":false,"code":"gone","candidates":["Calc\u05d0 (process 4)"]}`, "good", Failed, "\"Calc\u05d0 (process 4)\"", 1},
		"ambiguous":                   {`{"ok":false,"code":"ambiguous","candidates":["A","B"]}`, "good", Failed, `"A", "B"`, 1},
		"minimised":                   {`{"ok":false,"code":"minimized"}`, "good", Minimized, "", 1},
		"hidden by the application":   {`{"ok":false,"code":"cloaked","detail":"1"}`, "good", Failed, "out of sight", 1},
		"another desktop":             {`{"ok":false,"code":"cloaked","detail":"2"}`, "good", Failed, "another desktop", 1},
		"hidden with its owner":       {`{"ok":false,"code":"cloaked","detail":"4"}`, "good", Failed, "owns it", 1},
		"hidden somehow":              {`{"ok":false,"code":"cloaked","detail":"7"}`, "good", Failed, "reason 7", 1},
		"no size":                     {`{"ok":false,"code":"empty"}`, "good", Failed, "no size", 1},
		"too large":                   {`{"ok":false,"code":"large","detail":"40000x9"}`, "good", Failed, "40000x9", 1},
		"protected":                   {`{"ok":false,"code":"protected","detail":"17"}`, "good", Failed, "protects", 1},
		"blank":                       {`{"ok":false,"code":"blank"}`, "good", Blank, "", 1},
		"PrintWindow":                 {`{"ok":false,"code":"failed","detail":"PrintWindow"}`, "good", Failed, "PrintWindow", 1},
		"an unknown code":             {`{"ok":false,"code":"new"}`, "good", Failed, "new", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			camera, ran := newShell(t, test.mode, test.seven)
			picture, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: awkward, PID: 5}})
			wantClean(t, camera)
			if n := len(ran.commands()); n != test.runs {
				t.Errorf("%d runs, want %d", n, test.runs)
			}
			if test.kind == ok {
				if err != nil || picture.Width != 64 || picture.Height != 48 || !strings.Contains(picture.Hint, test.text) {
					t.Errorf("%d x %d, hint %q, %v", picture.Width, picture.Height, picture.Hint, err)
				}
				return
			}
			var failed *Error
			if !errors.As(err, &failed) || failed.Kind != test.kind || !strings.Contains(failed.Message, test.text) || picture.JPEG != nil {
				t.Errorf("%v, want %s with %q", err, test.kind, test.text)
			}
		})
	}
}

func TestSuggestions(t *testing.T) {
	for mode, want := range map[string]string{
		"policy":     "Get-ExecutionPolicy",
		"restricted": "AppLocker",
		`{"ok":false,"code":"language","detail":"NoLanguage"}`: "AppLocker",
		"nothing": "installed and not blocked",
	} {
		camera, _ := newShell(t, mode, "")
		_, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: "x"}})
		var failed *Error
		if !errors.As(err, &failed) || !strings.Contains(failed.Suggestion, want) {
			t.Errorf("%s: %+v", mode, failed)
		}
	}
}

func TestRemarks(t *testing.T) {
	camera, _ := newShell(t, "remarks", "")
	picture, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: "x"}})
	for _, want := range []string{"one colour", "locked", "does not seem to answer", "more rights"} {
		if err != nil || !strings.Contains(picture.Hint, want) {
			t.Errorf("no %q in %q, %v", want, picture.Hint, err)
		}
	}
	if x, y, ok := picture.Geometry.ToScreen(32, 24); !ok || x != 65 || y != 49 {
		t.Errorf("the middle is at %g, %g, %t", x, y, ok)
	}
}

func TestTimeout(t *testing.T) {
	for _, mode := range []string{"hang", "half and hang"} {
		camera, ran := newShell(t, mode, "good")
		camera.opts.Timeout = 300 * time.Millisecond
		_, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: "x"}})
		var failed *Error
		if !errors.As(err, &failed) || failed.Kind != Timeout {
			t.Errorf("%s: %v", mode, err)
		}
		if n := len(ran.commands()); n != 1 {
			t.Errorf("%s: %d runs", mode, n)
		}
		wantClean(t, camera)
	}
}

func TestCancelled(t *testing.T) {
	camera, _ := newShell(t, "hang", "")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err := camera.Take(ctx, Request{Window: ui.Window{Title: "x"}})
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != Failed || !strings.Contains(failed.Message, "cancelled") {
		t.Errorf("%v", err)
	}
	wantClean(t, camera)
}

func TestMinimisedRunsNothing(t *testing.T) {
	camera, ran := newShell(t, "good", "good")
	_, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: "x", Minimized: true}})
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != Minimized || len(ran.commands()) != 0 {
		t.Errorf("%v", err)
	}
}

// A Windows engine on another system is a replay or a test: nothing can take the picture there.
func TestWindowsEngineElsewhere(t *testing.T) {
	camera, ran := newShell(t, "good", "good")
	camera.opts.GOOS = "linux"
	_, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: "x"}})
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != Failed || !strings.Contains(failed.Message, "whole screen") || len(ran.commands()) != 0 {
		t.Errorf("%v", err)
	}
}

func TestCommandLine(t *testing.T) {
	env := []string{"PATH=/p", "PSModulePath=C:\\7\\Modules", "psmodulepath=x", "Temp=/t", "TMP=/t", "MCP_CU_HTTP_TOKEN=secret", "USERNAME=u"}
	dir := tempDir(t)
	title := "2026-11-30T10:00:00 " + awkward + strings.Repeat("x", 500)
	cmd, err := scriptCommand("/p/powershell.exe", "/s/cu_capture.ps1", dir, env, ui.Window{Title: title, PID: 42})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", "/s/cu_capture.ps1"}
	if !slices.Equal(cmd.Args, want) {
		t.Errorf("arguments %q", cmd.Args)
	}
	if cmd.Path != "/p/powershell.exe" || cmd.Dir != dir || len(cmd.Outputs) != 1 || filepath.Dir(cmd.Outputs[0]) != dir {
		t.Errorf("%+v", cmd)
	}
	if got := cmd.Env[:2]; !slices.Equal(got, []string{"PATH=/p", "USERNAME=u"}) || !slices.Contains(cmd.Env, "TEMP="+dir) || len(cmd.Env) != 5 {
		t.Errorf("environment %q", cmd.Env)
	}
	text, ours := strings.CutPrefix(cmd.Env[4], ps1.CaptureRequestEnv+"=")
	var request ps1.CaptureRequest
	if err := json.Unmarshal([]byte(text), &request); !ours || err != nil {
		t.Fatalf("request %q: %v", text, err)
	}
	if request != (ps1.CaptureRequest{PID: 42, Title: "=" + title, Out: cmd.Outputs[0], MaxWidth: imaging.MaxWidth, Quality: 70}) {
		t.Errorf("request %+v", request)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("not ASCII: %q", text)
	}
	if _, err := scriptCommand("p", "s", dir, nil, ui.Window{Title: strings.Repeat("\u05d0", 6000)}); err == nil {
		t.Error("a request that no environment holds was built")
	}
}

func TestPrograms(t *testing.T) {
	camera := New(Options{Env: []string{`SystemRoot=D:\Win`, `PATH=relative;.`}}, nil, nil)
	if got := camera.programs(); !slices.Equal(got, []string{`D:\Win\System32\WindowsPowerShell\v1.0\powershell.exe`}) {
		t.Errorf("%q", got)
	}
	camera.opts.Env = []string{`SystemRoot=nowhere`}
	if got := camera.programs(); got[0] != `C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe` {
		t.Errorf("%q", got)
	}
	camera.opts.Programs = []string{}
	if _, err := camera.byScript(t.Context(), Request{}); err == nil {
		t.Error("no folder and no program, but no error")
	}
}

func TestMaterialise(t *testing.T) {
	camera, _ := newShell(t, "good", "")
	path, err := camera.materialise()
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if read() != ps1.Capture() {
		t.Error("another content than the embedded one")
	}
	before, _ := os.Stat(path)
	if again, err := camera.materialise(); err != nil || again != path {
		t.Errorf("%s, %v", again, err)
	}
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("a file that is right was written again")
	}
	for name, spoil := range map[string]func() error{
		"changed": func() error { return os.WriteFile(path, []byte(ps1.Capture()+"\n# more"), 0o600) },
		"emptied": func() error { return os.Truncate(path, 0) },
		"removed": func() error { return os.Remove(path) },
		"a link": func() error {
			other := filepath.Join(tempDir(t), "x")
			return errors.Join(os.Remove(path), os.WriteFile(other, []byte(ps1.Capture()), 0o600), os.Symlink(other, path))
		},
	} {
		if err := spoil(); err != nil {
			t.Logf("%s: %v", name, err) // links need a right on Windows
			continue
		}
		if _, err := camera.materialise(); err != nil || read() != ps1.Capture() {
			t.Errorf("%s: %v", name, err)
		}
		if info, _ := os.Lstat(path); !info.Mode().IsRegular() {
			t.Errorf("%s: %v", name, info.Mode())
		}
	}
	if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "full"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := camera.materialise(); err == nil {
		t.Error("a folder stands in the script's place, but no error")
	}
	for _, dir := range []string{"", "relative"} {
		camera.opts.PrivateDir = dir
		if _, err := camera.materialise(); err == nil {
			t.Errorf("private folder %q was taken", dir)
		}
	}
}

func TestAbandonedPictures(t *testing.T) {
	camera, _ := newShell(t, "good", "")
	folder := func(name string, age time.Duration) string {
		dir := filepath.Join(camera.opts.PrivateDir, name)
		then := time.Now().Add(-age)
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "picture.jpg"), nil, 0o600), os.Chtimes(dir, then, then)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	old, young, other := folder("picture-1", 2*abandoned), folder("picture-2", abandoned/2), folder("other", 2*abandoned)
	if _, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: "x"}}); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{old: false, young: true, other: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestRemoveEach(t *testing.T) {
	dir := filepath.Join(tempDir(t), "a")
	for _, name := range []string{"b/c/one", "b/two", "three"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o400)); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeEach(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
	if err := removeEach(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

func TestJudgeOfOtherEnds(t *testing.T) {
	good := []byte(goodLine("x", 1, 1))
	if _, err := judge(proc.Result{Stdout: good}, &proc.Error{Kind: proc.PipeHeld}); err != nil {
		t.Errorf("a descendant held the output: %v", err)
	}
	for _, kind := range []proc.Kind{proc.Killed, proc.OutputTooLarge, proc.TimedOut, proc.Canceled} {
		var blocked *blockedError
		if _, err := judge(proc.Result{Stdout: good}, &proc.Error{Kind: kind}); err == nil || errors.As(err, &blocked) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := judge(proc.Result{Stdout: good}, errors.New("no record")); err == nil {
		t.Error("an unknown error is no success")
	}
}

func FuzzParseAnswer(f *testing.F) {
	good := goodLine("=x", 640, 480)
	f.Add([]byte(good))
	f.Add(utf16Bytes("\ufeff" + good))
	f.Add([]byte("\ufeffx\r" + good + "\n" + good))
	f.Add([]byte(ps1.CaptureMark + `{"ok":false,"code":"gone","candidates":["a"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		answer, err := parseAnswer(data)
		if err != nil {
			return
		}
		if !answer.OK && answer.Code == "" {
			t.Errorf("%+v says nothing", answer)
		}
		if !answer.OK && refusal(answer).Error() == "" {
			t.Errorf("%+v has no words", answer)
		}
	})
}
