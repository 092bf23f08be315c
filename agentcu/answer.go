package agentcu

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// errDeadline is the context's error for a passed deadline.
var errDeadline = context.DeadlineExceeded

func isContextEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// lastDocument finds the last complete JSON document that fills its lines and is wanted. agent-cu logs
// to stdout in front of the answer, and a log line can hold JSON: what begins in the middle of a line,
// or is followed by anything on its last line, is not an answer.
func lastDocument(data []byte, wanted func(gjson.Result) bool) (gjson.Result, bool) {
	var last gjson.Result
	found := false
	for at := 0; at < len(data); {
		begin, end := documentAt(data[at:])
		if end > 0 {
			if doc := gjson.ParseBytes(data[at+begin : at+end]); wanted(doc) {
				last, found = doc, true
			}
			at += end
		}
		line := bytes.IndexByte(data[at:], '\n')
		if line < 0 {
			break
		}
		at += line + 1
	}
	return last, found
}

// documentAt returns where the JSON object or array at the beginning of a line begins, behind a byte
// order mark and blanks, and where it ends; the end is 0 where there is none.
func documentAt(data []byte) (begin, end int) {
	begin = len(data) - len(bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r"))
	if begin == len(data) || data[begin] != '{' && data[begin] != '[' {
		return 0, 0
	}
	decoder := json.NewDecoder(bytes.NewReader(data[begin:]))
	var raw json.RawMessage
	if decoder.Decode(&raw) != nil {
		return 0, 0
	}
	end = begin + int(decoder.InputOffset())
	rest := data[end:]
	if line := bytes.IndexByte(rest, '\n'); line >= 0 {
		rest = rest[:line]
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		return 0, 0
	}
	return begin, end
}

// object is the answer of a command that prints one JSON object. An act counts as carried out only where
// the answer says so; any other answer leaves open whether it was.
func object(cl call, stdout []byte) (gjson.Result, error) {
	doc, ok := lastDocument(stdout, gjson.Result.IsObject)
	if !ok {
		return doc, &Error{Kind: Failed, Message: "agent-cu " + cl.verb + " printed no JSON object", MayHaveActed: cl.act}
	}
	if success := doc.Get("success"); !success.Bool() && (success.Exists() || cl.act) {
		message := cl.mask(doc.Get("message").String())
		if message == "" {
			message = "agent-cu " + cl.verb + " reports no success"
		}
		return doc, &Error{Kind: Failed, Message: message, MayHaveActed: cl.act}
	}
	return doc, nil
}

// array is the answer of a command that prints one JSON array.
func array(cl call, stdout []byte) ([]gjson.Result, error) {
	doc, ok := lastDocument(stdout, gjson.Result.IsArray)
	if !ok {
		return nil, &Error{Kind: Failed, Message: "agent-cu " + cl.verb + " printed no JSON array"}
	}
	return doc.Array(), nil
}

// toUTF8 makes a string of a child's output: bytes that are no UTF-8 become U+FFFD.
func toUTF8(data []byte) string { return strings.ToValidUTF8(string(data), "\ufffd") }
