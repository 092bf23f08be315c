package safety

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-computer-use/internal/textnorm"
	"mcp-computer-use/internal/ui"
)

func gate(t testing.TB, extra ...string) *Gate {
	g, warnings := New(extra)
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return g
}

func TestRulesProveThemselves(t *testing.T) {
	g := gate(t)
	all := rules()
	if len(all) != 15+1+8+8+15+13 {
		t.Errorf("%d rules", len(all))
	}
	for _, r := range all {
		want := strings.ToLower(r.word)
		if len(r.blocks) == 0 || len(r.passes) == 0 {
			t.Errorf("%s has no examples", r.word)
		}
		for _, label := range append([]string{r.word}, r.blocks...) {
			if rule, blocked := g.Label(label); !blocked || rule != want && label != "הסר את ההתקנה" {
				t.Errorf("%q: got %q %v, want %q", label, rule, blocked, want)
			}
		}
		for _, label := range r.passes {
			if rule, blocked := g.Label(label); blocked {
				t.Errorf("%q is blocked by %q", label, rule)
			}
		}
	}
}

// TestCases runs safety.jsonl: each label, and its id as the only trace of the word.
func TestCases(t *testing.T) {
	data, err := os.ReadFile("../fixtures/cases/safety.jsonl")
	if os.IsNotExist(err) {
		data, err = os.ReadFile("../../shared/cases/safety.jsonl")
	}
	if err != nil {
		t.Fatal(err)
	}
	g := gate(t)
	lines := bufio.NewScanner(bytes.NewReader(data))
	ran := 0
	for lines.Scan() {
		var c struct {
			Why, Label, ID, Rule string
			Blocked              bool
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		ran++
		snap := &ui.Snapshot{Elements: []ui.Element{
			{Role: ui.RoleWindow, Name: "Sample window", Parent: -1, End: 2},
			{Role: ui.RoleButton, Name: c.Label, ID: c.ID, Depth: 1, End: 2},
		}}
		rule, blocked := g.Label(c.Label)
		if c.ID != "" || !blocked {
			rule, blocked = g.Element(snap, 1)
		}
		if blocked != c.Blocked || c.Rule != "" && rule != c.Rule {
			t.Errorf("%s: %q id %q: got %q %v", c.Why, c.Label, c.ID, rule, blocked)
		}
	}
	if ran < 100 {
		t.Errorf("only %d lines ran", ran)
	}
}

func TestLabel(t *testing.T) {
	g := gate(t, "Sign out", "סגור", "Close", "סגור הכול", "Deleting")
	for label, want := range map[string]string{
		// the earliest, the longest at one place, the exact before the inflected
		"Send or delete":     "send",
		"הסר התקנה ומחק":     "הסר התקנה",
		"הסר: התקנה":         "הסר",
		"Deleting":           "deleting",
		"Delete":             "delete",
		"לשלם":               "לשלם",
		"ולשלם":              "לשלם",
		"סגור הכול":          "סגור הכול",
		"סגור  את הכול":      "סגור",
		"Signed  out":        "sign out",
		"Sign\tout now":      "sign out",
		"Closing":            "close",
		"וסגור":              "סגור",
		"בסגור":              "סגור",
		"ה-Send":             "send",
		"הSend":              "send",
		"Don't send":         "send",
		"Cancel delete":      "delete",
		"Del\u0336ete\u0301": "delete",
		"Sеnd":               "send", // Cyrillic
		"ｄｅｌｅｔｅ":             "delete",
		"🅳🅴🅻🅴🆃🅴":             "delete",
		"Ⓓelete":             "delete",
		"Save&Send":          "send",
		"&&Send":             "send",
		"Save\ue001Send":     "send",
		"De\ufffdlete":       "delete",
		"Delete\u0007all":    "delete",
		"_Delete":            "delete",
		"[Delete]":           "delete",
		"“Delete”":           "delete",
		"1. Delete":          "delete",
		"Delete/Move":        "delete",
		"כן,מחק":             "מחק",
		"מחק!":               "מחק",
		"שליחת הודעה":        "שליחה",
		"פרסמ":               "פרסם", // an ordinary letter where a final one belongs
		"כשהתשלום":           "",     // three prefixes
		"שבתשלום":            "תשלום",
		"Sign":               "",
		"Sign. Out":          "",
		"Sender":             "",
		"DeleteAll":          "",
		"delete_me":          "",
		"pay-per-view":       "",
		"Format2":            "",
		"":                   "",
		"…":                  "",
		"\u200b\u00ad\ufeff": "",
		"Copy":               "",
		"R&D":                "",
		"Payment":            "",
		"כאשר":               "",
		"מושלם":              "",
	} {
		if rule, blocked := g.Label(label); rule != want || blocked != (want != "") {
			t.Errorf("%q: got %q %v, want %q", label, rule, blocked, want)
		}
	}
}

func TestAdditions(t *testing.T) {
	g, warnings := New([]string{"", "  ", "x", "…", "\u200bא", "Close", "ok", "יציאה"})
	if len(warnings) != 5 {
		t.Errorf("warnings: %q", warnings)
	}
	for _, label := range []string{"Delete", "Close", "Closed", "OK", "ליציאה"} {
		if _, blocked := g.Label(label); !blocked {
			t.Errorf("%q is not blocked", label)
		}
	}
	for _, label := range []string{"x", "a", "א", "Enclosed", "Okra"} {
		if rule, blocked := g.Label(label); blocked {
			t.Errorf("%q is blocked by %q", label, rule)
		}
	}
	if rule, _ := gate(t, "Delete").Label("Delete"); rule != "delete" {
		t.Errorf("an addition that is there already: %q", rule)
	}
}

func TestInflect(t *testing.T) {
	for word, want := range map[string]string{
		"delete": "delete deletes deleted deleting",
		"agree":  "agree agrees agreed agreeing",
		"tie":    "tie ties tied tying",
		"apply":  "apply applys applies applied applying",
		"pay":    "pay pays payes payed paying",
		"submit": "submit submits submites submited submiting submitted submitting",
		"reset":  "reset resets resetes reseted reseting resetted resetting",
		"post":   "post posts postes posted posting",
		"x":      "x xs",
	} {
		if got := strings.Join(inflect(word), " "); got != want {
			t.Errorf("inflect(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestFinalLetters(t *testing.T) {
	if got := final("ךםןףץ שלום"); got != "כמנפצ שלומ" {
		t.Errorf("got %q", got)
	}
}

// node is one line of a test snapshot: depth, role, name.
type node struct {
	depth int
	role  ui.Role
	name  string
}

func tree(nodes ...node) *ui.Snapshot {
	snap := &ui.Snapshot{}
	for i, n := range nodes {
		one := ui.Element{Role: n.role, Name: n.name, Depth: n.depth, Parent: -1, End: i + 1}
		for p := i - 1; p >= 0 && one.Parent < 0; p-- {
			if snap.Elements[p].Depth < n.depth {
				one.Parent = p
			}
		}
		for p := one.Parent; p >= 0; p = snap.Elements[p].Parent {
			snap.Elements[p].End = i + 1
		}
		snap.Elements = append(snap.Elements, one)
	}
	return snap
}

// filler makes a window too large to be a dialog of its own.
func filler(nodes ...node) []node {
	for range maxRootDialog {
		nodes = append(nodes, node{1, "listitem", "x"})
	}
	return nodes
}

func TestElement(t *testing.T) {
	question := node{2, "statictext", "Delete these photos?"}
	for _, c := range []struct {
		why   string
		nodes []node
		at    int
		want  string
	}{
		{"name", []node{{0, "window", "x"}, {1, "button", "Send"}}, 1, "send"},
		{"nameless button by its text", []node{{0, "window", "x"}, {1, "button", ""}, {2, "statictext", "Send"}}, 1, "send"},
		{"a button of blanks by its text", []node{{0, "window", "x"}, {1, "button", " \u200b"}, {2, "statictext", "Send"}}, 1, "send"},
		{"an icon's button by its text", []node{{0, "window", "x"}, {1, "button", "\ue74d"}, {2, "statictext", "Delete"}}, 1, "delete"},
		{"a named button by its name", []node{{0, "window", "x"}, {1, "button", "Details"}, {2, "statictext", "Send"}}, 1, ""},
		{"nameless row is not judged by its text", []node{{0, "window", "x"}, {1, "listitem", ""}, {2, "statictext", "Send"}}, 1, ""},
		{"dialog by its text", []node{{0, "window", "x"}, {1, "dialog", "Photos"}, question, {2, "button", "OK"}}, 3, "dialog:delete"},
		{"dialog by its title", []node{{0, "window", "x"}, {1, "popover", "מחיקת תמונות"}, {2, "button", "כן, להכול"}}, 2, "dialog:מחיקה"},
		{"small root", []node{{0, "window", "Delete files"}, {1, "button", "&Yes"}}, 1, "dialog:delete"},
		{"not a plain answer", []node{{0, "window", "Delete files"}, {1, "button", "Not now"}}, 1, ""},
		{"no is no answer that acts", []node{{0, "window", "Delete files"}, {1, "button", "No"}}, 1, ""},
		{"its other buttons don't count", []node{{0, "window", "Files"}, {1, "button", "Delete"}, {2, "statictext", "Delete"}, {1, "button", "OK"}}, 3, ""},
		{"the window behind does not count", []node{{0, "window", "Delete files"}, {1, "window", "Font"}, {2, "button", "OK"}, {1, "statictext", "Delete all"}}, 2, ""},
		{"a text in the value", []node{{0, "window", "x"}, {1, "dialog", ""}, {2, "statictext", ""}, {2, "button", "Proceed"}}, 3, "dialog:pay"},
		{"a text in a row counts", []node{{0, "window", "x"}, {1, "dialog", ""}, {2, "listitem", ""}, {3, "statictext", "Remove it"}, {2, "button", "OK"}}, 4, "dialog:remove"},
		{"a long name is no answer", []node{{0, "window", "Delete"}, {1, "button", strings.Repeat("ok ", 100)}}, 1, ""},
		{"large root is no dialog", filler(node{0, "window", "Delete files"}, node{1, "button", "OK"}), 1, ""},
		{"group with a refusal", filler(node{0, "window", "x"}, node{1, "group", ""}, question, node{2, "button", "Continue"}, node{2, "button", "Cancel"}), 3, "dialog:delete"},
		{"smallest group", filler(node{0, "window", "x"}, node{1, "group", ""}, question, node{2, "group", ""}, node{3, "button", "Done"}, node{3, "button", "ביטול"}), 4, ""},
		{"group without a refusal", filler(node{0, "window", "x"}, node{1, "group", ""}, question, node{2, "button", "Continue"}), 3, ""},
		{"the window's own close button makes no dialog", filler(node{0, "window", "x"}, node{1, "group", ""}, question, node{2, "button", "Apply"}, node{1, "button", "Close"}), 3, ""},
		{"a large dialog is one", filler(node{0, "application", "x"}, node{1, "dialog", "Delete files"}, node{2, "button", "OK"}), 2, "dialog:delete"},
		{"a large dialog as the root is one", filler(node{0, "dialog", "Delete files"}, node{1, "button", "OK"}), 1, "dialog:delete"},
		{"the group around a tool bar with a refusal", filler(node{0, "window", "x"}, node{1, "group", ""}, question, node{2, "toolbar", ""}, node{3, "button", "Apply"}, node{3, "button", "Close"}), 4, "dialog:delete"},
		{"below an application", filler(node{0, "application", "x"}, node{1, "window", "Delete files"}, node{2, "button", "OK"}), 2, "dialog:delete"},
	} {
		snap := tree(c.nodes...)
		if c.want == "dialog:pay" {
			snap.Elements[2].Value = "Pay 12 now?"
		}
		if rule, blocked := gate(t).Element(snap, c.at); rule != c.want || blocked != (c.want != "") {
			t.Errorf("%s: got %q %v, want %q", c.why, rule, blocked, c.want)
		}
	}
}

func TestIDs(t *testing.T) {
	g := gate(t, "Sign out")
	for id, want := range map[string]string{
		"btnDeleteAll": "delete", "CMD_REMOVE_ALL": "remove", "step3submit": "submit", "go-purchase-3": "purchase",
		"deLete": "delete", "btn_deLete": "delete", "HTMLFormat": "format", "btnSignOut": "sign out", "unDelete": "delete",
		"resendCode": "send", "btnМerge": "merge", "הסר_התקנה": "הסר התקנה", "de\u200bleteRow": "delete", "row.delete": "delete",
		"senderPanel": "", "repaymentTab": "", "formatterBox": "", "btnSignal": "", "": "", "65535": "", "allowanceList": "",
	} {
		snap := tree(node{0, "window", "x"}, node{1, "button", "Trash"})
		snap.Elements[1].ID = id
		if rule, blocked := g.Element(snap, 1); rule != want || blocked != (want != "") {
			t.Errorf("%q: got %q %v, want %q", id, rule, blocked, want)
		}
	}
}

func TestWhatCannotBeJudgedIsBlocked(t *testing.T) {
	g := gate(t)
	snap := tree(node{0, "window", "x"})
	for _, i := range []int{-1, 1, 1 << 40} {
		if _, blocked := g.Element(snap, i); !blocked {
			t.Errorf("element %d is not blocked", i)
		}
	}
	if _, blocked := g.Element(nil, 0); !blocked {
		t.Error("no snapshot is not blocked")
	}
	broken := &ui.Snapshot{Elements: []ui.Element{{Role: "button", Name: "OK", Parent: 1, End: 99}, {Role: "window", Parent: 0, End: 99}}}
	if _, blocked := g.Element(broken, 0); blocked {
		t.Error("a loop of parents is a dialog")
	}
}

// TestDeepTree would take hours if a dialog were searched anew at each level.
func TestDeepTree(t *testing.T) {
	nodes := []node{{0, "window", "x"}}
	for depth := 1; depth < 3000; depth++ {
		nodes = append(nodes, node{depth, "group", ""}, node{depth + 1, "button", "Delete"})
	}
	nodes = append(nodes, node{3000, "button", "OK"})
	snap := tree(nodes...)
	if rule, blocked := gate(t).Element(snap, len(nodes)-1); blocked {
		t.Errorf("blocked by %q", rule)
	}
	snap.Elements[2].Name, snap.Elements[3].Role, snap.Elements[3].Name = "Cancel", "heading", "Send now?"
	if rule, _ := gate(t).Element(snap, len(nodes)-1); rule != "dialog:send" {
		t.Errorf("got %q", rule)
	}
}

func TestLongLabels(t *testing.T) {
	g := gate(t)
	for _, text := range []string{"harmless ", "ובה", "&", "e\u0301\u0316", "-_"} {
		long := strings.Repeat(text, 200_000/len(text))
		if rule, blocked := g.Label(long); blocked {
			t.Errorf("%q: %q", text, rule)
		}
		if _, blocked := g.Label(long + " delete"); !blocked {
			t.Errorf("%q hides a word", text)
		}
	}
}

// FuzzDisguise puts a character that nobody sees, or a point, into a blocked word.
func FuzzDisguise(f *testing.F) {
	f.Add("Delete", 3, "\u200b", "all")
	f.Add("הסר התקנה", 1, "\u05b0", "")
	f.Add("תשלום", 4, "\u200f\u05bc\u00ad", "x")
	f.Add("Format", 0, "\U000E0041", "\xff")
	g := gate(f)
	f.Fuzz(func(t *testing.T, word string, at int, hidden, tail string) {
		if at < 0 || at > len(word) || len(hidden) > 100 || !utf8.ValidString(word[:at]) || !utf8.ValidString(word[at:]) {
			return
		}
		for _, r := range hidden {
			if textnorm.StripFormat(string(r)) != "" && (r < 0x5B0 || r > 0x5BD) {
				return
			}
		}
		if _, blocked := g.Label(word); !blocked {
			return
		}
		disguised := word[:at] + hidden + word[at:]
		if _, blocked := g.Label(disguised); !blocked {
			t.Errorf("%q hides %q", disguised, word)
		}
		if _, blocked := g.Label(disguised + " " + tail); !blocked {
			t.Errorf("%q hides %q", disguised+" "+tail, word)
		}
		g.Element(tree(node{0, "window", tail}, node{1, "button", "OK"}, node{1, "statictext", word}), 1)
	})
}

func BenchmarkLabel(b *testing.B) {
	g := gate(b)
	for b.Loop() {
		g.Label("Open the advanced settings of this printer…")
	}
}
