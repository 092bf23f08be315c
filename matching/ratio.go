package matching

// maxMeasured is the longest label, in code points, that the fuzzy tier takes: labels have at most
// 200, and the cost grows with the product of both lengths.
const maxMeasured = 1000

// measure works out how alike names are to one label, with the numbers of Python's
// difflib.SequenceMatcher(None, label, name).ratio(). It is not safe for concurrent use.
type measure struct {
	label []rune
	bag   [256]int32 // characters of the label, by the low byte
	name  []rune
	deaf  []bool // characters of a long name that are too frequent to start a match (autojunk)
	rows  [2][]int32
}

// newMeasure returns nil for a label that is empty or too long.
func newMeasure(label string) *measure {
	m := &measure{label: []rune(label)}
	if len(m.label) == 0 || len(m.label) > maxMeasured {
		return nil
	}
	for _, r := range m.label {
		m.bag[byte(r)]++
	}
	return m
}

// ratio returns the likeness 0..1, or 0 where it is certain to be under the floor.
func (m *measure) ratio(name string, floor float64) float64 {
	if m == nil || !m.load(name, floor) {
		return 0
	}
	total := float64(len(m.label) + len(m.name))
	if 2*float64(m.common())/total < floor {
		return 0
	}
	m.junk()
	return 2 * float64(m.matches(0, len(m.label), 0, len(m.name))) / total
}

// load decodes a name. It says no as soon as the lengths alone rule the floor out.
func (m *measure) load(name string, floor float64) bool {
	m.name = m.name[:0]
	short := float64(len(m.label))
	if len(name)/4 > 4*len(m.label) { // at least a quarter of the bytes are code points
		if long := float64(len(name)) / 4; 2*short/(short+long) < floor {
			return false
		}
	}
	for _, r := range name {
		m.name = append(m.name, r)
	}
	long := float64(len(m.name))
	return 2*min(short, long)/(short+long) >= floor
}

// common is an upper bound of the matching characters: those that both hold, order aside.
func (m *measure) common() int {
	left := m.bag
	n := 0
	for _, r := range m.name {
		if left[byte(r)] > 0 {
			left[byte(r)]--
			n++
		}
	}
	return n
}

// junk marks the characters that difflib's autojunk leaves out: in names of 200 code points or more,
// those that make up over one per cent.
func (m *measure) junk() {
	m.deaf = m.deaf[:0]
	if len(m.name) < 200 {
		return
	}
	count := map[rune]int{}
	for _, r := range m.name {
		count[r]++
	}
	for _, r := range m.name {
		m.deaf = append(m.deaf, count[r] > len(m.name)/100+1)
	}
}

// matches adds up the longest matching block and, on both sides of it, what matches there.
func (m *measure) matches(alo, ahi, blo, bhi int) int {
	sum := 0
	for alo < ahi && blo < bhi {
		i, j, size := m.longest(alo, ahi, blo, bhi)
		if size == 0 {
			break
		}
		sum += size + m.matches(alo, i, blo, j)
		alo, blo = i+size, j+size
	}
	return sum
}

// longest finds the longest block that both have in the given ranges: of equals the one that begins
// earliest in the label, then in the name.
func (m *measure) longest(alo, ahi, blo, bhi int) (besti, bestj, size int) {
	besti, bestj = alo, blo
	last, row := m.row(0, bhi), m.row(1, bhi)
	for i := alo; i < ahi; i++ {
		a := m.label[i]
		for j := blo; j < bhi; j++ {
			k := int32(0)
			if m.name[j] == a && !(len(m.deaf) > 0 && m.deaf[j]) {
				k = 1
				if j > blo {
					k += last[j-1]
				}
			}
			row[j] = k
			if int(k) > size {
				besti, bestj, size = i-int(k)+1, j-int(k)+1, int(k)
			}
		}
		last, row = row, last
	}
	for besti > alo && bestj > blo && m.label[besti-1] == m.name[bestj-1] {
		besti, bestj, size = besti-1, bestj-1, size+1
	}
	for besti+size < ahi && bestj+size < bhi && m.label[besti+size] == m.name[bestj+size] {
		size++
	}
	return besti, bestj, size
}

// row is one cleared row of the table.
func (m *measure) row(n, size int) []int32 {
	if cap(m.rows[n]) < size {
		m.rows[n] = make([]int32, size, 2*size)
	}
	m.rows[n] = m.rows[n][:size]
	clear(m.rows[n])
	return m.rows[n]
}
