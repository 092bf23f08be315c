package extractors

import (
	"strings"
)

// summary is the last word of a test runner or build tool about one run. It may stand on several
// lines of different kinds.
type summary struct {
	tool, unit  string
	first, last int // lines
	kinds       string
	red         bool
}

func (s summary) key() string { return s.tool + "\x00" + s.unit }

// summaryForm is one line of a summary. Groups named red hold counts of failures; without one the
// form itself says whether the run failed. A group named unit says for what the summary speaks.
type summaryForm struct {
	tool    string
	kind    string
	word    string // every line of the form holds it: cheaper to look for than the pattern
	pattern *pattern
	red     bool // every line of this form is one of a failed run
	green   []string
	failed  []string
	no      []string
}

// summaryForms are the summaries that can make older output stale. Output of a single file or test is
// none: it says nothing about the others.
func summaryForms() []summaryForm { return summaryTable }

var summaryTable = []summaryForm{
	{tool: "cargo", kind: "r", word: "test result: ", pattern: lazy(`^test result: (?:ok|FAILED)\. \d+ passed; (?P<red>\d+) failed`),
		green: []string{"test result: ok. 479 passed; 0 failed; 0 ignored"}, failed: []string{"test result: FAILED. 478 passed; 1 failed; 0 ignored"}},
	{tool: "pytest", kind: "r", word: " in ", pattern: lazy(`^[= ]*(?:(?:(?P<red>\d+) (?:failed|errors?)|\d+ (?:passed|skipped|xfailed|xpassed|warnings?|deselected|rerun))(?:, )?)+ in [\d.:]+ ?s\b`),
		green: []string{"12 passed, 3 xfailed, 1 warning in 0.44s", "===== 5 passed in 1.20s ====="}, failed: []string{"1 failed, 12 passed in 0.41s", "== 3 passed, 2 errors in 1s =="},
		no: []string{"3 passed (4.0s)", "tests ran in 0.1s"}},
	{tool: "jest", kind: "s", word: "Test Suites:", pattern: lazy(`^\s*Test Suites: +(?:(?P<red>\d+) failed, )?.*\btotal$`),
		green: []string{"Test Suites: 6 passed, 6 total"}, failed: []string{"Test Suites: 1 failed, 5 passed, 6 total"}},
	{tool: "jest", kind: "t", word: "Tests:", pattern: lazy(`^\s*Tests: +(?:(?P<red>\d+) failed, )?.*\btotal$`),
		green: []string{"Tests:       9 skipped, 799 passed, 808 total"}, failed: []string{"Tests:       1 failed, 41 passed, 42 total"}},
	{tool: "vitest", kind: "f", word: "Test Files ", pattern: lazy(`^\s*Test Files +(?:(?P<red>\d+) failed)?.*\(\d+\)$`),
		green: []string{" Test Files  3 passed (3)"}, failed: []string{" Test Files  1 failed | 2 passed (3)"}},
	{tool: "vitest", kind: "t", word: "Tests ", pattern: lazy(`^\s*Tests +(?:(?P<red>\d+) failed)?.*\(\d+\)$`),
		green: []string{"      Tests  8 passed (8)"}, failed: []string{"      Tests  2 failed | 6 passed (8)"}, no: []string{"Tests are slow (8 minutes)"}},
	{tool: "vitest", kind: "e", word: "Errors ", pattern: lazy(`^\s*Errors +(?P<red>\d+) errors?$`), failed: []string{"     Errors  1 error"}},
	{tool: "go", kind: "r", word: "ok", pattern: lazy(`^ok\s+(?P<unit>\S+)\s+(?:[\d.]+s|\(cached\))`),
		green: []string{"ok  \tkiosk.example/pkg\t0.021s", "ok  \tpkg\t(cached)"}, no: []string{"ok 1 - adds"}},
	{tool: "go", kind: "r", word: "FAIL", red: true, pattern: lazy(`^FAIL\s+(?P<unit>\S+)\s+(?:[\d.]+s|\[(?:build|setup) failed\])`),
		failed: []string{"FAIL\tpkg\t0.02s", "FAIL    pkg [build failed]"}, no: []string{"FAIL  src/a.test.ts > adds", "FAIL __tests__/a.test.ts"}},
	{tool: "dotnet", kind: "r", word: "- Failed: ", pattern: lazy(`^(?:Passed|Failed)!\s+- Failed:\s+(?P<red>\d+),.*?(?:- (?P<unit>\S+\.dll\b.*))?$`),
		green: []string{"Passed!  - Failed:     0, Passed:     5, Total: 5, Duration: 41 ms - A.dll (net9.0)"}, failed: []string{"Failed!  - Failed:     1, Passed:    41, Total: 42 - B.dll (net9.0)"}},
	{tool: "maven", kind: "r", word: "Tests run: ", pattern: lazy(`Tests run: \d+, Failures: (?P<red>\d+), Errors: (?P<red>\d+)(?:.* in (?P<unit>\S+)$)?`),
		green: []string{"[INFO] Tests run: 31, Failures: 0, Errors: 0, Skipped: 2"}, failed: []string{"[ERROR] Tests run: 5, Failures: 0, Errors: 1, Skipped: 0"}},
	{tool: "phpunit", kind: "r", word: "OK (", pattern: lazy(`^OK \(\d+ tests?, \d+ assertions?\)`), green: []string{"OK (5 tests, 10 assertions)"}},
	{tool: "phpunit", kind: "r", word: "Assertions: ", red: true, pattern: lazy(`^Tests: \d+, Assertions: \d+, .*(?:Failures|Errors): [1-9]`), failed: []string{"Tests: 5, Assertions: 9, Failures: 1."}},
	{tool: "unittest", kind: "r", word: "OK", pattern: lazy(`^OK(?: \((?:skipped|expected failures)=.*\))?$`), green: []string{"OK", "OK (skipped=1)"}, no: []string{"OK, done"}},
	{tool: "unittest", kind: "r", word: "FAILED (", red: true, pattern: lazy(`^FAILED \((?:failures|errors|unexpected successes)=`), failed: []string{"FAILED (failures=1, errors=1)"}},
	{tool: "tsc", kind: "r", word: "Found ", pattern: lazy(`(?:^|[\]-] )Found (?P<red>\d+) errors?\b`),
		green: []string{"Found 0 errors. Watching for file changes.", "[10:01:22 AM] Found 0 errors. Watching for file changes."}, failed: []string{"Found 2 errors in 1 file."}},
	{tool: "msbuild", kind: "b", word: "Build ", pattern: lazy(`^\s*Build succeeded\b`), green: []string{"Build succeeded."}},
	{tool: "msbuild", kind: "b", word: "Build ", red: true, pattern: lazy(`^\s*Build (?:FAILED|failed)\b`), failed: []string{"Build FAILED."}},
	{tool: "msbuild", kind: "e", word: " Error(s)", pattern: lazy(`^\s*(?P<red>\d+) Error\(s\)$`), green: []string{"    0 Error(s)"}, failed: []string{"    2 Error(s)"}},
	{tool: "gradle", kind: "b", word: "BUILD ", pattern: lazy(`^BUILD SUCCESSFUL in `), green: []string{"BUILD SUCCESSFUL in 3s"}},
	{tool: "gradle", kind: "b", word: "BUILD ", red: true, pattern: lazy(`^BUILD FAILED in `), failed: []string{"BUILD FAILED in 2s"}},
	{tool: "minitest", kind: "r", word: " assertions, ", pattern: lazy(`^\d+ (?:runs|tests), \d+ assertions, (?P<red>\d+) failures, (?P<red>\d+) errors`),
		green: []string{"10 runs, 24 assertions, 0 failures, 0 errors, 0 skips"}, failed: []string{"10 runs, 24 assertions, 0 failures, 2 errors, 0 skips"}},
	{tool: "rspec", kind: "r", word: " example", pattern: lazy(`^\d+ examples?, (?P<red>\d+) failures?`), green: []string{"10 examples, 0 failures"}, failed: []string{"10 examples, 2 failures"}},
	{tool: "exunit", kind: "r", word: " failure", pattern: lazy(`^(?:\d+ doctests?, )?\d+ tests?, (?P<red>\d+) failures?`), green: []string{"5 tests, 0 failures"}, failed: []string{"5 tests, 1 failure"}},
	{tool: "mocha", kind: "p", word: " passing (", pattern: lazy(`^\s*\d+ passing \(`), green: []string{"  8 passing (12ms)"}},
	{tool: "mocha", kind: "f", word: " failing", pattern: lazy(`^\s*(?P<red>\d+) failing$`), failed: []string{"  1 failing"}},
	{tool: "node", kind: "f", word: " fail ", pattern: lazy(`^[#ℹ] fail (?P<red>\d+)$`), green: []string{"# fail 0"}, failed: []string{"ℹ fail 2"}},
	{tool: "deno", kind: "r", word: " | ", pattern: lazy(`^(?:ok|FAILED) \| \d+ passed.* \| (?P<red>\d+) failed`), green: []string{"ok | 5 passed | 0 failed (12ms)"}, failed: []string{"FAILED | 4 passed | 1 failed (9ms)"}},
	{tool: "ctest", kind: "r", word: "% tests passed", pattern: lazy(`^\d+% tests passed, (?P<red>\d+) tests failed out of \d+`), green: []string{"100% tests passed, 0 tests failed out of 5"}, failed: []string{"80% tests passed, 1 tests failed out of 5"}},
	{tool: "webpack", kind: "r", word: "ompiled ", pattern: lazy(`(?i)\bcompiled successfully\b`), green: []string{"webpack 5.90.0 compiled successfully in 120 ms"}},
	{tool: "webpack", kind: "r", word: "ompiled with", pattern: lazy(`(?i)\bcompiled with (?P<red>\d+) errors?\b`), failed: []string{"webpack 5.90.0 compiled with 2 errors in 120 ms"}},
	{tool: "eslint", kind: "r", word: " problem", pattern: lazy(`^\s*✖ \d+ problems? \((?P<red>\d+) errors?, \d+ warnings?\)`), green: []string{"✖ 2 problems (0 errors, 2 warnings)"}, failed: []string{"✖ 3 problems (2 errors, 1 warning)"}},
	{tool: "clang", kind: "r", word: " generated.", pattern: lazy(`^(?:\d+ warnings? and )?(?P<red>\d+) errors? generated\.$`), failed: []string{"2 errors generated.", "1 warning and 1 error generated."}, no: []string{"2 warnings generated."}},
	{tool: "gradle", kind: "t", word: " completed", pattern: lazy(`^\d+ tests? completed, (?P<red>\d+) failed`), failed: []string{"3 tests completed, 1 failed"}},
	{tool: "swift", kind: "r", word: "Executed ", pattern: lazy(`^\s*Executed \d+ tests?, with (?:\d+ tests? skipped and )?(?P<red>\d+) failures?\b`), green: []string{"\t Executed 12 tests, with 0 failures (0 unexpected) in 0.1 (0.2) seconds"}, failed: []string{"\t Executed 12 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds"}},
}

