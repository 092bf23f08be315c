// Command mcp-computer-use reads and operates application windows for coding agents: an MCP server
// over stdio when started without a mode flag, else a command-line tool.
package main

import (
	"os"

	"mcp-computer-use/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
