package extractors

import (
	"slices"
	"strings"
	"unicode"
)

// browserTitle is the title of a browser window taken apart (spec/apps.md section 1.1).
type browserTitle struct {
	Page         string // what the page calls itself; empty where nothing but the brand is shown
	Brand        string // "Google Chrome", "Microsoft Edge"…; empty for windows titled by the page alone
	Profile      string // named profile; empty where none is shown
	Private      string // "InPrivate", "Incognito", "Guest", "Private Browsing"
	Count        string // the clause about further pages, as shown
	Memory       string // the counter of memory that Chromium adds, as shown
	NetworkError bool   // Chromium's mark of a tab whose page could not be loaded
}

// pageNames are other names of the page in a window. They tell an ending that is the browser's from
// one that belongs to the page.
type pageNames struct {
	docs []string // names of the window's documents
	tabs []string // cleaned name of the active tab; of all tabs where neither is known
}

// brand is how a browser signs its windows.
type brand struct {
	name string
	kind brandKind
}

type brandKind int

const (
	chromium brandKind = iota
	edge               // Chromium too, with a count of pages and the profile before the brand
	firefox            // separated by EM DASH
)

// brands in the order in which they are tried: longer names before those that they begin with.
func brands() []brand {
	return []brand{
		{"Google Chrome for Testing", chromium}, {"Google Chrome Canary", chromium},
		{"Google Chrome Beta", chromium}, {"Google Chrome Dev", chromium}, {"Google Chrome", chromium},
		{"Microsoft Edge Canary", edge}, {"Microsoft Edge Beta", edge}, {"Microsoft Edge Dev", edge},
		{"Microsoft Edge", edge},
		{"Brave Browser", chromium}, {"Brave Nightly", chromium}, {"Brave Beta", chromium},
		{"Brave", chromium}, {"Chromium", chromium},
		{"Firefox Developer Edition", firefox}, {"Firefox Nightly", firefox}, {"Mozilla Firefox", firefox},
	}
}

// privateMarks are the marks of a private or guest window after the brand and, in brackets, before
// Edge's.
func privateMarks() []string {
	return []string{"Incognito", "InPrivate", "Guest", "Private Browsing", "Private"}
}

const networkErrorMark = " - Network error"

// parseBrowserTitle takes the title of a browser window apart, from the right to the left. What no
// known form explains stays with the page.
func parseBrowserTitle(title string, names pageNames) browserTitle {
	rest := plainTitle(title)
	if names.has(rest) {
		return browserTitle{Page: rest} // an app window, or a platform that signs nothing
	}
	t, kind := cutBrand(rest)
	if t.Brand == "" {
		cutUnsigned(&t, names)
		return t
	}
	cutMarks(&t, kind, names)
	return t
}

// cutBrand finds the browser's name at the end of a title, before a mark of privacy. Only where there
// is none, a name followed by a profile counts, which is how Chromium signs on macOS.
func cutBrand(title string) (browserTitle, brandKind) {
	for _, tail := range []func(string, brandKind) (string, string, bool){markTail, profileTail} {
		for _, one := range brands() {
			if t, found := splitBrand(title, one, tail); found {
				return t, one.kind
			}
		}
	}
	return browserTitle{Page: title}, chromium
}

// splitBrand splits a title at the last place where a brand stands as a part of its own and is
// followed by what tail accepts.
func splitBrand(title string, one brand, tail func(string, brandKind) (string, string, bool)) (browserTitle, bool) {
	for end := len(title); ; {
		i := strings.LastIndex(title[:end], one.name)
		if i < 0 {
			return browserTitle{}, false
		}
		page, found := cutSeparator(title[:i], one.kind)
		private, profile, fits := tail(title[i+len(one.name):], one.kind)
		if found && fits {
			return browserTitle{Page: page, Brand: one.name, Private: private, Profile: profile}, true
		}
		end = i
	}
}

// cutSeparator takes the separator before a brand off. Edge's is localised: hyphen, dash, colon or
// an opening quote.
func cutSeparator(s string, kind brandKind) (string, bool) {
	if s == "" {
		return "", true
	}
	for _, dash := range []string{" - ", " – ", " — "} {
		if rest, found := strings.CutSuffix(s, dash); found {
			return strings.TrimSpace(rest), true
		}
	}
	if kind == edge {
		s = strings.TrimRight(s, " ")
		rest := strings.TrimRight(s, ":«„“\"")
		return strings.TrimSpace(rest), len(rest) < len(s)
	}
	return s, false
}

