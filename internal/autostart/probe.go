package autostart

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"mcp-computer-use/internal/ollama"
)

// state is what a look at the address showed.
type state int

const (
	silent  state = iota // nobody listens
	pending              // somebody listens and does not answer: a server that is starting does so
	foreign              // somebody answers, and not as Ollama
	up
)

type probed struct {
	state state
	err   error // nil when up
}

// probeTimeout bounds one look: a server that is up answers in milliseconds.
const probeTimeout = 2 * time.Second

// probe looks whether /api/tags answers.
func (s *Starter) probe(ctx context.Context) probed {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	_, err := s.seams.Server.Pulled(limited)
	var failed *ollama.Error
	switch {
	case err == nil:
		return probed{state: up}
	case !errors.As(err, &failed), failed.Kind == ollama.Unreachable && failed.Status == 0:
		return probed{silent, opaque(err)}
	case failed.Kind == ollama.Timeout, failed.Kind == ollama.Canceled:
		return probed{pending, opaque(err)}
	}
	if s.seams.Server.Alive(limited) == nil {
		return probed{state: up} // an Ollama in trouble is one nevertheless
	}
	return probed{foreign, opaque(err)}
}

// opaque keeps the text of an error and hides its type: what a look failed with is not what a start
// failed with, and callers decide by type.
func opaque(err error) error { return errors.New(err.Error()) }

// startable says whether a server can be started so that it answers at the address: plain HTTP on this
// machine and no path, which would mean that something else stands in front.
func startable(address *url.URL) bool {
	return address.Scheme == "http" && ollama.IsLoopback(address) && strings.Trim(address.Path, "/") == ""
}

// bindAddress is the OLLAMA_HOST of the server: 127.0.0.1, unless the address names another loopback
// address, at which such a server would not answer.
func bindAddress(address *url.URL) string {
	host := address.Hostname()
	if net.ParseIP(host) == nil {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, address.Port())
}
