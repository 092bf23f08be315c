package ollama

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// defaultPort is where Ollama listens when nobody says otherwise. The original's own default is a port
// beside it, so that its server and the user's are two.
const defaultPort = "11434"

// URLError says why an address can't be used. Its text never holds a password.
type URLError struct{ Reason string }

// Error makes the type an error.
func (e *URLError) Error() string { return "Ollama URL: " + e.Reason }

// ParseURL reads a server address: a whole URL, host:port, a host, a bare port after a colon, an IPv6
// address with or without brackets; empty means the address of DefaultOptions.
//
// The port follows Ollama's own rule: 11434 without a scheme, else the scheme's 80 or 443. An address
// that only a listener can use (0.0.0.0, ::) becomes the loopback one. A query, a fragment and slashes
// at the end are dropped, a path is kept. Errors are *URLError.
func ParseURL(text string) (*url.URL, error) {
	if text = strings.Trim(strings.TrimSpace(text), `"'`); text == "" {
		text = DefaultOptions().URL
	}
	scheme, rest, port, err := splitScheme(text)
	if err != nil {
		return nil, err
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	user, hostPort, err := splitUser(authority)
	if err != nil {
		return nil, err
	}
	host, port, err := splitHost(hostPort, port)
	if err != nil {
		return nil, err
	}
	parsed := &url.URL{Scheme: scheme, User: user, Host: net.JoinHostPort(host, port)}
	if path = strings.Trim(path, "/"); path != "" {
		parsed = parsed.JoinPath(path)
	}
	if _, err := url.Parse(parsed.String()); err != nil {
		return nil, &URLError{Reason: "host or path holds characters that can't stand in a URL"}
	}
	return parsed, nil
}

func splitScheme(text string) (scheme, rest, port string, err error) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return "http", text, defaultPort, nil
	}
	switch scheme = strings.ToLower(scheme); scheme {
	case "http":
		return scheme, rest, "80", nil
	case "https":
		return scheme, rest, "443", nil
	}
	return "", "", "", &URLError{Reason: fmt.Sprintf("scheme %.20q is neither http nor https", scheme)}
}

func splitUser(authority string) (*url.Userinfo, string, error) {
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return nil, authority, nil
	}
	name, password, both := strings.Cut(authority[:at], ":")
	name, err := url.PathUnescape(name)
	if err != nil {
		return nil, "", &URLError{Reason: "user name is badly escaped"}
	}
	if !both {
		return url.User(name), authority[at+1:], nil
	}
	if password, err = url.PathUnescape(password); err != nil {
		return nil, "", &URLError{Reason: "password is badly escaped"}
	}
	return url.UserPassword(name, password), authority[at+1:], nil
}

// splitHost takes host and port apart; fallback is the port where none is given.
func splitHost(text, fallback string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(text)
	if err != nil || net.ParseIP(text) != nil { // no port, or an IPv6 address without brackets
		host, port = text, fallback
		if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
			host = host[1 : len(host)-1]
		}
	}
	host = strings.Replace(host, "%25", "%", 1) // a zone as URLs write it
	if port == "" {
		port = fallback
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", "", &URLError{Reason: fmt.Sprintf("port %.20q is not a number from 1 to 65535", port)}
	}
	if !strings.Contains(host, "%") { // a zone is an interface's name, whose case counts
		host = strings.ToLower(host)
		if host != "." {
			host = strings.TrimSuffix(host, ".")
		}
	}
	switch ip := net.ParseIP(host); {
	case host == "":
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	case host == "ollama.com":
		return "", "", &URLError{Reason: "ollama.com wants requests signed with a private key, which this program never reads"}
	case ip == nil && !plainHost(host):
		return "", "", &URLError{Reason: fmt.Sprintf("host %.60q is no host name", host)}
	}
	return host, strings.TrimLeft(port, "0"), nil
}

// plainHost accepts a host name (international ones in their ASCII form), or an IPv6 address with a zone.
func plainHost(host string) bool {
	if address, zone, zoned := strings.Cut(host, "%"); zoned {
		return net.ParseIP(address) != nil && zone != "" && plainHost(zone)
	}
	if host == "" || slices.Contains(strings.Split(host, "."), "") {
		return false
	}
	return !strings.ContainsFunc(host, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`:[]<>"'\^|{}%@`+"`", r)
	})
}

func defaultURL() *url.URL {
	return &url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", defaultPort)}
}

func isDefault(address *url.URL) bool {
	return IsLoopback(address) && address.Port() == defaultPort
}

// IsLoopback says whether an address means this machine: localhost, 127.0.0.0/8 or ::1.
func IsLoopback(address *url.URL) bool {
	host := address.Hostname()
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}
