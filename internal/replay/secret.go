package replay

import (
	"bytes"
	"regexp"
	"strings"
)

// A line of a snapshot that shows a password field with its value. Windows prints such fields as plain
// ones, so that their name or id has to tell (spec/contract.md section 6).
var (
	valueLine    = regexp.MustCompile(`(?m)^\s*(?:@e[0-9]+ )?([a-z]+)\b(.*?) val="(.*?)"( id=.*)?$`)
	passwordWord = regexp.MustCompile(`(?i)\b(?:password|passcode|passphrase|pin)\b|סיסמה|סיסמא`)
)

// shownSecret is the value of a password field as a snapshot showed it.
type shownSecret struct {
	value string
	cut   bool
}

// maskSecrets masks the values of password fields in a snapshot and returns what they were.
func maskSecrets(snapshot []byte) ([]byte, []shownSecret) {
	var found []shownSecret
	var out []byte
	at := 0
	for _, m := range valueLine.FindAllSubmatchIndex(snapshot, -1) {
		role, name, value := string(snapshot[m[2]:m[3]]), string(snapshot[m[4]:m[5]]), string(snapshot[m[6]:m[7]])
		id := ""
		if m[8] >= 0 {
			id = string(snapshot[m[8]:m[9]])
		}
		secret := role == "securetextfield" || role == "textfield" && passwordWord.MatchString(splitWords(name+id))
		if body, cut := strings.CutSuffix(value, "…"); secret && body != "" {
			found = append(found, shownSecret{body, cut})
			out = append(append(out, snapshot[at:m[6]]...), mask(body, "x")...)
			at = m[6] + len(body)
		}
	}
	return append(out, snapshot[at:]...), found
}

var caseChange = regexp.MustCompile(`([a-z])([A-Z])`)

// splitWords opens the words of an id: passwordField, user_pin.
func splitWords(text string) string {
	return strings.ReplaceAll(caseChange.ReplaceAllString(text, "$1 $2"), "_", " ")
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
			if body != "" && (body == s.value || s.cut && strings.HasPrefix(body, s.value)) {
				lines[i] = bytes.Replace(line, []byte(body), []byte(mask(body, "x")), 1)
			}
		}
	}
	return bytes.Join(lines, nil)
}
