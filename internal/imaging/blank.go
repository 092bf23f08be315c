package imaging

import (
	"image"
	"image/color"
	"math"
)

// The rule for a picture that may be blank (spec/windows.md M4.7).
const (
	wantSamples  = 4096
	leastSamples = 1024
	nearlyAll    = 0.995
)

// Blank says whether every pixel of the picture has one value, whatever it is. A picture without
// pixels is blank.
func Blank(picture image.Image) bool {
	b := picture.Bounds()
	switch p := picture.(type) {
	case *image.RGBA:
		return oneValue(p.Pix, p.Stride, 4*b.Dx(), b.Dy(), 4)
	case *image.NRGBA:
		return oneValue(p.Pix, p.Stride, 4*b.Dx(), b.Dy(), 4)
	case *image.Gray:
		return oneValue(p.Pix, p.Stride, b.Dx(), b.Dy(), 1)
	}
	if b.Empty() {
		return true
	}
	first := picture.At(b.Min.X, b.Min.Y)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if !sameColor(picture.At(x, y), first) {
				return false
			}
		}
	}
	return true
}

// oneValue compares rows of pixels, each with the bytes before it: all are equal if each is equal to
// its neighbour, and rows to the first row.
func oneValue(pix []byte, stride, width, height, each int) bool {
	if width == 0 || height == 0 {
		return true
	}
	first := pix[:width]
	if string(first[each:]) != string(first[:width-each]) {
		return false
	}
	for y := 1; y < height; y++ {
		if string(pix[y*stride:y*stride+width]) != string(first) {
			return false
		}
	}
	return true
}

func sameColor(a, b color.Color) bool {
	r1, g1, b1, a1 := a.RGBA()
	r2, g2, b2, a2 := b.RGBA()
	return r1 == r2 && g1 == g2 && b1 == b2 && a1 == a2
}

// MaybeBlank says whether nearly all of the area, that of the window's content, has one value. A window
// can have good reasons to look so, which makes it advice and no failure. An area that is too small for
// enough samples is never said to be blank.
func MaybeBlank(picture image.Image, area image.Rectangle) bool {
	area = area.Intersect(picture.Bounds())
	columns, rows := grid(area.Dx(), area.Dy())
	total := columns * rows
	if total < leastSamples {
		return false
	}
	counts, most := make(map[[4]uint32]int), 0
	for j := range rows {
		y := area.Min.Y + (2*j+1)*area.Dy()/(2*rows)
		for i := range columns {
			x := area.Min.X + (2*i+1)*area.Dx()/(2*columns)
			r, g, b, a := picture.At(x, y).RGBA()
			key := [4]uint32{r, g, b, a}
			counts[key]++
			most = max(most, counts[key])
		}
	}
	return float64(most) >= nearlyAll*float64(total)
}

// grid spreads about 4096 samples evenly: its cells are as square as the area allows.
func grid(width, height int) (columns, rows int) {
	if width <= 0 || height <= 0 {
		return 0, 0
	}
	columns = int(math.Ceil(math.Sqrt(wantSamples * float64(width) / float64(height))))
	columns = min(max(columns, 1), width)
	rows = min((wantSamples+columns-1)/columns, height)
	return columns, rows
}
