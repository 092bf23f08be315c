package agentcu

import "mcp-computer-use/internal/ui"

// ParseSnapshot reads the text of `agent-cu snapshot`.
func ParseSnapshot(text []byte) *ui.Snapshot { return ParseSnapshotRefs(text, nil) }

// ParseSnapshotRefs reads the same with the refs.json of its run.
func ParseSnapshotRefs(text, refs []byte) *ui.Snapshot { return &ui.Snapshot{} }
