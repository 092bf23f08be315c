package bridge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-computer-use/internal/result"
	"mcp-computer-use/internal/ui"
)

// lines are the lines of a case list.
func caseLines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(caseFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.SplitSeq(string(data), "\n") {
		if strings.TrimSpace(line) != "" {
			list = append(list, line)
		}
	}
	if len(list) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return list
}

// elementDesk is a window that holds just these elements [role, name, id?, value?], and the refs that
// they got.
func elementDesk(t *testing.T, elements [][]string) (*desk, []string) {
	t.Helper()
	var (
		tree  strings.Builder
		refs  []string
		exact = map[string]any{}
		odd   = regexp.MustCompile(`["\n\r]| val=| id=`)
		bare  string
	)
	tree.WriteString("window \"Sample window\"\n")
	for i, e := range elements {
		e = append(slices.Clone(e), "", "")
		role, name, id, value := e[0], e[1], e[2], e[3]
		ref, line := "", "  "
		if ui.Role(role).Interactive() {
			ref = fmt.Sprintf("@e%d", len(exact)+1)
			line += "[" + ref + "] "
			entry := map[string]any{"role": role, "path": []int{i}}
			for key, text := range map[string]string{"name": name, "id": id} {
				if text != "" {
					entry[key] = text
				}
			}
			exact[ref[1:]] = entry
		}
		refs = append(refs, ref)
		line += role
		if name != "" {
			line += ` "` + name + `"`
		}
		if value != "" {
			line += ` val="` + cutValue(value) + `"`
		}
		if id != "" && !strings.HasPrefix(id, "_NS:") {
			line += " id=" + id
		}
		bare += name + value + id
		tree.WriteString(line + "\n")
	}
	d := newDesk(t)
	d.llm.down = true
	d.cu.windows = []byte(`[{"title": "Sample window", "app": "sample", "pid": 4242, "frontmost": true}]`)
	d.cu.snapshots = [][]byte{[]byte(tree.String())}
	if odd.MatchString(bare) { // names that the printed tree can't carry
		d.cu.refs, _ = json.Marshal(map[string]any{"timestamp": 1, "app": "Sample window", "refs": exact})
	}
	return d, refs
}

// cutValue cuts as the engine does.
func cutValue(value string) string {
	if len(value) <= 40 {
		return value
	}
	cut := value[:40]
	for !utf8.ValidString(cut) {
		cut = cut[:len(cut)-1]
	}
	return cut + "…"
}

func clickCall(app, target string) actCall {
	c := actCall{Tool: "click"}
	c.Arguments.App, c.Arguments.Target = &app, &target
	return c
}

func TestMatchCases(t *testing.T) {
	for i, line := range caseLines(t, "match.jsonl") {
		t.Run(fmt.Sprintf("line %d", i+1), func(t *testing.T) {
			t.Parallel()
			var c struct {
				Why      string
				Target   string
				Elements [][]string
				Want     struct {
					Index      *int
					Match      *string
					Tier       *int
					Error      string
					Candidates *[]string
				}
			}
			decode(t, []byte(line), &c)
			d, refs := elementDesk(t, c.Elements)
			want := actWant{Error: c.Want.Error, Candidates: c.Want.Candidates, Acts: &[][]string{}}
			if (c.Want.Index == nil) == (c.Want.Error == "") {
				t.Fatal("the case wants both or neither of index and error")
			}
			if c.Want.Index != nil {
				want.OK, want.Acts = new(true), &[][]string{{"click", refs[*c.Want.Index]}}
			}
			if c.Want.Match != nil {
				want.Match = *c.Want.Match
			}
			if c.Want.Tier != nil {
				want.Tier = *c.Want.Tier
			}
			for _, p := range d.actProblems(t, clickCall("Sample window", c.Target), want) {
				t.Errorf("%s: %s", c.Why, p)
			}
		})
	}
}

func TestSafetyCases(t *testing.T) {
	for i, line := range caseLines(t, "safety.jsonl") {
		t.Run(fmt.Sprintf("line %d", i+1), func(t *testing.T) {
			t.Parallel()
			var c struct {
				Why, Label, Rule, ID string
				Blocked              *bool
			}
			decode(t, []byte(line), &c)
			want := actWant{OK: new(true), Acts: &[][]string{{"click", "@e1"}}}
			if *c.Blocked {
				want = actWant{Error: string(result.DangerousAction), Acts: &[][]string{}}
				if c.Rule != "" {
					want.MatchedRule = c.Rule
				}
			}
			targets := []string{c.Label}
			if c.ID != "" {
				targets = append(targets, c.ID)
			}
			for _, target := range targets {
				d, _ := elementDesk(t, [][]string{{"button", c.Label, c.ID}})
				for _, p := range d.actProblems(t, clickCall("Sample window", target), want) {
					t.Errorf("%s: by %q: %s", c.Why, target, p)
				}
			}
		})
	}
}
