package cli

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the files of testdata/script: command lines, exit codes, and what is printed.
//
//	exits N PROGRAM ARG...   runs it and wants the exit code N
//	json PATH WANT           a value of the JSON line on stdout; "absent" for none, "present" for any
//	one-line                 stdout is one line of JSON, stderr holds none of it
//	config NAME              stdout is the file NAME once the program's path is masked
//	replace FILE OLD NEW     changes a file
//	same FILE                stdout is the answer in the file, but for the times that it took
//	lacks TEXT FOLDER        no file below the folder, and no name, holds the text
func TestScripts(t *testing.T) {
	ollama := newModel(t)
	dead := httptest.NewServer(nil)
	dead.Close()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for _, folder := range []string{"desk", "tmp", "home", "work"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, folder), 0o700); err != nil {
					return err
				}
			}
			e.Vars = append(e.Vars, cleanEnv(e.WorkDir, standIn(t), ollama.URL)...)
			e.Vars = append(e.Vars, "NOBODY="+dead.URL)
			e.Cd = filepath.Join(e.WorkDir, "work")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scriptExits, "json": scriptJSON, "one-line": scriptOneLine, "lacks": scriptLacks,
			"config":  scriptConfig,
			"same":    scriptSame,
			"replace": scriptReplace,
		},
	})
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if ended, ok := err.(*exec.ExitError); ok {
		code = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// at looks a dotted path up in a decoded value.
func at(v any, path string) (any, bool) {
	for part := range strings.SplitSeq(path, ".") {
		switch one := v.(type) {
		case map[string]any:
			next, ok := one[part]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(one) {
				return nil, false
			}
			v = one[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH WANT")
	}
	var all any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &all); err != nil {
		ts.Fatalf("stdout is no JSON: %v: %s", err, ts.ReadFile("stdout"))
	}
	got := "absent"
	value, ok := at(all, args[0])
	if text, isText := value.(string); isText {
		got = text
	} else if ok {
		line, _ := json.Marshal(value)
		got = string(line)
	}
	if want := args[1]; (got == want || want == "present" && ok) == neg {
		ts.Fatalf("%s is %s, want (negated: %v) %s in %s", args[0], got, neg, want, ts.ReadFile("stdout"))
	}
}

func scriptOneLine(ts *testscript.TestScript, neg bool, _ []string) {
	out := ts.ReadFile("stdout")
	whole := strings.Count(out, "\n") == 1 && strings.HasSuffix(out, "\n") && json.Valid([]byte(out))
	if whole == neg || strings.Contains(ts.ReadFile("stderr"), "{\"") {
		ts.Fatalf("stdout: %q, stderr: %q", out, ts.ReadFile("stderr"))
	}
}

func scriptLacks(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: lacks TEXT FOLDER")
	}
	found, count := "", 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		count++
		data, err := os.ReadFile(path)
		if strings.Contains(path+"\n"+string(data), args[0]) {
			found = fmt.Sprintf("%s in %s", args[0], path)
		}
		return err
	}))
	if count == 0 {
		ts.Fatalf("no file below %s", args[1])
	}
	if (found == "") == neg {
		ts.Fatalf("found %q, negated: %v", found, neg)
	}
}

func scriptConfig(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: config NAME")
	}
	path, err := exec.LookPath("mcp-computer-use")
	ts.Check(err)
	got := ts.ReadFile("stdout")
	for _, form := range []string{strings.ReplaceAll(path, `\`, `\\`), path} {
		got = strings.ReplaceAll(got, form, "PROGRAM")
	}
	if want := ts.ReadFile(filepath.Join(ts.Getenv("WORK"), args[0])); got != want {
		ts.Fatalf("got %s\nwant %s", got, want)
	}
}

func scriptSame(ts *testscript.TestScript, neg bool, args []string) {
	timeless := func(text string) string {
		var all map[string]any
		ts.Check(json.Unmarshal([]byte(text), &all))
		delete(all, "duration_seconds")
		if timing, ok := all["timing"].(map[string]any); ok {
			delete(timing, "model_wall_seconds")
		}
		line, err := json.Marshal(all)
		ts.Check(err)
		return string(line)
	}
	if got, want := timeless(ts.ReadFile("stdout")), timeless(ts.ReadFile(args[0])); (got == want) == neg {
		ts.Fatalf("got %s\nwant %s", got, want)
	}
}

func scriptReplace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	before := ts.ReadFile(args[0])
	after := strings.ReplaceAll(before, args[1], args[2])
	if before == after {
		ts.Fatalf("%s holds no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(after), 0o600))
}
