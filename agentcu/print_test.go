package agentcu

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"mcp-computer-use/internal/ui"
)

// node is an element of a tree that tests print as agent-cu prints it.
type node struct {
	role            string // as printed; a role outside of the list is other("…")
	name, value, id string
	children        []*node
}

// printed is what agent-cu would print for a tree, its refs.json, and what a parser should find.
type printed struct {
	text []byte
	refs []byte
	want []ui.Element
}

// printTree writes the text form: the reference for the parser, after agent-cu's own rules.
func printTree(root *node) printed {
	var out printed
	var text strings.Builder
	refs := map[string]map[string]string{}
	count := 0
	var walk func(n *node, depth, parent int)
	walk = func(n *node, depth, parent int) {
		e := ui.Element{Role: ui.Role(n.role), Name: n.name, Value: n.value, Depth: depth, Parent: parent, ID: n.id}
		role := n.role
		if !isRole(role) {
			role = `other("` + strings.ReplaceAll(strings.ReplaceAll(role, `\`, `\\`), `"`, `\"`) + `")`
		}
		text.WriteString(strings.Repeat("  ", depth))
		if e.Role.Interactive() && isRole(n.role) {
			count++
			e.Ref = fmt.Sprintf("@e%d", count)
			fmt.Fprintf(&text, "[%s] ", e.Ref)
			refs[e.Ref[1:]] = map[string]string{"role": role, "name": n.name, "id": n.id}
		}
		text.WriteString(role)
		if n.name != "" {
			text.WriteString(` "` + n.name + `"`)
		}
		if n.value != "" {
			e.Value, e.ValueCut = cutValue(n.value)
			text.WriteString(` val="` + e.Value + `"`)
		}
		if n.id != "" && !strings.HasPrefix(n.id, "_NS:") {
			text.WriteString(" id=" + n.id)
		}
		text.WriteString("\n")
		at := len(out.want)
		out.want = append(out.want, e)
		for _, child := range n.children {
			walk(child, depth+1, at)
		}
		out.want[at].End = len(out.want)
	}
	walk(root, 0, -1)
	out.text = []byte(text.String())
	out.refs, _ = json.Marshal(map[string]any{"timestamp": 1, "refs": refs})
	return out
}

// cutValue cuts a value as the engine does.
func cutValue(value string) (string, bool) {
	if len(value) <= 40 {
		return value, false
	}
	end := 0
	for i := range value {
		if i <= 40 {
			end = i
		}
	}
	return value[:end] + "…", true
}

// randomTree makes a tree of the given size with texts of the pieces.
func randomTree(random *rand.Rand, size int, names, values, ids []string) *node {
	inner := []string{"group", "list", "window", "toolbar", "textarea", "listitem", "fancy \"role\"", "unknown"}
	leaves := []string{"button", "textfield", "statictext", "link", "checkbox", "image", "paragraph", "tab"}
	root := &node{role: "window", name: "Root"}
	open := []*node{root}
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	for range size {
		parent := open[random.IntN(len(open))]
		n := &node{role: pick(leaves)}
		if random.IntN(3) == 0 {
			n.role = pick(inner)
			open = append(open, n)
		}
		if random.IntN(4) > 0 {
			n.name = pick(names)
		}
		if random.IntN(3) == 0 {
			n.value = pick(values)
		}
		if random.IntN(3) == 0 {
			n.id = pick(ids)
		}
		parent.children = append(parent.children, n)
	}
	return root
}
