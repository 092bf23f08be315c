package extractors

// extractCodex stands in until the profile is written.
func extractCodex(in Input) Outcome { return extractGeneric(in) }
