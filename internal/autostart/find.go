package autostart

import (
	"os"
	"runtime"
	"strings"

	"mcp-computer-use/internal/proc"
)

// Find returns the absolute path of the ollama program of this machine, "" where there is none. env is
// the environment whose PATH counts ("KEY=value").
func Find(env []string) string {
	return findOllama(proc.Finder{GOOS: runtime.GOOS, Env: env, Stat: os.Stat})
}

// findOllama looks on PATH and, on Windows, where Ollama's installer puts it; "" when it is nowhere.
// On Windows only an .exe counts: no batch file is ever run.
func findOllama(finder proc.Finder) string {
	if finder.GOOS != "windows" {
		path, err := finder.Look("ollama")
		if err != nil {
			return ""
		}
		return path
	}
	candidates := []string{"ollama.exe"}
	if local := finder.Getenv("LOCALAPPDATA"); local != "" {
		candidates = append(candidates, finder.Join(local, "Programs", "Ollama", "ollama.exe"))
	}
	for _, candidate := range candidates {
		path, err := finder.Look(candidate)
		if err == nil && strings.HasSuffix(strings.ToLower(path), `\ollama.exe`) {
			return path
		}
	}
	return ""
}

// serverEnv is the environment of the server: the given one, in its order, with OLLAMA_HOST replaced.
func serverEnv(env []string, host, goos string) []string {
	out := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); !sameVariable(name, "OLLAMA_HOST", goos) {
			out = append(out, entry)
		}
	}
	return append(out, "OLLAMA_HOST="+host)
}

// sameVariable compares names of environment variables; Windows ignores their case.
func sameVariable(a, b, goos string) bool {
	return a == b || goos == "windows" && strings.EqualFold(a, b)
}
