package audit

import (
	"strings"
	"testing"
)

func TestScrub(t *testing.T) {
	const secret = "Zebra-swordfish ü"
	cases := []struct {
		name, value, typed string
		redacted           bool
	}{
		{"the whole text", "see Zebra-swordfish ü here", secret, true},
		{"other case", "ZEBRA-SWORDFISH Ü", secret, true},
		{"a fragment of six", "swordf", secret, true},
		{"a fragment of six with a space", "a fish ü", secret, true},
		{"a fragment of five", "sword", secret, false},
		{"the same first word", "Zebra crossing", secret, false},
		{"another word", "Amount", secret, false},
		{"spaces inside", "Zebra - sword fish", secret, true},
		{"other spaces", "pass\u00a0\u2003word", "pass word", true},
		{"decomposed", "swordfish u\u0308", "dfish ü", true},
		{"full width", "ｓｗｏｒｄｆ", secret, true},
		{"invisible characters", "s\u200bw\u200do\u2060r\u00addf", secret, true},
		{"invisible characters in the text", "swordfish", "sw\u200bordf\u2060ish", true},
		{"hebrew", "הסיסמה שלי", "הסיסמה", true},
		{"hebrew with points", "הַסִּיסְמָה", "הסיסמה שלי", true},
		{"hebrew, other word", "שדה סכום", "הסיסמה", false},
		{"one character", "Amount", "a", true},
		{"one character, absent", "Sum", "a", false},
		{"marks at the end", "Amount", "a...", false},
		{"marks at the end, there", "A… b", "a...", true},
		{"two digits", "field 12", "12", true},
		{"two digits apart", "field 1-2", "12", false},
		{"a space", "Display is", " ", true},
		{"a space, absent", "Display", " ", false},
		{"six, whole", "x123456", "123456", true},
		{"six, five of them", "x12345", "123456", false},
		{"no text", "Amount", "", false},
		{"no value", "", "Amount", false},
		{"a long text", "tail0999", strings.Repeat("x", 5000) + "tail0999", true},
		{"not UTF-8", "a\xff\xfe" + "swordf", secret, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Scrub(c.value, c.typed)
			if want := map[bool]string{true: Redacted, false: c.value}[c.redacted]; got != want {
				t.Errorf("Scrub(%q, %q) = %q, want %q", c.value, c.typed, got, want)
			}
		})
	}
}

func TestScrubbedFields(t *testing.T) {
	const typed = "hunter2hunter2"
	all := Record{Client: typed, SessionID: typed, App: typed, Target: typed, Name: typed, Hint: typed,
		Action: "type", Role: "textfield", Ref: "@e1", Result: "ok", Typed: typed}
	want := Record{Client: Redacted, SessionID: Redacted, App: Redacted, Target: Redacted, Name: Redacted, Hint: Redacted,
		Action: "type", Role: "textfield", Ref: "@e1", Result: "ok"}
	if got := scrubbed(all); got != want {
		t.Errorf("got %+v", got)
	}
	all.Typed = "something else entirely"
	want = all
	want.Typed = ""
	if got := scrubbed(all); got != want {
		t.Errorf("got %+v", got)
	}
}

// A value that survives holds neither the text nor six of its characters, in any case.
func FuzzScrub(f *testing.F) {
	f.Add("see Zebra-swordfish", "Zebra-swordfish ü")
	f.Add("swordf", "zebra-SWORDFISH")
	f.Add("", "x")
	f.Add("İstanbul", "i\u0307stanbul")
	f.Add("הסיסמה", "הַסִּיסְמָה")
	f.Fuzz(func(t *testing.T, value, typed string) {
		got := Scrub(value, typed)
		if got != value && got != Redacted {
			t.Fatalf("neither kept nor redacted: %q", got)
		}
		if got == Redacted || typed == "" || value == "" {
			return
		}
		low, needle := strings.ToLower(got), []rune(strings.ToLower(typed))
		if strings.Contains(low, string(needle)) {
			t.Errorf("%q survived with all of %q", got, typed)
		}
		for i := range max(len(needle)-fragment+1, 0) {
			if part := string(needle[i : i+fragment]); strings.Contains(low, part) {
				t.Errorf("%q survived with %q", got, part)
			}
		}
	})
}

func BenchmarkScrub(b *testing.B) {
	value, typed := strings.Repeat("name ", 100), strings.Repeat("typed text ", 180)
	for b.Loop() {
		Scrub(value, typed)
	}
}
