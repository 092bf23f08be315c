package capture

import (
	"bytes"
	"context"
	"errors"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-computer-use/agentcu"
	"mcp-computer-use/internal/imaging"
	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/ui"
)

// engine is a runner that answers as `agent-cu screenshot` does.
type engine struct {
	pictures map[string][]byte // by the value of -a; a missing one is application_not_found
	delay    time.Duration
	asked    []string
	paths    []string
}

// Run implements proc.Runner.
func (e *engine) Run(ctx context.Context, cmd proc.Command) (proc.Result, error) {
	var app, path string
	for _, arg := range cmd.Args {
		if value, ok := strings.CutPrefix(arg, "--app="); ok {
			app = value
		}
		if value, ok := strings.CutPrefix(arg, "--path="); ok {
			path = value
		}
	}
	e.asked, e.paths = append(e.asked, app), append(e.paths, path)
	if data, there := e.pictures[app]; there {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return proc.Result{ExitCode: -1}, err
		}
	}
	if e.delay > 0 {
		select {
		case <-time.After(e.delay):
		case <-ctx.Done():
			// What the real runner says; its errors also answer for the context's.
			return proc.New().Run(ctx, cmd)
		}
	}
	if _, there := e.pictures[app]; !there {
		return proc.Result{Stderr: []byte(`{"error": true, "type": "application_not_found", "message": "application not found"}`), ExitCode: 1},
			&proc.Error{Kind: proc.ExitStatus, Path: cmd.Path, ExitCode: 1}
	}
	return proc.Result{Stdout: []byte(`{"success": true, "path": "x"}`)}, nil
}

// newEngine makes a camera over an agent-cu of the platform. The check that nothing is left is run at
// the end of the test.
func newEngine(t *testing.T, platform ui.Platform, pictures map[string][]byte) (*Camera, *engine) {
	t.Helper()
	e, temp := &engine{pictures: pictures}, tempDir(t)
	client := agentcu.New(e, agentcu.Options{Program: filepath.Join(temp, "agent-cu"), Platform: platform, TempDir: temp, Env: []string{"PATH="}})
	t.Cleanup(func() {
		if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return New(Options{Platform: platform}, e, client), e
}

func TestPicturesOfTheEngine(t *testing.T) {
	dark := color.RGBA{30, 30, 30, 255}
	whole := pngOf(textured(1600, 900))
	dotted := plain(640, 400, dark)
	for i := 0; i < 640*400; i += 997 {
		dotted.Pix[4*i] = 200
	}
	for name, test := range map[string]struct {
		file  []byte
		kind  Kind
		w, h  int
		hints bool
	}{
		"wide":               {whole, "", 1024, 576, false},
		"small":              {pngOf(textured(300, 200)), "", 300, 200, false},
		"JPEG":               {jpegOf(320, 240), "", 320, 240, false},
		"black":              {pngOf(plain(640, 400, color.RGBA{0, 0, 0, 255})), Blank, 0, 0, false},
		"light":              {pngOf(plain(640, 400, color.RGBA{0xe7, 0xe7, 0xe7, 255})), Blank, 0, 0, false},
		"a few dots":         {pngOf(dotted), "", 640, 400, true},
		"rubbish":            {[]byte("no picture"), Failed, 0, 0, false},
		"empty":              {nil, Failed, 0, 0, false},
		"cut":                {whole[:len(whole)/2], Failed, 0, 0, false},
		"cut at the end":     {whole[:len(whole)-4], Failed, 0, 0, false},
		"claims too much":    {bytes.Replace(whole, []byte{0, 0, 6, 64, 0, 0, 3, 132}, []byte{0, 0, 100, 64, 0, 0, 100, 132}, 1), Failed, 0, 0, false},
		"header but no more": {whole[:40], Failed, 0, 0, false},
	} {
		for _, platform := range []ui.Platform{ui.Linux, ui.MacOS} {
			t.Run(name+" on "+string(platform), func(t *testing.T) {
				camera, e := newEngine(t, platform, map[string][]byte{"gcalc": test.file})
				picture, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: "Calculator", App: "gcalc"}, Arg: "gcalc"})
				if !slices.Equal(e.asked, []string{"gcalc"}) {
					t.Errorf("asked for %q", e.asked)
				}
				if test.kind != "" {
					var failed *Error
					if !errors.As(err, &failed) || failed.Kind != test.kind || picture.JPEG != nil || failed.Message == "" {
						t.Errorf("%v, want %s", err, test.kind)
					}
					return
				}
				if err != nil || picture.Width != test.w || picture.Height != test.h || (picture.Hint != "") != test.hints {
					t.Fatalf("%d x %d, %q, %v", picture.Width, picture.Height, picture.Hint, err)
				}
				back, err := imaging.Decode(picture.JPEG)
				if err != nil || back.Bounds().Dx() != test.w || back.Bounds().Dy() != test.h || !bytes.HasPrefix(picture.JPEG, []byte("\xff\xd8")) {
					t.Errorf("no JPEG of that size: %v", err)
				}
			})
		}
	}
}

