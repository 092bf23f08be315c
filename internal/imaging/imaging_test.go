package imaging

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"mcp-computer-use/internal/ui"
)

// textured is a picture in which no two neighbours are equal.
func textured(w, h int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p.SetRGBA(x, y, color.RGBA{uint8(x * 7), uint8(y * 5), uint8(x ^ y), 255})
		}
	}
	return p
}

func plain(w, h int, c color.Color) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	p.Set(0, 0, c)
	for done := 4; done < len(p.Pix); done *= 2 {
		copy(p.Pix[done:], p.Pix[:done])
	}
	return p
}

func pngOf(t testing.TB, p image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// withSize rewrites the size in a PNG's header.
func withSize(data []byte, w, h uint32) []byte {
	data = bytes.Clone(data)
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestDecode(t *testing.T) {
	whole := pngOf(t, textured(40, 30))
	var out bytes.Buffer
	if err := jpeg.Encode(&out, textured(40, 30), nil); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"PNG": whole, "JPEG": out.Bytes()} {
		picture, err := Decode(data)
		if err != nil || picture.Bounds() != image.Rect(0, 0, 40, 30) {
			t.Errorf("%s: %v", name, err)
		}
		for _, part := range [][]byte{nil, data[:1], data[:len(data)/2], data[:len(data)-3]} {
			if _, err := Decode(part); !errors.Is(err, ErrNoPicture) {
				t.Errorf("%s cut to %d bytes: %v", name, len(part), err)
			}
		}
	}
	if _, err := Decode([]byte("no picture")); !errors.Is(err, ErrNoPicture) {
		t.Errorf("rubbish: %v", err)
	}
	for _, size := range [][2]uint32{{30000, 30000}, {40000, 1}, {1, 1 << 30}} {
		var large *TooLargeError
		if _, err := Decode(withSize(whole, size[0], size[1])); !errors.As(err, &large) || large.Error() == "" {
			t.Errorf("%v: %v", size, err)
		}
	}
	deep := withSize(pngOf(t, image.NewNRGBA64(image.Rect(0, 0, 4, 4))), 6000, 6000) // twice the bytes a pixel
	var large *TooLargeError
	if _, err := Decode(deep); !errors.As(err, &large) {
		t.Errorf("16 bits a channel: %v", err)
	}
}

func TestFit(t *testing.T) {
	for _, test := range []struct{ w, h, max, wantW, wantH int }{
		{300, 200, 1024, 300, 200}, {1024, 5000, 1024, 1024, 5000}, {1600, 900, 1024, 1024, 576},
		{3840, 2160, 1024, 1024, 576}, {1025, 1000, 1024, 1024, 999}, {30000, 1, 1024, 1024, 1}, {2000, 3, 1024, 1024, 2},
	} {
		if w, h := Fit(test.w, test.h, test.max); w != test.wantW || h != test.wantH {
			t.Errorf("Fit(%d, %d, %d) = %d, %d", test.w, test.h, test.max, w, h)
		}
	}
}

func TestScale(t *testing.T) {
	for _, size := range [][2]int{{1600, 900}, {3840, 2160}, {2048, 1000}, {3000, 2}, {1025, 7}, {4001, 999}} {
		got := Scale(textured(size[0], size[1]), MaxWidth)
		if w, h := Fit(size[0], size[1], MaxWidth); got.Bounds() != image.Rect(0, 0, w, h) || !got.Opaque() {
			t.Errorf("%v: %v", size, got.Bounds())
		}
	}
	// Four quarters of different colour stay where they are, at any factor.
	for _, side := range []int{1500, 2048, 3333, 4100} {
		p := plain(side, side, color.White)
		for y := range side / 2 {
			for x := range side / 2 {
				p.SetRGBA(x, y, color.RGBA{200, 10, 30, 255})
			}
		}
		got := Scale(p, MaxWidth)
		if got.RGBAAt(500, 500) != (color.RGBA{200, 10, 30, 255}) || got.RGBAAt(524, 500) != (color.RGBA{255, 255, 255, 255}) {
			t.Errorf("%d: %v, %v", side, got.RGBAAt(500, 500), got.RGBAAt(524, 500))
		}
	}
}

func TestScaleOfOtherForms(t *testing.T) {
	clearer := image.NewNRGBA(image.Rect(0, 0, 10, 10)) // all transparent
	if got := Scale(clearer, MaxWidth).RGBAAt(3, 3); got != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("transparent: %v", got)
	}
	part := textured(100, 100).SubImage(image.Rect(20, 30, 80, 90))
	got := Scale(part, MaxWidth)
	if got.Bounds() != image.Rect(0, 0, 60, 60) || got.At(0, 0) != part.At(20, 30) {
		t.Errorf("a part: %v, %v", got.Bounds(), got.At(0, 0))
	}
	full := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	full.Set(0, 0, color.RGBA{1, 2, 3, 255})
	full.Set(1, 0, color.RGBA{4, 5, 6, 255})
	if got := Scale(full, MaxWidth); got.RGBAAt(1, 0) != (color.RGBA{4, 5, 6, 255}) {
		t.Errorf("opaque NRGBA: %v", got.RGBAAt(1, 0))
	}
}

