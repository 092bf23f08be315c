package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var schema = json.RawMessage(`{"type":"object","properties":{"summary":{"type":"string"},"confidence":{"type":"number"}},"required":["summary","confidence"]}`)

func TestChatRecorded(t *testing.T) {
	client, transport := replay(t, "chat-cold", "gemma3:270m")
	reply, err := client.Chat(t.Context(), ChatRequest{
		System: "You summarise one window. Answer in JSON.", User: "Is it finished?",
		Format: schema, KeepAlive: "3m", NumPredict: 200,
	})
	if err != nil {
		t.Fatal(err)
	}
	summary, confidence, ok := ParseAnswer(reply.Text, reply.DoneReason)
	if summary != "All 12 tests passed." || confidence > 0.01 || !ok {
		t.Errorf("answer %q, %v, %v", summary, confidence, ok)
	}
	if got := fmt.Sprintf("%.1f", reply.TokensPerSecond()); got != "15.4" || reply.DoneReason != "stop" || reply.PromptCut {
		t.Errorf("tokens per second %s, reply %+v", got, reply)
	}
	want := map[string]any{
		"model": "gemma3:270m", "stream": false, "think": false, "keep_alive": "3m0s",
		"options": map[string]any{"num_ctx": 4096.0, "num_predict": 200.0, "temperature": 0.0},
		"messages": []any{
			map[string]any{"role": "system", "content": "You summarise one window. Answer in JSON."},
			map[string]any{"role": "user", "content": "Is it finished?"},
		},
	}
	sent := transport.sent[0]
	if format, _ := json.Marshal(sent["format"]); len(format) < 50 {
		t.Errorf("format %s", format)
	}
	delete(sent, "format")
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
}

func TestRecordedFailures(t *testing.T) {
	for name, want := range map[string]Kind{"model-missing": NotFound, "bad-json": Failed, "bad-keepalive": Failed} {
		client, _ := replay(t, name, "gpt-oss:20b")
		_, err := client.Chat(t.Context(), ChatRequest{User: "x"})
		if got := kind(t, err); got != want {
			t.Errorf("%s: %s (%v), want %s", name, got, err, want)
		}
	}
}

func TestRecordedCutAndStreamed(t *testing.T) {
	client, _ := replay(t, "chat-length", "gemma3:270m")
	reply, err := client.Chat(t.Context(), ChatRequest{User: "x"})
	if err != nil || reply.DoneReason != "length" {
		t.Fatalf("%+v, %v", reply, err)
	}
	if summary, _, ok := ParseAnswer(reply.Text, reply.DoneReason); ok {
		t.Errorf("a summary from a reply cut before it: %q", summary)
	}
	client, _ = replay(t, "chat-stream", "gemma3:270m")
	reply, err = client.Chat(t.Context(), ChatRequest{User: "x"})
	if err != nil || !strings.HasPrefix(reply.Text, "{\n  \"summary\": \"All 12 tests passed") || reply.EvalCount == 0 {
		t.Errorf("streamed: %+v, %v", reply, err)
	}
	client, _ = replay(t, "context-overflow", "gemma3:270m")
	client.numCtx = int(overflowCtx(t))
	if reply, err = client.Chat(t.Context(), ChatRequest{User: "x"}); err != nil || !reply.PromptCut {
		t.Errorf("overflow: %+v, %v", reply, err)
	}
}

func overflowCtx(t *testing.T) float64 {
	var body struct{ Options map[string]float64 }
	if err := json.Unmarshal(load(t, "context-overflow").Request.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body.Options["num_ctx"]
}

func TestRecordedModels(t *testing.T) {
	client, _ := replay(t, "tags", "SmolLM2:135M")
	names, err := client.Pulled(t.Context())
	if diff := cmp.Diff([]string{"gemma3:270m", "smollm2:135m"}, names); diff != "" || err != nil || !client.Has(names) {
		t.Errorf("%v %s", err, diff)
	}
	client, _ = replay(t, "ps-empty", "gemma3:270m")
	loaded, err := client.Loaded(t.Context())
	if err != nil || loaded == nil || len(loaded) != 0 || !client.Cold(loaded) {
		t.Errorf("empty: %v, %v", loaded, err)
	}
	client, _ = replay(t, "ps-loaded", "gemma3:270m")
	loaded, err = client.Loaded(t.Context())
	own, found := client.Own(loaded)
	if err != nil || !found || own.SizeBytes != 477798912 || own.ContextLength != 4096 || client.Cold(loaded) {
		t.Errorf("loaded: %+v, %v", own, err)
	}
	if mb := fmt.Sprintf("%.1f", own.MB()); mb != "455.7" {
		t.Errorf("MB %s", mb)
	}
	client, _ = replay(t, "ps-other-ctx", "gemma3:270m")
	if loaded, err = client.Loaded(t.Context()); err != nil || !client.Cold(loaded) {
		t.Errorf("another context length is not cold: %v, %v", loaded, err)
	}
	client, _ = replay(t, "version", "x")
	if version, err := client.Version(t.Context()); version != "0.0.0" || err != nil {
		t.Errorf("version %q, %v", version, err)
	}
}

func TestUnloadRecorded(t *testing.T) {
	client, transport := replay(t, "unload", "gemma3:270m")
	if err := client.Unload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sent := transport.sent[0]; sent["keep_alive"] != "0s" || sent["prompt"] != "" || sent["model"] != "gemma3:270m" {
		t.Errorf("sent %v", sent)
	}
}

func TestThink(t *testing.T) {
	for model, want := range map[string]any{"gpt-oss:20b": "low", "openai/GPT-OSS": "low", "qwen3": false} {
		var got any
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			got = body["think"]
			fmt.Fprint(w, `{"message":{"content":"yes","thinking":"the user wants no"},"done":true,"done_reason":"stop"}`)
		})
		client.model = model
		reply, err := client.Chat(t.Context(), ChatRequest{User: "x"})
		if err != nil || reply.Text != "yes" || got != want {
			t.Errorf("%s: think %v, reply %+v, %v", model, got, reply, err)
		}
	}
}

