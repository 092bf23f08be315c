package agentcu

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Home is a private folder that a call's children see as the user's home. agent-cu keeps its refs in
// one file of the home folder; in a home of its own no other caller can renumber them between a
// snapshot and its click (spec/agent-cu.md, "Hazards").
type Home struct {
	dir  string
	once sync.Once
	err  error
}

// homePrefix begins the names of all homes.
const homePrefix = "mcp-cu-home-"

// abandoned is the age of a home that no call can still use.
const abandoned = time.Hour

// NewHome makes a home that only the user can read. The caller closes it after the last act.
func (c *Client) NewHome() (*Home, error) {
	dir, err := os.MkdirTemp(c.opts.TempDir, homePrefix)
	if err != nil {
		return nil, &Error{Kind: Failed, Message: "no private folder for agent-cu could be made", err: err}
	}
	c.sweep.Do(func() { removeAbandoned(dir) })
	return &Home{dir: dir}, nil
}

// removeAbandoned removes the homes beside a new one that killed processes left: they hold names and
// pictures of what was on the screen. The age is counted by the file system's own clock. Links are not
// followed, and those of other users can't be removed.
func removeAbandoned(fresh string) {
	made, err := os.Stat(fresh)
	if err != nil {
		return
	}
	parent := filepath.Dir(fresh)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), homePrefix) || !entry.IsDir() {
			continue
		}
		if info, err := entry.Info(); err == nil && made.ModTime().Sub(info.ModTime()) > abandoned {
			_ = os.RemoveAll(filepath.Join(parent, entry.Name()))
		}
	}
}

// Dir is the folder's absolute path.
func (h *Home) Dir() string { return h.dir }

// refs is where a snapshot in this home writes its refs.
func (h *Home) refs() string { return filepath.Join(h.dir, ".agent-cu", "refs.json") }

// longestPause is the last of the growing pauses in which Close waits for a folder to come free.
const longestPause = 320 * time.Millisecond

// Close removes the folder with all that is in it; closing twice is allowed. On Windows a child that
// was just ended can hold a file for a moment, so it is tried for about half a second: what is left
// would stay on the disk, with what was on the screen.
func (h *Home) Close() error {
	h.once.Do(func() {
		for pause := 20 * time.Millisecond; ; pause *= 2 {
			h.err = os.RemoveAll(h.dir)
			if h.err == nil || pause > longestPause {
				return
			}
			time.Sleep(pause)
		}
	})
	return h.err
}

// childEnv is the environment of a child in a home: HOME is what agent-cu reads first on every system,
// then USERPROFILE. The X server's key stays reachable, and log lines, which agent-cu prints in front
// of its answer, are switched off. All else is passed on.
func (c *Client) childEnv(home *Home) []string {
	owned := map[string]string{"HOME": home.dir, "USERPROFILE": home.dir, "AGENT_CLICK_LOG": "off"}
	var env []string
	realHome, authority := "", ""
	for _, entry := range c.environ() {
		key, value, _ := strings.Cut(entry, "=")
		switch {
		case c.sameKey(key, "HOME"):
			realHome = value
		case key == "XAUTHORITY":
			authority = value
		}
		if !c.isOwned(owned, key) {
			env = append(env, entry)
		}
	}
	if authority == "" && realHome != "" {
		if key := filepath.Join(realHome, ".Xauthority"); isFile(key) {
			owned["XAUTHORITY"] = key
		}
	}
	for _, key := range []string{"HOME", "USERPROFILE", "AGENT_CLICK_LOG", "XAUTHORITY"} {
		if value, ok := owned[key]; ok {
			env = append(env, key+"="+value)
		}
	}
	return env
}

// sameKey compares names of variables as the engine's system does.
func (c *Client) sameKey(a, b string) bool {
	return a == b || os.PathSeparator == '\\' && strings.EqualFold(a, b)
}

func (c *Client) isOwned(owned map[string]string, key string) bool {
	for name := range owned {
		if c.sameKey(key, name) {
			return true
		}
	}
	return false
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
