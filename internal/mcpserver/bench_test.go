package mcpserver

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// BenchmarkStart is the way from nothing to the answer of the handshake.
func BenchmarkStart(b *testing.B) {
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	for b.Loop() {
		if err := New(&fakeTools{}, Options{}).Serve(b.Context(), strings.NewReader(in), io.Discard, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCalls is the cost of the transport alone: a hundred calls of a tool that does nothing.
func BenchmarkCalls(b *testing.B) {
	var in strings.Builder
	for i := range 100 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"look_at_screen","arguments":{"question":"Is it done?","app":"Claude","steps":"x"}}}`+"\n", i)
	}
	server := New(&fakeTools{}, Options{})
	b.ReportAllocs()
	for b.Loop() {
		if err := server.Serve(b.Context(), strings.NewReader(in.String()), io.Discard, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBigLine is a message of 5 MB.
func BenchmarkBigLine(b *testing.B) {
	in := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"health","arguments":{"pad":"` + strings.Repeat("x", 5_000_000) + `"}}}` + "\n"
	server := New(&fakeTools{}, Options{})
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if err := server.Serve(b.Context(), strings.NewReader(in), io.Discard, nil); err != nil {
			b.Fatal(err)
		}
	}
}
