package result

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNumbers(t *testing.T) {
	tests := []struct {
		value any
		want  string
	}{
		{Seconds(0), "0.0"}, {Seconds(1.25), "1.2"}, {Seconds(1.35), "1.4"}, {Seconds(110), "110.0"}, {Seconds(-0.01), "0.0"},
		{Seconds(1e9), "1000000000.0"}, {Megabytes(1430.51), "1430.5"}, {Megabytes(1e12), "1000000000000.0"}, {Rate(40), "40.0"},
		{Confidence(0.9), "0.90"}, {Confidence(3e-16), "0.00"}, {Confidence(1), "1.00"}, {Confidence(0.999), "1.00"}, {Score(0.8765), "0.88"},
		{Score(-0.0001), "0.00"}, {Seconds(-1.5), "-1.5"},
	}
	for _, tt := range tests {
		line, err := Encode(tt.value)
		if err != nil || string(line) != tt.want {
			t.Errorf("%#v: %s, %v, want %s", tt.value, line, err, tt.want)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, value := range []any{Seconds(bad), Megabytes(bad), Rate(bad), Confidence(bad), Score(bad), &Look{DurationSeconds: Seconds(bad)}} {
			if line, err := Encode(value); err == nil {
				t.Errorf("%#v: %s", value, line)
			}
		}
	}
}

func TestEncode(t *testing.T) {
	tests := []struct{ text, want string }{
		{"<b> & 'x'", `"<b> & 'x'"`}, {"שלום 😀", `"שלום 😀"`}, {"a\nb\tc\x00\x7f", "\"a\\nb\\tc\\u0000\x7f\""}, {`"\`, `"\"\\"`},
		{"\u2028\u2029", `"\u2028\u2029"`}, {"\xff", `"\ufffd"`},
	}
	for _, tt := range tests {
		line, err := Encode(tt.text)
		if err != nil || string(line) != tt.want {
			t.Errorf("%q: %s, %v, want %s", tt.text, line, err, tt.want)
		}
	}
	if line, err := Encode(func() {}); err == nil {
		t.Errorf("a function prints as %s", line)
	}
}

func FuzzEncode(f *testing.F) {
	for _, seed := range []string{"", "plain", "\xff\xfe", "</script>", "\u2028", "\ud7ff\ufffe", strings.Repeat("ש", 300)} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		line, err := Encode(&Look{WindowsSeen: []string{text}, Summary: text, Details: Details{{key, text}, {"list", []string{text}}, {"yes", true}}})
		if err != nil {
			t.Fatal(err)
		}
		var back struct {
			Windows []string       `json:"windows_seen"`
			Details map[string]any `json:"details"`
		}
		if strings.ContainsAny(string(line), "\r\n") || !utf8.Valid(line) || json.Unmarshal(line, &back) != nil {
			t.Fatalf("%q", line)
		}
		if valid := strings.ToValidUTF8(text, "\ufffd"); utf8.ValidString(text) && back.Windows[0] != valid {
			t.Errorf("%q came back as %q", text, back.Windows[0])
		}
	})
}

func TestDetails(t *testing.T) {
	d := Details{{"project", "a<b"}, {"failures", []string{"x", "y"}}, {"waiting_for_user", true}, {"project", "second"}}
	line, err := Encode(d)
	if want := `{"project":"a<b","failures":["x","y"],"waiting_for_user":true,"project":"second"}`; err != nil || string(line) != want {
		t.Errorf("%s, %v", line, err)
	}
	if d.Get("project") != "a<b" || d.Get("none") != nil {
		t.Errorf("Get: %v, %v", d.Get("project"), d.Get("none"))
	}
	if line, err := Encode(Details{}); err != nil || string(line) != "{}" {
		t.Errorf("%s, %v", line, err)
	}
	if _, err := Encode(Details{{"bad", func() {}}}); err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("%v", err)
	}
}

// The set of codes is closed: each constant is listed once, has a row, and the row names a next step.
func TestCodes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var constants []string
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			if value, ok := spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit); ok {
				constants = append(constants, strings.Trim(value.Value, `"`))
			}
		}
	}
	var listed []string
	for _, code := range Codes() {
		listed = append(listed, string(code))
		e := New(code, "what happened")
		if len(e.Suggestion) < 20 || !strings.HasSuffix(strings.TrimSuffix(e.Suggestion, ")"), ".") && !strings.HasSuffix(e.Suggestion, "?") {
			t.Errorf("%s: suggestion %q", code, e.Suggestion)
		}
		if string(code) != strings.ToUpper(string(code)) || e.Code != code || e.Message != "what happened" || !strings.HasPrefix(e.Error(), string(code)+": ") {
			t.Errorf("%+v", e)
		}
		if one := e.Suggest("other"); one.Suggestion != "other" || New(code, "").Suggestion == "other" {
			t.Errorf("%s: Suggest changes the table", code)
		}
	}
	slices.Sort(constants)
	slices.Sort(listed)
	if !slices.Equal(constants, listed) || len(slices.Compact(listed)) != 21 || len(table) != 21 {
		t.Errorf("constants %q, listed %q, %d rows", constants, listed, len(table))
	}
	if e := New("NO_SUCH_CODE", "m"); e.Retryable {
		t.Errorf("%+v", e)
	}
}

