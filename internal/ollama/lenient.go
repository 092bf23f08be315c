package ollama

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxReply = 1 << 16 // bytes of a reply that are looked at
	maxTries = 100     // places of a reply where an object may begin
)

var (
	reasoning    = regexp.MustCompile(`(?is)<(?:think|thinking|thought|reasoning)>.*?</(?:think|thinking|thought|reasoning)>`)
	reasoningEnd = regexp.MustCompile(`(?is)^.*</(?:think|thinking|thought|reasoning)>`)
	reasoningCut = regexp.MustCompile(`(?is)<(?:think|thinking|thought|reasoning)>.*$`)
	finalChannel = regexp.MustCompile(`(?s)^.*<\|channel\|>final[^<]*<\|message\|>`)
	otherChannel = regexp.MustCompile(`(?s)<\|channel\|>.*$`)
	controlToken = regexp.MustCompile(`<\|[a-z_]{1,30}\|>`)
	fenceOpen    = regexp.MustCompile("(?i)^(?:```|~~~)(?:(?:json5?|text|txt|plaintext|markdown|md)\\b)?")
	fenceLine    = regexp.MustCompile("(?m)^[ \t]*(?:```|~~~)[A-Za-z0-9_-]*[ \t]*$")
)

// spoken is what a reply says, without the reasoning that some models and templates leave in it. A
// reply that is a whole JSON value stays as it is: tags in it are quoted text.
func spoken(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if len(text) > maxReply {
		text = strings.ToValidUTF8(text[:maxReply], "")
	}
	if json.Valid([]byte(text)) {
		return text
	}
	if finalChannel.MatchString(text) {
		text = finalChannel.ReplaceAllString(text, "")
	} else {
		text = otherChannel.ReplaceAllString(text, "")
	}
	text = reasoning.ReplaceAllString(text, "")
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		text = reasoningEnd.ReplaceAllString(text, "") // a template that swallows the opening tag
	}
	text = reasoningCut.ReplaceAllString(text, "")
	return strings.TrimSpace(controlToken.ReplaceAllString(text, ""))
}

// dropReasoning takes whole reasoning blocks out of a text.
func dropReasoning(text string) string { return reasoning.ReplaceAllString(text, "") }

// unfence takes the marks of code fences away and leaves what is between them.
func unfence(text string) string {
	text = strings.TrimSpace(fenceLine.ReplaceAllString(text, ""))
	if open := fenceOpen.FindString(text); open != "" { // a fence on one line with what it holds
		text = strings.TrimSuffix(strings.TrimSpace(text[len(open):]), open[:3])
	}
	return strings.TrimSpace(text)
}

// objects returns the whole JSON objects with a field of that name, in reading order, also those that
// stand in other objects.
func objects(text, key string) []map[string]json.RawMessage {
	var found []map[string]json.RawMessage
	for at, tries := 0, 0; tries < maxTries; tries++ {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 {
			break
		}
		at += next
		var fields map[string]json.RawMessage
		decoder := json.NewDecoder(strings.NewReader(text[at:]))
		if decoder.Decode(&fields) == nil {
			if _, has := field(fields, key); has {
				found = append(found, fields)
				at += int(decoder.InputOffset())
				continue
			}
		}
		at++
	}
	return found
}

// field finds a field by its exact name, else by its name in any case.
func field(fields map[string]json.RawMessage, key string) (json.RawMessage, bool) {
	if value, found := fields[key]; found {
		return value, true
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if strings.EqualFold(strings.TrimSpace(name), key) {
			return fields[name], true
		}
	}
	return nil, false
}

// cutString reads the string value of a key from JSON that is cut or damaged, up to where it ends.
func cutString(text, key string) (value string, found bool) {
	start := regexp.MustCompile(`(?i)"` + regexp.QuoteMeta(key) + `"\s*:\s*"`).FindStringIndex(text)
	if start == nil {
		return "", false
	}
	raw := text[start[1]:]
	end := 0
	for end < len(raw) && raw[end] != '"' {
		if raw[end] == '\\' {
			end++
		}
		end++
	}
	return unescape(raw[:min(end, len(raw))]), true
}

// unescape decodes the escapes of a JSON string that may end in the middle of one.
func unescape(raw string) string {
	raw = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' ' // a raw control character is no JSON
		}
		return r
	}, raw)
	var value string
	for cut := 0; cut <= len(`\ud83d\ude0`); cut++ { // the longest half escape is a half surrogate pair
		if cut > len(raw) {
			break
		}
		part := raw[:len(raw)-cut]
		if !utf8.ValidString(part) || json.Unmarshal([]byte(`"`+part+`"`), &value) != nil {
			continue
		}
		return strings.TrimSuffix(value, "\ufffd") // what a lone half of a pair decodes to
	}
	return strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, `"`, `\\`, `\`).Replace(raw)
}
