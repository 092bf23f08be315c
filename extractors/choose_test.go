package extractors

import "testing"

func TestChoose(t *testing.T) {
	for _, one := range []struct{ app, requested, title, want string }{
		{"claude", "Claude", "Claude", ProfileClaude},
		{"Claude.EXE", "", "Claude", ProfileClaude},
		{"com.anthropic.claudefordesktop", "", "x", ProfileClaude},
		{"", "Claude", "", ProfileClaude},
		{"", "קלוד", "", ProfileClaude},
		{"chrome", "Claude", "Invoice - Claude - Google Chrome", ProfileBrowser},
		{"Code", "Claude", "claude.md - proj - Visual Studio Code", ProfileEditor},
		{"ChatGPT", "Claude", "ChatGPT", ProfileCodex},
		{"Notepad", "Claude", "claude.txt - Notepad", ProfileGeneric},
		{"WindowsTerminal", "", "✳ Job", ProfileClaude},
		{"WindowsTerminal", "", "✳\ufe0f Job", ProfileClaude},
		{"WindowsTerminal", "", "\u200e◐ Job", ProfileClaude},
		{"WindowsTerminal", "", "Administrator: ✶ Job", ProfileClaude},
		{"cmd.exe", "", "⠐ Job", ProfileClaude},
		{"gnome-terminal-server", "", "⠋ Running", ProfileGeneric},
		{"gnome-terminal-server", "Claude", "noa@lab: ~", ProfileClaude},
		{"gnome-terminal-server", "קלוד", "noa@lab: ~", ProfileClaude},
		{"gnome-terminal-server", "gnome-terminal", "claude", ProfileGeneric},
		{"iTerm2", "", "◓ Job", ProfileClaude},
		{"Terminal", "claude code", "zsh", ProfileClaude},
		{"konsole", "", "Job ✳", ProfileGeneric},
		{"mspaint", "", "✳ star - Paint", ProfileGeneric},
		{"ChatGPT", "Codex", "ChatGPT", ProfileCodex},
		{"openai.codex", "", "", ProfileCodex},
		{"Codex Desktop", "", "", ProfileCodex},
		{"chrome", "", "Codex docs - Google Chrome", ProfileBrowser},
		{"Code", "", "codex.md - proj - Visual Studio Code", ProfileEditor},
		{"", "", "My Codex window", ProfileCodex},
		{"Code.exe", "", "x", ProfileEditor},
		{"code", "", "x", ProfileEditor},
		{"Code - OSS", "", "x", ProfileEditor},
		{"Cursor", "", "x", ProfileEditor},
		{"Antigravity", "", "x", ProfileEditor},
		{"Antigravity IDE", "", "x", ProfileEditor},
		{"Windsurf", "", "x", ProfileEditor},
		{"VSCodium", "", "x", ProfileEditor},
		{"Electron", "", "● a.go - proj - Visual Studio Code [Administrator]", ProfileEditor},
		{"Electron", "", "a.go - proj - Visual Studio Code - Modified", ProfileEditor},
		{"Electron", "", "a.go - proj - Visual Studio Code - Insiders", ProfileEditor},
		{"Electron", "", "a.go - proj - Code - Insiders", ProfileEditor},
		{"Electron", "", "proj - Antigravity - a.json", ProfileEditor},
		{"Electron", "", "a.go - proj - VSCodium", ProfileEditor},
		{"Electron", "", "Visual Studio Code", ProfileEditor},
		{"Electron", "", "a.rs - api - Cursor", ProfileEditor},
		{"Electron", "", "Cursors and pointers", ProfileGeneric},
		{"explorer", "", "a - Cursor pack", ProfileGeneric},
		{"Chromium", "", "x", ProfileBrowser},
		{"chromium-browser", "", "x", ProfileBrowser},
		{"Brave Browser", "", "x", ProfileBrowser},
		{"brave", "", "x", ProfileBrowser},
		{"Google Chrome", "", "x", ProfileBrowser},
		{"firefox", "", "x", ProfileBrowser},
		{"Mozilla Firefox", "", "x", ProfileBrowser},
		{"msedge.exe", "", "x", ProfileBrowser},
		{"other", "", "News and 3 more pages - Work - Microsoft\u200b Edge", ProfileBrowser},
		{"other", "", "Wetter - Persönlich – Microsoft\u200b Edge", ProfileBrowser},
		{"other", "", "News - [InPrivate] - Microsoft Edge", ProfileBrowser},
		{"other", "", "News — Mozilla Firefox", ProfileBrowser},
		{"other", "", "News — Mozilla Firefox Private Browsing", ProfileBrowser},
		{"other", "", "News — Mozilla Firefox (Private Browsing)", ProfileBrowser},
		{"other", "", "Mozilla Firefox", ProfileBrowser},
		{"other", "", "News - Google Chrome (Incognito)", ProfileBrowser},
		{"other", "", "News - Google Chrome - Andrew", ProfileBrowser},
		{"other", "", "News - Chromium", ProfileBrowser},
		{"other", "", "News - Brave", ProfileBrowser},
		{"other", "", "Brave new world", ProfileGeneric},
		{"other", "", "microsoft edge notes.txt - Notepad", ProfileGeneric},
		{"Notepad", "פנקס רשימות", "*a.txt - Notepad", ProfileGeneric},
		{"", "", "", ProfileGeneric},
	} {
		in := Input{AppName: one.app, RequestedApp: one.requested, WindowTitle: one.title}
		if got := Choose(in).Name; got != one.want {
			t.Errorf("Choose(app %q, requested %q, title %q) = %s, want %s", one.app, one.requested, one.title, got, one.want)
		}
	}
}

func TestAllNamesOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, profile := range All() {
		if profile.Name == "" || seen[profile.Name] || profile.ByApp == nil || profile.ByTitle == nil || profile.Extract == nil {
			t.Errorf("profile %q is incomplete or registered twice", profile.Name)
		}
		seen[profile.Name] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d profiles, want 5", len(seen))
	}
}
