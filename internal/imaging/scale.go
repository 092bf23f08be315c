package imaging

import (
	"image"
	"image/color"
	stddraw "image/draw"
	"runtime"
	"sync"

	"golang.org/x/image/draw"
)

// Fit returns the size of a picture of width x height pixels when it may be at most maxWidth wide. It
// never grows, and no side is less than 1.
func Fit(width, height, maxWidth int) (w, h int) {
	if width <= maxWidth {
		return max(width, 1), max(height, 1)
	}
	return maxWidth, max((height*maxWidth*2+width)/(2*width), 1)
}

// Scale returns the picture in at most maxWidth pixels of width, on white where it is transparent.
// The result begins at (0, 0).
//
// The engine's pictures are up to 4K, so the way is chosen for speed: whole boxes of pixels are
// averaged first, which keeps small text readable, and the rest of the way, less than a factor of 2,
// is interpolated.
func Scale(picture image.Image, maxWidth int) *image.RGBA {
	src := opaque(picture)
	b := src.Bounds()
	w, h := Fit(b.Dx(), b.Dy(), maxWidth)
	if w == b.Dx() && h == b.Dy() {
		return src
	}
	if n := min(b.Dx()/w, b.Dy()/h); n > 1 {
		src = average(src, n)
	}
	if src.Rect.Dx() == w && src.Rect.Dy() == h {
		return src
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(out, out.Rect, src, src.Bounds(), draw.Src, nil)
	return out
}

// opaque returns the picture as RGBA without transparency, beginning at (0, 0). It is the same memory
// where nothing has to be changed.
func opaque(picture image.Image) *image.RGBA {
	switch p := picture.(type) {
	case *image.RGBA:
		if p.Rect.Min == (image.Point{}) && p.Opaque() {
			return p
		}
	case *image.NRGBA:
		// With full alpha both forms hold the same bytes.
		if p.Rect.Min == (image.Point{}) && p.Opaque() {
			return &image.RGBA{Pix: p.Pix, Stride: p.Stride, Rect: p.Rect}
		}
	}
	b := picture.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	stddraw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, stddraw.Src)
	stddraw.Draw(out, out.Rect, picture, b.Min, stddraw.Over)
	return out
}

// average makes one pixel of each box of n x n pixels. Boxes at the right and lower edge can be
// smaller, so that no pixel is lost. The processors share the rows.
func average(src *image.RGBA, n int) *image.RGBA {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, (w+n-1)/n, (h+n-1)/n))
	rows, bands := out.Rect.Dy(), min(runtime.GOMAXPROCS(0), maxBands)
	var group sync.WaitGroup
	for band := range bands {
		group.Go(func() { averageRows(out, src, n, rows*band/bands, rows*(band+1)/bands) })
	}
	group.Wait()
	return out
}

// maxBands is how many processors work on one picture; more of them wait for memory.
const maxBands = 4

// averageRows fills the rows from begin to end of out.
func averageRows(out, src *image.RGBA, n, begin, end int) {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	sums := make([]uint32, 3*out.Rect.Dx())
	for y := begin; y < end; y++ {
		clear(sums)
		top, bottom := y*n, min(y*n+n, h)
		for row := top; row < bottom; row++ {
			addBoxes(sums, src.Pix[row*src.Stride:row*src.Stride+4*w], n)
		}
		writeMeans(out.Pix[y*out.Stride:y*out.Stride+out.Stride], sums, uint32(bottom-top), n, w)
	}
}

// addBoxes adds the pixels of one line to the sums of its boxes, n pixels each.
func addBoxes(sums []uint32, line []byte, n int) {
	at := 0
	for len(line) > 0 {
		width := min(4*n, len(line))
		box := line[:width]
		var r, g, b uint32
		for len(box) >= 4 {
			r += uint32(box[0])
			g += uint32(box[1])
			b += uint32(box[2])
			box = box[4:]
		}
		cell := sums[at : at+3 : at+3]
		cell[0] += r
		cell[1] += g
		cell[2] += b
		at += 3
		line = line[width:]
	}
}

// writeMeans writes the mean of each box of a line of w pixels.
func writeMeans(out []byte, sums []uint32, rows uint32, n, w int) {
	for x := range len(sums) / 3 {
		count := rows * uint32(min(n, w-x*n))
		half := count / 2
		pixel := out[4*x : 4*x+4 : 4*x+4]
		pixel[0] = uint8((sums[3*x] + half) / count)
		pixel[1] = uint8((sums[3*x+1] + half) / count)
		pixel[2] = uint8((sums[3*x+2] + half) / count)
		pixel[3] = 0xff
	}
}
