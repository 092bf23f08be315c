package ollama

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recording is one exchange with a real Ollama 0.17.4.
type recording struct {
	Request struct {
		Method, Path string
		Body         json.RawMessage
	}
	Status      int
	ContentType string `json:"content_type"`
	Body        string
}

func load(t *testing.T, name string) recording {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var one recording
	if err := json.Unmarshal(data, &one); err != nil {
		t.Fatal(err)
	}
	return one
}

// recorded answers every request of the recording's method and path with it, and others with an error.
type recorded struct {
	t    *testing.T
	one  recording
	sent []map[string]any
}

func (r *recorded) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != r.one.Request.Method || request.URL.Path != r.one.Request.Path {
		return nil, errors.New("not recorded: " + request.Method + " " + request.URL.Path)
	}
	if request.Body != nil {
		var body map[string]any
		if err := json.NewDecoder(request.Body).Decode(&body); err != nil {
			r.t.Errorf("request body: %v", err)
		}
		r.sent = append(r.sent, body)
	}
	return &http.Response{
		StatusCode: r.one.Status, Request: request,
		Header: http.Header{"Content-Type": {r.one.ContentType}},
		Body:   io.NopCloser(strings.NewReader(r.one.Body)),
	}, nil
}

func replay(t *testing.T, name, model string) (*Client, *recorded) {
	t.Helper()
	transport := &recorded{t: t, one: load(t, name)}
	client, err := New(Options{URL: "127.0.0.1:11434", Model: model, NumCtx: 4096}, transport)
	if err != nil {
		t.Fatal(err)
	}
	return client, transport
}

// serve returns a client of a server that answers by handler.
func serve(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := New(Options{URL: server.URL, Model: "test-model", NumCtx: 4096}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// kind is the kind of an error; empty for nil. Anything but a *Error fails the test.
func kind(t *testing.T, err error) Kind {
	t.Helper()
	if err == nil {
		return ""
	}
	var ours *Error
	if !errors.As(err, &ours) {
		t.Fatalf("error %v is no *Error", err)
	}
	if ours.Message == "" || strings.ContainsAny(ours.Message, "\r\n") {
		t.Errorf("message %q is not one line", ours.Message)
	}
	return ours.Kind
}
