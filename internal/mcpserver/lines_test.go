package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns the lines, "…" for one that was too long.
func readAll(from io.Reader, most int) ([]string, error) {
	r := newLineReader(from, most)
	var lines []string
	for {
		line, tooLong, err := r.next()
		if err != nil {
			return lines, err
		}
		if tooLong {
			line = []byte("…")
		}
		lines = append(lines, string(line))
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200_000) // longer than the reader's buffer
	cases := []struct {
		why, in string
		want    []string
	}{
		{"LF", "a\nb\n", []string{"a", "b"}},
		{"CRLF", "a\r\nb\r\n", []string{"a", "b"}},
		{"no end of the last line", "a\nb", []string{"a", "b"}},
		{"CR at the end of the last line", "a\r", []string{"a"}},
		{"blank lines", "\n\r\n \n", []string{"", "", " "}},
		{"BOM", "\ufeffa\n\ufeffb\n", []string{"a", "\ufeffb"}},
		{"BOM alone", "\ufeff", []string{""}},
		{"nothing", "", nil},
		{"more than one CR", "a\r\r\n", []string{"a\r"}},
		{"CR inside", "a\rb\n", []string{"a\rb"}},
		{"longer than the buffer", long + "\nb\n", []string{long, "b"}},
		{"broken UTF-8", "\xff\xfe\n", []string{"\xff\xfe"}},
	}
	for _, c := range cases {
		for _, from := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in))} {
			got, err := readAll(from, 1<<20)
			if strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) || !errors.Is(err, io.EOF) {
				t.Errorf("%s: got %.100q, %v, want %.100q", c.why, got, err, c.want)
			}
		}
	}
}

func TestLinesTooLong(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for in, want := range map[string]string{
		x(10) + "\nb\n":          x(10) + "|b",
		x(10) + "\r\nb\n":        x(10) + "|b",
		x(11) + "\nb\n":          "…|b",
		x(300_000) + "\nb":       "…|b",
		"a\n" + x(300_000):       "a|…",
		x(11) + "\n" + x(11):     "…|…",
		x(200_000) + "\r\n\nb\n": "…||b",
	} {
		if got, _ := readAll(strings.NewReader(in), 10); strings.Join(got, "|") != want {
			t.Errorf("%.20q: got %.100q, want %q", in, got, want)
		}
	}
}

func TestLinesOfABrokenStream(t *testing.T) {
	broken := errors.New("the pipe broke")
	got, err := readAll(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 100)
	if strings.Join(got, "|") != "a|b" || !errors.Is(err, broken) {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"a\nb", "\r\n\r", "\ufeff\ufeff\n", "0\r\r\r\r\r", strings.Repeat("x", 40) + "\n"} {
		f.Add([]byte(seed), 16)
	}
	f.Fuzz(func(t *testing.T, in []byte, most int) {
		most = max(1, min(most, 1<<16))
		whole, _ := readAll(bytes.NewReader(in), most)
		split, _ := readAll(iotest.OneByteReader(bytes.NewReader(in)), most)
		if strings.Join(whole, "\n") != strings.Join(split, "\n") || len(whole) != len(split) {
			t.Errorf("%q: whole %q, byte by byte %q", in, whole, split)
		}
		for _, line := range whole {
			if strings.Contains(line, "\n") || len(line) > most+len("…") {
				t.Errorf("%q: line %q", in, line)
			}
		}
	})
}