// What has no value has no key, and nothing is null; the keys that must always be there always are.
func TestEmptyValues(t *testing.T) {
	tests := []struct {
		value any
		want  string
	}{
		{&Look{WindowsSeen: []string{}, Status: Unknown}, `{"windows_seen":[],"status":"unknown","duration_seconds":0.0}`},
		{&Look{WindowsSeen: []string{}, Changed: &[]string{}}, `{"windows_seen":[],"status":"","changed_since_last":[],"duration_seconds":0.0}`},
		{&Act{Action: "click"}, `{"action":"click","duration_seconds":0.0}`},
		{&Act{Action: "type", TextLen: new(0), Verified: new(false)}, `{"action":"type","text_len":0,"verified":false,"duration_seconds":0.0}`},
		{&Act{Action: "click", Name: new("")}, `{"action":"click","name":"","duration_seconds":0.0}`},
		{&Act{Action: "click", Completed: new(0), Total: new(2), Steps: &[]Step{}}, `{"action":"click","completed":0,"total":2,"steps":[],"duration_seconds":0.0}`},
		{&Ping{}, `{"ok":false,"server":false,"ollama":false,"model_reply_ok":false,"model":"","seconds":0.0,"cold":false}`},
		{&Release{}, `{"ok":false,"model":"","was_loaded":false,"freed_mb":0.0}`},
		{&Brief{Status: Finished}, `{"status":"finished"}`},
	}
	for _, tt := range tests {
		if line, err := Encode(tt.value); err != nil || string(line) != tt.want {
			t.Errorf("%s, %v\nwant %s", line, err, tt.want)
		}
	}
	if line, err := Encode(&Health{}); err != nil || strings.Count(string(line), "null") != 1 || !strings.Contains(string(line), `"last_autostart":null`) {
		t.Errorf("%s, %v", line, err)
	}
}

// The short form keeps what it takes and takes nothing else.
func TestBrief(t *testing.T) {
	l := &Look{Error: New(ModelFailed, "m"), WindowsSeen: []string{"A"}, Status: Working, Summary: "s", Details: Details{{"a", "b"}},
		Changed: &[]string{"c"}, Hint: "h", Session: &Session{}, ModelUsed: "x", Timing: &Timing{}, Memory: &Memory{}}
	line, err := Encode(l.Brief())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Encode(l)
	if err != nil {
		t.Fatal(err)
	}
	var short, long map[string]any
	if json.Unmarshal(line, &short) != nil || json.Unmarshal(whole, &long) != nil {
		t.Fatal("no JSON")
	}
	if len(short) != 6 {
		t.Errorf("%s", line)
	}
	for key, value := range short {
		if !reflect.DeepEqual(value, long[key]) {
			t.Errorf("%s: %v, in the long form %v", key, value, long[key])
		}
	}
}
