package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lineReader cuts a stream into lines. LF and CRLF end a line, and so does the end of the stream; a
// byte order mark before the first line is dropped.
type lineReader struct {
	from *bufio.Reader
	most int  // bytes of a line
	used bool // the first line is past
}

func newLineReader(from io.Reader, most int) *lineReader {
	return &lineReader{from: bufio.NewReaderSize(from, 64<<10), most: most}
}

// next returns the next line without its end. tooLong lines are read to their end and come without
// content. The error is io.EOF after the last line, or that of the stream.
func (r *lineReader) next() (line []byte, tooLong bool, err error) {
	for {
		part, err := r.from.ReadSlice('\n')
		ended := err == nil
		if !ended && !errors.Is(err, bufio.ErrBufferFull) && len(part)+len(line) == 0 && !tooLong {
			return nil, false, err
		}
		if line = append(line, part...); len(withoutEnd(line)) > r.most {
			tooLong = true
		}
		if tooLong {
			line = line[:0]
		}
		if ended || !errors.Is(err, bufio.ErrBufferFull) {
			return r.trimmed(line), tooLong, nil // an error of the stream comes again with the next call
		}
	}
}

func (r *lineReader) trimmed(line []byte) []byte {
	if !r.used {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		r.used = true
	}
	return withoutEnd(line)
}

func withoutEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
