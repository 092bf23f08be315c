// Package ui is the vocabulary for what a screen shows: windows, elements, roles and rectangles.
//
// It owns the shape of a parsed accessibility snapshot and nothing else. It must not know where a
// snapshot came from, what an element means to an application, or how anything is clicked.
package ui

import "strings"

// Role is an element's role as agent-cu prints it: lower case without separators (textfield,
// statictext, tablerow). A role outside agent-cu's enum is the string inside other("…").
// Source: spec/agent-cu.md, "Snapshot line format".
type Role string

// The roles that the program asks for by name. Any other string is a valid role too.
const (
	RoleApplication     Role = "application"
	RoleButton          Role = "button"
	RoleCheckBox        Role = "checkbox"
	RoleComboBox        Role = "combobox"
	RoleDialog          Role = "dialog"
	RoleGroup           Role = "group"
	RoleHeading         Role = "heading"
	RoleLink            Role = "link"
	RoleList            Role = "list"
	RoleListItem        Role = "listitem"
	RoleMenuButton      Role = "menubutton"
	RoleMenuItem        Role = "menuitem"
	RoleParagraph       Role = "paragraph"
	RolePopover         Role = "popover"
	RolePopUpButton     Role = "popupbutton"
	RoleRadioButton     Role = "radiobutton"
	RoleSecureTextField Role = "securetextfield"
	RoleStaticText      Role = "statictext"
	RoleSwitch          Role = "switch"
	RoleTab             Role = "tab"
	RoleTabGroup        Role = "tabgroup"
	RoleTextArea        Role = "textarea"
	RoleTextField       Role = "textfield"
	RoleToolbar         Role = "toolbar"
	RoleWebArea         Role = "webarea"
	RoleWindow          Role = "window"
)

// interactive are the roles that carry a ref under `snapshot -i`.
var interactive = map[Role]bool{
	"button": true, "textfield": true, "textarea": true, "securetextfield": true, "checkbox": true,
	"radiobutton": true, "link": true, "tab": true, "slider": true, "switch": true, "combobox": true,
	"popupbutton": true, "menuitem": true, "menubutton": true, "listitem": true, "stepper": true,
	"disclosuretriangle": true,
}

// editable are the roles that type_text takes, in agent-cu's spelling and in the README's.
var editable = map[Role]bool{
	"textfield": true, "textarea": true, "edit": true, "combobox": true, "textbox": true,
	"document": true, "searchfield": true,
}

// fold brings both spellings of a role (textField, textfield) to the printed one.
func (r Role) fold() Role { return Role(strings.ToLower(string(r))) }

// Interactive says whether agent-cu gives elements of this role a ref (spec/agent-cu.md).
func (r Role) Interactive() bool { return interactive[r.fold()] }

// Editable says whether type_text may set the value of an element of this role. A securetextfield
// never is (README, "Direct text entry"; spec/contract.md section 7).
func (r Role) Editable() bool { return editable[r.fold()] }

// Element is one node of a snapshot.
type Element struct {
	Ref      string // "@e5"; empty for roles that carry none
	Role     Role
	Name     string // exact where refs.json was there, else as printed; may hold quotes and newlines
	Value    string // empty for secret fields; see ValueCut
	ID       string // accessibility id; empty where absent
	Depth    int    // 0 for the root
	Parent   int    // index of the parent in Snapshot.Elements, -1 for the root
	End      int    // index after the last descendant: the subtree is [i, End)
	ValueCut bool   // the engine cut Value (about 40 bytes and "…"): never a whole URL or path
	Secret   bool   // a password field: its value was dropped by the parser
}

// Snapshot is an accessibility tree in reading order (preorder). The zero value holds no element.
type Snapshot struct {
	Elements []Element
	secrets  []secret
}

// secret is the value of a password field, kept only to drop the lines of `text` that repeat it.
type secret struct {
	value string
	cut   bool
}

// AddSecret remembers the value of a password field, so that DropSecrets can take it out of `text`.
// cut says that the value was cut by the engine and ends in "…".
func (s *Snapshot) AddSecret(value string, cut bool) {
	if cut {
		value = strings.TrimSuffix(value, "…")
	}
	if value != "" {
		s.secrets = append(s.secrets, secret{value, cut})
	}
}

// DropSecrets returns the lines without those that equal (for cut values: begin with) the value of
// a password field. The given slice stays as it is. Source: spec/contract.md section 6.
func (s *Snapshot) DropSecrets(lines []string) []string {
	if s == nil || len(s.secrets) == 0 {
		return lines
	}
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		if !s.isSecret(strings.TrimSpace(line)) {
			kept = append(kept, line)
		}
	}
	return kept
}

func (s *Snapshot) isSecret(line string) bool {
	for _, one := range s.secrets {
		value := strings.TrimSpace(one.value)
		if line == value || one.cut && strings.HasPrefix(line, value) {
			return true
		}
	}
	return false
}

// Sub returns a snapshot of the subtree at index i alone: depths, parents and ends are counted from
// its root, refs stay, and the secrets stay known. It panics when i is out of range.
func (s *Snapshot) Sub(i int) *Snapshot {
	root := s.Elements[i]
	part := make([]Element, root.End-i)
	copy(part, s.Elements[i:root.End])
	for k := range part {
		part[k].Depth -= root.Depth
		part[k].Parent -= i
		part[k].End -= i
	}
	part[0].Parent = -1
	return &Snapshot{Elements: part, secrets: s.secrets}
}

// Rect is a rectangle in screen pixels of the engine.
type Rect struct{ X, Y, Width, Height float64 }

// Window is one row of `agent-cu windows`.
type Window struct {
	Title     string
	App       string // process name on Windows and macOS, AT-SPI application name on Linux
	PID       int    // 0 where the platform gives none
	Frontmost bool
	Minimized bool
	Bounds    *Rect // nil where the engine gives no position and size
}

// App is one row of `agent-cu apps`.
type App struct {
	Name      string
	PID       int
	Frontmost bool
}

// Platform is the operating system of the engine; it decides what `-a` means (spec/contract.md
// section 5).
type Platform string

// The platforms that agent-cu runs on.
const (
	Windows Platform = "windows"
	Linux   Platform = "linux"
	MacOS   Platform = "macos"
)