func TestThinkRefused(t *testing.T) {
	var asked []any
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		if asked = append(asked, body["think"]); body["think"] != false {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"\"gpt-oss:20b\" does not support thinking"}`)
			return
		}
		fmt.Fprint(w, `{"message":{"content":"yes"},"done":true}`)
	})
	client.model = "gpt-oss:20b"
	reply, err := client.Chat(t.Context(), ChatRequest{User: "x"})
	if err != nil || reply.Text != "yes" || len(asked) != 2 {
		t.Errorf("%+v, %v, asked %v", reply, err, asked)
	}
}

func TestKeepAlive(t *testing.T) {
	for text, want := range map[string]any{"10m": "10m0s", "0": "0s", "-1": -1.0, "-5m": -1.0, "90": "1m30s", "": nil} {
		var got any
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			got = body["keep_alive"]
			fmt.Fprint(w, `{"done":true}`)
		})
		if _, err := client.Chat(t.Context(), ChatRequest{User: "x", KeepAlive: text}); err != nil || got != want {
			t.Errorf("keep_alive %q: sent %v, %v", text, got, err)
		}
	}
	client := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request went out") })
	for _, bad := range []string{"soon", "NaN", "1e300"} {
		if _, err := client.Chat(t.Context(), ChatRequest{User: "x", KeepAlive: bad}); kind(t, err) != Failed {
			t.Errorf("keep_alive %q: %v", bad, err)
		}
	}
}

// TestBrokenServers holds every way to answer badly against its kind.
func TestBrokenServers(t *testing.T) {
	const whole = `{"message":{"content":"{\"summary\":\"fine\"}"},"done":true}`
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    Kind
	}{
		{"whole", text(200, whole), ""},
		{"whole, with rubbish behind it", text(200, whole+"\nrubbish"), ""},
		{"not done", text(200, `{"message":{"content":"half"},"done":false}`), BadReply},
		{"no body", text(200, ""), BadReply},
		{"a web page", text(200, "<html>\x00 this is not JSON"), BadReply},
		{"other JSON", text(200, `{"status":"ok"}`), BadReply},
		{"wrong types", text(200, `{"message":"text","done":true}`), BadReply},
		{"an error line with status 200", text(200, `{"error":"llama runner terminated"}`), Failed},
		{"500", text(500, `{"error":"out of memory"}`), Failed},
		{"500, no body", text(500, ""), Failed},
		{"500, web page", text(500, "<html>oops\n</html>"), Failed},
		{"503", text(503, `{"error":"server busy, please try again"}`), Busy},
		{"404, model", text(404, `{"error":"model 'test-model' not found"}`), NotFound},
		{"404, another program", text(404, "404 page not found"), Unreachable},
		{"404, no body", text(404, ""), Unreachable},
		{"401", text(401, `{"error":"unauthorized"}`), Failed},
		{"cut in the body", cut(`{"message":{"content":"ha`), Failed},
		{"cut behind the headers", cut(""), Failed},
		{"closed before an answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Failed},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.invalid/", http.StatusTemporaryRedirect)
		}, BadReply},
		{"300 with JSON", text(300, whole), BadReply},
		{"endless", endless, BadReply},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply, err := serve(t, c.handler).Chat(t.Context(), ChatRequest{User: "the secret question"})
			got := kind(t, err)
			if got != c.want || (err != nil) != (reply == Reply{}) {
				t.Errorf("kind %q, reply %+v, error %v", got, reply, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the question is in the error: %v", err)
			}
		})
	}
}

