package safety

import (
	"strings"
	"unicode"
)

// kind says how an entry may be altered and still count.
type kind int

const (
	english    kind = iota // plain inflections
	again                  // plain inflections, and "re" in front
	imperative             // Hebrew, after ו and ש alone: כאשר and מושלם are no commands
	noun                   // Hebrew nouns, infinitives and present forms: after every one-letter prefix
	addition               // from the configuration, language and kind unknown: all of the above but "re"
)

// rule is one entry of the list with texts that prove it.
type rule struct {
	word   string
	kind   kind
	also   string   // further spellings and the construct form, parted by spaces
	blocks []string // labels that must be blocked by this very rule
	passes []string // labels close to it that must not be blocked
}

const (
	allPrefixes     = "והבלכמש"
	commandPrefixes = "וש"
)

// prefixes are the Hebrew letters that may stand before an entry. A word of another script has none
// to lose, so that they are given to additions of any language.
func (r rule) prefixes() string {
	switch r.kind {
	case imperative:
		return commandPrefixes
	case noun, addition:
		return allPrefixes
	}
	return ""
}

// forms returns the forms of one word of the entry that count as the word.
func (r rule) forms(word string) map[string]bool {
	forms := map[string]bool{word: true}
	for _, one := range strings.Fields(r.also) {
		forms[final(one)] = true
	}
	if r.kind == imperative || r.kind == noun || !isLatin(word) {
		return forms
	}
	for _, one := range inflect(word) {
		forms[one] = true
		if r.kind == again {
			forms["re"+one], forms["re-"+one] = true, true
		}
	}
	return forms
}

func isLatin(word string) bool {
	for _, r := range word {
		if !unicode.Is(unicode.Latin, r) {
			return false
		}
	}
	return word != ""
}

// inflect returns the plain inflections of an English word, itself first. Both spellings of a doubled
// consonant are given, since both are seen.
func inflect(word string) []string {
	forms := []string{word, word + "s"}
	n := len(word)
	if n < 2 {
		return forms
	}
	last := word[n-1]
	switch {
	case strings.HasSuffix(word, "ie"):
		forms = append(forms, word+"d", word[:n-2]+"ying")
	case last == 'e' && strings.IndexByte("eoy", word[n-2]) >= 0:
		forms = append(forms, word+"d", word+"ing")
	case last == 'e':
		forms = append(forms, word+"d", word[:n-1]+"ing")
	case last == 'y' && !vowel(word[n-2]):
		forms = append(forms, word[:n-1]+"ies", word[:n-1]+"ied", word+"ing")
	default:
		forms = append(forms, word+"es", word+"ed", word+"ing")
		if n > 2 && doubles(word) {
			forms = append(forms, word+string(last)+"ed", word+string(last)+"ing")
		}
	}
	return forms
}

// doubles says whether a word ends in consonant, vowel, consonant.
func doubles(word string) bool {
	n := len(word)
	return !vowel(word[n-1]) && strings.IndexByte("wxy", word[n-1]) < 0 && vowel(word[n-2]) && !vowel(word[n-3])
}

func vowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

// rules returns the built-in list. Nothing can be taken from it. Sources: README, "Safety rules &
// blocklist"; the present forms spec/contract.md section 8.
func rules() []rule {
	return append(englishRules(), hebrewRules()...)
}

