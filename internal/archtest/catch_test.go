package archtest

import (
	"strings"
	"testing"
)

// TestRulesCatch proves each rule on a file that breaks it, beside one that does not.
func TestRulesCatch(t *testing.T) {
	tests := []struct {
		rule, file, code string
		want             int // problems
	}{
		{"formatting", "safety/a.go", "package safety\n\nvar  a = 1\n", 1},
		{"formatting", "safety/a.go", "package safety\n\nvar a = 1\n", 0},
		{"file size", "safety/a.go", "package safety\n" + strings.Repeat("\n", 600), 1},
		{"file size", "safety/a.go", "package safety\n" + strings.Repeat("\n", 599), 0},
		{"doc comments", "safety/a.go", "package safety\n\nfunc A() {}\n\ntype B int\n\nfunc (B) C() {}\n\nconst D = 1\n\nvar E, F = 1, 2\n", 6},
		{"doc comments", "safety/a.go", "package safety\n\n// A is.\nfunc A() {}\n\n// B is.\ntype B int\n\n// C is.\nfunc (B) C() {}\n\n// Group.\nconst (\n\tD = 1\n\tE = 2\n)\n", 0},
		{"doc comments", "safety/a.go", "package safety\n\n// Group.\ntype (\n\tA int\n\tB int // line\n)\n", 2},
		{"doc comments", "safety/a.go", "package safety\n\n// A is.\ntype A interface {\n\tB()\n\tC() // does\n}\n\ntype d int\n\nfunc (d) E() {}\n", 1},
		{"doc comments", "safety/a_test.go", "package safety\n\nfunc A() {}\n", 0},
		{"init", "safety/a.go", "package safety\n\nfunc init() {}\n", 1},
		{"init", "safety/a.go", "package safety\n\ntype t int\n\nfunc (t) init() {}\n", 0},
		{"package state", "safety/a.go", "package safety\n\nvar a = map[int]int{}\n\nvar b int\n\nfunc f() { a[1] = 2; b++; c.d = 3 }\n", 3},
		{"package state", "safety/a.go", "package safety\n\nvar m sync.Mutex\n\nvar n atomic.Pointer[int]\n\nvar o chan int\n", 3},
		{"package state", "safety/a.go", "package safety\n\nvar a = map[int]int{}\n\nfunc f(b int) { a := 1; a = 2; b++; _ = a; var c struct{ d int }; c.d = b }\n", 0},
		{"package state", "main.go", "package main\n\nimport `os`\n\nfunc main() { os.Stdout = os.Stderr }\n", 0},
		{"package state", "main.go", "package main\n\nimport `os`\n\nfunc main() { os.Args = nil }\n", 1},
		{"package state", "safety/a.go", "package safety\n\nimport `os`\n\nfunc f() { os.Stdout = os.Stderr }\n", 1},
		{"calls", "safety/a.go", "package safety\n\nfunc f() { os.Exit(1); log.Fatalf(``); fmt.Println(); os.Stdout.Sync() }\n", 4},
		{"calls", "main.go", "package main\n\nfunc main() { os.Exit(run(os.Stdin, os.Stdout)) }\n", 0},
		{"calls", "safety/a.go", "package safety\n\nfunc f(os x) { os.Exit(1); fmt.Fprintln(w); log.Print() }\n", 0},
		{"contexts", "safety/a.go", "package safety\n\ntype a struct{ ctx context.Context }\n\nfunc f(a int, ctx context.Context) {}\n", 2},
		{"contexts", "safety/a.go", "package safety\n\nfunc f(ctx context.Context, g func(context.Context)) {}\n", 0},
		{"names", "internal/utils/a.go", "package utils\n", 1},
		{"names", "internal/errors/a.go", "package errors\n", 1},
		{"names", "safety/a.go", "package unsafety\n", 1},
		{"names", "safety/a_test.go", "package safety_test\n", 0},
	}
	for _, tt := range tests {
		s, err := parse(tt.file, []byte(tt.code))
		if err != nil {
			t.Fatalf("%s: %v", tt.code, err)
		}
		if got := rules()[tt.rule](s); len(got) != tt.want {
			t.Errorf("%s: %d problems %q, want %d in\n%s", tt.rule, len(got), got, tt.want, tt.code)
		}
	}
}

func TestPackageCommentsCatch(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  int
	}{
		{"one", map[string]string{"a/a.go": "// Package a is.\npackage a\n", "a/b.go": "package a\n"}, 0},
		{"none", map[string]string{"a/a.go": "package a\n"}, 1},
		{"two", map[string]string{"a/a.go": "// Package a is.\npackage a\n", "a/b.go": "// Package a is.\npackage a\n"}, 1},
		{"a licence", map[string]string{"a/a.go": "// Copyright\npackage a\n"}, 1},
		{"in a test", map[string]string{"a/a_test.go": "// Package a is.\npackage a\n"}, 1},
		{"main", map[string]string{"main.go": "// Command a is.\npackage main\n"}, 0},
	}
	for _, tt := range tests {
		var list []source
		for file, code := range tt.files {
			s, err := parse(file, []byte(code))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, s)
		}
		if got := packageComments("a", list); len(got) != tt.want {
			t.Errorf("%s: %q, want %d problems", tt.name, got, tt.want)
		}
	}
}
