package config

import (
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const year = 365 * 24 * time.Hour

// span is a kind of durations: the unit of a bare number, and the range.
type span struct {
	unit     time.Duration
	min, max time.Duration
	allowed  string
}

const day = 24 * time.Hour

// spanOf returns the span of a kind, or false where the kind is none of a duration. The ranges are
// those of spec/contract.md section 10.
func spanOf(kind string) (span, bool) {
	switch kind {
	case "seconds":
		return span{time.Second, time.Second / 10, day, "seconds from 0.1 to 86400, as a number or as a duration like 45s or 1m30s"}, true
	case "seconds0":
		return span{time.Second, 0, day, "seconds from 0 to 86400, as a number or as a duration like 45s or 1m30s"}, true
	case "minutes":
		return span{time.Minute, time.Second / 10, day, "minutes up to 1440, at least 0.1 seconds, as a number or as a duration like 90s or 10m"}, true
	case "hours":
		return span{time.Hour, time.Second, year, "hours up to 8760 (one year), at least one second, as a number or as a duration like 30m or 24h"}, true
	case "keepalive":
		return span{time.Second, math.MinInt64, math.MaxInt64, "a duration like 3m, or a number of seconds; 0 unloads at once, a negative one never"}, true
	}
	return span{}, false
}

// allowed says in words which values a setting takes.
func (one setting) allowed() string {
	if s, ok := spanOf(one.kind); ok {
		return s.allowed
	}
	switch one.kind {
	case "bool":
		return "true or false (also 1, yes, on and 0, no, off)"
	case "count":
		return "a whole number from 1 to 1000000"
	case "port":
		return "a whole number from 1 to 65535"
	case "mb":
		return "a number of MB from 0 to 1000000000"
	case "url":
		return "an http or https address like http://127.0.0.1:11435"
	case "words":
		return "words separated by commas, or in a file an array of strings"
	case "program":
		return "the name or path of a program, not of a .bat, .cmd or .ps1 script"
	case "path":
		return "a path"
	case "text":
		return "a text of 1 to 1000 characters without control characters"
	case "secret":
		return "a text of at most 1000 characters without control characters"
	}
	choices := strings.Split(one.kind, "|")
	last := len(choices) - 1
	return strings.Join(choices[:last], ", ") + " or " + choices[last]
}

// What is wrong with a value. The texts end the sentence "the value …".
var (
	errType  = errors.New("has the wrong type")
	errRange = errors.New("is out of range")
	errForm  = errors.New("is not allowed")
)

// parse reads a value from its text form, that of an environment variable.
func (one setting) parse(text string) (any, error) {
	text = strings.TrimSpace(text)
	if s, ok := spanOf(one.kind); ok {
		return s.parse(text)
	}
	switch one.kind {
	case "bool":
		return parseBool(text)
	case "count", "port", "mb":
		number, ok := parseNumber(text)
		if !ok {
			return nil, errType
		}
		return one.number(number)
	case "words":
		return words(strings.Split(text, ","))
	}
	return one.parseString(text)
}

// decode reads a value as TOML or JSON gives it.
func (one setting) decode(v any) (any, error) {
	number, isNumber := asNumber(v)
	text, isText := v.(string)
	if s, ok := spanOf(one.kind); ok {
		if isNumber {
			return s.scale(number)
		}
		return ifText(isText, func() (any, error) { return s.parse(strings.TrimSpace(text)) })
	}
	switch one.kind {
	case "bool":
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return ifText(isText, func() (any, error) { return parseBool(strings.TrimSpace(text)) })
	case "count", "port", "mb":
		if !isNumber {
			return nil, errType
		}
		return one.number(number)
	case "words":
		if list, ok := v.([]any); ok {
			return wordList(list)
		}
	}
	return ifText(isText, func() (any, error) { return one.parse(text) })
}

func ifText(isText bool, parse func() (any, error)) (any, error) {
	if !isText {
		return nil, errType
	}
	return parse()
}

func asNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// parseNumber reads a number; one beyond float64 is infinite, and so out of every range.
func parseNumber(text string) (float64, bool) {
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}

func parseBool(text string) (any, error) {
	switch strings.ToLower(text) {
	case "1", "true", "yes", "on":
		return true, nil
	case "0", "false", "no", "off":
		return false, nil
	}
	return nil, errType
}

// parse takes Go's form of a duration or a bare number of the kind's unit.
func (s span) parse(text string) (any, error) {
	if number, ok := parseNumber(text); ok {
		return s.scale(number)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return nil, errType
	}
	return s.check(d)
}

// scale turns a number of units into a duration. A number too large for one is held at the largest,
// which is in range only where every duration is.
func (s span) scale(number float64) (any, error) {
	nanos := number * float64(s.unit)
	switch {
	case math.IsNaN(nanos):
		return nil, errType
	case nanos >= math.MaxInt64:
		return s.check(math.MaxInt64)
	case nanos <= math.MinInt64:
		return s.check(math.MinInt64)
	}
	return s.check(time.Duration(math.Round(nanos)))
}

func (s span) check(d time.Duration) (any, error) {
	if d < s.min || d > s.max {
		return nil, errRange
	}
	return d, nil
}

// number checks a number that is no duration. Only MB may have a fraction.
func (one setting) number(f float64) (any, error) {
	low, high := 1.0, 1_000_000.0
	switch one.kind {
	case "port":
		high = 65535
	case "mb":
		low, high = 0, 1e9
	}
	switch {
	case math.IsNaN(f), one.kind != "mb" && f != math.Trunc(f):
		return nil, errType
	case f < low || f > high:
		return nil, errRange
	case one.kind == "mb":
		return f, nil
	}
	return int(f), nil
}

func wordList(list []any) (any, error) {
	texts := make([]string, 0, len(list))
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, errType
		}
		texts = append(texts, text)
	}
	return words(texts)
}

// words trims the words and drops empty ones and repetitions. It gives nil for no word.
func words(texts []string) (any, error) {
	var list []string
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if hasControl(text) || len(text) > 1000 {
			return nil, errForm
		}
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list, nil
}

func (one setting) parseString(text string) (any, error) {
	text = strings.TrimSpace(text)
	if hasControl(text) || len([]rune(text)) > 1000 {
		return nil, errForm
	}
	switch one.kind {
	case "text", "secret", "path":
		if text == "" && one.fallback != "" {
			return nil, errForm
		}
		return text, nil
	case "program":
		if text == "" || isScript(text) {
			return nil, errForm
		}
		return text, nil
	case "url":
		return text, checkURL(text)
	}
	lower := strings.ToLower(text)
	if lower == one.fallback || slices.Contains(strings.Split(one.kind, "|"), lower) {
		return lower, nil
	}
	return nil, errForm
}

func hasControl(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }

// isScript says whether Windows would hand the program to a command interpreter, which parses the
// arguments anew (spec/windows.md M1.3). Trailing dots and spaces do not count there.
func isScript(path string) bool {
	name := strings.ToLower(strings.TrimRight(path[strings.LastIndexAny(path, `/\`)+1:], ". "))
	for _, end := range []string{".bat", ".cmd", ".ps1"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// checkURL refuses what can be no address of a server. The address may lack scheme and port, as in
// OLLAMA_HOST; completing it is the client's work.
func checkURL(text string) error {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, " \t") {
		return errForm
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return errForm
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errForm
		}
	}
	return nil
}
