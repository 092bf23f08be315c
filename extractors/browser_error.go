package extractors

import (
	"slices"
	"strings"

	"mcp-computer-use/internal/ui"
)

// failed says whether the window shows the browser's own page for a network or certificate error. A
// page that speaks about such errors is none. Source: spec/profiles.md, "browser".
func (p *page) failed() bool {
	if (p.title.NetworkError || p.tab.failed) && !strings.Contains(p.title.Brand, "Firefox") {
		return true
	}
	if len(p.t.els) == 0 {
		return p.failedByText()
	}
	return p.doc >= 0 && p.failedByDocument()
}

// errorTitles are the documents of the browsers' own warnings. The page of a network error is called
// like the host instead. Source: spec/apps.md section 1.4; the translations are Chromium's and
// Firefox's.
var errorTitles = set("Privacy error", "Security error", "Clock error", "Safety warning", "Blocked by Admin",
	"Problem loading page", "Server Not Found", "Warning: Potential Security Risk Ahead",
	"Did Not Connect: Potential Security Issue", "Blocked Page", "Invalid URL", "Warning: Security Risk",
	"Datenschutzfehler", "Erreur liée à la confidentialité", "Error de privacidad", "Erro de privacidade",
	"Errore di privacy", "Privacyfout", "Integritetsfel", "Błąd dotyczący prywatności", "שגיאת פרטיות",
	"שגיאה בפרטיות", "Ошибка нарушения конфиденциальности", "プライバシー エラー", "隐私设置错误",
	"Seiten-Ladefehler", "Fehler: Server nicht gefunden", "Fehler: Verbindung fehlgeschlagen",
	"Warnung: Mögliches Sicherheitsrisiko erkannt", "Warnung: Sicherheitsrisiko", "שגיאה בטעינת הדף",
	"השרת לא נמצא", "אזהרה: סיכון אבטחה אפשרי בהמשך")

// errorHeadings are what stands on those pages in large letters, with a straight apostrophe.
var errorHeadings = set("This site can't be reached", "No internet", "You're offline",
	"Your connection was interrupted", "This page isn't working", "Your file couldn't be accessed",
	"This site can't provide a secure connection", "Your connection is not private",
	"Your connection isn't private", "Dangerous site", "Your clock is ahead", "Your clock is behind",
	"Hmmm… can't reach this page", "Hmm… can't reach this page",
	"Hmm, we can't reach this page.", "Unable to connect", "Hmm. We're having trouble finding that site.",
	"The connection has timed out", "The connection was reset", "Secure Connection Failed", "Offline mode",
	"Looks like there's a problem with this site", "Be careful. Something doesn't look right.",
	"The page isn't redirecting properly", "Corrupted Content Error", "Oops.",
	"Problem loading page", "Server Not Found", "Warning: Potential Security Risk Ahead",
	"Did Not Connect: Potential Security Issue", "Blocked Page", "Invalid URL", "Warning: Security Risk",
	"Privacy error", "Security error", "Clock error", "Safety warning", "Blocked by Admin")

// hostHeadings are headings that hold the host or its address.
var hostHeadings = lazy(`^(This \S+ page can't be found|Access to \S+ was denied|\S+ is blocked)$`)

// signInTitles ask the user to sign in to a network: nothing failed.
var signInTitles = set("Connect to Wi-Fi", "Log in to network")

// errorCode is a code of a network or certificate error that stands alone, with or without Firefox's
// label in front.
var errorCode = lazy(`^(?:[Ee]rror [Cc]ode: ?)?(?:ERR_[A-Z0-9_]+|DNS_PROBE_[A-Z0-9_]+|NET::ERR_[A-Z0-9_]+|(?:PR|SEC|SSL|MOZILLA_PKIX)_(?:ERROR_)?[A-Z0-9_]+)$`)

func isErrorCode(line string) bool { return len(line) < 120 && errorCode.MatchString(line) }

func isErrorHeading(line string) bool {
	if len(line) > 300 {
		return false
	}
	line = strings.ReplaceAll(strings.ReplaceAll(line, "’", "'"), "...", "…")
	return errorHeadings[line] || hostHeadings.MatchString(line)
}

