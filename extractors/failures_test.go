package extractors

import (
	"slices"
	"strings"
	"testing"
)

func TestLineRules(t *testing.T) {
	rules := slices.Concat(failureRules(), []lineRule{countLineRule()}, signRules())
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) { checkRule(t, rule) })
	}
}

func checkRule(t *testing.T, rule lineRule) {
	t.Helper()
	if len(rule.yes) == 0 || len(rule.no) == 0 {
		t.Error("a rule needs lines that it takes and lines that it leaves")
	}
	for _, line := range rule.yes {
		if !rule.match(line) {
			t.Errorf("missed: %q", line)
		}
	}
	for _, line := range rule.no {
		if rule.match(line) {
			t.Errorf("fooled by: %q", line)
		}
	}
}

// TestFailureTable holds the table of spec/apps.md section 6 against the whole rule.
func TestFailureTable(t *testing.T) {
	catch := []string{
		"test result: FAILED. 478 passed; 1 failed; …", "1 failed, 12 passed in 0.4s", "FAILED tests/x.py::t - …",
		"ERROR tests/test_x.py - ImportError: …", "Tests:       1 failed, 172 passed, 173 total", "FAIL __tests__/foo.test.ts",
		" Tests  2 failed | 6 passed (8)", "--- FAIL: TestX (0.01s)", "FAIL\tpkg\t0.02s", "Failed!  - Failed:     1, Passed: …",
		"Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", "FAILED (errors=1, failures=1)", "src/a.ts(3,7): error TS2322: …",
		"Found 2 errors in 1 file.", "Build FAILED.", "2 Error(s)", "x.cs(1,2): error CS0103", "(1 failed)", "10 failures", "100 failures",
	}
	spare := []string{
		"test result: ok. 479 passed; 0 failed; 0 ignored; …", "12 passed, 1 warning in 0.4s", "test_error_handling PASSED",
		"3 xfailed", "Tests:       9 skipped, 799 passed, 808 total", " Tests  8 passed (8)", "ok  \tpkg\t0.02s",
		"?   \tpkg\t[no test files]", "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5", "Failures: 0, Errors: 0",
		"failed: 0, errors: 0", "Errors=0 Failures=0", "OK", "Found 0 errors. Watching for file changes.", "Build succeeded.",
		"0 Error(s)", "(2 stopped)", "(0 failed)", "0 failures", "error handling improved", "console.error(...)",
		"Fix the errors in the code.", "should throw error on invalid input", "✗ Auto-update failed · Try claude doctor",
	}
	checkRule(t, lineRule{match: failureLine, yes: catch, no: spare})
}

func TestNextStep(t *testing.T) {
	for _, one := range []struct{ text, want string }{
		{"Next step: rerun the copy.", "rerun the copy."},
		{"next steps:\n- first\n- second", "first"},
		{"Next:\n\n• \n• tidy up", "tidy up"},
		{"Next steps:\n1.\nmerge it", "merge it"},
		{"השלב הבא: לבדוק", "לבדוק"},
		{"הצעד הבא:\nלשלוח", "לשלוח"},
		{"Next: a\nmore\nNext: b", "b"},
		{"**Next step:** read it", "read it"},
		{"## Next steps\nx", ""},
		{"● Next step: from a terminal", "from a terminal"},
		{"The next step: nothing", ""},
		{"He said Next: go", ""},
		{"Done. Next step: go", ""},
		{"Nextcloud: a server", ""},
		{"Next: a\nNext:", "a"},
		{"", ""},
	} {
		if got := nextStep(strings.Split(one.text, "\n")); got != one.want {
			t.Errorf("nextStep(%q) = %q, want %q", one.text, got, one.want)
		}
	}
}
