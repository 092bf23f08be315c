package replay

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcp-computer-use/internal/proc"
)

// programName is the last part of a path written with either separator.
func programName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// processKind is what order is kept within: program, sub-command, and the window or application
// named by -a.
func processKind(program string, args []string, detached bool) string {
	base := strings.ToLower(programName(program))
	kind := strings.TrimSuffix(base, ".exe")
	if detached {
		kind = "start " + kind
	}
	if sub := subCommand(args); sub != "" {
		kind += " " + sub
	}
	if app, ok := appOf(args); ok {
		kind += " -a " + app
	}
	return kind
}

// subCommand is the first argument that is no flag and no script for an interpreter, else the first one.
func subCommand(args []string) string {
	for _, arg := range args {
		if arg == "--" {
			break
		}
		if !strings.HasPrefix(arg, "-") && !strings.HasSuffix(arg, ".js") {
			return arg
		}
	}
	if len(args) > 0 {
		return args[0]
	}
	return ""
}

// appOf returns the value of -a or --app, in either form, before the end of the flags.
func appOf(args []string) (string, bool) {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if value, ok := strings.CutPrefix(arg, "--app="); ok {
			return value, true
		}
		if (arg == "-a" || arg == "--app") && i+1 < len(args) {
			return args[i+1], true
		}
	}
	return "", false
}

// random finds the random part of a generated file name.
var random = regexp.MustCompile(`[0-9]{6,}|[0-9a-f]{12,}`)

// canonicalArgs writes the paths that differ from run to run as placeholders: the files that the child
// writes for us, its private home, the caller's named folders and the folder of temporary files.
func (s Scrub) canonicalArgs(cmd proc.Command) []string {
	args := make([]string, len(cmd.Args))
	for i, arg := range cmd.Args {
		args[i] = s.canonical(arg, cmd)
	}
	return args
}

// canonical does that for one argument or path.
func (s Scrub) canonical(arg string, cmd proc.Command) string {
	for i, out := range cmd.Outputs {
		if out != "" {
			arg = strings.ReplaceAll(arg, out, placeholder("output-"+strconv.Itoa(i+1)))
		}
	}
	if home := environ(cmd.Env, "HOME"); home != "" && home != s.Home {
		arg = replacePrefix(arg, home, placeholder("home"))
	}
	for _, name := range s.folderNames() {
		arg = replacePrefix(arg, s.Folders[name], placeholder(name))
	}
	return replaceTemp(arg)
}

// outputPath is the placeholder form of a file that a child writes.
func (s Scrub) outputPath(path string, cmd proc.Command) string {
	cmd.Outputs = nil
	short := s.canonical(path, cmd)
	if short == path {
		return placeholder("file") + "/" + programName(path)
	}
	return short
}

func placeholder(name string) string { return "{" + name + "}" }

// folderNames lists the named folders, inner ones before those that hold them.
func (s Scrub) folderNames() []string {
	names := make([]string, 0, len(s.Folders))
	for name, path := range s.Folders {
		if path != "" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := len(s.Folders[b]) - len(s.Folders[a]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}

// replacePrefix replaces a folder in an argument that is a path below it, alone or after an equals
// sign. What follows is written with slashes.
func replacePrefix(arg, folder, with string) string {
	head, path := "", arg
	if i := strings.IndexByte(arg, '='); i >= 0 && strings.HasPrefix(arg, "-") {
		head, path = arg[:i+1], arg[i+1:]
	}
	rest, ok := strings.CutPrefix(path, strings.TrimRight(folder, `/\`))
	if !ok || rest != "" && rest[0] != '/' && rest[0] != '\\' {
		return arg
	}
	return head + with + strings.ReplaceAll(rest, `\`, "/")
}

// replaceTemp replaces the path of a temporary file; only its name without random parts is kept.
func replaceTemp(arg string) string {
	short := replacePrefix(arg, os.TempDir(), placeholder("temp"))
	i := strings.Index(short, placeholder("temp"))
	if short == arg || i < 0 {
		return arg
	}
	path := short[i+len(placeholder("temp")):]
	if path == "" {
		return short
	}
	return short[:i] + placeholder("temp") + "/" + random.ReplaceAllString(programName(path), "*")
}

// environ returns a variable of a child's environment.
func environ(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if key, value, ok := strings.Cut(pair, "="); ok && (key == name || filepath.Separator == '\\' && strings.EqualFold(key, name)) {
			return value
		}
	}
	return ""
}
