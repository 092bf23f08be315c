// Command testlog reads the output of `go test -json` and fails for what a green run can hide: a test
// that was skipped without being on the counted list, a list that counts more than is skipped, and a
// run in which nothing was tested.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// event is one line of test2json.
type event struct {
	Action, Package, Test, Output string
}

func main() {
	if err := report(os.Args[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func report(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer file.Close()
	count := map[string]int{}
	output := map[string]string{}
	var skipped, failed []string
	lines := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			fmt.Print(string(line)) // the compiler speaks plain text
			continue
		}
		name := e.Package + " " + e.Test
		switch {
		case e.Action == "output":
			output[name] += e.Output
		case e.Test == "" && e.Action == "fail":
			failed = append(failed, name)
		case e.Test == "":
		case e.Action == "skip":
			skipped = append(skipped, name)
			count[e.Action]++
		case e.Action == "fail":
			failed = append(failed, name)
			count[e.Action]++
		case e.Action == "pass":
			count[e.Action]++
		}
	}
	for _, name := range failed {
		fmt.Printf("--- FAIL: %s\n%s", name, output[name])
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", count["pass"], count["fail"], count["skip"])
	if len(failed) > 0 || count["pass"] == 0 {
		return fmt.Errorf("the tests did not pass")
	}
	return checkSkips(skipped)
}

// checkSkips compares the skipped tests with .ci/skips.txt: "package test  # reason" a line.
func checkSkips(skipped []string) error {
	text, err := os.ReadFile(filepath.Join(".ci", "skips.txt"))
	if err != nil {
		return fmt.Errorf("read the list of skips: %w", err)
	}
	allowed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		entry, reason, _ := strings.Cut(line, "#")
		if entry = strings.Join(strings.Fields(entry), " "); entry == "" {
			continue
		}
		if strings.TrimSpace(reason) == "" {
			return fmt.Errorf("skips.txt gives no reason for %s", entry)
		}
		allowed[entry] = true
	}
	var wrong []string
	for _, name := range skipped {
		if !allowed[name] {
			wrong = append(wrong, "skipped, not on the list: "+name)
		}
		delete(allowed, name)
	}
	for name := range allowed {
		wrong = append(wrong, "on the list, not skipped: "+name)
	}
	sort.Strings(wrong)
	if len(wrong) > 0 {
		return fmt.Errorf("%s", strings.Join(wrong, "\n"))
	}
	return nil
}
