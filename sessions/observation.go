package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Answer is what a question was answered with.
type Answer struct {
	Question   string
	Summary    string
	Confidence float64 // 0..1
	Model      string
}

// Detail is one observed fact. Value is a string, a []string or a bool.
type Detail struct {
	Key   string
	Value any
}

// Observation is what one look saw.
type Observation struct {
	App         string // title of the window
	Status      string // never empty
	LastMessage string
	Details     []Detail
	At          time.Time // when the window was read; the zero time stands for the time of the commit
}

// text is the value of a detail as one line of text; empty where the detail is missing.
func (o Observation) text(key string) string {
	for _, one := range o.Details {
		if one.Key != key {
			continue
		}
		switch value := one.Value.(type) {
		case string:
			return cut(value, maxText)
		case []string:
			return cut(strings.Join(value, "; "), maxText)
		}
	}
	return ""
}

// hashes returns one SHA-256 per detail.
func (o Observation) hashes() map[string]string {
	all := make(map[string]string, len(o.Details))
	for _, one := range o.Details {
		value, err := json.Marshal(one.Value)
		if err != nil { // not one of the three types
			value = fmt.Append(nil, one.Value)
		}
		all[one.Key] = hash(string(value))
	}
	return all
}

// fingerprint tells screens apart: window, status, details and last message.
func (o Observation) fingerprint() string {
	parts := []string{o.App, o.Status, hash(o.LastMessage)}
	details := o.hashes()
	for _, key := range sortedKeys(details) {
		parts = append(parts, key, details[key])
	}
	all, err := json.Marshal(parts)
	if err != nil { // strings always have a JSON form
		return ""
	}
	return hash(string(all))
}

// Compare says in plain words what is different from the session's last observation; it is never nil,
// and empty when nothing changed or nothing was seen before.
func (s *Session) Compare(seen Observation) []string {
	before, changes := &s.before, []string{}
	if before.Status == "" {
		return changes
	}
	note := func(name, old, new string) {
		if old != new {
			changes = append(changes, transition(name, old, new))
		}
	}
	note("window", before.App, cut(seen.App, maxText))
	note("status", before.Status, cut(seen.Status, maxText))
	changes = append(changes, s.detailChanges(seen)...)
	switch {
	case before.LastMessageHash == hash(seen.LastMessage):
	case strings.TrimSpace(seen.LastMessage) == "":
		changes = append(changes, "the last message is gone")
	default:
		changes = append(changes, "new text in the last message")
	}
	return changes
}

// detailChanges compares by the stored hashes; the three details that are stored as text are shown.
func (s *Session) detailChanges(seen Observation) []string {
	before := &s.before
	known := map[string]string{"project": before.Project, "session": before.Session, "next_step": before.NextStep}
	now := seen.hashes()
	var changes []string
	for _, one := range seen.Details {
		old, there := before.Details[one.Key]
		_, stored := known[one.Key]
		switch {
		case there && old == now[one.Key]:
		case !there:
			changes = append(changes, one.Key+" appeared")
		case stored && known[one.Key] != seen.text(one.Key):
			changes = append(changes, transition(one.Key, known[one.Key], seen.text(one.Key)))
		default:
			changes = append(changes, one.Key+" changed")
		}
	}
	for _, key := range sortedKeys(before.Details) {
		if _, there := now[key]; !there {
			changes = append(changes, key+" is gone")
		}
	}
	return changes
}

// maxShown bounds each side of a transition, in characters.
const maxShown = 80

func transition(name, old, new string) string {
	return fmt.Sprintf("%s: %s -> %s", name, shown(old), shown(new))
}

func shown(text string) string {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return "(none)"
	}
	return cut(text, maxShown)
}

// normal is the form in which questions are compared: case, spaces and closing marks do not count.
func normal(question string) string {
	return strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(question)), " "), "?!. ")
}

// cut shortens a text to at most so many characters, the last of which is then an ellipsis.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func sortedKeys(of map[string]string) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
