package extractors

// extractBrowser stands in until the profile is written.
func extractBrowser(in Input) Outcome { return extractGeneric(in) }
