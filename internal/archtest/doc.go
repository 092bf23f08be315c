// Package archtest holds the tests that keep the shape of the program: who may import whom, where a
// third party may be used, what is documented, and how large files and functions may become.
//
// It must not be imported. Source of the rules: spec/style.md sections 2 to 4.
package archtest
