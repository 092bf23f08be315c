package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
)

// Transport carries HTTP requests. Its name is here so that who only passes one on needs no net/http.
type Transport = http.RoundTripper

// maxBody bounds the body of a request that is kept.
const maxBody = 64 << 20

// httpKind is what order is kept within: method and path. The host is none of it, since a replay has
// none.
func httpKind(method, path string) string { return method + " " + path }

func pathOf(req *http.Request) string {
	if path := req.URL.EscapedPath(); path != "" {
		return path
	}
	return "/"
}

// takeBody reads the request's body and returns a request that still has it; the given one must not be
// changed by a RoundTripper.
func takeBody(req *http.Request) ([]byte, *http.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, req, nil
	}
	data, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, nil, fmt.Errorf("read the request's body: %w", err)
	}
	if len(data) > maxBody {
		return nil, nil, fmt.Errorf("the request's body is larger than %d bytes", maxBody)
	}
	sent := req.Clone(req.Context())
	sent.Body = io.NopCloser(bytes.NewReader(data))
	return data, sent, nil
}

// sameBody compares two bodies, as JSON where both are. Fences have been masked before.
func sameBody(a, b []byte) bool {
	x, xOK := decodeJSON(a)
	y, yOK := decodeJSON(b)
	if xOK && yOK {
		return reflect.DeepEqual(x, y)
	}
	return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b))
}

func decodeJSON(data []byte) (any, bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil, false
	}
	_, err := dec.Token()
	return v, errors.Is(err, io.EOF)
}

// show prints a request for a person.
func (h *httpRecord) show() string {
	text := h.Method + " " + h.Path
	if h.Query != "" {
		text += "?" + h.Query
	}
	if len(h.request) > 0 {
		text += "\n" + strings.TrimRight(string(indentJSON(h.request)), "\n")
	}
	return text
}

// differs says how a request is not the recorded one; "" when it is.
func (h *httpRecord) differs(recorded *httpRecord) string {
	if h.Query != recorded.Query {
		return fmt.Sprintf("query %q, recorded %q", h.Query, recorded.Query)
	}
	if !sameBody(h.request, recorded.request) {
		return "body" + firstDifference(indentJSON(h.request), indentJSON(recorded.request))
	}
	return ""
}

// firstDifference shows the first line that differs.
func firstDifference(got, want []byte) string {
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := 0; i < len(a) || i < len(b); i++ {
		x, y := lineAt(a, i), lineAt(b, i)
		if x != y {
			x, y = aroundDifference(x, y)
			return fmt.Sprintf(" line %d: %s, recorded: %s", i+1, x, y)
		}
	}
	return ""
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return strings.TrimSpace(lines[i])
	}
	return "(end)"
}

// aroundDifference cuts two long lines to where they part.
func aroundDifference(x, y string) (string, string) {
	at := 0
	for at < len(x) && at < len(y) && x[at] == y[at] {
		at++
	}
	from := max(0, at-40)
	cut := func(s string) string {
		part := s[min(from, len(s)):min(at+80, len(s))]
		if from > 0 {
			part = "…" + part
		}
		return fmt.Sprintf("%q", part)
	}
	return cut(x), cut(y)
}
