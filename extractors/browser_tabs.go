package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// browserTab is a tab of the tab strip.
type browserTab struct {
	clean    string // without the tags that the browser adds
	failed   bool   // tagged as a page that could not be loaded
	selected bool
}

// findTabs returns the tabs in reading order. On macOS they are radio buttons in a group of tabs.
func (p *page) findTabs(docs []string) []browserTab {
	var tabs []browserTab
	for i := 0; i < len(p.t.els); i++ {
		el := p.t.els[i]
		if p.isDoc[i] {
			i = p.t.end(i) - 1
			continue
		}
		if el.Role == ui.RoleTab || el.Role == ui.RoleRadioButton && p.inTabGroup(i) {
			if tab := parseTab(el.Name, docs); tab.clean != "" {
				tab.selected = markedSelected(el.Value)
				tabs = append(tabs, tab)
			}
		}
	}
	return tabs
}

func (p *page) inTabGroup(i int) bool {
	for k := 0; k < 4 && i >= 0; k++ {
		if i = p.t.els[i].Parent; i >= 0 && p.t.els[i].Role == ui.RoleTabGroup {
			return true
		}
	}
	return false
}

// markedSelected knows the values that engines print for a selected tab.
func markedSelected(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true", "1", "selected", "checked", "active":
		return true
	}
	return false
}

// knownTabs are the tab names that help to read the window title: the selected tab, or all of them
// where neither that nor a document is known.
func knownTabs(tabs []browserTab, docs bool) []string {
	var all []string
	for _, tab := range tabs {
		if tab.selected {
			return []string{tab.clean}
		}
		all = append(all, tab.clean)
	}
	if docs && len(all) > 1 {
		return nil
	}
	return all
}

// activeTab picks the tab of the page: the selected one, else the one that is called like the page
// or its document, else the only one. Its mark of failure counts only where no other tab of the
// same name could be meant.
func (p *page) activeTab(tabs []browserTab) browserTab {
	for _, tab := range tabs {
		if tab.selected {
			return tab
		}
	}
	names := []string{p.title.Page}
	if p.doc >= 0 {
		names = append(names, plainTitle(p.t.els[p.doc].Name))
	}
	for _, name := range names {
		var same []browserTab
		for _, tab := range tabs {
			if name != "" && tab.clean == name {
				same = append(same, tab)
			}
		}
		if len(same) > 0 {
			failed := !slices.ContainsFunc(same, func(tab browserTab) bool { return !tab.failed })
			return browserTab{clean: name, failed: failed}
		}
	}
	if len(tabs) == 1 {
		return tabs[0]
	}
	return browserTab{}
}

// size is an amount of memory as Chromium prints it.
const size = `[\p{Nd}.,]+[  ]?[KMGT]i?B`

// tabTags are the endings that Chromium adds to the name of a tab, in the order from the right to
// the left in which they can stand (spec/apps.md section 1.3).
var tabTags = []*pattern{
	lazy(`(?i) - (?:(?:high )?memory usage|内存使用率|記憶體用量|שימוש בזיכרון|arbeitsspeichernutzung|speichernutzung|uso de mem[oó]ria|utilisation de la mémoire)(?: - |: )` + size + `$`),
	lazy(`(?i) - (?:inactive tab|sleeping tab)(?: - ` + size + ` (?:saved|freed up))?$`),
	tabAlert,
	lazy(`(?i) - (?:permission requested(?:, [^-]*)?|crashed|pinned(?: tab)?|part of (?:unnamed group|group [^-]+))$`),
}

// tabAlert says what a tab plays, records or uses.
var tabAlert = lazy(`(?i)(?: – | - )(?:audio playing|audio muted|muted|microphone recording|camera recording|camera and microphone recording|(?:tab|desktop|window) content shared|screen sharing|bluetooth (?:device )?connected|bluetooth scan active|usb device connected|hid device connected|serial port connected|(?:playing )?picture[ -]in[ -]picture(?: mode)?|vr presenting|presenting to vr headset|音频正在播放)$`)

// anySize is a tag of memory in a language that the table lacks.
var anySize = lazy(`^(?: – [^–]+)*(?: - [^-]+)* - ` + size + `$`)

// parseTab takes the tags off the name of a tab. A name that a document has is the page's own, and so
// is what stands before a tag of memory in an unknown language.
func parseTab(name string, docs []string) browserTab {
	tab := browserTab{clean: plainTitle(name)}
	if len(tab.clean) > 8*maxValue {
		return tab
	}
	for changed := true; changed && !slices.Contains(docs, tab.clean); {
		changed = false
		if rest, found := strings.CutSuffix(tab.clean, networkErrorMark); found {
			tab.clean, tab.failed, changed = rest, true, true
			continue
		}
		for _, tag := range tabTags {
			if at := tag.FindStringIndex(tab.clean); at != nil && at[0] > 0 {
				tab.clean, changed = strings.TrimSpace(tab.clean[:at[0]]), true
				break
			}
		}
	}
	for _, doc := range docs {
		if rest, found := strings.CutPrefix(tab.clean, doc); found && anySize.MatchString(rest) {
			tab.clean = doc
		}
	}
	return tab
}
