package sessions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"mcp-computer-use/internal/store"
)

// What one file may hold; longer texts are cut, and hashed as a whole.
const (
	maxFile     = 4 << 20 // bytes
	maxMessage  = 2000    // characters of last_message
	maxText     = 400     // characters of an answer, a detail or a title
	maxQuestion = 1000    // characters of a question
)

// document is a session file: README, "Sessions", and spec/contract.md section 10.
type document struct {
	Client          string            `json:"client"`
	SessionID       string            `json:"session_id"`
	App             string            `json:"app"`
	Project         string            `json:"project"`
	Session         string            `json:"session"`
	LastMessage     string            `json:"last_message"`
	NextStep        string            `json:"next_step"`
	Status          string            `json:"status"`
	Questions       []entry           `json:"questions"` // oldest first
	UpdatedAt       stamp             `json:"updated_at"`
	ObservedAt      stamp             `json:"observed_at"`
	Details         map[string]string `json:"details_sha256"`
	LastMessageHash string            `json:"last_message_sha256"`
}

// entry is one answered question.
type entry struct {
	Question   string  `json:"question"`
	Answer     string  `json:"answer"`
	Confidence float64 `json:"confidence"`
	Model      string  `json:"model"`
	At         stamp   `json:"at"`
	Screen     string  `json:"screen_sha256"` // fingerprint of the observation it was answered from
}

func (e entry) answer() Answer {
	return Answer{Question: e.Question, Summary: e.Answer, Confidence: e.Confidence, Model: e.Model}
}

// exists says whether the document was read from a file: every file has the time of its update.
func (d *document) exists() bool { return !d.UpdatedAt.IsZero() }

// observed says whether the file holds an observation.
func (d *document) observed() bool { return d.Status != "" || len(d.Questions) > 0 }

// see takes over what was seen, unless the file holds something seen later.
func (d *document) see(seen Observation, now time.Time) {
	at := seen.At
	if at.IsZero() {
		at = now
	}
	if d.ObservedAt.After(at) && !d.ObservedAt.After(now) {
		return
	}
	d.ObservedAt = stamp{at}
	d.App, d.Status = cut(seen.App, maxText), cut(seen.Status, maxText)
	d.Project, d.Session = seen.text("project"), seen.text("session")
	d.NextStep = seen.text("next_step")
	d.LastMessage, d.LastMessageHash = cut(seen.LastMessage, maxMessage), hash(seen.LastMessage)
	d.Details = seen.hashes()
}

// keep adds an answer; the same question is kept once, and no more than most.
func (d *document) keep(a Answer, screen string, now time.Time, most int) {
	asked := normal(a.Question)
	kept := make([]entry, 0, most+1)
	for _, one := range d.Questions {
		if normal(one.Question) != asked {
			kept = append(kept, one)
		}
	}
	kept = append(kept, entry{Question: cut(a.Question, maxQuestion), Answer: cut(a.Summary, maxText),
		Confidence: a.Confidence, Model: a.Model, At: stamp{now}, Screen: screen})
	d.Questions = kept[max(len(kept)-most, 0):]
}

// stamp is a time in the file: RFC 3339 in UTC. A number is taken as Unix seconds.
type stamp struct{ time.Time }

const stampForm = "2006-01-02T15:04:05.000000-07:00"

// MarshalJSON prints UTC with microseconds; the zero time is an empty string.
func (s stamp) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte(`""`), nil
	}
	return []byte(s.UTC().Format(`"` + stampForm + `"`)), nil
}

// UnmarshalJSON reads what MarshalJSON prints, any other RFC 3339 time (without a zone it is UTC), and Unix
// seconds.
func (s *stamp) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	if text == "" || text == "null" {
		*s = stamp{}
		return nil
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 && seconds < 1e11 {
		*s = stamp{time.UnixMicro(int64(seconds * 1e6))}
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05.999999999", text) // without a zone: UTC
	}
	if err != nil {
		return fmt.Errorf("time: %w", err)
	}
	*s = stamp{at}
	return nil
}

// errCorrupt says that a file with a session's name is no session.
var errCorrupt = errors.New("the file is not a session")

// read returns a session file; a missing one is an empty document.
func read(path string) (document, error) {
	data, err := store.ReadFile(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return document{}, nil
	case store.KindOf(err) == store.TooLarge:
		return document{}, errCorrupt
	case err != nil:
		return document{}, err
	}
	return parse(data)
}

// parse reads a session file's content.
func parse(data []byte) (document, error) {
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return document{}, errCorrupt
	}
	if !doc.exists() {
		return document{}, errCorrupt // null, or an object of something else
	}
	return doc, nil
}

func write(path string, doc document) error {
	if doc.Questions == nil {
		doc.Questions = []entry{}
	}
	if doc.Details == nil {
		doc.Details = map[string]string{}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // a reader of the file should see the text
	encoder.SetIndent("", " ")
	if err := encoder.Encode(doc); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return store.WriteFile(path, out.Bytes())
}
