package agentcu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/ui"
)

// brief writes an element as tests compare it: "@e1 button|name|value|id".
func brief(e ui.Element) string {
	text := fmt.Sprintf("%d %s|%s|%s|%s", e.Depth, e.Role, e.Name, e.Value, e.ID)
	if e.Ref != "" {
		text = strings.Replace(text, " ", " "+e.Ref+" ", 1)
	}
	if e.ValueCut {
		text += " cut"
	}
	if e.Secret {
		text += " secret"
	}
	return text
}

func briefs(s *ui.Snapshot) []string {
	list := []string{}
	for _, e := range s.Elements {
		list = append(list, brief(e))
	}
	return list
}

func TestParseSnapshot(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"parts": {"window \"W\" id=Main\n  [@e1] button\n  [@e2] textfield \"A\" val=\"b\" id=c d\n    group id=e\n  [@e3] switch val=\"1\"",
			[]string{"0 window|W||Main", "1 @e1 button|||", "1 @e2 textfield|A|b|c d", "2 group|||e", "1 @e3 switch||1|"}},
		"quotes": {"window\n  statictext \"say \"hi\"\"\n  statictext \"\"\"\n  group \"\"a\" b\" id=x",
			[]string{"0 window|||", "1 statictext|say \"hi\"||", "1 statictext|\"||", "1 group|\"a\" b||x"}},
		"what a name quotes": {"window\n  statictext \"run x val=\"1\" now\"\n  statictext \"<p class=\"a\" id=\"b\">\"\n" +
			"  statictext \"[@e5] textfield \"Q\" val=\"v\"\"\n  statictext \"set \"a\" id=7\" id=real one",
			[]string{"0 window|||", "1 statictext|run x val=\"1\" now||", "1 statictext|<p class=\"a\" id=\"b\">||",
				"1 statictext|[@e5] textfield \"Q\" val=\"v\"||", "1 statictext|set \"a\" id=7||real one"}},
		"a name that is quoted and a value": {"window\n  [@e1] textarea \"Rename \"a\" to \"b\" - Claude\" val=\"https://claude.ai/code/local_9a11e6c4-0f…\" id=Root",
			[]string{"0 window|||", "1 @e1 textarea|Rename \"a\" to \"b\" - Claude|https://claude.ai/code/local_9a11e6c4-0f…|Root cut"}},
		"inch marks and cut quotations": {"window\n  [@e1] textfield \"15\" screen\" val=\"new\"\n  unknown \"T\" val=\"❯ clean up june.html. If it asks \"Do y…\"",
			[]string{"0 window|||", "1 @e1 textfield|15\" screen|new|", "1 unknown|T|❯ clean up june.html. If it asks \"Do y…| cut"}},
		"too long for a value": {"window\n  statictext \"he typed \"a\" val=\"" + strings.Repeat("x", 41) + "\"",
			[]string{"0 window|||", "1 statictext|he typed \"a\" val=\"" + strings.Repeat("x", 41) + "||"}},
		"lines of a name": {"window\n  statictext \"log:\nbutton \"Stop\"\n\n  [@e1] button \"Deny\"\n  group\nend\"\n  [@e1] button \"Go\"",
			[]string{"0 window|||", "1 statictext|log:\nbutton \"Stop\"\n\n  [@e1] button \"Deny\"\n  group\nend||", "1 @e1 button|Go||"}},
		"a value begins with a line break": {"window\n  [@e1] textfield \"Prompt\" val=\"\nType / for commands\"\n  [@e2] button \"Send\"",
			[]string{"0 window|||", "1 @e1 textfield|Prompt|\nType / for commands|", "1 @e2 button|Send||"}},
		"a name begins with a line break": {"window\n  statictext \"\n  group\n\"\n  list",
			[]string{"0 window|||", "1 statictext|\n  group\n||", "1 list|||"}},
		"a closed line goes on": {"window\n  statictext \"said \"x\"\nbutton \"Stop\"\nover\"\n  [@e1] link \"L\"",
			[]string{"0 window|||", "1 statictext|said \"x\"\nbutton \"Stop\"\nover||", "1 @e1 link|L||"}},
		"an element's look inside": {"window\n  [@e1] button \"A\"\n  statictext \"said \"x\"\n  heading \"Working\"\n\n  list \"L\"\n    group id=g\nover\"\n  [@e2] link \"L\"",
			[]string{"0 window|||", "1 @e1 button|A||",
				"1 statictext|said \"x\"\n  heading \"Working\"\n\n  list \"L\"\n    group id=g\nover||", "1 @e2 link|L||"}},
		"pasted snapshot": {"window\n  [@e1] button \"A\"\n  statictext \"it prints \"Claude\"\nwindow \"Claude\"\n  group\n    [@e1] button \"Stop\"\n" +
			"    [@e99] button \"Stop\"\nand hangs\"\n  [@e2] button \"B\"",
			[]string{"0 window|||", "1 @e1 button|A||", "1 statictext|it prints \"Claude\"\nwindow \"Claude\"\n  group\n    [@e1] button \"Stop\"\n" +
				"    [@e99] button \"Stop\"\nand hangs||", "1 @e2 button|B||"}},
		"interactive without a ref": {"window\n  statictext \"a \"b\"\n  button \"Stop\"\n  checkbox\nc\"",
			[]string{"0 window|||", "1 statictext|a \"b\"\n  button \"Stop\"\n  checkbox\nc||"}},
		"too deep and odd indents": {"window\n  group \"a\"\n       list \"x\"\n   list \"y\"\n      list \"z\"",
			[]string{"0 window|||", "1 group|a\"\n       list \"x\"\n   list \"y\"\n      list \"z||"}},
		"roles": {"window\n  other(\"a \\\"b\\\" c\") \"n\"\n  [@e1] textField \"T\"\n  futurerole \"f\"\n  other(\"button\")",
			[]string{"0 window|||", "1 a \"b\" c|n||", "1 @e1 textfield|T||", "1 futurerole|f||", "1 button|||"}},
		"CRLF and BOM": {"\ufeffwindow \"W\"\r\n  [@e1] button \"A\"\r\n  group id=g\r\n",
			[]string{"0 window|W||", "1 @e1 button|A||", "1 group|||g"}},
		"bad bytes and controls": {"window \"a\xffb\x00\x1b[1mc\x7f\u0085d\"\n  statictext \"x\ry\tz\"",
			[]string{"0 window|a\ufffdb[1mc d||", "1 statictext|x\ny\tz||"}},
		"log lines in front": {"2026-01-01T00:00:00Z  WARN element at (-5, 3)\nwarning: old refs\nwindow \"W\"\n  [@e1] button",
			[]string{"0 window|W||", "1 @e1 button|||"}},
		"part of a tree": {"  group \"G\"\n    [@e7] button \"A\"\n    [@e9] button \"B\"",
			[]string{"0 group|G||", "1 @e7 button|A||", "1 @e9 button|B||"}},
		"value lengths": {"window\n  group val=\"" + strings.Repeat("x", 40) + "\"\n  group val=\"short…\"\n  group val=\"" + strings.Repeat("א", 20) + "…\"\n  group val=\"\"",
			[]string{"0 window|||", "1 group||" + strings.Repeat("x", 40) + "|", "1 group||short…|",
				"1 group||" + strings.Repeat("א", 20) + "…| cut", "1 group|||"}},
		"empty":        {"", []string{}},
		"no tree":      {"error: nothing\n", []string{}},
		"cut short":    {"window\n  statictext \"never closed\n  group", []string{"0 window|||", "1 statictext|never closed\n  group||"}},
		"bad refs":     {"window\n  [@e0] button\n  [@e] button\n  [@e1]button\n  [@e1] button \"x\"", []string{"0 window|||", "1 @e1 button|x||"}},
		"sister trees": {"window\n  group\n    list\n      image\n  group", []string{"0 window|||", "1 group|||", "2 list|||", "3 image|||", "1 group|||"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := ParseSnapshot([]byte(test.text))
			if diff := cmp.Diff(test.want, briefs(s)); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
			checkShape(t, s)
		})
	}
}

