package replay

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	joe := Scrub{Home: "/home/joe.doe", User: "joe.doe", Secrets: []string{"hunter2!"}}
	win := Scrub{Home: `C:\Users\דנה כהן`, User: "דנה כהן"}
	tests := []struct {
		name     string
		scrub    Scrub
		in, want string
	}{
		{"home", joe, "/home/joe.doe/src", "/home/useruse/src"},
		{"another home", joe, "see /home/ann/x and /Users/bob", "see /home/use/x and /Users/use"},
		{"Windows home in JSON", joe, `"C:\\Users\\ann\\x"`, `"C:\\Users\\use\\x"`},
		{"Windows home", joe, `C:\Users\ann\x`, `C:\Users\use\x`},
		{"Windows home with slashes", joe, `d:/users/ann/x`, `d:/users/use/x`},
		{"home with a space, JSON", win, `"C:\\Users\\דנה כהן\\a"`, `"C:\\Users\\שששrששש\\a"`},
		{"home with a space", win, `C:\Users\דנה כהן\a`, `C:\Users\שששrששש\a`},
		{"cut home", joe, `val="/home/ab…"`, `val="/home/us…"`},
		{"odd home", Scrub{Home: "/srv/people/joe"}, "/srv/people/joe/x /srv/people", "/srv/people/use/x /srv/people"},
		{"name", joe, "Joe.Doe's PC, joe.doer", "useruse's PC, joe.doer"},
		{"name of an application", Scrub{User: "claude"}, "Claude — claude", "Claude — claude"},
		{"root", Scrub{Home: "/root", User: "root"}, "/root/x the root element", "/root/x the root element"},
		{"no home", joe, "/usr/share /homepage /home", "/usr/share /homepage /home"},
		{"configured secret", joe, "key=hunter2!", "key=xxxxxxxx"},
		{"bearer", joe, "Authorization: Bearer abc.def-123456", "Authorization: Bearer xxxxxxxxxxxxxx"},
		{"no bearer", joe, "the bearer of news", "the bearer of news"},
		{"OpenAI", joe, "sk-proj-aB3dE5gH7jK9mN1pQ", "sk-xxxxxxxxxxxxxxxxxxxxxx"},
		{"GitHub", joe, "ghp_0123456789abcdefABCDEF0123456789abcd", "ghp_" + strings.Repeat("x", 36)},
		{"assigned", joe, `api_key: "A1b2C3d4E5f6"`, `api_key: "xxxxxxxxxxxx"`},
		{"count of tokens", joe, "tokens: 1234, token = 5", "tokens: 1234, token = 5"},
		{"URL with password", joe, "http://me:pass@host/", "http://xxxxxxx@host/"},
		{"URL", joe, "http://host:80/a@b", "http://host:80/a@b"},
		{"long hexadecimal", joe, strings.Repeat("0a", 24), strings.Repeat("x", 48)},
		{"commit", joe, strings.Repeat("0a", 20), strings.Repeat("0a", 20)},
		{"digest", joe, strings.Repeat("0a", 32), strings.Repeat("0a", 32)},
		{"base64", joe, "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3Aa4", strings.Repeat("x", 42)},
		{"base64 in a path", joe, "/x/Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3Aa4/y", "/x/" + strings.Repeat("x", 42) + "/y"},
		{"picture in base64", joe, strings.Repeat("/9j4AAQSkZJRgABAQ0AaBcDeFgH1234567890iJkLmNoPqRsT", 20), strings.Repeat("/9j4AAQSkZJRgABAQ0AaBcDeFgH1234567890iJkLmNoPqRsT", 20)},
		{"long word", joe, strings.Repeat("abcdefghij", 6), strings.Repeat("abcdefghij", 6)},
		{"line of dashes", joe, strings.Repeat("=", 60), strings.Repeat("=", 60)},
		{"no UTF-8", joe, "\xff /home/ann \xfe", "\xff /home/use \xfe"},
	}
	for _, tt := range tests {
		got := tt.scrub.text(tt.in)
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if again := tt.scrub.text(got); again != got {
			t.Errorf("%s: cleaning again gives %q", tt.name, again)
		}
		if len(got) != len(tt.in) || utf8.RuneCountInString(got) != utf8.RuneCountInString(tt.in) {
			t.Errorf("%s: the length changed", tt.name)
		}
	}
}

func TestMaskFence(t *testing.T) {
	for in, want := range map[string]string{
		"<screen-0123456789abcdef>x</screen-0123456789abcdef>": "<screen-0000000000000000>x</screen-0000000000000000>",
		"screen-0123456789abcdef01":                            "screen-000000000000000000",
		"screen-short screen-0123 Screen-0123456789abcdef":     "screen-short screen-0123 Screen-0123456789abcdef",
	} {
		if got := string(maskFence([]byte(in))); got != want {
			t.Errorf("maskFence(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"/home/joe/x", `C:\\Users\\joe`, "Bearer abcdefgh12", "sk-0123456789abcdefgh", "\xff/home/\xff", "joe joe Joe_"} {
		f.Add([]byte(seed))
	}
	scrub := Scrub{Home: "/home/joe", User: "joe", Secrets: []string{"abcd"}}
	f.Fuzz(func(t *testing.T, in []byte) {
		got := scrub.clean(bytes.Clone(in))
		if len(got) != len(in) {
			t.Fatalf("length %d became %d: %q", len(in), len(got), got)
		}
		if bytes.Contains(got, []byte("/home/joe")) {
			t.Fatalf("the home is left in %q", got)
		}
	})
}
