package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Request is what Load needs to know of the world.
type Request struct {
	ConfigPath string   // --config; it must exist. Empty: MCP_CU_CONFIG, else the two usual places
	Environ    []string // "NAME=value" pairs, as os.Environ gives them
	WorkDir    string   // working folder
	Home       string   // the user's home (%USERPROFILE% on Windows); empty where there is none
	GOOS       string   // runtime.GOOS
}

// Loaded is the outcome of Load.
type Loaded struct {
	Settings Settings
	File     string   // the strongest file that was read; empty where there is none
	Files    []string // all of them, the weakest first
	Warnings []string // for people: what was ignored, and why
}

// Load builds the settings: defaults, then files, then the environment. An empty variable counts as
// not set.
//
// A file named by --config or MCP_CU_CONFIG is the only one, and must exist. Otherwise the user's
// .config/mcp-computer-use/config.toml is read, then mcp-computer-use.toml in the working folder on
// top of it. Reading both, and not just the first that exists, keeps a file that came with a cloned
// repository from switching off what the user has set; from that file only the settings marked `cwd`
// are taken, unless MCP_CU_TRUST_CWD_CONFIG is on. Blocked words of all sources add up.
//
// The error joins one *Error for each mistake; the settings are of no use then.
func Load(ctx context.Context, req Request) (Loaded, error) {
	env := newEnvironment(req.Environ, req.GOOS)
	out := Loaded{Settings: Defaults()}
	layers, err := req.layers(env)
	if err != nil {
		return Loaded{}, err
	}
	var mistakes []error
	for _, l := range layers {
		data, err := readFile(l.path)
		if errors.Is(err, fs.ErrNotExist) && !l.must {
			continue
		}
		var warnings []string
		if err == nil {
			warnings, err = l.apply(&out.Settings, data)
		}
		out.Warnings = append(out.Warnings, warnings...)
		out.File, out.Files = l.path, append(out.Files, l.path)
		mistakes = append(mistakes, err)
	}
	mistakes = append(mistakes, env.apply(ctx, &out.Settings, req.WorkDir, req.Home))
	if err := errors.Join(mistakes...); err != nil {
		return Loaded{}, err
	}
	if out.Settings.EngineOS == "" {
		out.Settings.EngineOS = platform(req.GOOS)
	}
	out.Warnings = append(out.Warnings, env.unknownVariables()...)
	out.Warnings = append(out.Warnings, out.Settings.doubts()...)
	return out, nil
}

// layers lists the files to look at, the weakest first.
func (req Request) layers(env environment) ([]layer, error) {
	path := req.ConfigPath
	if path == "" {
		path = env.get(configVariable)
	}
	if path != "" {
		return []layer{{path: absolute(path, req.WorkDir, req.Home), home: req.Home, trusted: true, must: true}}, nil
	}
	trusted, err := env.flag(trustVariable)
	if err != nil {
		return nil, err
	}
	var list []layer
	if req.Home != "" {
		user := filepath.Join(req.Home, ".config", "mcp-computer-use", "config.toml")
		list = append(list, layer{path: user, home: req.Home, trusted: true})
	}
	if req.WorkDir != "" {
		own := filepath.Join(req.WorkDir, "mcp-computer-use.toml")
		list = append(list, layer{path: own, home: req.Home, trusted: trusted})
	}
	return list, nil
}

// platform is the engine's platform of a Go system name.
func platform(goos string) string {
	switch goos {
	case "windows":
		return "windows"
	case "darwin":
		return "macos"
	}
	return "linux"
}

// doubts are warnings about values that are allowed one by one but not sensible together.
func (s Settings) doubts() []string {
	var list []string
	if s.TimeoutMin > s.TimeoutMax {
		list = append(list, fmt.Sprintf("timeout_min (%v) is greater than timeout_max (%v)", s.TimeoutMin, s.TimeoutMax))
	}
	return list
}