// markTail accepts what may follow a brand everywhere: nothing, or a mark of privacy.
func markTail(after string, kind brandKind) (private, profile string, fits bool) {
	if after == "" {
		return "", "", true
	}
	mark, found := strings.CutPrefix(after, " ")
	if inner, bracket := strings.CutPrefix(mark, "("); found && bracket && strings.HasSuffix(inner, ")") {
		return strings.TrimSuffix(inner, ")"), "", len(inner) < 60
	}
	return mark, "", found && kind == firefox && slices.Contains(firefoxPrivate(), mark)
}

// firefoxPrivate are the words that Firefox puts behind its name without brackets.
func firefoxPrivate() []string {
	return []string{"Private Browsing", "Privater Modus", "Navigation privée", "Navegación privada", "גלישה פרטית"}
}

// profileTail accepts the profile that a Chromium browser on macOS puts behind its name.
func profileTail(after string, kind brandKind) (private, profile string, fits bool) {
	profile, fits = strings.CutPrefix(after, " - ")
	if rest, found := strings.CutSuffix(profile, " (Incognito)"); found {
		profile, private = rest, "Incognito"
	}
	return private, profile, fits && kind != firefox
}

// cutUnsigned handles titles without a brand: Firefox on macOS marks private windows and known
// profiles at the end.
func cutUnsigned(t *browserTitle, names pageNames) {
	if rest, found := strings.CutSuffix(t.Page, " — Private Browsing"); found && !names.endIn(" — Private Browsing") {
		t.Page, t.Private = rest, "Private Browsing"
	}
	t.cutProfile(" — ", names)
	t.cutNetworkError(names)
}

// cutMarks takes off what stands between the page's title and the brand. The count of pages comes
// before the profile, so that no page with a hyphen loses its last part to a profile.
func cutMarks(t *browserTitle, kind brandKind, names pageNames) {
	t.cutNetworkError(names)
	t.cutMemory(names)
	switch kind {
	case firefox:
		t.cutProfile(" — ", names)
	case edge:
		t.cutPrivate(names)
		if !t.cutCount(names) {
			t.cutProfile(" - ", names)
			if !t.cutCount(names) {
				t.cutNamedProfile(names)
			}
		}
	}
	t.cutNetworkError(names)
	t.cutMemory(names)
	if kind != firefox {
		t.cutTags(names)
	}
}

// cutTags takes the tags of the active tab off, which Chromium adds to the window too where it names it
// for readers of the screen. Most are common words and count only where the page is known to be called
// what is left.
func (t *browserTitle) cutTags(names pageNames) {
	tab := parseTab(t.Page, names.docs)
	if tab.clean != t.Page && (names.has(tab.clean) || len(names.docs) == 0 && tabAlert.MatchString(t.Page)) {
		t.Page, t.NetworkError = tab.clean, t.NetworkError || tab.failed
	}
}

// cutPrivate takes Edge's bracketed mark off.
func (t *browserTitle) cutPrivate(names pageNames) {
	for _, mark := range privateMarks() {
		ending := " - [" + mark + "]"
		if rest, found := strings.CutSuffix(t.Page, ending); found && names.mayCut(t.Page, rest, ending) {
			t.Page, t.Private = rest, mark
			return
		}
	}
}

// knownProfiles are the profile names that Edge and Firefox give by themselves. Any other name could
// as well be the end of a page title.
func knownProfile(name string) bool {
	switch name {
	case "Personal", "Work", "Persönlich", "Pessoal":
		return true
	}
	number, found := strings.CutPrefix(name, "Profile ")
	return found && number != "" && digits(number) == len(number)
}

func (t *browserTitle) cutProfile(dash string, names pageNames) {
	rest, profile, found := cutLast(t.Page, dash)
	if found && t.Profile == "" && knownProfile(profile) && names.mayCut(t.Page, rest, dash+profile) {
		t.Page, t.Profile = strings.TrimSpace(rest), profile
	}
}

