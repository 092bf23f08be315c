package store

import (
	"errors"
	"path"
	"strings"
)

// Names of the program's folder and of the folder that holds its files.
const (
	productFolder = "mcp-computer-use"
	stateFolder   = ".sessions"
)

// ErrNoPlace says that neither a setting nor the user's home names a folder for the state.
var ErrNoPlace = errors.New("no folder for sessions and logs: set MCP_CU_SESSIONS_DIR")

// Surroundings is what the place of the state folder depends on.
type Surroundings struct {
	GOOS   string
	Getenv func(name string) string
	Exe    string // absolute path of the running program, links followed; empty where unknown
	IsDir  func(path string) bool
}

// StateDir returns the folder of sessions, logs and learned time-outs; it need not exist. In this
// order: MCP_CU_SESSIONS_DIR as it is written, .sessions beside the program if that folder exists, the
// user's state folder. Source: spec/contract.md section 10.
func StateDir(s Surroundings) (string, error) {
	if dir := s.Getenv("MCP_CU_SESSIONS_DIR"); strings.TrimSpace(dir) != "" {
		return dir, nil
	}
	if beside := s.beside(); beside != "" && s.IsDir(beside) {
		return beside, nil
	}
	base := s.userState()
	if base == "" {
		return "", ErrNoPlace
	}
	return s.join(base, productFolder, stateFolder), nil
}

// beside is the state folder next to the program.
func (s Surroundings) beside() string {
	separators := "/"
	if s.GOOS == "windows" {
		separators = `/\`
	}
	end := strings.LastIndexAny(s.Exe, separators)
	if end < 0 {
		return ""
	}
	return s.Exe[:end+1] + stateFolder
}

// userState is the folder in which a user's programs keep their state.
func (s Surroundings) userState() string {
	switch s.GOOS {
	case "windows":
		if local := s.Getenv("LOCALAPPDATA"); local != "" {
			return local
		}
		return s.below("USERPROFILE", "AppData", "Local")
	case "darwin", "ios":
		return s.below("HOME", "Library", "Application Support")
	}
	// The XDG rules say that a relative path is to be ignored.
	if state := s.Getenv("XDG_STATE_HOME"); path.IsAbs(state) {
		return state
	}
	return s.below("HOME", ".local", "state")
}

func (s Surroundings) below(variable string, parts ...string) string {
	home := s.Getenv(variable)
	if home == "" {
		return ""
	}
	return s.join(home, parts...)
}

func (s Surroundings) join(base string, parts ...string) string {
	separator := "/"
	if s.GOOS == "windows" {
		separator = `\`
	}
	if trimmed := strings.TrimRight(base, separator); trimmed != "" {
		base = trimmed
	} else {
		base = "" // the root itself
	}
	return base + separator + strings.Join(parts, separator)
}
