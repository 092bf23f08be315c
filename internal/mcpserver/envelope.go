package mcpserver

import (
	"bytes"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-computer-use/internal/result"
)

// The error codes of JSON-RPC 2.0 that the transport itself uses.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// rpcError is the error member of an answer.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// id is the identity of a request. raw is what an answer repeats, key tells two of them apart.
type id struct {
	raw json.RawMessage
	key string
}

// noID stands in answers to messages whose id can't be told.
func noID() id { return id{raw: json.RawMessage("null")} }

// parseID reads a string or a number, the only ids there may be. A number keeps its digits; a string is
// written anew, since it may hold bytes that are no UTF-8.
func parseID(raw json.RawMessage) (id, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return noID(), false
	}
	switch first := raw[0]; {
	case first == '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return noID(), false
		}
		encoded, err := result.Encode(s)
		return id{raw: encoded, key: "s" + s}, err == nil
	case first == '-' || '0' <= first && first <= '9':
		return id{raw: raw, key: "n" + string(raw)}, json.Valid(raw)
	default:
		return noID(), false
	}
}

// message is one JSON-RPC message, read as far as the transport needs it.
type message struct {
	method string // "" for an answer of the client
	id     id
	hasID  bool
	params json.RawMessage

	result, fault json.RawMessage // of an answer
}

// isRequest tells whether the message wants an answer.
func (m message) isRequest() bool { return m.method != "" && m.hasID }

// parseMessage reads a message. A problem comes with the id to answer it under.
func parseMessage(line []byte) (message, id, *rpcError) {
	line = bytes.TrimSpace(line)
	if !json.Valid(line) || line[0] != '{' && line[0] != '[' {
		return message{}, noID(), &rpcError{Code: codeParse, Message: "Parse error: a message is one JSON object a line"}
	}
	if line[0] == '[' {
		return message{}, noID(), invalid("batches are not supported")
	}
	var members map[string]json.RawMessage // exact names; a struct would match them in any case
	if err := json.Unmarshal(line, &members); err != nil {
		return message{}, noID(), &rpcError{Code: codeParse, Message: "Parse error"}
	}
	m := message{params: members["params"], result: members["result"], fault: members["error"]}
	m.id = noID()
	var version string
	raw, present := members["id"]
	if present {
		m.id, m.hasID = parseID(raw)
	}
	name, named := members["method"]
	switch {
	case present && !m.hasID && (named || m.fault == nil):
		return message{}, noID(), invalid("the id must be a string or a number")
	case json.Unmarshal(members["jsonrpc"], &version) != nil || version != "2.0":
		return message{}, m.id, invalid("jsonrpc must be \"2.0\"")
	case named && (json.Unmarshal(name, &m.method) != nil || m.method == ""):
		return message{}, m.id, invalid("the method must be a string")
	case !named && m.result == nil && m.fault == nil:
		return message{}, m.id, invalid("the method is missing")
	}
	return m, m.id, nil
}

func invalid(why string) *rpcError {
	return &rpcError{Code: codeInvalidRequest, Message: "Invalid request: " + why}
}

// callParams are the parts of a tools/call that are looked at before the call runs.
type callParams struct {
	name  string
	token json.RawMessage // progress token, as it came
}

// parseCall reads the parameters of a tools/call. The problem is one of the request, not of the tool.
func parseCall(params json.RawMessage) (callParams, *rpcError) {
	broken := &rpcError{Code: codeInvalidParams, Message: "Invalid request parameters"}
	var raw struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      json.RawMessage `json:"_meta"`
	}
	var p callParams
	if json.Unmarshal(params, &raw) != nil || json.Unmarshal(raw.Name, &p.name) != nil || p.name == "" {
		return p, broken
	}
	if arguments := bytes.TrimSpace(raw.Arguments); len(arguments) > 0 && arguments[0] != '{' && string(arguments) != "null" {
		return p, broken
	}
	var meta struct {
		Token json.RawMessage `json:"progressToken"`
	}
	if len(raw.Meta) > 0 && json.Unmarshal(raw.Meta, &meta) == nil {
		p.token = meta.Token
	}
	return p, nil
}

// line is the message written anew for the library: it matches names in any case and takes the last
// of several, so that it could see another message than was looked at here.
func (m message) line() []byte {
	var raw json.RawMessage
	if m.hasID {
		raw = m.id.raw
	}
	line, err := result.Encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", raw, m.method, m.params})
	if err != nil {
		return nil // raw values that were valid once: can't happen, and the library refuses an empty line
	}
	return line
}

// encoded is the line of an answer, under the id as it came: the library's response, or a *rpcError.
// There always is a line: what has no JSON form becomes an error.
func encoded(to id, response any) []byte {
	value, fault := outcome(response)
	line, err := encodeAnswer(to, value, fault)
	if err != nil {
		line, _ = encodeAnswer(to, nil, &rpcError{Code: codeInternal, Message: "Internal error: the answer has no JSON form"})
	}
	return line
}

// outcome takes the library's response apart: its result, or its error.
func outcome(response any) (any, *rpcError) {
	switch r := response.(type) {
	case *rpcError:
		return nil, r
	case mcp.JSONRPCResponse:
		return r.Result, nil
	case mcp.JSONRPCError:
		fault := &rpcError{Code: r.Error.Code, Message: r.Error.Message}
		if r.Error.Data != nil {
			fault.Data, _ = json.Marshal(r.Error.Data)
		}
		return nil, fault
	default:
		return nil, &rpcError{Code: codeInternal, Message: "Internal error: no answer"}
	}
}

func encodeAnswer(to id, value any, fault *rpcError) ([]byte, error) {
	if fault != nil {
		return result.Encode(struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *rpcError       `json:"error"`
		}{"2.0", to.raw, fault})
	}
	return result.Encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", to.raw, value})
}

// encodeOutgoing is the line of a notification, or of a request where it has a number.
func encodeOutgoing(number int64, method string, params any) ([]byte, error) {
	return result.Encode(struct {
		Version string `json:"jsonrpc"`
		ID      int64  `json:"id,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", number, method, params})
}
