package replay

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-computer-use/internal/proc"
)

const before = `window "Form"
  [@e1] textfield "Name" id=name
  [@e2] textfield "City" id=city
  [@e3] textarea "Notes"
  [@e4] button "hello there"
  [@e5] securetextfield "Code" val="s3cret pass" id=code
  [@e6] textfield "Your PIN" val="4711"
  [@e7] textfield "Pinned" val="4711"
`

const long = "a text of more than forty bytes, with עברית in it"

func TestTypedTextIsMaskedInItsFieldAlone(t *testing.T) {
	tests := []struct {
		name, ref, text, after, want string
	}{
		{"whole value", "@e1", "hello there", "  [@e9] textfield \"Name\" val=\"hello there\" id=name\n  button \"hello there\"\n",
			"  [@e9] textfield \"Name\" val=\"<typed 1>\" id=name\n  button \"hello there\"\n"},
		{"another field with the same text", "@e1", "hello", "  [@e1] textfield \"Name\" val=\"hello\" id=name\n  [@e2] textfield \"City\" val=\"hello\" id=city\n",
			"  [@e1] textfield \"Name\" val=\"<typed 1>\" id=name\n  [@e2] textfield \"City\" val=\"hello\" id=city\n"},
		{"cut value", "@e3", long, "  [@e3] textarea \"Notes\" val=\"" + long[:36] + "…\"\n", "  [@e3] textarea \"Notes\" val=\"<typed 1:36>…\"\n"},
		{"text after what was there", "@e3", "hello", "  [@e3] textarea \"Notes\" val=\"old hello\"\n", "  [@e3] textarea \"Notes\" val=\"old <typed 1>\"\n"},
		{"cut after what was there", "@e3", long, "  [@e3] textarea \"Notes\" val=\"old a text of…\"\n", "  [@e3] textarea \"Notes\" val=\"old <typed 1:9>…\"\n"},
		{"quotes and a line break", "@e3", "say \"x\"\nid=y", "  [@e3] textarea \"Notes\" val=\"say \"x\"\nid=y\"\n", "  [@e3] textarea \"Notes\" val=\"<typed 1>\"\n"},
		{"one character", "@e1", "7", "  [@e1] textfield \"Name\" val=\"7\" id=name\n  [@e2] button \"7\"\n", "  [@e1] textfield \"Name\" val=\"<typed 1>\" id=name\n  [@e2] button \"7\"\n"},
		{"value of another text", "@e1", "hello", "  [@e1] textfield \"Name\" val=\"goodbye\" id=name\n", "  [@e1] textfield \"Name\" val=\"goodbye\" id=name\n"},
		{"unknown field", "@e99", "hello", "  [@e1] textfield \"Name\" val=\"hello\" id=name\n  button \"hello\"\n", "  [@e1] textfield \"Name\" val=\"<typed 1>\" id=name\n  button \"hello\"\n"},
		{"unknown field, cut", "@e99", long, "  [@e1] textfield \"Name\" val=\"" + long[:36] + "…\" id=name\n", "  [@e1] textfield \"Name\" val=\"<typed 1:36>…\" id=name\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, dir := record(t, Scrub{})
			stdout := []string{before, `{"success": true, "message": "typed 5 characters"}`, "window \"Form\"\n" + tt.after}
			script := typing(tt.ref, tt.text)
			for i, cmd := range script {
				inner := runnerFunc(func(context.Context, proc.Command) (proc.Result, error) {
					return proc.Result{Stdout: []byte(stdout[i])}, nil
				})
				if result, err := r.Runner(inner).Run(t.Context(), cmd); err != nil || string(result.Stdout) != stdout[i] {
					t.Fatalf("the recorder changed the answer: %q, %v", result.Stdout, err)
				}
			}
			p := reopen(t, r, dir, Scrub{})
			written, err := os.ReadFile(filepath.Join(dir, "003-agent-cu-snapshot-a-form", "stdout.txt"))
			if err != nil || string(written) != "window \"Form\"\n"+tt.want {
				t.Errorf("written %q (%v), want %q", written, err, tt.want)
			}
			args := p.all[1].Process.Args
			if got := args[len(args)-1]; got != "<typed 1>" {
				t.Errorf("typed argument %q", got)
			}
			for i, cmd := range typing(tt.ref, tt.text) {
				result, err := p.Runner().Run(t.Context(), cmd)
				if i == 0 {
					continue // its password fields are masked
				}
				if err != nil || string(result.Stdout) != stdout[i] {
					t.Errorf("replayed %q, %v, want %q", result.Stdout, err, stdout[i])
				}
			}
			if err := p.Finish(); err != nil {
				t.Error(err)
			}
		})
	}
}

