package extractors

import (
	"fmt"
	"strings"
	"testing"
)

// chromeWindow is a Chrome window on Windows: title, value of the bar, tabs, and the document.
func chromeWindow(title, bar string, tabs []string, document string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "window %q\n  group %q\n    tabgroup\n", title, title)
	for n, tab := range tabs {
		fmt.Fprintf(&b, "      [@e%d] tab %q\n        [@e90%d] button \"Close\"\n", n+100, tab, n)
	}
	b.WriteString("    toolbar\n      [@e1] button \"Back\"\n      [@e2] button \"Reload\"\n")
	fmt.Fprintf(&b, "      [@e3] textfield \"Address and search bar\" val=%q\n    toolbar \"Bookmarks\"\n      [@e4] button \"3 failed runs\"\n    group\n", bar)
	for _, line := range strings.Split(strings.Trim(document, "\n"), "\n") {
		b.WriteString("      " + line + "\n")
	}
	return strings.ReplaceAll(b.String(), `\n`, "\n")
}

func TestBrowserErrorPages(t *testing.T) {
	const refused = `[@e9] textarea "localhost" val="http://localhost:5173/" id=RootWebArea
  statictext "This site can’t be reached"
    statictext "This site can’t be reached"
  statictext "localhost refused to connect."
  statictext "ERR_CONNECTION_REFUSED"
  [@e10] button "Reload"`
	title := func(name string) string { return name + " - Google Chrome" }
	checkShots(t, ProfileBrowser, []shot{
		{name: "refused", app: "chrome", title: title("localhost"), text: "localhost:5173\nhttp://localhost:5173/\nThis site can’t be reached\nERR_CONNECTION_REFUSED",
			tree: chromeWindow(title("localhost"), "localhost:5173", []string{"localhost"}, refused), status: StatusError,
			details: map[string]any{"page_title": "localhost", "url": "http://localhost:5173/", "tab": "localhost"}, has: []string{"ERR_CONNECTION_REFUSED"}},
		{name: "heading alone", app: "chrome", title: title("localhost"), tree: chromeWindow(title("localhost"), "localhost:5173", []string{"localhost"},
			strings.ReplaceAll(refused, `  statictext "ERR_CONNECTION_REFUSED"`+"\n", "")), status: StatusError},
		{name: "code alone, in Hebrew", app: "chrome", title: title("shop.example"), tree: chromeWindow(title("shop.example"), "shop.example/cart", []string{"shop.example"}, `
[@e9] textarea "shop.example" val="https://shop.example/cart" id=RootWebArea
  statictext "לא ניתן לגשת לאתר הזה"
    statictext "לא ניתן לגשת לאתר הזה"
  statictext "ERR_NAME_NOT_RESOLVED"
  [@e10] button "טעינה מחדש"`), status: StatusError, details: map[string]any{"headings": []string{"לא ניתן לגשת לאתר הזה"}, "url": "https://shop.example/cart"}},
		{name: "German certificate", app: "chrome", title: title("Datenschutzfehler"), tree: chromeWindow(title("Datenschutzfehler"), "https://nas.example", []string{"Datenschutzfehler"}, `
[@e9] textarea "Datenschutzfehler" val="https://nas.example/" id=RootWebArea
  statictext "Dies ist keine sichere Verbindung"
    statictext "Dies ist keine sichere Verbindung"
  statictext "NET::ERR_CERT_AUTHORITY_INVALID"
  [@e10] button "Erweitert"`), status: StatusError},
		{name: "own address, code in another language", app: "msedge", title: "intern.example - Microsoft Edge", tree: chromeWindow("intern.example - Microsoft Edge", "intern.example/urlaub", []string{"intern.example"}, `
[@e9] textarea "intern.example" val="chrome-error://chromewebdata/" id=RootWebArea
  statictext "Hmmm... diese Seite ist leider nicht erreichbar"
  statictext "ERR_CONNECTION_TIMED_OUT"`), status: StatusError, details: map[string]any{"url": "https://intern.example/urlaub"}},
		{name: "500", app: "chrome", title: title("api.example"), tree: chromeWindow(title("api.example"), "api.example", []string{"api.example"}, `
[@e9] textarea "api.example" val="https://api.example/" id=RootWebArea
  statictext "This page isn’t working"
    statictext "This page isn’t working"
  statictext "HTTP ERROR 500"`), status: StatusError},
		{name: "blocked host", app: "chrome", title: title("games.example"), tree: chromeWindow(title("games.example"), "games.example", []string{"games.example"}, `
[@e9] textarea "games.example" val="https://games.example/" id=RootWebArea
  statictext "games.example is blocked"
    statictext "games.example is blocked"
  statictext "ERR_BLOCKED_BY_ADMINISTRATOR"`), status: StatusError},
		{name: "address cut inside of the host", app: "chrome", title: title("a-rather-long-name-of-a-machine.internal.example"), tree: chromeWindow(title("a-rather-long-name-of-a-machine.internal.example"), "", []string{"x"}, `
[@e9] textarea "a-rather-long-name-of-a-machine.internal.example" val="https://a-rather-long-name-of-a-machine…" id=RootWebArea
  statictext "ERR_NAME_NOT_RESOLVED"`), status: StatusError, no: []string{"url"}},
		{name: "address of another host", app: "chrome", title: title("docs.example"), tree: chromeWindow(title("docs.example"), "wiki.example", []string{"x"}, `
[@e9] textarea "docs.example" val="https://wiki.example/errors" id=RootWebArea
  statictext "ERR_NAME_NOT_RESOLVED"`), status: StatusUnknown},
		{name: "clock", app: "chrome", title: title("Clock error"), tree: chromeWindow(title("Clock error"), "https://x.example", []string{"Clock error"}, `
[@e9] textarea "Clock error" val="https://x.example/" id=RootWebArea
  statictext "Your clock is behind"
    statictext "Your clock is behind"
  statictext "NET::ERR_CERT_DATE_INVALID"`), status: StatusError},
		{name: "mark of the active tab", app: "chrome", title: title("db.example"), tree: chromeWindow(title("db.example"), "db.example", []string{"News", "db.example - Network error"}, `
[@e9] textarea "db.example" val="https://db.example/" id=RootWebArea
  statictext "…"`), status: StatusError, details: map[string]any{"tab": "db.example"}},
		{name: "mark of another tab", app: "chrome", title: title("News"), tree: chromeWindow(title("News"), "news.example", []string{"News", "db.example - Network error"}, `
[@e9] textarea "News" val="https://news.example/" id=RootWebArea
  statictext "Fine"`), status: StatusUnknown, details: map[string]any{"tab": "News"}},
		{name: "two tabs of one name", app: "chrome", title: title("localhost"), tree: chromeWindow(title("localhost"), "localhost:80", []string{"localhost", "localhost - Network error"}, `
[@e9] textarea "localhost" val="http://localhost:80/" id=RootWebArea
  statictext "It works!"
    statictext "It works!"`), status: StatusUnknown},
		{name: "article that ends like the mark", app: "chrome", title: title("How to fix it - Network error"), tree: chromeWindow(title("How to fix it - Network error"), "help.example", []string{"How to fix it - Network error"}, `
[@e9] textarea "How to fix it - Network error" val="https://help.example/" id=RootWebArea
  statictext "ERR_CONNECTION_RESET"
    statictext "ERR_CONNECTION_RESET"`), status: StatusUnknown, details: map[string]any{"page_title": "How to fix it - Network error", "tab": "How to fix it - Network error"}},
		{name: "heading in prose", app: "chrome", title: title("localhost"), tree: chromeWindow(title("localhost"), "localhost:80", []string{"localhost"}, `
[@e9] textarea "localhost" val="http://localhost:80/" id=RootWebArea
  statictext "No internet"
  statictext "That is what the page said."`), status: StatusUnknown},
		{name: "code inside a sentence", app: "chrome", title: title("blog.example"), tree: chromeWindow(title("blog.example"), "blog.example", []string{"blog.example"}, `
[@e9] textarea "blog.example" val="https://blog.example/" id=RootWebArea
  statictext "Yesterday I met ERR_CONNECTION_REFUSED again."`), status: StatusUnknown},
		{name: "long page of a host", app: "chrome", title: title("blog.example"), tree: chromeWindow(title("blog.example"), "blog.example", []string{"blog.example"},
			"[@e9] textarea \"blog.example\" val=\"https://blog.example/\" id=RootWebArea\n  statictext \"ERR_FAILED\"\n"+strings.Repeat("  statictext \"words\"\n", 70)), status: StatusUnknown},
		{name: "captive portal", app: "chrome", title: title("Connect to Wi-Fi"), tree: chromeWindow(title("Connect to Wi-Fi"), "x.example", []string{"Connect to Wi-Fi"}, `
[@e9] textarea "Connect to Wi-Fi" val="https://x.example/" id=RootWebArea
  statictext "Connect to Wi-Fi"
    statictext "Connect to Wi-Fi"
  statictext "NET::ERR_CERT_COMMON_NAME_INVALID"
  [@e10] button "Connect"`), status: StatusUnknown},
		{name: "Firefox in German", app: "firefox", title: "Seiten-Ladefehler — Mozilla Firefox", tree: `
window "Seiten-Ladefehler — Mozilla Firefox"
  toolbar "Navigation"
    [@e1] combobox
      [@e2] textfield "Mit Google suchen oder Adresse eingeben" val="https://nirgends.example/"
  group
    [@e3] textarea "Seiten-Ladefehler" val="about:neterror?e=dnsNotFound&u=https%3A/…"
      statictext "Hm. Wir haben Probleme beim Finden dieser Website."`, status: StatusError, details: map[string]any{"url": "https://nirgends.example/"}},
		{name: "Firefox, newer page", app: "Firefox", title: "Problem loading page — Mozilla Firefox", tree: `
window "Problem loading page — Mozilla Firefox"
  group
    webarea "Problem loading page"
      heading "Looks like there’s a problem with this site"
      [@e1] button "Try Again"`, status: StatusError},
		{name: "Firefox signs in to a network", app: "firefox", title: "Log in to network — Mozilla Firefox", tree: `
window "Log in to network — Mozilla Firefox"
  [@e3] textarea "Log in to network" val="about:certerror?e=captivePortal&u=https%…"
    statictext "Log in to network"`, status: StatusUnknown},
		{name: "failed background tab in Firefox", app: "Firefox", title: "Plan — Mozilla Firefox", tree: `
window "Plan — Mozilla Firefox"
  tabgroup
    [@e1] tab "Problem loading page"
    [@e2] tab "Plan"
  webarea "Problem loading page"
    heading "Unable to connect"
  webarea "Plan"
    heading "Plan"
    paragraph "1 failed, 2 passed"`, status: StatusUnknown, details: map[string]any{"tab": "Plan", "headings": []string{"Plan"}, "failures": []string{"1 failed, 2 passed"}}, lacks: []string{"Unable"}},
		{name: "failed background tab, counter in the title", app: "Firefox", title: "(2) Plan — Mozilla Firefox", tree: `
window "(2) Plan — Mozilla Firefox"
  webarea "Problem loading page"
    heading "Unable to connect"
  webarea "Plan"
    heading "Plan"`, status: StatusUnknown, details: map[string]any{"page_title": "(2) Plan", "headings": []string{"Plan"}}},
		{name: "failed background tab, title changed", app: "Firefox", title: "Report — Mozilla Firefox", tree: `
window "Report — Mozilla Firefox"
  webarea "Problem loading page"
    heading "Unable to connect"
  webarea "Plan"
    heading "Plan"`, status: StatusUnknown},
		{name: "text alone, own address", app: "chrome", title: title("shop.example"), text: "shop.example/cart\nchrome-error://chromewebdata/\nNo se puede acceder\nERR_NAME_NOT_RESOLVED",
			status: StatusError, details: map[string]any{"url": "https://shop.example/cart"}},
		{name: "text alone, article", app: "chrome", title: title("About ERR_CONNECTION_RESET"), text: "blog.example/x\nhttps://blog.example/x\nThis site can’t be reached\nERR_CONNECTION_RESET",
			status: StatusUnknown, details: map[string]any{"url": "https://blog.example/x"}},
	})
}

