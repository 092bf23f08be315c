package agentcu

import (
	"strings"

	"mcp-computer-use/internal/ui"
)

// WindowSubtree returns the part of a snapshot that belongs to the window with the title. On Linux and
// macOS a snapshot holds every window of the application below its root; on Windows it is the window
// already. It is false where no window has that title: then nothing is known about it.
func WindowSubtree(s *ui.Snapshot, title string) (*ui.Snapshot, bool) {
	if s == nil || len(s.Elements) == 0 {
		return nil, false
	}
	root := s.Elements[0]
	if root.Role != ui.RoleApplication {
		return s, sameTitle(root.Name, title)
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
