package matching

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-computer-use/internal/ui"
)

// tree builds a snapshot of a window with the given elements right below it.
func tree(elements ...ui.Element) *ui.Snapshot {
	snap := &ui.Snapshot{Elements: []ui.Element{{Role: ui.RoleWindow, Name: "Sample window", Parent: -1}}}
	for _, one := range elements {
		one.Depth = 1
		snap.Elements = append(snap.Elements, one)
	}
	refs := 0
	for i := range snap.Elements {
		one := &snap.Elements[i]
		one.End = i + 1
		if one.Role.Interactive() {
			refs++
			one.Ref = fmt.Sprintf("@e%d", refs)
		}
	}
	snap.Elements[0].End = len(snap.Elements)
	return snap
}

// el is an element from role, name, id, value; the last two may be left out.
func el(role ui.Role, name string, rest ...string) ui.Element {
	rest = append(rest, "", "")
	return ui.Element{Role: role, Name: name, ID: rest[0], Value: rest[1]}
}

func button(name string, rest ...string) ui.Element { return el(ui.RoleButton, name, rest...) }

func names(candidates []Candidate) []string {
	var all []string
	for _, c := range candidates {
		all = append(all, c.Name)
	}
	return all
}

// TestCases runs the lines of match.jsonl that don't end in the validation of arguments.
func TestCases(t *testing.T) {
	data, err := os.ReadFile("../fixtures/cases/match.jsonl")
	if os.IsNotExist(err) {
		data, err = os.ReadFile("../../shared/cases/match.jsonl")
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	ran := 0
	for lines.Scan() {
		var c struct {
			Why      string
			Target   string
			Elements [][]string
			Want     struct {
				Index      *int
				Match      How
				Tier       int
				Error      string
				Candidates []string
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Want.Error == "INVALID_TARGET" {
			continue
		}
		ran++
		var elements []ui.Element
		for _, e := range c.Elements {
			elements = append(elements, el(ui.Role(e[0]), e[1], e[2:]...))
		}
		got := Find(tree(elements...), c.Target, Click)
		if c.Want.Index != nil {
			best := got.Best
			if got.Verdict != Found || best.Index-1 != *c.Want.Index || c.Want.Match != "" && best.How != c.Want.Match || c.Want.Tier != 0 && best.Tier != c.Want.Tier {
				t.Errorf("%s: got %+v", c.Why, got)
			}
			continue
		}
		want := map[string]Verdict{"TARGET_AMBIGUOUS": Ambiguous, "TARGET_NOT_FOUND": NotFound}[c.Want.Error]
		if got.Verdict != want || c.Want.Candidates != nil && !slices.Equal(names(got.Candidates), c.Want.Candidates) {
			t.Errorf("%s: got %+v", c.Why, got)
		}
	}
	if ran < 80 {
		t.Errorf("only %d lines ran", ran)
	}
}

// TestFound holds rows that must end in one element; the index counts from 0.
func TestFound(t *testing.T) {
	for _, c := range []struct {
		why, target string
		elements    []ui.Element
		index       int
		how         How
		tier        int
	}{
		{"menu label with trailing blanks", "Delete Selection", []ui.Element{el("menuitem", "Delete Selection      "), el("menuitem", "Copy")}, 0, Normalized, 2},
		{"runs of white space", "Save  as", []ui.Element{button("Save as"), button("Save")}, 0, Normalized, 2},
		{"several trailing marks", "Open", []ui.Element{button("Open … :"), button("Close")}, 0, Normalized, 2},
		{"newline in a name", "Line one line two", []ui.Element{button("Line one\nline two")}, 0, Normalized, 2},
		{"multiply by", "*", []ui.Element{button("Divide by"), button("Multiply by")}, 1, Synonym, 3},
		{"divide by", "÷", []ui.Element{button("Divide by"), button("Multiply by")}, 0, Synonym, 3},
		{"decimal point", ".", []ui.Element{button("Decimal point"), button("0")}, 0, Synonym, 3},
		{"full-width plus", "＋", []ui.Element{button("Plus"), button("Minus")}, 0, Synonym, 3},
		{"id in another case", "NUM7BUTTON", []ui.Element{button("x", "num7Button")}, 0, ID, 3},
		{"an equal id beats one that differs in case", "row", []ui.Element{button("a", "Row"), button("b", "row")}, 1, ID, 3},
		{"nameless element by id", "shareBtn", []ui.Element{button("", "shareBtn"), button("")}, 0, ID, 3},
		{"the full label beats the phrase", "button Save", []ui.Element{button("Save"), button("button Save")}, 1, Exact, 1},
		{"phrase with quotes", `button "Save"`, []ui.Element{button("Save"), el("link", "Save")}, 0, Exact, 1},
		{"phrase behind in English", "Save button", []ui.Element{el("link", "Save"), button("Save")}, 1, Exact, 1},
		{"phrase of two words", "menu item Open", []ui.Element{button("Open"), el("menuitem", "Open")}, 1, Exact, 1},
		{"phrase with synonym on Linux", "button 7", []ui.Element{el("statictext", "7"), el("switch", "7")}, 1, Exact, 1},
		{"Hebrew tab", "לשונית כללי", []ui.Element{button("כללי"), el("tab", "כללי")}, 1, Exact, 1},
		{"Hebrew checkbox", "תיבת סימון זכור אותי", []ui.Element{button("זכור אותי"), el("checkbox", "זכור אותי")}, 1, Exact, 1},
		{"field phrase", "field Search", []ui.Element{button("Search"), el("combobox", "Search")}, 1, Exact, 1},
		{"slider phrase", "Slider Volume", []ui.Element{el("checkbox", "Volume"), el("slider", "Volume")}, 1, Exact, 1},
		{"a secure field may be clicked", "Password", []ui.Element{el("securetextfield", "Password")}, 0, Exact, 1},
	} {
		got := Find(tree(c.elements...), c.target, Click)
		if got.Verdict != Found || got.Best.Index-1 != c.index || got.Best.How != c.how || got.Best.Tier != c.tier {
			t.Errorf("%s: got %+v", c.why, got)
		}
		if len(got.Candidates) != 0 || got.Weak {
			t.Errorf("%s: candidates beside the one found: %+v", c.why, got)
		}
	}
}

func TestNotFound(t *testing.T) {
	for _, c := range []struct {
		why, target string
		elements    []ui.Element
		mode        Mode
		verdict     Verdict
		candidates  []string
		weak        bool
	}{
		{"value, then contains, then fuzzy", "zoom", []ui.Element{button("zooms"), button("Zoom level"), el("combobox", "View", "v", "Zoom")}, Click, Ambiguous, []string{"View", "Zoom level", "zooms"}, true},
		{"words in another order", "file open", []ui.Element{button("Open a File"), button("Close")}, Click, Ambiguous, []string{"Open a File"}, true},
		{"part of a word is no word", "art", []ui.Element{button("Artists and more")}, Click, NotFound, nil, false},
		{"at most five weak ones", "row", []ui.Element{button("row 1"), button("row 2"), button("row 3"), button("row 4"), button("row 5"), button("row 6")}, Click, Ambiguous,
			[]string{"row 1", "row 2", "row 3", "row 4", "row 5"}, true},
		{"near misses, best first", "Preferences", []ui.Element{button("Preference list pane"), button("Reference cards"), button("Zoom")}, Click, NotFound, []string{"Reference cards", "Preference list pane"}, false},
		{"role of the phrase differs", "button Details", []ui.Element{el("link", "Details")}, Click, NotFound, []string{"Details"}, false},
		{"cut values never match", "abc…", []ui.Element{{Role: "textfield", Name: "x", Value: "abc…", ValueCut: true}}, Click, NotFound, nil, false},
		{"secret values never match", "abc", []ui.Element{{Role: "textfield", Name: "x", Value: "abc", Secret: true}}, Click, NotFound, nil, false},
		{"an invisible label", "\u200b", []ui.Element{button("Save"), button("")}, Click, NotFound, nil, false},
		{"two ids of one text", "row", []ui.Element{button("a", "row"), button("b", "row")}, Click, Ambiguous, []string{"a", "b"}, false},
		{"a synonym and an id", "7", []ui.Element{button("Seven"), button("x", "7")}, Click, Ambiguous, []string{"Seven", "x"}, false},
		{"only the deciding tier is shown", "Save", []ui.Element{button("Save"), button("Save as"), button("Save", "x")}, Click, Ambiguous, []string{"Save", "Save"}, false},
		{"a verb is no role word", "Switch account", []ui.Element{button("Account")}, Click, NotFound, []string{"Account"}, false},
		{"a common ending is no role word", "Main menu", []ui.Element{el("menuitem", "Main")}, Click, NotFound, []string{"Main"}, false},
		{"static text is not editable", "Browse", []ui.Element{el("statictext", "Browse")}, Type, NotEditable, nil, false},
		{"button is not editable", "Browse", []ui.Element{button("Browse…"), el("textfield", "Browse for")}, Type, NotEditable, nil, false},
		{"button by phrase is not editable", "button Browse", []ui.Element{button("Browse…")}, Type, NotEditable, nil, false},
		{"password field", "Password", []ui.Element{el("statictext", "Password:"), el("securetextfield", "Password"), el("textfield", "Search")}, Type, NotEditable, nil, false},
		{"weak only, fields only", "notes", []ui.Element{button("My notes"), el("textfield", "All notes")}, Type, Ambiguous, []string{"All notes"}, true},
		{"near misses are fields only", "Subjekt x", []ui.Element{button("Subject"), el("textfield", "Subject")}, Type, NotFound, []string{"Subject"}, false},
		{"fields alike", "Quantity", []ui.Element{el("textfield", "Quantity", "", "0"), el("textfield", "Quantity", "", "1")}, Type, Ambiguous, []string{"Quantity", "Quantity"}, false},
	} {
		got := Find(tree(c.elements...), c.target, c.mode)
		if got.Verdict != c.verdict || !slices.Equal(names(got.Candidates), c.candidates) || got.Weak != c.weak {
			t.Errorf("%s: got %+v", c.why, got)
		}
	}
	if got := Find(nil, "x", Click); got.Verdict != NotFound {
		t.Errorf("nil snapshot: %+v", got)
	}
	if got := Find(tree(button("")), "", Click); got.Verdict != NotFound {
		t.Errorf("empty label: %+v", got)
	}
}

// TestManyWeak fills the short list and makes late, better candidates come in.
func TestManyWeak(t *testing.T) {
	var elements []ui.Element
	for i := range 30 {
		elements = append(elements, button(fmt.Sprintf("settings%c%d", 'a'+rune(i%3), i%10)))
	}
	elements = append(elements, button("settingz"), button("setting"), button("my settings here"))
	got := Find(tree(elements...), "settings", Click)
	want := []string{"my settings here", "setting", "settings", "settings", "settings"}
	if !got.Weak || len(got.Candidates) != MaxCandidates || !slices.IsSortedFunc(got.Candidates, order) {
		t.Errorf("got %+v", got)
	}
	for i, c := range got.Candidates {
		if !strings.HasPrefix(c.Name, want[i]) {
			t.Errorf("candidate %d is %q, want %s", i, c.Name, want[i])
		}
	}
	for range 2 * shortlistSize {
		elements = append(elements, button("open settings"))
	}
	if got := Find(tree(elements...), "settings", Click); got.Candidates[0].How != Contains || got.Candidates[4].How != Contains || !got.Candidates[4].Twin {
		t.Errorf("got %+v", got)
	}
	if got := Find(tree(button("x")), `button ""`, Click); got.Verdict != NotFound {
		t.Errorf("quotes around nothing: %+v", got)
	}
}

func TestTypeFindsTheField(t *testing.T) {
	snap := tree(el("statictext", "Font"), el("combobox", "Font"), el("textfield", "Font"), button("Font"))
	snap.Elements[2].End = 4 // the edit stands inside the combo box
	snap.Elements[3].Parent = 2
	if got := Find(snap, "Font", Type); got.Verdict != Found || got.Best.Role != ui.RoleTextField {
		t.Errorf("field in a field: %+v", got)
	}
	if got := Find(snap, "Fon", Type); !slices.Equal(names(got.Candidates), []string{"Font"}) || got.Candidates[0].Role != ui.RoleTextField {
		t.Errorf("weak field in a field: %+v", got)
	}
	if got := Find(snap, "Font", Click); got.Verdict != Ambiguous || len(got.Candidates) != 3 {
		t.Errorf("click: %+v", got)
	}
	beside := tree(el("combobox", "Font", "a"), el("textfield", "Font", "b"))
	if got := Find(beside, "Font", Type); got.Verdict != Ambiguous {
		t.Errorf("field beside a field: %+v", got)
	}
	same := tree(el("textfield", "Font"), el("textfield", "Font"))
	same.Elements[1].End = 3
	if got := Find(same, "Font", Type); got.Verdict != Ambiguous || len(got.Candidates) != 2 {
		t.Errorf("agent-cu can't tell a field from the one inside it: %+v", got)
	}
}

func TestChoose(t *testing.T) {
	weak := Find(tree(button("Sheet 1 notes"), button("Sheet 2 notes"), el("textfield", "", "", "notes"), el("textfield", "", "", "x")), "notes", Click)
	if c, ok := weak.Choose(3); !ok || c.Name != "Sheet 2 notes" || c.How != ByModel || c.Tier != 4 {
		t.Errorf("third: %+v %v", c, ok)
	}
	for _, number := range []int{-1, 0, 1, 4, math.MaxInt} { // the first has neither name nor id
		if c, ok := weak.Choose(number); ok {
			t.Errorf("choice %d: %+v", number, c)
		}
	}
	strong := Find(tree(button("Save"), el("link", "Save")), "Save", Click)
	if c, ok := strong.Choose(1); ok {
		t.Errorf("a choice among certain matches: %+v", c)
	}
}

func TestSynonymsAreInOneGroup(t *testing.T) {
	seen := map[string]bool{}
	for n, group := range synonyms {
		for _, word := range group {
			if seen[word] || synonymGroup(word) != n || len(word) > longestSynonym {
				t.Errorf("%q", word)
			}
			seen[word] = true
		}
	}
	if synonymGroup("add") != -1 {
		t.Error("add is no synonym")
	}
}

func TestSynonymsBothWays(t *testing.T) {
	for n, group := range synonyms {
		other := synonyms[(n+1)%len(synonyms)]
		for _, target := range group {
			for _, name := range group {
				got := Find(tree(button(other[0]), button(name), button(other[1])), target, Click)
				if got.Verdict != Found || got.Best.Index != 2 || target != name && got.Best.How != Synonym {
					t.Errorf("%q for %q: %+v", name, target, got)
				}
			}
		}
	}
}

// TestWeakIsNeverCertain tries random labels on random windows made of the same few pieces.
func TestWeakIsNeverCertain(t *testing.T) {
	pieces := []string{"Save", "save", " ", "as", "7", "seven", "שבע", "…", "button", "שדה", "\u200f", "ﬁ", "x"}
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var s strings.Builder
		for range 1 + random.IntN(3) {
			s.WriteString(pieces[random.IntN(len(pieces))])
		}
		return s.String()
	}
	counts := map[Verdict]int{}
	for range 3000 {
		snap := tree(button(text(), text()), el("textfield", text(), text(), text()), el("link", text()), button(text()))
		target, mode := text(), Mode(random.IntN(2))
		got := Find(snap, target, mode)
		counts[got.Verdict]++
		if got.Verdict == Found && (got.Best.Tier > 3 || got.Best.Tier < 1 || got.Weak) {
			t.Errorf("%q: %+v", target, got)
		}
		if again := Find(snap, target, mode); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("%q: %+v, then %+v", target, got, again)
		}
	}
	for verdict := NotFound; verdict <= NotEditable; verdict++ {
		if counts[verdict] < 20 {
			t.Errorf("verdict %d came up %d times only", verdict, counts[verdict])
		}
	}
}

func TestRatio(t *testing.T) {
	for _, c := range ratios {
		if got := newMeasure(c.label).ratio(c.name, 0); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("ratio(%q, %q) = %v, want %v", c.label, c.name, got, c.want)
		}
		if got := newMeasure(c.label).ratio(c.name, 0.5); c.want >= 0.5 && math.Abs(got-c.want) > 1e-12 || c.want < 0.5 && got >= 0.5 {
			t.Errorf("ratio(%q, %q) with a floor = %v, want %v", c.label, c.name, got, c.want)
		}
	}
}

