package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxFileBytes bounds what is read; a settings file has some hundred bytes.
const maxFileBytes = 1 << 20

// isTable says whether a settings file has a table of that name.
func isTable(name string) bool { return name == "safety" }

// entry is one assignment of a file.
type entry struct {
	key   string // with its tables, joined by dots
	line  int
	table bool // a table stands where a value or nothing may stand
}

// readFile returns the bytes of a regular file in UTF-8, without the byte order mark that Windows
// editors write. The error is a *Error; a missing file also is fs.ErrNotExist.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &Error{File: path, Problem: "is not a file"}
	}
	var data []byte
	if err == nil {
		data, err = readLimited(path)
	}
	if err != nil {
		var at *os.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, &Error{File: path, Problem: "can't be read: " + err.Error(), Err: err}
	}
	if len(data) > maxFileBytes {
		return nil, &Error{File: path, Problem: "is larger than 1 MiB"}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, &Error{File: path, Line: badLine(data), Problem: "is not UTF-8; save the file in that encoding"}
	}
	return data, nil
}

func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFileBytes+1))
}

// badLine is the line of the first byte that is no UTF-8.
func badLine(data []byte) int {
	line := 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		data = data[size:]
	}
	return line
}

// parseFile checks the syntax and lists the assignments in their order, and the values by key.
func parseFile(path string, data []byte) ([]entry, map[string]any, error) {
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		return nil, nil, syntaxError(path, data, err)
	}
	var list []entry
	var table []string
	p := &unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		node := p.Expression()
		keys, line := keysOf(p, node)
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keys
			list = appendTable(list, keys, line, node.Kind == unstable.ArrayTable)
		case unstable.KeyValue:
			list = appendValue(p, list, table, node)
		}
	}
	if err := p.Error(); err != nil {
		return nil, nil, syntaxError(path, data, err)
	}
	flat := make(map[string]any)
	flatten(values, nil, flat)
	return list, flat, nil
}

// appendTable notes a table header only where it is a mistake of its own.
func appendTable(list []entry, keys []string, line int, array bool) []entry {
	name := joinKey(keys)
	if byKey(name) != nil || array && isTable(name) {
		return append(list, entry{name, line, true})
	}
	return list
}

func appendValue(p *unstable.Parser, list []entry, table []string, node *unstable.Node) []entry {
	keys, line := keysOf(p, node)
	path := append(slices.Clone(table), keys...)
	name := joinKey(path)
	inline := node.Value().Kind == unstable.InlineTable
	if !inline || byKey(name) != nil {
		return append(list, entry{name, line, inline})
	}
	for it := node.Value().Children(); it.Next(); {
		list = appendValue(p, list, path, it.Node())
	}
	return list
}

// joinKey writes the parts of a key with dots between them. A part that holds a dot itself is quoted:
// "safety.blocklist" in quotes is another key than blocklist in the table safety.
func joinKey(parts []string) string {
	out := make([]string, len(parts))
	for i, part := range parts {
		if strings.Contains(part, ".") {
			part = strconv.Quote(part)
		}
		out[i] = part
	}
	return strings.Join(out, ".")
}

// keysOf returns the parts of a node's key and its line.
func keysOf(p *unstable.Parser, node *unstable.Node) ([]string, int) {
	var keys []string
	line := 0
	for it := node.Key(); it.Next(); {
		part := it.Node()
		if line == 0 {
			line = p.Shape(part.Raw).Start.Line
		}
		keys = append(keys, string(part.Data))
	}
	return keys, line
}

// flatten adds the values of a tree of tables to flat, by their joined keys.
func flatten(tree map[string]any, above []string, flat map[string]any) {
	for key, value := range tree {
		parts := append(slices.Clone(above), key)
		flat[joinKey(parts)] = value
		if sub, ok := value.(map[string]any); ok {
			flatten(sub, parts, flat)
		}
	}
}

