package agentcu

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// refEntry is what refs.json says about a ref.
type refEntry struct {
	role     string // as printed in the text
	name, id string
}

// parseRefs reads refs.json ({"refs": {"e5": {"role", "name"?, "id"?, …}}}) by number of the ref; nil
// where the file is none or any ref in it is not understood.
func parseRefs(data []byte) map[int]refEntry {
	data = bytes.ToValidUTF8(data, []byte("\ufffd")) // as the text is read, so that names still agree
	if len(data) == 0 || !gjson.ValidBytes(data) {
		return nil
	}
	entries := map[int]refEntry{}
	sound := true
	gjson.GetBytes(data, "refs").ForEach(func(key, value gjson.Result) bool {
		digits, ok := strings.CutPrefix(key.String(), "e")
		number, err := strconv.Atoi(digits)
		sound = ok && err == nil && number > 0 && value.IsObject()
		if sound {
			entries[number] = readEntry(value)
		}
		return sound
	})
	if !sound {
		return nil
	}
	return entries
}

// readEntry goes through an entry once; its path, the longest part, is not needed.
func readEntry(value gjson.Result) (entry refEntry) {
	value.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "role":
			entry.role = value.String()
		case "name":
			entry.name = plainLines(value.String())
		case "id":
			entry.id = value.String()
		}
		return true
	})
	return entry
}

// plainLines gives a name the line ends that normalise gives the text.
func plainLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
