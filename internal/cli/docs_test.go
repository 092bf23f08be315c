package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"mcp-computer-use/internal/result"
)

// docsRoot is the project's folder, seen from this package.
const docsRoot = "../.."

// page is one Markdown document.
type page struct {
	name   string // slash-separated, from the project's folder
	text   string
	blocks []fence
	prose  string // the text without its fenced blocks
}

// fence is one fenced code block.
type fence struct{ lang, text string }

// docs reads every page that people read.
func docs(t *testing.T) []page {
	t.Helper()
	files, err := filepath.Glob(docsRoot + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	files = append([]string{docsRoot + "/README.md", docsRoot + "/README.he.md"}, files...)
	if len(files) < 10 {
		t.Fatalf("only %d documents were found", len(files))
	}
	var all []page
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(docsRoot, file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parsePage(filepath.ToSlash(name), string(data)))
	}
	return all
}

func docNamed(t *testing.T, name string) page {
	t.Helper()
	for _, one := range docs(t) {
		if one.name == name {
			return one
		}
	}
	t.Fatalf("there is no %s", name)
	return page{}
}

// parsePage parts a document into fenced blocks and the rest.
func parsePage(name, text string) page {
	one := page{name: name, text: text}
	var prose, block strings.Builder
	inside, lang := false, ""
	for line := range strings.Lines(text) {
		mark, isFence := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "```")
		switch {
		case isFence && inside:
			one.blocks = append(one.blocks, fence{lang, block.String()})
			block.Reset()
			inside = false
		case isFence:
			inside, lang = true, mark
		case inside:
			block.WriteString(line)
		default:
			prose.WriteString(line)
		}
	}
	one.prose = prose.String()
	return one
}

var codeSpan = regexp.MustCompile("`([^`\n]+)`")

// spans are the pieces of inline code.
func (p page) spans() []string {
	var list []string
	for _, m := range codeSpan.FindAllStringSubmatch(p.prose, -1) {
		list = append(list, m[1])
	}
	return list
}

// code is every line of code that a reader could type: whole lines of blocks, and inline code.
func (p page) code() []string {
	list := p.spans()
	for _, block := range p.blocks {
		if block.lang == "powershell" || block.lang == "sh" {
			list = append(list, strings.Split(strings.TrimSpace(block.text), "\n")...)
		}
	}
	return list
}

func TestDocsHaveSoundBlocks(t *testing.T) {
	known := []string{"sh", "powershell", "json", "toml", "text", "markdown"}
	for _, one := range docs(t) {
		for _, block := range one.blocks {
			if !slices.Contains(known, block.lang) {
				t.Errorf("%s: a block of %q is checked by nothing", one.name, block.lang)
			}
			if block.lang == "json" && !json.Valid([]byte(block.text)) {
				t.Errorf("%s: this block is no JSON:\n%s", one.name, block.text)
			}
		}
		if strings.Count(one.text, "\n```")%2 != 0 {
			t.Errorf("%s: a block has no end", one.name)
		}
	}
}

// invocations finds the arguments of every run of this program in a line of shell code. A pipe, a
// bracket or a separator ends them.
func invocations(line string) [][]string {
	var found [][]string
	words := shellWords(line)
	for i := 0; i < len(words); i++ {
		rest := words[i+1:]
		switch {
		case words[i] == "mcp-computer-use":
		case words[i] == "go" && len(rest) > 1 && rest[0] == "run" && rest[1] == ".":
			rest = rest[2:]
		default:
			continue
		}
		end := slices.IndexFunc(rest, func(word string) bool { return slices.Contains([]string{"|", ";", ")", "}", ">"}, word) })
		if end < 0 {
			end = len(rest)
		}
		found = append(found, unquoted(rest[:end]))
		i += end
	}
	return found
}

// shellWords splits a line as PowerShell and POSIX shells do for the simple lines of our documents.
// Quotes stay, so that a quoted sign is not taken for an operator.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	quote := rune(0)
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range line {
		switch {
		case quote != 0:
			word.WriteRune(r)
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
			word.WriteRune(r)
		case unicode.IsSpace(r):
			flush()
		case strings.ContainsRune("|;(){}>", r):
			flush()
			words = append(words, string(r))
		default:
			word.WriteRune(r)
		}
	}
	flush()
	return words
}

func unquoted(words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = word
		if len(word) > 1 && (word[0] == '"' || word[0] == '\'') && word[len(word)-1] == word[0] {
			out[i] = word[1 : len(word)-1]
		}
	}
	return out
}

