package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var duration = regexp.MustCompile(`"(duration_seconds|model_wall_seconds)":[0-9.]+`)

// masked is an answer without what differs from run to run.
func masked(line string) string { return duration.ReplaceAllString(strings.TrimSpace(line), `"$1":0`) }

// The answer that the READMEs show is the one that their first command prints.
func TestDocsFirstCommand(t *testing.T) {
	for _, name := range []string{"README.md", "README.he.md"} {
		blocks := docNamed(t, name).blocks
		if len(blocks) < 3 || blocks[1].lang != "json" {
			t.Fatalf("%s: the first blocks are not a command, its answer and the tests", name)
		}
		if !strings.HasPrefix(blocks[0].text, "go run . --replay fixtures/runs/") || blocks[2].text != "go test ./...\n" {
			t.Errorf("%s: the first commands are\n%s%s", name, blocks[0].text, blocks[2].text)
		}
		args := invocations(blocks[0].text)
		if len(args) != 1 {
			t.Fatalf("%s: no command in %s", name, blocks[0].text)
		}
		place := slices.Index(args[0], "--replay") + 1
		args[0][place] = filepath.Join(docsRoot, filepath.FromSlash(args[0][place]))
		var out, messages bytes.Buffer
		if code := Main(args[0], strings.NewReader(""), &out, &messages); code != exitOK {
			t.Fatalf("%s: exit code %d: %s%s", name, code, out.String(), messages.String())
		}
		if got, shown := masked(out.String()), masked(blocks[1].text); got != shown {
			if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
				rewriteDoc(t, name, blocks[1].text, out.String())
				continue
			}
			t.Errorf("%s shows\n%s\nbut the command prints\n%s", name, shown, out.String())
		}
	}
}

// rewriteDoc puts a new text in the place of the first old one.
func rewriteDoc(t *testing.T, name, old, text string) {
	t.Helper()
	page := docNamed(t, name)
	file := filepath.Join(docsRoot, filepath.FromSlash(name))
	if err := os.WriteFile(file, []byte(strings.Replace(page.text, old, text, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The Hebrew README has the same commands, answers and links as the English one.
func TestDocsReadmesAgree(t *testing.T) {
	english, hebrew := docNamed(t, "README.md"), docNamed(t, "README.he.md")
	if !slices.Equal(english.blocks, hebrew.blocks) {
		for i := range max(len(english.blocks), len(hebrew.blocks)) {
			if i >= len(english.blocks) || i >= len(hebrew.blocks) || english.blocks[i] != hebrew.blocks[i] {
				t.Fatalf("block %d of %d and %d differs", i+1, len(english.blocks), len(hebrew.blocks))
			}
		}
	}
	if got, want := targets(hebrew), targets(english); !slices.Equal(got, want) {
		t.Errorf("links of the Hebrew README: %q\nof the English one: %q", got, want)
	}
	if got, want := strings.Count(hebrew.text, "\n## "), strings.Count(english.text, "\n## "); got != want {
		t.Errorf("%d sections in Hebrew, %d in English", got, want)
	}
	for _, pattern := range []*regexp.Regexp{variable, regexp.MustCompile(`--[a-z][a-z-]+`)} {
		if got, want := distinct(pattern, hebrew.text), distinct(pattern, english.text); !slices.Equal(got, want) {
			t.Errorf("named in Hebrew: %q\nin English: %q", got, want)
		}
	}
	if strings.Count(hebrew.text, "<div") != strings.Count(hebrew.text, "</div>") {
		t.Error("the Hebrew README opens and closes another number of div elements")
	}
}

func distinct(pattern *regexp.Regexp, text string) []string {
	found := pattern.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// targets are what a page links to, but for the other README.
func targets(p page) []string {
	var list []string
	for _, m := range link.FindAllStringSubmatch(p.prose, -1) {
		if !strings.HasPrefix(m[1], "README") {
			list = append(list, m[1])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every relative link leads to a file, and every anchor to a heading.
func TestDocsLinks(t *testing.T) {
	count := 0
	for _, one := range docs(t) {
		for _, m := range link.FindAllStringSubmatch(one.prose, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			count++
			file, anchor, _ := strings.Cut(m[1], "#")
			path := filepath.Join(docsRoot, filepath.FromSlash(one.name))
			if file != "" {
				path = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Errorf("%s links to %s: %v", one.name, m[1], err)
			} else if anchor != "" && !slices.Contains(anchors(string(data)), anchor) {
				t.Errorf("%s links to %s, but there is no such heading", one.name, m[1])
			}
		}
	}
	if count < 30 {
		t.Errorf("only %d links were found", count)
	}
}

// anchors are the names that a page's headings get on GitHub.
func anchors(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || line[0] != '#' {
			continue
		}
		list = append(list, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(heading)))
	}
	return list
}

// The blocks for clients are those that the program prints.
func TestDocsRegistering(t *testing.T) {
	const program = `C:\Tools\mcp-computer-use.exe`
	text := docNamed(t, "docs/registering.md").text
	for _, client := range clients {
		block, err := client.print(program)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, "\n"+block+"```\n") {
			t.Errorf("docs/registering.md lacks the block of %s:\n%s", client.name, block)
		}
		for _, name := range []string{"docs/registering.md", "README.md"} {
			if !strings.Contains(docNamed(t, name).text, "--print-config "+client.name+"\n") {
				t.Errorf("%s lacks the command for %s", name, client.name)
			}
		}
	}
	for _, block := range docNamed(t, "README.md").blocks {
		if strings.Contains(block.text, program) && !strings.Contains(text, block.text) {
			t.Errorf("README.md shows another block than docs/registering.md:\n%s", block.text)
		}
	}
}

// tool is one tool as clients see it.
type tool struct {
	Name   string `json:"name"`
	Schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	} `json:"inputSchema"`
}

// signature is how the documents write a tool: an optional parameter has a question mark.
func (one tool) signature(t *testing.T) string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(one.Schema.Properties))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(key)
		if !slices.Contains(one.Schema.Required, name) {
			name += "?"
		}
		names = append(names, name)
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			t.Fatal(err)
		}
	}
	return one.Name + "(" + strings.Join(names, ", ") + ")"
}

