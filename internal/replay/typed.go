package replay

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcp-computer-use/internal/proc"
)

// typedMark stands for typed text: the number of the text and, where the engine cut the value, the
// number of bytes that were shown.
var typedMark = regexp.MustCompile(`<typed ([0-9]+)(?::([0-9]+))?>`)

// maskArgs replaces the sensitive text of a command by mark. It stands after the end of the flags;
// elsewhere the same characters mean something else, and stay.
func maskArgs(args []string, sensitive, mark string) []string {
	if sensitive == "" {
		return args
	}
	out := slices.Clone(args)
	masked := false
	for i := slices.Index(out, "--") + 1; i < len(out); i++ {
		if out[i] == sensitive {
			out[i], masked = mark, true
		}
	}
	for i, arg := range out {
		if !masked {
			out[i] = strings.ReplaceAll(arg, sensitive, mark)
		}
	}
	return out
}

// typedText remembers what was typed into which field, to keep it out of the snapshots that follow.
type typedText struct {
	number   int
	text     string
	head     string // `textfield "Name"`: the field's line up to its value
	tail     string // ` id=field` or nothing
	anyWhere bool   // the field could not be found: every whole value counts
}

// typedLog is what the recorder knows of typed texts and of the latest snapshots.
type typedLog struct {
	texts     []typedText
	snapshots map[string][]byte // by home of the child and window
}

func snapshotKey(cmd proc.Command) string {
	app, _ := appOf(cmd.Args)
	return environ(cmd.Env, "HOME") + "\x00" + app
}

// remember notes a snapshot, so that a ref can be looked up in it.
func (l *typedLog) remember(cmd proc.Command, stdout []byte) {
	if subCommand(cmd.Args) == "snapshot" {
		if l.snapshots == nil {
			l.snapshots = make(map[string][]byte)
		}
		l.snapshots[snapshotKey(cmd)] = stdout
	}
}

// add notes a typed text and its field, and returns its mark.
func (l *typedLog) add(cmd proc.Command) string {
	typed := typedText{number: len(l.texts) + 1, text: cmd.Sensitive, anyWhere: true}
	for _, one := range l.texts {
		if one.text == cmd.Sensitive {
			typed.number = one.number
		}
	}
	if ref := refOf(cmd.Args); ref != "" {
		typed.head, typed.tail, typed.anyWhere = field(l.snapshots[snapshotKey(cmd)], ref)
	}
	l.texts = append(l.texts, typed)
	return typed.mark(-1)
}

// mark is the placeholder; shown is the number of bytes that a cut value shows, or -1.
func (t typedText) mark(shown int) string {
	if shown < 0 {
		return fmt.Sprintf("<typed %d>", t.number)
	}
	return fmt.Sprintf("<typed %d:%d>", t.number, shown)
}

// refOf is the element that a command acts on.
func refOf(args []string) string {
	for _, arg := range args {
		if arg == "--" {
			break
		}
		if value, ok := strings.CutPrefix(arg, "--selector="); ok && strings.HasPrefix(value, "@") {
			return value
		}
		if strings.HasPrefix(arg, "@") {
			return arg
		}
	}
	return ""
}

// field returns the parts of a snapshot's line around the value, which a later snapshot repeats
// although it numbers the refs anew. unknown says that the ref is not there.
func field(snapshot []byte, ref string) (head, tail string, unknown bool) {
	_, rest, ok := strings.Cut(string(snapshot), "["+ref+"] ")
	if !ok {
		return "", "", true
	}
	line, _, _ := strings.Cut(rest, "\n")
	if at := strings.LastIndex(line, " id="); at >= 0 && !strings.Contains(line[at:], `"`) {
		line, tail = line[:at], line[at:]
	}
	head, _, _ = strings.Cut(line, ` val="`)
	return head, tail, false
}

// clean masks the typed texts in the values of their fields in a snapshot.
func (l *typedLog) clean(cmd proc.Command, stdout []byte) []byte {
	if subCommand(cmd.Args) != "snapshot" {
		return stdout
	}
	for _, typed := range slices.Backward(l.texts) {
		stdout = typed.clean(stdout)
	}
	return stdout
}

