package extractors

// extractEditor stands in until the profile is written.
func extractEditor(in Input) Outcome { return extractGeneric(in) }