func englishRules() []rule {
	return []rule{
		{word: "Delete", blocks: []string{"Delete", "Deleting…", "Deleted items", "Auto deletes"}, passes: []string{"Undeleted items", "Deletion log", "Deleter", "delete_me.txt"}},
		{word: "Remove", blocks: []string{"Remove from list", "Removing", "REMOVED", "removes"}, passes: []string{"Removable disk", "Removal", "Remover", "Move"}},
		{word: "Send", kind: again, blocks: []string{"Send", "Sending", "sends", "Resend", "Resending", "Re-send code"}, passes: []string{"Sender", "Sent items", "Godsend", "Presend"}},
		{word: "Allow", blocks: []string{"Allow once", "Allowed", "allows", "Allowing"}, passes: []string{"Disallow", "Allowance", "Swallow", "Hallowed", "Shallow"}},
		{word: "Approve", blocks: []string{"Approve", "Approved", "Approving"}, passes: []string{"Approval", "Approver", "Improve", "Reapprove"}},
		{word: "Accept", blocks: []string{"Accept all", "Accepted", "Accepting"}, passes: []string{"Acceptance", "Acceptable", "Except"}},
		{word: "Pay", blocks: []string{"Pay $24.90 now", "Paying", "Pays"}, passes: []string{"Payment", "Repayment", "Payee", "Payload", "Repay", "PayPal", "Paid"}},
		{word: "Buy", blocks: []string{"Buy now", "Buying", "Buys"}, passes: []string{"Buyer", "Busy", "Rebuy"}},
		{word: "Purchase", blocks: []string{"Purchase", "Purchased", "Purchases", "Purchasing"}, passes: []string{"Purchaser", "Chase"}},
		{word: "Submit", kind: again, blocks: []string{"Submit", "Submitting", "Submitted", "Resubmit", "resubmitted"}, passes: []string{"Submission", "Submitter", "Unsubmit"}},
		{word: "Confirm", blocks: []string{"Confirm", "Confirmed", "Confirming"}, passes: []string{"Confirmation", "Firm", "Reconfirm"}},
		{word: "Publish", kind: again, blocks: []string{"Publish", "Publishes", "Published", "Republish"}, passes: []string{"Publisher", "Publication", "Unpublished"}},
		{word: "Merge", blocks: []string{"Merge", "Merging", "Merged"}, passes: []string{"Merger", "Emerge", "Submerged"}},
		{word: "Uninstall", blocks: []string{"Uninstall", "Uninstalling", "Uninstalled"}, passes: []string{"Install", "Uninstaller", "Installed"}},
		{word: "Format", blocks: []string{"Format", "Formatting", "Formatted", "Formats"}, passes: []string{"Information", "Formatter", "Preformatted", "Reformat", "Formation"}},
	}
}

