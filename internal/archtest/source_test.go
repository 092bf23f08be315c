package archtest

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is one parsed Go file.
type source struct {
	file string // path below the module's root, with slashes
	text []byte
	ast  *ast.File
	set  *token.FileSet
}

// pkg is the path of the file's package below the module; "." is the root.
func (s source) pkg() string { return path.Dir(s.file) }

func (s source) isTest() bool { return strings.HasSuffix(s.file, "_test.go") }

// at is a position as "file:line".
func (s source) at(p token.Pos) string {
	return s.file + ":" + strconv.Itoa(s.set.Position(p).Line)
}

// lines counts the lines from one position to another.
func (s source) lines(from, to token.Pos) int {
	return s.set.Position(to).Line - s.set.Position(from).Line + 1
}

// imports lists the import paths with their positions.
func (s source) imports() map[string]token.Pos {
	out := make(map[string]token.Pos)
	for _, spec := range s.ast.Imports {
		out[strings.Trim(spec.Path.Value, `"`)] = spec.Pos()
	}
	return out
}

func parse(file string, text []byte) (source, error) {
	set := token.NewFileSet()
	// Objects are resolved, deprecated or not: they tell a package's variables from local ones.
	tree, err := parser.ParseFile(set, file, text, parser.ParseComments)
	return source{file, text, tree, set}, err
}

// root is the folder of go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// skipped are folders without code of the program. zdeps only pins modules.
func skipped(name string) bool {
	return name == "testdata" || name == "zdeps" || name == "node_modules" || len(name) > 1 && (name[0] == '.' || name[0] == '_')
}

// sources parses every Go file of the module, whatever system it is for.
func sources(t *testing.T) []source {
	t.Helper()
	top := root(t)
	var list []source
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && skipped(entry.Name()) {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(file) != ".go" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		one, err := parse(filepath.ToSlash(rel), text)
		if err != nil {
			return err
		}
		list = append(list, one)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 10 {
		t.Fatalf("only %d Go files found below %s", len(list), top)
	}
	return list
}

// packages groups files by package folder.
func packages(list []source) map[string][]source {
	out := make(map[string][]source)
	for _, s := range list {
		out[s.pkg()] = append(out[s.pkg()], s)
	}
	return out
}

// report fails the test with one line for each problem.
func report(t *testing.T, problems []string) {
	t.Helper()
	slices.Sort(problems)
	for _, problem := range slices.Compact(problems) {
		t.Error(problem)
	}
}

func isFormatted(s source) bool {
	formatted, err := format.Source(s.text)
	return err == nil && bytes.Equal(formatted, s.text)
}
