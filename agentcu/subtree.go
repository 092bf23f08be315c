package agentcu

import (
	"strings"

	"mcp-computer-use/internal/ui"
)

// WindowSubtree returns the part of a snapshot that belongs to the window with the title. On Linux and
// macOS a snapshot holds every window of the application below its root; it is false where none of them
// has that title: then nothing is known about the window.
//
// A snapshot whose root is no application is a window already, the first one whose title contains the one
// asked for. It is false where the root's name shows that this was another one. A root may be named
// otherwise than its window is titled, so that any other name proves nothing.
func WindowSubtree(s *ui.Snapshot, title string) (*ui.Snapshot, bool) {
	if s == nil || len(s.Elements) == 0 {
		return nil, false
	}
	root := s.Elements[0]
	if root.Role != ui.RoleApplication {
		other := strings.Contains(strings.ToLower(root.Name), strings.ToLower(title)) && !sameTitle(root.Name, title)
		return s, !other
	}
	// The children of the root, each found behind the end of the one before it.
	for i := 1; i < root.End; i = s.Elements[i].End {
		if sameTitle(s.Elements[i].Name, title) {
			return s.Sub(i), true
		}
	}
	return nil, false
}

// sameTitle compares titles up to white space, which a snapshot may break differently.
func sameTitle(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}
