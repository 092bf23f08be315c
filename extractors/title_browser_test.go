package extractors

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const zwsp = "\u200b"

func docs(names ...string) pageNames { return pageNames{docs: names} }

// TestBrowserTitles holds every form of spec/apps.md section 1.1.
func TestBrowserTitles(t *testing.T) {
	for _, one := range []struct {
		title string
		names pageNames
		want  browserTitle
	}{
		// Chrome: no count, no profile, no mark of privacy in the window's own title.
		{"Tide map - Google Chrome", pageNames{}, browserTitle{Page: "Tide map", Brand: "Google Chrome"}},
		{"Deep - Work - Google Chrome", pageNames{}, browserTitle{Page: "Deep - Work", Brand: "Google Chrome"}},
		{"Ham and 2 more pages - Google Chrome", pageNames{}, browserTitle{Page: "Ham and 2 more pages", Brand: "Google Chrome"}},
		{"Build (Incognito) - Google Chrome", pageNames{}, browserTitle{Page: "Build (Incognito)", Brand: "Google Chrome"}},
		{"New Incognito Tab - Google Chrome (Incognito)", pageNames{}, browserTitle{Page: "New Incognito Tab", Brand: "Google Chrome", Private: "Incognito"}},
		{"לוח - Google Chrome (גלישה בסתר)", pageNames{}, browserTitle{Page: "לוח", Brand: "Google Chrome", Private: "גלישה בסתר"}},
		{"🟢 localhost - Network error - Google Chrome", pageNames{}, browserTitle{Page: "🟢 localhost", Brand: "Google Chrome", NetworkError: true}},
		{"chrome://dino/ - Network error - Google Chrome", pageNames{}, browserTitle{Page: "chrome://dino/", Brand: "Google Chrome", NetworkError: true}},
		{"localhost - Network error - Google Chrome - Andrew", pageNames{}, browserTitle{Page: "localhost", Brand: "Google Chrome", Profile: "Andrew", NetworkError: true}},
		{"How to fix - Network error - Google Chrome", docs("How to fix - Network error"), browserTitle{Page: "How to fix - Network error", Brand: "Google Chrome"}},
		{"Maps - Memory usage - 1.2 GB - Google Chrome", pageNames{}, browserTitle{Page: "Maps", Brand: "Google Chrome", Memory: "Memory usage - 1.2 GB"}},
		{"Maps - High memory usage - 800 MB - Google Chrome", pageNames{}, browserTitle{Page: "Maps", Brand: "Google Chrome", Memory: "High memory usage - 800 MB"}},
		{"Radio – Audio playing - Google Chrome", pageNames{}, browserTitle{Page: "Radio", Brand: "Google Chrome"}},
		{"Mail - Pinned - Google Chrome", docs("Mail"), browserTitle{Page: "Mail", Brand: "Google Chrome"}},
		{"Mail - Pinned - Google Chrome", pageNames{}, browserTitle{Page: "Mail - Pinned", Brand: "Google Chrome"}},
		{"Seed Catalogue", docs("Seed Catalogue"), browserTitle{Page: "Seed Catalogue"}},
		{"My window", pageNames{}, browserTitle{Page: "My window"}},
		{"Get it - Google Chrome - Help - Google Chrome", pageNames{}, browserTitle{Page: "Get it - Google Chrome - Help", Brand: "Google Chrome"}},
		{"Download - Google Chrome - Help - Microsoft Edge", pageNames{}, browserTitle{Page: "Download - Google Chrome - Help", Brand: "Microsoft Edge"}},
		{"(39266) Inbox / X - Google Chrome", pageNames{}, browserTitle{Page: "(39266) Inbox / X", Brand: "Google Chrome"}},
		{"Google Chrome", pageNames{}, browserTitle{Brand: "Google Chrome"}},
		// Chromium and Brave.
		{"127.0.0.1 - Network error - Chromium", docs("127.0.0.1"), browserTitle{Page: "127.0.0.1", Brand: "Chromium", NetworkError: true}},
		{"Run 881 · quota-mill - Brave", pageNames{}, browserTitle{Page: "Run 881 · quota-mill", Brand: "Brave"}},
		{"Board - Brave Browser", pageNames{}, browserTitle{Page: "Board", Brand: "Brave Browser"}},
		// Edge: count, profile, marks in brackets, an invisible character in its name.
		{"Layout grid - Style notes and 1 more page - Profile 1 - Microsoft" + zwsp + " Edge", pageNames{}, browserTitle{Page: "Layout grid - Style notes", Brand: "Microsoft Edge", Count: "and 1 more page", Profile: "Profile 1"}},
		{"Foo - Bar and 16 more pages - Microsoft" + zwsp + " Edge", pageNames{}, browserTitle{Page: "Foo - Bar", Brand: "Microsoft Edge", Count: "and 16 more pages"}},
		{"Foo - Work and 3 more pages - Microsoft Edge", pageNames{}, browserTitle{Page: "Foo - Work", Brand: "Microsoft Edge", Count: "and 3 more pages"}},
		{"Foo - Work - Microsoft Edge", pageNames{}, browserTitle{Page: "Foo", Brand: "Microsoft Edge", Profile: "Work"}},
		{"Foo - Work - Microsoft Edge", docs("Foo - Work"), browserTitle{Page: "Foo - Work", Brand: "Microsoft Edge"}},
		{"Foo - Work - Microsoft Edge", docs("(2) Foo - Work"), browserTitle{Page: "Foo - Work", Brand: "Microsoft Edge"}},
		{"Foo - Work - Work - Microsoft Edge", docs("Foo - Work"), browserTitle{Page: "Foo - Work", Brand: "Microsoft Edge", Profile: "Work"}},
		{"Foo - Work - Microsoft Edge", pageNames{tabs: []string{"Foo - Work"}}, browserTitle{Page: "Foo - Work", Brand: "Microsoft Edge"}},
		{"Foo - work - Microsoft Edge", pageNames{}, browserTitle{Page: "Foo - work", Brand: "Microsoft Edge"}},
		{"Foo - Potting shed - Microsoft Edge", pageNames{}, browserTitle{Page: "Foo - Potting shed", Brand: "Microsoft Edge"}},
		{"Foo - Profile - Microsoft Edge", pageNames{}, browserTitle{Page: "Foo - Profile", Brand: "Microsoft Edge"}},
		{"הגינה - מחסן כלים - [InPrivate] - Microsoft" + zwsp + " Edge", pageNames{}, browserTitle{Page: "הגינה - מחסן כלים", Brand: "Microsoft Edge", Private: "InPrivate"}},
		{"לוח שנה - [Guest] - Microsoft" + zwsp + " Edge", pageNames{}, browserTitle{Page: "לוח שנה", Brand: "Microsoft Edge", Private: "Guest"}},
		{"X and 2 more pages - [InPrivate] - Microsoft Edge", pageNames{}, browserTitle{Page: "X", Brand: "Microsoft Edge", Private: "InPrivate", Count: "and 2 more pages"}},
		{"Prices - Microsoft Edge (InPrivate)", pageNames{}, browserTitle{Page: "Prices", Brand: "Microsoft Edge", Private: "InPrivate"}},
		{"Wetter in Haifa und 4 weitere Seiten - Persönlich – Microsoft" + zwsp + " Edge", pageNames{}, browserTitle{Page: "Wetter in Haifa", Brand: "Microsoft Edge", Count: "und 4 weitere Seiten", Profile: "Persönlich"}},
		{"Wetter und 1 weitere Seite – Microsoft Edge", pageNames{}, browserTitle{Page: "Wetter", Brand: "Microsoft Edge", Count: "und 1 weitere Seite"}},
		{"Notas e mais 4 páginas - Pessoal - Microsoft Edge", pageNames{}, browserTitle{Page: "Notas", Brand: "Microsoft Edge", Count: "e mais 4 páginas", Profile: "Pessoal"}},
		{"מזג אוויר ועוד 3 דפים - Microsoft" + zwsp + " Edge", pageNames{}, browserTitle{Page: "מזג אוויר", Brand: "Microsoft Edge", Count: "ועוד 3 דפים"}},
		{"\u200fמזג אוויר\u200f ועוד דף אחד - Work - Microsoft" + zwsp + " Edge", pageNames{}, browserTitle{Page: "מזג אוויר", Brand: "Microsoft Edge", Count: "ועוד דף אחד", Profile: "Work"}},
		{"آب و هوا و ۳ صفحه دیگر - Microsoft Edge", pageNames{}, browserTitle{Page: "آب و هوا", Brand: "Microsoft Edge", Count: "و ۳ صفحه دیگر"}},
		{"דף הבית ועוד 3 דפים - אישי - Microsoft Edge", docs("דף הבית"), browserTitle{Page: "דף הבית", Brand: "Microsoft Edge", Count: "ועוד 3 דפים", Profile: "אישי"}},
		{"Foo and 2 more pages - Noa - Microsoft Edge", pageNames{}, browserTitle{Page: "Foo and 2 more pages - Noa", Brand: "Microsoft Edge"}},
		{"Foo - Noa - Microsoft Edge", docs("Foo"), browserTitle{Page: "Foo - Noa", Brand: "Microsoft Edge"}},
		{"Sää ja 3 muuta sivua - Microsoft Edge", docs("Sää"), browserTitle{Page: "Sää", Brand: "Microsoft Edge", Count: "ja 3 muuta sivua"}},
		{"Prijzen: Microsoft Edge", pageNames{}, browserTitle{Page: "Prijzen", Brand: "Microsoft Edge"}},
		{"Prices „Microsoft Edge", pageNames{}, browserTitle{Page: "Prices", Brand: "Microsoft Edge"}},
		{"All about Microsoft Edge - Google Chrome", pageNames{}, browserTitle{Page: "All about Microsoft Edge", Brand: "Google Chrome"}},
		// Firefox: EM DASH, words behind the brand, profiles before it.
		{"Server Not Found — Mozilla Firefox", pageNames{}, browserTitle{Page: "Server Not Found", Brand: "Mozilla Firefox"}},
		{"Mozilla Firefox", pageNames{}, browserTitle{Brand: "Mozilla Firefox"}},
		{"לוח משמרות — Mozilla Firefox Private Browsing", pageNames{}, browserTitle{Page: "לוח משמרות", Brand: "Mozilla Firefox", Private: "Private Browsing"}},
		{"Notes — Mozilla Firefox (Private Browsing)", pageNames{}, browserTitle{Page: "Notes", Brand: "Mozilla Firefox", Private: "Private Browsing"}},
		{"Notes - Mozilla Firefox", pageNames{}, browserTitle{Page: "Notes", Brand: "Mozilla Firefox"}},
		{"Warning: Security Risk — Work — Mozilla Firefox", pageNames{}, browserTitle{Page: "Warning: Security Risk", Brand: "Mozilla Firefox", Profile: "Work"}},
		{"War — Peace — Mozilla Firefox", pageNames{}, browserTitle{Page: "War — Peace", Brand: "Mozilla Firefox"}},
		{"Deep - Work — Mozilla Firefox", pageNames{}, browserTitle{Page: "Deep - Work", Brand: "Mozilla Firefox"}},
		{"Deep – Work - Microsoft Edge", pageNames{}, browserTitle{Page: "Deep – Work", Brand: "Microsoft Edge"}},
		{"Notes — Private Browsing", pageNames{}, browserTitle{Page: "Notes", Private: "Private Browsing"}},
		{"Notes — Work", pageNames{}, browserTitle{Page: "Notes", Profile: "Work"}},
		{"Notes — Work", docs("Notes — Work"), browserTitle{Page: "Notes — Work"}},
		{"", pageNames{}, browserTitle{}},
	} {
		if diff := cmp.Diff(one.want, parseBrowserTitle(one.title, one.names)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", one.title, diff)
		}
	}
}

