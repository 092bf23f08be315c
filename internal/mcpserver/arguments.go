package mcpserver

import (
	"errors"
	"fmt"
	"strings"

	"mcp-computer-use/internal/guidance"
)

// errNotObject means that the arguments of a call are no JSON object: a broken request, not a failed
// call.
var errNotObject = errors.New("arguments must be an object")

// arguments are the values of a call that fit the tool's parameters. Unknown arguments are gone.
type arguments struct{ values map[string]any }

// text returns the string, or nil where the argument is absent, null or no string.
func (a arguments) text(name string) *string {
	if s, ok := a.values[name].(string); ok {
		return &s
	}
	return nil
}

// flag returns the bool, false where the argument is absent.
func (a arguments) flag(name string) bool {
	is, _, _ := truth(a.values[name])
	return is
}

// list returns the strings of an array, nil for an element that is none, and whether there is one.
func (a arguments) list(name string) ([]*string, bool) {
	items, ok := a.values[name].([]any)
	if !ok {
		return nil, false
	}
	list := make([]*string, len(items))
	for i, item := range items {
		if s, ok := item.(string); ok {
			list[i] = &s
		}
	}
	return list, true
}

// bindError tells in the original's words why a call does not fit a tool (spec/mcp.md section 1.5).
type bindError struct {
	tool   string
	faults []string
}

// Error is the whole text that the client gets.
func (e *bindError) Error() string {
	plural := "s"
	if len(e.faults) == 1 {
		plural = ""
	}
	return fmt.Sprintf("Error executing tool %s: %d validation error%s for %sArguments\n%s",
		e.tool, len(e.faults), plural, e.tool, strings.Join(e.faults, "\n"))
}

// bind fits the raw JSON arguments to a tool. The error is errNotObject or a *bindError.
//
// A string for a parameter that is more than a plain string is read as JSON first; an object, array or
// null in it takes its place (spec/mcp.md section 1.4).
func bind(tool definition, raw []byte) (arguments, error) {
	given, err := givenArguments(raw)
	if err != nil {
		return arguments{}, err
	}
	for _, p := range tool.parameters {
		if s, ok := given.values[p.name].(string); ok && !p.plain() {
			given.values[p.name] = unwrapped(s)
		}
	}
	bound := arguments{values: map[string]any{}}
	var faults []string
	for _, p := range tool.parameters {
		value, ok := given.values[p.name]
		switch fault := p.fault(value, ok); {
		case fault == missing:
			faults = append(faults, faultLine(p.name, missing, presentable(tool, given)))
		case fault != "":
			faults = append(faults, faultLine(p.name, fault, value))
		default:
			bound.values[p.name] = value
		}
	}
	if len(faults) > 0 {
		return arguments{}, &bindError{tool: tool.name, faults: faults}
	}
	return bound, nil
}

// givenArguments reads the arguments; none at all and null are an empty object.
func givenArguments(raw []byte) (*object, error) {
	if len(raw) == 0 {
		return &object{values: map[string]any{}}, nil
	}
	value, err := parseValue(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotObject, err)
	}
	switch v := value.(type) {
	case nil:
		return &object{values: map[string]any{}}, nil
	case *object:
		return v, nil
	default:
		return nil, errNotObject
	}
}

// unwrapped returns the object, array or null that a string holds, else the string.
func unwrapped(s string) any {
	value, err := parseValue([]byte(s))
	if err != nil {
		return s
	}
	switch value.(type) {
	case nil, []any, *object:
		return value
	default:
		return s
	}
}

// The faults, as message and kind.
const (
	missing    = "Field required [type=missing"
	noString   = "Input should be a valid string [type=string_type"
	noList     = "Input should be a valid list [type=list_type"
	noBool     = "Input should be a valid boolean [type=bool_type"
	unsureBool = "Input should be a valid boolean, unable to interpret input [type=bool_parsing"
)

// fault tells what is wrong with a value for the parameter; "" when it fits.
func (p parameter) fault(value any, given bool) string {
	if !given {
		if p.required() {
			return missing
		}
		return ""
	}
	_, isString := value.(string)
	switch p.kind {
	case plainText, optionalText:
		if !isString && (value != nil || p.kind == plainText) {
			return noString
		}
	case optionalList:
		if _, isList := value.([]any); !isList && value != nil {
			return noList
		}
	case boolFlag:
		switch _, known, ok := truth(value); {
		case !ok:
			return noBool
		case !known:
			return unsureBool
		}
	}
	return ""
}

func faultLine(name, fault string, value any) string {
	return fmt.Sprintf("%s\n  %s, input_value=%s, input_type=%s]", name, fault, shown(value), typeName(value))
}

// presentable is the object of arguments as an error may show it: text to be typed is masked.
func presentable(tool definition, given *object) *object {
	if tool.name != guidance.TypeText || given.values["text"] == nil {
		return given
	}
	copied := &object{values: map[string]any{}}
	for _, key := range given.keys {
		copied.set(key, given.values[key])
	}
	copied.set("text", masked{})
	return copied
}
