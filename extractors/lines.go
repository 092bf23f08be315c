package extractors

import (
	"strings"
	"unicode/utf8"
)

// noiseLine says whether a line of `text` is only the bare state or number of a control: check
// boxes, sliders and scroll bars print those without their label (spec/agent-cu.md, "text rules").
func noiseLine(line string) bool {
	switch strings.TrimSpace(line) {
	case "", "0", "100", "checked", "unchecked", "indeterminate":
		return true
	}
	return false
}

// addressLine says whether a line is an address and nothing else.
func addressLine(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || strings.ContainsAny(line, " \t") {
		return false
	}
	scheme, rest, found := strings.Cut(line, ":")
	if !found || rest == "" {
		return strings.HasPrefix(line, "about:")
	}
	switch strings.ToLower(scheme) {
	case "about":
		return true
	case "http", "https", "file", "chrome", "chrome-error", "chrome-extension", "edge", "brave", "app",
		"view-source", "vscode", "vscode-file", "moz-extension", "ms-browser-extension":
		return strings.HasPrefix(rest, "//") || strings.EqualFold(scheme, "view-source")
	}
	return false
}

// sameTitle says whether a text only repeats the window title: the whole of it, or the part before
// the name of the application.
func sameTitle(text, title string) bool {
	text, title = strings.TrimSpace(stripFormat(text)), strings.TrimSpace(stripFormat(title))
	if text == "" || text == title {
		return true
	}
	if _, task, _ := titleGlyph(title); text == task {
		return true
	}
	return hasAnyPrefix(strings.TrimPrefix(title, text), " - ", " — ", " – ") && strings.HasPrefix(title, text)
}

// messageLines returns the lines of `text` that are worth a model's time: without noise, without
// lines that are only the title or an address, and no line directly after itself.
func messageLines(in Input) []string {
	kept := make([]string, 0, len(in.Lines))
	for _, line := range in.Lines {
		if len(line) < 4096 && (noiseLine(line) || addressLine(line) || sameTitle(line, in.WindowTitle)) {
			continue
		}
		kept = append(kept, line)
	}
	return dropRepeats(kept)
}

// dropRepeats removes lines that a container repeats of its children: the same line twice in a row,
// and a heading such as "You said: …" is left alone.
func dropRepeats(lines []string) []string {
	kept := lines[:0:0]
	for _, line := range lines {
		if n := len(kept); n > 0 && strings.TrimSpace(kept[n-1]) == strings.TrimSpace(line) {
			continue
		}
		kept = append(kept, line)
	}
	return kept
}

// lastMessage joins the newest lines that fit into max characters. It cuts at a line boundary and
// drops the head first; where one line alone is too long, its own end is kept. cut says that
// something was lost.
func lastMessage(lines []string, max int) (text string, cut bool) {
	left, from := max, len(lines)
	for from > 0 {
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
		return lastRunes(lines[from-1], max), true
	}
	return strings.Join(lines[from:], "\n"), from > 0
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
