package agentcu

import (
	"regexp"
	"strings"
)

// maxLauncher is the most that is read of a launcher script, in bytes; real ones have 300 to 3,000.
const maxLauncher = 64 << 10

// launcherFile is the script that all launchers of the npm package end at.
const launcherFile = "agent-cu.js"

// packages are the names under which the npm package was and is published, the present one first.
func packages() []string {
	return []string{"agent-cu", "@kortix-ai/agent-computer-use", "agent-computer-use", "agent-click"}
}

// binaryName is the file in the npm package for a platform; "" where there is none. Windows on ARM runs
// the x64 binary.
func (r resolver) binaryName() string {
	switch r.GOOS + "/" + r.arch {
	case "windows/amd64", "windows/arm64":
		return "agent-computer-use-windows-x64.exe"
	case "linux/amd64":
		return "agent-computer-use-linux-x64"
	case "linux/arm64":
		return "agent-computer-use-linux-arm64"
	case "darwin/amd64":
		return "agent-computer-use-macos-x64"
	case "darwin/arm64":
		return "agent-computer-use-macos-arm64"
	}
	return ""
}

// binaryBeside is the platform's binary in the folder of the launcher's JavaScript, or "".
func (r resolver) binaryBeside(script string) string {
	name := r.binaryName()
	if name == "" {
		return ""
	}
	if binary := r.Join(r.dir(script), name); r.isNative(binary) {
		return binary
	}
	return ""
}

// besideLauncher looks where npm puts a global package: node_modules beside its launchers.
func (r resolver) besideLauncher(launcher string) string {
	for _, name := range packages() {
		parts := append([]string{"node_modules"}, strings.Split(name, "/")...)
		if binary := r.binaryBeside(r.Join(r.dir(launcher), append(parts, "bin", launcherFile)...)); binary != "" {
			return binary
		}
	}
	return ""
}

// behind is the binary that a launcher would end at, or "" where the file is no launcher that is known
// in every line, or the package lacks the binary.
func (r resolver) behind(launcher string) string {
	if script := r.launcherScript(launcher); script != "" {
		return r.binaryBeside(script)
	}
	return ""
}

// launcherScript is the absolute path of the agent-cu.js that a launcher runs: a link to it (npm on
// Unix), or a shell or batch script of one of the two known generators.
func (r resolver) launcherScript(launcher string) string {
	real, err := r.files.EvalSymlinks(launcher)
	if err != nil {
		real = launcher
	}
	if r.base(real) == launcherFile {
		return real
	}
	text, err := r.files.ReadHead(launcher, maxLauncher)
	if err != nil || len(text) == maxLauncher {
		return ""
	}
	parse := parseShellLauncher
	if strings.HasSuffix(strings.ToLower(launcher), ".cmd") {
		parse = parseBatchLauncher
	}
	// npm's shell script takes its folder from $0, the link; a link of the user's own to a launcher is
	// read from where it leads.
	for _, at := range []string{launcher, real} {
		target, relative := parse(string(text))
		if relative {
			target = r.clean(r.dir(at), target)
		}
		if target != "" && r.IsAbs(target) && r.base(target) == launcherFile && r.isFile(target) {
			return target
		}
	}
	return ""
}

// scoopTarget is the program behind scoop's shim: NAME.shim beside NAME.exe names it.
func (r resolver) scoopTarget(exe string) string {
	text, err := r.files.ReadHead(exe[:len(exe)-len(".exe")]+".shim", maxLauncher)
	if err != nil {
		return ""
	}
	target := parseScoopShim(string(text))
	if r.IsAbs(target) && !isScriptName(target) && r.isNative(target) {
		return target
	}
	return ""
}

// parseScoopShim reads the path of a shim that adds no arguments of its own; "" for any other.
func parseScoopShim(text string) string {
	target := ""
	for _, line := range launcherLines(text) {
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(strings.ToLower(key)) != "path" || target != "" {
			return ""
		}
		target = strings.Trim(strings.TrimSpace(value), `"`)
	}
	return target
}

