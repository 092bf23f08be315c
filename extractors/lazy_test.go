package extractors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every literal expression compiles: without this a wrong one would only show on the window that needs
// it. Expressions built from parts are compiled by the tables that use them.
func TestLazyPatternsCompile(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		count += compileAll(t, file)
	}
	if count < 50 {
		t.Errorf("only %d literal patterns were found", count)
	}
}

// compileAll compiles the literal patterns of a file and counts them.
func compileAll(t *testing.T, file *ast.File) (count int) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "lazy" {
			return true
		}
		literal, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		expr, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := regexp.Compile(expr); err != nil {
			t.Errorf("%s: %v", expr, err)
		}
		count++
		return true
	})
	return count
}
