package extractors

// lineRule is a rule about one line together with the lines that it must and must not take. Tests
// walk every rule, so an example that no longer holds can't stay.
type lineRule struct {
	name  string
	match func(line string) bool
	yes   []string
	no    []string
}

// failureRules are the parts of failureLine with what test runners and compilers print.
func failureRules() []lineRule {
	return []lineRule{
		{
			name: "count", match: hasCount,
			yes: []string{
				"1 failed, 12 passed in 0.4s", "=== 1 failed, 12 passed in 0.41s ===", // pytest
				"Tests:       1 failed, 172 passed, 173 total", "Test Suites: 1 failed, 20 passed, 21 total", // jest
				" Tests  2 failed | 6 passed (8)", " Test Files  1 failed | 2 passed (3)", // vitest
				"  2 failing",                                      // mocha
				"42 examples, 10 failures", "1 example, 1 failure", // rspec
				"50% tests passed, 1 tests failed out of 2", // ctest
				"3 tests completed, 1 failed",               // gradle
				"    2 Error(s)", "Found 2 errors in 1 file.", "Found 3 errors.",
				"Build failed with 2 error(s) in 1.1s", "✖ 3 problems (2 errors, 1 warning)",
				"Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds", "3 tests, 1 failure", "3 tests, 1 error",
				"Finished a background command (1 failed)", "100 failures", "1,024 errors", "1 FAILED",
				"!!!!!!!! Interrupted: 1 error during collection !!!!!!!!", "12\u00a0failed",
			},
			no: []string{
				"12 passed, 1 warning in 0.4s", "0 failures", "6 examples, 0 failures", "    0 Error(s)",
				"Found 0 errors. Watching for file changes.", "test_error_handling PASSED", "3 xfailed",
				"12 passed, 3 xfailed, 1 warning in 0.44s", "10 runs, 24 assertions, 0 failures, 0 errors, 0 skips",
				"(2 stopped)", "(0 failed)", "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5",
				"error handling improved", "console.error(...)", "Fix the errors in the code.",
				"should throw error on invalid input", "1.5 errors", "2,5 errors", "3 error-prone files",
				"00 failures", "version 2.0 failed_jobs", "3 errorless runs", "7failed",
			},
		},
		{
			name: "key", match: hasKey,
			yes: []string{
				"Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", "[ERROR] Tests run: 5, Failures: 0, Errors: 2, Skipped: 0",
				"FAILED (errors=1, failures=1)", "Failed!  - Failed:     1, Passed:    41", "Test summary: total: 5, failed: 1",
				"Tests: 3, Assertions: 5, Failures: 1.", "Errors = 3", "⎿  API Error: 400 invalid request",
			},
			no: []string{
				"Failures: 0, Errors: 0", "failed: 0, errors: 0", "Errors=0 Failures=0", "Tests run: 31, Failures: 0, Errors: 0",
				"TypeError: 3 is not iterable", "error: cannot find value", "myerrors=3", "Failed:", "errors: none",
			},
		},
		{
			name: "mark", match: hasMark,
			yes: []string{
				"FAILED tests/x.py::t - assert 1 == 2", "ERROR tests/test_x.py - ImportError: no module", "FAILED (failures=1)",
				"ERROR tests/test_x.py::test_y", "--- FAIL: TestX (0.01s)", "    --- FAIL: TestX/sub (0.00s)",
				"FAIL\tpkg\t0.02s", "FAIL\tpkg [build failed]", "FAIL __tests__/foo.test.ts", " FAIL  src/a.test.ts > adds",
				"test result: FAILED. 478 passed; 1 failed; 0 ignored", "Build FAILED.", "Failed!  - Failed:     1, Passed: 3",
				"src/a.ts(3,7): error TS2322: Type 'string'", "src/a.ts:3:7 - error TS2322: Type", "x.cs(1,2): error CS0103: The name",
				"MSBUILD : error MSB1003: Specify a project",
			},
			no: []string{
				"ok  \tpkg\t0.02s", "?   \tpkg\t[no test files]", "test result: ok. 479 passed; 0 failed; 0 ignored", "OK",
				"Passed!  - Failed:     0, Passed:     5", "Build succeeded.", "PASS", "FAIL", "FAILED", "failed to open the file",
				"ERROR in the headline", "ERROR message", "It says FAILED tests/x.py", "error TS", "FAILURE", "FAILING now",
				"Failed to load", "ERROR .hidden",
			},
		},
		{
			name: "tool mark", match: hasToolMark,
			yes: []string{
				"BUILD FAILED in 3s", "FAILURE: Build failed with an exception.", "> Task :app:test FAILED", "[INFO] BUILD FAILURE",
				"** TEST FAILED **", "error[E0308]: mismatched types", "error: could not compile `rates` (lib) due to 2 previous errors",
				"The following tests FAILED:", "# fail 1", "ℹ fail 12", " 1 fail", "make: *** [Makefile:3: all] Error 2",
				"make[1]: *** [CMakeFiles/Makefile2:83: all] Error 2", "src/a.c:3:5: error: expected ';'", "a.h:1:10: fatal error: b.h: No such file",
				"a.cpp(3,5): error C2065: 'x': undeclared identifier", "x.vb(1) : error BC30451: 'y' is not declared", "error NU1101: Unable to find package",
			},
			no: []string{
				"BUILD SUCCESSFUL in 3s", "[INFO] BUILD SUCCESS", "> Task :app:test", "# fail 0", "ℹ fail 0", " 0 fail", "nothing may fail",
				"error: test failed, to rerun pass `--lib`", "make: Nothing to be done for 'all'.", "see error: 3", "it was a fatal error: the disk",
				"std::error::Error", "error[Error]", "use error C for it", "the build is failing", "a:b:c: error: no place",
			},
		},
	}
}

// countLineRule is the part that tells a line of counts from a sentence about them.
func countLineRule() lineRule {
	return lineRule{
		name: "counts only", match: proseFailureLine,
		yes: []string{
			"1 failed, 31 passed", "1 failed, 31 passed in 2.10s", "Tests: 2 failed, 170 passed, 172 total", "== 2 failed in 3s ==",
			"Found 2 errors in 1 file.", " Tests  2 failed | 6 passed (8)", "42 examples, 10 failures", "3 tests completed, 1 failed",
			"--- FAIL: TestQuota (0.02s)", "FAILED tests/test_export.py::test_sheet_name - KeyError: 'June'", "2 failing",
		},
		no: []string{
			"2 failed downloads", "2 errors found in the essay", "I fixed 3 errors in the loader.", "The run had 1 failed test and I repaired it.",
			"There are 2 errors.", "31 passed", "0 failed, 31 passed", "2 tests failed because the disk was full",
		},
	}
}
