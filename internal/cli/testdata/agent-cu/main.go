// Command agent-cu stands in for the real one in tests of the whole program.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() { os.Exit(play(os.Args[1:])) }

const (
	deskWindows = `[{"title":"Calculator","app":"ApplicationFrameHost","pid":100,"frontmost":true},{"title":"Notes","app":"notes","pid":101}]`
	deskText    = "Calculator\nDisplay is 12\nHistory is empty\n"
	deskTree    = `window "Calculator"
  [@e1] button "Seven" id=num7Button
  [@e2] button "Minus" id=minusButton
  [@e3] button "Five" id=num5Button
  [@e4] button "Equals" id=equalButton
  [@e5] button "Delete" id=delButton
  [@e6] textfield "Amount" val="12" id=amount
  statictext "Display is 12"
`
)

// play answers from the folder STAND_IN_DESK, and with a calculator where a file is missing
// there. Its file options holds one word and value a line: hang VERB, delay VERB=MS, fail VERB=TYPE,
// flood VERB=MB. Each call is a line of calls.
func play(args []string) int {
	desk := os.Getenv("STAND_IN_DESK")
	verb, app, ref, text := "", "", "", ""
	for i, arg := range args {
		switch {
		case i == 0:
			verb = arg
		case arg == "--" && i+1 < len(args):
			text = args[i+1]
		case strings.HasPrefix(arg, "--app="):
			app = arg[len("--app="):]
		case strings.HasPrefix(arg, "--selector="):
			ref = arg[len("--selector="):]
		}
	}
	line, _ := json.Marshal([]string{verb, app, ref, text})
	if log, err := os.OpenFile(filepath.Join(desk, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(log, string(line))
		_ = log.Close()
	}
	if code, done := standInOption(desk, verb); done {
		return code
	}
	fromDesk := func(name, usual string) string {
		if data, err := os.ReadFile(filepath.Join(desk, name)); err == nil {
			return string(data)
		}
		return usual
	}
	switch verb {
	case "--version":
		fmt.Println("agent-cu 0.1.1")
	case "windows":
		fmt.Println(fromDesk("windows.json", deskWindows))
	case "text":
		fmt.Print(fromDesk("text", deskText))
	case "snapshot":
		tree := fromDesk("snapshot", deskTree)
		if typed, err := os.ReadFile(filepath.Join(desk, "typed")); err == nil {
			tree = strings.Replace(tree, `val="12"`, `val="`+string(typed)+`"`, 1)
		}
		fmt.Print(tree)
	case "type":
		if err := os.WriteFile(filepath.Join(desk, "typed"), []byte(text), 0o600); err != nil {
			return 1
		}
		fmt.Printf("{\"success\":true,\"message\":%s}\n", strconv.Quote("typed "+text))
	case "click":
		fmt.Println(`{"success":true,"message":"pressed"}`)
	default:
		fmt.Fprintln(os.Stderr, "error: unrecognized subcommand")
		return 2
	}
	return 0
}

// standInOption does what the desk's options say about a verb; done says that this was the answer.
func standInOption(desk, verb string) (code int, done bool) {
	options, err := os.ReadFile(filepath.Join(desk, "options"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(options)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, value, _ := strings.Cut(rest, "=")
		if name != verb {
			continue
		}
		number, _ := strconv.Atoi(value)
		switch word {
		case "hang":
			_ = os.WriteFile(filepath.Join(desk, fmt.Sprintf("hangs.%d", os.Getpid())), nil, 0o600)
			time.Sleep(30 * time.Second)
			return 1, true
		case "delay":
			time.Sleep(time.Duration(number) * time.Millisecond)
		case "fail":
			fmt.Fprintf(os.Stderr, "{\"error\":true,\"type\":%q,\"message\":\"failed on request\"}\n", value)
			return 1, true
		case "flood":
			chunk := []byte(strings.Repeat("x", 1<<20))
			for range number {
				if _, err := os.Stdout.Write(chunk); err != nil {
					return 1, true
				}
			}
			return 0, true
		}
	}
	return 0, false
}