// TestLongLabels would take hours if any step were quadratic in the length of a name.
func TestLongLabels(t *testing.T) {
	huge := strings.Repeat("save all files ", 70_000)
	got := Find(tree(button(huge), button(strings.Repeat("a", 1_000_000)), button("Save")), "Sav", Click)
	if !slices.Equal(names(got.Candidates), []string{"Save"}) {
		t.Errorf("got %v", got.Verdict)
	}
	if got := Find(tree(button("Save"), button(huge)), huge, Click); got.Verdict != Found {
		t.Errorf("huge label: %v", got.Verdict)
	}
	if got := Find(tree(button("Save")), huge, Click); got.Verdict != NotFound {
		t.Errorf("huge label without a match: %v", got.Verdict)
	}
}

func FuzzFind(f *testing.F) {
	for _, seed := range [][2]string{{"Save", "Save"}, {"button 7", "Seven"}, {"שדה חיפוש", "חיפוש"}, {"…", "..."}, {"\xff", "\u200b"},
		{"aab aab", "aba"}, {"\"", "\"\""}, {"e\u0301", "é"}} {
		f.Add(seed[0], seed[1], true)
	}
	f.Fuzz(func(t *testing.T, target, name string, click bool) {
		mode := Type
		if click {
			mode = Click
		}
		snap := tree(button(name), el("textfield", name+"x", "id", target), el("textfield", name, target), button("Save"), el("link", name))
		got, again := Find(snap, target, mode), Find(snap, target, mode)
		if fmt.Sprint(got) != fmt.Sprint(again) {
			t.Errorf("%+v, then %+v", got, again)
		}
		if got.Verdict == Found && (got.Best.Tier < 1 || got.Best.Tier > 3) {
			t.Errorf("tier %d as certain", got.Best.Tier)
		}
		if len(got.Candidates) > MaxCandidates || !slices.IsSortedFunc(got.Candidates, order) {
			t.Errorf("candidates %+v", got.Candidates)
		}
		for _, c := range got.Candidates {
			if got.Weak && c.Tier < 4 || c.Score < 0.5 || c.Score > 1 || mode == Type && !c.Role.Editable() {
				t.Errorf("candidate %+v", c)
			}
		}
		if utf8.RuneCountInString(target) <= maxMeasured && len(name) < 500 {
			if ratio := newMeasure(target).ratio(name, 0); ratio < 0 || ratio > 1 {
				t.Errorf("ratio %v", ratio)
			}
		}
	})
}

