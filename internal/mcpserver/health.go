package mcpserver

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"mcp-computer-use/internal/result"
)

const (
	healthFresh = 2 * time.Second  // an answer is given again for this long
	healthLimit = 20 * time.Second // longest time of one look at the parts
)

// ServeHealth answers GET and HEAD /health with the health JSON: 200 when all is well, else 503. It
// serves nothing else, and returns nil when ctx ends. It closes the listener.
func (s *Server) ServeHealth(ctx context.Context, listener net.Listener, log *slog.Logger) error {
	srv := &http.Server{
		Handler:           newHealthHandler(s.tools.Health),
		ReadHeaderTimeout: 3 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      healthLimit + 5*time.Second,
		IdleTimeout:       15 * time.Second,
		MaxHeaderBytes:    8 << 10,
		ErrorLog:          slog.NewLogLogger(orDiscard(log).Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	return serveHTTP(srv, listener, ctx.Done(), 0) // a look that is cut off leaves nothing half done
}

func orDiscard(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// healthHandler gives the health at most once per healthFresh, however many ask.
type healthHandler struct {
	health func(context.Context) *result.Health

	turn  chan struct{} // holds a token during a look, so that those who come meanwhile share its answer
	taken time.Time
	body  []byte
	code  int
}

func newHealthHandler(health func(context.Context) *result.Health) *healthHandler {
	return &healthHandler{health: health, turn: make(chan struct{}, 1)}
}

// ServeHTTP checks who is called, then what is asked for.
func (h *healthHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case !hostAllowed(r):
		http.Error(w, "forbidden host", http.StatusForbidden)
	case r.URL.Path != "/health":
		http.Error(w, "not found", http.StatusNotFound)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	default:
		body, code := h.current(r.Context())
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(code)
		_, _ = w.Write(body) // the client may be gone, and then there is nobody to tell
	}
}

// current returns the newest answer. A look that began is finished even when its asker leaves.
func (h *healthHandler) current(ctx context.Context) ([]byte, int) {
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	if h.body != nil && time.Since(h.taken) < healthFresh {
		return h.body, h.code
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthLimit)
	defer cancel()
	health := h.health(ctx)
	body, err := result.Encode(health)
	h.code = http.StatusServiceUnavailable
	if err != nil {
		body = []byte(`{"ok":false,"server":true}`)
	} else if health.OK {
		h.code = http.StatusOK
	}
	h.body, h.taken = append(body, '\n'), time.Now()
	return h.body, h.code
}
