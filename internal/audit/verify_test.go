package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestVerifyFindsEveryEdit(t *testing.T) {
	l, _ := newLog(t)
	add(t, l, "a", "b", "c", "d")
	good := content(t, l)
	lines := strings.SplitAfter(good, "\n")[:4]
	cases := map[string]struct {
		log string
		at  int
	}{
		"a changed target":        {strings.Replace(good, `"b"`, `"x"`, 1), 2},
		"a changed hash":          {strings.Replace(good, `"hash":"`, `"hash":"0`, 1), 1},
		"the first line removed":  {lines[1] + lines[2] + lines[3], 1},
		"a line removed":          {lines[0] + lines[2] + lines[3], 2},
		"two lines swapped":       {lines[1] + lines[0] + lines[2] + lines[3], 1},
		"two later lines swapped": {lines[0] + lines[2] + lines[1] + lines[3], 2},
		"a line twice":            {lines[0] + good, 2},
		"the last line twice":     {good + lines[3], 5},
		"a broken line":           {lines[0][:20] + "\n" + lines[1], 1},
		"an empty line":           {lines[0] + "\n" + lines[1], 2},
		"a cut end":               {good[:len(good)-30], 4},
		"a missing line end":      {good[:len(good)-1], 4},
		"other line ends":         {strings.ReplaceAll(good, "\n", "\r\n"), 1},
		"spaces":                  {strings.Replace(good, `,"action"`, `, "action"`, 1), 1},
		"a line of its own":       {good + `{"time":"2026-05-01T12:00:00Z","action":"click"}` + "\n", 5},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			mustDo(t, os.WriteFile(l.Path(), []byte(c.log), 0o600))
			wantBroken(t, l, c.at)
		})
	}
	for name, log := range map[string]string{"untouched": good, "a lost end can't be seen": lines[0] + lines[1], "empty": ""} {
		t.Run(name, func(t *testing.T) {
			mustDo(t, os.WriteFile(l.Path(), []byte(log), 0o600))
			wantVerified(t, l, strings.Count(log, "\n"))
		})
	}
}

func TestVerifyAPurgeInTheMiddle(t *testing.T) {
	l, c := newLog(t)
	add(t, l, "a")
	c.at = c.at.Add(25 * time.Hour)
	add(t, l, "b")
	purged := content(t, l)
	own, err := parseLine([]byte(strings.Split(purged, "\n")[1]))
	mustDo(t, err)
	line, _ := own.own.next(encode(c.at, Record{Action: purgeAction, Result: soundResult}))
	mustDo(t, os.WriteFile(l.Path(), append([]byte(purged), line...), 0o600))
	wantBroken(t, l, 3)
}

func TestVerifyAMissingLog(t *testing.T) {
	folder := t.TempDir()
	report, err := Verify(t.Context(), filepath.Join(folder, "sub", FileName))
	if err != nil || report != (Report{OK: true}) {
		t.Errorf("verify: %+v, %v", report, err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("verification made %v", left)
	}
	mustDo(t, os.Mkdir(filepath.Join(folder, FileName), 0o700))
	if _, err := Verify(t.Context(), filepath.Join(folder, FileName)); err == nil {
		t.Error("a folder was verified")
	}
}

// Whatever is done to a log, Verify ends, counts its lines, and takes only logs whose hashes fit.
func FuzzVerify(f *testing.F) {
	l := New(DefaultOptions(), f.TempDir(), nil)
	for _, target := range []string{"a", "b"} {
		if _, err := l.Append(f.Context(), Record{Action: "click", Target: target}); err != nil {
			f.Fatal(err)
		}
	}
	good, err := os.ReadFile(l.Path())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(good))
	f.Add(string(good[:len(good)-9]))
	f.Add("")
	f.Add("\n\n")
	f.Add(`{"time":"2026-05-01T12:00:00Z","seq":1,"prev":"","hash":""}` + "\n")
	f.Fuzz(func(t *testing.T, log string) {
		report, err := verifyReader(strings.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Count(log, "\n")
		if log != "" && !strings.HasSuffix(log, "\n") {
			want++
		}
		if report.Records != want || report.OK != (report.Reason == "") || report.OK != (report.BrokenAt == 0) {
			t.Errorf("%+v for %d lines", report, want)
		}
		if !report.OK {
			return
		}
		for line := range strings.Lines(log) {
			body, _, _ := strings.Cut(line, hashKey)
			if at := strings.LastIndex(line, hashKey); !strings.Contains(line, sum([]byte(line[:at]))) {
				t.Errorf("taken without a fitting hash: %s (%s)", line, body)
			}
		}
	})
}