var valueMark = []byte(` val="`)

func (t typedText) clean(snapshot []byte) []byte {
	prefix := append([]byte(t.head), valueMark...)
	if t.anyWhere {
		prefix = valueMark
	}
	var out []byte
	for {
		i := bytes.Index(snapshot, prefix)
		if i < 0 {
			return append(out, snapshot...)
		}
		start := i + len(prefix)
		out, snapshot = append(out, snapshot[:start]...), snapshot[start:]
		if !t.anyWhere && !startsElement(out[:len(out)-len(prefix)]) {
			continue
		}
		masked, used := t.value(snapshot)
		out, snapshot = append(out, masked...), snapshot[used:]
	}
}

var elementStart = regexp.MustCompile(`^ *(?:\[@e[0-9]+\] )?$`)

// startsElement says whether an element's role can begin after this text: after a ref or an indent.
func startsElement(before []byte) bool {
	return elementStart.Match(before[bytes.LastIndexByte(before, '\n')+1:])
}

// value masks the value at the begin of rest. It returns what stands for the first used bytes.
func (t typedText) value(rest []byte) (masked []byte, used int) {
	if after, ok := bytes.CutPrefix(rest, []byte(t.text)); ok && t.ends(after) {
		return []byte(t.mark(-1)), len(t.text)
	}
	end := t.valueEnd(rest)
	if end < 0 {
		return nil, 0
	}
	value := rest[:end]
	if t.anyWhere {
		body, cut := bytes.CutSuffix(value, []byte("…"))
		if !cut || !strings.HasPrefix(t.text, string(body)) || len(body) < 4 {
			return nil, 0
		}
	}
	if i := bytes.Index(value, []byte(t.text)); i >= 0 {
		all := bytes.ReplaceAll(value, []byte(t.text), []byte(t.mark(-1)))
		return all, end
	}
	return t.cutValue(value), end
}

// cutValue masks the begin of the typed text at the end of a value that the engine cut.
func (t typedText) cutValue(value []byte) []byte {
	body, cut := bytes.CutSuffix(value, []byte("…"))
	if !cut {
		return value
	}
	for i := range body {
		if shown := body[i:]; strings.HasPrefix(t.text, string(shown)) {
			return append(append(slices.Clone(body[:i]), t.mark(len(shown))...), "…"...)
		}
	}
	return value
}

// ends says whether a value ends here and the element is the one that was typed into.
func (t typedText) ends(after []byte) bool {
	after, ok := bytes.CutPrefix(after, []byte(`"`))
	if !ok {
		return false
	}
	line, _, _ := bytes.Cut(after, []byte("\n"))
	if t.anyWhere {
		return len(line) == 0 || bytes.HasPrefix(line, []byte(" id="))
	}
	return string(line) == t.tail
}

// valueEnd is where the value ends: at the first quote after which the field's line is complete.
func (t typedText) valueEnd(rest []byte) int {
	for i, c := range rest {
		if c == '"' && t.ends(rest[i:]) {
			return i
		}
		if c == '\n' && bytes.Contains(rest[:i], []byte("…")) {
			return -1
		}
	}
	return -1
}

// unmask puts the typed texts of this run where the recording has their marks. inJSON says that the
// marks stand in JSON strings.
func unmask(data []byte, texts map[int]string, inJSON bool) []byte {
	if len(texts) == 0 {
		return data
	}
	return typedMark.ReplaceAllFunc(data, func(m []byte) []byte {
		parts := typedMark.FindSubmatch(m)
		number, _ := strconv.Atoi(string(parts[1]))
		text, ok := texts[number]
		if !ok {
			return m
		}
		if shown, err := strconv.Atoi(string(parts[2])); err == nil && shown < len(text) {
			for shown > 0 && !utf8.RuneStart(text[shown]) {
				shown--
			}
			text = text[:shown]
		}
		if inJSON {
			quoted, err := encode(text)
			if err != nil {
				return m
			}
			quoted = bytes.TrimSpace(quoted)
			return quoted[1 : len(quoted)-1]
		}
		return []byte(text)
	})
}
