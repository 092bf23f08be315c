package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// exchange is one record: a child process or an HTTP request, and its answer.
type exchange struct {
	Process *processRecord `json:"process,omitempty"`
	HTTP    *httpRecord    `json:"http,omitempty"`

	name string // folder name
	kind string
}

// processRecord is one run of a child process. Paths that differ from run to run are written as
// placeholders in braces.
type processRecord struct {
	Program    string       `json:"program"` // file name, without folder
	Args       []string     `json:"args"`
	Detached   bool         `json:"detached,omitempty"` // started to outlive us: PID and InJob are its answer
	PID        int          `json:"pid,omitempty"`
	InJob      bool         `json:"in_job,omitempty"`
	TypedChars int          `json:"typed_chars,omitempty"` // length of the masked text
	ExitCode   int          `json:"exit_code"`
	DurationMS float64      `json:"duration_ms"`
	Failure    *failure     `json:"failure,omitempty"`
	Outputs    []outputFile `json:"outputs,omitempty"`

	stdout, stderr []byte
}

// outputFile is a file that the child wrote for us. File is empty when it wrote none.
type outputFile struct {
	Path string `json:"path"` // as a placeholder
	File string `json:"file,omitempty"`

	data []byte
}

// httpRecord is one HTTP exchange. The bodies are files beside it.
type httpRecord struct {
	Method      string   `json:"method"`
	Path        string   `json:"path"`
	Query       string   `json:"query,omitempty"`
	Status      int      `json:"status,omitempty"` // 0 when no answer came
	ContentType string   `json:"content_type,omitempty"`
	DurationMS  float64  `json:"duration_ms"`
	Failure     *failure `json:"failure,omitempty"`      // instead of an answer
	BodyFailure *failure `json:"body_failure,omitempty"` // after the part of the answer's body that came

	request, response []byte
}

// The names that a record may give to a file that the child wrote: beside it, and nowhere else.
var outputName = regexp.MustCompile(`^output-[0-9]+-[A-Za-z0-9._-]+$`)

// parseExchange reads the description of one record, without the files beside it.
func parseExchange(data []byte) (*exchange, error) {
	var e exchange
	if err := strictJSON(data, &e); err != nil {
		return nil, err
	}
	switch {
	case (e.Process == nil) == (e.HTTP == nil):
		return nil, errors.New(`needs either "process" or "http"`)
	case e.HTTP != nil:
		return &e, e.HTTP.check()
	}
	return &e, e.Process.check()
}