func TestEncode(t *testing.T) {
	data, err := Encode(textured(64, 48))
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(data)
	if err != nil || back.Bounds() != image.Rect(0, 0, 64, 48) {
		t.Errorf("%v", err)
	}
}

// withDots changes every n-th pixel.
func withDots(p *image.RGBA, n int) *image.RGBA {
	for i := 0; i < len(p.Pix)/4; i += n {
		p.Pix[4*i] ^= 0xff
	}
	return p
}

// withCaption paints the upper rows.
func withCaption(p *image.RGBA, rows int) *image.RGBA {
	copy(p.Pix, textured(p.Rect.Dx(), rows).Pix)
	return p
}

func TestBlank(t *testing.T) {
	dark, light := color.RGBA{30, 30, 30, 255}, color.RGBA{0xe7, 0xe7, 0xe7, 255}
	content := image.Rect(0, 40, 640, 400)
	oneDot := plain(640, 400, dark)
	oneDot.SetRGBA(639, 399, color.RGBA{30, 30, 31, 255})
	for name, test := range map[string]struct {
		picture      image.Image
		blank, maybe bool
	}{
		"all zero":             {image.NewRGBA(image.Rect(0, 0, 640, 400)), true, true},
		"black":                {plain(640, 400, color.Black), true, true},
		"light":                {plain(640, 400, light), true, true},
		"one dot in the end":   {oneDot, false, true},
		"dark editor, caption": {withCaption(plain(640, 400, dark), 40), false, true},
		"white page, caption":  {withCaption(plain(640, 400, color.White), 40), false, true},
		"a dot in a thousand":  {withDots(plain(640, 400, dark), 997), false, true},
		"a dot in fifty":       {withDots(plain(640, 400, dark), 47), false, false},
		"textured":             {textured(640, 400), false, false},
		"gray":                 {image.NewGray(image.Rect(0, 0, 640, 400)), true, true},
		"paletted":             {image.NewPaletted(image.Rect(0, 0, 640, 400), color.Palette{dark, light}), true, true},
		"NRGBA":                {image.NewNRGBA(image.Rect(0, 0, 640, 400)), true, true},
		"no pixels":            {image.NewRGBA(image.Rectangle{}), true, false},
	} {
		if got := Blank(test.picture); got != test.blank {
			t.Errorf("%s: blank %t", name, got)
		}
		if got := MaybeBlank(test.picture, content); got != test.maybe {
			t.Errorf("%s: may be blank %t", name, got)
		}
	}
	equal := image.NewPaletted(image.Rect(0, 0, 9, 9), color.Palette{dark, dark, light})
	equal.Pix[40] = 1
	if !Blank(equal) {
		t.Error("two entries of a palette with one colour are not blank")
	}
	equal.Pix[40] = 2
	if Blank(equal) {
		t.Error("two colours of a palette are blank")
	}
	if MaybeBlank(plain(31, 33, dark), image.Rect(0, 0, 31, 33)) {
		t.Error("1023 pixels are too few to say anything")
	}
	if !MaybeBlank(plain(32, 32, dark), image.Rect(0, 0, 32, 32)) {
		t.Error("1024 pixels of one value may be blank")
	}
}

