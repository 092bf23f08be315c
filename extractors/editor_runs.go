package extractors

import (
	"slices"
	"strings"
)

// promptForm is how a shell shows a prompt with a command behind it. full says that no other kind of
// line looks like it, so that it counts in text that is not known to be a terminal's.
type promptForm struct {
	name    string
	full    bool
	own     bool     // it names a shell or a place, so the shell that shows it has no bare prompt
	bare    bool     // one character, which programs put before their own lines too
	pattern *pattern // its last group is the command
	yes, no []string
}

// venv is the name of a virtual environment before a prompt.
const venv = `(?:\([^()]{1,40}\) ?)?`

// promptForms are the prompts of the usual shells and the header of a task.
func promptForms() []promptForm { return promptTable }

var promptTable = []promptForm{
	{name: "PowerShell", full: true,
		pattern: lazy(`^` + venv + `(?:\[[^\[\]]{1,60}\]: )?PS(?: [^<>|"*?]{0,400})?> ?(\S.*)$`),
		yes: []string{`PS C:\work\tools - nightly> npm test`, `PS D:\site>npx vitest`, `(.venv) PS C:\x> pytest`,
			`PS /home/dana> pwsh -v`, `[srv1]: PS C:\Users\a> dir`},
		no: []string{`PS C:\work>`, `PS C:\work> `, `PASS src/a.test.ts > adds`, `PS: see > below`}},
	{name: "cmd", full: true,
		pattern: lazy(`^` + venv + `(?:[A-Za-z]:[\\/](?:[^<>|"*?]{0,400}[^<>|"*?\s])?|\\\\[^<>|"*?]{1,400}[^<>|"*?\s])>\s*(\S.*)$`),
		yes:     []string{`C:\docs-site>go test ./slug`, `C:\>dir`, `(venv) D:\a b>pytest -q`, `\\box\share>dir`, `C:\x> dir`},
		no:      []string{`C:\docs-site>`, `C:\proj\src\a.test.ts > adds`, `1>C:\x.cs(1,2): error CS0103`, `see C:\x>y`}},
	{name: "user and host", full: true,
		pattern: lazy(`^` + venv + `\[?[\pL\pN_][\pL\pN_.-]*@[\pL\pN_][\pL\pN_.-]*(?::(?:[~/]|[A-Za-z]:)[^$#%>]{0,300}| [^$#%>:]{1,300})\]?[$#%>] ?(\S.*)$`),
		yes: []string{`noa@ws:~/polyglot$ make check-all`, `root@box:/app# ls`, `dana@mac kiosk % swift test`,
			`dana@box ~/kiosk> cargo test`, `[noa@ws polyglot]$ make`, `ron@build-box:~/מסד-נתונים$ ./migrate.sh --plan`,
			`(base) noa@ws:~/a b$ pytest`, `noa@ws ~ $ make`},
		no: []string{`noa@ws:~/polyglot$`, `noa@ws:~/polyglot$ `, `dana@mac kiosk % `, `noa@ws: fatal error`, `git@github.com: Permission denied > log`, `glob@7.2.3 wanted > rimraf`}},
	{name: "host, folder and user", full: true,
		pattern: lazy(`^[\pL\pN][\pL\pN_.-]*:[~/\pL\pN][^\s$#]{0,300} [\pL\pN_.-]+[$#] (\S.*)$`),
		yes:     []string{`mac:kiosk dana$ make`}, no: []string{`mac:kiosk dana$`, `note: costs 5$ more`}},
	{name: "container", full: true,
		pattern: lazy(`^@?[\pL\pN_][\pL\pN_.-]* ➜ [~/][^$#]{0,300}[$#] (\S.*)$`),
		yes:     []string{`vscode ➜ /workspaces/api (main) $ npm test`, `@dana ➜ /workspaces/api (main) $ make`},
		no:      []string{`vscode ➜ /workspaces/api (main) $ `, `a ➜ b costs $ 5`}},
	{name: "named shell", own: true,
		pattern: lazy(`^(?:ba|z|k|da|fi|a)?sh-[\d.]+[$#%>] ?(\S.*)$`),
		yes:     []string{`bash-5.2$ make`, `sh-5.1# ls`}, no: []string{`bash-5.2$`, `bash-5.2 is out`}},
	{name: "virtual environment", own: true,
		pattern: lazy(`^\([^()]{1,40}\) ?\$ (\S.*)$`),
		yes:     []string{`(venv) $ pytest`}, no: []string{`(venv) $`, `(see) costs $ 5`}},
	{name: "dollar", bare: true,
		pattern: lazy(`^\$ (\S.*)$`),
		yes:     []string{`$ npm test`, `$ go test ./...`, `$ 7z x a.zip`}, no: []string{`$`, `$ `, `$HOME is set`, `costs $ 5`, `$ 5 is the limit`, `$ 1,200.50`}},
	{name: "host alone", own: true,
		pattern: lazy(`^[\pL][\pL\pN_.-]*(?: [~/][^\s%]*)?% ([\pL./~].*)$`),
		yes:     []string{`mac% make`, `mac ~/kiosk% make`}, no: []string{`100% tests passed, 0 tests failed out of 5`, `mac%`}},
	{name: "percent", bare: true,
		pattern: lazy(`^% ([\pL./~].*)$`),
		yes:     []string{`% make test`},
		no:      []string{`  % Total    % Received`, `% Total    % Received % Xferd`, `% of lines covered: 80`}},
	{name: "arrow", own: true,
		pattern: lazy(`^[➜→]\s+[^\s:]+(?: git:\([^)]*\))?(?: [✗✔✘])? +([^\s✗✔✘].*)$`),
		yes:     []string{`➜  kiosk git:(main) ✗ npm test`, `➜  kiosk npm test`, `➜  ~ ls`},
		no:      []string{`➜  kiosk git:(main) ✗ `, `➜  Local:   http://localhost:5173/`, `  ➜  press h + enter to show help`}},
	{name: "chevron",
		pattern: lazy(`^(?:[~/][^<>|❯]{0,200} )?[❯»λ] (\S.*)$`),
		yes:     []string{`❯ npm test`, `~/kiosk ❯ cargo test`, `~/kiosk main ❯ npm test`, `λ go test ./...`},
		no:      []string{` ❯ src/cart.test.ts (4 tests | 1 failed) 12ms`, `❯`, `❯ src/cart.test.ts (4 tests | 1 failed) 12ms`, `❯ Running tasks for staged files…`}},
	{name: "folder alone",
		pattern: lazy(`^[~/][^\s<>|]*[>⟩〉] ?(\S.*)$`),
		yes:     []string{`~/kiosk> cargo test`, `/srv/app> make`}, no: []string{`~/kiosk>`, `/src/a.test.ts > adds`, `<a href="/x">y`}},
	{name: "corner", own: true,
		pattern: lazy(`^[└╰]─+[$#❯>➤] ?(\S.*)$`),
		yes:     []string{`└─$ make`, `╰─❯ npm test`}, no: []string{`└─$`, `└── vitest@3.2.4`}},
	{name: "task", full: true,
		pattern: lazy(`^\s*[*>]\s+Executing task(?: in folder [^:]+)?: (\S.*)$`),
		yes:     []string{`*  Executing task: .\build-all.ps1`, ` *  Executing task in folder api: npm test`, `> Executing task: make <`},
		no:      []string{`*  Terminal will be reused by tasks, press any key to close it.`, `Executing task list`}},
}

