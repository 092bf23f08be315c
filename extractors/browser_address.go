package extractors

import (
	"net"
	"strings"
	"unicode"

	"mcp-computer-use/internal/ui"
)

// address returns the page's address: the document's own, else that of the address bar. A value that
// the engine cut is completed from `text`, or not used. Source: spec/profiles.md, "browser".
func (p *page) address() string {
	if len(p.t.els) == 0 {
		return p.addressOfText()
	}
	if p.doc >= 0 {
		if value := p.whole(p.t.els[p.doc], addressLine); usableAddress(value) {
			return value
		}
	}
	return completeAddress(p.barValue())
}

// barValue is what the address bar shows, as a whole, or nothing.
func (p *page) barValue() string {
	fallback := ""
	bar := make([]bool, len(p.t.els)) // inside of a tool bar
	for i := 0; i < len(p.t.els); i++ {
		el := p.t.els[i]
		bar[i] = el.Role == ui.RoleToolbar || el.Parent >= 0 && el.Parent < i && bar[el.Parent]
		if p.isDoc[i] {
			i = p.t.end(i) - 1
			continue
		}
		if el.Role != ui.RoleTextField && el.Role != ui.RoleComboBox && el.Role != ui.RoleTextArea || el.Value == "" {
			continue
		}
		value := p.whole(el, func(string) bool { return true })
		switch {
		case !looksLikeAddress(value):
		case isAddressBar(p.t.name(i), el.ID):
			return value
		case fallback == "" && bar[i]:
			fallback = value
		}
	}
	return fallback
}

// barNames are the address bars that do not ask for an "address" in English.
var barNames = set("address and search bar", "search or enter web address", "adress- und suchleiste",
	"barre d'adresse et de recherche", "barra de direcciones y de búsqueda", "barra de endereço e de pesquisa",
	"barra degli indirizzi e di ricerca", "סרגל כתובות וחיפוש", "סרגל הכתובות והחיפוש", "שורת חיפוש וכתובות אתרים")

// firefoxBar is the name of Firefox's bar, which changes with the search engine.
var firefoxBar = lazy(`(?i)^(search( with .+)? or enter address|rechercher( avec .+)? ou saisir une adresse|mit .+ suchen oder adresse eingeben)$`)

func isAddressBar(name, id string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "’", "'"))
	return barNames[name] || firefoxBar.MatchString(name) || id == "urlbar-input" || id == "view_1020"
}

// whole returns an element's value, completed from `text` where the engine cut it: the first line that
// goes on from what is left of it. It is empty where no line does.
func (p *page) whole(el ui.Element, fits func(string) bool) string {
	value := strings.TrimSpace(el.Value)
	start, cut := strings.CutSuffix(value, "…")
	if !cut && !el.ValueCut {
		return value
	}
	for _, line := range p.in.Lines {
		line = strings.TrimSpace(line)
		if start != "" && strings.HasPrefix(line, start) && !strings.HasSuffix(line, "…") && fits(line) {
			return line
		}
	}
	return ""
}

// addressOfText finds the address where there is no tree: the bar's value comes before the document's,
// and both before the page.
func (p *page) addressOfText() string {
	bar := ""
	for n, line := range p.in.Lines {
		if line = strings.TrimSpace(line); n >= 4 || line == "" {
			break
		}
		if addressLine(line) && usableAddress(line) {
			return line
		}
		if bar == "" && looksLikeAddress(line) {
			bar = completeAddress(line)
		}
	}
	return bar
}

// usableAddress says whether an address is a page's own: neither shortened nor one that the browser
// uses for itself.
func usableAddress(address string) bool {
	return addressLine(address) && !strings.HasSuffix(address, "…") && !hasAnyPrefix(address, "chrome-error:", "about:")
}

// completeAddress adds the scheme that an address bar leaves out. A local server or a bare IP address
// could as well be without TLS and stays as shown.
func completeAddress(value string) string {
	if value == "" || strings.HasSuffix(value, "…") || hasAnyPrefix(value, "chrome-error:", "about:") {
		return ""
	}
	if addressLine(value) {
		return value
	}
	host := hostPart(value)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host) != nil {
		return value
	}
	return "https://" + value
}

// looksLikeAddress says whether the text of an address bar is an address and not words to search for.
func looksLikeAddress(value string) bool {
	if value == "" || len(value) > 8*maxValue || strings.ContainsFunc(value, unicode.IsSpace) {
		return false
	}
	if addressLine(value) {
		return true
	}
	return hostLike(hostPart(value))
}

// hostPart is the host of an address with or without scheme, in lower case, without port.
func hostPart(address string) string {
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	}
	if i := strings.IndexAny(address, "/?#"); i >= 0 {
		address = address[:i]
	}
	if _, rest, found := cutLast(address, "@"); found {
		address = rest
	}
	if strings.HasPrefix(address, "[") {
		inner, _, _ := strings.Cut(address[1:], "]")
		return strings.ToLower(inner)
	}
	if host, port, found := cutLast(address, ":"); found && digits(port) == len(port) {
		address = host
	}
	return strings.ToLower(address)
}

// hostLike says whether a word can be a host: an IP address, localhost, or names joined by dots.
func hostLike(host string) bool {
	if net.ParseIP(host) != nil || host == "localhost" {
		return true
	}
	if !strings.Contains(strings.Trim(host, "."), ".") || strings.Contains(host, "..") {
		return false
	}
	bad := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '.' && r != '_'
	}
	return !strings.ContainsFunc(host, bad)
}
