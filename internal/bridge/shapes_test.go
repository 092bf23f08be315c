package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"mcp-computer-use/internal/result"
)

// The keys of the results in their order, spec/contract.md section 4; those with "?" may be missing.
// confirmed and delivery are named there without a place: ours follow matched_rule.
const (
	errorKeys   = "code message retryable suggestion"
	sessionKeys = "client session_id"
	memoryKeys  = "keep_alive reason was_loaded free_ram_mb unloaded_low_memory"
	timingKeys  = "timeout_seconds timeout_source samples cold budget_seconds budget_capped model_wall_seconds"
	lookKeys    = "windows_seen status summary confidence details? changed_since_last? session? cached? hint? image? image_error? " +
		"model_used duration_seconds memory_mb? tokens_per_second? memory timing"
	failedLookKeys = "error windows_seen status details? extracted? session? hint? image? image_error? model_used? " +
		"timeout_seconds? duration_seconds memory? timing?"
	clickKeys     = "ok app action target name role ref match tier score confirmed? delivery? session? hint? duration_seconds"
	typeKeys      = "ok app action target name role ref match tier score text_len verified confirmed? delivery? session? hint? duration_seconds"
	stepsKeys     = "ok app action completed total steps confirmed? delivery? session? hint? duration_seconds"
	failedActKeys = "error app? action target? candidates? would_click? matched_rule? confirmed? session? hint? duration_seconds"
	failedSteps   = "error ok? app? action completed? total? failed_step? steps? candidates? would_click? matched_rule? confirmed? delivery? session? hint? duration_seconds"
	stepKeys      = "target ok name role match tier score"
	failedStep    = "target ok error"
	pingKeys      = "ok server ollama model_reply_ok model seconds cold error?"
	releaseKeys   = "ok model was_loaded freed_mb error?"
	healthKeys    = "ok server version ollama_reachable ollama_url ollama_version? model model_pulled model_loaded memory_mb free_ram_mb " +
		"keep_alive agent_cu_installed agent_cu_path? agent_cu_version? ollama_autostarted last_autostart sessions_dir config_file? warnings?"
	candidateKeys = "name role tier score how"
)

// object is a JSON object with its keys in order.
type object struct {
	keys   []string
	values map[string]json.RawMessage
}

func parseObject(data []byte) (object, error) {
	o := object{values: map[string]json.RawMessage{}}
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return o, fmt.Errorf("no object: %.80s", data)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return o, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return o, err
		}
		name, _ := key.(string)
		if _, twice := o.values[name]; twice {
			return o, fmt.Errorf("%s twice", name)
		}
		o.keys = append(o.keys, name)
		o.values[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return o, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return o, errors.New("more than one value")
	}
	return o, nil
}

// shapeProblems is what is wrong with the outer form of any result: keys, order, nulls, numbers, errors.
func shapeProblems(v any) []string {
	line, err := result.Encode(v)
	if err != nil {
		return []string{err.Error()}
	}
	if bytes.ContainsAny(line, "\n\r") {
		return []string{"more than one line"}
	}
	spec := ""
	failed := bytes.HasPrefix(line, []byte(`{"error"`))
	batch := bytes.Contains(line, []byte(`"steps":`)) || bytes.Contains(line, []byte(`"failed_step":`))
	switch v.(type) {
	case *result.Look:
		spec = map[bool]string{false: lookKeys, true: failedLookKeys}[failed]
	case *result.Act:
		switch {
		case failed && batch:
			spec = failedSteps
		case failed:
			spec = failedActKeys
		case batch:
			spec = stepsKeys
		case bytes.Contains(line, []byte(`"action":"type"`)):
			spec = typeKeys
		default:
			spec = clickKeys
		}
	case *result.Ping:
		spec = pingKeys
	case *result.Release:
		spec = releaseKeys
	case *result.Health:
		spec = healthKeys
	}
	return objectProblems("result", line, spec)
}

