package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Listen opens a TCP address for ServeHealth or ServeMCP. A host that is left out means 127.0.0.1, so
// that nothing is opened to the network by accident. A busy port is an error that names the address.
func Listen(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return listener, nil
}

// isLoopback tells whether an address is reachable from this machine alone.
func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// localName tells whether a Host value, with or without a port, names this machine to itself.
func localName(host string) bool {
	name := host
	if bare, _, err := net.SplitHostPort(host); err == nil {
		name = bare
	} else if strings.Count(host, ":") > 0 && !strings.HasSuffix(host, "]") {
		return false
	}
	switch strings.ToLower(strings.Trim(name, "[]")) {
	case "localhost", "127.0.0.1", "::1":
		return true
	default:
		return false
	}
}

// hostAllowed guards against a foreign web page that lets its own name point to this machine: what
// comes in over loopback must call us by a local name, or by the very address that it came to.
func hostAllowed(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return localName(r.Host)
	}
	if !isLoopback(local) || localName(r.Host) {
		return true
	}
	asked, err := netip.ParseAddrPort(r.Host)
	return err == nil && asked.String() == local.String()
}

// originAllowed tells whether a browser's Origin, if there is one, is a page of this machine.
func originAllowed(r *http.Request) bool {
	for _, value := range r.Header.Values("Origin") {
		origin, err := url.Parse(value)
		if err != nil || origin.Scheme != "http" || origin.User != nil || origin.Path != "" || !localName(origin.Host) {
			return false
		}
	}
	return true
}

// serveHTTP serves until stop is closed. The requests under way, whose contexts have ended with it, may
// end what they began for the given time: an action must not be left alone and off the record.
func serveHTTP(srv *http.Server, listener net.Listener, stop <-chan struct{}, wait time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve HTTP on %s: %w", listener.Addr(), err)
	case <-stop:
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the HTTP server: %w", err)
	}
	<-ended
	return nil
}
