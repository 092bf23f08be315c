package agentcu

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/ui"
)

func TestArguments(t *testing.T) {
	defaults := DefaultOptions(ui.Windows)
	cdp := defaults
	cdp.NoCDP = false
	home := &Home{dir: "/h"}
	for name, test := range map[string]struct {
		cl   call
		want string // arguments, joined by "|"
	}{
		"version":             {defaults.versionCall(), "--version"},
		"windows":             {defaults.windowsCall(""), "windows|--compact|--no-cdp"},
		"windows of one":      {defaults.windowsCall("a b"), "windows|--compact|--no-cdp|--app=a b"},
		"windows with CDP":    {cdp.windowsCall(""), "windows|--compact"},
		"apps":                {defaults.appsCall(), "apps|--compact|--no-cdp"},
		"apps with CDP":       {cdp.appsCall(), "apps|--compact"},
		"text":                {defaults.textCall("-x=1"), "text|--no-cdp|--app=-x=1"},
		"text with CDP":       {cdp.textCall("שלום"), "text|--app=שלום"},
		"snapshot":            {defaults.snapshotCall("W", home), "snapshot|-i|-c|--no-cdp|--app=W"},
		"snapshot with CDP":   {cdp.snapshotCall("W", home), "snapshot|-i|-c|--app=W"},
		"tree":                {defaults.treeCall("W"), "tree|--compact|--no-cdp|--app=W"},
		"tree with CDP":       {cdp.treeCall("W"), "tree|--compact|--app=W"},
		"click":               {defaults.clickCall("W", "@e5"), "click|--compact|--no-cdp|--app=W|--|@e5"},
		"click with CDP":      {cdp.clickCall("W", "@e5"), "click|--compact|--app=W|--|@e5"},
		"type":                {defaults.typeCall("W", "@e5", "-5"), "type|--compact|--no-cdp|--app=W|--selector=@e5|--|-5"},
		"type with CDP":       {cdp.typeCall("W", "@e5", "--"), "type|--compact|--app=W|--selector=@e5|--|--"},
		"screenshot":          {defaults.screenshotCall("W", "/h/screen.png"), "screenshot|--compact|--no-cdp|--app=W|--path=/h/screen.png"},
		"screenshot with CDP": {cdp.screenshotCall("", "/h/screen.png"), "screenshot|--compact|--path=/h/screen.png"},
	} {
		if got := strings.Join(test.cl.args, "|"); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
		if acts := strings.HasPrefix(name, "click") || strings.HasPrefix(name, "type"); test.cl.act != acts {
			t.Errorf("%s: act %v", name, test.cl.act)
		}
	}
	if got := defaults.snapshotCall("W", home).outputs; !cmp.Equal(got, []string{home.refs()}) {
		t.Errorf("outputs of a snapshot: %q", got)
	}
	if got := defaults.screenshotCall("W", "/p").outputs; !cmp.Equal(got, []string{"/p"}) {
		t.Errorf("outputs of a screenshot: %q", got)
	}
}

func TestTypeHasTimeForItsCharacters(t *testing.T) {
	cl := Options{}.typeCall("W", "@e1", strings.Repeat("א", 2000))
	if cl.extra != 30*time.Second || len(cl.sensitive) != 4000 {
		t.Errorf("extra %v, sensitive %d bytes", cl.extra, len(cl.sensitive))
	}
	if extra := (Options{}).clickCall("W", "@e1").extra; extra != 0 {
		t.Errorf("a click has %v more", extra)
	}
}

func TestCheckArgs(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		kind Kind
	}{
		"usual":         {[]string{"type", "--app=x", "--", "text\nwith \"quotes\""}, ""},
		"NUL":           {[]string{"type", "--", "a\x00b"}, Usage},
		"long":          {[]string{strings.Repeat("a", maxCommandLine)}, TooLarge},
		"nearly long":   {[]string{strings.Repeat("a", maxCommandLine-20)}, ""},
		"quotes count":  {[]string{strings.Repeat(`"`, maxCommandLine/2)}, TooLarge},
		"emoji are two": {[]string{strings.Repeat("😀", maxCommandLine/2)}, TooLarge},
		"Hebrew is one": {[]string{strings.Repeat("א", maxCommandLine/2)}, ""},
	} {
		err := checkArgs("/bin/agent-cu", test.args)
		var failed *Error
		if errors.As(err, &failed) != (test.kind != "") || failed != nil && failed.Kind != test.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestValidRef(t *testing.T) {
	for ref, want := range map[string]bool{"@e1": true, "@e42": true, "e1": false, "@e": false, "@e-1": false, "@e1 ": false,
		"": false, "@e1x": false, "@f1": false, "@e1234567890": false, "name=\"x\"": false} {
		if validRef(ref) != want {
			t.Errorf("%q: %v", ref, !want)
		}
	}
}
