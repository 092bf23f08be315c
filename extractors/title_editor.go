package extractors

import (
	"slices"
	"strings"
	"unicode"
)

// editorTitle is the title of a window of the VS Code family taken apart (spec/apps.md section 2.1).
type editorTitle struct {
	File    string // name of the open file; empty where the first part is none
	Editor  string // what the editor area shows where that is no file: a terminal, settings, a chat
	Project string // folder or workspace, without the remote and workspace marks
	Remote  string // "WSL: Ubuntu", "SSH: host"
	Profile string // named profile, where one can be told from the project
	App     string // name of the editor; empty on macOS
	State   string // editor state that a screen reader mode appends
	Dirty   bool
}

// editorNames are names from the window's tree that settle what a part of the title is.
type editorNames struct {
	roots    []string // folders that Explorer or the search box name
	tabs     []string // editor tabs without their suffixes
	profiles []string // profiles that the tree names
}

// editorApp is the name of an editor and whether it may stand before the file.
type editorApp struct {
	name   string
	middle bool
}

// editorAppNames in the order in which they are tried: longer names before those that they begin with.
func editorAppNames() []editorApp {
	return []editorApp{
		{"Visual Studio Code - Insiders", false}, {"Visual Studio Code - Exploration", false},
		{"Visual Studio Code", false}, {"Code - Insiders", false}, {"Code - OSS Dev", false},
		{"Code - OSS", false}, {"VSCodium - Insiders", false}, {"VSCodium", false}, {"Cursor", false},
		{"Antigravity IDE", true}, {"Antigravity", true}, {"Windsurf - Next", true}, {"Windsurf", true},
	}
}

const (
	dirtyMark   = "● "
	extHostMark = "[Extension Development Host] "
)

// parseEditorTitle takes the title of an editor window apart. The app name and what follows it are
// cut from the right, since files and projects may hold " - " themselves.
func parseEditorTitle(title string, names editorNames) editorTitle {
	title = cutHostMark(plainTitle(title))
	var t editorTitle
	for _, app := range editorAppNames() {
		before, after, found := splitApp(title, app.name)
		if !found {
			continue
		}
		t.App = app.name
		if !t.readAfter(after, app.middle, before, names) {
			t.readBefore(before, names)
		}
		return t
	}
	t.readBefore(title, names)
	return t
}

// splitApp splits a title at the last place where the app name stands as a part of its own.
func splitApp(title, app string) (before, after string, found bool) {
	for end := len(title); ; {
		i := strings.LastIndex(title[:end], app)
		if i < 0 {
			return "", "", false
		}
		before, after = title[:i], title[i+len(app):]
		head, dashed := strings.CutSuffix(before, " - ")
		if (dashed || strings.Trim(before, dirtyMark) == "") &&
			(after == "" || hasAnyPrefix(after, " - ", " [")) {
			return head, after, true
		}
		end = i
	}
}

// readAfter reads what stands behind the app name: marks in brackets, a screen reader's state, or,
// in editors that put their name in the middle, the file. done says that the whole title is read.
func (t *editorTitle) readAfter(after string, middle bool, before string, names editorNames) (done bool) {
	after = cutElevated(after)
	part, found := strings.CutPrefix(after, " - ")
	if !found || part == "" {
		return false
	}
	if !middle || !names.fileLike(cutDirty(part)) && names.fileLike(firstPart(cutDirty(before))) {
		t.State = part
		return false
	}
	t.Dirty = strings.HasPrefix(part, dirtyMark) || strings.HasPrefix(before, dirtyMark)
	t.setEditor(cutDirty(part), names)
	t.setProject(cutDirty(before), names)
	return true
}

// cutElevated takes the marks of an elevated or damaged installation off, in front of the state of
// the editor or behind it.
func cutElevated(after string) string {
	for strings.HasPrefix(after, " [") {
		_, rest, found := strings.Cut(after, "]")
		if !found {
			break
		}
		after = rest
	}
	for _, mark := range []string{" [Administrator]", " [Superuser]", " [Unsupported]"} {
		after = strings.TrimSuffix(after, mark)
	}
	return after
}

// cutHostMark takes the mark of an extension host window off, which stands before the dirty mark.
func cutHostMark(title string) string {
	if rest, found := strings.CutPrefix(title, extHostMark); found {
		return strings.TrimSpace(rest)
	}
	if mark, rest, found := strings.Cut(title, "] "+dirtyMark); found && strings.HasPrefix(mark, "[") {
		return dirtyMark + rest
	}
	return title
}

// readBefore reads file and project. Their separator is " - ", on macOS, where no app name follows,
// an EM DASH.
func (t *editorTitle) readBefore(s string, names editorNames) {
	t.Dirty = strings.HasPrefix(s, dirtyMark)
	s = cutDirty(s)
	dash := " - "
	if t.App == "" && strings.Contains(s, " — ") {
		dash = " — "
	}
	first, rest, several := strings.Cut(s, dash)
	switch {
	case s == "":
	case names.isRoot(s): // a folder whose name looks like a file, or holds a dash
		t.setProject(s, names)
	case !several && (t.Dirty || isUntitled(s) || names.fileLike(s)):
		t.setEditor(s, names)
	case !several:
		t.setProject(s, names)
	default:
		if editor, tail, found := names.splitEditor(s, dash); found {
			first, rest = editor, tail
		}
		t.setEditor(first, names)
		t.setProject(rest, names)
	}
}