// noCommand are continuations of a prompt character that programs print themselves.
var noCommand = lazy(`\(\d+ tests?\b|(?:…|\pL\.\.\.)$|^Total\s+% |^git:\(|^[\d.,]+(?:\s|$)|^of `)

// packageLine is a package with its version, which looks like a user at a host.
var packageLine = lazy(`^[\pL\pN_./-]+@\d+\.\d+`)

// command returns what was typed behind a prompt; full asks for the forms that nothing else looks like.
func command(line string, full bool) string {
	_, typed := promptIn(line, full)
	return typed
}

// promptIn returns the form of a prompt and what was typed behind it.
func promptIn(line string, full bool) (promptForm, string) {
	if len(line) < 3 || len(line) > 4096 || !strings.ContainsAny(line, ">$%#❯➜→λ»⟩〉") && !strings.Contains(line, "Executing task") {
		return promptForm{}, ""
	}
	line = stripFormat(line) // right-to-left folders bring direction marks
	if packageLine.MatchString(line) {
		return promptForm{}, ""
	}
	for _, form := range promptTable {
		if full && !form.full {
			continue
		}
		m := form.pattern.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		typed := strings.TrimSpace(m[len(m)-1])
		if form.full || !noCommand.MatchString(typed) {
			return form, typed
		}
	}
	return promptForm{}, ""
}

