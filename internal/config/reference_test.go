package config

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts returns the comment of every field of Settings, as one line.
func texts(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "settings.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "Settings" {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			out[field.Names[0].Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
		}
		return false
	})
	return out
}

// described is a setting with the name and comment of its field, and the chapter that it starts.
type described struct {
	setting
	field, group, text string
}

func describe(t *testing.T) []described {
	t.Helper()
	comments := texts(t)
	var list []described
	for _, one := range settings() {
		field := reflect.TypeFor[Settings]().Field(one.index)
		list = append(list, described{one, field.Name, field.Tag.Get("group"), comments[field.Name]})
	}
	return list
}

func TestEverySettingIsDescribed(t *testing.T) {
	keys, envs := make(map[string]bool), make(map[string]bool)
	for i, one := range describe(t) {
		if one.text == "" || !strings.HasSuffix(one.text, ".") {
			t.Errorf("%s: comment %q", one.field, one.text)
		}
		if i == 0 && one.group == "" {
			t.Error("the first setting starts no chapter")
		}
		if one.key == "" || one.env == "" || one.kind == "" {
			t.Errorf("%s lacks a tag: %+v", one.field, one.setting)
		}
		for _, key := range one.keys {
			if keys[key] {
				t.Errorf("key %s twice", key)
			}
			keys[key] = true
		}
		for _, env := range one.envs {
			if envs[env] {
				t.Errorf("variable %s twice", env)
			}
			envs[env] = true
		}
		if env := "MCP_CU_" + strings.ToUpper(strings.ReplaceAll(one.key, ".", "_")); env != one.env {
			t.Errorf("%s: variable %s, want %s", one.key, one.env, env)
		}
		if _, err := one.parse(one.fallback); one.fallback != "" && err != nil {
			t.Errorf("%s: default %q: %v", one.key, one.fallback, err)
		}
	}
}

const preface = `# Configuration

<!-- Generated from internal/config: change the comments there and run go test ./internal/config -update. -->

Every setting has a default, a key for a TOML file and an environment variable. The environment wins over files, files win over defaults.
An empty variable counts as not set.

## Where settings are read

1. A file that ` + "`--config FILE` or `MCP_CU_CONFIG`" + ` names is the only one that is read, and it must exist. The flag wins.
2. Otherwise ` + "`%USERPROFILE%\\.config\\mcp-computer-use\\config.toml` (`~/.config/mcp-computer-use/config.toml` on Linux and macOS)" + ` is read where it exists, and
3. ` + "`mcp-computer-use.toml`" + ` in the working folder on top of it. That file may have come with somebody else's repository. Only the settings marked *folder* are
   taken from it; all others are ignored with a warning, so that it can't choose what is run, where the text of your screen goes, or loosen a guard.
   ` + "`MCP_CU_TRUST_CWD_CONFIG=1`" + ` takes all of them.

Blocked words of all sources add up: no source takes a word of another one away.

## Forms

- Durations: a number of the unit that the table names, or a text with units such as ` + "`\"90s\"`, `\"1m30s\"`, `\"24h\"`" + `.
- Booleans: ` + "`true`, `yes`, `on`, `1` and `false`, `no`, `off`, `0`" + `, in any case.
- Lists of words: separated by commas, or in a file an array of strings.
- Paths: ` + "`~`" + ` is your home. A relative path counts from the folder of the file that holds it, or from the working folder if it comes from the environment.
  Write Windows paths in single quotes in a file: ` + "`'C:\\folder'`" + `.

## Mistakes

A key that no setting has is ignored with a warning, which names its line and the nearest key there is. A value of the wrong type or out of its range, and a file that is no
TOML, stop the start with the file, the line and the allowed values (for the environment: the variable). The program never starts half-configured.

`

func reference(t *testing.T) string {
	var out strings.Builder
	out.WriteString(preface)
	for _, one := range describe(t) {
		if one.group != "" {
			fmt.Fprintf(&out, "## %s\n\n| Key | Variable | Default | Meaning |\n|---|---|---|---|\n", one.group)
		}
		note := ""
		if one.cwd {
			note = " *folder*"
		}
		values := strings.ReplaceAll(one.allowed(), "|", `\|`)
		fmt.Fprintf(&out, "| %s%s | %s | %s | %s<br>Values: %s. |\n", code(one.keys), note, code(one.envs), shownDefault(one), one.text, values)
		if last := one.index == reflect.TypeFor[Settings]().NumField()-1; last || groupAfter(one.index) != "" {
			out.WriteByte('\n')
		}
	}
	out.WriteString("## Variables that are no settings\n\n| Variable | Meaning |\n|---|---|\n" +
		"| `MCP_CU_CONFIG` | The settings file; see above. |\n| `MCP_CU_TRUST_CWD_CONFIG` | Take every setting from the working folder's file; see above. |\n")
	return out.String()
}

func groupAfter(index int) string {
	return reflect.TypeFor[Settings]().Field(index + 1).Tag.Get("group")
}

func code(names []string) string {
	return "`" + strings.Join(names, "`, `") + "`"
}

func shownDefault(one described) string {
	if one.fallback == "" {
		return "–"
	}
	return "`" + one.fallback + "`"
}

func example(t *testing.T) string {
	var out strings.Builder
	out.WriteString("# Settings of mcp-computer-use. Every line shows a default: take the # away and change the value.\n" +
		"# The places of this file, and the environment variables that win over it: docs/configuration.md.\n")
	var tables strings.Builder
	for _, one := range describe(t) {
		to, key := &out, one.key
		if table, rest, ok := strings.Cut(one.key, "."); ok {
			if to, key = &tables, rest; to.Len() == 0 {
				fmt.Fprintf(to, "\n[%s]\n", table)
			}
		} else if one.group != "" {
			fmt.Fprintf(to, "\n# --- %s ---\n", one.group)
		}
		fmt.Fprintf(to, "\n# %s\n# Values: %s.\n#%s = %s\n", one.text, one.allowed(), key, tomlDefault(one))
	}
	return out.String() + tables.String()
}

// tomlDefault prints a default as a file has it: numbers and booleans bare, the rest as a string.
func tomlDefault(one described) string {
	_, isSpan := spanOf(one.kind)
	_, isNumber := parseNumber(one.fallback)
	switch {
	case one.kind == "words":
		return "[]"
	case one.kind == "bool", isNumber && (isSpan || one.kind != "text"):
		return one.fallback
	}
	return strconv.Quote(one.fallback)
}

func TestGeneratedDocuments(t *testing.T) {
	golden(t, filepath.Join("..", "..", "docs", "configuration.md"), reference(t))
	golden(t, filepath.Join("..", "..", "mcp-computer-use.example.toml"), example(t))
}

// The example with every line switched on says nothing but the defaults.
func TestExampleIsTheDefaults(t *testing.T) {
	var lines []string
	for line := range strings.Lines(example(t)) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") {
			line = rest
		}
		lines = append(lines, line)
	}
	text := strings.Join(lines, "")
	if got := strings.Count(text, " = "); got < len(settings()) {
		t.Fatalf("only %d settings in the example", got)
	}
	w := newWorld(t, map[string]string{userFile: text})
	out := w.load(t)
	want := Defaults()
	want.EngineOS = "linux"
	if diff := cmp.Diff(want, out.Settings); diff != "" || len(out.Warnings) != 0 {
		t.Errorf("warnings %q, -defaults +example:\n%s", out.Warnings, diff)
	}
}
