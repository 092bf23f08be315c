package capture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"mcp-computer-use/internal/imaging"
	"mcp-computer-use/internal/proc"
	"mcp-computer-use/internal/store"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/ps1"
)

// maxRequest keeps the request below what a Windows environment variable can hold.
const maxRequest = 30000

// byScript runs the script in Windows PowerShell, and in PowerShell 7 where the first is blocked.
func (c *Camera) byScript(ctx context.Context, request Request) (picture Picture, err error) {
	script, err := c.materialise()
	if err != nil {
		return Picture{}, err
	}
	var first error
	for _, program := range c.programs() {
		picture, err = c.runScript(ctx, program, script, request)
		var blocked *blockedError
		if !errors.As(err, &blocked) || ctx.Err() != nil {
			return picture, err
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = notStarted("no PowerShell was found", nil)
	}
	return Picture{}, first
}

// programs are the PowerShells to try. Windows' own one is named by its place, never looked up: another
// program of that name could stand before it on PATH.
func (c *Camera) programs() []string {
	if c.opts.Programs != nil {
		return c.opts.Programs
	}
	finder := proc.Finder{GOOS: "windows", Env: c.opts.Env, Stat: os.Stat}
	root := finder.Getenv("SystemRoot")
	if !finder.IsAbs(root) {
		root = `C:\Windows`
	}
	list := []string{finder.Join(root, "System32", "WindowsPowerShell", "v1.0", "powershell.exe")}
	if base := finder.Getenv("ProgramFiles"); finder.IsAbs(base) {
		seven := finder.Join(base, "PowerShell", "7", "pwsh.exe")
		if info, err := os.Stat(seven); err == nil && info.Mode().IsRegular() {
			return append(list, seven)
		}
	}
	if found, err := finder.Look("pwsh.exe"); err == nil && strings.HasSuffix(strings.ToLower(found), ".exe") {
		list = append(list, found)
	}
	return list
}

// runScript takes one picture with one PowerShell.
func (c *Camera) runScript(ctx context.Context, program, script string, request Request) (picture Picture, err error) {
	dir, remove, err := c.newRunDir()
	if err != nil {
		return Picture{}, err
	}
	defer func() {
		if removing := remove(); removing != nil && err == nil {
			picture, err = Picture{}, fmt.Errorf("the private folder could not be removed: %w", removing)
		}
	}()
	command, err := scriptCommand(program, script, dir, c.opts.Env, request.Window)
	if err != nil {
		return Picture{}, err
	}
	result, err := c.runner.Run(ctx, command)
	answer, err := judge(result, err)
	if err != nil {
		return Picture{}, err
	}
	return readShot(answer, command.Outputs[0])
}

// scriptCommand builds the call. The request goes through the environment: on the command line PowerShell
// would read some titles as parameters or code.
func scriptCommand(program, script, dir string, env []string, window ui.Window) (proc.Command, error) {
	out := filepath.Join(dir, "picture.jpg")
	request, err := requestText(ps1.CaptureRequest{PID: window.PID, Title: "=" + window.Title, Out: out,
		MaxWidth: imaging.MaxWidth, Quality: imaging.Quality})
	if err != nil {
		return proc.Command{}, err
	}
	return proc.Command{
		Path:    program,
		Args:    []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", script},
		Env:     append(childEnv(env), "TEMP="+dir, "TMP="+dir, ps1.CaptureRequestEnv+"="+request),
		Dir:     dir,
		Outputs: []string{out},
	}, nil
}

// requestText is the request as JSON in ASCII, so that no code page can change it.
func requestText(request ps1.CaptureRequest) (string, error) {
	request.Title = strings.ToValidUTF8(request.Title, "\ufffd")
	data, err := json.Marshal(request)
	if err != nil {
		return "", fmt.Errorf("request: %w", err)
	}
	var text strings.Builder
	for _, r := range string(data) {
		if r < 0x7f {
			text.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&text, `\u%04x`, unit)
		}
	}
	if text.Len() > maxRequest {
		return "", &Error{Kind: Failed, Message: "the window's title is too long to look for"}
	}
	return text.String(), nil
}

// childEnv leaves out what the child must not get: the module folders of another PowerShell, with which
// Windows PowerShell finds none of its own commands, the folders for temporary files, which are
// replaced, and this program's settings, which can hold a token.
func childEnv(env []string) []string {
	kept := make([]string, 0, len(env)+3)
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		switch upper := strings.ToUpper(name); {
		case upper == "PSMODULEPATH", upper == "TEMP", upper == "TMP", strings.HasPrefix(upper, "MCP_CU_"):
		default:
			kept = append(kept, entry)
		}
	}
	return kept
}

// readShot checks the picture that the script wrote: a whole JPEG of the size it said.
func readShot(answer ps1.CaptureAnswer, path string) (Picture, error) {
	data, err := store.ReadFile(path, maxFile)
	if err != nil {
		return Picture{}, &Error{Kind: Failed, Message: "the capture script said that it took a picture, but there is none", Err: err}
	}
	shot, err := imaging.Decode(data)
	if err != nil || !strings.HasPrefix(string(data), "\xff\xd8") {
		return Picture{}, &Error{Kind: Failed, Message: "the capture script wrote no whole JPEG", Err: err}
	}
	width, height := shot.Bounds().Dx(), shot.Bounds().Dy()
	if width != answer.Size[0] || height != answer.Size[1] || width > imaging.MaxWidth {
		return Picture{}, &Error{Kind: Failed, Message: fmt.Sprintf("the picture has %d x %d pixels, the capture script said %d x %d",
			width, height, answer.Size[0], answer.Size[1])}
	}
	return Picture{
		JPEG: data, Width: width, Height: height, Hint: hints(answer),
		Geometry: imaging.Geometry{
			Shown: ui.Rect{X: float64(answer.Origin[0]), Y: float64(answer.Origin[1]),
				Width: float64(answer.Source[0]), Height: float64(answer.Source[1])},
			Width: width, Height: height,
		},
	}, nil
}