func typing(ref, text string) []proc.Command {
	env := []string{"HOME=/tmp/h1"}
	return []proc.Command{
		{Path: "agent-cu", Args: []string{"snapshot", "-a", "Form", "-i", "-c"}, Env: env},
		{Path: "agent-cu", Args: []string{"type", "-s", ref, "-a", "Form", "--", text}, Env: env, Sensitive: text},
		{Path: "agent-cu", Args: []string{"snapshot", "-a", "Form", "-i", "-c"}, Env: env},
	}
}

func TestTypedTextIsNotInTheRecordingOfAFailure(t *testing.T) {
	const text = "my secret words"
	r, dir := record(t, Scrub{})
	inner := runnerFunc(func(context.Context, proc.Command) (proc.Result, error) {
		return proc.Result{Stderr: []byte("error: unexpected argument '" + text + "'"), ExitCode: 2},
			&proc.Error{Kind: proc.ExitStatus, ExitCode: 2, Err: context.Canceled}
	})
	if _, err := r.Runner(inner).Run(t.Context(), typing("@e1", text)[1]); err == nil {
		t.Fatal("no error")
	}
	p := reopen(t, r, dir, Scrub{})
	if all := everything(t, dir); strings.Contains(all, text) {
		t.Errorf("the typed text was written:\n%s", all)
	}
	_, err := p.Runner().Run(t.Context(), typing("@e2", text)[1])
	if err == nil || strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "@e2") {
		t.Errorf("another request: %v", err)
	}
	if _, err := p.Runner().Run(t.Context(), typing("@e1", "another length")[1]); err == nil || strings.Contains(err.Error(), "another length") {
		t.Errorf("a text of another length: %v", err)
	}
}

