// Package bridge holds the use cases: look, click, type, ping, release and health, each in the
// contract's order, and the one place where an error becomes a code.
//
// It must not know MCP types, command-line flags, file formats or how processes are started.
package bridge
