package config

import "testing"

func TestPathsFromTheRootOfTheDrive(t *testing.T) {
	for path, want := range map[string]string{`\tools\x.toml`: `D:\tools\x.toml`, `/tools/x.toml`: `D:\tools\x.toml`,
		`tools\x.toml`: `D:\work\tools\x.toml`, `C:\x.toml`: `C:\x.toml`, `\\server\share\x.toml`: `\\server\share\x.toml`} {
		if got := absolute(path, `D:\work`, ""); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