func TestBrowserPages(t *testing.T) {
	const page = `[@e9] textarea "Tide map" val="https://tides.example/map" id=RootWebArea
  statictext "Tide map"
    statictext "Tide map"
  [@e10] link "Home" val="https://tides.example/"
    statictext "Home"
  statictext "North pier: high water 04:12"
  statictext "2 failed, 3 passed"
  statictext "We saw 2 errors in the tables of last year"
  statictext "Next steps:"
  statictext " publish the notes."
  [@e11] slider "Zoom" val="100"`
	title := "Tide map - Google Chrome"
	checkShots(t, ProfileBrowser, []shot{
		{name: "page and frame", app: "chrome", title: title, tree: chromeWindow(title, "tides.example/map", []string{"Tide map", "Deploy failed"}, page),
			text:   "tides.example/map\nhttps://tides.example/map\nTide map\nTide map\nhttps://tides.example/\nHome\nNorth pier: high water 04:12\n2 failed, 3 passed\nWe saw 2 errors in the tables of last year\nNext steps:\n publish the notes.\n100",
			status: StatusUnknown, details: map[string]any{"failures": []string{"2 failed, 3 passed"}, "next_step": "publish the notes.", "headings": []string{"Tide map"}, "tab": "Tide map"},
			has: []string{"North pier"}, lacks: []string{"https://", "100", "3 failed runs"}},
		{name: "text missing", app: "chrome", title: title, tree: chromeWindow(title, "tides.example/map", []string{"Tide map"}, page), status: StatusUnknown,
			details: map[string]any{"failures": []string{"2 failed, 3 passed"}, "next_step": "publish the notes."}, has: []string{"North pier", "Home"}},
		{name: "snapshot missing", app: "chrome", title: title, text: "tides.example/map\nhttps://tides.example/map\nTide map\nNorth pier: high water 04:12", status: StatusUnknown,
			details: map[string]any{"page_title": "Tide map", "url": "https://tides.example/map"}, has: []string{"North pier"}, no: []string{"tab"}},
		{name: "selected tab", app: "chrome", title: title, tree: strings.Replace(chromeWindow(title, "tides.example/map", []string{"Tide map", "Other"}, page), `tab "Other"`, `tab "Other – Audio playing - Memory usage - 3 MB" val="true"`, 1),
			status: StatusUnknown, details: map[string]any{"tab": "Other"}},
		{name: "no tab fits", app: "chrome", title: title, tree: chromeWindow(title, "tides.example/map", []string{"One", "Two"}, page), status: StatusUnknown, no: []string{"tab"}},
		{name: "pinned tab", app: "chrome", title: title, tree: chromeWindow(title, "tides.example/map", []string{"One", "Tide map - Pinned"}, page), status: StatusUnknown, details: map[string]any{"tab": "Tide map"}},
		{name: "cut addresses", app: "chrome", title: title, tree: chromeWindow(title, "tides.example/map/of/the/long/coast/and…", []string{"Tide map"}, `
[@e9] textarea "Tide map" val="https://tides.example/map/of/the/long/co…" id=RootWebArea
  statictext "North pier"`), status: StatusUnknown, no: []string{"url"}},
		{name: "cut address, whole in text", app: "chrome", title: title, text: "tides.example/map/of/the/long/coast/and/sea\nNorth pier", tree: chromeWindow(title, "tides.example/map/of/the/long/coast/and…", []string{"Tide map"}, `
[@e9] textarea "Tide map" id=RootWebArea
  statictext "North pier"`), status: StatusUnknown, details: map[string]any{"url": "https://tides.example/map/of/the/long/coast/and/sea"}, lacks: []string{"coast"}},
		{name: "IP address in the bar", app: "chrome", title: title, tree: chromeWindow(title, "192.168.1.7:8080/x", []string{"Tide map"}, `
[@e9] textarea "Tide map" id=RootWebArea
  statictext "North pier"`), status: StatusUnknown, details: map[string]any{"url": "192.168.1.7:8080/x"}},
		{name: "words in the bar", app: "chrome", title: title, tree: chromeWindow(title, "weather in haifa", []string{"Tide map"}, `
[@e9] textarea "Tide map" id=RootWebArea
  statictext "North pier"`), status: StatusUnknown, no: []string{"url"}},
		{name: "empty document", app: "chrome", title: title, text: "tides.example/map\nhttps://tides.example/map", tree: chromeWindow(title, "tides.example/map", []string{"Tide map"},
			`[@e9] textarea "Tide map" val="https://tides.example/map" id=RootWebArea`), status: StatusUnknown, hidden: true, details: map[string]any{"page_title": "Tide map"}, no: []string{"headings", "failures"}},
		{name: "frame alone", app: "chrome", title: title, tree: "window \"" + title + "\"\n  toolbar\n    [@e1] button \"Back\"", status: StatusUnknown, hidden: true},
		{name: "side panel beside the page", app: "msedge", title: "Tide map - Microsoft Edge", tree: `
window "Tide map - Microsoft Edge"
  group
    [@e1] textarea "Copilot" val="chrome-untrusted://copilot/" id=RootWebArea
      statictext "FAILED tests/x.py::t"
  group
    [@e2] textarea "Tide map" val="https://tides.example/map" id=RootWebArea
      statictext "North pier"`, text: "chrome-untrusted://copilot/\nFAILED tests/x.py::t\nhttps://tides.example/map\nNorth pier", status: StatusUnknown, no: []string{"failures"}, has: []string{"North pier"}, lacks: []string{"FAILED"}},
		{name: "frame within the page", app: "chrome", title: title, tree: chromeWindow(title, "tides.example/map", []string{"Tide map"}, `
[@e9] textarea "Tide map" val="https://tides.example/map" id=RootWebArea
  [@e10] textarea "Log" val="https://tides.example/log"
    statictext "--- FAIL: TestTide (0.01s)"`), status: StatusUnknown, details: map[string]any{"failures": []string{"--- FAIL: TestTide (0.01s)"}}},
		{name: "macOS", app: "Google Chrome", title: "Demo - Google Chrome - Andrew", tree: `
window "Demo - Google Chrome - Andrew"
  tabgroup
    [@e1] radiobutton "Demo - Memory usage - 120 MB"
    [@e2] radiobutton "Mail"
  toolbar
    [@e3] textfield "Address and search bar" val="demo.example"
  webarea "Demo"
    heading "Demo"
    statictext "Hello"`, text: "demo.example\nDemo\nHello", status: StatusUnknown, details: map[string]any{"page_title": "Demo", "tab": "Demo", "url": "https://demo.example", "headings": []string{"Demo"}}},
		{name: "Firefox on macOS", app: "firefox", title: "Demo — Private Browsing", tree: `
window "Demo — Private Browsing"
  webarea "Demo"
    heading "Demo"`, status: StatusUnknown, details: map[string]any{"page_title": "Demo"}},
		{name: "deep page", app: "firefox", title: "Demo — Mozilla Firefox", text: "Top\nBottom", tree: `
window "Demo — Mozilla Firefox"
  webarea "Demo"
    heading "Top"
    list
      [@e1] listitem "• deep line"
    paragraph "Bottom"`, status: StatusUnknown, has: []string{"Top\n• deep line\nBottom"}},
		{name: "newest lines are kept", app: "chrome", title: title, max: 40, text: strings.Repeat("old line\n", 3) + "new line", tree: chromeWindow(title, "tides.example", []string{"Tide map"}, `
[@e9] textarea "Tide map" val="https://tides.example/" id=RootWebArea
  statictext "old line"
  statictext "older"
  statictext "new line"`), status: StatusUnknown, has: []string{"new line"}},
	})
}

func FuzzBrowser(f *testing.F) { fuzzProfile(f, ProfileBrowser, extractBrowser) }

func TestBrowserLosesNoElementToFinished(t *testing.T) {
	neverFinished(t, extractBrowser, readCases(t, ProfileBrowser))
}