// listedTools reads the golden of tools/list.
func listedTools(t *testing.T) []tool {
	t.Helper()
	data, err := os.ReadFile("../mcpserver/testdata/tools-list.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Result struct {
			Tools []tool `json:"tools"`
		} `json:"result"`
		Tools []tool `json:"tools"`
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	list := append(golden.Tools, golden.Result.Tools...)
	if len(list) != 6 {
		t.Fatalf("%d tools in the golden, want 6", len(list))
	}
	return list
}

// The tables of tools show the parameters of the schemas.
func TestDocsTools(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+\\([a-z_?, ]*\\))` \\|")
	for _, name := range []string{"README.md", "README.he.md"} {
		var got, want []string
		for _, m := range row.FindAllStringSubmatch(docNamed(t, name).text, -1) {
			got = append(got, m[1])
		}
		for _, one := range listedTools(t) {
			want = append(want, one.signature(t))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant:\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Calls that are shown use parameters that exist.
func TestDocsToolCalls(t *testing.T) {
	allowed := make(map[string]string)
	for _, one := range listedTools(t) {
		allowed[one.Name] = one.signature(t)
	}
	call := regexp.MustCompile(`\b([a-z_]+)\(([^)]*=[^)]*)\)`)
	parameter := regexp.MustCompile(`(?:^|, )([a-z_]+)=`)
	count := 0
	for _, one := range docs(t) {
		for _, span := range one.spans() {
			m := call.FindStringSubmatch(span)
			if m == nil {
				continue
			}
			count++
			for _, p := range parameter.FindAllStringSubmatch(m[2], -1) {
				if !regexp.MustCompile(`[( ]` + p[1] + `\??[,)]`).MatchString(allowed[m[1]]) {
					t.Errorf("%s: %s: there is no parameter %s in %q", one.name, span, p[1], allowed[m[1]])
				}
			}
		}
	}
	if count < 4 {
		t.Errorf("only %d calls were found", count)
	}
}

// Tests, fuzz targets and benchmarks that a command names exist.
func TestDocsTestCommands(t *testing.T) {
	target := regexp.MustCompile(`go test (?:\./)?(\S+) .*-fuzz (\w+)`)
	found := false
	for _, block := range docNamed(t, "README.md").blocks {
		for _, m := range target.FindAllStringSubmatch(block.text, -1) {
			found = true
			files, err := filepath.Glob(filepath.Join(docsRoot, m[1], "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(files, func(file string) bool {
				data, err := os.ReadFile(file)
				return err == nil && bytes.Contains(data, []byte("func "+m[2]+"("))
			}) {
				t.Errorf("there is no fuzz target %s in %s", m[2], m[1])
			}
		}
	}
	if !found {
		t.Error("README.md shows no fuzz target")
	}
}

// The map of packages names folders that exist, and leaves none out.
func TestDocsPackageMap(t *testing.T) {
	var shown []string
	for _, m := range regexp.MustCompile("(?m)^\\|[^|]*\\| `([a-z0-9/.]+)` \\|").FindAllStringSubmatch(docNamed(t, "docs/architecture.md").text, -1) {
		shown = append(shown, m[1])
		if _, err := os.Stat(filepath.Join(docsRoot, m[1])); err != nil {
			t.Errorf("docs/architecture.md names %s: %v", m[1], err)
		}
	}
	all, err := filepath.Glob(docsRoot + "/internal/*")
	if err != nil || len(all) < 10 {
		t.Fatalf("folders: %q, %v", all, err)
	}
	for _, folder := range all {
		if name := "internal/" + filepath.Base(folder); name != "internal/archtest" && !slices.Contains(shown, name) {
			t.Errorf("docs/architecture.md leaves out %s", name)
		}
	}
}
