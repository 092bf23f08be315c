// Package matching ranks the elements of a snapshot against a label that a caller gave.
//
// It owns the five tiers, their scores, the synonyms, the role phrases and the choice between one
// element, several and none. It must not know how a snapshot is taken, how an element is clicked,
// which application is meant, or what time it is: the same input always gives the same outcome.
// Sources: README, "Label matching hierarchy"; spec/contract.md section 7.
package matching

import (
	"cmp"
	"slices"

	"mcp-computer-use/internal/textnorm"
	"mcp-computer-use/internal/ui"
)

// Mode says what the element is wanted for, and with it which elements are candidates.
type Mode int

const (
	// Click takes every element that carries a ref.
	Click Mode = iota
	// Type takes the editable elements that carry a ref, never a securetextfield.
	Type
)

// How says what made an element match; it is the `match` and `how` of a result.
type How string

// The ways to match, from the surest to the weakest.
const (
	Exact      How = "exact"      // tier 1: the very name
	Normalized How = "normalized" // tier 2: the name in its tier-2 form
	Synonym    How = "synonym"    // tier 3: another word for the same digit or sign
	ID         How = "id"         // tier 3: the accessibility id
	Value      How = "value"      // tier 4: the live value
	Contains   How = "contains"   // tier 4: every word of the label is a word of the name
	Fuzzy      How = "fuzzy"      // tier 5, and the near misses outside the tiers
	ByModel    How = "model"      // a weak candidate that the model chose
)

// MaxCandidates is the most candidates that an outcome holds.
const MaxCandidates = 5

// Verdict is what a look-up came to.
type Verdict int

const (
	// NotFound means that nothing matched; Candidates are near misses.
	NotFound Verdict = iota
	// Found means that exactly one element matched in the best of tiers 1 to 3.
	Found
	// Ambiguous means several matches, matches that are only weak, or elements that agent-cu can't
	// tell apart.
	Ambiguous
	// NotEditable means that the label belongs to an element that can't be typed into (mode Type).
	NotEditable
)

// Candidate is an element that the label may mean.
type Candidate struct {
	Index int // into Snapshot.Elements
	Role  ui.Role
	Name  string
	Tier  int     // 1 to 5; 0 for a near miss outside the tiers
	Score float64 // 0..1
	How   How
	// Twin says that agent-cu can't address this element alone: another one agrees with it in role and
	// in the name and id that it has (spec/agent-cu.md, "Hazards").
	Twin bool
}

// Outcome is the answer of Find.
type Outcome struct {
	Verdict Verdict
	// Best is the element to act on when the verdict is Found, and the element that can't be typed
	// into when it is NotEditable.
	Best Candidate
	// Candidates are at most MaxCandidates, sorted by tier, score and reading order. Empty when the
	// verdict is Found or NotEditable.
	Candidates []Candidate
	// Weak says that all candidates are of tiers 4 and 5, so that the model may choose one.
	Weak bool
}

// Choose returns the candidate that a model picked by its number, counted from 1, with How set to
// ByModel. It refuses when the outcome is not one for the model, when the number is none of the
// candidates', and when agent-cu could not tell the element from another.
func (o Outcome) Choose(number int) (Candidate, bool) {
	if !o.Weak || number < 1 || number > len(o.Candidates) || o.Candidates[number-1].Twin {
		return Candidate{}, false
	}
	chosen := o.Candidates[number-1]
	chosen.How = ByModel
	return chosen, true
}

// Find looks a label up among the elements of a snapshot. It never returns a match of tier 4 or 5 as
// Found. A nil snapshot and an empty label give NotFound.
func Find(snap *ui.Snapshot, target string, mode Mode) Outcome {
	if snap == nil || target == "" {
		return Outcome{}
	}
	look := newLookup(snap, target, mode)
	if hits := look.strong(look.wanted); len(hits) > 0 {
		return look.decide(hits)
	}
	if mode == Type {
		if others := look.strong(look.any); len(others) > 0 {
			return Outcome{Verdict: NotEditable, Best: others[0]}
		}
	}
	if weak := look.weak(); len(weak) > 0 {
		return Outcome{Verdict: Ambiguous, Candidates: look.mark(weak), Weak: true}
	}
	return Outcome{Candidates: look.mark(look.near())}
}

// lookup is one label on its way through the elements.
type lookup struct {
	elements []ui.Element
	forms    []string // tier-2 forms of the names, filled on demand
	formed   []bool
	mode     Mode
	readings []reading
}

// reading is one way to understand the label: as it stands, or without the role word in it.
type reading struct {
	raw     string
	form    string
	group   int       // synonym group, -1 for none
	roles   []ui.Role // nil: any role
	words   []string
	measure *measure // nil where the label is too long for the fuzzy tier
}

func newLookup(snap *ui.Snapshot, target string, mode Mode) *lookup {
	look := &lookup{
		elements: snap.Elements,
		forms:    make([]string, len(snap.Elements)),
		formed:   make([]bool, len(snap.Elements)),
		mode:     mode,
	}
	look.read(target, nil)
	for _, phrase := range phrases(target) {
		look.read(phrase.rest, phrase.roles)
	}
	return look
}

func (l *lookup) read(raw string, roles []ui.Role) {
	form := textnorm.Match(raw)
	l.readings = append(l.readings, reading{
		raw: raw, form: form, group: synonymGroup(form), roles: roles,
		words: textnorm.MatchWords(form), measure: newMeasure(form),
	})
}

