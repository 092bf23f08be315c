package ollama

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

const (
	maxSummary = 400 // characters, spec/contract.md section 6
	halfTrust  = 0.5 // confidence of an answer that gives none
)

// ParseAnswer reads the reply {"summary", "confidence"} leniently: in a code fence, behind reasoning,
// as plain words, or cut in the middle. The summary is one line of 1 to 400 characters, the confidence
// 0 to 1. ok is false when nothing of a summary is left.
//
// A confidence above 1 is read as per cent as far as 100 goes; one that is no such number, and every
// reply that is cut (doneReason "length") or no JSON object, counts as 0.5 (spec/ollama.md).
func ParseAnswer(text, doneReason string) (summary string, confidence float64, ok bool) {
	text = spoken(text)
	if found := objects(text, "summary"); len(found) > 0 {
		last := found[len(found)-1]
		value, _ := field(last, "summary")
		confidence = trust(last)
		if doneReason == "length" {
			confidence = halfTrust
		}
		summary = shorten(plain(value))
		return summary, confidence, summary != ""
	}
	summary, found := cutString(text, "summary")
	if !found && !structured(text) {
		summary = words(text)
	}
	summary = shorten(summary)
	return summary, halfTrust, summary != ""
}

// ParseChoice reads the reply {"choice": N}. ok is false for whatever is not exactly one whole number
// from 0 on in a whole object, since a wrong reading would act on the wrong element.
func ParseChoice(text string) (choice int, ok bool) {
	found := objects(spoken(text), "choice")
	if len(found) != 1 {
		return 0, false
	}
	value, _ := field(found[0], "choice")
	number := string(value)
	var quoted string
	if json.Unmarshal(value, &quoted) == nil && quoted != "" {
		number = strings.TrimSpace(quoted)
	}
	exact, err := strconv.ParseFloat(number, 64)
	if err != nil || exact < 0 || exact > 1e6 || exact != float64(int(exact)) {
		return 0, false
	}
	return int(exact), true
}

// trust is the confidence of a whole answer.
func trust(fields map[string]json.RawMessage) float64 {
	value, _ := field(fields, "confidence")
	text := string(value)
	var quoted string
	if json.Unmarshal(value, &quoted) == nil {
		text = strings.TrimSpace(quoted)
	}
	percent := strings.HasSuffix(text, "%")
	number, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	switch {
	case err != nil || number != number || number > 100:
		return halfTrust
	case number < 0:
		return 0
	case percent || number > 1:
		return number / 100
	}
	return number
}

// plain is a summary as text: a string, a list of strings, a number.
func plain(value json.RawMessage) string {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return dropReasoning(one)
	}
	var several []string
	if json.Unmarshal(value, &several) == nil {
		return dropReasoning(strings.Join(several, " "))
	}
	var number json.Number
	if json.Unmarshal(value, &number) == nil {
		return number.String()
	}
	return ""
}

// structured says whether a reply set out to be JSON: its raw text is no summary then.
func structured(text string) bool {
	text = unfence(text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || text == "null"
}

// words is a reply in plain words, without a fence or quotes around it.
func words(text string) string {
	text = unfence(text)
	var quoted string
	if json.Unmarshal([]byte(text), &quoted) == nil {
		return quoted
	}
	return text
}

// shorten brings text to one line of at most 400 characters, cut between words where that costs little.
func shorten(text string) string {
	text = cleanLine(text)
	runes := []rune(text)
	if len(runes) <= maxSummary {
		return text
	}
	end := maxSummary - 1
	for back := end; back > end-40; back-- {
		if runes[back] == ' ' {
			end = back
			break
		}
	}
	return strings.TrimSpace(string(runes[:end])) + "…"
}

// cleanLine makes valid UTF-8 of one line: white space and control characters become single spaces.
func cleanLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}