// unitLine names the unit of the cargo summaries that follow it.
var unitLine = lazy(`^\s*(?:Running (.*?)(?: \([^()]*\))?|Doc-tests (\S+))$`)

// blockReach is how many lines apart the lines of one summary can stand.
const blockReach = 8

// findSummaries returns the summaries in a run in reading order. Lines of different kinds of the same
// tool that stand close together are one summary; it is red if one of them is.
func findSummaries(lines []string) []summary {
	var blocks []summary
	unit, ran := "", -10
	for n, line := range lines {
		if len(line) > 1024 {
			continue
		}
		if strings.Contains(line, "Running ") || strings.Contains(line, "Doc-tests ") {
			if m := unitLine.FindStringSubmatch(line); m != nil {
				unit = m[1] + m[2]
			}
		}
		if strings.HasPrefix(line, "Ran ") {
			ran = n
		}
		one, found := summaryLine(line)
		if !found || one.tool == "unittest" && !one.red && n-ran > 4 {
			continue
		}
		if one.tool == "cargo" {
			one.unit = unit
		}
		one.first, one.last = n, n
		blocks = addSummary(blocks, one)
	}
	return blocks
}

// addSummary joins a line to the summary before it, or begins a new one.
func addSummary(blocks []summary, one summary) []summary {
	if len(blocks) > 0 {
		before := &blocks[len(blocks)-1]
		if before.key() == one.key() && !strings.Contains(before.kinds, one.kinds) && one.first-before.last <= blockReach {
			before.kinds += one.kinds
			before.last = one.last
			before.red = before.red || one.red
			return blocks
		}
	}
	return append(blocks, one)
}

// summaryLine reads one line of a summary.
func summaryLine(line string) (summary, bool) {
	for _, form := range summaryTable {
		if !strings.Contains(line, form.word) {
			continue
		}
		m := form.pattern.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		one := summary{tool: form.tool, kinds: form.kind, red: form.red}
		for k, group := range form.pattern.SubexpNames() {
			switch group {
			case "red":
				one.red = one.red || strings.Trim(m[k], "0") != ""
			case "unit":
				one.unit = m[k]
			}
		}
		return one, true
	}
	return summary{}, false
}
