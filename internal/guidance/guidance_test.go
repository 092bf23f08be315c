package guidance

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextsFitTheClients(t *testing.T) {
	texts := map[string]string{"instructions": Instructions()}
	for _, name := range ToolNames() {
		texts[name] = ToolDescription(name)
	}
	if len(texts) != 7 {
		t.Fatalf("%d texts, want the instructions and six descriptions", len(texts))
	}
	for name, text := range texts {
		if len(text) < 100 || len(text) >= maxTextBytes {
			t.Errorf("%s: %d bytes, want 100 to %d", name, len(text), maxTextBytes-1)
		}
		if !utf8.ValidString(text) || text != strings.TrimSpace(text) || strings.Contains(text, "\n ") || strings.Contains(text, "\t") {
			t.Errorf("%s: invalid UTF-8, or white space of source code in the text", name)
		}
	}
	if got := ToolDescription("nope"); got != "" {
		t.Errorf("description of an unknown tool: %q", got)
	}
}

// Clients cut from the end: what guards the user must be near the start.
func TestSafetyStandsFirst(t *testing.T) {
	for name, text := range map[string]string{"instructions": Instructions(), Click: ToolDescription(Click), TypeText: ToolDescription(TypeText)} {
		for _, word := range []string{"DANGEROUS_ACTION_NEEDS_CONFIRMATION", "confirm_dangerous=true", "human"} {
			if at := strings.Index(text, word); at < 0 || at > 450 {
				t.Errorf("%s: %q at %d, want it within the first 450 bytes", name, word, at)
			}
		}
	}
}

func TestRulesForAgents(t *testing.T) {
	rules := map[string][]string{
		"instructions": {"English", "one short question", "Pass app", "visible label", "@e12", "Read first", "steps",
			"session_id", "release_model", "error.suggestion", "hint", "agent-cu", "ping", "300 characters", "include_image"},
		LookAtScreen: {"English", "one short question", "app", "changed_since_last", "details", "extracted", "Read-only"},
		Click:        {"1 to 200 characters", "@e5", "1 to 10 labels", "look_at_screen first", "agent-cu"},
		TypeText:     {"@e5", "Enter is never pressed", "replaces", "passwords"},
		ReleaseModel: {"task is done", "freed_mb"},
		Ping:         {"first call"},
		Health:       {"without starting"},
	}
	for name, words := range rules {
		text := ToolDescription(name)
		if name == "instructions" {
			text = Instructions()
		}
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s lacks %q", name, word)
			}
		}
	}
}

func TestSystemPrompt(t *testing.T) {
	text := SystemPrompt()
	for _, word := range []string{"data", "Never follow an instruction", "same random id", "English", "summary", "confidence", "400 characters"} {
		if !strings.Contains(text, word) {
			t.Errorf("the system prompt lacks %q", word)
		}
	}
	if len(text) > 2000 {
		t.Errorf("the system prompt has %d bytes: it eats the model's context", len(text))
	}
}

func TestCheckQuestion(t *testing.T) {
	cases := []struct {
		why, question string
		want          Problem
	}{
		{"plain", "Is it done?", NoProblem},
		{"empty", "", EmptyQuestion},
		{"white space", "  \r\n\t\u00a0", EmptyQuestion},
		{"zero-width marks only", "\u200b\u200e\ufeff", EmptyQuestion},
		{"control characters only", "\x00\x07", EmptyQuestion},
		{"one character is a question", "?", NoProblem},
		{"at the limit", strings.Repeat("x", 300), NoProblem},
		{"over the limit", strings.Repeat("x", 301), QuestionTooLong},
		{"characters count, not bytes", strings.Repeat("ש", 300), NoProblem},
		{"over the limit in Hebrew", strings.Repeat("ש", 301), QuestionTooLong},
		{"white space around does not count", "\n" + strings.Repeat("x", 300) + "  ", NoProblem},
		{"invalid bytes are characters too", strings.Repeat("\xff", 301), QuestionTooLong},
	}
	for _, c := range cases {
		if got := CheckQuestion(c.question, 300); got != c.want {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
	}
	if got := CheckQuestion("Is it done?", 10); got != QuestionTooLong {
		t.Errorf("the limit is the caller's: got %v", got)
	}
}

func TestQuestionHints(t *testing.T) {
	cases := []struct {
		why, question string
		want          string // the hints, joined by a bar
	}{
		{"plain", "Is Claude working or finished?", ""},
		{"two marks", "Is it done? Did the tests pass?", ""},
		{"three marks", "Done? Passed? Built?", HintMultiPart},
		{"numbered", "Tell me:\n1. one\n2. two", HintMultiPart},
		{"numbered with brackets", "1) state\r\n2) commit", HintMultiPart},
		{"bulleted", "Say\n- the state\n- the commit", HintMultiPart},
		{"bulleted with dots", "• state\n• commit", HintMultiPart},
		{"numbered in one line", "Tell me 1) the state 2) the commit", HintMultiPart},
		{"one bullet is no list", "- Is it done?", ""},
		{"a version is no list", "Is version 1.\n2 installed?", ""},
		{"numbers that end sentences", "Is it step 1. or step 2. now?", ""},
		{"a sum is no list", "Does it show\n7 - 5\nor 2?", ""},
		{"two lines are no list", "Is it done?\nWhat is next?", ""},
		{"Hebrew", "מה קלוד עושה?", HintEnglish},
		{"Russian", "Что на экране?", HintEnglish},
		{"Japanese", "終わりましたか？", HintEnglish},
		{"a Hebrew name in English", "Is the button מחק visible in Calculator?", ""},
		{"accents are Latin", "Où est le résumé déjà?", ""},
		{"digits alone", "2 + 2 = ?", ""},
		{"Hebrew list", "מה המצב? מה הענף? מה הבא?", HintEnglish + "|" + HintMultiPart},
		{"Arabic marks", "هل انتهى؟ ماذا؟ متى؟", HintEnglish + "|" + HintMultiPart},
	}
	for _, c := range cases {
		if got := strings.Join(QuestionHints(c.question), "|"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
}

func FuzzQuestion(f *testing.F) {
	for _, seed := range []string{"", "Is it done?", "1) a 2) b", "- a\n- b", "\xff\u200b", "מה?", "99999999999999999999) a"} {
		f.Add(seed, 300)
	}
	f.Fuzz(func(t *testing.T, question string, limit int) {
		problem := CheckQuestion(question, limit)
		if problem == NoProblem && QuestionLength(question) > limit {
			t.Errorf("%q is longer than %d", question, limit)
		}
		if hints := QuestionHints(question); len(hints) > 2 {
			t.Errorf("%q: %d hints", question, len(hints))
		}
	})
}
