package replay

import (
	"bytes"
	"encoding/json"
	"strings"
)

// treeNode is one node of `agent-cu tree`, with the place of its value in the text.
type treeNode struct {
	role, name, id, value string
	start, end            int // of the value's JSON string, with its quotes; equal where there is none
}

// treeNodes walks through the JSON objects of a text, in the order of their ends. What comes before the
// first object is skipped; a text that stops being JSON ends the walk.
func treeNodes(text []byte) []treeNode {
	skip := bytes.IndexByte(text, '{')
	if skip < 0 {
		return nil
	}
	w := treeWalk{text: text[skip:], skip: skip}
	w.dec = json.NewDecoder(bytes.NewReader(w.text))
	w.dec.UseNumber()
	for w.step() {
	}
	return w.done
}

// treeWalk keeps the open objects and arrays; an array is a node without a key.
type treeWalk struct {
	text []byte
	skip int
	dec  *json.Decoder
	open []treeNode
	keys []string // the key whose value comes next, for each open object; "[" for an array
	done []treeNode
}

// step takes one token; it is false at the end.
func (w *treeWalk) step() bool {
	before := int(w.dec.InputOffset())
	token, err := w.dec.Token()
	if err != nil {
		return false
	}
	last := len(w.keys) - 1
	switch token {
	case json.Delim('{'), json.Delim('['):
		key := ""
		if token == json.Delim('[') {
			key = "["
		}
		w.open, w.keys = append(w.open, treeNode{}), append(w.keys, key)
		return true
	case json.Delim('}'), json.Delim(']'):
		if token == json.Delim('}') {
			w.done = append(w.done, w.open[last])
		}
		w.open, w.keys = w.open[:last], w.keys[:last]
		last--
	default:
		if text, ok := token.(string); ok && last >= 0 && w.keys[last] == "" {
			w.keys[last] = "=" + text
			return true
		}
		w.value(token, before)
	}
	if last >= 0 && w.keys[last] != "[" {
		w.keys[last] = ""
	}
	return last >= 0
}

// value notes a plain value of the innermost object.
func (w *treeWalk) value(token json.Token, before int) {
	last := len(w.keys) - 1
	text, ok := token.(string)
	if !ok || last < 0 {
		return
	}
	node := &w.open[last]
	switch w.keys[last] {
	case "=role":
		node.role = text
	case "=name":
		node.name = text
	case "=id":
		node.id = text
	case "=value":
		quote := bytes.IndexByte(w.text[before:], '"')
		node.value, node.start, node.end = text, w.skip+before+quote, w.skip+int(w.dec.InputOffset())
	}
}

// maskTree masks the values of password fields, and typed texts in their fields, in the output of
// `agent-cu tree`. Anything else of the text stays as it is.
func (l *typedLog) maskTree(text []byte) []byte {
	var out []byte
	at := 0
	for _, node := range treeNodes(text) {
		masked := l.nodeValue(node)
		if masked == node.value || node.start < at {
			continue
		}
		quoted, err := encode(masked)
		if err != nil {
			continue
		}
		out = append(append(out, text[at:node.start]...), bytes.TrimSpace(quoted)...)
		at = node.end
	}
	return append(out, text[at:]...)
}

// nodeValue is what is written for a node's value.
func (l *typedLog) nodeValue(node treeNode) string {
	value := node.value
	for _, typed := range l.texts {
		if typed.isField(node) {
			value = strings.ReplaceAll(value, typed.text, typed.mark(-1))
		} else if typed.anyWhere && value == typed.text {
			value = typed.mark(-1)
		}
	}
	if value == node.value && isSecretField(node.role, node.name, node.id) {
		return mask(value, "x")
	}
	return value
}

// isField says whether a node is the field that was typed into. A tree shows some ids that a snapshot
// leaves out.
func (t typedText) isField(node treeNode) bool {
	head := strings.ToLower(node.role)
	if node.name != "" {
		head += ` "` + node.name + `"`
	}
	return !t.anyWhere && head == t.head && (t.tail == "" || t.tail == " id="+node.id)
}
