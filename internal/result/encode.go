package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Seconds prints with one decimal.
type Seconds float64

// Megabytes prints with one decimal; a megabyte is 1,048,576 bytes.
type Megabytes float64

// Rate is tokens a second; it prints with one decimal.
type Rate float64

// Confidence is 0..1; it prints with two decimals.
type Confidence float64

// Score is the closeness of a match, 0..1; it prints with at most two decimals.
type Score float64

// MarshalJSON prints one decimal. A value that is not finite is an error.
func (s Seconds) MarshalJSON() ([]byte, error) { return fixed(float64(s), 1) }

// MarshalJSON prints one decimal. A value that is not finite is an error.
func (m Megabytes) MarshalJSON() ([]byte, error) { return fixed(float64(m), 1) }

// MarshalJSON prints one decimal. A value that is not finite is an error.
func (r Rate) MarshalJSON() ([]byte, error) { return fixed(float64(r), 1) }

// MarshalJSON prints two decimals. A value that is not finite is an error.
func (c Confidence) MarshalJSON() ([]byte, error) { return fixed(float64(c), 2) }

// MarshalJSON prints two decimals. A value that is not finite is an error.
func (s Score) MarshalJSON() ([]byte, error) { return fixed(float64(s), 2) }

func fixed(v float64, decimals int) ([]byte, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("number %v has no JSON form", v)
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if text[0] == '-' && len(bytes.Trim([]byte(text[1:]), "0.")) == 0 {
		text = text[1:] // no negative zero
	}
	return []byte(text), nil
}

// Detail is one observed fact. Value is a string, a []string or a bool.
type Detail struct {
	Key   string
	Value any
}

// Details are observed facts in a fixed order; they print as one JSON object.
type Details []Detail

// Get returns the value of a key, or nil.
func (d Details) Get(key string) any {
	for _, one := range d {
		if one.Key == key {
			return one.Value
		}
	}
	return nil
}

// MarshalJSON prints the details as an object in their own order.
func (d Details) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, one := range d {
		if i > 0 {
			out.WriteByte(',')
		}
		for k, part := range []any{one.Key, one.Value} {
			text, err := Encode(part)
			if err != nil {
				return nil, fmt.Errorf("detail %s: %w", one.Key, err)
			}
			if k == 1 {
				out.WriteByte(':')
			}
			out.Write(text)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Encode prints a value as one line of compact JSON without a line end: non-ASCII, <, > and & stay as
// they are (spec/contract.md section 2).
func Encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
