package mcpserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/guidance"
)

// update rewrites the goldens: go test -run Golden -update
var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a line with testdata/name. A missing file is a failure, so that none is forgotten.
func golden(t *testing.T, name, line string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(line), "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no golden (write it with -update, and review it): %v", err)
	}
	if diff := cmp.Diff(string(want), pretty.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestGolden(t *testing.T) {
	c := connect(t, &fakeTools{}, Options{Version: "1.2.3"})
	modern := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	for name, request := range map[string]string{
		"initialize.json":      `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`,
		"tools-list.json":      `"method":"tools/list"`,
		"discover.json":        `"method":"server/discover","params":{` + modern + `}`,
		"tools-list-2026.json": `"method":"tools/list","params":{` + modern + `}`,
	} {
		c.send(`{"jsonrpc":"2.0","id":%q,%s}`, name, request)
		golden(t, name, c.wait(`"id":"`+name+`"`))
	}
}

// listed is a tool as a client sees it.
type listed struct {
	Name, Description string
	InputSchema       json.RawMessage
	Annotations       map[string]bool
}

func listTools(t *testing.T) (tools []listed, keys []map[string]json.RawMessage) {
	t.Helper()
	c := connect(t, &fakeTools{}, Options{})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	line := c.wait(`"id":1,`)
	var typed struct{ Result struct{ Tools []listed } }
	var raw struct {
		Result struct{ Tools []map[string]json.RawMessage }
	}
	for _, into := range []any{&typed, &raw} {
		if err := json.Unmarshal([]byte(line), into); err != nil {
			t.Fatal(err)
		}
	}
	return typed.Result.Tools, raw.Result.Tools
}

// The sample is the original's own answer: the schemas must agree byte for byte.
func TestSchemasAreTheOriginals(t *testing.T) {
	var sample struct{ Result struct{ Tools []listed } }
	raw, err := os.ReadFile("testdata/samples/fastmcp-1.29.0.tools-list.dict.steps-list.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &sample); err != nil {
		t.Fatal(err)
	}
	got, _ := listTools(t)
	if len(got) != 6 || len(sample.Result.Tools) != 6 {
		t.Fatalf("%d tools, %d in the sample, want 6", len(got), len(sample.Result.Tools))
	}
	for i, want := range sample.Result.Tools {
		if got[i].Name != want.Name || string(got[i].InputSchema) != string(want.InputSchema) {
			t.Errorf("tool %d:\n got %s %s\nwant %s %s", i, got[i].Name, got[i].InputSchema, want.Name, want.InputSchema)
		}
	}
}

func TestEveryTool(t *testing.T) {
	tools, keys := listTools(t)
	annotations := map[string][4]bool{ // readOnly, destructive, idempotent, openWorld
		"look_at_screen": {true, false, true, false}, "ping": {true, false, true, false}, "health": {true, false, true, false},
		"release_model": {false, false, true, false}, "click": {false, true, false, true}, "type_text": {false, true, false, true},
	}
	for i, tool := range tools {
		if want := guidance.ToolNames()[i]; tool.Name != want {
			t.Errorf("tool %d is %s, want %s", i, tool.Name, want)
		}
		if tool.Description == "" || tool.Description != guidance.ToolDescription(tool.Name) {
			t.Errorf("%s: description %q", tool.Name, tool.Description)
		}
		a := tool.Annotations
		got := [4]bool{a["readOnlyHint"], a["destructiveHint"], a["idempotentHint"], a["openWorldHint"]}
		if got != annotations[tool.Name] || len(a) != 4 {
			t.Errorf("%s: annotations %v, want %v", tool.Name, a, annotations[tool.Name])
		}
		if len(keys[i]) != 4 {
			t.Errorf("%s: keys %v, want name, description, inputSchema, annotations alone", tool.Name, keys[i])
		}
	}
}

// The parameters that are bound must be those that are published, in the same order.
func TestParametersMatchTheSchemas(t *testing.T) {
	for _, d := range definitions() {
		schema, err := parseValue([]byte(d.schema))
		if err != nil {
			t.Fatalf("%s: the schema is no JSON: %v", d.name, err)
		}
		properties := schema.(*object).values["properties"].(*object)
		var names, required []string
		for _, p := range d.parameters {
			names = append(names, p.name)
			if p.required() {
				required = append(required, p.name)
			}
		}
		if diff := cmp.Diff(names, properties.keys); diff != "" {
			t.Errorf("%s: parameters (-bound +published):\n%s", d.name, diff)
		}
		var published []string
		if list, ok := schema.(*object).values["required"].([]any); ok {
			for _, name := range list {
				published = append(published, name.(string))
			}
		}
		if diff := cmp.Diff(required, published); diff != "" {
			t.Errorf("%s: required (-bound +published):\n%s", d.name, diff)
		}
	}
}

func TestProtocolVersions(t *testing.T) {
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "2099-01-01": "2025-11-25", "1.0": "2025-11-25",
	} {
		c := connect(t, &fakeTools{}, Options{})
		c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, asked)
		if got := c.answer("1").Result.Version; got != want {
			t.Errorf("asked for %s: got %s, want %s", asked, got, want)
		}
	}
}

// In the newer era each result says that it is complete, a failed one too.
func TestModernEraCalls(t *testing.T) {
	c := connect(t, &fakeTools{}, Options{})
	for id, name := range map[string]string{"1": "health", "2": "nope"} {
		c.send(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, id, name)
		if r := c.answer(id); r.Result.Type != "complete" || r.Result.IsError != (name == "nope") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if _, leaked := c.find("elicitation"); leaked {
		t.Error("a request of the server in the era of retries")
	}
}

func TestInstructionsReachTheClient(t *testing.T) {
	c := connect(t, &fakeTools{}, Options{})
	c.hello(`{}`)
	line, _ := c.find(`"id":"hello"`)
	for _, want := range []string{`"capabilities":{"tools":{}}`, `"name":"computer-use"`, `"instructions":"Safety`} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
}
