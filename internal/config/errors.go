package config

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Error is a mistake in a file or in the environment that stops the start.
type Error struct {
	File     string // absolute path; empty when the value came from the environment
	Line     int    // counted from 1; 0 where the whole file is meant
	Key      string // the key as it stands in the file, tables joined by dots; empty for a file that can't be read
	Variable string // the environment variable; empty when the value came from a file
	Problem  string // what is wrong, a sentence without its subject
	Allowed  string // the values that are taken; empty where there is no list of them
	Err      error  // the cause; nil for a wrong value
}

// Error says where the mistake is, what it is, and what is allowed instead. The value of a secret is
// never part of it.
func (e *Error) Error() string {
	var out strings.Builder
	switch {
	case e.Variable != "":
		out.WriteString(e.Variable + " ")
	case e.Line > 0:
		fmt.Fprintf(&out, "%s:%d: ", e.File, e.Line)
	default:
		out.WriteString(e.File + ": ")
	}
	if e.Key != "" {
		out.WriteString(e.Key + " ")
	}
	out.WriteString(e.Problem)
	if e.Allowed != "" {
		out.WriteString("; allowed: " + e.Allowed)
	}
	return out.String()
}

// Unwrap returns the cause, such as an error of the file system.
func (e *Error) Unwrap() error { return e.Err }

// problem is the sentence about a refused value. why is one of errType, errRange and errForm.
func (one setting) problem(value any, why error) string {
	if one.kind == "secret" {
		return "= (secret) " + why.Error()
	}
	shown := fmt.Sprintf("%v", value)
	switch value := value.(type) {
	case string:
		shown = strconv.Quote(value)
	case []any:
		if list, err := json.Marshal(value); err == nil {
			shown = string(list)
		}
	}
	if runes := []rune(shown); len(runes) > 80 {
		shown = string(runes[:80]) + "…"
	}
	return "= " + shown + " " + why.Error()
}