func hebrewRules() []rule {
	return []rule{
		{word: "הסר התקנה", kind: imperative, blocks: []string{"הסר התקנה", "והסר  התקנה", "הסר\u00a0התקנה", "הסר־התקנה"}, passes: []string{"התקנה"}},
		{word: "מחק", kind: imperative, blocks: []string{"מחק", "ומחק", "מחק־הכול"}, passes: []string{"מחקר", "המחקר", "מוחקים"}},
		{word: "הסר", kind: imperative, blocks: []string{"הסר", "והסר", "הסר את ההתקנה"}, passes: []string{"הסרט", "הסרטים", "מוסר"}},
		{word: "שלח", kind: imperative, blocks: []string{"שלח", "ושלח", "ששלח"}, passes: []string{"משלח", "שלחן", "משלוח"}},
		{word: "אשר", kind: imperative, blocks: []string{"אשר", "ואשר", "שאשר"}, passes: []string{"כאשר", "באשר", "מאשרים", "אשראי"}},
		{word: "אפשר", kind: imperative, blocks: []string{"אפשר", "שאפשר"}, passes: []string{"אפשרויות", "האפשר", "כאפשר", "אפשרות"}},
		{word: "שלם", kind: imperative, blocks: []string{"שלם", "ושלם", "שלמ"}, passes: []string{"מושלם", "שלום", "השלם", "בשלמות"}},
		{word: "קנה", kind: imperative, blocks: []string{"קנה", "וקנה"}, passes: []string{"הקנה", "מקנה", "תקנה"}},
		{word: "פרסם", kind: imperative, blocks: []string{"פרסם", "ופרסם"}, passes: []string{"פרסומת", "פרס"}},
		{word: "מחקו", kind: imperative, blocks: []string{"מחקו", "ומחקו"}, passes: []string{"נמחקו"}},
		{word: "הסירו", kind: imperative, blocks: []string{"הסירו"}, passes: []string{"סירות"}},
		{word: "שלחו", kind: imperative, blocks: []string{"שלחו", "ושלחו"}, passes: []string{"נשלחו"}},
		{word: "אשרו", kind: imperative, blocks: []string{"אשרו"}, passes: []string{"כאשרו"}},
		{word: "אפשרו", kind: imperative, blocks: []string{"אפשרו"}, passes: []string{"אפשרויות"}},
		{word: "שלמו", kind: imperative, blocks: []string{"שלמו"}, passes: []string{"שלמות"}},
		{word: "קנו", kind: imperative, blocks: []string{"קנו", "שקנו"}, passes: []string{"קנוי", "תיקנו"}},
		{word: "פרסמו", kind: imperative, blocks: []string{"פרסמו"}, passes: []string{"התפרסמו"}},
		{word: "מחיקה", kind: noun, also: "מחיקת", blocks: []string{"מחיקה", "למחיקה", "והמחיקה", "מחיקת החשבון"}, passes: []string{"שחיקה", "מחיק"}},
		{word: "למחוק", kind: noun, blocks: []string{"למחוק", "ולמחוק"}, passes: []string{"מחוק"}},
		{word: "הסרה", kind: noun, also: "הסרת", blocks: []string{"הסרה", "להסרה", "הסרת הפריט"}, passes: []string{"סרה", "הסרט"}},
		{word: "להסיר", kind: noun, blocks: []string{"להסיר", "שלהסיר"}, passes: []string{"סיר", "הסיר"}},
		{word: "שליחה", kind: noun, also: "שליחת", blocks: []string{"שליחה", "השליחה הבאה", "לשליחה", "שליחת ההודעה"}, passes: []string{"שליח", "שליחים"}},
		{word: "לשלוח", kind: noun, blocks: []string{"לשלוח", "ולשלוח"}, passes: []string{"שלוחה"}},
		{word: "אישור", kind: noun, blocks: []string{"אישור", "לאישור", "ובאישור"}, passes: []string{"אישי", "אישורים"}},
		{word: "לאשר", kind: noun, blocks: []string{"לאשר", "ולאשר"}, passes: []string{"כאשר"}},
		{word: "לאפשר", kind: noun, blocks: []string{"לאפשר"}, passes: []string{"מאפשר"}},
		{word: "תשלום", kind: noun, blocks: []string{"תשלום", "עבור לתשלום", "התשלום"}, passes: []string{"תשלומים", "שלום"}},
		{word: "לשלם", kind: noun, blocks: []string{"לשלם", "ולשלם"}, passes: []string{"להשלים"}},
		{word: "קנייה", kind: noun, also: "קניה קניית", blocks: []string{"קנייה", "לקנייה", "קניית כרטיס"}, passes: []string{"קניון", "קניות"}},
		{word: "לקנות", kind: noun, blocks: []string{"לקנות", "ולקנות"}, passes: []string{"תקנות"}},
		{word: "פרסום", kind: noun, blocks: []string{"פרסום", "שהפרסום", "לפרסום"}, passes: []string{"פרסומות"}},
		{word: "לפרסם", kind: noun, blocks: []string{"לפרסם"}, passes: []string{"להתפרסם"}},
		{word: "מאשר", kind: noun, blocks: []string{"אני מאשר", "ומאשר"}, passes: []string{"מאושר"}},
		{word: "מאשרת", kind: noun, blocks: []string{"מאשרת"}, passes: []string{"תאשרת"}},
		{word: "מוחק", kind: noun, blocks: []string{"מוחק", "שמוחק"}, passes: []string{"מחוק"}},
		{word: "מוחקת", kind: noun, blocks: []string{"מוחקת"}, passes: []string{"מוחקים"}},
		{word: "מסיר", kind: noun, blocks: []string{"מסיר"}, passes: []string{"מסירות"}},
		{word: "מסירה", kind: noun, blocks: []string{"מסירה"}, passes: []string{"מסר"}},
		{word: "שולח", kind: noun, blocks: []string{"שולח"}, passes: []string{"שולחן"}},
		{word: "שולחת", kind: noun, blocks: []string{"שולחת"}, passes: []string{"שולחנות"}},
		{word: "משלם", kind: noun, blocks: []string{"משלם"}, passes: []string{"משלים"}},
		{word: "משלמת", kind: noun, blocks: []string{"משלמת"}, passes: []string{"משלימה"}},
		{word: "קונה", kind: noun, blocks: []string{"קונה"}, passes: []string{"קונצרט"}},
		{word: "מפרסם", kind: noun, blocks: []string{"מפרסם"}, passes: []string{"מפורסם"}},
		{word: "מפרסמת", kind: noun, blocks: []string{"מפרסמת"}, passes: []string{"מפורסמת"}},
	}
}
