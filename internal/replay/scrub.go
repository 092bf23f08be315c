package replay

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scrub says what is private in a recording. A masked text keeps its length in bytes and characters, so
// that limits cut a replayed text where they cut the recorded one. The zero value still masks what looks
// like a user's folder or a token.
type Scrub struct {
	Home    string            // the user's home folder
	User    string            // the user's name on this machine
	Secrets []string          // texts that must not be written anywhere, such as a configured token
	Folders map[string]string // folders that differ from run to run, by name; their paths are written as {name}
}

// Patterns of what is masked; where there is a group, it is the part that is masked.
var (
	userFolder = regexp.MustCompile(`(?:/home/|/Users/|[A-Za-z]:(?:\\{1,2}|/)[Uu]sers(?:\\{1,2}|/))([^\\/\s"'<>|:*?,;)…]+)`)
	bearer     = regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})`)
	assigned   = regexp.MustCompile(`(?i)\b(?:api[_-]?key|access[_-]?key|auth[_-]?token|token|secret|passw(?:or)?d)["']?\s*[=:]\s*["']?([A-Za-z0-9._~+/=-]{12,})`)
	userInfo   = regexp.MustCompile(`://([^/\s"'@:]+:[^/\s"'@]+)@`)
	known      = regexp.MustCompile(`\b((?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|` +
		`xox[abeoprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+)`)
	longRun = regexp.MustCompile(`[A-Za-z0-9_+/=-]{40,}`)
)

// everyday are user names that are words of their own on a screen, or that name nobody.
func everyday(name string) bool {
	return len(name) < 3 || slices.Contains([]string{
		"root", "user", "admin", "administrator", "guest", "public", "default", "home", "test", "claude", "codex", "chatgpt",
		"cursor", "code", "chrome", "edge", "firefox", "calculator", "notepad", "ubuntu", "runner", "build", "desktop", "windows", "agent",
	}, strings.ToLower(name))
}

// clean masks user names, home paths and tokens in a text. It works on bytes: what is no UTF-8 stays.
// Cleaning twice gives the same as cleaning once.
func (s Scrub) clean(text []byte) []byte {
	for _, secret := range s.Secrets {
		if len(secret) >= 4 {
			text = bytes.ReplaceAll(text, []byte(secret), []byte(mask(secret, "x")))
		}
	}
	for _, home := range s.homes() {
		text = bytes.ReplaceAll(text, []byte(home[0]), []byte(home[1]))
	}
	text = maskGroup(userFolder, text, maskName)
	if name := programName(s.User); !everyday(name) { // without the domain of DOMAIN\user
		text = maskWord(text, name)
	}
	for _, pattern := range []*regexp.Regexp{bearer, assigned, userInfo, known} {
		text = maskGroup(pattern, text, maskToken)
	}
	return longRun.ReplaceAllFunc(text, maskRun)
}

// longestToken is longer than any token without dots; what is longer is data, such as a picture in
// base64, and is of no use when a part of it is masked.
const longestToken = 400

// maskRun masks the parts of a long run of characters that look like a token.
func maskRun(run []byte) []byte {
	if len(run) > longestToken {
		return run
	}
	parts := bytes.Split(run, []byte("/"))
	for i, part := range parts {
		if len(part) >= 40 && secretLike(part) {
			parts[i] = []byte(maskToken(string(part)))
		}
	}
	return bytes.Join(parts, []byte("/"))
}

// text is clean for strings.
func (s Scrub) text(text string) string { return string(s.clean([]byte(text))) }

// homes are the spellings of the home folder, each with its masked form. Only the last part is a name.
func (s Scrub) homes() [][2]string {
	home := strings.TrimRight(s.Home, `/\`)
	name := programName(home)
	if len(home) < 4 || everyday(name) {
		return nil
	}
	masked := home[:len(home)-len(name)] + maskName(name)
	var list [][2]string
	for _, to := range []func(string) string{
		func(p string) string { return strings.ReplaceAll(p, `\`, `\\`) },
		func(p string) string { return p },
		func(p string) string { return strings.ReplaceAll(p, `\`, `/`) },
	} {
		list = append(list, [2]string{to(home), to(masked)})
	}
	return list
}

// maskGroup masks the first group of every match.
func maskGroup(pattern *regexp.Regexp, text []byte, with func(string) string) []byte {
	var out []byte
	at := 0
	for _, m := range pattern.FindAllSubmatchIndex(text, -1) {
		out = append(append(out, text[at:m[2]]...), with(string(text[m[2]:m[3]]))...)
		at = m[3]
	}
	return append(out, text[at:]...)
}

// maskWord masks a name wherever it stands as a whole word, in any case.
func maskWord(text []byte, name string) []byte {
	pattern := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(name))
	var out []byte
	at := 0
	for _, m := range pattern.FindAllIndex(text, -1) {
		before, _ := utf8.DecodeLastRune(text[:m[0]])
		after, _ := utf8.DecodeRune(text[m[1]:])
		if wordRune(before) || wordRune(after) {
			continue
		}
		out = append(append(out, text[at:m[0]]...), maskName(string(text[m[0]:m[1]]))...)
		at = m[1]
	}
	return append(out, text[at:]...)
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func maskName(name string) string { return mask(name, "user") }

// maskToken keeps the prefix that tells what kind of token it was, so that a masked one looks the same.
func maskToken(token string) string {
	keep := 0
	for _, prefix := range []string{"github_pat_", "glpat-", "sk-", "pk-", "rk-", "hf_", "npm_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"} {
		if strings.HasPrefix(token, prefix) {
			keep = len(prefix)
			break
		}
	}
	return token[:keep] + mask(token[keep:], "x")
}

// mask writes letters of a pattern over a text, each as wide in bytes as what it covers.
func mask(text, pattern string) string {
	var out strings.Builder
	for i, n := 0, 0; i < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch size {
		case 1:
			out.WriteByte(pattern[n%len(pattern)])
		case 2:
			out.WriteString("ש")
		case 3:
			out.WriteString("用")
		default:
			out.WriteString("🙂")
		}
		i += size
	}
	return out.String()
}

// secretLike tells a random run of characters from a long word: hexadecimal beyond the length of a
// commit, or letters of both cases with several digits.
func secretLike(run []byte) bool {
	var upper, lower, digit, hex int
	for _, c := range run {
		switch {
		case c >= '0' && c <= '9':
			digit++
			hex++
		case c >= 'a' && c <= 'f':
			lower++
			hex++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		}
	}
	if hex == len(run) && digit > 0 {
		return len(run) >= 48 && len(run) != 64 // 64: a digest, as of a model
	}
	return upper >= 4 && lower >= 4 && digit >= 4
}

var fence = regexp.MustCompile(`screen-[0-9a-f]{16,}`)

// maskFence replaces the random id of the fence around screen text, which is new for every prompt:
// "screen-" and at least 16 lower-case hexadecimal digits.
func maskFence(text []byte) []byte {
	return fence.ReplaceAllFunc(text, func(m []byte) []byte {
		return append([]byte("screen-"), bytes.Repeat([]byte("0"), len(m)-len("screen-"))...)
	})
}

func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}
