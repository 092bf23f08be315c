package mcpserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	mcpPath   = "/mcp"
	bodyLimit = time.Minute // for the arrival of a whole message
)

// ServeMCP serves MCP over streamable HTTP on /mcp until ctx ends, and then returns nil. A request must
// name this machine as its host, come from no foreign web page, and carry the bearer token; without a
// token in the options only a loopback listener answers. It closes the listener.
func (s *Server) ServeMCP(ctx context.Context, listener net.Listener, log *slog.Logger) error {
	log = orDiscard(log)
	if s.opts.HTTPToken == "" && !isLoopback(listener.Addr()) {
		log.Warn("no HTTP token is set and the address is not loopback: every request will be refused until MCP_CU_HTTP_TOKEN is set", "address", listener.Addr().String())
	}
	transport := server.NewStreamableHTTPServer(s.mcp,
		server.WithStateful(true),
		server.WithEventStore(&eventStore{}),
		server.WithStreamableHTTPLogger(log),
		server.WithHTTPContextFunc(func(ctx context.Context, _ *http.Request) context.Context { return withLogger(ctx, log) }),
	)
	srv := &http.Server{
		Handler:           s.guarded(transport, isLoopback(listener.Addr())),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	defer transport.CloseSessions(context.WithoutCancel(ctx))
	return serveHTTP(srv, listener, ctx.Done(), s.opts.HardLimit)
}

// guarded lets only requests through that may reach the tools.
func (s *Server) guarded(next http.Handler, loopback bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case !hostAllowed(r):
			http.Error(w, "forbidden host", http.StatusForbidden)
		case !originAllowed(r):
			http.Error(w, "forbidden origin", http.StatusForbidden)
		case !s.tokenAllowed(r, loopback):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "unauthorized", http.StatusUnauthorized)
		case r.URL.Path != mcpPath || r.Method == http.MethodOptions:
			http.Error(w, "not found", http.StatusNotFound)
		case r.Method == http.MethodPost:
			s.post(w, r, next)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// tokenAllowed compares digests, so that the time taken says nothing about the token.
func (s *Server) tokenAllowed(r *http.Request, loopback bool) bool {
	if s.opts.HTTPToken == "" {
		return loopback
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, got := sha256.Sum256([]byte(s.opts.HTTPToken)), sha256.Sum256([]byte(strings.TrimSpace(given)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// post checks a message as the stdio loop does, then passes it on.
func (s *Server) post(w http.ResponseWriter, r *http.Request, next http.Handler) {
	body, err := s.readBody(w, r)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		http.Error(w, "the message is too long", http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		http.Error(w, "the message could not be read", http.StatusBadRequest)
		return
	}
	if brokenRequest(w, body) {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	next.ServeHTTP(w, r)
}

// readBody reads a whole message in bounded size and time. The server has no time-out of its own for
// that: it would stay in force while the handler runs, and end long calls.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyLimit)) // a transport without deadlines has no slow clients
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	return io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.opts.MaxLine)))
}

// brokenRequest answers what is no request, or no call of a tool, and tells whether it did.
func brokenRequest(w http.ResponseWriter, body []byte) bool {
	m, to, problem := parseMessage(body)
	status := http.StatusBadRequest
	if problem == nil && m.isRequest() && m.method == string(mcp.MethodToolsCall) {
		_, problem = parseCall(m.params)
		status = http.StatusOK // the request as such is sound: its error is the answer
	}
	if problem == nil {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encoded(to, problem))
	return true
}