// TestBrowserTitleParts builds titles from parts and wants the parts back.
func TestBrowserTitleParts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for range 4000 {
		page := pick("Foo", "Foo - Bar", "לוח שנה", "(3) Home / X", "C# - notes", "a — b", "Q and A", "Was ist das?")
		want := browserTitle{Page: page}
		var title string
		switch random.IntN(3) {
		case 0:
			want.Brand = pick("Google Chrome", "Chromium", "Brave")
			want.NetworkError = random.IntN(4) == 0
			title = page
			if want.NetworkError {
				title += networkErrorMark
			}
			title += " - " + want.Brand
			if random.IntN(4) == 0 {
				want.Private = pick("Incognito", "Guest")
				title += " (" + want.Private + ")"
			}
		case 1:
			want.Brand = "Microsoft Edge"
			want.Count = pick("", "and 1 more page", "and 12 more pages", "und 1 weitere Seite", "e mais 4 páginas", "ועוד 5 דפים")
			want.Profile = pick("", "Work", "Personal", "Profile 7", "Persönlich", "Pessoal")
			if random.IntN(3) == 0 {
				want.Profile, want.Private = "", pick("InPrivate", "Guest")
			}
			title = strings.TrimSpace(page + " " + want.Count)
			if want.Profile != "" {
				title += " - " + want.Profile
			}
			if want.Private != "" {
				title += " - [" + want.Private + "]"
			}
			title += pick(" - ", " – ") + pick("Microsoft"+zwsp+" Edge", "Microsoft Edge")
		case 2:
			want.Brand, want.Profile = "Mozilla Firefox", pick("", "Work", "Profile 2")
			title = page
			if want.Profile != "" {
				title += " — " + want.Profile
			}
			title += " — Mozilla Firefox"
			if random.IntN(2) == 0 {
				want.Private = "Private Browsing"
				title += pick(" Private Browsing", " (Private Browsing)")
			}
		}
		if diff := cmp.Diff(want, parseBrowserTitle(title, pageNames{})); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", title, diff)
		}
	}
}