func TestInvocationsAreFound(t *testing.T) {
	tests := []struct {
		line string
		want [][]string
	}{
		{`mcp-computer-use --ask "Is it done?" --app 'My App' | ConvertFrom-Json`, [][]string{{"--ask", "Is it done?", "--app", "My App"}}},
		{`(mcp-computer-use --click A "(x|y)" | ConvertFrom-Json).ok`, [][]string{{"--click", "A", "(x|y)"}}},
		{`go run . --health; mcp-computer-use --ping`, [][]string{{"--health"}, {"--ping"}}},
		{`$a = mcp-computer-use`, [][]string{{}}},
		{`cd mcp-computer-use-main; go run ./x`, nil},
	}
	for _, tt := range tests {
		if got := invocations(tt.line); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// Every command line in the documents is one that the program takes.
func TestDocsCommandsParse(t *testing.T) {
	count := 0
	for _, one := range docs(t) {
		for _, line := range one.code() {
			for _, args := range invocations(line) {
				count++
				if _, err := parse(args); err != nil {
					t.Errorf("%s: %s: %v", one.name, line, err)
				}
			}
		}
	}
	if count < 40 {
		t.Errorf("only %d command lines were found", count)
	}
}

var flagWord = regexp.MustCompile(`^--[a-z][a-z-]*`)

// foreignFlags belong to other programs that the documents speak of.
func foreignFlags() []string { return []string{"--no-cdp", "--host"} }

// Every flag that is named exists, and every flag that exists is in both READMEs or in the help that
// they point to.
func TestDocsFlagsExist(t *testing.T) {
	for _, one := range docs(t) {
		for _, span := range one.spans() {
			name := flagWord.FindString(span)
			if name == "" || slices.Contains(foreignFlags(), name) {
				continue
			}
			if _, err := parse([]string{name}); err != nil && strings.Contains(err.Error(), "unknown flag") {
				t.Errorf("%s names %s, which is no flag of this program", one.name, name)
			}
		}
	}
	all := regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(usage(), -1)
	if len(all) < 20 {
		t.Fatalf("only %d flags in the help", len(all))
	}
	var text strings.Builder
	for _, one := range docs(t) {
		text.WriteString(one.text)
	}
	for _, name := range all {
		if !strings.Contains(text.String(), name) {
			t.Errorf("%s is in no document", name)
		}
	}
}

var variable = regexp.MustCompile(`MCP_CU_[A-Z0-9_]*[A-Z0-9]`)

// Every variable that is named is in the reference, which is generated from the settings.
func TestDocsVariablesExist(t *testing.T) {
	reference := variable.FindAllString(docNamed(t, "docs/configuration.md").text, -1)
	if len(reference) < 30 {
		t.Fatalf("only %d variables in the reference", len(reference))
	}
	for _, one := range docs(t) {
		for _, name := range variable.FindAllString(one.text, -1) {
			if !slices.Contains(reference, name) {
				t.Errorf("%s names %s, which is no setting", one.name, name)
			}
		}
	}
}

// The table of docs/errors.md is that of the program: codes, order, retryable, next step.
func TestDocsErrorTable(t *testing.T) {
	var want []string
	for _, code := range result.Codes() {
		again := "no"
		if result.New(code, "").Retryable {
			again = "yes"
		}
		want = append(want, fmt.Sprintf("%s | %s | %s", code, again, result.New(code, "").Suggestion))
	}
	row := regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| ([^|]+) \\| (yes|no) \\| (.+) \\|$")
	var got []string
	for _, m := range row.FindAllStringSubmatch(docNamed(t, "docs/errors.md").text, -1) {
		got = append(got, fmt.Sprintf("%s | %s | %s", m[1], m[3], m[4]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/errors.md:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every name in capitals that looks like a code is one.
func TestDocsCodesExist(t *testing.T) {
	capitals := regexp.MustCompile(`\b[A-Z]{2,}(?:_[A-Z]+)+\b`)
	others := []string{"OLLAMA_HOST", "OLLAMA_URL", "XDG_STATE_HOME", "AGENTS_SNIPPET"}
	for _, one := range docs(t) {
		for _, name := range capitals.FindAllString(one.text, -1) {
			if strings.HasPrefix(name, "MCP_CU") || strings.HasPrefix(name, "CMD_") || slices.Contains(others, name) {
				continue
			}
			if !slices.Contains(result.Codes(), result.Code(name)) {
				t.Errorf("%s names %s, which is no code", one.name, name)
			}
		}
	}
}

// Every key of an answer is explained, and no other.
func TestDocsResultKeys(t *testing.T) {
	text := docNamed(t, "docs/results.md")
	shown := make(map[string]bool)
	for _, span := range text.spans() {
		shown[strings.Trim(span, `"`)] = true
	}
	for _, answer := range []any{result.Look{}, result.Act{}, result.Ping{}, result.Release{}, result.Health{}} {
		for _, key := range answerKeys(reflect.TypeOf(answer)) {
			if !shown[key] {
				t.Errorf("docs/results.md does not explain %q of %T", key, answer)
			}
		}
	}
}

// answerKeys are the JSON keys of a struct and of the structs in it.
func answerKeys(typ reflect.Type) []string {
	var keys []string
	for field := range typ.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		keys = append(keys, key)
		inner := field.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			keys = append(keys, answerKeys(inner)...)
		}
	}
	return keys
}
