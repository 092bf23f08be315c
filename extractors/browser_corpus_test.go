package extractors

import "testing"

// TestProfileCases proves the profiles of editors, browsers and Codex on every recorded window.
func TestProfileCases(t *testing.T) {
	for _, one := range readCases(t, ProfileCodex, ProfileEditor, ProfileBrowser) {
		t.Run(one.name, func(t *testing.T) { checkCase(t, one) })
	}
}