// inner are the objects and lists of objects inside a result.
func inner(key string, data []byte) string {
	switch key {
	case "error", "image_error":
		return errorKeys
	case "session":
		return sessionKeys
	case "memory":
		return memoryKeys
	case "timing":
		return timingKeys
	case "extracted":
		return "status last_message extractor truncated"
	case "image":
		return "width height bytes"
	case "would_click":
		return "target name? role?"
	case "keep_alive":
		return "policy reason"
	case "last_autostart":
		return "method ok seconds error?"
	case "candidates":
		return candidateKeys
	case "steps":
		if bytes.Contains(data, []byte(`"ok":false`)) {
			return failedStep
		}
		return stepKeys
	}
	return ""
}

var (
	oneDecimal = regexp.MustCompile(`^-?\d+\.\d$`)
	twoDecimal = regexp.MustCompile(`^(0\.\d\d|1\.00)$`)
	wholeOnly  = regexp.MustCompile(`^\d+$`)
)

// numberForm is the form of the numbers under a key; nil for values that are none.
func numberForm(key string) *regexp.Regexp {
	switch {
	case strings.HasSuffix(key, "_seconds") || strings.HasSuffix(key, "_mb") || key == "seconds" || key == "tokens_per_second":
		return oneDecimal
	case key == "confidence" || key == "score":
		return twoDecimal
	case slices.Contains([]string{"tier", "samples", "completed", "total", "failed_step", "text_len", "width", "height", "bytes"}, key):
		return wholeOnly
	}
	return nil
}

func objectProblems(what string, data []byte, spec string) []string {
	o, err := parseObject(data)
	if err != nil {
		return []string{what + ": " + err.Error()}
	}
	problems := orderProblems(what, o.keys, spec)
	for _, key := range o.keys {
		value := o.values[key]
		at := what + "." + key
		if string(value) == "null" && key != "last_autostart" {
			problems = append(problems, at+" is null")
		}
		if form := numberForm(key); form != nil && !form.Match(value) {
			problems = append(problems, fmt.Sprintf("%s: number %s", at, value))
		}
		problems = append(problems, valueProblems(at, key, value)...)
	}
	if code, ok := o.values["code"]; ok && spec == errorKeys {
		if !slices.Contains(result.Codes(), result.Code(strings.Trim(string(code), `"`))) {
			problems = append(problems, what+": unknown code "+string(code))
		}
		for _, key := range []string{"message", "suggestion"} {
			if len(strings.TrimSpace(strings.Trim(string(o.values[key]), `"`))) < 5 {
				problems = append(problems, what+"."+key+" says nothing")
			}
		}
	}
	return problems
}

func valueProblems(at, key string, value []byte) []string {
	var list []json.RawMessage
	switch {
	case len(value) > 0 && value[0] == '{' && key != "details":
		return objectProblems(at, value, inner(key, value))
	case key == "candidates" || key == "steps":
		if json.Unmarshal(value, &list) != nil {
			return []string{at + " is no list"}
		}
		var problems []string
		for _, one := range list {
			problems = append(problems, objectProblems(at, one, inner(key, one))...)
		}
		return problems
	case bytes.Contains(value, []byte("null")) && key == "details" && json.Valid(value):
		o, err := parseObject(value)
		if err != nil {
			return []string{err.Error()}
		}
		for name, one := range o.values {
			if string(one) == "null" {
				return []string{at + "." + name + " is null"}
			}
		}
	}
	return nil
}

func orderProblems(what string, keys []string, spec string) []string {
	var problems []string
	known := strings.Fields(spec)
	at := -1
	for _, key := range keys {
		place := slices.Index(known, key)
		if place < 0 {
			place = slices.Index(known, key+"?")
		}
		if place < 0 {
			problems = append(problems, fmt.Sprintf("%s: unknown key %s", what, key))
			continue
		}
		if place <= at {
			problems = append(problems, fmt.Sprintf("%s: %s stands too late", what, key))
		}
		at = max(at, place)
	}
	for _, key := range known {
		if !strings.HasSuffix(key, "?") && !slices.Contains(keys, key) {
			problems = append(problems, fmt.Sprintf("%s: %s is missing", what, key))
		}
	}
	return problems
}
