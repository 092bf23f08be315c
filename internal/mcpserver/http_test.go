package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/result"
)

// serveHealth serves the health of tools on a free port and returns the address.
func serveHealth(t *testing.T, tools Tools) string {
	return startHTTP(t, New(tools, Options{}).ServeHealth)
}

func serveMCP(t *testing.T, tools Tools, opts Options) string {
	return startHTTP(t, func(ctx context.Context, l net.Listener, _ *slog.Logger) error {
		return New(tools, opts).ServeMCP(ctx, l, nil)
	})
}

func startHTTP(t *testing.T, serve func(context.Context, net.Listener, *slog.Logger) error) string {
	t.Helper()
	listener, err := Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return listener.Addr().String()
}

// exchange sends one request and returns status, header and body. Pairs are header names and values.
func exchange(t *testing.T, method, url, body string, pairs ...string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == "Host" {
			request.Host = pairs[i+1]
		} else {
			request.Header.Set(pairs[i], pairs[i+1])
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(got)
}

func TestHealthOverHTTP(t *testing.T) {
	for ok, want := range map[bool]int{true: 200, false: 503} {
		tools := &fakeTools{health: func(context.Context) *result.Health { return &result.Health{OK: ok, Server: true} }}
		base := "http://" + serveHealth(t, tools)
		code, header, body := exchange(t, "GET", base+"/health", "")
		var health map[string]any
		if err := json.Unmarshal([]byte(body), &health); err != nil || code != want || health["ok"] != ok || header.Get("Content-Type") != "application/json" {
			t.Errorf("GET: %d %q %v", code, body, err)
		}
		if code, _, body := exchange(t, "HEAD", base+"/health", ""); code != want || body != "" {
			t.Errorf("HEAD: %d %q", code, body)
		}
		if code, _, _ := exchange(t, "GET", base+"/health?x=1", ""); code != want {
			t.Errorf("GET with a query: %d", code)
		}
		for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
			if code, header, _ := exchange(t, method, base+"/health", "{}"); code != 405 || header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s: %d", method, code)
			}
		}
		for _, path := range []string{"/", "/etc", "/health/", "/healthz", "/mcp", "//health"} {
			if code, _, body := exchange(t, "GET", base+path, ""); code != 404 || strings.Contains(body, "{") {
				t.Errorf("%s: %d %q", path, code, body)
			}
		}
	}
}

func TestHostOfRequests(t *testing.T) {
	addr := serveHealth(t, &fakeTools{})
	_, port, _ := net.SplitHostPort(addr)
	for host, want := range map[string]int{
		"127.0.0.1": 200, "127.0.0.1:1": 200, "localhost": 200, "LOCALHOST:80": 200, "[::1]:80": 200, "[::1]": 200, addr: 200,
		"evil.example": 403, "evil.example:80": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example": 403, "evil.example:" + port: 403,
		"::1": 403, "localhost.": 403, "0.0.0.0": 403, "127.0.0.2": 403, "[::ffff:10.0.0.1]": 403,
	} {
		if code, _, _ := exchange(t, "GET", "http://"+addr+"/health", "", "Host", host); code != want {
			t.Errorf("Host %s: %d, want %d", host, code, want)
		}
	}
}

func TestListen(t *testing.T) {
	listener, err := Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if !isLoopback(listener.Addr()) {
		t.Errorf("no host means %v, want a loopback address", listener.Addr())
	}
	if _, err := Listen(listener.Addr().String()); err == nil || !strings.Contains(err.Error(), listener.Addr().String()) {
		t.Errorf("a busy port: %v", err)
	}
	for _, addr := range []string{"", "8765", "127.0.0.1", "127.0.0.1:x", "no such host:1"} {
		if l, err := Listen(addr); err == nil {
			l.Close()
			t.Errorf("%q was opened", addr)
		}
	}
}

func TestHealthIsKeptForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		h := newHealthHandler(func(context.Context) *result.Health {
			looks++
			time.Sleep(time.Second)
			return &result.Health{OK: looks > 1}
		})
		get := func() int {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/health", nil))
			return w.Code
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if code := get(); code != 503 {
					t.Errorf("first look: %d", code)
				}
			})
		}
		all.Wait()
		time.Sleep(healthFresh - time.Millisecond)
		if code := get(); code != 503 || looks != 1 {
			t.Errorf("within the time: %d after %d looks", code, looks)
		}
		time.Sleep(time.Millisecond)
		if code := get(); code != 200 || looks != 2 {
			t.Errorf("after the time: %d after %d looks", code, looks)
		}
	})
}

