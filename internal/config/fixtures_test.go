package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the goldens and the generated documents")

// TestWrongFiles reads every file below fixtures/config and compares what is said about it with the
// golden beside it. Files in bad stop the start, those in warn do not; folder stands for the working
// folder, whose file is not trusted.
func TestWrongFiles(t *testing.T) {
	top := filepath.Join("..", "..", "fixtures", "config")
	for _, sort := range []string{"bad", "warn", "folder"} {
		files, err := filepath.Glob(filepath.Join(top, sort, "*.toml"))
		if err != nil || len(files) < 2 {
			t.Fatalf("%s: %d files, %v", sort, len(files), err)
		}
		for _, file := range files {
			t.Run(sort+"/"+filepath.Base(file), func(t *testing.T) {
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				w := newWorld(t, map[string]string{"work/named.toml": string(content)})
				req := w.request()
				req.ConfigPath = "named.toml"
				if sort == "folder" {
					w = newWorld(t, map[string]string{ownFile: string(content)})
					req = w.request()
				}
				out, err := Load(t.Context(), req)
				if (err != nil) != (sort == "bad") {
					t.Fatalf("error %v, settings %+v", err, out.Settings)
				}
				said := strings.Join(out.Warnings, "\n") + "\n"
				if err != nil {
					said = err.Error() + "\n"
				}
				golden(t, strings.TrimSuffix(file, ".toml")+".golden", strings.ReplaceAll(said, w.work+string(filepath.Separator), ""))
			})
		}
	}
}

func TestEveryGoldenHasItsFile(t *testing.T) {
	goldens, err := filepath.Glob(filepath.Join("..", "..", "fixtures", "config", "*", "*.golden"))
	if err != nil || len(goldens) == 0 {
		t.Fatalf("%d goldens, %v", len(goldens), err)
	}
	for _, file := range goldens {
		if _, err := os.Stat(strings.TrimSuffix(file, ".golden") + ".toml"); err != nil {
			t.Error(err)
		}
	}
}

// golden compares a text with a file, or rewrites the file under -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); go test -update rewrites it:\n%s", file, diff)
	}
}

func TestWrongVariables(t *testing.T) {
	tests := []struct{ env, want string }{
		{"MCP_CU_TIMEOUT_BASE=soon", `MCP_CU_TIMEOUT_BASE = "soon" has the wrong type; allowed: seconds from 0.1 to 86400`},
		{"MCP_CU_TIMEOUT_BASE=0.05", `MCP_CU_TIMEOUT_BASE = "0.05" is out of range; allowed: seconds from 0.1`},
		{"OLLAMA_URL=ftp://x", `OLLAMA_URL = "ftp://x" is not allowed; allowed: an http or https address`},
		{"MCP_CU_HEALTH_HTTP_PORT=0", `MCP_CU_HEALTH_HTTP_PORT = "0" is out of range; allowed: a whole number from 1 to 65535`},
		{"MCP_CU_MAX_CHARS=1e999", `MCP_CU_MAX_CHARS = "1e999" is out of range`},
		{"MCP_CU_MEMORY_WATCH=maybe", `MCP_CU_MEMORY_WATCH = "maybe" has the wrong type; allowed: true or false (also 1, yes, on`},
		{"MCP_CU_OUTPUT=short", `MCP_CU_OUTPUT = "short" is not allowed; allowed: full or brief`},
		{"MCP_CU_AGENT_CU_CMD=agent-cu.ps1", `MCP_CU_AGENT_CU_CMD = "agent-cu.ps1" is not allowed`},
		{"MCP_CU_HTTP_TOKEN=hunter2\x01", `MCP_CU_HTTP_TOKEN = (secret) is not allowed`},
		{"MCP_CU_TRUST_CWD_CONFIG=si", `MCP_CU_TRUST_CWD_CONFIG = "si" has the wrong type; allowed: true or false`},
		{"MCP_CU_CONFIG=missing.toml", `missing.toml: can't be read: `},
	}
	for _, tt := range tests {
		w := newWorld(t, nil, tt.env)
		out, err := Load(t.Context(), w.request())
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s", tt.env, err, tt.want)
		}
		if diff := cmp.Diff(Loaded{}, out); diff != "" {
			t.Errorf("%s: a half-configured result:\n%s", tt.env, diff)
		}
	}
	w := newWorld(t, map[string]string{userFile: "max_chars = 0\n", ownFile: "output = 1\n"}, "MCP_CU_PORT=1", "MCP_CU_NUM_CTX=x", "MCP_CU_ELICIT=x")
	_, err := Load(t.Context(), w.request())
	if got := len(strings.Split(fmt.Sprint(err), "\n")); got != 4 {
		t.Errorf("%d mistakes told, want 4: %v", got, err)
	}
}