// setEditor stores the part that names what the editor area shows.
func (t *editorTitle) setEditor(part string, names editorNames) {
	if part = strings.TrimSpace(part); names.fileLike(part) {
		t.File = part
	} else {
		t.Editor = part
	}
}

// remoteMark is the mark of a remote window behind the project; the profile may follow it.
var remoteMark = lazy(` \[([^\[\]]*: [^\[\]]*|GitHub|GitLab|Codespaces|Azure Repos)\]`)

// setProject stores the project without its remote, workspace mark and profile.
func (t *editorTitle) setProject(part string, names editorNames) {
	part = strings.TrimSpace(part)
	if at := remoteMark.FindStringSubmatchIndex(part); at != nil {
		tail := part[at[1]:]
		if tail == "" || hasAnyPrefix(tail, " - ", " — ") {
			t.Remote, t.Profile = part[at[2]:at[3]], strings.Trim(tail, " -—")
			part = part[:at[0]]
		}
	}
	if head, tail, found := strings.Cut(part, " (Workspace)"); found && (tail == "" || hasAnyPrefix(tail, " - ", " — ")) {
		part = head
		if t.Profile == "" {
			t.Profile = strings.Trim(tail, " -—")
		}
	}
	if t.Remote == "" && t.Profile == "" {
		part = t.cutProfile(part, names)
	}
	t.Project = strings.TrimSpace(part)
}

// cutProfile takes the profile off where the tree names the folder or the profile, or where the
// profile has one of the names that are given to profiles by themselves.
func (t *editorTitle) cutProfile(part string, names editorNames) string {
	if names.isRoot(part) {
		return part
	}
	for _, dash := range []string{" - ", " — "} {
		for _, root := range names.roots {
			if profile, found := strings.CutPrefix(part, root+dash); found {
				t.Profile = profile
				return root
			}
		}
		head, profile, found := cutLast(part, dash)
		if found && (slices.Contains(names.profiles, profile) || knownProfile(profile) && (t.File != "" || t.Editor != "")) {
			t.Profile = profile
			return head
		}
	}
	return part
}

func cutDirty(s string) string { return strings.TrimSpace(strings.TrimPrefix(s, dirtyMark)) }

func firstPart(s string) string {
	first, _, _ := strings.Cut(s, " - ")
	return first
}

// untitled is an editor without a file, alone or behind the first words of its text.
var untitled = lazy(`(^|• )Untitled-\p{Nd}+$`)

func isUntitled(s string) bool { return untitled.MatchString(s) }

func (n editorNames) isRoot(name string) bool { return name != "" && slices.Contains(n.roots, name) }

// fileLike says whether a part of a title is a file: by its extension, a leading dot, a usual name
// without extension, or because an editor tab is called so.
func (n editorNames) fileLike(part string) bool {
	if part == "" {
		return false
	}
	return slices.Contains(n.tabs, part) || hasExtension(part) || strings.HasPrefix(part, ".") && len(part) > 1 ||
		usualFiles[part]
}

// splitEditor splits a title whose first name may hold the separator itself: after the longest
// editor tab that it begins with, before the folder that the tree names, or after an extension.
func (n editorNames) splitEditor(s, dash string) (editor, rest string, found bool) {
	for _, one := range n.tabs {
		if tail, fits := strings.CutPrefix(s, one+dash); fits && len(one) > len(editor) {
			editor, rest, found = one, tail, true
		}
	}
	if found {
		return editor, rest, true
	}
	for _, root := range n.roots {
		i := strings.LastIndex(s, dash+root)
		if i > 0 && (i+len(dash+root) == len(s) || hasAnyPrefix(s[i+len(dash+root):], " [", " (", dash)) {
			return s[:i], s[i+len(dash):], true
		}
	}
	for at, parts := 0, 0; ; parts++ {
		i := strings.Index(s[at:], dash)
		if i < 0 || parts > 20 {
			return "", "", false
		}
		if at += i; n.fileLike(s[:at]) {
			return s[:at], s[at+len(dash):], true
		}
		at += len(dash)
	}
}

// usualFiles are files that have no extension. The spelling counts: a folder may be called build.
var usualFiles = set("Makefile", "makefile", "GNUmakefile", "Dockerfile", "Containerfile", "LICENSE",
	"LICENCE", "License", "COPYING", "README", "CHANGELOG", "CHANGES", "AUTHORS", "CONTRIBUTORS",
	"CONTRIBUTING", "NOTICE", "INSTALL", "NEWS", "TODO", "VERSION", "CODEOWNERS", "Gemfile", "Rakefile",
	"Guardfile", "Procfile", "Vagrantfile", "Jenkinsfile", "Pipfile", "Brewfile", "Podfile", "Fastfile",
	"Appfile", "Justfile", "justfile", "Tiltfile", "Earthfile", "Caddyfile", "Doxyfile", "SConstruct",
	"SConscript", "Kconfig", "Kbuild", "BUILD", "WORKSPACE")

// hasExtension says whether a name ends in a dot and a short word of letters and digits with a
// letter in it: panel.ts and notes.7z, not "v1.2" or "Talk with Dr. Who".
func hasExtension(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || dot == len(name)-1 || len(name)-dot > 20 || name[dot-1] == ' ' {
		return false
	}
	letter := false
	for _, r := range name[dot+1:] {
		switch {
		case unicode.IsLetter(r):
			letter = true
		case !unicode.IsDigit(r) && r != '_' && r != '-' && r != '+':
			return false
		}
	}
	return letter
}