// afterFullPrompt returns the lines behind the last command whose prompt could be nothing else; none
// where there is no such prompt.
func afterFullPrompt(lines []string) []string {
	for n := len(lines) - 1; n >= 0; n-- {
		if command(lines[n], true) != "" {
			return lines[n+1:]
		}
	}
	return nil
}

// newestRun returns the lines behind the last prompt with a command; a bare prompt clears nothing.
// Where the shell names itself or its place in its prompts, a line with a single character in front is
// a program's: yarn prints "$ jest". Source: spec/profiles.md, "editor".
func newestRun(lines []string) []string {
	named := slices.ContainsFunc(lines, namedPrompt)
	for n := len(lines) - 1; n >= 0; n-- {
		form, typed := promptIn(lines[n], false)
		if typed != "" && !(named && form.bare) {
			return lines[n+1:]
		}
	}
	return lines
}

// namedPrompt says whether a line is a prompt that names its shell or place, with or without a command.
func namedPrompt(line string) bool {
	if line = strings.TrimRight(line, " "); line != "" && strings.ContainsAny(line[len(line)-1:], "$#%>") {
		line += " x"
	}
	form, typed := promptIn(line, false)
	return typed != "" && (form.full || form.own)
}

// withoutStale returns the lines of a run without what a later green summary has made old.
func withoutStale(lines []string) []string {
	blocks := findSummaries(lines)
	if len(blocks) == 0 {
		return lines
	}
	old := make([]bool, len(lines))
	green := map[string]int{} // newest green summary of a unit
	for n, block := range blocks {
		if !block.red {
			discard(old, blocks, n)
			green[block.key()] = n
		}
	}
	for n, block := range blocks {
		if newest, found := green[block.key()]; found && n < newest && block.unit != "" {
			discardUnit(old, blocks, n)
		}
	}
	kept := make([]string, 0, len(lines))
	for n, line := range lines {
		if !old[n] {
			kept = append(kept, line)
		}
	}
	return kept
}

// discard marks what a green summary makes old: all that was printed since another tool, or this one,
// summed up.
func discard(old []bool, blocks []summary, n int) {
	from := 0
	for k := n - 1; k >= 0; k-- {
		if blocks[k].key() != blocks[n].key() {
			from = blocks[k].last + 1
			break
		}
		if !blocks[k].red {
			from = blocks[k].last + 1 // what stands before is old already
			break
		}
	}
	for at := from; at < blocks[n].first; at++ {
		old[at] = true
	}
}

// discardUnit marks a summary that speaks for one unit, a package or an assembly, and its output: a
// newer one of the same unit is green.
func discardUnit(old []bool, blocks []summary, n int) {
	from := 0
	if n > 0 {
		from = blocks[n-1].last + 1
	}
	for at := from; at <= blocks[n].last; at++ {
		old[at] = true
	}
}
