package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"mcp-computer-use/internal/store"
)

// purgeAction is the action of the record that stands for the purged ones.
const purgeAction = "purge"

// The results of a purge record. brokenResult says that the log did not verify when it was purged:
// purging renews the hashes, and must not make a changed log look untouched.
const (
	soundResult  = "ok"
	brokenResult = "chain_broken"
)

// window is what is read of either end of the log; a line never has so many bytes.
const window = 128 << 10

// quickLook reads both ends of the log. fast says that a record can simply be appended behind last: the
// log ends with a whole record, and its oldest one has not expired. Else the log has to be read as a
// whole.
func (l *Log) quickLook(now time.Time) (last link, fast bool, err error) {
	file, err := store.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return link{}, true, nil
	}
	if err != nil {
		return link{}, false, store.Wrap("open", l.path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return link{}, false, store.Wrap("open", l.path, err)
	}
	if info.Size() == 0 {
		return link{}, true, nil
	}
	length := min(info.Size(), window)
	head, err := part(file, 0, length)
	if err != nil {
		return link{}, false, store.Wrap("read", l.path, err)
	}
	tail, err := part(file, info.Size()-length, length)
	if err != nil {
		return link{}, false, store.Wrap("read", l.path, err)
	}
	last, whole := lastLink(tail)
	return last, whole && l.oldestStays(head, now), nil
}

func part(file io.ReaderAt, offset, length int64) ([]byte, error) {
	data := make([]byte, length)
	if n, err := file.ReadAt(data, offset); err != nil && n < len(data) {
		return nil, err
	}
	return data, nil
}

// lastLink returns the place of the last record of a log's end; whole is false where the last line is
// no whole record.
func lastLink(tail []byte) (last link, whole bool) {
	lines, ended := bytes.CutSuffix(tail, []byte("\n"))
	if !ended {
		return link{}, false
	}
	one, err := parseLine(lines[bytes.LastIndexByte(lines, '\n')+1:])
	return one.own, err == nil
}

// oldestStays says whether the first action on record has not expired.
func (l *Log) oldestStays(head []byte, now time.Time) bool {
	for range 2 {
		line, rest, found := bytes.Cut(head, []byte("\n"))
		if !found {
			return len(head) == 0 // nothing but a purge record
		}
		one, err := parseLine(line)
		if err != nil {
			return false
		}
		if one.action != purgeAction {
			return !l.expired(one.at, now)
		}
		head = rest
	}
	return false
}

func (l *Log) expired(at, now time.Time) bool { return now.Sub(at) > l.options.TTL }

// rework appends a record to a log that has to be read as a whole: it mends a broken end and purges.
func (l *Log) rework(body []byte, now time.Time) (warning string, err error) {
	data, err := store.ReadFile(l.path, math.MaxInt64-1)
	if err != nil {
		return "", err
	}
	entries, torn, broken := split(data)
	if len(entries) == 0 {
		aside, err := store.Quarantine(l.path)
		if err != nil {
			return "", err
		}
		line, _ := link{}.next(body)
		return fmt.Sprintf("The action log could not be read; it was kept as %s and a new one begins.",
			filepath.Base(aside)), store.Append(l.path, line)
	}
	if len(torn) > 0 {
		aside := l.path + store.CorruptSuffix
		if err := store.WriteFile(aside, torn); err != nil {
			return "", err
		}
		warning = fmt.Sprintf("The action log ended in the middle of a record; that end was kept as %s.",
			filepath.Base(aside))
	}
	whole := data[:len(data)-len(torn)]
	kept, removed, count := l.sift(entries, now)
	last := entries[len(entries)-1].own
	if count > 0 {
		l.forgetAside(now)
		whole, last = l.purged(entries[0], kept, count, removed, last, broken, now)
	} else if !bytes.HasSuffix(whole, []byte("\n")) {
		whole = append(whole, '\n')
	}
	line, _ := last.next(body)
	if count == 0 && len(whole) == len(data) {
		return warning, store.Append(l.path, line) // strange lines stay as they are: they are evidence
	}
	return warning, store.WriteFile(l.path, append(whole, line...))
}

// forgetAside deletes what was set aside once it is as old as expired records: it holds some of them.
func (l *Log) forgetAside(now time.Time) {
	aside := l.path + store.CorruptSuffix
	if info, err := os.Lstat(aside); err == nil && l.expired(info.ModTime(), now) {
		_ = store.Remove(aside) // the next purge tries again
	}
}

// sift parts the records that stay from those that have expired, of which it returns the last one's
// place and the number. An earlier purge record gives way to the next one.
func (l *Log) sift(entries []entry, now time.Time) (kept []entry, removed link, count int) {
	for _, one := range entries {
		switch {
		case one.action == purgeAction:
			removed = one.own
		case l.expired(one.at, now):
			removed, count = one.own, count+1
		default:
			kept = append(kept, one)
		}
	}
	return kept, removed, count
}

// purged prints the purge record and the kept ones behind it. Their numbers count back from the last
// record's, so that no number is ever used again.
func (l *Log) purged(first entry, kept []entry, count int, removed, last link, broken bool, now time.Time) ([]byte, link) {
	mark := Record{Action: purgeAction, Result: soundResult,
		Hint: fmt.Sprintf("expired records removed: %d", count)}
	at := now
	if broken {
		mark.Result = brokenResult
	}
	if first.action == purgeAction && first.result == brokenResult && !l.expired(first.at, now) {
		at, mark.Result = first.at, brokenResult // stays as long as any record does
	}
	before := link{max(last.seq-int64(len(kept))-1, 0), removed.hash}
	out, place := before.next(encode(at, mark))
	for _, one := range kept {
		var line []byte
		line, place = place.next(one.body)
		out = append(out, line...)
	}
	return out, place
}

// split reads all lines. torn is an end that is no whole record; broken says that the rest of the log
// does not verify. Lines that are no records are passed over.
func split(data []byte) (entries []entry, torn []byte, broken bool) {
	var chain checker
	for len(data) > 0 {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		one, err := parseLine(line)
		if !ended && (err != nil || !one.sound) {
			return entries, data, chain.reason != ""
		}
		chain.add(line)
		if err == nil {
			entries = append(entries, one)
		}
		data = rest
	}
	return entries, nil, chain.reason != ""
}
