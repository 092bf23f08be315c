package agentcu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/timeouts"
)

// fakeFolder names the folder that a re-executed test binary answers from as agent-cu.
const fakeFolder = "AGENTCU_TEST_FAKE"

func TestMain(m *testing.M) {
	if folder := os.Getenv(fakeFolder); folder != "" {
		os.Exit(fake(folder, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// seenCall is what the fake writes down of a call.
type seenCall struct {
	Args       []string
	Home, User string
	XAuthority string
	Log, Extra string
}

// fake answers a verb from the files VERB.out, VERB.err and VERB.code; a file VERB.hang lets it hang.
func fake(folder string, args []string) int {
	line, _ := json.Marshal(seenCall{args, os.Getenv("HOME"), os.Getenv("USERPROFILE"), os.Getenv("XAUTHORITY"),
		os.Getenv("AGENT_CLICK_LOG"), os.Getenv("EXTRA")})
	if log, err := os.OpenFile(filepath.Join(folder, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = log.Write(append(line, '\n'))
		_ = log.Close()
	}
	verb := args[0]
	for _, arg := range args {
		if app, ok := strings.CutPrefix(arg, "--app="); ok && verb == "windows" {
			verb += "." + app
		}
		if path, ok := strings.CutPrefix(arg, "--path="); ok && exists(folder, "picture") {
			data, _ := os.ReadFile(filepath.Join(folder, "picture"))
			_ = os.WriteFile(path, data, 0o600)
		}
	}
	if exists(folder, verb+".hang") {
		time.Sleep(30 * time.Second)
	}
	if refs, err := os.ReadFile(filepath.Join(folder, "refs.json")); err == nil && verb == "snapshot" {
		_ = os.MkdirAll(filepath.Join(os.Getenv("HOME"), ".agent-cu"), 0o700)
		_ = os.WriteFile(filepath.Join(os.Getenv("HOME"), ".agent-cu", "refs.json"), refs, 0o600)
	}
	out, _ := os.ReadFile(filepath.Join(folder, verb+".out"))
	_, _ = os.Stdout.Write(out)
	text, _ := os.ReadFile(filepath.Join(folder, verb+".err"))
	_, _ = os.Stderr.Write(text)
	code := 0
	if data, err := os.ReadFile(filepath.Join(folder, verb+".code")); err == nil {
		_, _ = fmt.Sscan(string(data), &code)
	}
	return code
}

func exists(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

// bench is a client over the fake, with the folder that it answers from.
type bench struct {
	*Client
	t      *testing.T
	folder string
	home   string // the user's
	temp   string
}

func newBench(t *testing.T, platform ui.Platform, files map[string]string) *bench {
	t.Helper()
	b := &bench{t: t, folder: t.TempDir(), home: t.TempDir(), temp: t.TempDir()}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(b.folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	opts := DefaultOptions(platform)
	opts.Command, opts.TempDir = exe, b.temp
	opts.Env = []string{fakeFolder + "=" + b.folder, "HOME=" + b.home, "USERPROFILE=" + b.home, "EXTRA=kept",
		"AGENT_CLICK_LOG=debug", "GORACE=atexit_sleep_ms=0", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	b.Client = New(proc.New(), opts)
	return b
}

// calls are the calls that the fake has seen.
func (b *bench) calls() []seenCall {
	data, err := os.ReadFile(filepath.Join(b.folder, "calls"))
	if err != nil {
		return nil
	}
	var calls []seenCall
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var c seenCall
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			b.t.Fatal(err)
		}
		calls = append(calls, c)
	}
	return calls
}

// wantNoHomes fails when a private home is left.
func (b *bench) wantNoHomes() {
	b.t.Helper()
	if left, err := os.ReadDir(b.temp); err != nil || len(left) != 0 {
		b.t.Errorf("%d folders are left, %v", len(left), err)
	}
}

func (b *bench) newHome() *Home {
	b.t.Helper()
	home, err := b.NewHome()
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := errors.Join(home.Close(), home.Close()); err != nil {
			b.t.Error(err)
		}
		b.wantNoHomes()
	})
	return home
}

func wantKind(t *testing.T, err error, kind Kind) *Error {
	t.Helper()
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != kind {
		t.Fatalf("got %v, want %s", err, kind)
	}
	return failed
}

func TestVersionAndText(t *testing.T) {
	b := newBench(t, ui.Windows, map[string]string{"--version.out": "agent-cu 0.1.1\n", "text.out": "one\r\ntwo\n"})
	if version, err := b.Version(t.Context()); err != nil || version != "0.1.1" {
		t.Errorf("version %q, %v", version, err)
	}
	if lines, err := b.Text(t.Context(), nil, "App"); err != nil || !cmp.Equal(lines, []string{"one", "two"}) {
		t.Errorf("text %q, %v", lines, err)
	}
	for _, c := range b.calls() {
		if c.Home == b.home || c.Home == "" || c.User != c.Home || c.Log != "off" || c.Extra != "kept" {
			t.Errorf("environment %+v", c)
		}
	}
	b.wantNoHomes()
	if _, err := b.Text(t.Context(), nil, ""); wantKind(t, err, Usage).MayHaveActed {
		t.Error("a text may have acted")
	}
}

func TestSnapshotAndActsShareAHome(t *testing.T) {
	b := newBench(t, ui.Windows, map[string]string{
		"snapshot.out": "window \"W\"\n  [@e1] textfield \"a\" val=\"b\" val=\"c\"\n",
		"refs.json":    `{"refs": {"e1": {"role": "textfield", "name": "a\" val=\"b"}}}`,
		"click.out":    "WARN {\"message\": \"no\"}\n{\"success\": true, \"message\": \"pressed \\\"7\\\"\"}\n",
		"type.out":     `{"success": true, "message": "typed 6 characters"}`,
	})
	home := b.newHome()
	if info, err := os.Stat(home.Dir()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("home %v, %v", info.Mode(), err)
	}
	s, err := b.Snapshot(t.Context(), home, "W")
	if err != nil || s.Elements[1].Name != `a" val="b` {
		t.Fatalf("snapshot %+v, %v", s, err)
	}
	reply, err := b.Click(t.Context(), home, "W", "@e1")
	if err != nil || reply.Message != `pressed "7"` {
		t.Errorf("click %+v, %v", reply, err)
	}
	if reply, err = b.Type(t.Context(), home, "W", "@e1", "-x \"ש\"\n"); err != nil || reply.Message != "typed 6 characters" {
		t.Errorf("type %+v, %v", reply, err)
	}
	calls := b.calls()
	if got := calls[2].Args; !cmp.Equal(got[len(got)-2:], []string{"--", "-x \"ש\"\n"}) {
		t.Errorf("typed %q", got)
	}
	for _, c := range calls {
		if c.Home != home.Dir() {
			t.Errorf("%s ran in another home", c.Args[0])
		}
	}
}

func TestSnapshotForgetsEarlierRefs(t *testing.T) {
	b := newBench(t, ui.Windows, map[string]string{"snapshot.out": "window\n  [@e1] button \"printed\"\n"})
	home := b.newHome()
	if err := os.MkdirAll(filepath.Dir(home.refs()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(home.refs(), []byte(`{"refs":{"e1":{"role":"button","name":"old"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := b.Snapshot(t.Context(), home, "W")
	if err != nil || s.Elements[1].Name != "printed" {
		t.Errorf("got %+v, %v", s, err)
	}
	if s, err = b.Snapshot(t.Context(), nil, "W"); err != nil || len(s.Elements) != 2 {
		t.Errorf("own home: %+v, %v", s, err)
	}
}

func TestActsAreRefusedBeforeAnythingRuns(t *testing.T) {
	b := newBench(t, ui.Windows, nil)
	home := b.newHome()
	for name, act := range map[string]func() error{
		"no home":     func() error { _, err := b.Click(t.Context(), nil, "W", "@e1"); return err },
		"no app":      func() error { _, err := b.Click(t.Context(), home, "", "@e1"); return err },
		"no ref":      func() error { _, err := b.Type(t.Context(), home, "W", `name="x"`, "text"); return err },
		"NUL":         func() error { _, err := b.Type(t.Context(), home, "W", "@e1", "a\x00"); return err },
		"no snapshot": func() error { _, err := b.Snapshot(t.Context(), home, ""); return err },
	} {
		if failed := wantKind(t, act(), Usage); failed.MayHaveActed {
			t.Errorf("%s: may have acted", name)
		}
	}
	if calls := b.calls(); len(calls) != 0 {
		t.Errorf("%d calls ran", len(calls))
	}
}

func TestActsThatFail(t *testing.T) {
	b := newBench(t, ui.Windows, map[string]string{
		"click.err": `{"error": true, "type": "element_not_found", "message": "gone"}`, "click.code": "1", "type.out": "nonsense",
	})
	home := b.newHome()
	_, err := b.Click(t.Context(), home, "W", "@e1")
	if failed := wantKind(t, err, ElementNotFound); failed.MayHaveActed || failed.Message != "gone" {
		t.Errorf("click %+v", failed)
	}
	_, err = b.Type(t.Context(), home, "W", "@e1", "secret")
	if failed := wantKind(t, err, Failed); !failed.MayHaveActed || strings.Contains(failed.Error(), "secret") {
		t.Errorf("type %+v", failed)
	}
	for answer, want := range map[string]string{
		`{"success": false, "message": "no secret"}`: "no [text]",
		`{"level": "warn"}`:                          "agent-cu type reports no success",
	} {
		if err := os.WriteFile(filepath.Join(b.folder, "type.out"), []byte(answer), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = b.Type(t.Context(), home, "W", "@e1", "secret")
		if failed := wantKind(t, err, Failed); failed.Message != want || !failed.MayHaveActed {
			t.Errorf("type without success: %+v", failed)
		}
	}
}

func TestTimeoutOfAnAct(t *testing.T) {
	b := newBench(t, ui.Windows, map[string]string{"click.hang": "", "text.hang": ""})
	b.opts.Timeout = 300 * time.Millisecond
	home := b.newHome()
	_, err := b.Click(t.Context(), home, "W", "@e1")
	var limit *timeouts.Exceeded
	if failed := wantKind(t, err, Timeout); !failed.MayHaveActed || !errors.As(err, &limit) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %+v", failed)
	}
	if limit != nil && limit.Limit != "agent-cu click" {
		t.Errorf("limit %q", limit.Limit)
	}
	_, err = b.Text(t.Context(), home, "W")
	if failed := wantKind(t, err, Timeout); failed.MayHaveActed {
		t.Errorf("got %+v", failed)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	_, err = b.Click(ended, home, "W", "@e1")
	if failed := wantKind(t, err, Canceled); failed.MayHaveActed || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v", failed)
	}
}

func TestValue(t *testing.T) {
	b := newBench(t, ui.Windows, map[string]string{"tree.out": `{"role": "window", "name": "W", "children": [
		{"role": "textField", "name": "Line\r\ntwo", "id": "_NS:4", "value": "all of a long value\r\nof two lines"},
		{"role": "textField", "name": "Line\r\ntwo", "id": "other", "value": "no"},
		{"role": "group", "children": [{"role": "textField", "name": "twin", "value": "1"}, {"role": "textField", "name": "twin"}]}]}`})
	field := ui.Element{Role: ui.RoleTextField, Name: "Line\ntwo"}
	for _, id := range []string{"", "_NS:4"} {
		field.ID = id
		if got, err := b.Value(t.Context(), nil, "W", field); err != nil || got != "all of a long value\nof two lines" {
			t.Errorf("id %q: got %q, %v", id, got, err)
		}
	}
	for kind, e := range map[Kind]ui.Element{
		Ambiguous: {Role: ui.RoleTextField, Name: "twin"}, ElementNotFound: {Role: ui.RoleTextArea, Name: "twin"},
		NotSupported: {Role: ui.RoleTextField, Name: "twin", Secret: true},
	} {
		_, err := b.Value(t.Context(), nil, "W", e)
		wantKind(t, err, kind)
	}
	_, err := b.Value(t.Context(), nil, "", field)
	wantKind(t, err, Usage)
	if calls := len(b.calls()); calls != 4 {
		t.Errorf("%d calls", calls)
	}
	b.wantNoHomes()
}

func TestScreenshot(t *testing.T) {
	b := newBench(t, ui.Linux, map[string]string{"screenshot.out": `{"success": true, "path": "x"}`, "picture": "PNG"})
	home := b.newHome()
	path, err := b.Screenshot(t.Context(), home, "W")
	if err != nil || filepath.Dir(path) != home.Dir() {
		t.Fatalf("got %q, %v", path, err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "PNG" {
		t.Errorf("got %q, %v", data, err)
	}
	if err := os.Remove(filepath.Join(b.folder, "picture")); err != nil {
		t.Fatal(err)
	}
	_, err = b.Screenshot(t.Context(), home, "W")
	wantKind(t, err, Failed)
	_, err = b.Screenshot(t.Context(), nil, "W")
	wantKind(t, err, Usage)
}

// On Windows the picture would show the whole screen.
func TestNoScreenshotOnWindows(t *testing.T) {
	b := newBench(t, ui.Windows, map[string]string{"screenshot.out": `{"success": true, "path": "x"}`, "picture": "PNG"})
	_, err := b.Screenshot(t.Context(), b.newHome(), "W")
	wantKind(t, err, NotSupported)
	if calls := b.calls(); len(calls) != 0 {
		t.Errorf("%d calls ran", len(calls))
	}
}

func TestWindowListOnWindows(t *testing.T) {
	b := newBench(t, ui.Windows, map[string]string{"windows.out": `[{"title": "A \"b\"", "app": "a", "pid": 7, "frontmost": true,
		"minimized": true, "position": {"x": -5, "y": 2.5}, "size": {"width": 3, "height": 4}}, {"title": "", "app": "b"}]`})
	got, err := b.WindowList(t.Context(), nil)
	want := Listing{Windows: []ui.Window{{Title: `A "b"`, App: "a", PID: 7, Frontmost: true, Minimized: true,
		Bounds: &ui.Rect{X: -5, Y: 2.5, Width: 3, Height: 4}}, {App: "b"}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if err := os.WriteFile(filepath.Join(b.folder, "windows.out"), []byte("WARN {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = b.WindowList(t.Context(), nil)
	wantKind(t, err, Failed)
	b.wantNoHomes()
}

func TestWindowListOnMacOS(t *testing.T) {
	files := map[string]string{"windows.out": `[{"title": "A", "app": "Notes"}]`, "apps.out": `[{"name": "Notes", "pid": 3, "frontmost": true}]`}
	b := newBench(t, ui.MacOS, files)
	got, err := b.WindowList(t.Context(), b.newHome())
	want := Listing{Windows: []ui.Window{{Title: "A", App: "Notes"}}, Apps: []ui.App{{Name: "Notes", PID: 3, Frontmost: true}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	delete(files, "apps.out")
	got, err = newBench(t, ui.MacOS, files).WindowList(t.Context(), nil)
	if want.Apps = nil; err != nil || !cmp.Equal(want, got) {
		t.Errorf("without apps: %+v, %v", got, err)
	}
}

func TestWindowListOnLinux(t *testing.T) {
	b := newBench(t, ui.Linux, map[string]string{
		"apps.out":           `[{"name": "term"}, {"name": "a"}, {"name": "zenity"}, {"name": "zenity"}, {"name": ""}, {"name": "gone"}]`,
		"windows.term.out":   `[{"title": "T", "app": "term"}, {"title": "", "app": "term"}]`,
		"windows.a.out":      `[{"title": "other", "app": "aa"}, {"title": "mine", "app": "a"}]`,
		"windows.zenity.out": `[{"title": "Q", "app": "zenity"}]`,
		"windows.gone.err":   `{"error": true, "type": "application_not_found"}`, "windows.gone.code": "1",
	})
	got, err := b.WindowList(t.Context(), nil)
	want := Listing{Windows: []ui.Window{{Title: "T", App: "term"}, {Title: "mine", App: "a"}, {Title: "Q", App: "zenity"}},
		Apps: []ui.App{{Name: "term"}, {Name: "a"}, {Name: "zenity"}, {Name: "zenity"}, {}, {Name: "gone"}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	homes := map[string]bool{}
	for _, c := range b.calls() {
		homes[c.Home] = true
	}
	if len(b.calls()) != 5 || len(homes) != 1 || homes[b.home] {
		t.Errorf("%d calls in homes %v", len(b.calls()), homes)
	}
	b.wantNoHomes()
}

func TestWindowListOnLinuxFailsAsAWhole(t *testing.T) {
	b := newBench(t, ui.Linux, map[string]string{"apps.out": `[{"name": "x"}]`, "windows.x.code": "1",
		"windows.x.err": `{"error": true, "type": "platform_error", "message": "no bus"}`})
	got, err := b.WindowList(t.Context(), nil)
	if failed := wantKind(t, err, Failed); failed.Message != "no bus" || len(got.Apps) != 1 {
		t.Errorf("%+v, %v", got, failed)
	}
	if got, err = newBench(t, ui.Linux, map[string]string{"apps.out": "[]"}).WindowList(t.Context(), nil); err != nil || len(got.Windows) != 0 {
		t.Errorf("no applications: %+v, %v", got, err)
	}
}

// countingRunner counts how many calls run at once; all answer the same.
type countingRunner struct {
	mu        sync.Mutex
	now, most int
	commands  []proc.Command
}

func (r *countingRunner) Run(_ context.Context, command proc.Command) (proc.Result, error) {
	r.mu.Lock()
	r.now++
	r.most = max(r.most, r.now)
	r.commands = append(r.commands, command)
	r.mu.Unlock()
	time.Sleep(5 * time.Millisecond)
	r.mu.Lock()
	r.now--
	r.mu.Unlock()
	if command.Args[0] == "apps" {
		var names []map[string]string
		for i := range 40 {
			names = append(names, map[string]string{"name": fmt.Sprint("app", i)})
		}
		data, err := json.Marshal(names)
		return proc.Result{Stdout: data}, err
	}
	return proc.Result{Stdout: []byte("[]")}, nil
}

func TestWindowListOnLinuxIsBounded(t *testing.T) {
	runner := &countingRunner{}
	client := New(runner, Options{Program: "/no/such/program", Platform: ui.Linux, TempDir: t.TempDir()})
	if _, err := client.WindowList(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if len(runner.commands) != 41 || runner.most > sideBySide || runner.commands[0].Path != "/no/such/program" {
		t.Errorf("%d calls, %d at once", len(runner.commands), runner.most)
	}
}

func TestXAuthority(t *testing.T) {
	b := newBench(t, ui.Linux, nil)
	find := func(env []string) []string {
		return slices.DeleteFunc(env, func(entry string) bool { return !strings.HasPrefix(entry, "XAUTHORITY=") })
	}
	home := b.newHome()
	if got := find(b.childEnv(home)); len(got) != 0 {
		t.Errorf("no key: %q", got)
	}
	key := filepath.Join(b.home, ".Xauthority")
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := find(b.childEnv(home)); !cmp.Equal(got, []string{"XAUTHORITY=" + key}) {
		t.Errorf("the user's key: %q", got)
	}
	b.opts.Env = append(b.opts.Env, "XAUTHORITY=/run/key")
	if got := find(b.childEnv(home)); !cmp.Equal(got, []string{"XAUTHORITY=/run/key"}) {
		t.Errorf("a given key: %q", got)
	}
}

func TestAbandonedHomesAreRemoved(t *testing.T) {
	temp := t.TempDir()
	old, young, other := filepath.Join(temp, homePrefix+"1"), filepath.Join(temp, homePrefix+"2"), filepath.Join(temp, "else")
	for _, dir := range []string{old, young, other} {
		if err := os.MkdirAll(filepath.Join(dir, "inner"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * abandoned)
	for _, dir := range []string{old, other} {
		if err := os.Chtimes(dir, past, past); err != nil {
			t.Fatal(err)
		}
	}
	home, err := New(proc.New(), Options{TempDir: temp}).NewHome()
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{old: false, young: true, other: true, home.Dir(): true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestNotInstalled(t *testing.T) {
	for _, command := range []string{"/no/such/agent-cu", "no-such-agent-cu", "relative/agent-cu", "/x/y.cmd"} {
		client := New(proc.New(), Options{Command: command, TempDir: t.TempDir()})
		_, err := client.Text(t.Context(), nil, "App")
		wantKind(t, err, NotInstalled)
		if _, err = client.Locate(t.Context()); err == nil {
			t.Errorf("%s is there", command)
		}
	}
}

func TestLocateNoticesChanges(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "agent-cu")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	client := New(proc.New(), Options{Env: []string{"PATH=" + folder}})
	_, err := client.Locate(t.Context())
	wantKind(t, err, NotInstalled)
	if err := os.WriteFile(path, []byte(elf), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if program, err := client.Locate(t.Context()); err != nil || program.Path != path {
			t.Errorf("got %+v, %v", program, err)
		}
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec something\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if program, err := client.Locate(t.Context()); runtime.GOOS != "windows" && err == nil {
		t.Errorf("a script took its place: %+v", program)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err = client.Locate(t.Context())
	wantKind(t, err, NotInstalled)
}

func TestErrorChain(t *testing.T) {
	inner := &proc.Error{Kind: proc.NotStarted, Err: fs.ErrNotExist}
	err := failure(call{verb: "text"}, proc.Result{}, inner)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "MCP_CU_AGENT_CU_CMD") {
		t.Errorf("got %v", err)
	}
	if got := (&Error{Kind: Canceled}).Error(); got != "agent-cu: canceled" {
		t.Errorf("got %q", got)
	}
}
