package replay

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-computer-use/internal/proc"
)

// printedValue is a value as the engine prints it: cut at a character boundary beyond 40 bytes.
func printedValue(text string) string {
	if len(text) <= 40 {
		return text
	}
	end := 40
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// FuzzTyped types a text and prints it in its field and elsewhere: it must be masked in the field alone,
// and come back in a replay.
func FuzzTyped(f *testing.F) {
	f.Add("hello", "Name", "name")
	f.Add("", "Name", "")
	f.Add(long+long, "שדה", "")
	f.Add("a\"b\n  [@e2] textfield \"Name\" val=\"x\"", "", "x y")
	f.Add(`<typed 1>`, "N", "")
	f.Fuzz(func(t *testing.T, text, name, id string) {
		if text == "" || !utf8.ValidString(text+name+id) || strings.ContainsAny(name+id, "\n\"") || id != "" && strings.TrimSpace(id) != id ||
			strings.Contains(text+name, " id=") || strings.Contains(text+name, ` val="`) || strings.Contains(text, "…") || strings.Contains(text, "<typed") {
			return
		}
		head, tail := "textfield", ""
		if name != "" {
			head += ` "` + name + `"`
		}
		if id != "" {
			tail = " id=" + id
		}
		before := "window \"W\"\n  [@e1] " + head + tail + "\n"
		rest := "  statictext \"" + text + "\"\n"
		after := "window \"W\"\n  [@e4] " + head + ` val="` + printedValue(text) + `"` + tail + "\n" + rest

		var l typedLog
		cmd := proc.Command{Args: []string{"snapshot", "-a", "W"}, Sensitive: text}
		l.remember(cmd, []byte(before))
		cmd.Args = []string{"type", "--selector=@e1", "-a", "W", "--", text}
		mark := l.add(cmd)
		if args := maskArgs(cmd.Args, text, mark); args[len(args)-1] != mark {
			t.Fatalf("arguments %q", args)
		}
		cmd.Args = []string{"snapshot", "-a", "W"}
		masked := l.clean(cmd, []byte(after))
		if want := "window \"W\"\n  [@e4] " + head + ` val="<typed 1`; !strings.HasPrefix(string(masked), want) {
			t.Fatalf("masked as\n%q, want a begin of\n%q", masked, want)
		}
		if !strings.HasSuffix(string(masked), rest) {
			t.Fatalf("masked elsewhere: %q", masked)
		}
		if got := unmask(masked, map[int]string{1: text}, false); string(got) != after {
			t.Fatalf("unmasked %q, want %q", got, after)
		}
	})
}