func large(n int) *ui.Snapshot {
	var elements []ui.Element
	for i := range n {
		elements = append(elements, el("listitem", fmt.Sprintf("Row %05d of the שבועית table", i), fmt.Sprintf("row%d", i)))
	}
	return tree(elements...)
}

// BenchmarkFind covers 20,000 elements: a match, weak matches, and nothing near.
func BenchmarkFind(b *testing.B) {
	snap := large(20_000)
	for _, target := range []string{"Row 19999 of the שבועית table", "Row 19999", "Row 1999x of the שבועית tabel", "Preferences", "field Row of the table!"} {
		b.Run(target, func(b *testing.B) {
			for b.Loop() {
				Find(snap, target, Click)
			}
		})
	}
}

// What agent-cu looks for is what the element has: a name without an id fits a namesake with one.
func TestMistakable(t *testing.T) {
	for _, c := range []struct {
		why        string
		one, other ui.Element
		want       bool
	}{
		{"the same", button("Save", "s"), button("Save", "s"), true},
		{"another id", button("Save", "s"), button("Save", "t"), false},
		{"another name", button("Save", "s"), button("Load", "s"), false},
		{"another role", button("Save"), el("link", "Save"), false},
		{"no id, the other has one", button("Save"), button("Save", "s"), true},
		{"an id, the other has none", button("Save", "s"), button("Save"), false},
		{"no name, the other has one", el("textfield", "", "q"), el("textfield", "Search", "q"), true},
		{"no name, another id", el("textfield", "", "q"), el("textfield", "", "r"), false},
		{"nothing but the role", button(""), button("Save", "s"), true},
		{"nothing but another role", button(""), el("link", ""), false},
		{"a nameless area, a field", el("textarea", ""), el("textfield", "Search", "q"), true},
		{"a nameless area, a password", el("textarea", ""), el("securetextfield", "Password"), true},
		{"a nameless area, a button", el("textarea", ""), button("Save"), false},
	} {
		if got := mistakable(&c.one, &c.other); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
	// A model must not pick what would be taken for another.
	weak := Find(tree(button("Save all files", "a"), button("Save all files")), "Save files", Click)
	if _, ok := weak.Choose(2); ok {
		t.Error("chose the element that agent-cu would not find")
	}
	if c, ok := weak.Choose(1); !ok || c.Index != 1 {
		t.Errorf("refused the one that it would find: %+v", c)
	}
	// The inner field counts, but can't be had while the outer one fits its description.
	nested := tree(el("textfield", "Font", "outer"), el("textfield", "Font"))
	nested.Elements[1].End = 3
	if got := Find(nested, "Font", Type); got.Verdict != Ambiguous {
		t.Errorf("field in a field: %+v", got)
	}
}