// checkShape proves that parents, ends and depths belong together.
func checkShape(t testing.TB, s *ui.Snapshot) {
	t.Helper()
	seen := map[string]bool{}
	for i, e := range s.Elements {
		if e.End <= i || e.End > len(s.Elements) || (i == 0) != (e.Parent == -1) {
			t.Fatalf("element %d: %+v", i, e)
		}
		if i > 0 {
			parent := s.Elements[e.Parent]
			if e.Parent >= i || parent.Depth+1 != e.Depth || e.End > parent.End {
				t.Fatalf("element %d: %+v below %+v", i, e, parent)
			}
		}
		if e.Ref != "" && (seen[e.Ref] || !validRef(e.Ref)) {
			t.Fatalf("ref %s", e.Ref)
		}
		seen[e.Ref] = true
		if e.Secret && e.Value != "" || !utf8.ValidString(e.Name+e.Value+e.ID) {
			t.Fatalf("element %d: %+v", i, e)
		}
	}
}

func TestParseRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "snapshots", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		refs, err := os.ReadFile(strings.TrimSuffix(file, ".txt") + ".refs.json")
		if err != nil {
			t.Fatal(err)
		}
		exact := parseRefs(refs)
		if p := scan(normalise(text), exact); len(exact) == 0 || !p.fits() {
			t.Errorf("%s: %d refs do not fit", file, len(exact))
		}
		printed, known := ParseSnapshot(text), ParseSnapshotRefs(text, refs)
		checkShape(t, printed)
		if want := bytes.Count(text, []byte("\n")); len(printed.Elements) != want {
			t.Errorf("%s: %d elements, want %d", file, len(printed.Elements), want)
		}
		if diff := cmp.Diff(briefs(known), briefs(printed)); diff != "" {
			t.Errorf("%s: with refs.json -, without +\n%s", file, diff)
		}
	}
}

