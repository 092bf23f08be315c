package extractors

import "strings"

// hasToolMark knows the failures that build tools and test runners print without any of the forms
// of hasCount, hasKey and hasMark: one line that says that the run as a whole, or a file, failed.
func hasToolMark(line string) bool {
	if len(line) > 4096 || !mayFail(line) {
		return false
	}
	start := strings.TrimSpace(line)
	switch {
	case hasAnyPrefix(start, "BUILD FAILED", "FAILURE: Build failed", "[INFO] BUILD FAILURE", // gradle, ant, maven
		"** BUILD FAILED **", "** TEST FAILED **", // xcodebuild
		"error: could not compile `",   // cargo
		"The following tests FAILED:"): // ctest
		return true
	case strings.HasPrefix(start, "> Task :"): // gradle
		return strings.HasSuffix(start, " FAILED")
	case hasAnyPrefix(start, "# fail ", "ℹ fail "): // node --test
		_, count, _ := strings.Cut(start, " fail ")
		return aboveZero(count)
	case strings.HasSuffix(start, " fail"): // bun test
		return aboveZero(strings.TrimSuffix(start, " fail"))
	case strings.HasPrefix(start, "error[E"): // rustc
		return len(start) > 7 && isDigit(start[7])
	case makeFailure(start), gccError(start):
		return true
	}
	return diagnostic(line, "NETSDK", "NU", "FS", "BC", "LNK", "C")
}

// mayFail is a cheap look before the forms are compared one by one.
func mayFail(line string) bool {
	return strings.Contains(line, "rror") || strings.Contains(line, "fail") || strings.Contains(line, "FAIL") ||
		strings.Contains(line, "Error")
}

func aboveZero(number string) bool {
	return number != "" && strings.Trim(number, "0123456789") == "" && strings.Trim(number, "0") != ""
}

// makeFailure knows make's last words: "make: *** [Makefile:3: all] Error 2".
func makeFailure(start string) bool {
	who, what, found := strings.Cut(start, ": *** ")
	return found && (who == "make" || strings.HasPrefix(who, "make[")) && strings.Contains(what, "Error ")
}

// gccError knows the place and word of gcc and clang: "src/a.c:3:5: error: …".
func gccError(start string) bool {
	for _, word := range []string{": error: ", ": fatal error: "} {
		place, _, found := strings.Cut(start, word)
		if !found || strings.ContainsAny(place, " \t") {
			continue
		}
		parts := strings.Split(place, ":")
		if len(parts) > 2 && aboveZero(parts[len(parts)-1]) && aboveZero(parts[len(parts)-2]) {
			return true
		}
	}
	return false
}

// resultWords are the words of a line that only counts: results, what is counted, and time.
var resultWords = set("passed", "passing", "pass", "failed", "failing", "fail", "failure", "failures",
	"error", "errors", "warning", "warnings", "skipped", "skip", "skips", "ignored", "measured", "filtered",
	"out", "pending", "todo", "xfailed", "xpassed", "deselected", "rerun", "reruns", "flaky", "total",
	"succeeded", "successful", "cancelled", "canceled", "completed", "ok", "success", "unexpected", "expected",
	"test", "tests", "suites", "suite", "file", "files", "examples", "example", "runs", "run", "assertions",
	"assertion", "specs", "spec", "scenarios", "scenario", "steps", "step", "snapshots", "subtests", "todos",
	"found", "executed", "finished", "ran", "in", "of", "and", "with", "time", "duration", "elapsed",
	"s", "ms", "sec", "secs", "seconds", "second", "m", "min", "mins", "minutes", "h", "result", "results", "summary")

// countsOnly says whether a line holds nothing but numbers, result words and punctuation.
func countsOnly(line string) bool {
	if len(line) > maxValue {
		return false
	}
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return !isWord(r) }) {
		word = strings.ToLower(strings.TrimLeft(word, "0123456789"))
		if word != "" && !resultWords[word] {
			return false
		}
	}
	return true
}
