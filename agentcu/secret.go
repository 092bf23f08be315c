package agentcu

import (
	"strings"
	"unicode"

	"mcp-computer-use/internal/ui"
)

// isSecretField says whether the value of an element is a password: by its role, or by a word in the
// name or id of a text field, since Windows prints password fields as plain ones (spec/contract.md
// section 6).
func isSecretField(role ui.Role, name, id string) bool {
	switch role {
	case ui.RoleSecureTextField:
		return true
	case ui.RoleTextField:
		return holdsSecretWord(nameWords(name)) || holdsSecretWord(idWords(id))
	}
	return false
}

func holdsSecretWord(words []string) bool {
	for _, word := range words {
		switch word {
		case "password", "passcode", "passphrase", "pin":
			return true
		}
		if isHebrewPassword(word) {
			return true
		}
	}
	return false
}

// isHebrewPassword knows the word in both spellings, also behind one or two of the letters that Hebrew
// writes together with a noun ("the password", "and the password").
func isHebrewPassword(word string) bool {
	for _, noun := range []string{"סיסמה", "סיסמא"} {
		if prefix, ok := strings.CutSuffix(word, noun); ok {
			letters := []rune(prefix)
			if len(letters) <= 2 && strings.Trim(prefix, "והבלכמש") == "" {
				return true
			}
		}
	}
	return false
}

// nameWords are the words of a name in lower case: runs of letters and digits. Vowel points and
// invisible format characters inside of a word do not part it.
func nameWords(name string) []string {
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Mn) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// idWords are the words of an id in lower case: written with capitals (loginPassword), underscores,
// hyphens or digits. An id in capitals throughout is not taken apart letter by letter (userPIN).
func idWords(id string) []string {
	var spaced strings.Builder
	letters := []rune(id)
	for i, r := range letters {
		switch {
		case !unicode.IsLetter(r):
			r = ' '
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) ||
			unicode.IsUpper(letters[i-1]) && i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
	}
	return nameWords(spaced.String())
}

// hideBelowSecrets clears what stands inside of a password field: some toolkits repeat the content as
// a text below it. Buttons there keep their names.
func hideBelowSecrets(s *ui.Snapshot) {
	for i := 0; i < len(s.Elements); i++ {
		field := &s.Elements[i]
		if !field.Secret {
			continue
		}
		for i+1 < field.End {
			i++
			hide(s, &s.Elements[i], field.Name)
		}
	}
}

func hide(s *ui.Snapshot, e *ui.Element, label string) {
	if e.Ref != "" && !e.Role.Editable() {
		return
	}
	s.AddSecret(e.Value, e.ValueCut)
	e.Value, e.ValueCut, e.Secret = "", false, true
	if e.Ref == "" && e.Name != label {
		s.AddSecret(e.Name, false)
		e.Name = ""
	}
}