func text(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func cut(begin string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "4000")
		w.WriteHeader(http.StatusOK)
		fmt.Fprint(w, begin)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func endless(w http.ResponseWriter, _ *http.Request) {
	line := strings.Repeat(" ", 1<<20)
	for range 12 {
		if _, err := fmt.Fprint(w, line); err != nil {
			return
		}
	}
}

func TestDeadline(t *testing.T) {
	release := make(chan struct{})
	for name, header := range map[string]bool{"before the headers": false, "behind the headers": true} {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if header {
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
			}
			select {
			case <-r.Context().Done():
			case <-release:
			}
		})
		cause := errors.New("model limit spent")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
		_, err := client.Chat(ctx, ChatRequest{User: "x"})
		cancel()
		if kind(t, err) != Timeout || !errors.Is(err, cause) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(30*time.Millisecond, cancel)
		if _, err = client.Chat(ctx, ChatRequest{User: "x"}); kind(t, err) != Canceled || !errors.Is(err, context.Canceled) {
			t.Errorf("%s, canceled: %v", name, err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err = client.Alive(ctx); kind(t, err) != Unreachable {
			t.Errorf("%s, alive: %v", name, err)
		}
		cancel()
	}
	close(release)
}

func TestNobodyListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	client, err := New(Options{URL: address, Model: "m", NumCtx: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, chat := client.Chat(t.Context(), ChatRequest{User: "x"})
	_, pulled := client.Pulled(t.Context())
	for name, err := range map[string]error{"chat": chat, "pulled": pulled, "alive": client.Alive(t.Context()), "unload": client.Unload(t.Context())} {
		if kind(t, err) != Unreachable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAliveRefusesOtherPrograms(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"web page": text(200, "<html>hello</html>"), "empty": text(200, ""), "JSON": text(200, `{"status":"ok"}`),
		"array": text(200, `[]`), "gateway": text(502, "bad gateway"), "404": text(404, "no"),
	} {
		client := serve(t, handler)
		if err := client.Alive(t.Context()); kind(t, err) != Unreachable {
			t.Errorf("%s: %v", name, err)
		}
		_, pulled := client.Pulled(t.Context())
		_, loaded := client.Loaded(t.Context())
		want := Unreachable
		if name == "gateway" {
			want = Failed
		}
		if kind(t, pulled) != want || kind(t, loaded) != want {
			t.Errorf("%s: pulled %v, loaded %v", name, pulled, loaded)
		}
	}
	if err := serve(t, text(200, `{"version":"0.17.4"}`)).Alive(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestProbeOther(t *testing.T) {
	for version, want := range map[string]bool{"version": true, "tags": false} {
		transport := &recorded{t: t, one: load(t, version)}
		client, err := New(Options{URL: "127.0.0.1:11999"}, transport)
		if err != nil {
			t.Fatal(err)
		}
		if address, found := client.ProbeOther(t.Context()); found != want || found && address != "http://127.0.0.1:11434" {
			t.Errorf("%s: %q, %v", version, address, found)
		}
	}
	client, _ := replay(t, "version", "x")
	if address, found := client.ProbeOther(t.Context()); found {
		t.Errorf("the configured address itself was found: %q", address)
	}
}

// TestNoSigning holds that the user's key is neither read nor needed, and that no foreign credentials
// leave the process.
func TestNoSigning(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".ollama"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".ollama", "id_ed25519"), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("OLLAMA_AUTH", "1")
	t.Setenv("OLLAMA_HOST", "http://mac.invalid:1")
	var got *http.Request
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		fmt.Fprint(w, `{"version":"1"}`)
	})
	if err := client.Alive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got.Header.Get("Authorization") != "" || got.URL.RawQuery != "" {
		t.Errorf("signed: %v %v", got.Header, got.URL)
	}
}

func TestOwnCredentials(t *testing.T) {
	var name, password string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, _ = r.BasicAuth()
		fmt.Fprint(w, `{"version":"1"}`)
	}))
	defer server.Close()
	client, err := New(Options{URL: strings.Replace(server.URL, "//", "//me:s%20ecret@", 1) + "/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Alive(t.Context()); err != nil || name != "me" || password != "s ecret" {
		t.Errorf("%q %q %v", name, password, err)
	}
	if strings.Contains(client.URL(), "ecret") || strings.HasSuffix(client.URL(), "/") {
		t.Errorf("URL() = %s", client.URL())
	}
}

func TestTransportProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.invalid:3128")
	t.Setenv("NO_PROXY", "")
	for _, address := range []string{"http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1", "http://127.9.9.9:1"} {
		request, _ := http.NewRequest(http.MethodGet, address, nil)
		if proxy, err := NewTransport().Proxy(request); proxy != nil || err != nil {
			t.Errorf("%s goes through %v, %v", address, proxy, err)
		}
	}
}
