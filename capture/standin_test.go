package capture

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/ps1"
)

// standInMode names what the re-executed test binary does in place of PowerShell.
const standInMode = "CAPTURE_TEST_STANDIN"

func TestMain(m *testing.M) {
	if mode := os.Getenv(standInMode); mode != "" {
		os.Exit(standIn(mode))
	}
	os.Exit(m.Run())
}

// standIn behaves like a PowerShell with the script, well or badly.
func standIn(mode string) int {
	var request ps1.CaptureRequest
	if err := json.Unmarshal([]byte(os.Getenv(ps1.CaptureRequestEnv)), &request); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 9
	}
	good := goodLine(request.Title, 64, 48)
	picture := jpegOf(64, 48)
	code := 0
	switch mode {
	case "good":
		fmt.Print(good, "\r\n")
	case "noise":
		fmt.Print("Profile \x87\x94\x84 loaded\r\n", good, "\r\n\x81\xff done\r\n")
		fmt.Fprint(os.Stderr, "#< CLIXML\r\n<Objs Version=\"1.1.0.1\"><Obj S=\"progress\" RefId=\"0\"><MS>SecurityError</MS></Obj></Objs>")
	case "bom":
		fmt.Print("\ufeff", good, "\r\n")
	case "utf16":
		_, _ = os.Stdout.Write(utf16Bytes("\ufeff" + good + "\r\n"))
	case "utf16 without a mark":
		_, _ = os.Stdout.Write(utf16Bytes(good + "\r\n"))
	case "two answers":
		fmt.Print(good, "\n", good, "\n")
	case "rubbish after the JSON":
		fmt.Print(good, " and more\n")
	case "cut":
		fmt.Print(good[:len(good)-9], "\n")
	case "nothing":
		return 0
	case "no reason":
		fmt.Print(ps1.CaptureMark, "{}\n")
	case "null":
		fmt.Print(ps1.CaptureMark, "null\n")
	case "exit code":
		fmt.Print(good, "\n")
		code = 3
	case "no file":
		fmt.Print(good, "\n")
		return 0
	case "rubbish file":
		fmt.Print(good, "\n")
		picture = []byte("no picture")
	case "cut file":
		fmt.Print(good, "\n")
		picture = picture[:len(picture)/2]
	case "PNG file":
		fmt.Print(good, "\n")
		picture = pngOf(textured(64, 48))
	case "other size":
		fmt.Print(goodLine(request.Title, 64, 49), "\n")
	case "too wide":
		fmt.Print(goodLine(request.Title, 1100, 48), "\n")
		picture = jpegOf(1100, 48)
	case "remarks":
		fmt.Print(strings.Replace(good, `"warnings":[]`, `"maybe_blank":true,"warnings":["locked","hung","elevated","new"]`, 1), "\n")
	case "policy":
		return fail("File C:\\x\\cu_capture.ps1 cannot be loaded because running scripts is disabled on this system.\r\n    + CategoryInfo          : Securi\r\n   tyError: (:) [], ParentContainsErrorRecordException\r\n")
	case "policy in CLIXML":
		return fail("#< CLIXML\r\n<Objs><S S=\"Error\">FullyQualifiedErrorId : Unauth_x000D__x000A_orizedAccess_x000D__x000A_</S></Objs>")
	case "restricted":
		return fail("Cannot invoke method. Method invocation is supported only on core types in this language mode.")
	case "scanner":
		return fail("+ FullyQualifiedErrorId : ScriptContainedMaliciousContent")
	case "exit 5":
		return 5
	case "hang":
		time.Sleep(60 * time.Second)
	case "half and hang":
		_ = os.WriteFile(request.Out+".part", picture, 0o600)
		_ = os.WriteFile(request.Out, picture[:100], 0o600)
		fmt.Print(good, "\n")
		time.Sleep(60 * time.Second)
	default: // a refusal: the JSON itself
		fmt.Print(ps1.CaptureMark, mode, "\n")
		return 1
	}
	if err := os.WriteFile(request.Out, picture, 0o600); err != nil {
		return 8
	}
	return code
}

func fail(text string) int {
	fmt.Fprint(os.Stderr, text)
	return 1
}

func goodLine(title string, width, height int) string {
	quoted, _ := requestText(ps1.CaptureRequest{Title: title})
	var back struct{ Title json.RawMessage }
	_ = json.Unmarshal([]byte(quoted), &back)
	return fmt.Sprintf(`%s{"ok":true,"hwnd":77,"pid":5,"title":%s,"rect":[-8,-8,1288,968],"origin":[0,0],"source":[128,96],`+
		`"size":[%d,%d],"scale":[0.5,0.5],"dpi":144,"flags":2,"warnings":[]}`, ps1.CaptureMark, back.Title, width, height)
}

func utf16Bytes(text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

func textured(w, h int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p.SetRGBA(x, y, color.RGBA{uint8(x * 7), uint8(y * 5), uint8(x ^ y), 255})
		}
	}
	return p
}

func plain(w, h int, c color.RGBA) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		copy(p.Pix[4*i:], []byte{c.R, c.G, c.B, c.A})
	}
	return p
}

func pngOf(p image.Image) []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, p)
	return out.Bytes()
}

func jpegOf(w, h int) []byte {
	var out bytes.Buffer
	_ = jpeg.Encode(&out, textured(w, h), nil)
	return out.Bytes()
}

// shell is a runner that runs the stand-in in place of PowerShell, each program in its own mode.
type shell struct {
	modes map[string]string // by the program's file name; a missing one can't be started

	mu  sync.Mutex
	ran []proc.Command
}

// Run implements proc.Runner.
func (s *shell) Run(ctx context.Context, cmd proc.Command) (proc.Result, error) {
	s.mu.Lock()
	s.ran = append(s.ran, cmd)
	s.mu.Unlock()
	mode, there := s.modes[cmd.Path[strings.LastIndexAny(cmd.Path, `/\`)+1:]]
	if !there {
		return proc.Result{ExitCode: -1}, &proc.Error{Kind: proc.NotStarted, Path: cmd.Path, ExitCode: -1, Err: os.ErrNotExist}
	}
	self, err := os.Executable()
	if err != nil {
		return proc.Result{}, err
	}
	cmd.Path = self
	cmd.Env = append(cmd.Env, standInMode+"="+mode)
	return proc.New().Run(ctx, cmd)
}

// commands are the calls so far.
func (s *shell) commands() []proc.Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ran
}

// tempDir is t.TempDir with a clean-up that also works under Wine.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "capture-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := removeAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// newShell makes a camera over stand-ins. mode is Windows PowerShell's, seven that of PowerShell 7; an
// empty one can't be started.
func newShell(t *testing.T, mode, seven string) (*Camera, *shell) {
	t.Helper()
	s := &shell{modes: make(map[string]string)}
	if mode != "" {
		s.modes["powershell.exe"] = mode
	}
	if seven != "" {
		s.modes["pwsh.exe"] = seven
	}
	camera := New(Options{
		Platform: ui.Windows, GOOS: "windows", PrivateDir: filepath.Join(tempDir(t), "private"),
		Env:      []string{"SystemRoot=" + os.Getenv("SystemRoot"), "PATH=" + os.Getenv("PATH")},
		Programs: []string{"/windows/powershell.exe", "/programs/pwsh.exe"},
	}, s, nil)
	return camera, s
}
