// Package replay records everything that leaves the process, and answers from such a recording.
//
// It owns the layout of a recording, the order in which it is answered, what counts as the same
// request, and what is masked in the written copy. It must not know what a request is for: product
// logic runs unchanged above it, over proc.Runner and http.RoundTripper.
//
// A recording is a folder that people can read and edit:
//
//	header.json                       what the run depended on
//	001-agent-cu-windows/             one folder for each exchange, in the order of their start
//	    exchange.json                 arguments, exit code, failure; or method, path, status
//	    stdout.txt, stderr.txt        as the child wrote them; left out when empty
//	    output-1-refs.json            files that the child wrote for us
//	002-post-api-chat/
//	    exchange.json
//	    request.json, response.json   the bodies; left out when empty
//
// A replay is strict both ways: a request that no record answers fails, and a record that nobody asked
// for fails the run. Within a kind (program, sub-command and window, or method and path) the order of
// the recording holds; kinds may interleave, because reads run side by side. Source: spec/contract.md
// section 9.
package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// FormatVersion is the version of the layout that this package writes and reads.
const FormatVersion = 1

const (
	headerFile   = "header.json"
	exchangeFile = "exchange.json"
)

// Header is what a run depended on beside its exchanges.
type Header struct {
	Version   int               `json:"version"`     // FormatVersion; set by NewRecorder
	Platform  string            `json:"platform"`    // of the engine: windows, linux, macos
	Programs  map[string]string `json:"programs"`    // resolved programs by name; "" for one that was not found
	FreeRAMMB float64           `json:"free_ram_mb"` // free memory at the start
	Settings  map[string]any    `json:"settings"`    // those that shape requests, by key
	// SystemPrompt replaced the bundled one; empty where that was used.
	SystemPrompt string    `json:"system_prompt,omitempty"`
	Recorded     time.Time `json:"recorded,omitzero"` // start of the run
	Note         string    `json:"note,omitempty"`    // for people
}

// readHeader reads and checks the header of a recording.
func readHeader(dir string) (Header, error) {
	var h Header
	data, err := os.ReadFile(filepath.Join(dir, headerFile))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return h, fmt.Errorf("%s is no recording: %w", dir, err)
		}
		return h, fmt.Errorf("read a recording: %w", err)
	}
	if err := strictJSON(data, &h); err != nil {
		return h, fmt.Errorf("%s: %w", filepath.Join(dir, headerFile), err)
	}
	if h.Version != FormatVersion {
		return h, fmt.Errorf("%s: version %d, this program reads version %d", filepath.Join(dir, headerFile), h.Version, FormatVersion)
	}
	return h, nil
}

// writeJSON writes a value as indented JSON that a person can edit.
func writeJSON(path string, v any, scrub func([]byte) []byte) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, scrub(text), 0o600)
}

// NoMatchError says that a replay was asked for something that the recording does not hold. Its text
// shows the whole request, with typed text masked.
type NoMatchError struct {
	Kind    string   // of the request
	Request string   // everything about it, several lines
	Nearest []string // what the recording holds instead: the next record of the kind and how it differs, or other kinds
}

// Error shows the request and the nearest records.
func (e *NoMatchError) Error() string {
	text := "the recording has no answer to " + e.Kind + "\n" + indent(e.Request)
	for _, near := range e.Nearest {
		text += "\nnearest: " + near
	}
	return text
}

// UnusedError says that a replay ended before all records were asked for.
type UnusedError struct {
	Records []string // folder names, in order
}

// Error names the unused records.
func (e *UnusedError) Error() string {
	return fmt.Sprintf("%d unused in the recording: %s", len(e.Records), quoteAll(e.Records))
}