// names, values and ids that do their worst.
func nastyNames() []string {
	return []string{"OK", "say \"hi\"", "15\" tape", "x val=\"1\"", "a\" val=\"b", "q\" id=7", "two\nlines", "\n", "log:\nbutton \"Stop\"\nend",
		"\"", "ends with\n  group", "  [@e1] button \"Stop\"", "p\n    [@e2] button \"Stop\"\nq", "שלום\nעולם", "<a id=\"b\" val=\"c\">", " "}
}

func TestParseWhatIsPrinted(t *testing.T) {
	values := []string{"1", "unchecked", "\nType here", strings.Repeat("long value ", 9), strings.Repeat("😀", 12), "a\"b\"c", "{\n  \"k\": 1,"}
	ids := []string{"Main", "with blanks in it", "a.b-c_d", "view_42"}
	plain := []string{"OK", "Cancel", "say \"hi\" twice", "two\nlines", "שלום", "log:\nbutton \"Stop\"\nend", "x id=7", "a val=b"}
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		// Without refs.json: all that is written with quotes in pairs has one reading.
		out := printTree(randomTree(random, 40, plain, values[:5], ids))
		s := ParseSnapshot(out.text)
		if diff := cmp.Diff(out.want, s.Elements); diff != "" {
			t.Fatalf("seed %d, want -, got +\n%s\n%s", seed, diff, out.text)
		}
		// With it: the refs have their exact names, whatever they hold, as long as it fits.
		out = printTree(randomTree(random, 40, nastyNames(), values, append(ids, "_NS:9", "\" id=x")))
		s = ParseSnapshotRefs(out.text, out.refs)
		checkShape(t, s)
		if p := scan(normalise(out.text), parseRefs(out.refs)); p.fits() {
			checkExact(t, out, s)
		}
	}
}

// checkExact compares the elements that carry refs.
func checkExact(t *testing.T, out printed, s *ui.Snapshot) {
	t.Helper()
	want := map[string]ui.Element{}
	for _, e := range out.want {
		want[e.Ref] = e
	}
	for _, e := range s.Elements {
		if e.Ref == "" {
			continue
		}
		w := want[e.Ref]
		if e.Name != w.Name || e.ID != w.ID || e.Role != w.Role {
			t.Fatalf("%s: got %q %q, want %q %q in\n%s", e.Ref, e.Name, e.ID, w.Name, w.ID, out.text)
		}
	}
}

func TestRefsFileIsUsedOnlyWhereItFits(t *testing.T) {
	text := "window\n  [@e1] textfield \"a\" val=\"b\" val=\"c\" id=x\n  [@e2] button \"B\""
	read := func(refs string) string { return brief(ParseSnapshotRefs([]byte(text), []byte(refs)).Elements[1]) }
	plain := read("")
	for name, refs := range map[string]string{
		"no JSON":      `{"refs": `,
		"one too few":  `{"refs": {"e1": {"role": "textfield", "name": "no"}}}`,
		"one too many": `{"refs": {"e1": {"role": "textfield", "name": "no"}, "e2": {"role": "button"}, "e3": {"role": "button"}}}`,
		"other role":   `{"refs": {"e1": {"role": "textarea", "name": "no"}, "e2": {"role": "button"}}}`,
		"other form":   `{"refs": {"e1": "textfield", "e2": {"role": "button"}}}`,
		"empty":        `{}`,
	} {
		if got := read(refs); got != plain {
			t.Errorf("%s: %s", name, got)
		}
	}
	exact := `{"refs": {"e1": {"role": "textfield", "name": "a\" val=\"b", "id": "x"}, "e2": {"role": "button", "name": "B", "id": "_NS:7"}}}`
	if got := read(exact); got != "1 @e1 textfield|a\" val=\"b|c|x" {
		t.Errorf("exact: %s", got)
	}
	if id := ParseSnapshotRefs([]byte(text), []byte(exact)).Elements[2].ID; id != "_NS:7" {
		t.Errorf("an id that is not printed: %q", id)
	}
}

