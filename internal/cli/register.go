package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// serverName is the name under which clients know the server.
const serverName = "computer-use"

// clients are the programs that a registration is printed for, in the order of the help text.
var clients = []struct {
	name  string
	print func(program string) (string, error)
}{
	{"claude-code", claudeCode},
	{"claude-desktop", func(p string) (string, error) { return block("mcpServers", entry{Command: p, Args: []string{}}) }},
	{"codex", codex},
	{"cursor", func(p string) (string, error) { return block("mcpServers", entry{Command: p, Args: []string{}}) }},
	{"vscode", func(p string) (string, error) {
		return block("servers", entry{Type: "stdio", Command: p, Args: []string{}})
	}},
	{"cline", func(p string) (string, error) {
		return block("mcpServers", entry{Command: p, Args: []string{}, Timeout: 120, Disabled: new(bool)})
	}},
}

// entry is one server in a client's JSON configuration. The program is started directly: a shell in
// between would outlive its client.
type entry struct {
	Type     string   `json:"type,omitempty"`
	Command  string   `json:"command"`
	Args     []string `json:"args"`
	Timeout  int      `json:"timeout,omitempty"` // seconds for a tool call
	Disabled *bool    `json:"disabled,omitempty"`
}

// printConfig prints what registers this very executable with a client.
func (r *run) printConfig() (int, error) {
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return exitUsage, fmt.Errorf("find this program's own path: %w", err)
	}
	var names []string
	for _, client := range clients {
		names = append(names, client.name)
		if client.name != r.args[0] {
			continue
		}
		text, err := client.print(program)
		if err != nil {
			return exitUsage, err
		}
		if strings.Contains(filepath.ToSlash(program), "/go-build") {
			fmt.Fprintln(r.err, "mcp-computer-use: warning: this is the temporary program of go run, which goes away; "+
				"build it (go build) and print the block with that")
		}
		return r.streams.print(text), nil
	}
	return exitUsage, usagef("--print-config %.40q: known clients are %s", r.args[0], strings.Join(names, ", "))
}

func block(key string, server entry) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(map[string]map[string]entry{key: {serverName: server}}); err != nil {
		return "", fmt.Errorf("write the block: %w", err)
	}
	return out.String(), nil
}

// codex is a table of config.toml. Its time-out lies above the call budget, so that the structured
// answer comes first.
func codex(program string) (string, error) {
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = []\nstartup_timeout_sec = 20\ntool_timeout_sec = 120\n",
		serverName, tomlString(program)), nil
}

// tomlString is a literal string where the text allows it, so that Windows paths stay readable.
func tomlString(text string) string {
	if !strings.ContainsAny(text, "'\n\r\t") {
		return "'" + text + "'"
	}
	quoted, _ := json.Marshal(text) // a JSON string is a TOML basic string; a string always marshals
	return string(quoted)
}

// claudeCode is the command that registers with Claude Code.
func claudeCode(program string) (string, error) {
	return fmt.Sprintf("claude mcp add %s --scope user -- %s\n", serverName, shellWord(program, runtime.GOOS)), nil
}

// shellWord quotes a path for a person to paste: for PowerShell on Windows, else for a POSIX shell.
func shellWord(path, goos string) string {
	if !strings.ContainsAny(path, " '\"$`&|;<>()*?[]!#~%\t\n") {
		return path
	}
	if goos == "windows" {
		return "'" + strings.ReplaceAll(path, "'", "''") + "'"
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