// cutNamedProfile takes off a profile with a name of the user's own: it stands behind a count of pages,
// in front of which nothing but the known name of the page is left.
func (t *browserTitle) cutNamedProfile(names pageNames) {
	rest, profile, found := cutLast(t.Page, " - ")
	counted := browserTitle{Page: rest}
	if found && t.Profile == "" && !names.has(t.Page) && counted.cutCount(names) && names.has(counted.Page) {
		t.Page, t.Count, t.Profile = counted.Page, counted.Count, profile
	}
}

func (t *browserTitle) cutNetworkError(names pageNames) {
	rest, found := strings.CutSuffix(t.Page, networkErrorMark)
	if found && !endsInAny(names.docs, networkErrorMark) {
		t.Page, t.NetworkError = strings.TrimSpace(rest), true
	}
}

// memoryMark is the counter that Chromium adds to the name of a tab and, where the use is high, of
// the window.
var memoryMark = lazy(`(?i) - ((?:high )?memory usage|内存使用率|שימוש בזיכרון)( - |: )[\p{Nd}.,]+ ?[KMGT]B$`)

func (t *browserTitle) cutMemory(names pageNames) {
	if at := memoryMark.FindStringIndex(t.Page); at != nil && !endsInAny(names.docs, t.Page[at[0]:]) {
		t.Memory = strings.TrimPrefix(t.Page[at[0]:], " - ")
		t.Page = t.Page[:at[0]]
	}
}

// countClause are the forms in which Edge says how many further pages a window holds.
var countClause = lazy(`(?i)(?: (?:` +
	`and \p{Nd}+ more pages?|` +
	`und \p{Nd}+ weitere Seiten?|` +
	`e mais \p{Nd}+ páginas?|` +
	`y \p{Nd}+ páginas? más|` +
	`et \p{Nd}+ (?:autres? pages?|pages? supplémentaires?|pages? de plus)|` +
	`e altr[ae] \p{Nd}+ pagin[ae]|` +
	`en nog \p{Nd}+ pagina(?:'s)?|` +
	`и ещ[её] \p{Nd}+ страниц[аы]?|` +
	`و \p{Nd}+ صفح[ةه] (?:دیگر|أخرى)|` +
	`ועוד (?:\p{Nd}+ (?:דפים|עמודים)|(?:דף|עמוד) (?:אחד|\p{Nd}+)))` +
	`| ?和另外 ?\p{Nd}+ ?个页面| ?および他 ?\p{Nd}+ ?ページ)$`)

// cutCount takes the count of further pages off. Where the page's own name is known, a clause of any
// language counts that stands directly behind it.
func (t *browserTitle) cutCount(names pageNames) bool {
	if t.Count != "" || names.has(t.Page) {
		return t.Count != ""
	}
	if at := countClause.FindStringIndex(t.Page); at != nil {
		if ending := t.Page[at[0]:]; names.mayCut(t.Page, t.Page[:at[0]], ending) {
			t.Page, t.Count = t.Page[:at[0]], strings.TrimSpace(ending)
			return true
		}
	}
	for _, name := range names.all() {
		if clause, found := strings.CutPrefix(t.Page, name); found && name != "" && looksLikeCount(clause) {
			t.Page, t.Count = name, strings.TrimSpace(clause)
			return true
		}
	}
	return false
}

// looksLikeCount says whether the words behind a page's name can be a count of pages in a language
// that the table lacks: a few words with one number among them.
func looksLikeCount(clause string) bool {
	words := strings.Fields(clause)
	if !strings.HasPrefix(clause, " ") || len(words) < 2 || len(words) > 6 || len(clause) > 80 {
		return false
	}
	numbers := 0
	for _, word := range words {
		switch {
		case digits(word) == len(word):
			numbers++
		case strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) >= 0:
			return false
		}
	}
	return numbers == 1
}

func (n pageNames) all() []string { return append(slices.Clip(n.docs), n.tabs...) }

func (n pageNames) has(name string) bool {
	return name != "" && (slices.Contains(n.docs, name) || slices.Contains(n.tabs, name))
}

func (n pageNames) endIn(ending string) bool {
	return endsInAny(n.docs, ending) || endsInAny(n.tabs, ending)
}

// mayCut says whether an ending may be taken for the browser's: when the page is known to be called
// what is left, or when no name of the page ends in it.
func (n pageNames) mayCut(whole, rest, ending string) bool {
	return n.has(strings.TrimSpace(rest)) || !n.has(whole) && !n.endIn(ending)
}

func endsInAny(names []string, ending string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, ending) })
}
