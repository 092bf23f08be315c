package imaging

import (
	"image"

	"mcp-computer-use/internal/ui"
)

// Crop returns the part of a picture of window that shows what is inside frame, both in screen pixels:
// Windows counts an invisible border to a window. The origin of the result is the picture's corner. A
// frame that is empty or not inside of the window leaves the picture whole.
func Crop(window, frame image.Rectangle) image.Rectangle {
	if frame.Empty() || !frame.In(window) {
		frame = window
	}
	return frame.Sub(window.Min)
}

// Geometry says which part of the screen a scaled picture shows.
type Geometry struct {
	Shown         ui.Rect // in screen pixels
	Width, Height int     // pixels of the picture
}

// ToScreen maps the middle of a picture's pixel back to the screen. ok is false outside of the picture.
// Each axis has one factor, so that nothing is lost but the fraction of a pixel.
func (g Geometry) ToScreen(x, y int) (screenX, screenY float64, ok bool) {
	if x < 0 || y < 0 || x >= g.Width || y >= g.Height {
		return 0, 0, false
	}
	return g.Shown.X + (float64(x)+0.5)*g.Shown.Width/float64(g.Width),
		g.Shown.Y + (float64(y)+0.5)*g.Shown.Height/float64(g.Height), true
}