// TestTabNames holds the endings of spec/apps.md section 1.3.
func TestTabNames(t *testing.T) {
	for _, one := range []struct {
		name string
		docs []string
		want browserTab
	}{
		{"Tide map", nil, browserTab{clean: "Tide map"}},
		{"Codex | Atlas – Audio playing - Memory usage - 335 MB", nil, browserTab{clean: "Codex | Atlas"}},
		{"Call – Microphone recording - Memory usage - 370 MB", nil, browserTab{clean: "Call"}},
		{"DeepSeek - Into the Unknown - Memory usage - 93.8 MB", nil, browserTab{clean: "DeepSeek - Into the Unknown"}},
		{"视频 - 音频正在播放 - 内存使用率 - 335 MB", nil, browserTab{clean: "视频"}},
		{"127.0.0.1 - Network error", nil, browserTab{clean: "127.0.0.1", failed: true}},
		{"Mail - Pinned - Network error", nil, browserTab{clean: "Mail", failed: true}},
		{"Fix it - Network error", []string{"Fix it - Network error"}, browserTab{clean: "Fix it - Network error"}},
		{"Shop - Part of group Buy - Pinned - Crashed", nil, browserTab{clean: "Shop"}},
		{"Shop - Permission requested, press F6 to respond", nil, browserTab{clean: "Shop"}},
		{"Old news - Inactive tab - 120 MB saved", nil, browserTab{clean: "Old news"}},
		{"Sää - Muistin käyttö - 120 Mt", []string{"Sää"}, browserTab{clean: "Sää - Muistin käyttö - 120 Mt"}},
		{"Wetter - Speicherbedarf - 120 MB", []string{"Wetter"}, browserTab{clean: "Wetter"}},
		{"Wetter - Speicherbedarf - 120 MB", nil, browserTab{clean: "Wetter - Speicherbedarf - 120 MB"}},
		{"Big file - 335 MB", []string{"Big file - 335 MB"}, browserTab{clean: "Big file - 335 MB"}},
		{"Foo - Pinned posts", nil, browserTab{clean: "Foo - Pinned posts"}},
	} {
		if got := parseTab(one.name, one.docs); got != one.want {
			t.Errorf("%q: %+v, want %+v", one.name, got, one.want)
		}
	}
}

