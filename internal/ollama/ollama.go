// Package ollama talks to one Ollama server about one model: is it there, what is loaded, ask it,
// unload it. It owns the server's address, the HTTP transport, the meaning of every failure and the
// lenient reading of what a model answers.
//
// It must not know what is asked and why, nor anything of screens, sessions or how a server is
// started. The user's own OLLAMA_HOST and OLLAMA_AUTH never decide anything here.
package ollama

import (
	"context"
	"net/http"
	"net/url"
	"os"

	"github.com/ollama/ollama/api"
)

// Options say which server and which model a Client speaks for.
type Options struct {
	URL    string // address in any form that ParseURL takes
	Model  string // as the user wrote it; a missing tag means latest
	NumCtx int    // context length in tokens, sent with every question
}

// DefaultOptions are the values of the original's README.
func DefaultOptions() Options {
	return Options{URL: "http://127.0.0.1:11435", Model: "gpt-oss:20b", NumCtx: 4096}
}

// Client asks one server. It is safe for concurrent use and keeps no connection between calls.
//
// Every method returns nil or a *Error, ends with its context, and sends nothing before it is called.
type Client struct {
	base   *url.URL
	api    *api.Client
	other  *api.Client // the default address, for ProbeOther; nil where base is that address
	model  string
	numCtx int
}

// New returns a client over a transport; nil means NewTransport(). The error names what is wrong with
// the URL.
//
// The client library signs each request with a private key from the home folder as soon as
// OLLAMA_AUTH is set, before any transport of ours sees the request, and fails the call where there
// is no key. It reads the variable anew each time and offers no switch, so New takes the variable
// out of this process. (The library does the same for the host ollama.com, which ParseURL refuses.)
func New(opts Options, transport http.RoundTripper) (*Client, error) {
	base, err := ParseURL(opts.URL)
	if err != nil {
		return nil, err
	}
	if transport == nil {
		transport = NewTransport()
	}
	if _, set := os.LookupEnv("OLLAMA_AUTH"); set {
		if err := os.Unsetenv("OLLAMA_AUTH"); err != nil {
			return nil, &Error{Kind: Failed, Op: "set up", Message: "OLLAMA_AUTH can't be ignored", Err: err}
		}
	}
	c := &Client{base: base, model: opts.Model, numCtx: opts.NumCtx}
	c.api = api.NewClient(base, httpClient(transport, base))
	if !isDefault(base) {
		c.other = api.NewClient(defaultURL(), httpClient(transport, defaultURL()))
	}
	return c, nil
}

// URL is the server's address without a trailing slash and with any password masked.
func (c *Client) URL() string { return c.base.Redacted() }

// Address is a copy of the server's address.
func (c *Client) Address() *url.URL { return new(*c.base) }

// Model is the configured model as the user wrote it.
func (c *Client) Model() string { return c.model }

// NumCtx is the context length, in tokens, that every question asks for.
func (c *Client) NumCtx() int { return c.numCtx }

// Alive returns nil when an Ollama answers at the address. Any other program there, an error status
// and a time-out are Unreachable; only the end of the caller's own wish is Canceled.
func (c *Client) Alive(ctx context.Context) error {
	_, err := c.Version(ctx)
	return err
}

// Version returns the server's version, such as 0.17.4. Errors are those of Alive.
func (c *Client) Version(ctx context.Context) (string, error) {
	version, err := versionOf(ctx, c.api, "ask for the version")
	if err != nil && err.Kind != Canceled {
		err.Kind = Unreachable
	}
	return version, err.orNil()
}

func versionOf(ctx context.Context, client *api.Client, op string) (string, *Error) {
	ctx, seen := watch(ctx)
	version, err := client.Version(ctx)
	if err == nil && version == "" {
		err = errNotOllama
	}
	return version, seen.explain(ctx, op, err)
}

// ProbeOther says whether Ollama answers at its default address although another one is configured;
// the address is for a suggestion only and never used for a question. It takes at most a second.
func (c *Client) ProbeOther(ctx context.Context) (address string, found bool) {
	if c.other == nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, otherTimeout)
	defer cancel()
	if _, err := versionOf(ctx, c.other, "look at the default address"); err != nil {
		return "", false
	}
	return defaultURL().String(), true
}