// launcherLines are the lines of a script that are not blank, trimmed.
func launcherLines(text string) []string {
	var lines []string
	for _, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// launcherForm is the shape of a generator's script: every line has to match one of known, and the
// lines that match target have to agree on the script that is run. A script with any line beyond that
// may do something else and is declined.
type launcherForm struct {
	known  *regexp.Regexp
	target *regexp.Regexp // its first group is the base variable or "", its second the path
}

func (f launcherForm) parse(text string) (target string, relative bool) {
	for _, line := range launcherLines(text) {
		m := f.target.FindStringSubmatch(line)
		if m == nil {
			if !f.known.MatchString(line) {
				return "", false
			}
			continue
		}
		if target != "" && (target != m[2] || relative != (m[1] != "")) {
			return "", false
		}
		target, relative = m[2], m[1] != ""
	}
	return target, relative
}

// parseBatchLauncher reads the .cmd of npm (cmd-shim) or of pnpm (@zkochan/cmd-shim): the script that
// it hands to Node, and whether that is relative to the launcher's folder.
func parseBatchLauncher(text string) (target string, relative bool) {
	npm := launcherForm{
		known: regexp.MustCompile(`(?i)^(?:@ECHO off|GOTO start|:find_dp0|SET dp0=%~dp0|EXIT /b|:start|SETLOCAL|CALL :find_dp0|` +
			`IF EXIST "%dp0%\\node\.exe" \(|SET "_prog=(?:%dp0%\\node\.exe|node)"|\) ELSE \(|SET PATHEXT=%PATHEXT:;\.JS;=;%|\))$`),
		target: regexp.MustCompile(`(?i)^(?:endLocal & goto #_undefined_# 2>NUL \|\| title %COMSPEC% & )?"%_prog%"\s+"(%dp0%\\)([^"%]+)" %\*$`),
	}
	if target, relative = npm.parse(text); target != "" {
		return target, relative
	}
	pnpm := launcherForm{
		known: regexp.MustCompile(`(?i)^(?:@SETLOCAL|@IF NOT DEFINED NODE_PATH \(|@SET "?NODE_PATH=[^"&|<>^]*"?|\) ELSE \(|@\) ELSE \(|@?\)|` +
			`@?IF EXIST "[^"&|<>^]*\\node\.exe" \(|@?SET PATHEXT=%PATHEXT:;\.JS;=;%)$`),
		target: regexp.MustCompile(`(?i)^@?(?:"[^"&|<>^]*\\node(?:\.exe)?"|node)\s+"(%~dp0\\)?([^"%]+)" %\*$`),
	}
	return pnpm.parse(text)
}

// parseShellLauncher reads the sh script that npm and pnpm write where links do not work, and beside
// their .cmd on Windows.
func parseShellLauncher(text string) (target string, relative bool) {
	form := launcherForm{
		known: regexp.MustCompile("^(?:#!/bin/sh|basedir=\\$\\(dirname \"\\$\\(echo \"\\$0\" \\| sed -e 's,\\\\\\\\,/,g'\\)\"\\)|" +
			"case `uname` in|\\*CYGWIN\\*(?:\\|\\*MINGW\\*\\|\\*MSYS\\*)?\\)|" +
			"\\*CYGWIN\\*(?:\\|\\*MINGW\\*\\|\\*MSYS\\*)?\\) basedir=`cygpath -w \"\\$basedir\"`;;|" +
			"if command -v cygpath > /dev/null 2>&1; then|basedir=`cygpath -w \"\\$basedir\"`|fi|;;|esac|" +
			"if \\[ -z \"\\$NODE_PATH\" \\]; then|export NODE_PATH=\"[^\"`;&|<>]*\"|" +
			"if \\[ -x \"\\$basedir/node(?:\\.exe)?\" \\]; then|else|exit \\$\\?)$"),
		target: regexp.MustCompile("^(?:exec )?(?:\"[^\"`;&|<>]*[/\\\\]node(?:\\.exe)?\"|node)\\s+\"(\\$basedir/)?([^\"$`]+)\" \"\\$@\"$"),
	}
	return form.parse(text)
}

// dir is a path without its last part, base that last part, for GOOS's separators.
func (r resolver) dir(name string) string {
	at := r.lastSlash(name)
	if at < 0 {
		return name
	}
	return name[:max(at, 1)]
}

func (r resolver) base(name string) string { return name[r.lastSlash(name)+1:] }

func (r resolver) lastSlash(name string) int {
	if r.GOOS == "windows" {
		return strings.LastIndexAny(name, `\/`)
	}
	return strings.LastIndexByte(name, '/')
}

// clean resolves a relative path against a folder, "." and ".." by their text.
func (r resolver) clean(dir, relative string) string {
	if r.GOOS == "windows" {
		relative = strings.ReplaceAll(relative, `\`, "/")
	}
	for _, part := range strings.Split(relative, "/") {
		switch part {
		case "", ".":
		case "..":
			dir = r.dir(strings.TrimRight(dir, `\/`))
		default:
			dir = r.Join(dir, part)
		}
	}
	return dir
}
