package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A value is a JSON value that has lost nothing: nil, bool, json.Number, string, []any or *object.
// The original's error texts show values as Python prints them, hence the printing below.

// object is a JSON object with its keys in the order of their first appearance; the last value of a
// repeated key counts.
type object struct {
	keys   []string
	values map[string]any
}

func (o *object) set(key string, value any) {
	if _, known := o.values[key]; !known {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

// masked stands in an object for a value that must not be shown.
type masked struct{}

// parseValue reads exactly one JSON value.
func parseValue(raw []byte) (any, error) {
	if !json.Valid(raw) { // the tokens below would let some faults through, and any depth
		return nil, errors.New("no JSON value")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return readValue(decoder)
}

func readValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("read a JSON value: %w", err)
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			item, err := readValue(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := decoder.Token()
		return list, err
	case json.Delim('{'):
		members := &object{values: map[string]any{}}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, fmt.Errorf("read a JSON key: %w", err)
			}
			value, err := readValue(decoder)
			if err != nil {
				return nil, err
			}
			members.set(fmt.Sprint(key), value)
		}
		_, err := decoder.Token()
		return members, err
	default:
		return token, nil
	}
}

// isFloat tells whether Python reads the number as a float.
func isFloat(number json.Number) bool { return strings.ContainsAny(string(number), ".eE") }

// typeName is the name of the value's Python type.
func typeName(value any) string {
	switch v := value.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case json.Number:
		if isFloat(v) {
			return "float"
		}
		return "int"
	case string:
		return "str"
	case []any:
		return "list"
	default:
		return "dict"
	}
}

const (
	shownHead = 25 // characters kept at the start of a long value
	shownTail = 24 // and at its end
	shownMost = 50 // a value up to this length is shown whole
)

// shown is the value as the original's error texts show it: Python's repr, cut in the middle.
func shown(value any) string {
	var out strings.Builder
	writeRepr(&out, value)
	runes := []rune(out.String())
	if len(runes) <= shownMost {
		return string(runes)
	}
	return string(runes[:shownHead]) + "..." + string(runes[len(runes)-shownTail:])
}

func writeRepr(out *strings.Builder, value any) {
	switch v := value.(type) {
	case nil:
		out.WriteString("None")
	case bool:
		out.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case json.Number:
		out.WriteString(numberRepr(v))
	case string:
		writeStringRepr(out, v)
	case masked:
		out.WriteString("'<redacted>'")
	case []any:
		out.WriteByte('[')
		for i, item := range v {
			writeSeparator(out, i)
			writeRepr(out, item)
		}
		out.WriteByte(']')
	case *object:
		out.WriteByte('{')
		for i, key := range v.keys {
			writeSeparator(out, i)
			writeStringRepr(out, key)
			out.WriteString(": ")
			writeRepr(out, v.values[key])
		}
		out.WriteByte('}')
	}
}

func writeSeparator(out *strings.Builder, index int) {
	if index > 0 {
		out.WriteString(", ")
	}
}

// numberRepr prints an int with all its digits and a float in its shortest form.
func numberRepr(number json.Number) string {
	if !isFloat(number) {
		if number == "-0" {
			return "0"
		}
		return string(number)
	}
	f, _ := number.Float64() // out of range gives an infinity, as in Python
	if math.IsInf(f, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64)[:1], "+") + "inf"
	}
	scientific := strconv.FormatFloat(f, 'e', -1, 64)
	_, exponent, _ := strings.Cut(scientific, "e")
	if power, _ := strconv.Atoi(exponent); power < -4 || power >= 16 {
		return scientific
	}
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return plain
}

func writeStringRepr(out *strings.Builder, s string) {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	out.WriteByte(quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case unicode.IsPrint(r) || r == utf8.RuneError:
			out.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(out, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			fmt.Fprintf(out, `\U%08x`, r)
		}
	}
	out.WriteByte(quote)
}

// truth reads what passes for a bool. known is false for a value of a right type but another meaning
// ("maybe", 2); ok is false for a value of a wrong type.
func truth(value any) (is, known, ok bool) {
	switch v := value.(type) {
	case bool:
		return v, true, true
	case json.Number:
		f, err := v.Float64()
		return f == 1, err == nil && (f == 0 || f == 1), true
	case string:
		word := strings.ToLower(v)
		is = slices.Contains([]string{"true", "t", "yes", "y", "on", "1"}, word)
		return is, is || slices.Contains([]string{"false", "f", "no", "n", "off", "0"}, word), true
	default:
		return false, false, false
	}
}
