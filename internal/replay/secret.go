package replay

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// printed is an element's line in a snapshot, with its parts as groups: indent, ref, role, name, value,
// id. Names with quotes or line breaks may not match: then only the begin of the line is looked at.
var printed = regexp.MustCompile(`^( *)(\[@e[0-9]+\] )?([a-z]+)(?: "(.*?)")?(?: val="(.*)")?( id=[^"]*)?\r?$`)

// passwordWord finds the words that mark a password field, which Windows prints as a plain one
// (spec/contract.md section 6). It rather finds one too many: masking too much spoils no recording.
var passwordWord = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:password|passcode|passphrase|pin)(?:[^a-z]|$)|סיסמה|סיסמא`)

var caseChange = regexp.MustCompile(`([a-z])([A-Z])`)

func isSecretField(role, name, id string) bool {
	switch strings.ToLower(role) {
	case "securetextfield":
		return true
	case "textfield":
		return passwordWord.MatchString(name) || passwordWord.MatchString(caseChange.ReplaceAllString(id, "$1 $2"))
	}
	return false
}

// shownSecret is the value of a password field as it was printed.
type shownSecret struct {
	value string
	cut   bool
}

// secretScan goes through the lines of a snapshot.
type secretScan struct {
	found  []shownSecret
	inside bool   // below a password field
	depth  int    // indent of that field
	label  string // and its name
}

// maskSecrets masks the values of password fields in a snapshot, and the texts below such a field,
// which repeat it in some toolkits. It returns what they were. The length stays.
func maskSecrets(snapshot []byte) ([]byte, []shownSecret) {
	var scan secretScan
	lines := bytes.SplitAfter(snapshot, []byte("\n"))
	for i, line := range lines {
		body := bytes.TrimSuffix(line, []byte("\n"))
		if masked := scan.line(body); masked != nil {
			lines[i] = append(masked, line[len(body):]...)
		}
	}
	return bytes.Join(lines, nil), scan.found
}

// line returns the masked line, or nil where nothing is secret in it.
func (s *secretScan) line(line []byte) []byte {
	m := printed.FindSubmatchIndex(line)
	if m == nil {
		return s.oddLine(line)
	}
	part := func(group int) string {
		if m[2*group] < 0 {
			return ""
		}
		return string(line[m[2*group]:m[2*group+1]])
	}
	depth, ref, role, name, value := len(part(1)), part(2), part(3), part(4), part(5)
	s.inside = s.inside && depth > s.depth
	secret := isSecretField(role, name, part(6))
	if secret && !s.inside {
		s.inside, s.depth, s.label = true, depth, name
	}
	out := slices.Clone(line)
	below := s.inside && depth > s.depth && (ref == "" || strings.HasPrefix(role, "text"))
	if value != "" && (secret || below) {
		s.hide(out, m[10], value)
	}
	if below && ref == "" && name != "" && name != s.label {
		s.hide(out, m[8], name)
	}
	return out
}

// oddLine masks the rest of a line that begins like a password field but does not end like one.
func (s *secretScan) oddLine(line []byte) []byte {
	head, value, ok := bytes.Cut(line, valueMark)
	m := printed.FindSubmatch(head)
	if !ok || m == nil || len(value) == 0 || !isSecretField(string(m[3]), string(m[4]), "") {
		return nil
	}
	out := slices.Clone(line)
	s.hide(out, len(head)+len(valueMark), string(value))
	return out
}

// hide masks a text at a place of a line and remembers it. A mark of typed text tells nothing.
func (s *secretScan) hide(line []byte, at int, text string) {
	body, cut := strings.CutSuffix(text, "…")
	if body == "" || typedMark.MatchString(body) {
		return
	}
	s.found = append(s.found, shownSecret{body, cut})
	copy(line[at:], mask(body, "x"))
}

// maskLines masks the lines of a text that are one of the secrets.
func maskLines(text []byte, secrets []shownSecret) []byte {
	if len(secrets) == 0 {
		return text
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, line := range lines {
		body := strings.TrimSpace(string(line))
		for _, s := range secrets {
			value := strings.TrimSpace(s.value)
			if value != "" && (body == value || s.cut && strings.HasPrefix(body, value)) {
				lines[i] = bytes.Replace(line, []byte(body), []byte(mask(body, "x")), 1)
			}
		}
	}
	return bytes.Join(lines, nil)
}
