package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// maxField bounds each text of a record, in characters.
const maxField = 500

// timeForm is the form of the field time: UTC with milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

// encode prints a record up to, and without, its place in the chain: an unfinished JSON object.
func encode(at time.Time, r Record) []byte {
	out := []byte(`{"time":"` + at.UTC().Format(timeForm) + `"`)
	text := func(key, value string) {
		if value != "" {
			out = appendText(append(out, `,"`+key+`":`...), value)
		}
	}
	text("client", r.Client)
	text("session_id", r.SessionID)
	text("app", r.App)
	text("action", r.Action)
	text("target", r.Target)
	text("ref", r.Ref)
	text("name", r.Name)
	text("role", r.Role)
	text("result", r.Result)
	switch r.Confirmed {
	case NotConfirmed:
	case ByFlag:
		out = append(out, `,"confirmed":true`...)
	default:
		text("confirmed", string(r.Confirmed))
	}
	text("error_code", r.ErrorCode)
	if r.TextLen != nil {
		out = strconv.AppendInt(append(out, `,"text_len":`...), int64(*r.TextLen), 10)
	}
	text("hint", r.Hint)
	return out
}

// appendText adds a JSON string of at most maxField characters. Nothing in it ends a line, for no reader:
// U+0085 is escaped beside what JSON demands and package json escapes by itself (U+2028, U+2029).
func appendText(out []byte, value string) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(shorten(value)); err != nil {
		return append(out, `""`...) // strings always have a JSON form
	}
	quoted := bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
	return append(out, bytes.ReplaceAll(quoted, []byte("\u0085"), []byte(`\u0085`))...)
}

func shorten(value string) string {
	if len(value) <= maxField {
		return value
	}
	if runes := []rune(value); len(runes) > maxField {
		return string(runes[:maxField-1]) + "…"
	}
	return value
}

// link is a record's place in the chain. The zero value stands before the first record.
type link struct {
	seq  int64
	hash string
}

const (
	seqKey  = `,"seq":`
	hashKey = `,"hash":"`
)

// next puts a body behind the link: it returns the whole line with its end, and the line's own link.
func (l link) next(body []byte) ([]byte, link) {
	line := bytes.Clone(body)
	line = strconv.AppendInt(append(line, seqKey...), l.seq+1, 10)
	line = append(line, `,"prev":"`+l.hash+`"`...)
	own := link{l.seq + 1, sum(line)}
	return append(line, hashKey+own.hash+"\"}\n"...), own
}

func sum(data []byte) string {
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:])
}

// entry is one line of the log as it was read.
type entry struct {
	body   []byte // the line up to its seq
	at     time.Time
	action string
	result string
	prev   string
	own    link
	sound  bool // the hash fits the line
}

var errLine = errors.New("not a line of this log")

// parseLine reads one line without its end. A line whose hash does not fit is read all the same.
func parseLine(line []byte) (entry, error) {
	cut := bytes.LastIndex(line, []byte(hashKey))
	place := bytes.LastIndex(line, []byte(seqKey))
	if cut < 0 || place < 0 || place > cut {
		return entry{}, errLine
	}
	var fields struct {
		Time   *time.Time `json:"time"`
		Action string     `json:"action"`
		Result string     `json:"result"`
		Seq    *int64     `json:"seq"`
		Prev   *string    `json:"prev"`
		Hash   string     `json:"hash"`
	}
	if json.Unmarshal(line, &fields) != nil || fields.Time == nil || fields.Seq == nil || fields.Prev == nil {
		return entry{}, errLine
	}
	if *fields.Seq < 1 || *fields.Seq >= 1<<53 || string(line[cut:]) != hashKey+fields.Hash+`"}` {
		return entry{}, errLine
	}
	return entry{body: line[:place], at: *fields.Time, action: fields.Action, result: fields.Result,
		prev: *fields.Prev, own: link{*fields.Seq, fields.Hash}, sound: fields.Hash == sum(line[:cut])}, nil
}

// first says whether the record may open a log: a purge carries an older chain on, anything else begins
// one.
func (e entry) first() bool {
	return e.action == purgeAction || e.own.seq == 1 && e.prev == ""
}

// follows says whether the record stands behind the link.
func (e entry) follows(before link) bool {
	return e.action != purgeAction && e.own.seq == before.seq+1 && e.prev == before.hash
}
