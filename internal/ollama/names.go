package ollama

import "strings"

// sameModel compares two model names as Ollama does: case plays no part, a missing tag is latest, and
// the default registry and namespace may be left out.
func sameModel(a, b string) bool { return fullName(a) == fullName(b) }

func fullName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(name, "registry.ollama.ai/")
	name = strings.TrimPrefix(name, "library/")
	if name != "" && !strings.Contains(lastPart(name), ":") {
		name += ":latest"
	}
	return name
}

// lastPart is the name behind registry and namespace; a registry's port is no tag.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// isGPTOSS says whether a model is of the gpt-oss family, of any namespace and tag. These models
// can't be told not to reason, only to do it briefly.
func isGPTOSS(model string) bool {
	base, _, _ := strings.Cut(lastPart(strings.ToLower(strings.TrimSpace(model))), ":")
	return base == "gpt-oss" || strings.HasPrefix(base, "gpt-oss-")
}