func TestEngineFails(t *testing.T) {
	camera, _ := newEngine(t, ui.Linux, nil)
	_, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: "x"}, Arg: "x"})
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != Failed || !strings.Contains(failed.Message, "application not found") {
		t.Errorf("%v", err)
	}
	if _, err := new(Camera).Take(t.Context(), Request{}); !errors.As(err, &failed) {
		t.Errorf("without an agent-cu: %v", err)
	}
}

func TestEngineTimesOut(t *testing.T) {
	camera, e := newEngine(t, ui.Linux, map[string][]byte{"x": pngOf(textured(30, 20))})
	e.delay, camera.opts.Timeout = time.Minute, 50*time.Millisecond
	_, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: "x"}, Arg: "x"})
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != Timeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// On Linux agent-cu falls back to the whole screen without a word, and takes the first window whose
// title matches the value of -a.
func TestAnotherWindowThanAskedFor(t *testing.T) {
	screen, window := pngOf(textured(1280, 900)), pngOf(textured(331, 343))
	bounds := func(w, h float64) *ui.Rect { return &ui.Rect{X: 800, Y: 30, Width: w, Height: h} }
	const title = "Calc (1) + x?"
	const exact = `^Calc \(1\) \+ x\?$`
	for name, test := range map[string]struct {
		platform ui.Platform
		pictures map[string][]byte
		bounds   *ui.Rect
		ok       bool
		asked    []string
	}{
		"the window":               {ui.Linux, map[string][]byte{"calc": window}, bounds(331, 343), true, []string{"calc"}},
		"with its frame":           {ui.Linux, map[string][]byte{"calc": window}, bounds(333, 368), true, []string{"calc"}},
		"the screen, no bounds":    {ui.Linux, map[string][]byte{"calc": screen}, nil, true, []string{"calc"}},
		"the screen":               {ui.Linux, map[string][]byte{"calc": screen, exact: screen}, bounds(331, 343), false, []string{"calc", exact}},
		"the screen, then nothing": {ui.Linux, map[string][]byte{"calc": screen}, bounds(331, 343), false, []string{"calc", exact}},
		"the screen, then right":   {ui.Linux, map[string][]byte{"calc": screen, exact: window}, bounds(331, 343), true, []string{"calc", exact}},
		"nearly the screen":        {ui.Linux, map[string][]byte{"calc": screen, exact: screen}, bounds(1280, 860), false, []string{"calc", exact}},
		"a smaller window":         {ui.Linux, map[string][]byte{"calc": window, exact: window}, bounds(900, 343), false, []string{"calc", exact}},
		"a Retina screen":          {ui.MacOS, map[string][]byte{"calc": screen}, bounds(640, 450), true, []string{"calc"}},
	} {
		t.Run(name, func(t *testing.T) {
			camera, e := newEngine(t, test.platform, test.pictures)
			picture, err := camera.Take(t.Context(), Request{Window: ui.Window{Title: title, App: "calc", Bounds: test.bounds}, Arg: "calc"})
			if !slices.Equal(e.asked, test.asked) {
				t.Errorf("asked for %q", e.asked)
			}
			if test.ok {
				if err != nil || len(picture.JPEG) == 0 || test.bounds != nil && picture.Geometry.Shown != *test.bounds {
					t.Errorf("%+v, %v", picture.Geometry, err)
				}
				return
			}
			var failed *Error
			if !errors.As(err, &failed) || failed.Kind != Failed || !strings.Contains(failed.Message, "whole screen") || picture.JPEG != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// BenchmarkEngine4K is a whole picture of a 4K window: what comes on top of agent-cu's own time.
func BenchmarkEngine4K(b *testing.B) {
	temp := tempDir(b)
	screen := plain(3840, 2160, color.RGBA{245, 245, 245, 255})
	for y := 100; y < 2100; y += 40 { // lines of something like text
		for at := y * screen.Stride; at < (y+20)*screen.Stride; at += 28 {
			screen.Pix[at] = 20
		}
	}
	e := &engine{pictures: map[string][]byte{"x": pngOf(screen)}}
	client := agentcu.New(e, agentcu.Options{Program: filepath.Join(temp, "agent-cu"), Platform: ui.Linux, TempDir: temp, Env: []string{"PATH="}})
	camera := New(Options{Platform: ui.Linux}, e, client)
	for b.Loop() {
		if _, err := camera.Take(b.Context(), Request{Window: ui.Window{Title: "x"}, Arg: "x"}); err != nil {
			b.Fatal(err)
		}
	}
}
