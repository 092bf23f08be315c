package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// badImports checks the imports of one file against the tables.
func badImports(s source) []string {
	r := rowOf(s.pkg())
	if r == nil {
		return []string{fmt.Sprintf("%s: package %s is not in the import table", s.file, s.pkg())}
	}
	var problems []string
	for imported, pos := range s.imports() {
		why := ""
		if own, ok := strings.CutPrefix(imported, module+"/"); ok {
			why = badOwnImport(s, *r, own)
		} else {
			why = badForeignImport(s, *r, imported)
		}
		if why != "" {
			problems = append(problems, fmt.Sprintf("%s: %s must not import %s: %s", s.at(pos), name(s.pkg()), imported, why))
		}
	}
	return problems
}

// badOwnImport says why a package of ours may not be imported; "" when it may. Tests may also replay
// a recording over the seam, and so need its vocabulary, and may test from outside of their package.
func badOwnImport(s source, r row, imported string) string {
	allowed := strings.Fields(r.imports)
	if s.isTest() && (imported == "internal/replay" || imported == "internal/proc" || imported == s.pkg()) {
		return ""
	}
	if to := rowOf(imported); to != nil && slices.Contains(allowed, name(imported)) {
		return ""
	}
	return r.because
}

func badForeignImport(s source, r row, imported string) string {
	best := confined{}
	for _, c := range confinements() {
		if (imported == c.prefix || strings.HasPrefix(imported, c.prefix+"/")) && len(c.prefix) > len(best.prefix) {
			best = c
		}
	}
	first, _, _ := strings.Cut(imported, "/")
	standard := !strings.Contains(first, ".")
	switch {
	case best.prefix == "" && standard:
		return ""
	case best.prefix == "":
		return "it is in no table; a new dependency needs a row"
	case slices.Contains(strings.Fields(best.only), name(r.path)):
		return ""
	case s.isTest() && imported != "C" && (standard || best.because == "for tests"):
		return ""
	case r.path == "internal/cli" && s.isTest() && best.prefix == "github.com/mark3labs/mcp-go":
		return "" // a client for the whole program
	}
	if best.only == "" {
		return best.because
	}
	return "only " + best.only + " may: " + best.because
}

func TestImports(t *testing.T) {
	var problems []string
	for _, s := range sources(t) {
		problems = append(problems, badImports(s)...)
	}
	report(t, problems)
}

func TestPackagesOfTheTableExist(t *testing.T) {
	top := root(t)
	found := packages(sources(t))
	for _, r := range table() {
		info, err := os.Stat(filepath.Join(top, filepath.FromSlash(r.path)))
		if err == nil && info.IsDir() && len(found[r.path]) == 0 {
			t.Errorf("%s is in the import table but holds no Go file", r.path)
		}
	}
}

func TestBadImports(t *testing.T) {
	tests := []struct {
		file, imported string
		want           string // part of the reason; empty for an import that is allowed
	}{
		{"internal/cli/a.go", "mcp-computer-use/internal/config", ""},
		{"internal/bridge/a.go", "mcp-computer-use/agentcu", ""},
		{"internal/bridge/a.go", "mcp-computer-use/internal/proc", "order of the use cases"},
		{"internal/bridge/a_test.go", "mcp-computer-use/internal/replay", ""},
		{"internal/bridge/a_test.go", "mcp-computer-use/internal/mcpserver", "order of the use cases"},
		{"agentcu/a.go", "mcp-computer-use/internal/replay", "command line"},
		{"agentcu/a_test.go", "mcp-computer-use/agentcu", ""},
		{"safety/a.go", "mcp-computer-use/internal/agentcu", "pure"},
		{"internal/proc/a.go", "os/exec", ""},
		{"agentcu/a.go", "os/exec", "only proc"},
		{"agentcu/a_test.go", "os/exec", ""},
		{"internal/bridge/a.go", "net/http", "one transport"},
		{"internal/ollama/a.go", "net/http", ""},
		{"internal/ollama/a.go", "net/http/httptest", "for tests"},
		{"internal/ollama/a.go", "net/url", ""},
		{"internal/ollama/a.go", "net/http/httputil", ""},
		{"internal/cli/a.go", "net/http/httputil", "only ollama"},
		{"internal/store/a.go", "github.com/gofrs/flock", ""},
		{"sessions/a.go", "github.com/gofrs/flock", "only store"},
		{"sessions/a_test.go", "github.com/gofrs/flock", "only store"},
		{"sessions/a.go", "github.com/google/go-cmp/cmp", "for tests"},
		{"sessions/a_test.go", "github.com/google/go-cmp/cmp", ""},
		{"sessions/a.go", "example.com/new", "no table"},
		{"internal/store/a.go", "C", "cgo"},
		{"internal/store/a_test.go", "C", "cgo"},
		{"internal/utils/a.go", "fmt", "not in the import table"},
		{"main.go", "mcp-computer-use/internal/cli", ""},
		{"main.go", "mcp-computer-use/internal/config", "ends the process"},
	}
	for _, tt := range tests {
		s, err := parse(tt.file, fmt.Appendf(nil, "package x\n\nimport _ %q\n", tt.imported))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(badImports(s), "\n")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s imports %s: %q, want %q", tt.file, tt.imported, got, tt.want)
		}
	}
}
