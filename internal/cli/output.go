package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// form is how JSON is written to stdout.
type form struct{ pretty, ascii bool }

// write prints an encoded answer: one line, unless pretty.
func (f form) write(w io.Writer, line []byte) error {
	if f.pretty {
		var out bytes.Buffer
		if err := json.Indent(&out, line, "", "  "); err != nil {
			return fmt.Errorf("indent the answer: %w", err)
		}
		line = out.Bytes()
	}
	if f.ascii {
		line = escapeASCII(line)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// escapeASCII writes every non-ASCII character as \uXXXX, so that no code page on the way can damage
// it. In JSON they stand inside strings only.
func escapeASCII(line []byte) []byte {
	out := make([]byte, 0, len(line)+len(line)/2)
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		switch {
		case r < utf8.RuneSelf:
			out = append(out, line[0])
		case r > 0xFFFF:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		line = line[size:]
	}
	return out
}
