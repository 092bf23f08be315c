package ollama

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"
)

const (
	dialTimeout  = 5 * time.Second
	otherTimeout = time.Second
	maxBody      = 8 << 20 // bytes of one answer; a model's details are the largest, well under 1 MiB
)

// NewTransport returns the transport that the program speaks HTTP with. It keeps no idle connection,
// since a question on one that a restarted server has closed would be lost, and sends nothing meant
// for this machine through a proxy.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			if IsLoopback(r.URL) {
				return nil, nil
			}
			return http.ProxyFromEnvironment(r)
		},
		DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		MaxResponseHeaderBytes: 64 << 10,
		DisableKeepAlives:      true,
	}
}

func httpClient(next http.RoundTripper, base *url.URL) *http.Client {
	return &http.Client{
		Transport: &guard{next: next, user: base.User},
		CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			return &redirectError{target: oneLine(r.URL.Redacted())}
		},
	}
}

// guard stands between the client library and the transport: it bounds answers, notes what the library
// would lose, and lets no credentials through but those of the configured address.
type guard struct {
	next http.RoundTripper
	user *url.Userinfo
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	seen := seenIn(r.Context())
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		ConnectStart: func(string, string) { seen.note(func() { seen.dialing = true }) },
		GotConn:      func(httptrace.GotConnInfo) { seen.note(func() { seen.connected = true }) },
	})
	r = r.Clone(ctx)
	r.Header.Del("Authorization")
	if g.user != nil {
		password, _ := g.user.Password()
		r.SetBasicAuth(g.user.Username(), password)
	}
	response, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	seen.note(func() { seen.status = response.StatusCode })
	response.Body = &boundedBody{ReadCloser: response.Body, left: maxBody, seen: seen}
	return response, nil
}

// exchange is what the transport saw of one call.
type exchange struct {
	mu                 sync.Mutex
	status             int
	bodyErr            error // why the body could not be read to its end
	dialing, connected bool
}

func (x *exchange) note(set func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	set()
}

type exchangeKey struct{}

// watch returns a context whose one HTTP exchange is noted.
func watch(ctx context.Context) (context.Context, *exchange) {
	seen := new(exchange)
	return context.WithValue(ctx, exchangeKey{}, seen), seen
}

func seenIn(ctx context.Context) *exchange {
	if seen, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return seen
	}
	return new(exchange)
}

// boundedBody ends an answer that is too large and notes why reading ended.
type boundedBody struct {
	io.ReadCloser
	left int64
	seen *exchange
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		n, err = n-1, errTooLarge
		b.left = 0
	}
	if err != nil && err != io.EOF {
		b.seen.note(func() { b.seen.bodyErr = err })
	}
	return n, err
}
