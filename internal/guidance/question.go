package guidance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problem is what keeps a question from being asked.
type Problem int

// The problems; NoProblem is the zero value.
const (
	NoProblem       Problem = iota
	EmptyQuestion           // nothing but white space and invisible characters
	QuestionTooLong         // more characters than allowed
)

// Hints on how to ask better. The answer is given all the same.
const (
	HintEnglish   = "Ask in English for best results."
	HintMultiPart = "Ask one short question per call; take a bigger check step by step."
)

// QuestionLength returns the number of characters of a question, without white space around it.
func QuestionLength(question string) int {
	return utf8.RuneCountInString(strings.TrimSpace(question))
}

// CheckQuestion tells what is wrong with a question. limit is the largest number of characters allowed.
func CheckQuestion(question string, limit int) Problem {
	switch {
	case strings.IndexFunc(question, visible) < 0:
		return EmptyQuestion
	case QuestionLength(question) > limit:
		return QuestionTooLong
	default:
		return NoProblem
	}
}

// visible tells whether a character shows anything: a question of zero-width marks asks nothing.
func visible(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r)
}

// QuestionHints returns advice for the next question; nil when there is none.
func QuestionHints(question string) []string {
	var hints []string
	if mostlyNonLatin(question) {
		hints = append(hints, HintEnglish)
	}
	if multiPart(question) {
		hints = append(hints, HintMultiPart)
	}
	return hints
}

// mostlyNonLatin counts letters alone: digits, signs and names of keys belong to every language.
func mostlyNonLatin(question string) bool {
	latin, other := 0, 0
	for _, r := range question {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			other++
		}
	}
	return other > latin
}

// questionMarks are the marks that end a question: plain, Greek, Arabic and full-width.
const questionMarks = "?\u037e\u061f\uff1f"

// multiPart finds three question marks, or a list of at least two entries.
func multiPart(question string) bool {
	marks := 0
	for _, r := range question {
		if strings.ContainsRune(questionMarks, r) {
			marks++
		}
	}
	return marks >= 3 || listLines(question) >= 2 || inlineNumbers(question) >= 2
}

// listLines counts the lines that begin with a bullet or a number.
func listLines(question string) int {
	count := 0
	for line := range strings.FieldsFuncSeq(question, func(r rune) bool { return r == '\n' || r == '\r' }) {
		words := strings.Fields(line)
		if len(words) > 1 && (isBullet(words[0]) || listNumber(words[0], ".)") > 0) {
			count++
		}
	}
	return count
}

func isBullet(marker string) bool {
	switch marker {
	case "-", "*", "+", "•", "–", "—", "·", "▪", "◦":
		return true
	default:
		return false
	}
}

// listNumber returns the number of a marker such as 2. or (2), or 0. ends holds the characters that may
// close it.
func listNumber(marker, ends string) int {
	marker = strings.TrimPrefix(marker, "(")
	digits := strings.TrimRight(marker, ends)
	if len(marker) != len(digits)+1 || digits == "" || len(digits) > 2 {
		return 0
	}
	number := 0
	for _, r := range digits {
		if r < '0' || r > '9' {
			return 0
		}
		number = number*10 + int(r-'0')
	}
	return number
}

// inlineNumbers counts 1) 2) 3) within a line, in this order. A dot is not enough there: it also ends
// sentences.
func inlineNumbers(question string) int {
	next := 1
	for word := range strings.FieldsSeq(question) {
		if listNumber(word, ")") == next {
			next++
		}
	}
	return next - 1
}