// syntaxError names the line of broken TOML, and the remedy for its most common cause.
func syntaxError(path string, data []byte, err error) error {
	out := &Error{File: path, Problem: "is no TOML: " + strings.TrimPrefix(err.Error(), "toml: "), Err: err}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		out.Line, _ = at.Position()
		if strings.Contains(lineOf(data, out.Line), `:\`) {
			out.Problem += `; write a Windows path in single quotes, as in 'C:\folder'`
		}
	}
	return out
}

func lineOf(data []byte, number int) string {
	lines := bytes.SplitN(data, []byte("\n"), number+1)
	if number < 1 || number > len(lines) {
		return ""
	}
	return string(lines[number-1])
}

// layer is one file to apply.
type layer struct {
	path    string
	home    string
	trusted bool // false: only the settings marked `cwd` are taken
	must    bool // the file must exist
}

// apply reads the file into s. It returns the warnings, and all mistakes joined into one error; then s
// is of no use.
func (l layer) apply(s *Settings, data []byte) ([]string, error) {
	list, values, err := parseFile(l.path, data)
	if err != nil {
		return nil, err
	}
	var warnings []string
	var mistakes []error
	lines := make(map[string]int)
	for _, e := range list {
		where := fmt.Sprintf("%s:%d: ", l.path, e.line)
		one := byKey(e.key)
		switch {
		case one == nil && isTable(e.key):
			mistakes = append(mistakes, l.mistake(e, "must be a table, as in ["+e.key+"]", ""))
		case one == nil:
			warnings = append(warnings, where+unknown("key", e.key, knownKeys()))
		case !l.trusted && !one.cwd:
			warnings = append(warnings, where+e.key+" is ignored: a file in the working folder may not set it ("+trustVariable+"=1 allows that)")
		case e.table:
			mistakes = append(mistakes, l.mistake(e, "is a setting, not a table", one.allowed()))
		case lines[one.key] > 0:
			mistakes = append(mistakes, l.mistake(e, fmt.Sprintf("is the setting of line %d again", lines[one.key]), ""))
		default:
			lines[one.key] = e.line
			mistakes = append(mistakes, l.set(s, *one, e, values))
		}
	}
	return warnings, errors.Join(mistakes...)
}

func (l layer) mistake(e entry, problem, allowed string) error {
	return &Error{File: l.path, Line: e.line, Key: e.key, Problem: problem, Allowed: allowed}
}

// set puts one value into s. Blocked words are added to those that are there: no file takes a word of
// another one away.
func (l layer) set(s *Settings, one setting, e entry, values map[string]any) error {
	raw, ok := values[e.key]
	if !ok {
		return nil // inside a list of tables, which is a mistake already
	}
	v, err := one.decode(raw)
	if err != nil {
		return l.mistake(e, one.problem(raw, err), one.allowed())
	}
	one.put(s, v, filepath.Dir(l.path), l.home)
	return nil
}

// put stores a parsed value; a relative path counts from the folder of where it was written.
func (one setting) put(s *Settings, v any, folder, home string) {
	switch one.kind {
	case "words":
		all, _ := words(append(one.field(s).Interface().([]string), v.([]string)...))
		v = all
	case "path":
		v = absolute(v.(string), folder, home)
	case "program":
		if program := v.(string); strings.ContainsAny(program, `/\`) {
			v = absolute(program, folder, home)
		}
	}
	one.field(s).Set(reflect.ValueOf(v))
}

// absolute completes a path; a leading ~ is the user's home.
func absolute(path, folder, home string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(home, rest)
	}
	if path == "" || filepath.IsAbs(path) || isForeignAbs(path) {
		return path
	}
	if os.IsPathSeparator(path[0]) { // on Windows, from the root of the folder's drive
		return filepath.Clean(filepath.VolumeName(folder) + path)
	}
	return filepath.Join(folder, path)
}

// isForeignAbs says whether a path is absolute on Windows, so that a test elsewhere leaves it alone.
func isForeignAbs(path string) bool {
	return strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}
