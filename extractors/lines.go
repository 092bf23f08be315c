package extractors

import (
	"strings"
	"unicode/utf8"
)

// longLine is the size in bytes from which a line is content without a look at what it says.
const longLine = 4096

// noiseLine says whether a line of `text` is only the bare state or number of a control: check
// boxes, sliders and scroll bars print those without their label (spec/agent-cu.md, "text rules").
func noiseLine(line string) bool {
	switch strings.TrimSpace(line) {
	case "0", "100", "checked", "unchecked", "indeterminate":
		return true
	}
	return false
}

// addressLine says whether a line is an address and nothing else.
func addressLine(line string) bool {
	line = strings.TrimSpace(line)
	scheme, rest, found := strings.Cut(line, ":")
	if !found || rest == "" || strings.ContainsAny(line, " \t") {
		return false
	}
	switch strings.ToLower(scheme) {
	case "about", "view-source", "javascript":
		return true
	case "http", "https", "file", "ftp", "chrome", "chrome-error", "chrome-extension", "edge", "brave",
		"app", "vscode", "vscode-file", "vscode-webview", "moz-extension":
		return strings.HasPrefix(rest, "//")
	}
	return false
}

// isTitle says whether a text is the window title, with or without a terminal's glyph.
func isTitle(text, title string) bool {
	if text = strings.TrimSpace(text); len(text) > 4*len(title)+maxValue { // far longer, format characters included
		return false
	}
	text, title = strings.TrimSpace(stripFormat(text)), strings.TrimSpace(stripFormat(title))
	if text == title {
		return title != ""
	}
	glyph, task, _ := titleGlyph(title)
	return glyph != 0 && text == task
}

// sameTitle says whether a text only repeats the window title: the whole of it, or the part before
// the name of the application. An empty text says nothing beyond it either.
func sameTitle(text, title string) bool {
	text = strings.TrimSpace(stripFormat(text))
	if text == "" || isTitle(text, title) {
		return true
	}
	rest, found := strings.CutPrefix(strings.TrimSpace(stripFormat(title)), text)
	return found && hasAnyPrefix(rest, " - ", " — ", " – ")
}

// screenLines returns the lines of a window: those of `text`, or where that command failed or gave
// nothing, the texts of the tree without the window's frame.
func screenLines(in Input) []string {
	if in.HasText {
		for _, line := range in.Lines {
			if strings.TrimSpace(line) != "" {
				return in.Lines
			}
		}
	}
	return newTree(in.Snapshot).textLines()
}

// messageLines returns the lines of a window that are worth a model's time: without noise, without
// lines that are only the title or an address, and without what a container repeats of its children.
func messageLines(in Input) []string {
	lines := screenLines(in)
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		if len(line) < longLine && (noiseLine(line) || addressLine(line) || isTitle(line, in.WindowTitle)) {
			continue
		}
		kept = append(kept, line)
	}
	return trimBlank(dropRepeats(kept))
}

// dropRepeats removes a line that follows itself, and lines that together only say once more what
// the line before them said: a container's text and then the texts of its children.
func dropRepeats(lines []string) []string {
	kept := make([]string, 0, len(lines))
	for i := 0; i < len(lines); {
		kept = append(kept, lines[i])
		i += 1 + repeated(lines[i], lines[i+1:])
	}
	return kept
}

// repeated counts the lines that spell out whole again, one after the other.
func repeated(whole string, lines []string) int {
	count := 0
	for count < len(lines) && strings.TrimRight(lines[count], " \r") == strings.TrimRight(whole, " \r") {
		count++
	}
	if count > 0 || whole == "" {
		return count
	}
	rest := strings.TrimSpace(whole)
	for n, line := range lines {
		piece := strings.TrimSpace(line)
		if piece == "" || !strings.HasPrefix(rest, piece) {
			return 0
		}
		rest = strings.TrimSpace(rest[len(piece):])
		if rest == "" && n > 0 {
			return n + 1
		}
		if rest == "" { // one line that differs in its indentation is code, not a child
			return 0
		}
	}
	return 0
}

// trimBlank drops empty lines at both ends.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// lastMessage joins the newest lines that fit into max characters. It cuts at a line boundary and
// drops the head first; where one line alone is too long, its own end is kept. cut says that
// something was lost.
func lastMessage(lines []string, max int) (text string, cut bool) {
	left, from := max, len(lines)
	for from > 0 && left >= 0 {
		size := utf8.RuneCountInString(lines[from-1])
		if from < len(lines) {
			size++ // the line break
		}
		if size > left {
			break
		}
		left -= size
		from--
	}
	if from == len(lines) && from > 0 {
		return strings.ToValidUTF8(lastRunes(lines[from-1], max), "\ufffd"), true
	}
	return strings.ToValidUTF8(strings.Join(lines[from:], "\n"), "\ufffd"), from > 0
}

// lastRunes returns the last n characters of s.
func lastRunes(s string, n int) string {
	end := len(s)
	for ; n > 0 && end > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return s[end:]
}