func (p *processRecord) check() error {
	if p.Program == "" || strings.ContainsAny(p.Program, `/\`) {
		return fmt.Errorf("program %q is no file name", p.Program)
	}
	for _, out := range p.Outputs {
		if out.File != "" && !outputName.MatchString(out.File) {
			return fmt.Errorf("output file %q is no name like output-1-refs.json", out.File)
		}
	}
	return p.Failure.check()
}

func (h *httpRecord) check() error {
	if h.Method == "" || !strings.HasPrefix(h.Path, "/") {
		return fmt.Errorf("request %q %q has no method or path", h.Method, h.Path)
	}
	if answered := h.Status >= 100 && h.Status <= 599; answered == (h.Failure != nil) {
		return fmt.Errorf("status %d: needs either a status from 100 to 599 or a failure", h.Status)
	}
	for _, f := range []*failure{h.Failure, h.BodyFailure} {
		if f != nil && !slices.Contains(networkKinds(), f.Kind) {
			return fmt.Errorf("failure kind %q is none of %s", f.Kind, quoteAll(networkKinds()))
		}
	}
	return errors.Join(h.Failure.check(), h.BodyFailure.check())
}

// readExchanges reads all records of a folder in the order of their names' numbers.
func readExchanges(dir string) ([]*exchange, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read a recording: %w", err)
	}
	var list []*exchange
	for _, entry := range entries {
		name := entry.Name()
		if !entry.IsDir() && (name == headerFile || strings.HasSuffix(name, ".md") || strings.HasPrefix(name, ".")) {
			continue
		}
		if !entry.IsDir() || number(name) < 1 {
			return nil, fmt.Errorf("%s: no part of a recording", filepath.Join(dir, name))
		}
		e, err := readExchange(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b *exchange) int { return number(a.name) - number(b.name) })
	return list, nil
}

// number is the leading number of a record's folder, or 0.
func number(name string) int {
	n, digits := 0, 0
	for _, c := range name {
		if c < '0' || c > '9' || digits == 9 {
			break
		}
		n, digits = n*10+int(c-'0'), digits+1
	}
	return n
}

func readExchange(dir string) (*exchange, error) {
	data, err := os.ReadFile(filepath.Join(dir, exchangeFile))
	if err != nil {
		return nil, err
	}
	e, err := parseExchange(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", exchangeFile, err)
	}
	e.name = filepath.Base(dir)
	files := os.DirFS(dir)
	if h := e.HTTP; h != nil {
		e.kind = httpKind(h.Method, h.Path)
		h.request, h.response = readBody(files, "request"), readBody(files, "response")
		return e, nil
	}
	p := e.Process
	e.kind = processKind(p.Program, p.Args, p.Detached)
	p.stdout, p.stderr = readBody(files, "stdout"), readBody(files, "stderr")
	for i := range p.Outputs {
		if out := &p.Outputs[i]; out.File != "" {
			if out.data, err = fs.ReadFile(files, out.File); err != nil {
				return nil, err
			}
		}
	}
	return e, nil
}

// readBody returns the content of the file with that name and any extension; nil when there is none.
func readBody(files fs.FS, name string) []byte {
	matches, _ := fs.Glob(files, name+".*")
	if len(matches) == 0 {
		return nil
	}
	data, _ := fs.ReadFile(files, matches[0])
	return data
}

// write puts a record and its files into a new folder below dir.
func (e *exchange) write(dir string, scrub func([]byte) []byte) error {
	folder := filepath.Join(dir, e.name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	files := make(map[string][]byte)
	if h := e.HTTP; h != nil {
		files["request"+extension("", h.request)] = indentJSON(scrub(h.request))
		files["response"+extension(h.ContentType, h.response)] = scrub(h.response)
	} else {
		files["stdout.txt"], files["stderr.txt"] = scrub(e.Process.stdout), scrub(e.Process.stderr)
		for _, out := range e.Process.Outputs {
			if out.File != "" {
				files[out.File] = scrubFile(out.File, out.data, scrub)
			}
		}
	}
	for name, data := range files {
		if len(data) == 0 && !outputName.MatchString(name) {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return err
		}
	}
	return writeJSON(filepath.Join(folder, exchangeFile), e, scrub)
}

// scrubFile scrubs a text; a picture or another binary file stays as it is.
func scrubFile(name string, data []byte, scrub func([]byte) []byte) []byte {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".bmp", ".gif":
		return data
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return data
	}
	return scrub(data)
}

// extension tells editors what a body is.
func extension(contentType string, body []byte) string {
	switch {
	case strings.Contains(contentType, "ndjson"):
		return ".ndjson"
	case json.Valid(body):
		return ".json"
	}
	return ".txt"
}

// indentJSON prints JSON for people; what is no JSON stays as it is. Go's encoder escapes <, > and &,
// which nobody can read in a prompt.
func indentJSON(data []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, data, "", "  ") != nil {
		return data
	}
	out.WriteByte('\n')
	return escapes.ReplaceAllFunc(out.Bytes(), func(m []byte) []byte {
		switch string(m) {
		case `\u003c`:
			return []byte("<")
		case `\u003e`:
			return []byte(">")
		case `\u0026`:
			return []byte("&")
		}
		return m
	})
}

// escapes finds whole escapes of a JSON string, so that the second of two backslashes begins none.
var escapes = regexp.MustCompile(`\\(?:u[0-9a-f]{4}|.)`)

// encode prints a value as indented JSON in which <, > and & stay readable.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write a record: %w", err)
	}
	return out.Bytes(), nil
}

// strictJSON decodes exactly one JSON value without unknown fields, so that a slip of an editor shows.
func strictJSON(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the end of the JSON value")
	}
	return nil
}

// millis is a duration as it stands in a record.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (p *processRecord) duration() time.Duration {
	return time.Duration(p.DurationMS * float64(time.Millisecond))
}