// form is the tier-2 form of an element's name.
func (l *lookup) form(i int) string {
	if !l.formed[i] {
		l.forms[i], l.formed[i] = textnorm.Match(l.elements[i].Name), true
	}
	return l.forms[i]
}

// wanted says whether an element is a candidate in this mode.
func (l *lookup) wanted(i int) bool {
	element := &l.elements[i]
	return element.Ref != "" && (l.mode == Click || element.Role.Editable())
}

func (l *lookup) any(int) bool { return true }

// strong returns the matches of the best tier of 1 to 3 in which there are any, in reading order. The
// label as it stands comes before any reading without its role word.
func (l *lookup) strong(allowed func(int) bool) []Candidate {
	for k := range l.readings {
		var hits []Candidate
		best := 4
		for i := range l.elements {
			tier, how := l.tier(&l.readings[k], i)
			if tier == 0 || tier > best || !allowed(i) {
				continue
			}
			if tier < best {
				best, hits = tier, hits[:0]
			}
			hits = append(hits, l.candidate(i, tier, strongScore(tier), how))
		}
		if len(hits) > 0 {
			return l.inner(l.exactIDs(hits, l.readings[k].raw))
		}
	}
	return nil
}

func strongScore(tier int) float64 { return [...]float64{1: 1, 2: 0.95, 3: 0.9}[tier] }

// tier returns the tier of 1 to 3 in which an element matches, 0 for none.
func (l *lookup) tier(r *reading, i int) (int, How) {
	element := &l.elements[i]
	if !named(r.roles, element.Role) {
		return 0, ""
	}
	if element.Name == r.raw {
		return 1, Exact
	}
	if r.form != "" && element.Name != "" {
		form := l.form(i)
		if form == r.form {
			return 2, Normalized
		}
		if r.group >= 0 && synonymGroup(form) == r.group {
			return 3, Synonym
		}
	}
	if element.ID != "" && (element.ID == r.raw || r.form != "" && textnorm.Match(element.ID) == r.form) {
		return 3, ID
	}
	return 0, ""
}

// exactIDs drops ids that only resemble the label where another is the label itself.
func (l *lookup) exactIDs(hits []Candidate, raw string) []Candidate {
	exact := func(c Candidate) bool { return c.How == ID && l.elements[c.Index].ID == raw }
	if !slices.ContainsFunc(hits, exact) {
		return hits
	}
	return slices.DeleteFunc(hits, func(c Candidate) bool { return c.How == ID && !exact(c) })
}

// inner drops, for typing, a field that has a field of the same name inside: a combo box gives way to
// its edit.
func (l *lookup) inner(hits []Candidate) []Candidate {
	if l.mode != Type || len(hits) < 2 {
		return hits
	}
	byIndex := slices.Clone(hits)
	slices.SortFunc(byIndex, func(a, b Candidate) int { return cmp.Compare(a.Index, b.Index) })
	outer := map[int]bool{}
	for k, hit := range byIndex {
		for _, next := range byIndex[k+1:] {
			if next.Index >= l.elements[hit.Index].End || outer[hit.Index] {
				break
			}
			outer[hit.Index] = l.form(next.Index) == l.form(hit.Index)
		}
	}
	return slices.DeleteFunc(hits, func(c Candidate) bool { return outer[c.Index] })
}

// decide settles on the one match of tiers 1 to 3, if it is one and agent-cu can address it.
func (l *lookup) decide(hits []Candidate) Outcome {
	if len(hits) == 1 {
		twins := l.twins(hits[0].Index)
		if len(twins) == 0 {
			return Outcome{Verdict: Found, Best: hits[0]}
		}
		for _, i := range twins {
			hits = append(hits, l.candidate(i, hits[0].Tier, hits[0].Score, hits[0].How))
		}
		slices.SortFunc(hits, order)
	}
	return Outcome{Verdict: Ambiguous, Candidates: l.mark(hits)}
}

func (l *lookup) candidate(i, tier int, score float64, how How) Candidate {
	return Candidate{Index: i, Role: l.elements[i].Role, Name: l.elements[i].Name, Tier: tier, Score: score, How: how}
}

// mark cuts candidates to the most that are shown and finds out which of them agent-cu can't address.
func (l *lookup) mark(candidates []Candidate) []Candidate {
	candidates = candidates[:min(len(candidates), MaxCandidates)]
	for k := range candidates {
		candidates[k].Twin = len(l.twins(candidates[k].Index)) > 0
	}
	return candidates
}

// twins returns the other elements that agent-cu may take for the one at i.
func (l *lookup) twins(i int) []int {
	var twins []int
	for k := range l.elements {
		if k != i && mistakable(&l.elements[i], &l.elements[k]) {
			twins = append(twins, k)
		}
	}
	return twins
}

// mistakable says whether agent-cu, asked for one element, may take the other. It looks for the role
// and for the name and the id that there are, so that a missing one fits any; without both, a field
// stands for the first text field of whatever kind.
func mistakable(one, other *ui.Element) bool {
	if one.Name == "" && one.ID == "" && field(one.Role) {
		return field(other.Role)
	}
	return other.Role == one.Role && (one.Name == "" || other.Name == one.Name) && (one.ID == "" || other.ID == one.ID)
}

// field says whether text can be typed into elements of a role, passwords too.
func field(role ui.Role) bool { return role.Editable() || role == ui.RoleSecureTextField }

// order is by tier, then score from high to low, then reading order.
func order(a, b Candidate) int {
	return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
}