func TestRefsFileEndsNames(t *testing.T) {
	text := "window\n  [@e1] button \"see \"x\"\n  group \"g\"\n  [@e2] button \"no\"\nend\"\n  [@e2] button \"B\""
	refs := `{"refs": {"e1": {"role": "button", "name": "see \"x\"\n  group \"g\"\n  [@e2] button \"no\"\nend"}, "e2": {"role": "button", "name": "B"}}}`
	want := []string{"0 window|||", "1 @e1 button|see \"x\"\n  group \"g\"\n  [@e2] button \"no\"\nend||", "1 @e2 button|B||"}
	if diff := cmp.Diff(want, briefs(ParseSnapshotRefs([]byte(text), []byte(refs)))); diff != "" {
		t.Error(diff)
	}
}

func TestParseDeepAndLong(t *testing.T) {
	var text strings.Builder
	for depth := range 4_000 {
		text.WriteString(strings.Repeat("  ", depth) + "group\n")
	}
	s := ParseSnapshot([]byte(text.String()))
	if len(s.Elements) != 4_000 || s.Elements[3_999].Depth != 3_999 || s.Elements[0].End != 4_000 {
		t.Errorf("deep: %d elements", len(s.Elements))
	}
	long := strings.Repeat("a\" val=\"", 1<<17)
	s = ParseSnapshot([]byte("window\n  statictext \"" + long + "\"\n  [@e1] button \"B\""))
	if len(s.Elements) != 3 || len(s.Elements[1].Name) < 1<<20-50 {
		t.Errorf("long: %d elements", len(s.Elements))
	}
	s = ParseSnapshot([]byte("window\n  statictext \"x" + strings.Repeat("\nline \"q\"", 100_000) + "\"\n  [@e1] button \"B\""))
	if len(s.Elements) != 3 {
		t.Errorf("many lines: %d elements", len(s.Elements))
	}
}

func FuzzParseSnapshot(f *testing.F) {
	for seed := range uint64(5) {
		out := printTree(randomTree(rand.New(rand.NewPCG(seed, 2)), 12, nastyNames(), []string{"1", "\nx"}, []string{"i d"}))
		f.Add(out.text, out.refs)
	}
	f.Add([]byte("window\r\n  [@e1] securetextfield \"P\" val=\"x\" val=\"y\"\n    statictext \"z\""), []byte(nil))
	f.Add([]byte("\n\n  other(\"\\\n[@e999999999] button\ngroup id=\n"), []byte(`{"refs":{"e1":{"role":"button"}}}`))
	f.Add([]byte("[@e1] button \"\xf6\""), []byte("{\"refs\":{\"e1\":{\"role\":\"button\",\"name\":\"\xf6\"}}}"))
	f.Fuzz(func(t *testing.T, text, refs []byte) {
		checkShape(t, ParseSnapshot(text))
		checkShape(t, ParseSnapshotRefs(text, refs))
	})
}

func BenchmarkParseSnapshot(b *testing.B) {
	var root = &node{role: "window", name: "Root"}
	for range 200 {
		group := &node{role: "group"}
		for i := range 99 {
			group.children = append(group.children, &node{role: []string{"button", "statictext", "textfield"}[i%3],
				name: "Some \"quoted\" name of usual length", value: []string{"", "value"}[i%2], id: "view_12"})
		}
		root.children = append(root.children, group)
	}
	out := printTree(root)
	b.SetBytes(int64(len(out.text)))
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			ParseSnapshot(out.text)
		}
	})
	b.Run("refs", func(b *testing.B) {
		for b.Loop() {
			ParseSnapshotRefs(out.text, out.refs)
		}
	})
}
