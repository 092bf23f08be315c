package agentcu

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/ui"
)

func TestSecretFields(t *testing.T) {
	for line, want := range map[string]bool{
		`[@e1] securetextfield "Anything"`:          true,
		`[@e1] secureTextField`:                     true,
		`[@e1] textfield "Password"`:                true,
		`[@e1] textfield "Your PIN:"`:               true,
		`[@e1] textfield "Enter PASSCODE here"`:     true,
		`[@e1] textfield "pass-phrase, passphrase"`: true,
		`[@e1] textfield "user_password"`:           true,
		`[@e1] textfield "סיסמה"`:                   true,
		`[@e1] textfield "הזינו את הסיסמה"`:         true,
		`[@e1] textfield "סִיסְמָא"`:                true,
		"[@e1] textfield \"pass\u200bword\"":        true,
		`[@e1] textfield id=loginPassword`:          true,
		`[@e1] textfield "A" id=user-password2`:     true,
		`[@e1] textfield "A" id=txtPINCode`:         true,
		`[@e1] textfield "A" id=PASSWORD_1`:         true,
		`[@e1] textfield "A" id=pin`:                true,

		`[@e1] textfield "Passwords"`:        false,
		`[@e1] textfield "Pinboard"`:         false,
		`[@e1] textfield "Spin"`:             false,
		`[@e1] textfield "pass word"`:        false,
		`[@e1] textfield "סיסמאות"`:          false,
		`[@e1] textfield "A" id=pinboard`:    false,
		`[@e1] textfield "A" id=shippingIn`:  false,
		`[@e1] textfield "A" id=typing`:      false,
		`[@e1] textarea "Password"`:          false,
		`[@e1] button "Show password"`:       false,
		`[@e1] textfield "Search"`:           false,
		`[@e1] textfield val="my password"`:  false,
		`[@e1] textfield "A" val="password"`: false,
	} {
		s := ParseSnapshot([]byte("window\n  " + line))
		if len(s.Elements) != 2 || s.Elements[1].Secret != want {
			t.Errorf("%s: %q", line, briefs(s))
		}
	}
}

func TestSecretValuesGoNowhere(t *testing.T) {
	long := strings.Repeat("k", 40)
	for name, test := range map[string]struct{ line, value string }{
		"plain":           {`[@e1] securetextfield "Key" val="hunter2"`, "hunter2"},
		"without a name":  {`[@e1] securetextfield val="hunter2" id=x`, "hunter2"},
		"by name":         {`[@e1] textfield "Password" val="hunter2" id=p w`, "hunter2"},
		"by id":           {`[@e1] textfield "Key" val="hunter2" id=userPassword`, "hunter2"},
		"with a quote":    {`[@e1] textfield "Password" val="hun"ter2"`, `hun"ter2`},
		"with a mark":     {`[@e1] textfield "Password" val="hun" val="ter2"`, `hun" val="ter2`},
		"like an id":      {`[@e1] textfield "Password" val="hun" id=ter2"`, `hun" id=ter2`},
		"quoted in pairs": {`[@e1] textfield "Password" val=""hun" val="ter2""`, `"hun" val="ter2"`},
		"cut":             {`[@e1] textfield "Password" val="` + long + `…"`, long + "andmore"},
	} {
		t.Run(name, func(t *testing.T) {
			s := ParseSnapshot([]byte("window\n  " + test.line + "\n  statictext \"after\""))
			e := s.Elements[1]
			shown := e.Name + e.Value + e.ID
			if !e.Secret || strings.Contains(shown, "hun") || strings.Contains(shown, "ter2") || strings.Contains(shown, long) {
				t.Errorf("shown: %+v", e)
			}
			kept := s.DropSecrets([]string{"a", " " + test.value + " ", "after"})
			if diff := cmp.Diff([]string{"a", "after"}, kept); diff != "" {
				t.Errorf("text, want -, got +\n%s", diff)
			}
		})
	}
}

func TestSecretsBelowAField(t *testing.T) {
	s := ParseSnapshot([]byte("window\n  [@e1] securetextfield \"Key\"\n    statictext \"Key\"\n    group\n      statictext \"hunter2\" val=\"hunter3\"\n" +
		"    [@e2] button \"Show password\" val=\"unchecked\"\n    [@e3] textfield val=\"hunter4\"\n  statictext \"hunter5\""))
	want := []string{"0 window|||", "1 @e1 securetextfield|Key|| secret", "2 statictext|Key|| secret", "2 group||| secret",
		"3 statictext||| secret", "2 @e2 button|Show password|unchecked|", "2 @e3 textfield||| secret", "1 statictext|hunter5||"}
	if diff := cmp.Diff(want, briefs(s)); diff != "" {
		t.Error(diff)
	}
	if kept := s.DropSecrets([]string{"hunter2", "hunter3", "hunter4", "Key", "hunter5"}); !cmp.Equal(kept, []string{"Key", "hunter5"}) {
		t.Errorf("kept %q", kept)
	}
}

func TestExactNameOfASecretField(t *testing.T) {
	text := `window
  [@e1] textfield "Type "x" val="PIN"" val="12" val="34"`
	refs := `{"refs": {"e1": {"role": "textfield", "name": "Type \"x\" val=\"PIN\""}}}`
	s := ParseSnapshotRefs([]byte(text), []byte(refs))
	if got := brief(s.Elements[1]); got != `1 @e1 textfield|Type "x" val="PIN"|| secret` {
		t.Error(got)
	}
	if kept := s.DropSecrets([]string{`12" val="34`}); len(kept) != 0 {
		t.Errorf("kept %q", kept)
	}
}

func TestWindowSubtree(t *testing.T) {
	s := ParseSnapshot([]byte("application \"App\"\n  window \"One\"\n    [@e1] button \"A\"\n  dialog \"Save \n  it?\"\n    [@e2] button \"B\"\n  window\n    group \"One\""))
	for title, want := range map[string]string{"One": "0 window|One||,1 @e1 button|A||", "Save it?": "0 dialog|Save \n  it?||,1 @e2 button|B||",
		"B": "", "App": "", "one": ""} {
		part, ok := WindowSubtree(s, title)
		got := ""
		if ok {
			got = strings.Join(briefs(part), ",")
			checkShape(t, part)
		}
		if got != want {
			t.Errorf("%s: %q", title, got)
		}
	}
	for title, want := range map[string]bool{"Notes - W": true, "Notes -  W": true, "notes - w": false, "Notes": false, "W": false,
		"Notes - W - Copy": true, "Spinner 2": true} {
		s := ParseSnapshot([]byte("window \"Notes - W\"\n  group"))
		if part, ok := WindowSubtree(s, title); ok != want || ok && len(part.Elements) != 2 {
			t.Errorf("%q: %v", title, ok)
		}
	}
	for _, empty := range []*ui.Snapshot{nil, {}} {
		if _, ok := WindowSubtree(empty, ""); ok {
			t.Error("something in nothing")
		}
	}
}