func TestHealthWithoutJSON(t *testing.T) {
	h := newHealthHandler(func(context.Context) *result.Health {
		return &result.Health{OK: true, FreeRAMMB: notFinite().FreedMB}
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/health", nil))
	if w.Code != 503 || !json.Valid(w.Body.Bytes()) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A client that sends its header byte by byte is cut off; others are served meanwhile.
func TestSlowClients(t *testing.T) {
	addr := serveHealth(t, &fakeTools{})
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
	if code, _, _ := exchange(t, "GET", "http://"+addr+"/health", ""); code != 200 {
		t.Errorf("beside a slow client: %d", code)
	}
	conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && !strings.Contains(line, "408") || err != nil && !isEOF(err) {
		t.Errorf("the slow client got %q, %v", line, err)
	}
}

func isEOF(err error) bool { return err == io.EOF || strings.Contains(err.Error(), "reset") }

const httpInitialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// post sends one message to /mcp as a client does.
func post(t *testing.T, addr, body string, pairs ...string) (int, http.Header, string) {
	t.Helper()
	pairs = append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, pairs...)
	return exchange(t, "POST", "http://"+addr+"/mcp", body, pairs...)
}

func TestMCPOverHTTP(t *testing.T) {
	addr := serveMCP(t, &fakeTools{}, Options{})
	code, header, body := post(t, addr, httpInitialize)
	session := header.Get("Mcp-Session-Id")
	if code != 200 || session == "" || !strings.Contains(body, `"computer-use"`) {
		t.Fatalf("initialize: %d %s", code, body)
	}
	call := func(name, arguments string) (int, string) {
		code, _, body := post(t, addr, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments), "Mcp-Session-Id", session)
		return code, body
	}
	for _, one := range []struct{ name, arguments, want string }{
		{"health", `{}`, `"content":[{"type":"text","text":"{\"ok\":true`},
		{"nope", `{}`, `"Unknown tool: nope"`},
		{"look_at_screen", `{}`, `1 validation error for look_at_screenArguments`},
		{"health", `[]`, `"code":-32602`},
	} {
		if code, body := call(one.name, one.arguments); code != 200 || !strings.Contains(body, one.want) {
			t.Errorf("%s %s: %d %s", one.name, one.arguments, code, body)
		}
	}
	if code, _, _ := exchange(t, "DELETE", "http://"+addr+"/mcp", "", "Mcp-Session-Id", session); code != 200 {
		t.Errorf("DELETE: %d", code)
	}
	if code, _ := call("health", `{}`); code != 404 {
		t.Errorf("a deleted session: %d, want 404", code)
	}
	if code, _, _ := post(t, addr, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", "mcp-session-0d9ba9ce-5a1d-4a46-9d6c-111111111111"); code != 404 {
		t.Errorf("an unknown session: %d, want 404", code)
	}
}

func TestHTTPRefusals(t *testing.T) {
	addr := serveMCP(t, &fakeTools{}, Options{MaxLine: 10_000})
	for _, one := range []struct {
		why, body string
		want      int
		pairs     []string
	}{
		{"a foreign host", httpInitialize, 403, []string{"Host", "evil.example"}},
		{"a foreign origin", httpInitialize, 403, []string{"Origin", "http://evil.example"}},
		{"an origin that only begins well", httpInitialize, 403, []string{"Origin", "http://localhost.evil.example"}},
		{"an origin with a user", httpInitialize, 403, []string{"Origin", "http://localhost@evil.example"}},
		{"a null origin", httpInitialize, 403, []string{"Origin", "null"}},
		{"a local origin over TLS", httpInitialize, 403, []string{"Origin", "https://localhost"}},
		{"a local origin", httpInitialize, 200, []string{"Origin", "http://localhost:3000"}},
		{"another local origin", httpInitialize, 200, []string{"Origin", "http://[::1]"}},
		{"plain text", httpInitialize, 400, []string{"Content-Type", "text/plain"}},
		{"an unknown version", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 400, []string{"MCP-Protocol-Version", "1999-01-01"}},
		{"bad JSON", `{"jsonrpc": bad`, 400, nil},
		{"a batch", `[]`, 400, nil},
		{"too long", `"` + strings.Repeat("x", 20_000) + `"`, 413, nil},
	} {
		code, header, body := post(t, addr, one.body, one.pairs...)
		if code != one.want || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d, want %d: %s", one.why, code, one.want, body)
		}
		if one.why == "bad JSON" && !strings.Contains(body, `"id":null,"error":{"code":-32700`) {
			t.Errorf("bad JSON: %s", body)
		}
	}
	for _, path := range []string{"/", "/health", "/mcp/x"} {
		if code, _, _ := exchange(t, "GET", "http://"+addr+path, ""); code != 404 {
			t.Errorf("%s: %d, want 404", path, code)
		}
	}
	if code, _, _ := exchange(t, "OPTIONS", "http://"+addr+"/mcp", "", "Origin", "http://localhost"); code != 404 {
		t.Errorf("OPTIONS: %d, want 404", code)
	}
}

