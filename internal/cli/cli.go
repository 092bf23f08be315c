// Package cli is the edge towards the shell: flags, stdio, signals, exit codes and the wiring of all
// other packages.
//
// It must not know how a tool works or how MCP frames its messages.
package cli

import "io"

// Main runs the program and returns its exit code (spec/contract.md section 2).
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return 2
}
