package config

import (
	"fmt"
	"strings"
)

// byKey returns the setting of a key, or nil.
func byKey(key string) *setting {
	for _, one := range settings() {
		for _, name := range one.keys {
			if name == key {
				return &one
			}
		}
	}
	return nil
}

// knownKeys lists every key and its other names.
func knownKeys() []string {
	var list []string
	for _, one := range settings() {
		list = append(list, one.keys...)
	}
	return list
}

// unknown is the warning about a key or a variable that no setting has.
func unknown(what, name string, known []string) string {
	text := fmt.Sprintf("unknown %s %q is ignored", what, name)
	if near := nearest(name, known); near != "" {
		text += fmt.Sprintf("; the nearest known one is %q", near)
	}
	return text
}

// nearest returns the known name with the smallest edit distance, or "" where none is near. The
// name's last part alone is compared too, since a key may stand in the wrong table.
func nearest(name string, known []string) string {
	best, at := "", 0
	for _, candidate := range known {
		d := min(distance(plain(name), plain(candidate)), 1+distance(plain(last(name)), plain(last(candidate))))
		if limit := max(2, len(candidate)/4); d <= limit && (best == "" || d < at) {
			best, at = candidate, d
		}
	}
	return best
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// plain brings other spellings of a name to that of a key.
func plain(name string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(name), "-", "_"), "mcp_cu_")
}

// distance counts the insertions, deletions, replacements and swaps of neighbours between two names.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 100 {
		x = x[:100]
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			same := 1
			if x[i-1] == y[j-1] {
				same = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+same)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(x)][len(y)]
}
