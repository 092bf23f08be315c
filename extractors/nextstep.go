package extractors

import "strings"

// nextMarkers introduce a suggestion to the user, lower case.
var nextMarkers = []string{"next steps:", "next step:", "next:", "השלב הבא:", "הצעד הבא:"}

// nextStep returns what stands after the last marker of a next step at the start of a line. A marker
// that stands alone announces the next line that is not empty. Source: spec/profiles.md.
func nextStep(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		rest, found := afterMarker(lines[i])
		if !found {
			continue
		}
		for k := i + 1; rest == "" && k < len(lines); k++ {
			rest = listText(lines[k])
		}
		if rest != "" {
			return rest
		}
	}
	return ""
}

// afterMarker returns the cleaned rest of a line that begins with a marker, in any case and with
// the marks of emphasis or of a heading around it.
func afterMarker(line string) (string, bool) {
	if len(line) > 8*maxValue {
		line = cutRunes(line, 4*maxValue)
	}
	line = strings.TrimLeft(trimBullet(stripFormat(line)), "#*_ ")
	for _, marker := range nextMarkers {
		if len(line) >= len(marker) && strings.EqualFold(line[:len(marker)], marker) {
			return cleanValue(strings.TrimLeft(line[len(marker):], "*_ ")), true
		}
	}
	return "", false
}

// listText returns a cleaned line, or nothing when it holds only the mark of a list entry.
func listText(line string) string {
	line = cleanValue(line)
	if strings.Trim(line, "0123456789.)") == "" {
		return ""
	}
	return line
}
