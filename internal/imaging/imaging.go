// Package imaging turns a picture of a window into the one that is handed on: decode, scale, encode as
// JPEG, tell a blank picture, and map a point of the result back to the screen.
//
// It must not know where pictures come from or who looks at them.
package imaging

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

const (
	// MaxWidth is how wide a picture that is handed on may be, in pixels (README, "Optional window
	// image capture").
	MaxWidth = 1024
	// Quality is the JPEG quality of a picture that is handed on.
	Quality = 70
)

// The limits of what is decoded. A header of a few bytes can claim any size, so it is judged before
// memory is taken: the largest picture is that of an 8K screen with room to spare.
const (
	maxBytes = 64 << 20  // of the file
	maxRaw   = 200 << 20 // of the pixels in memory
	maxSide  = 32767
)

// ErrNoPicture says that data is neither a whole PNG nor a whole JPEG.
var ErrNoPicture = errors.New("not a whole PNG or JPEG picture")

// TooLargeError is a picture that is refused before its pixels are read.
type TooLargeError struct{ Width, Height int }

// Error names the size that the picture claims.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a picture of %d x %d pixels is too large", e.Width, e.Height)
}

// Decode reads a PNG or JPEG. The error wraps ErrNoPicture for anything that is cut, damaged or of
// another kind, and is a *TooLargeError for a picture that would take too much memory.
func Decode(data []byte) (image.Image, error) {
	var (
		config image.Config
		err    error
		decode = png.Decode
	)
	if bytes.HasPrefix(data, []byte("\xff\xd8")) {
		decode = jpeg.Decode
		config, err = jpeg.DecodeConfig(bytes.NewReader(data))
	} else {
		config, err = png.DecodeConfig(bytes.NewReader(data))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoPicture, err)
	}
	if tooLarge(config, len(data)) {
		return nil, &TooLargeError{config.Width, config.Height}
	}
	picture, err := decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoPicture, err)
	}
	return picture, nil
}

// tooLarge judges a picture by its header: 8 bytes a pixel for 16 bits a channel, else at most 4.
func tooLarge(config image.Config, size int) bool {
	each := 4
	if config.ColorModel == color.RGBA64Model || config.ColorModel == color.NRGBA64Model {
		each = 8
	}
	w, h := config.Width, config.Height
	return size > maxBytes || w <= 0 || h <= 0 || w > maxSide || h > maxSide || w*h > maxRaw/each
}

// Encode returns picture as a JPEG of the agreed quality.
func Encode(picture image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: Quality}); err != nil {
		return nil, fmt.Errorf("JPEG: %w", err)
	}
	return out.Bytes(), nil
}
