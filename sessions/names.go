package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strings"
)

// maxName is the longest client or session name, in characters (README, "Sessions").
const maxName = 64

// defaultClient owns the sessions of callers that do not name themselves.
const defaultClient = "default"

// ID names a session. Both names are sanitised; the zero value is no session.
type ID struct{ Client, Session string }

// Identify turns the arguments of a call into a session's names; nil means not given. ok is false
// where there is no session: no session_id, or one in which no valid character is left. (Such ids must
// not all share one file: the answers of one task would be shown to another.)
func Identify(client, sessionID *string) (id ID, ok bool) {
	if sessionID == nil {
		return ID{}, false
	}
	session := sanitize(*sessionID)
	if session == "" {
		return ID{}, false
	}
	return ID{Client: ClientName(client), Session: session}, true
}

// ClientName returns the sanitised name of a client, "default" where it is not given or nothing
// valid is left of it.
func ClientName(client *string) string {
	if client != nil {
		if name := sanitize(*client); name != "" {
			return name
		}
	}
	return defaultClient
}

// sanitize keeps the letters A-Z and a-z, digits, _ and - of a name, at most 64 of them, and drops the
// rest. Names that become equal are one session with one file; the answer shows what is left of them.
func sanitize(name string) string {
	var out strings.Builder
	for _, r := range name {
		if valid(r) {
			out.WriteRune(r)
		}
		if out.Len() == maxName {
			break
		}
	}
	return out.String()
}

func valid(r rune) bool {
	return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// fileName is what session files are called. Since the two underscores are part of the base name, no
// name is one of the devices that Windows reserves (CON, NUL, COM1…).
var fileName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}__[A-Za-z0-9_-]{1,64}\.json$`)

// primary is the file of a session, as long as no other session owns it.
func (s *Store) primary(id ID) string {
	return filepath.Join(s.dir, id.Client+"__"+id.Session+".json")
}

// alternate is the file of a session whose primary file belongs to another one: a__b and c, a and b__c
// have the same name, and so have A and a where the file system ignores case.
func (s *Store) alternate(id ID) string {
	sum := sha256.Sum256([]byte(id.Client + "/" + id.Session))
	tail := "-" + hex.EncodeToString(sum[:6])
	session := id.Session[:min(len(id.Session), maxName-len(tail))]
	return filepath.Join(s.dir, id.Client+"__"+session+tail+".json")
}
