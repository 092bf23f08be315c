package autostart

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mcp-computer-use/internal/store"
)

const (
	logName  = "ollama-autostart.log"
	maxLog   = 8 << 20  // bytes after which a new log is begun
	tailSize = 64 << 10 // bytes at the end of the log in which our marks are looked for
)

// Events that are noted in the log between the server's own lines.
const (
	eventStarting = "starting" // before: the server's own lines follow, and we may not live to note more
	eventStarted  = "started"  // with the process id
	eventEnded    = "ended"
)

// marker begins our lines in the log.
const marker = "=== mcp-computer-use: "

// mark notes a start, or the end of one, in the server's log. There another process sees it that comes
// after us while the server is still starting. A log that can't be written only costs that knowledge.
func (a *attempt) mark(event string, pid int) {
	line := fmt.Sprintf("%s%s %s pid=%d method=%s at=%s\n", marker, event, a.host, pid, a.method, a.seams.Now().UTC().Format(time.RFC3339))
	_ = store.Append(a.file(logName), []byte(line))
}

// startedLately says whether a server for our address was started so short a time ago that it may
// still be on its way, and has not ended.
func (a *attempt) startedLately() bool {
	lately := false
	for _, line := range tail(a.file(logName)) {
		rest, ours := strings.CutPrefix(line, marker)
		if !ours {
			continue
		}
		var event, host, method, at string
		var pid int
		if n, _ := fmt.Sscanf(rest, "%s %s pid=%d method=%s at=%s", &event, &host, &pid, &method, &at); n != 5 || host != a.host {
			continue
		}
		when, err := time.Parse(time.RFC3339, at)
		age := a.seams.Now().Sub(when)
		lately = err == nil && event != eventEnded && age > -time.Minute && age < a.options.Timeout && (pid <= 0 || a.alive(pid))
	}
	return lately
}

// lastWords is the server's last line, for a message; empty when it said nothing.
func (a *attempt) lastWords() string {
	lines := tail(a.file(logName))
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.Join(strings.FieldsFunc(lines[i], func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
		switch {
		case strings.HasPrefix(lines[i], marker+eventStarting):
			return ""
		case line == "" || strings.HasPrefix(lines[i], marker):
			continue
		}
		if runes := []rune(line); len(runes) > 200 {
			line = string(runes[:200]) + "…"
		}
		return ": " + strings.ToValidUTF8(line, "")
	}
	return ""
}

// tail returns the last lines of a log; none when it can't be read.
func tail(path string) []string {
	file, err := store.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	data, err := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-tailSize), tailSize))
	if err != nil {
		return nil
	}
	return strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
}

// trimLog begins a new log when the old one has grown large. One that can't be moved goes on growing.
func trimLog(path string) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		_ = os.Rename(path, path+".old")
	}
}
