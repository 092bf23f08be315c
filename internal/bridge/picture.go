package bridge

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mcp-computer-use/capture"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/timeouts"
)

// shot is a picture being taken beside the model.
type shot struct {
	done    chan struct{}
	picture capture.Picture
	err     error
}

// startPicture begins to take the picture where one is asked for; nil otherwise.
func (l *look) startPicture(ctx context.Context, seen *seen) *shot {
	if !l.req.IncludeImage && l.req.ImageOut == "" {
		return nil
	}
	s := &shot{done: make(chan struct{})}
	limit, _ := l.budget.CapRead(l.opts.ImageTimeout)
	go func() {
		defer close(s.done)
		ctx, cancel := timeouts.WithLimit(ctx, limit, "image_timeout")
		defer cancel()
		s.err = safely("picture", func() (err error) {
			s.picture, err = l.deps.Camera.Take(ctx, capture.Request{Window: seen.window, Arg: seen.arg})
			return err
		})
	}()
	return s
}

// finishPicture waits for the picture and puts it, or why there is none, into the answer.
func (l *look) finishPicture(s *shot) []byte {
	if s == nil {
		return nil
	}
	<-s.done
	err := s.err
	if err == nil && l.req.ImageOut != "" {
		err = saveWhole(l.req.ImageOut, s.picture.JPEG)
	}
	if err != nil {
		l.out.ImageError = imageError(err)
		return nil
	}
	l.out.Image = &result.Image{Width: s.picture.Width, Height: s.picture.Height, Bytes: len(s.picture.JPEG)}
	if s.picture.Hint != "" {
		l.hints = append(l.hints, s.picture.Hint)
	}
	return s.picture.JPEG
}

// saveError is a picture that was taken but could not be written.
type saveError struct{ err error }

func (e *saveError) Error() string { return "the picture could not be written: " + e.err.Error() }
func (e *saveError) Unwrap() error { return e.err }

// saveWhole writes beside and renames, so that an existing file is replaced by a whole picture or not
// at all. A file that is read-only stays, although some systems would let it be replaced.
func saveWhole(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o222 == 0 {
		return &saveError{&fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission}}
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".picture-*")
	if err != nil {
		return &saveError{err}
	}
	_, err = part.Write(data)
	if closeErr := part.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		_ = os.Remove(part.Name()) // best effort: the failure that counts is reported
		return &saveError{err}
	}
	return nil
}

// imageError gives the failure of a picture its code.
func imageError(err error) *result.Error {
	var (
		failed *capture.Error
		saved  *saveError
	)
	switch {
	case errors.As(err, &saved):
		return result.New(result.ImageCaptureFailed, saved.Error()).
			Suggest("Name a file in a folder that exists and can be written to.")
	case !errors.As(err, &failed):
		return result.New(result.ImageCaptureFailed, err.Error())
	}
	out := result.New(map[capture.Kind]result.Code{
		capture.Blank: result.ImageCaptureBlank, capture.Minimized: result.ImageMinimized,
		capture.Timeout: result.ImageCaptureTimeout,
	}[failed.Kind], failed.Error())
	if out.Code == "" {
		out = result.New(result.ImageCaptureFailed, failed.Error())
	}
	if failed.Suggestion != "" {
		out.Suggestion = failed.Suggestion
	}
	return out
}
