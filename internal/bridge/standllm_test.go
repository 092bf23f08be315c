package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
)

const standModel = "test-model"

// standLLM stands in for Ollama behind the HTTP client. The zero fault answers as a healthy server.
type standLLM struct {
	mu       sync.Mutex
	down     bool // nobody listens
	other    bool // an Ollama listens at the default port
	pulled   []string
	loaded   map[string]int // name -> context length
	reply    func(user string) string
	reason   string                                                 // done_reason; "" is stop
	fault    map[string]func(*http.Request) (*http.Response, error) // path -> what happens instead
	before   func(ctx context.Context, path string)                 // runs ahead of each answer, outside of the lock
	requests []string                                               // "POST /api/chat"
	chats    []chatBody
	unloads  int
}

// chatBody is what a question to the model looked like.
type chatBody struct {
	Model    string
	Messages []struct{ Role, Content string }
	Format   json.RawMessage
	// KeepAlive is a number or a text.
	KeepAlive json.RawMessage `json:"keep_alive"`
	Options   map[string]any
}

func (c chatBody) of(role string) string {
	var list []string
	for _, one := range c.Messages {
		if one.Role == role {
			list = append(list, one.Content)
		}
	}
	return strings.Join(list, "\n")
}

func newLLM() *standLLM {
	return &standLLM{pulled: []string{standModel + ":latest"}, loaded: map[string]int{standModel + ":latest": 4096},
		reply: func(user string) string {
			if strings.Contains(user, "pong") && !strings.Contains(user, "<screen-") {
				return "pong"
			}
			return `{"summary": "stand-in summary", "confidence": 0.9}`
		}}
}

// asked are the questions that the model got.
func (s *standLLM) asked() []chatBody {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.chats)
}

// count is how often a request came in.
func (s *standLLM) count(request string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, one := range s.requests {
		if one == request {
			n++
		}
	}
	return n
}

func (s *standLLM) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// RoundTrip implements http.RoundTripper.
func (s *standLLM) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	if s.before != nil {
		s.before(r.Context(), r.URL.Path)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	usual := r.URL.Port() == "11434"
	if !usual {
		s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	}
	if usual && !s.other || !usual && s.down {
		return nil, refusedDial()
	}
	if fault := s.fault[r.URL.Path]; fault != nil {
		return fault(r)
	}
	return s.route(r, body)
}

func (s *standLLM) route(r *http.Request, body []byte) (*http.Response, error) {
	switch r.URL.Path {
	case "/api/version":
		return jsonAnswer(r, 200, map[string]any{"version": "0.17.4"})
	case "/api/tags":
		list := []any{}
		for _, name := range s.pulled {
			list = append(list, map[string]any{"name": name, "model": name, "size": 1_500_000_000})
		}
		return jsonAnswer(r, 200, map[string]any{"models": list})
	case "/api/ps":
		list := []any{}
		for _, name := range slices.Sorted(maps.Keys(s.loaded)) {
			list = append(list, map[string]any{"name": name, "model": name, "size": 1_500_000_000, "context_length": s.loaded[name]})
		}
		return jsonAnswer(r, 200, map[string]any{"models": list})
	case "/api/chat", "/api/generate":
		return s.infer(r, body)
	}
	return textAnswer(r, 404, "404 page not found")
}

func (s *standLLM) infer(r *http.Request, body []byte) (*http.Response, error) {
	var ask chatBody
	if err := json.Unmarshal(body, &ask); err != nil {
		return jsonAnswer(r, 400, map[string]any{"error": "missing request body"})
	}
	name := ask.Model
	if !strings.Contains(name, ":") {
		name += ":latest"
	}
	if !slices.Contains(s.pulled, name) {
		return jsonAnswer(r, 404, map[string]any{"error": "model '" + ask.Model + "' not found"})
	}
	if len(ask.Messages) == 0 {
		delete(s.loaded, name)
		s.unloads++
		return jsonAnswer(r, 200, map[string]any{"model": ask.Model, "response": "", "done": true, "done_reason": "unload"})
	}
	s.chats = append(s.chats, ask)
	s.loaded[name] = 4096
	reason := s.reason
	if reason == "" {
		reason = "stop"
	}
	return jsonAnswer(r, 200, map[string]any{"model": ask.Model, "done": true, "done_reason": reason,
		"message":    map[string]any{"role": "assistant", "content": s.reply(ask.of("user"))},
		"eval_count": 24, "eval_duration": 600_000_000, "prompt_eval_count": 300})
}

func jsonAnswer(r *http.Request, status int, v any) (*http.Response, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return answerOf(r, status, "application/json; charset=utf-8", io.NopCloser(&out))
}

func textAnswer(r *http.Request, status int, text string) (*http.Response, error) {
	return answerOf(r, status, "text/plain", io.NopCloser(strings.NewReader(text)))
}

func answerOf(r *http.Request, status int, kind string, body io.ReadCloser) (*http.Response, error) {
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {kind}}, Body: body, ContentLength: -1, Request: r}, nil
}

// refusedDial is what a dial to a port gives at which nobody listens.
func refusedDial() error { return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED} }
