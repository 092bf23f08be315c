package extractors

import (
	"slices"
	"strings"
)

// cardReach bounds how far before a card's first button its question may stand, in elements, where
// no group of its own holds both.
const cardReach = 8

// approval looks for a permission card: two of its three buttons in one small group, or close to
// each other. It returns the card's question. Source: spec/apps.md section 3.2.
func (d *desk) approval() (bool, string) {
	return d.card(func(name string) string {
		switch name {
		case "allow once", "always allow", "deny":
			return name
		}
		return ""
	}, 2)
}

// questionCard looks for a question with numbered answers: two of the three ways on from it stand
// together below a text that asks.
func (d *desk) questionCard() (bool, string) {
	found, question := d.card(func(name string) string {
		switch name {
		case "other", "skip":
			return name
		case "next", "submit":
			return "next"
		}
		return ""
	}, 2)
	if !found || !endsAsking(question) {
		return false, ""
	}
	return true, question
}

// card finds the last place at which enough different buttons of one kind stand together.
func (d *desk) card(kind func(name string) string, enough int) (bool, string) {
	var places []int
	for i := range d.els {
		if d.own(i) && !d.row[i] && !d.isText(i) && d.els[i].Role.Interactive() && kind(strings.ToLower(d.name(i))) != "" {
			places = append(places, i)
		}
	}
	for last := len(places) - 1; last > 0; last-- {
		kinds := []string{kind(strings.ToLower(d.name(places[last])))}
		for first := last - 1; first >= 0 && d.together(places[first], places[last]); first-- {
			if is := kind(strings.ToLower(d.name(places[first]))); !slices.Contains(kinds, is) {
				kinds = append(kinds, is)
			}
			if len(kinds) == enough {
				return true, d.cardQuestion(places[first], places[last])
			}
		}
	}
	return false, ""
}

// together says whether two elements are in one small group, or close in reading order.
func (d *desk) together(a, b int) bool { return b-a <= 12 || d.smallGroup(a, b) >= 0 }

// smallGroup returns the smallest element around both, or -1 when that is the page or larger than a
// card can be.
func (d *desk) smallGroup(a, b int) int {
	for group := d.els[a].Parent; group >= 0 && group != d.page && d.end(group)-group <= maxComposer; group = d.els[group].Parent {
		if d.inside(b, group) {
			return group
		}
	}
	return -1
}

// cardQuestion returns the question of a card: in its group before the first button the last text
// that asks, else the last text; where the group has none, the nearest before it that does not
// belong to a message.
func (d *desk) cardQuestion(first, last int) string {
	group := d.smallGroup(first, last)
	from := first - cardReach
	small := group >= 0 && !d.holdsHead(group)
	if small {
		from = group
	}
	texts := d.textsBefore(max(from, 0), first)
	if small && len(texts) == 0 {
		texts = d.textsBefore(max(group-cardReach, 0), first)
	}
	for i := len(texts) - 1; i >= 0; i-- {
		if endsAsking(texts[i]) && strings.Trim(texts[i], "?؟？ ") == "" && i > 0 {
			return texts[i-1] + strings.TrimSpace(texts[i])
		}
		if endsAsking(texts[i]) {
			return texts[i]
		}
	}
	if len(texts) > 0 {
		return texts[len(texts)-1]
	}
	return ""
}

// textsBefore returns the texts of a range outside the messages, not beyond a turn heading.
func (d *desk) textsBefore(from, to int) []string {
	var texts []string
	for i := to - 1; i >= from; i-- {
		if !d.isText(i) || !d.own(i) || d.name(i) == "" {
			continue
		}
		if d.message[i] >= 0 && d.message[i] != d.message[to] || hasAnyPrefix(d.name(i), youHead, claudeHead) {
			break
		}
		texts = append(texts, d.name(i))
	}
	slices.Reverse(texts)
	return texts
}
