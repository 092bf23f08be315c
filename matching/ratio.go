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

	last [256]int32 // place behind the last character of the name with that low byte; 0 for none
	prev []int32    // the same for the one before the character at each place
	runs []run      // for each place of the name, the block that ended there last
	tick int        // of the row that is being worked out
}

// run is the length of a block, and the row that it was found in.
type run struct{ tick, size int }

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
	m.index()
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

// index chains the places of the name whose characters share a low byte, so that a character of the
// label is compared with its likes alone.
func (m *measure) index() {
	clear(m.last[:])
	m.prev = m.prev[:0]
	for j, r := range m.name {
		m.prev = append(m.prev, m.last[byte(r)])
		m.last[byte(r)] = int32(j + 1)
	}
	if more := len(m.name) - len(m.runs); more > 0 {
		m.runs = append(m.runs, make([]run, more)...)
	}
}

// longest finds the longest block that both have in the given ranges: of equals the one that begins
// earliest in the label, then in the name. A row is walked from its end, so that the block before each
// place is still the one of the row above.
func (m *measure) longest(alo, ahi, blo, bhi int) (besti, bestj, size int) {
	besti, bestj = alo, blo
	m.tick++ // no row of this call continues one of an earlier call
	for i := alo; i < ahi; i++ {
		m.tick++
		a := m.label[i]
		for j := int(m.last[byte(a)]) - 1; j >= blo; j = int(m.prev[j]) - 1 {
			if j >= bhi || m.name[j] != a || len(m.deaf) > 0 && m.deaf[j] {
				continue
			}
			k := 1
			if j > blo && m.runs[j-1].tick == m.tick-1 {
				k += m.runs[j-1].size
			}
			m.runs[j] = run{m.tick, k}
			if k > size || k == size && i-k+1 == besti {
				besti, bestj, size = i-k+1, j-k+1, k
			}
		}
	}
	for besti > alo && bestj > blo && m.label[besti-1] == m.name[bestj-1] {
		besti, bestj, size = besti-1, bestj-1, size+1
	}
	for besti+size < ahi && bestj+size < bhi && m.label[besti+size] == m.name[bestj+size] {
		size++
	}
	return besti, bestj, size
}