// ownAddress says whether an address is one under which only the browser's error pages are shown.
func ownAddress(address string) bool {
	return hasAnyPrefix(address, "chrome-error:", "about:neterror?", "about:certerror?", "about:httpsonlyerror?") &&
		!strings.Contains(address, "e=captivePortal")
}

// failedByDocument looks at the shown document: its address, or its shape together with a heading or
// a code that stands alone.
func (p *page) failedByDocument() bool {
	root := p.t.els[p.doc]
	name := plainTitle(root.Name)
	if signInTitles[name] || strings.Contains(root.Value, "e=captivePortal") {
		return false
	}
	if len(p.docs) > 1 && p.title.Page != "" && !p.almostCalledLikePage(p.doc) && !strings.HasPrefix(p.title.Page, name+" - ") {
		return false // it may be the page of another tab
	}
	heading, code := p.errorEvidence(ownAddress(root.Value))
	if ownAddress(root.Value) {
		return heading || code || p.exposed()
	}
	switch nodes := p.t.end(p.doc) - p.doc - 1; {
	case nodes <= maxErrorNodes:
		return (heading || code) && (errorTitles[name] || p.calledLikeHost(name))
	case nodes <= maxWarningNodes:
		return heading && errorTitles[name]
	}
	return false
}

// errorEvidence looks for a known heading and for a bare code in the document. A heading has to stand
// as one; in a document that is the browser's for sure any text of these words is it.
func (p *page) errorEvidence(certain bool) (heading, code bool) {
	windows := p.t.els[p.doc].Role == ui.RoleTextArea
	for i := p.doc + 1; i < p.t.end(p.doc); i++ {
		if !p.t.isText(i) {
			continue
		}
		stands := certain || p.t.els[i].Role == ui.RoleHeading || windows && p.isPair(i)
		name := p.t.els[i].Name
		if stands && p.t.els[i].Role == ui.RoleHeading {
			name = p.headingName(i)
		}
		heading = heading || stands && isErrorHeading(plainTitle(name))
		code = code || isErrorCode(plainTitle(p.t.els[i].Name))
	}
	return heading, code
}

// calledLikeHost says whether a document is named by the host of its address, which is what the
// browser does where no page came.
func (p *page) calledLikeHost(name string) bool {
	name = strings.ToLower(name)
	if name == "" {
		return false
	}
	addresses := []string{p.t.els[p.doc].Value, p.barValue()}
	known := false
	for _, address := range addresses {
		address = strings.TrimSpace(address)
		if address == "" || ownAddress(address) {
			continue
		}
		host := hostPart(address)
		if start, cut := strings.CutSuffix(host, "…"); cut { // the engine cut inside of the host
			if strings.HasPrefix(name, start) {
				return true
			}
			continue
		}
		known = true
		if name == host || hostPart(name) == host && hostLike(host) || name == strings.ToLower(address) {
			return true
		}
		if base := address[strings.LastIndex(address, "/")+1:]; strings.HasPrefix(address, "file:") && name == strings.ToLower(base) {
			return true
		}
	}
	return !known && hostLike(hostPart(name))
}

// failedByText judges where the tree is missing: the first lines hold the addresses of bar and document,
// and a page of the browser's own is short.
func (p *page) failedByText() bool {
	lines := p.in.Lines
	if len(lines) > maxErrorNodes || signInTitles[p.title.Page] {
		return false
	}
	head := lines[:min(len(lines), 3)]
	own := slices.ContainsFunc(head, func(line string) bool { return ownAddress(strings.TrimSpace(line)) })
	named := errorTitles[p.title.Page]
	for _, line := range head {
		line = strings.TrimSpace(line)
		named = named || looksLikeAddress(line) && p.title.Page != "" && strings.ToLower(p.title.Page) == hostPart(line)
	}
	heading := slices.ContainsFunc(lines, func(line string) bool { return isErrorHeading(plainTitle(line)) })
	code := slices.ContainsFunc(lines, func(line string) bool { return isErrorCode(plainTitle(line)) })
	return own && (heading || code) || named && heading && code
}
