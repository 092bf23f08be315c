package extractors

// extractClaude reads Claude Code, in the desktop application and in a terminal.
func extractClaude(in Input) Outcome { return extractGeneric(in) }
