package extractors

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first asked: there are dozens, a window
// needs a few of them, and a command-line call lives only for one window.
type pattern struct {
	expr     string
	compiled func() *regexp.Regexp
}

// lazy returns the pattern of an expression that must be valid; every one is compiled by a test.
func lazy(expr string) *pattern {
	return &pattern{expr, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// The methods are those of regexp.Regexp.

func (p *pattern) MatchString(s string) bool            { return p.compiled().MatchString(s) }
func (p *pattern) FindString(s string) string           { return p.compiled().FindString(s) }
func (p *pattern) FindStringIndex(s string) []int       { return p.compiled().FindStringIndex(s) }
func (p *pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }
func (p *pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}
func (p *pattern) ReplaceAllString(s, with string) string {
	return p.compiled().ReplaceAllString(s, with)
}
func (p *pattern) SubexpNames() []string { return p.compiled().SubexpNames() }
