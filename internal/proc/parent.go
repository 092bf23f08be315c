package proc

import (
	"context"
	"time"
)

// parentPoll is how often the parent is looked at.
const parentPoll = 500 * time.Millisecond

// WatchParent returns a channel that is closed once the process that started this one is gone. It is
// never closed when ctx ends first, or where the parent can't be watched. A launcher may end quietly
// while its server is still in use, so the caller should wait for more signs before it leaves.
func WatchParent(ctx context.Context) <-chan struct{} {
	gone := make(chan struct{})
	look, done := parentWatch()
	go func() {
		defer done()
		ticker := time.NewTicker(parentPoll)
		defer ticker.Stop()
		for look() {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
		close(gone)
	}()
	return gone
}

// ParentName is the file name of the program that started this one, such as "cmd.exe"; empty where it
// can't be found out. It is meant for remarks, not for decisions: the parent may have ended.
func ParentName() string { return parentName() }
