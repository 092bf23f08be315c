package capture

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"regexp"

	"mcp-computer-use/internal/imaging"
	"mcp-computer-use/internal/store"
	"mcp-computer-use/internal/ui"
)

// maxFile is how many bytes of a picture file are read.
const maxFile = 64 << 20

// byEngine lets agent-cu take the picture into a private home, which goes away with it.
func (c *Camera) byEngine(ctx context.Context, request Request) (picture Picture, err error) {
	if c.client == nil {
		return Picture{}, &Error{Kind: Failed, Message: "there is no agent-cu to take the picture"}
	}
	home, err := c.client.NewHome()
	if err != nil {
		return Picture{}, err
	}
	defer func() {
		if closing := errors.Join(removeAll(home.Dir()), home.Close()); closing != nil && err == nil {
			picture, err = Picture{}, fmt.Errorf("the private folder could not be removed: %w", closing)
		}
	}()
	var other *otherWindowError
	for _, arg := range c.arguments(request) {
		path, err := c.client.Screenshot(ctx, home, arg)
		if err != nil {
			if other != nil {
				break // the first one worked, though it showed something else
			}
			return Picture{}, err
		}
		shot, err := loadPicture(path)
		if err != nil {
			return Picture{}, err
		}
		if c.shows(shot.Bounds(), request.Window) {
			return handOn(shot, request.Window.Bounds)
		}
		other = &otherWindowError{got: shot.Bounds(), want: *request.Window.Bounds}
	}
	if ctx.Err() != nil {
		return Picture{}, context.Cause(ctx)
	}
	return Picture{}, wholeScreen(other)
}

// arguments are the values of -a to try. On Linux agent-cu 0.1 hands the value to xdotool as a pattern
// for titles, takes the first window that matches, and falls back to the whole screen where that one
// can't be pictured, as the hidden windows of GTK applications can't. The exact title as a pattern often
// still names the right one.
func (c *Camera) arguments(request Request) []string {
	list := []string{request.Arg}
	if c.opts.Platform == ui.Linux && request.Window.Title != "" && request.Window.Bounds != nil {
		list = append(list, "^"+regexp.QuoteMeta(request.Window.Title)+"$")
	}
	return list
}

// otherWindowError is a picture of something else than the window asked for, by its size.
type otherWindowError struct {
	got  image.Rectangle
	want ui.Rect
}

func (e *otherWindowError) Error() string {
	return fmt.Sprintf("the picture has %d x %d pixels, the window %.0f x %.0f", e.got.Dx(), e.got.Dy(), e.want.Width, e.want.Height)
}

// The frame that a window manager draws around a window counts to its bounds and not to its picture.
const (
	frameWidth  = 24
	frameHeight = 72
)

// shows says whether a picture can be that of the window, as far as its size is known. Only Linux needs
// it: on macOS agent-cu pictures the window or fails.
func (c *Camera) shows(got image.Rectangle, window ui.Window) bool {
	if c.opts.Platform != ui.Linux || window.Bounds == nil {
		return true
	}
	wider, higher := int(window.Bounds.Width)-got.Dx(), int(window.Bounds.Height)-got.Dy()
	return wider >= 0 && wider <= frameWidth && higher >= 0 && higher <= frameHeight
}

// loadPicture reads and removes a picture that agent-cu wrote: it shows the screen of a person.
func loadPicture(path string) (image.Image, error) {
	data, err := store.ReadFile(path, maxFile)
	if removing := os.Remove(path); err == nil && removing != nil && !errors.Is(removing, os.ErrNotExist) {
		err = removing
	}
	if err != nil {
		return nil, err
	}
	shot, err := imaging.Decode(data)
	if err != nil {
		return nil, &Error{Kind: Failed, Message: "agent-cu gave no usable picture: " + err.Error(), Err: err}
	}
	return shot, nil
}

// handOn scales and encodes a picture of a window that is not blank.
func handOn(shot image.Image, bounds *ui.Rect) (Picture, error) {
	if imaging.Blank(shot) {
		return Picture{}, blank()
	}
	var picture Picture
	if imaging.MaybeBlank(shot, shot.Bounds()) {
		picture.Hint = hintMaybeBlank
	}
	scaled := imaging.Scale(shot, imaging.MaxWidth)
	var err error
	if picture.JPEG, err = imaging.Encode(scaled); err != nil {
		return Picture{}, err
	}
	picture.Width, picture.Height = scaled.Rect.Dx(), scaled.Rect.Dy()
	picture.Geometry = imaging.Geometry{Width: picture.Width, Height: picture.Height}
	if bounds != nil {
		picture.Geometry.Shown = *bounds
	}
	return picture, nil
}
