package ollama

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestParseAnswer(t *testing.T) {
	long := strings.Repeat("word ", 200)
	for _, c := range []struct {
		name, text, done, summary string
		confidence                float64
	}{
		{"plain object", `{"summary":"fine","confidence":0.7}`, "stop", "fine", 0.7},
		{"fence", "```json\n{\"summary\": \"fine\", \"confidence\": 0.7}\n```", "stop", "fine", 0.7},
		{"words around a fence", "Here it is:\n```\n{\"summary\":\"fine\",\"confidence\":1}\n```\nBye", "stop", "fine", 1},
		{"thinking", "<think>{\"summary\": \"no\"}</think>\n{\"summary\": \"fine\", \"confidence\": 0.7}", "stop", "fine", 0.7},
		{"thinking in capitals", "<THINKING>no</Thinking> {\"summary\":\"fine\",\"confidence\":0.7}", "stop", "fine", 0.7},
		{"only the end of thinking", "no {\"summary\":\"no\"}\n</think>{\"summary\":\"fine\"}", "stop", "fine", 0.5},
		{"nested thinking", "<think>a<think>b</think>c</think>It is done.", "stop", "It is done.", 0.5},
		{"thinking in the summary", `{"summary":"<think>hm</think>fine","confidence":1}`, "stop", "fine", 1},
		{"a quoted tag is text", `{"summary":"It shows <think> in the log","confidence":1}`, "stop", "It shows <think> in the log", 1},
		{"harmony", "<|channel|>analysis<|message|>no<|end|><|start|>assistant<|channel|>final<|message|>{\"summary\":\"fine\",\"confidence\":0.9}<|return|>", "stop", "fine", 0.9},
		{"plain words", "It shows twelve.", "stop", "It shows twelve.", 0.5},
		{"fenced words", "```text\nIt shows twelve.\n```", "stop", "It shows twelve.", 0.5},
		{"words in a fence on one line", "```It shows twelve.```", "stop", "It shows twelve.", 0.5},
		{"object in a fence on one line", "```json {\"summary\": \"fine\", \"confidence\": 1}```", "stop", "fine", 1},
		{"quoted words", `"It shows \"12\"."`, "stop", `It shows "12".`, 0.5},
		{"a number", "12", "stop", "12", 0.5},
		{"braces in words", "The code shows { and }.", "stop", "The code shows { and }.", 0.5},
		{"cut", `{"summary": "The display shows twel`, "length", "The display shows twel", 0.5},
		{"cut in an escape", `{"summary": "a \u05d`, "length", "a", 0.5},
		{"cut between the halves of a pair", `{"summary": "a \ud83d`, "length", "a", 0.5},
		{"cut at a backslash", `{"summary": "a\`, "length", "a", 0.5},
		{"cut behind the summary", `{"summary": "a \"b\"", "confidence": 0.9`, "length", `a "b"`, 0.5},
		{"whole, but cut behind", `{"summary": "a", "confidence": 0.9} {"su`, "length", "a", 0.5},
		{"trailing comma", `{"summary": "a", "confidence": 0.9,}`, "stop", "a", 0.5},
		{"raw line break", "{\"summary\": \"a\nb\", \"confidence\": 0.9}", "stop", "a b", 0.5},
		{"other case", `{"Summary": "a", "CONFIDENCE": 0.9}`, "stop", "a", 0.9},
		{"inside another object", `{"answer": {"summary": "a", "confidence": 0.9}}`, "stop", "a", 0.9},
		{"in a list", `[{"summary": "a", "confidence": 0.9}]`, "stop", "a", 0.9},
		{"the last one counts", `{"summary":"draft","confidence":0.1} {"summary":"a","confidence":0.9}`, "stop", "a", 0.9},
		{"list of sentences", `{"summary": ["One.", "Two."], "confidence": 0.9}`, "stop", "One. Two.", 0.9},
		{"several lines", `{"summary": " a\r\n\tb\u2028c\u0000 d ", "confidence": 0.9}`, "stop", "a b c d", 0.9},
		{"Hebrew", `{"summary": "הבדיקות עברו", "confidence": 0.9}`, "stop", "הבדיקות עברו", 0.9},
		{"percentage", `{"summary":"a","confidence":95}`, "stop", "a", 0.95},
		{"hundred", `{"summary":"a","confidence":100}`, "stop", "a", 1},
		{"seven", `{"summary":"a","confidence":7}`, "stop", "a", 0.07},
		{"next to nothing", `{"summary":"a","confidence":3e-16}`, "stop", "a", 3e-16},
		{"over a hundred", `{"summary":"a","confidence":101}`, "stop", "a", 0.5},
		{"too large for a float", `{"summary":"a","confidence":1e999}`, "stop", "a", 0.5},
		{"negative", `{"summary":"a","confidence":-3}`, "stop", "a", 0},
		{"word", `{"summary":"a","confidence":"high"}`, "stop", "a", 0.5},
		{"number in quotes", `{"summary":"a","confidence":"0.8"}`, "stop", "a", 0.8},
		{"percent in quotes", `{"summary":"a","confidence":"80 %"}`, "stop", "a", 0.8},
		{"NaN in quotes", `{"summary":"a","confidence":"NaN"}`, "stop", "a", 0.5},
		{"null", `{"summary":"a","confidence":null}`, "stop", "a", 0.5},
		{"true", `{"summary":"a","confidence":true}`, "stop", "a", 0.5},
		{"missing", `{"summary":"a"}`, "stop", "a", 0.5},
		{"long", `{"summary":"` + long + `","confidence":1}`, "stop", strings.TrimSpace(long[:399]) + "…", 1},
		{"long without spaces", strings.Repeat("ש", 5000), "stop", strings.Repeat("ש", 399) + "…", 0.5},
		{"bad UTF-8", "ab\xffc", "stop", "abc", 0.5},
	} {
		summary, confidence, ok := ParseAnswer(c.text, c.done)
		if summary != c.summary || confidence != c.confidence || !ok {
			t.Errorf("%s: %q, %v, %v; want %q, %v", c.name, summary, confidence, ok, c.summary, c.confidence)
		}
	}
}

func TestParseAnswerEmpty(t *testing.T) {
	for _, text := range []string{
		"", " \n", "{}", "[]", "null", "{", `{"summary`, "{\n  \"summary\": \"", `{"summary":""}`, `{"summary":" \n"}`,
		`{"summary":null,"confidence":1}`, `{"summary":{"a":1}}`, `{"confidence":0.9}`, "```json\n```", "```\n{}\n```", "```json {\"summary", "```",
		"<think>it never ends {\"summary\": \"no\"}", "<think>only that</think>", "\x00\x01", `""`, "<|channel|>analysis<|message|>cut here",
	} {
		if summary, confidence, ok := ParseAnswer(text, "stop"); ok || summary != "" {
			t.Errorf("ParseAnswer(%q) = %q, %v, %v", text, summary, confidence, ok)
		}
	}
}

func TestParseChoice(t *testing.T) {
	for text, want := range map[string]int{
		`{"choice": 2}`: 2, `{"choice":0}`: 0, "```json\n{\"choice\": 3}\n```": 3, `{"choice": "4"}`: 4, `{"Choice": 1.0}`: 1,
		`<think>{"choice": 1}</think>{"choice": 2}`: 2, `{"choice": 2, "why": "it is first"}`: 2,
	} {
		if got, ok := ParseChoice(text); got != want || !ok {
			t.Errorf("ParseChoice(%q) = %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "2", "I choose 2", `{"choice": 2`, `{"choice": -1}`, `{"choice": 1.5}`, `{"choice": null}`, `{"choice": true}`, `{"choice": ""}`,
		`{"choice": [2]}`, `{"choice": "two"}`, `{"choice": 1} {"choice": 2}`, `{"number": 2}`, `{"choice": 1e99}`, `{"choice": "NaN"}`,
	} {
		if got, ok := ParseChoice(text); ok {
			t.Errorf("ParseChoice(%q) = %d", text, got)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"summary":"fine","confidence":0.7}`, "```json\n{}\n```", "<think>x</think>y", `{"summary": "a \ud83d`, `{"summary": "a\`,
		"{\"a\":{\"summary\":[\"x\"]}}", "<|channel|>final<|message|>x", strings.Repeat(`{"a":`, 50), "\xff\xfe",
	} {
		f.Add(seed, "stop")
		f.Add(seed, "length")
	}
	f.Fuzz(func(t *testing.T, text, done string) {
		summary, confidence, ok := ParseAnswer(text, done)
		if ok != (summary != "") || !(confidence >= 0 && confidence <= 1) {
			t.Errorf("%q, %v, %v", summary, confidence, ok)
		}
		if !utf8.ValidString(summary) || utf8.RuneCountInString(summary) > maxSummary || strings.ContainsFunc(summary, unicode.IsControl) {
			t.Errorf("summary %q", summary)
		}
		if choice, ok := ParseChoice(text); ok && choice < 0 || !ok && choice != 0 {
			t.Errorf("choice %d, %v", choice, ok)
		}
	})
}
