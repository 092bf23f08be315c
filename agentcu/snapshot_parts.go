package agentcu

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What follows the role of a printed element begins with one of these.
const (
	nameMark  = ` "`
	valueMark = ` val="`
	idMark    = ` id=`
	otherMark = `other("`
)

// The engine cuts a value of more than 40 bytes at the last character that begins within the first 40
// (spec/agent-cu.md), so that 37 to 40 bytes stay, and puts an ellipsis behind.
const (
	maxValue = 40
	minCut   = maxValue - utf8.UTFMax + 1
	ellipsis = "…"
)

// parts are the texts of an element.
type parts struct{ name, value, id string }

// splitTail takes apart what follows a role. Since nothing is escaped, several readings can be
// possible. These signs decide, in this order:
//
//   - What ends in a quote has no id: ids are made by programs and hold none, while a name or a value
//     ends in one always.
//   - Otherwise the last `" id=` begins the id. A name can quote such a thing, an id can't.
//   - A `" val="` begins a value only where the rest has a length that a value can have. Of several
//     the last counts, whose sides each hold quotes in pairs. If no reading with a value has pairs on
//     both sides but the whole has them, it is a name that quotes something; if nothing has pairs (an
//     inch mark, a value that was cut inside a quotation), the last possible one counts.
func splitTail(tail string) parts {
	body, id := splitID(tail)
	if value, ok := strings.CutPrefix(body, valueMark); ok {
		return parts{value: strings.TrimSuffix(value, `"`), id: id}
	}
	inner, ok := strings.CutPrefix(body, nameMark)
	if !ok {
		return parts{id: id}
	}
	inner = strings.TrimSuffix(inner, `"`)
	if at := valueAt(inner); at >= 0 {
		return parts{name: inner[:at], value: inner[at+1+len(valueMark):], id: id}
	}
	return parts{name: inner, id: id}
}

// splitID takes the id off.
func splitID(tail string) (body, id string) {
	if id, ok := strings.CutPrefix(tail, idMark); ok {
		return "", id
	}
	if strings.HasSuffix(tail, `"`) {
		return tail, ""
	}
	at := strings.LastIndex(tail, `"`+idMark)
	if at < 0 || strings.Contains(tail[at:], "\n") {
		return tail, ""
	}
	return tail[:at+1], tail[at+1+len(idMark):]
}

// valueAt finds the quote that closes the name in front of a value; -1 where there is no value.
func valueAt(inner string) int {
	const mark = `"` + valueMark
	quotes := strings.Count(inner, `"`)
	possible := -1
	for end := len(inner); ; {
		at := strings.LastIndex(inner[:end], mark)
		if at < 0 || len(inner)-at-len(mark) > maxValue+len(ellipsis) {
			break
		}
		value := inner[at+len(mark):]
		inValue := strings.Count(value, `"`)
		if isPossibleValue(value) {
			if inValue%2 == 0 && quotes%2 == 0 {
				return at // then the name's are in pairs too
			}
			if possible < 0 {
				possible = at
			}
		}
		end = at
	}
	if quotes%2 == 0 {
		return -1
	}
	return possible
}

// isPossibleValue says whether the engine can print a value of this length.
func isPossibleValue(value string) bool { return len(value) <= maxValue || isCut(value) }

// isCut says whether the engine cut a value. A whole value of 37 bytes and an ellipsis of its own looks
// the same; it counts as cut, since a cut one taken as whole could name a wrong file.
func isCut(value string) bool {
	kept, ok := strings.CutSuffix(value, ellipsis)
	return ok && len(kept) >= minCut && len(kept) <= maxValue
}

// splitExact uses the exact name and id of refs.json; guess is what splitTail made of the tail.
func splitExact(tail string, exact refEntry, guess parts) parts {
	result := parts{name: exact.name, value: guess.value, id: exact.id}
	rest := tail
	if exact.name != "" {
		var ok bool
		if rest, ok = strings.CutPrefix(tail, nameMark+exact.name+`"`); !ok {
			return result
		}
	}
	if exact.id != "" {
		rest = strings.TrimSuffix(rest, idMark+exact.id)
	}
	if rest == "" {
		result.value = ""
	} else if value, ok := strings.CutPrefix(rest, valueMark); ok {
		result.value = strings.TrimSuffix(value, `"`)
	}
	return result
}

// splitSecret takes apart what follows the role of a password field. Here the first `" val="` ends the
// name: a label hardly quotes one, a password may hold anything, and what is taken for a name is shown.
func splitSecret(tail string) parts {
	body, id := splitID(tail)
	if value, ok := strings.CutPrefix(body, valueMark); ok {
		return parts{value: strings.TrimSuffix(value, `"`), id: id}
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(body, nameMark), `"`)
	name, value, _ := strings.Cut(inner, `"`+valueMark)
	return parts{name: name, value: value, id: id}
}

// cleanText removes control characters; those that part words become a line break or a blank.
func cleanText(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c == 0xc2 {
			return strings.Map(cleanRune, s)
		}
	}
	return s
}

func cleanRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r == '\r':
		return '\n'
	case r == '\v' || r == '\f' || r == 0x85:
		return ' '
	case unicode.IsControl(r):
		return -1
	}
	return r
}

// unescapeRust undoes the escapes that Rust's debug form puts into other("…").
func unescapeRust(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\0`, "").Replace(s)
}