func TestBearerToken(t *testing.T) {
	addr := serveMCP(t, &fakeTools{}, Options{HTTPToken: "s3cret"})
	for given, want := range map[string]int{"Bearer s3cret": 200, "bearer s3cret": 200, "": 401, "Bearer": 401, "Bearer s3cre": 401, "Bearer s3cret2": 401, "Basic s3cret": 401, "s3cret": 401} {
		if code, header, _ := post(t, addr, httpInitialize, "Authorization", given); code != want || (header.Get("WWW-Authenticate") == "Bearer") != (want == 401) {
			t.Errorf("%q: %d, want %d", given, code, want)
		}
	}
	// Without a token nothing but loopback is served.
	for loopback, want := range map[bool]int{true: 200, false: 401} {
		w := httptest.NewRecorder()
		next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })
		New(&fakeTools{}, Options{}).guarded(next, loopback).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/mcp", nil))
		if w.Code != want {
			t.Errorf("loopback %v without a token: %d, want %d", loopback, w.Code, want)
		}
	}
}

// Over HTTP the library streams what comes before the answer.
func TestProgressOverHTTP(t *testing.T) {
	tools := &fakeTools{ping: func(_ context.Context, report bridge.Progress) *result.Ping {
		report("loading the model")
		return &result.Ping{OK: true}
	}}
	addr := serveMCP(t, tools, Options{})
	_, header, _ := post(t, addr, httpInitialize)
	session := header.Get("Mcp-Session-Id")
	post(t, addr, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", session)
	for range 20 {
		code, _, body := post(t, addr, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ping","_meta":{"progressToken":"t"}}}`, "Mcp-Session-Id", session)
		told, answered := strings.Index(body, `"loading the model"`), strings.Index(body, `"result"`)
		if code != 200 || told < 0 || told > answered {
			t.Fatalf("%d %s", code, body)
		}
	}
}

// An action under way when the server is told to leave is waited for, so that its child ends and its
// record is written; one that does not end holds nobody up for ever.
func TestHTTPLeavesNoActionBehind(t *testing.T) {
	for name, limit := range map[string]time.Duration{"ends": time.Minute, "stuck": 50 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			ends := name == "ends"
			begun, recorded, free := make(chan struct{}), make(chan struct{}), make(chan struct{})
			tools := &fakeTools{act: func(ctx context.Context, _ bridge.Confirmation) bridge.ActOutcome {
				close(begun)
				<-ctx.Done()
				if !ends {
					<-free
				}
				close(recorded)
				return bridge.ActOutcome{Result: &result.Act{Action: "click"}}
			}}
			listener, err := Listen(":0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- New(tools, Options{HardLimit: limit}).ServeMCP(ctx, listener, nil) }()
			url := "http://" + listener.Addr().String() + "/mcp"
			_, header, _ := exchange(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
				"Content-Type", "application/json", "Accept", "application/json, text/event-stream")
			go func() {
				request, _ := http.NewRequestWithContext(context.WithoutCancel(t.Context()), "POST", url,
					strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"click","arguments":{"target":"7"}}}`))
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Accept", "application/json, text/event-stream")
				request.Header.Set("Mcp-Session-Id", header.Get("Mcp-Session-Id"))
				if response, err := http.DefaultClient.Do(request); err == nil {
					_ = response.Body.Close()
				}
			}()
			<-begun
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			select {
			case <-recorded:
				if !ends {
					t.Error("the stuck action has ended")
				}
			default:
				if ends {
					t.Error("the server left before the action had ended")
				}
			}
			close(free)
		})
	}
}
