package appwindow

import (
	"slices"
	"strings"
)

// alias is an application that goes by several names. All texts are tier-2 forms.
type alias struct {
	canonical string   // what -a gets when there is no window list
	names     []string // what people call it
	processes []string // the process names it runs under
	titles    []string // titles that are the application itself, where a host process owns the window
	suffixes  []string // ends of its titles, for windows whose process can't be seen (elevated ones)
}

// aliases returns the table. Names that stand in it are applications: when one is named and none of
// its windows is open, no other window is read in its place (spec/contract.md section 5, rule 5).
func aliases() []alias {
	return []alias{
		{"Claude", []string{"claude", "claude code", "claude desktop", "קלוד", "קלוד קוד"}, []string{"claude", "claude desktop"}, []string{"claude"}, nil},
		{"ChatGPT", []string{"chatgpt", "codex", "codex desktop", "קודקס"}, []string{"chatgpt", "codex", "codex desktop", "openai.codex"}, []string{"chatgpt", "codex"}, nil},
		{"Chrome", []string{"chrome", "google chrome", "כרום", "גוגל כרום"}, []string{"chrome", "google chrome", "google-chrome"}, nil, []string{" - google chrome"}},
		{"Edge", []string{"edge", "microsoft edge", "אדג'", "אדג", "מיקרוסופט אדג'"}, []string{"msedge", "edge", "microsoft edge", "microsoft-edge"}, nil, []string{"microsoft edge"}},
		{"Firefox", []string{"firefox", "mozilla firefox", "פיירפוקס"}, []string{"firefox", "firefox-esr", "mozilla firefox"}, nil, []string{" — mozilla firefox"}},
		{"Calculator", []string{"calculator", "calc", "מחשבון"}, []string{"calculator", "calculatorapp", "calc", "win32calc", "gnome-calculator"}, []string{"calculator", "מחשבון"}, nil},
		{"Notepad", []string{"notepad", "פנקס רשימות", "פנקס הרשימות"}, []string{"notepad"}, []string{"notepad", "פנקס רשימות"}, []string{" - notepad", " - פנקס רשימות"}},
		{"Visual Studio Code", []string{"visual studio code", "vs code", "vscode"}, []string{"code", "visual studio code", "code - oss", "code-oss"}, nil,
			[]string{" - visual studio code", " - visual studio code [administrator]"}},
		{"Visual Studio Code - Insiders", []string{"visual studio code - insiders", "visual studio code insiders", "vs code insiders", "vscode insiders", "code insiders"},
			[]string{"code - insiders", "code-insiders", "visual studio code - insiders"}, nil, []string{" - visual studio code - insiders"}},
		{"Cursor", []string{"cursor"}, []string{"cursor"}, nil, []string{" - cursor"}},
		{"Windsurf", []string{"windsurf"}, []string{"windsurf"}, nil, []string{" - windsurf"}},
		{"VSCodium", []string{"vscodium", "vs codium", "codium"}, []string{"vscodium", "codium"}, nil, []string{" - vscodium"}},
		{"Antigravity", []string{"antigravity", "antigravity ide"}, []string{"antigravity", "antigravity ide"}, nil, nil},
	}
}

// aliasOf returns the entry that has a name, nil for none.
func aliasOf(form string) *alias {
	for _, one := range aliases() {
		if slices.Contains(one.names, form) {
			return &one
		}
	}
	return nil
}

// owns says whether a window belongs to the application, by the forms of its title and process.
func (a *alias) owns(title, process string) bool {
	if slices.Contains(a.processes, process) || slices.Contains(a.titles, title) {
		return true
	}
	return process == "" && slices.ContainsFunc(a.suffixes, func(end string) bool { return strings.HasSuffix(title, end) })
}

// needsCapital says whether a name is also an ordinary English word, which names the application only
// when it begins with a capital.
func needsCapital(form string) bool {
	switch form {
	case "code", "edge", "cursor", "word", "mail", "notes", "music", "photos", "files", "messages", "preview", "search", "settings":
		return true
	}
	return false
}