func TestGrid(t *testing.T) {
	for _, size := range [][2]int{{640, 400}, {1, 5000}, {5000, 1}, {3, 900}, {32, 32}, {4000, 2}, {20000, 20000}} {
		columns, rows := grid(size[0], size[1])
		if n := columns * rows; n < min(size[0]*size[1], leastSamples) || n > 2*wantSamples || columns > size[0] || rows > size[1] {
			t.Errorf("%v: %d x %d", size, columns, rows)
		}
	}
}

func TestCrop(t *testing.T) {
	window := image.Rect(-8, -8, 792, 608)
	for name, test := range map[string]struct{ frame, want image.Rectangle }{
		"inside":       {image.Rect(0, 0, 784, 600), image.Rect(8, 8, 792, 608)},
		"the same":     {window, image.Rect(0, 0, 800, 616)},
		"empty":        {image.Rectangle{}, image.Rect(0, 0, 800, 616)},
		"reaching out": {image.Rect(0, 0, 900, 600), image.Rect(0, 0, 800, 616)},
	} {
		if got := Crop(window, test.frame); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestToScreen(t *testing.T) {
	g := Geometry{Shown: ui.Rect{X: -1920, Y: 100, Width: 1600, Height: 900}, Width: 1024, Height: 576}
	for _, at := range [][2]int{{0, 0}, {1023, 575}, {511, 288}} {
		x, y, ok := g.ToScreen(at[0], at[1])
		// The inverse of the inverse is the pixel itself.
		if !ok || int((x+1920)*1024/1600) != at[0] || int((y-100)*576/900) != at[1] {
			t.Errorf("%v: %g, %g, %t", at, x, y, ok)
		}
	}
	for _, at := range [][2]int{{-1, 0}, {0, -1}, {1024, 0}, {0, 576}} {
		if _, _, ok := g.ToScreen(at[0], at[1]); ok {
			t.Errorf("%v is outside", at)
		}
	}
}

func FuzzDecode(f *testing.F) {
	whole := pngOf(f, textured(9, 7))
	f.Add(whole)
	f.Add(whole[:30])
	f.Add([]byte("\xff\xd8\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		picture, err := Decode(data)
		if err != nil {
			return
		}
		if b := picture.Bounds(); b.Empty() || b.Dx() > maxSide || b.Dy() > maxSide {
			t.Errorf("bounds %v", b)
		}
		if out := Scale(picture, 16); out.Rect.Dx() > 16 {
			t.Errorf("scaled to %v", out.Rect)
		}
		Blank(picture)
	})
}

// screen4K looks like a desktop: flat areas with lines of text in them.
func screen4K() *image.RGBA {
	p := plain(3840, 2160, color.RGBA{245, 245, 245, 255})
	for y := 100; y < 2100; y++ {
		if y%40 > 22 {
			continue
		}
		for x := 100; x < 3700; x++ {
			if (x*x+y*7)%11 < 3 {
				p.SetRGBA(x, y, color.RGBA{20, 20, 20, 255})
			}
		}
	}
	return p
}

func BenchmarkDecode4K(b *testing.B) {
	data := pngOf(b, screen4K())
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHandOn4K is all that comes after the decoding: blank tests, scale, encode.
func BenchmarkHandOn4K(b *testing.B) {
	p := screen4K()
	for b.Loop() {
		if Blank(p) || MaybeBlank(p, p.Rect) {
			b.Fatal("blank")
		}
		if _, err := Encode(Scale(p, MaxWidth)); err != nil {
			b.Fatal(err)
		}
	}
}
