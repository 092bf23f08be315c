package matching

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/textnorm"
)

const (
	valueScore    = 0.88
	containsScore = 0.85
	fuzzyScore    = 0.80 // least ratio of tier 5
	nearScore     = 0.50 // least ratio of a near miss
)

// weak returns the matches of tiers 4 and 5, best first and at most MaxCandidates.
func (l *lookup) weak() []Candidate {
	found := shortlist{}
	for i := range l.elements {
		if !l.wanted(i) {
			continue
		}
		if c, ok := l.weakMatch(i, found.floor(fuzzyScore)); ok {
			found.add(c)
		}
	}
	return l.inner(found.list)
}

// weakMatch is the best weak match of one element over all readings of the label. Ratios under the
// floor are not worked out.
func (l *lookup) weakMatch(i int, floor float64) (Candidate, bool) {
	var best Candidate
	for k := range l.readings {
		r := &l.readings[k]
		if r.form == "" || !named(r.roles, l.elements[i].Role) {
			continue
		}
		c, ok := l.weakReading(r, i, floor)
		if ok && (best.Tier == 0 || order(c, best) < 0) {
			best = c
		}
	}
	return best, best.Tier != 0
}

func (l *lookup) weakReading(r *reading, i int, floor float64) (Candidate, bool) {
	element := &l.elements[i]
	if element.Value != "" && !element.Secret && !element.ValueCut && textnorm.Match(element.Value) == r.form {
		return l.candidate(i, 4, valueScore, Value), true
	}
	form := l.form(i)
	if form == "" {
		return Candidate{}, false
	}
	if len(r.words) > 0 && containsAll(form, r.words) {
		return l.candidate(i, 4, containsScore, Contains), true
	}
	if ratio := r.measure.ratio(form, floor); ratio >= fuzzyScore {
		return l.candidate(i, 5, ratio, Fuzzy), true
	}
	return Candidate{}, false
}

// containsAll says whether each word of the label is a word of the name.
func containsAll(form string, words []string) bool {
	if !strings.Contains(form, words[0]) {
		return false
	}
	names := textnorm.MatchWords(form)
	for _, word := range words {
		if !slices.Contains(names, word) {
			return false
		}
	}
	return true
}

// near returns the elements that come closest when nothing matched.
func (l *lookup) near() []Candidate {
	found := shortlist{}
	for i := range l.elements {
		if !l.wanted(i) || l.form(i) == "" {
			continue
		}
		best := 0.0
		for k := range l.readings {
			r := &l.readings[k]
			if named(r.roles, l.elements[i].Role) {
				best = max(best, r.measure.ratio(l.form(i), found.floor(nearScore)))
			}
		}
		if best >= nearScore {
			found.add(l.candidate(i, 0, best, Fuzzy))
		}
	}
	return l.inner(found.list)
}

// shortlist keeps the best candidates in order; elements come in reading order.
type shortlist struct{ list []Candidate }

// add puts a candidate in its place; of equals the earlier one stays ahead.
func (s *shortlist) add(c Candidate) {
	at, _ := slices.BinarySearchFunc(s.list, c, order)
	if at < shortlistSize {
		s.list = slices.Insert(s.list, at, c)
		s.list = s.list[:min(len(s.list), shortlistSize)]
	}
}

// shortlistSize is more than what is shown, since a field may yet give way to the one inside it.
const shortlistSize = 2 * MaxCandidates

// floor is the ratio that a further element needs to be of interest.
func (s *shortlist) floor(least float64) float64 {
	if len(s.list) < shortlistSize {
		return least
	}
	last := s.list[shortlistSize-1]
	if last.How != Fuzzy {
		return 2 // no ratio can displace a better tier
	}
	return max(least, last.Score)
}