func TestPasswordValuesAreMasked(t *testing.T) {
	for _, order := range [][]string{{"snapshot", "text"}, {"text", "snapshot"}} {
		r, dir := record(t, Scrub{})
		for _, verb := range order {
			inner := runnerFunc(func(context.Context, proc.Command) (proc.Result, error) {
				if verb == "text" {
					return proc.Result{Stdout: []byte("Form\ns3cret pass\r\nthe s3cret pass is shown\n4711\n")}, nil
				}
				return proc.Result{Stdout: []byte(before)}, nil
			})
			if _, err := r.Runner(inner).Run(t.Context(), proc.Command{Path: "agent-cu", Args: []string{verb, "-a", "Form"}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		all := everything(t, dir)
		for _, want := range []string{`"Code" val="xxxxxxxxxxx" id=code`, `"Your PIN" val="xxxx"`, `"Pinned" val="4711"`, "\nxxxxxxxxxxx\r\n", "the s3cret pass is shown\nxxxx\n"} {
			if !strings.Contains(all, want) {
				t.Errorf("%v: %q is missing in\n%s", order, want, all)
			}
		}
	}
}

func TestTreesAreMasked(t *testing.T) {
	const tree = "WARN refs are old\n" + `{"role":"window","children":[{"role":"textField","id":"name","value":"say \"hello\" <b>","name":"Name","children":[]},` +
		`{"role":"textField","value":"say \"hello\" <b>","name":"City"},{"value":"s3cret","role":"secureTextField"},` +
		`{"role":"textField","name":"PIN","value":"47\u0031"},{"role":"slider","value":5,"x":[1,"value",{"value":null}]}]}` + "\n"
	const text = `say "hello" <b>`
	r, dir := record(t, Scrub{})
	script := typing("@e1", text)
	script[2].Args = []string{"tree", "--compact", "-a", "Form"}
	stdout := []string{before, "{}", tree}
	for i, cmd := range script {
		inner := runnerFunc(func(context.Context, proc.Command) (proc.Result, error) {
			return proc.Result{Stdout: []byte(stdout[i])}, nil
		})
		if _, err := r.Runner(inner).Run(t.Context(), cmd); err != nil {
			t.Fatal(err)
		}
	}
	p := reopen(t, r, dir, Scrub{})
	want := strings.NewReplacer(`"name","value":"say \"hello\" <b>"`, `"name","value":"<typed 1>"`, "s3cret", "xxxxxx", `47\u0031`, "xxx").Replace(tree)
	written, err := os.ReadFile(filepath.Join(dir, "003-agent-cu-tree-a-form", "stdout.txt"))
	if err != nil || string(written) != want {
		t.Errorf("written\n%s (%v), want\n%s", written, err, want)
	}
	for i, cmd := range script {
		result, err := p.Runner().Run(t.Context(), cmd)
		if err != nil {
			t.Fatal(err)
		}
		if replayed := strings.NewReplacer("s3cret", "xxxxxx", `47\u0031`, "xxx").Replace(tree); i == 2 && string(result.Stdout) != replayed {
			t.Errorf("replayed\n%s, want\n%s", result.Stdout, replayed)
		}
	}
}

func TestTextsBelowAPasswordFieldAreMasked(t *testing.T) {
	const in = "window \"A\"\n  [@e1] securetextfield \"Code\" val=\"s3cret\"\n    statictext \"Code\"\n    statictext \"s3cret\"\n    group \"x\" val=\"y\"\n    [@e2] button \"Show\"\n  statictext \"plain\"\n" +
		"  [@e3] securetextfield val=\"open\nend\"\n  [@e4] textfield id=user_pin\n  [@e5] textfield val=\"11\" id=loginPin\n  [@e6] textfield \"Opinion\" val=\"12\"\n"
	const want = "window \"A\"\n  [@e1] securetextfield \"Code\" val=\"xxxxxx\"\n    statictext \"Code\"\n    statictext \"xxxxxx\"\n    group \"x\" val=\"x\"\n    [@e2] button \"Show\"\n  statictext \"plain\"\n" +
		"  [@e3] securetextfield val=\"xxxx\nend\"\n  [@e4] textfield id=user_pin\n  [@e5] textfield val=\"xx\" id=loginPin\n  [@e6] textfield \"Opinion\" val=\"12\"\n"
	got, found := maskSecrets([]byte(in))
	if string(got) != want || len(found) != 6 {
		t.Errorf("%d secrets in\n%s", len(found), got)
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte(`{"role":"textField","name":"n","value":"v","children":[{"value":"w"}]}`), "v")
	f.Add([]byte(`x{"value":"a\u00e9"} [{"a":{}}]`), "aé")
	f.Fuzz(func(t *testing.T, text []byte, typed string) {
		for _, node := range treeNodes(text) {
			if node.start > node.end || node.end > len(text) || node.start < node.end && (text[node.start] != '"' || text[node.end-1] != '"') {
				t.Fatalf("value at %d to %d of %q", node.start, node.end, text)
			}
		}
		l := typedLog{texts: []typedText{{number: 1, text: typed, anyWhere: true}}}
		if typed != "" {
			l.maskTree(text)
		}
	})
}

// everything joins the contents of all files of a recording.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no records: %v", err)
	}
	for _, file := range append(files, filepath.Join(dir, headerFile)) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
		all.WriteByte('\n')
	}
	return all.String()
}
