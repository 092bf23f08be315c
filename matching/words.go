package matching

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/textnorm"
	"mcp-computer-use/internal/ui"
)

// synonyms are labels for the same digit or sign, in tier-2 form. Each entry stands in one group only.
// Sources: README, "Label matching hierarchy"; spec/contract.md section 7.
var synonyms = [...][]string{
	{"0", "zero", "אפס"},
	{"1", "one", "אחת", "אחד"},
	{"2", "two", "שתיים", "שתים", "שניים"},
	{"3", "three", "שלוש", "שלושה"},
	{"4", "four", "ארבע", "ארבעה"},
	{"5", "five", "חמש", "חמישה"},
	{"6", "six", "שש", "שישה"},
	{"7", "seven", "שבע", "שבעה"},
	{"8", "eight", "שמונה"},
	{"9", "nine", "תשע", "תשעה"},
	{"+", "plus", "ועוד", "פלוס"},
	{"-", "\u2212", "minus", "פחות", "מינוס"},
	{"*", "×", "multiply", "multiply by", "כפול", "הכפל ב"},
	{"/", "÷", "divide", "divide by", "חלקי", "חלק ב"},
	{"=", "equals", "שווה"},
	{".", "decimal separator", "decimal point", "תו הפרדה עשרוני", "נקודה עשרונית"},
}

// longestSynonym is the size of the longest entry in bytes; longer names are not looked up.
const longestSynonym = 32

// synonymGroup returns the number of the group that a tier-2 form belongs to, -1 for none.
func synonymGroup(form string) int {
	if len(form) > longestSynonym {
		return -1
	}
	for n, group := range synonyms {
		if slices.Contains(group, form) {
			return n
		}
	}
	return -1
}

// roleWord is a kind of control in everyday words, and the roles that agent-cu prints for it.
type roleWord struct {
	words []string // tier-2 forms, of up to three words
	roles []ui.Role
}

// fields are the roles that a person calls a field.
var fields = []ui.Role{"textfield", "textarea", "securetextfield", "combobox", "searchfield", "edit", "textbox", "document"}

// roleWords holds the words of both languages. A toggle is a button on Windows, a switch on Linux and
// a checkbox on macOS, so that the roles overlap. Words that are verbs or parts of ordinary labels
// (edit, input, row, document) are left out: a phrase must not turn one label into another.
var roleWords = [...]roleWord{
	{[]string{"button", "push button", "כפתור", "לחצן"}, []ui.Role{"button", "menubutton", "popupbutton", "switch"}},
	{[]string{"toggle button", "toggle switch"}, []ui.Role{"switch", "button", "checkbox"}},
	{[]string{"key", "מקש"}, []ui.Role{"button", "switch"}},
	{[]string{"field", "text field", "textfield", "edit field", "input field", "text box", "textbox", "edit box", "search field", "search box",
		"שדה", "שדה טקסט", "שדה קלט", "תיבת טקסט", "תיבת קלט"}, fields},
	{[]string{"text area", "textarea", "אזור טקסט"}, []ui.Role{"textarea", "textfield", "document"}},
	{[]string{"password field", "שדה סיסמה"}, []ui.Role{"securetextfield", "textfield"}},
	{[]string{"link", "hyperlink", "קישור", "היפר קישור"}, []ui.Role{"link"}},
	{[]string{"tab", "לשונית", "כרטיסייה", "כרטיסיה"}, []ui.Role{"tab"}},
	{[]string{"checkbox", "check box", "תיבת סימון"}, []ui.Role{"checkbox", "switch"}},
	{[]string{"radio", "radio button", "radiobutton", "option button", "כפתור רדיו", "לחצן רדיו", "כפתור אפשרות", "לחצן אפשרות", "כפתור בחירה"},
		[]ui.Role{"radiobutton"}},
	{[]string{"switch", "toggle", "מתג"}, []ui.Role{"switch", "checkbox"}},
	{[]string{"slider", "מחוון", "סליידר"}, []ui.Role{"slider"}},
	{[]string{"stepper", "spinner", "spin button"}, []ui.Role{"stepper"}},
	{[]string{"combobox", "combo box", "combo", "dropdown", "drop down", "drop-down", "dropdown list", "תיבה משולבת", "תיבת בחירה", "רשימה נפתחת"},
		[]ui.Role{"combobox", "popupbutton", "menubutton"}},
	{[]string{"menu", "menu item", "menuitem", "תפריט", "פריט תפריט", "פריט בתפריט"}, []ui.Role{"menuitem", "menubutton", "popupbutton"}},
	{[]string{"menu button", "menubutton", "split button", "כפתור תפריט", "לחצן תפריט"}, []ui.Role{"menubutton", "popupbutton"}},
	{[]string{"item", "list item", "listitem", "פריט", "פריט רשימה", "פריט ברשימה"}, []ui.Role{"listitem", "menuitem"}},
}

// frontOnly are role words that end many ordinary labels ("Main menu", "New item") and so count only
// in front.
var frontOnly = [...]string{"menu", "item", "key", "radio", "combo", "toggle", "switch"}

// longestRoleWord is the number of words of the longest entry.
const longestRoleWord = 2

// named says whether a role is one of those that a phrase asks for; no roles means any.
func named(roles []ui.Role, role ui.Role) bool {
	return roles == nil || slices.ContainsFunc(roles, func(r ui.Role) bool { return strings.EqualFold(string(r), string(role)) })
}

// phrase is a label without the role word that came with it.
type phrase struct {
	rest  string
	roles []ui.Role
}

// phrases splits a role word off a label: in front in both languages ("button 7", "שדה חיפוש"),
// behind in English ("Save button"). The longest role word comes first.
func phrases(target string) []phrase {
	if len(target) > 4*maxMeasured {
		return nil
	}
	words := strings.Fields(target)
	var found []phrase
	for size := min(longestRoleWord, len(words)-1); size > 0; size-- {
		found = appendPhrase(found, strings.Join(words[:size], " "), strings.Join(words[size:], " "))
	}
	for size := min(longestRoleWord, len(words)-1); size > 0; size-- {
		tail := strings.Join(words[len(words)-size:], " ")
		if isASCII(tail) && !slices.Contains(frontOnly[:], textnorm.Match(tail)) {
			found = appendPhrase(found, tail, strings.Join(words[:len(words)-size], " "))
		}
	}
	return found
}

func appendPhrase(found []phrase, word, rest string) []phrase {
	form := textnorm.Match(word)
	rest = unquote(rest)
	if rest == "" {
		return found
	}
	for _, one := range roleWords {
		if slices.Contains(one.words, form) {
			return append(found, phrase{rest, one.roles})
		}
	}
	return found
}

// unquote takes off the quotes that a caller copied from a printed tree (button "Save").
func unquote(s string) string {
	if len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
