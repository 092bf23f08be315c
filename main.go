// Command mcp-computer-use reads and operates application windows for coding agents: an MCP server
// over stdio when started without a mode flag, else a command-line tool.
package main

import (
	"os"

	"mcp-computer-use/internal/cli"
)

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr // what a library prints must not get between the lines of the protocol
	os.Exit(cli.Main(os.Args[1:], os.Stdin, out, os.Stderr))
}
