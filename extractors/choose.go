package extractors

import (
	"strings"
	"unicode/utf8"
)

// glyphs that Claude Code puts before the task name in a terminal's title: idle ones while it waits
// for the user, working ones while a turn runs (spec/apps.md section 3.1).
const (
	idleGlyphs    = "✳✻✽✶"
	workingGlyphs = "◐◑◒◓⠂⠐"
)

// appNames of the profiles, lower case and without ".exe". Linux names are those of AT-SPI.
var (
	codexApps = set("chatgpt", "codex", "codex desktop", "openai.codex", "com.openai.codex")

	editorApps = set("code", "code - oss", "code-oss", "code - insiders", "code-insiders",
		"visual studio code", "cursor", "antigravity ide", "antigravity", "windsurf", "vscodium", "codium")

	browserApps = set("chrome", "google chrome", "google-chrome", "google-chrome-stable", "chromium",
		"chromium-browser", "msedge", "edge", "microsoft edge", "microsoft-edge", "brave",
		"brave browser", "brave-browser", "firefox", "mozilla firefox", "firefox-esr")

	terminalApps = set("windowsterminal", "windows terminal", "wt", "cmd", "powershell", "pwsh", "conhost",
		"openconsole", "wsl", "bash", "mintty", "gnome-terminal", "gnome-terminal-server", "konsole",
		"kitty", "alacritty", "wezterm", "wezterm-gui", "terminal", "iterm2", "iterm", "ghostty",
		"xterm", "uxterm", "tilix", "terminator", "xfce4-terminal", "mate-terminal", "lxterminal",
		"qterminal", "deepin-terminal", "foot", "kgx", "gnome-console", "ptyxis", "guake", "yakuake",
		"terminology", "urxvt", "st", "warp", "tabby", "hyper", "rio",
		"org.kde.konsole", "x-terminal-emulator", "cool-retro-term", "io.elementary.terminal", "conemu64",
		"node", "zsh", "fish", // a console belongs to the program that runs in it
		"org.gnome.terminal", "org.gnome.console", "org.gnome.ptyxis", "com.mitchellh.ghostty")
)

func set(names ...string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}

// appOf is the name that decides: the process of the window, else what was asked for.
func appOf(in Input) string {
	name := foldApp(in.AppName)
	if name == "" {
		name = foldApp(in.RequestedApp)
	}
	return name
}

// foldApp brings a process name to lower case without format characters and without ".exe".
func foldApp(name string) string {
	name = strings.ToLower(strings.TrimSpace(stripFormat(name)))
	return strings.TrimSpace(strings.TrimSuffix(name, ".exe"))
}

// foldTitle brings a window title to the form in which titles are compared: Edge puts U+200B into
// its own name, right-to-left pages bring direction marks.
func foldTitle(title string) string {
	return strings.ToLower(strings.TrimSpace(stripFormat(title)))
}

func saysClaude(name string) bool {
	return strings.Contains(name, "claude") || strings.Contains(name, "קלוד")
}

func isClaudeApp(in Input) bool {
	app := appOf(in)
	if terminalApps[app] {
		glyph, _, _ := titleGlyph(in.WindowTitle)
		return glyph != 0 || saysClaude(foldApp(in.RequestedApp))
	}
	return saysClaude(app)
}

// titleGlyph splits the title of a terminal into Claude Code's glyph and the task after it; live
// says that the glyph is one of a running turn. Without a glyph it returns 0 and the whole title.
func titleGlyph(title string) (glyph rune, task string, live bool) {
	title = strings.TrimSpace(stripFormat(title))
	title = strings.TrimPrefix(title, "Administrator: ") // an elevated console
	glyph, size := utf8.DecodeRuneInString(title)
	live = strings.ContainsRune(workingGlyphs, glyph)
	if size == 0 || glyph == utf8.RuneError || !live && !strings.ContainsRune(idleGlyphs, glyph) {
		return 0, title, false
	}
	task = strings.TrimLeft(title[size:], "\ufe0e\ufe0f") // text and emoji presentation
	return glyph, strings.TrimSpace(task), live
}

func isCodexApp(in Input) bool   { return codexApps[appOf(in)] }
func isEditorApp(in Input) bool  { return editorApps[appOf(in)] }
func isBrowserApp(in Input) bool { return browserApps[appOf(in)] }

func isCodexTitle(title string) bool { return strings.Contains(title, "codex") }

// isEditorTitle knows the name of an editor as a part of its own in a folded title: at the end,
// before a mark such as [Administrator], before a screen reader's state, and in the middle for
// Antigravity. A window with nothing open is titled with the bare name.
func isEditorTitle(title string) bool {
	for _, name := range []string{"visual studio code", "code - insiders", "code - oss", "cursor",
		"antigravity ide", "antigravity", "windsurf", "vscodium"} {
		if titlePart(title, name) {
			return true
		}
	}
	return title == "visual studio code" || strings.HasPrefix(title, "visual studio code [")
}

// isBrowserTitle knows a browser's name at the end of a folded title, before its marks for private
// windows and profiles. Edge's name counts with any separator before it, since that is localised.
func isBrowserTitle(title string) bool {
	for _, name := range []string{"google chrome", "microsoft edge", "mozilla firefox", "brave",
		"brave browser", "chromium"} {
		if titlePart(title, name) || title == name && name != "brave" {
			return true
		}
	}
	for _, mark := range []string{"(inprivate)", "[inprivate]", "(guest)", "[guest]"} {
		title = strings.TrimSpace(strings.TrimSuffix(title, mark))
	}
	return strings.HasSuffix(title, "microsoft edge")
}

// titlePart says whether a name stands in a folded title after a separator and is followed by the
// end, by another separator, or by a mark in brackets.
func titlePart(title, name string) bool {
	for _, dash := range []string{" - ", " — ", " – "} {
		for rest := title; ; {
			_, after, found := strings.Cut(rest, dash+name)
			if !found {
				break
			}
			if after == "" || hasAnyPrefix(after, " - ", " — ", " – ", " [", " (", " private browsing") {
				return true
			}
			rest = after
		}
	}
	return false
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}
