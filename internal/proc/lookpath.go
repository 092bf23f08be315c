package proc

import (
	"io/fs"
	"path"
	"strings"
)

// Finder finds programs on the PATH of an environment. Its fields make it work for another operating
// system and another file system than this machine's, which tests need.
type Finder struct {
	GOOS string
	Env  []string // "KEY=value"
	Stat func(name string) (fs.FileInfo, error)
}

// Look returns the absolute path of a program that is found on the PATH of Env. Entries of PATH that are
// not absolute are skipped and the current folder never counts: it can be a repository of somebody
// else. On Windows the extensions of PATHEXT are tried, and the caller sees in the returned path what
// kind of file it is. A name that holds a separator has to be absolute. The failure is an *Error of
// kind NotFound.
func (f Finder) Look(name string) (string, error) {
	if f.hasSeparator(name) {
		if f.IsAbs(name) {
			if found := f.program("", name); found != "" {
				return found, nil
			}
		}
		return "", notFound(name)
	}
	if name != "" && name != "." && name != ".." {
		for _, dir := range f.Dirs() {
			if found := f.program(dir, name); found != "" {
				return found, nil
			}
		}
	}
	return "", notFound(name)
}

func notFound(name string) error {
	return &Error{Kind: NotFound, Path: name, ExitCode: -1, Err: fs.ErrNotExist}
}

// Dirs are the absolute folders of PATH, in order.
func (f Finder) Dirs() []string {
	separator := ":"
	if f.GOOS == "windows" {
		separator = ";"
	}
	var dirs []string
	for _, dir := range strings.Split(f.Getenv("PATH"), separator) {
		if f.GOOS == "windows" {
			dir = strings.Trim(dir, `"`)
		}
		if f.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// Getenv reads a variable of Env; names ignore case on Windows. As for a started process, the last
// entry of a name counts.
func (f Finder) Getenv(name string) string {
	for i := len(f.Env) - 1; i >= 0; i-- {
		key, value, ok := strings.Cut(f.Env[i], "=")
		if ok && (key == name || f.GOOS == "windows" && strings.EqualFold(key, name)) {
			return value
		}
	}
	return ""
}

// program returns the path of the program name in dir, or "". On Windows a name is completed by each
// extension of PATHEXT, and counts as it is only where it ends in one of them.
func (f Finder) program(dir, name string) string {
	full := name
	if dir != "" {
		full = f.Join(dir, name)
	}
	if f.GOOS != "windows" {
		if f.executable(full) {
			return full
		}
		return ""
	}
	lower := strings.ToLower(name)
	extensions := f.extensions()
	for _, ext := range extensions {
		if strings.HasSuffix(lower, ext) && f.executable(full) {
			return full
		}
	}
	for _, ext := range extensions {
		if f.executable(full + ext) {
			return full + ext
		}
	}
	return ""
}

func (f Finder) extensions() []string {
	list := f.Getenv("PATHEXT")
	if list == "" {
		list = ".com;.exe;.bat;.cmd"
	}
	var extensions []string
	for _, ext := range strings.Split(strings.ToLower(list), ";") {
		if ext = strings.TrimSpace(ext); ext != "" {
			extensions = append(extensions, "."+strings.TrimPrefix(ext, "."))
		}
	}
	return extensions
}

// executable says whether a file is there and may be started; Windows knows no permission for that.
func (f Finder) executable(name string) bool {
	info, err := f.Stat(name)
	if err != nil || info.IsDir() {
		return false
	}
	return f.GOOS == "windows" || info.Mode()&0o111 != 0
}

// IsAbs says whether a path is absolute on GOOS. On Windows that takes a drive with a root, or a share.
func (f Finder) IsAbs(name string) bool {
	if f.GOOS != "windows" {
		return path.IsAbs(name)
	}
	if len(name) >= 3 && name[1] == ':' && isSlash(name[2]) {
		c := name[0] | 0x20
		return 'a' <= c && c <= 'z'
	}
	return len(name) >= 3 && isSlash(name[0]) && isSlash(name[1]) && !isSlash(name[2])
}

// Join appends a relative path to a folder with GOOS's separator, without resolving anything in it.
func (f Finder) Join(dir string, parts ...string) string {
	separator, trimmed := "/", strings.TrimRight(dir, "/")
	if f.GOOS == "windows" {
		separator, trimmed = `\`, strings.TrimRight(dir, `\/`)
	}
	return trimmed + separator + strings.Join(parts, separator)
}

func (f Finder) hasSeparator(name string) bool {
	if f.GOOS == "windows" {
		return strings.ContainsAny(name, `\/:`)
	}
	return strings.Contains(name, "/")
}

func isSlash(c byte) bool { return c == '\\' || c == '/' }