func FuzzTitles(f *testing.F) {
	for _, seed := range []string{"a - b - Visual Studio Code", "Foo and 2 more pages - Work - Microsoft\u200b Edge",
		"x — Mozilla Firefox Private Browsing", "p - Antigravity - ● f.ts", "[Extension Development Host] ● a [x] - Cursor - Modified [Administrator]",
		"ﬁ - [InPrivate] - Microsoft Edge", " - ", "Brave", "● ", "a (Workspace) [SSH: x] - Code - OSS", "- Google Chrome - - Google Chrome"} {
		f.Add(seed, "a")
	}
	f.Fuzz(func(t *testing.T, title, name string) {
		page := parseBrowserTitle(title, pageNames{docs: []string{name}, tabs: []string{name}})
		if !strings.Contains(plainTitle(title), page.Page) && page.Page != name {
			t.Errorf("%q: page %q stands nowhere in it", title, page.Page)
		}
		editor := parseEditorTitle(title, editorNames{roots: []string{name}, tabs: []string{name}})
		if !strings.Contains(plainTitle(title), editor.File) || !strings.Contains(plainTitle(title), editor.Editor) {
			t.Errorf("%q: %+v stands nowhere in it", title, editor)
		}
		if editor.File != "" && editor.Editor != "" {
			t.Errorf("%q: %+v has both a file and another editor", title, editor)
		}
		parseTab(title, []string{name})
	})
}
