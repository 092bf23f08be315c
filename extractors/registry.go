package extractors

// Profile is one way to read a window.
type Profile struct {
	Name    string                  // one of the Profile constants
	ByApp   func(in Input) bool     // the process (or, where unknown, the requested) name belongs to it
	ByTitle func(title string) bool // the window title does; asked only when no profile matched by app
	Extract func(in Input) Outcome  // reads the window; the caller fills in Outcome.Profile
}

// All returns the profiles in the order in which they are asked (README, "Per-app profiles"). The
// last one takes every window.
func All() []Profile {
	return []Profile{
		{Name: ProfileClaude, ByApp: isClaudeApp, ByTitle: never, Extract: extractClaude},
		{Name: ProfileCodex, ByApp: isCodexApp, ByTitle: isCodexTitle, Extract: extractCodex},
		{Name: ProfileEditor, ByApp: isEditorApp, ByTitle: isEditorTitle, Extract: extractEditor},
		{Name: ProfileBrowser, ByApp: isBrowserApp, ByTitle: isBrowserTitle, Extract: extractBrowser},
		{Name: ProfileGeneric, ByApp: nothing, ByTitle: always, Extract: extractGeneric},
	}
}

func never(string) bool  { return false }
func always(string) bool { return true }
func nothing(Input) bool { return false }

// Choose picks the profile of a window: by application first, and only where no application is
// known by title, each time in the order of All (spec/profiles.md, "Choosing").
func Choose(in Input) Profile {
	all := All()
	for _, profile := range all {
		if profile.ByApp(in) {
			return profile
		}
	}
	title := foldTitle(in.WindowTitle)
	for _, profile := range all {
		if profile.ByTitle(title) {
			return profile
		}
	}
	return all[len(all)-1]
}
