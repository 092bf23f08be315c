package ollama

import (
	"errors"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "http://127.0.0.1:11435",
		"  \"http://127.0.0.1:11434/\" ":   "http://127.0.0.1:11434",
		"localhost":                        "http://localhost:11434",
		"LocalHost.:8080":                  "http://localhost:8080",
		"HTTP://example.org":               "http://example.org:80",
		"https://example.org":              "https://example.org:443",
		"https://example.org:8443/a/b//":   "https://example.org:8443/a/b",
		"http://h:1/p?q=1#f":               "http://h:1/p",
		":11500":                           "http://127.0.0.1:11500",
		"0.0.0.0":                          "http://127.0.0.1:11434",
		"http://0.0.0.0:11500":             "http://127.0.0.1:11500",
		"::":                               "http://[::1]:11434",
		"[::]:99":                          "http://[::1]:99",
		"::1":                              "http://[::1]:11434",
		"[::1]":                            "http://[::1]:11434",
		"http://[::1]:11500/":              "http://[::1]:11500",
		"fe80::1%eth0":                     "http://[fe80::1%25eth0]:11434",
		"http://user:p%40ss@h:5":           "http://user:p%40ss@h:5",
		"192.168.1.20:11434":               "http://192.168.1.20:11434",
		"http://127.0.0.1:0011434":         "http://127.0.0.1:11434",
		"mac.local":                        "http://mac.local:11434",
		"http://127.0.0.1:11434/with path": "http://127.0.0.1:11434/with%20path",
	} {
		got, err := ParseURL(text)
		if err != nil || got.String() != want {
			t.Errorf("ParseURL(%q) = %v, %v; want %s", text, got, err, want)
		}
	}
}

func TestParseURLRefuses(t *testing.T) {
	for _, text := range []string{
		"ftp://h", "unix:///run/x", "http://h:0", "http://h:65536", "h:port", "http://h:-1", "a b",
		"http://[::1", "http://h\n/x", "https://ollama.com", "ollama.com", "OLLAMA.com.", "http://secret%zz:x@h",
		"a,b:1:2", "<host>",
	} {
		got, err := ParseURL(text)
		var ours *URLError
		if !errors.As(err, &ours) {
			t.Errorf("ParseURL(%q) = %v, %v; want a URLError", text, got, err)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("credentials in %v", err)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for text, want := range map[string]bool{
		"localhost": true, "LOCALHOST:1": true, "127.0.0.1": true, "127.1.2.3": true, "::1": true,
		"0.0.0.0": true, "::ffff:127.0.0.1": true, "http://user:x@127.0.0.1:1": true,
		"192.168.0.1": false, "127.0.0.1.example.org": false, "localhost.example.org": false,
		"10.0.0.1": false, "http://127.0.0.1@example.org": false, "fe80::1": false,
	} {
		address, err := ParseURL(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := IsLoopback(address); got != want {
			t.Errorf("IsLoopback(%q) = %v", text, got)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"", "http://127.0.0.1:11434", "[::1]:5", "u:p@h", "fe80::1%eth0", "https://h/%zz", "a:b:c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := ParseURL(text)
		if err != nil {
			return
		}
		again, err := ParseURL(parsed.String())
		if err != nil || again.Host != parsed.Host || again.Port() == "" {
			t.Errorf("%q -> %q -> %v, %v", text, parsed, again, err)
		}
		if _, err := New(Options{URL: text}, nil); err != nil {
			t.Errorf("New(%q): %v", text, err)
		}
	})
}

func TestSameModel(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"gpt-oss", "gpt-oss:latest", true}, {"GPT-OSS:20B", "gpt-oss:20b", true}, {"gpt-oss:20b", "gpt-oss", false},
		{"library/gemma3:270m", "gemma3:270m", true}, {"registry.ollama.ai/library/gemma3", "gemma3:latest", true},
		{"localhost:5000/me/m", "localhost:5000/me/m:latest", true}, {"me/gemma3", "gemma3", false}, {"", "latest", false},
	} {
		if got := sameModel(c.a, c.b); got != c.want {
			t.Errorf("sameModel(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func TestIsGPTOSS(t *testing.T) {
	for name, want := range map[string]bool{
		"gpt-oss": true, "gpt-oss:20b": true, "GPT-OSS:120b": true, "openai/gpt-oss:latest": true,
		"hf.co/unsloth/gpt-oss-20b-GGUF:Q4_K_M": true, "gpt-oss-safeguard:20b": true, "localhost:5000/x/gpt-oss": true,
		"qwen3": false, "gpt-oss/qwen3:4b": false, "my-gpt-oss": false, "gpt-ossify": false, "": false,
	} {
		if got := isGPTOSS(name); got != want {
			t.Errorf("isGPTOSS(%q) = %v", name, got)
		}
	}
}
