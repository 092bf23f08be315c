package mcpserver

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// sampleAnswers reads the original's answers by the id of their request.
func sampleAnswers(t *testing.T) map[string]reply {
	t.Helper()
	files, err := filepath.Glob("testdata/samples/fastmcp-*.call.*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	answers := map[string]reply{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var one struct {
			ID json.RawMessage
			reply
		}
		if err := json.Unmarshal(raw, &one); err != nil {
			t.Fatal(err)
		}
		answers[string(one.ID)] = one.reply
	}
	return answers
}

// The calls that can't be bound must fail as they did in the original, but for the line with an address.
func TestSamplesOfFailedCalls(t *testing.T) {
	further := regexp.MustCompile(`\n    For further information visit \S+`)
	raw, err := os.ReadFile("testdata/samples/requests.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	answers := sampleAnswers(t)
	tools := &fakeTools{}
	c := connect(t, tools, Options{})
	compared := 0
	for line := range strings.Lines(string(raw)) {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatal(err)
		}
		want, known := answers[string(request.ID)]
		if request.Method != "tools/call" || !known || string(request.ID) == "4" { // 4 is a tool of the stand-in that raises
			continue
		}
		c.write(line)
		got := c.answer(string(request.ID))
		switch {
		case want.Error != nil:
			if got.Error == nil || got.Error.Code != want.Error.Code {
				t.Errorf("id %s: got %+v, want error %d", request.ID, got, want.Error.Code)
			}
		case want.Result.IsError:
			if text := further.ReplaceAllString(want.text(), ""); !got.Result.IsError || got.text() != text {
				t.Errorf("id %s:\n got %s\nwant %s", request.ID, got.text(), text)
			}
		default:
			if got.Error != nil || got.Result.IsError {
				t.Errorf("id %s failed: %+v", request.ID, got)
			}
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("only %d samples compared", compared)
	}
	if tools.calls() != 2 {
		t.Errorf("%d calls reached a tool, want the two good ones", tools.calls())
	}
}

func toolNamed(t testing.TB, name string) definition {
	for _, d := range definitions() {
		if d.name == name {
			return d
		}
	}
	t.Fatalf("no tool %s", name)
	return definition{}
}

func TestBindFaults(t *testing.T) {
	cases := []struct {
		tool, arguments, want string // want: the lines after the first
	}{
		{"look_at_screen", `{}`, "question\n  Field required [type=missing, input_value={}, input_type=dict]"},
		{"look_at_screen", `null`, "question\n  Field required [type=missing, input_value={}, input_type=dict]"},
		{"look_at_screen", `{"app":"x"}`, "question\n  Field required [type=missing, input_value={'app': 'x'}, input_type=dict]"},
		{"look_at_screen", `{"question":5}`, "question\n  Input should be a valid string [type=string_type, input_value=5, input_type=int]"},
		{"look_at_screen", `{"question":null}`, "question\n  Input should be a valid string [type=string_type, input_value=None, input_type=NoneType]"},
		{"look_at_screen", `{"question":true}`, "question\n  Input should be a valid string [type=string_type, input_value=True, input_type=bool]"},
		{"look_at_screen", `{"question":["q"]}`, "question\n  Input should be a valid string [type=string_type, input_value=['q'], input_type=list]"},
		{"look_at_screen", `{"question":"q","app":5.0}`, "app\n  Input should be a valid string [type=string_type, input_value=5.0, input_type=float]"},
		{"look_at_screen", `{"question":"q","app":"[1]"}`, "app\n  Input should be a valid string [type=string_type, input_value=[1], input_type=list]"},
		{"look_at_screen", `{"question":"q","app":"{\"a\":1}"}`, "app\n  Input should be a valid string [type=string_type, input_value={'a': 1}, input_type=dict]"},
		{"look_at_screen", `{"question":"q","keep_warm":null}`, "keep_warm\n  Input should be a valid boolean [type=bool_type, input_value=None, input_type=NoneType]"},
		{"look_at_screen", `{"question":"q","keep_warm":"null"}`, "keep_warm\n  Input should be a valid boolean [type=bool_type, input_value=None, input_type=NoneType]"},
		{"look_at_screen", `{"question":"q","include_image":2}`, "include_image\n  Input should be a valid boolean, unable to interpret input [type=bool_parsing, input_value=2, input_type=int]"},
		{"look_at_screen", `{"question":"q","include_image":"maybe"}`, "include_image\n  Input should be a valid boolean, unable to interpret input [type=bool_parsing, input_value='maybe', input_type=str]"},
		{"look_at_screen", `{"question":"q","include_image":[true]}`, "include_image\n  Input should be a valid boolean [type=bool_type, input_value=[True], input_type=list]"},
		{"click", `{"steps":""}`, "steps\n  Input should be a valid list [type=list_type, input_value='', input_type=str]"},
		{"click", `{"steps":"{}"}`, "steps\n  Input should be a valid list [type=list_type, input_value={}, input_type=dict]"},
		{"click", `{"steps":"7"}`, "steps\n  Input should be a valid list [type=list_type, input_value='7', input_type=str]"},
		{"click", `{"steps":true}`, "steps\n  Input should be a valid list [type=list_type, input_value=True, input_type=bool]"},
		{"click", `{"target":7,"confirm_dangerous":"x"}`, "target\n  Input should be a valid string [type=string_type, input_value=7, input_type=int]\n" +
			"confirm_dangerous\n  Input should be a valid boolean, unable to interpret input [type=bool_parsing, input_value='x', input_type=str]"},
		{"type_text", `{"text":"secret words"}`, "target\n  Field required [type=missing, input_value={'text': '<redacted>'}, input_type=dict]"},
		{"type_text", `{"target":["x"],"text":"y"}`, "target\n  Input should be a valid string [type=string_type, input_value=['x'], input_type=list]"},
	}
	for _, c := range cases {
		_, err := bind(toolNamed(t, c.tool), []byte(c.arguments))
		if err == nil {
			t.Errorf("%s %s fits", c.tool, c.arguments)
			continue
		}
		first, rest, _ := strings.Cut(err.Error(), "\n")
		if rest != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.tool, c.arguments, rest, c.want)
		}
		count := map[int]string{1: "1 validation error for ", 2: "2 validation errors for "}[strings.Count(c.want, "input_type")]
		if want := "Error executing tool " + c.tool + ": " + count + c.tool + "Arguments"; first != want {
			t.Errorf("%s %s: first line %q, want %q", c.tool, c.arguments, first, want)
		}
	}
}

func TestBindNotAnObject(t *testing.T) {
	for _, raw := range []string{`[]`, `5`, `"x"`, `true`} {
		if _, err := bind(toolNamed(t, "health"), []byte(raw)); !errors.Is(err, errNotObject) {
			t.Errorf("%s: %v, want errNotObject", raw, err)
		}
	}
}

// texts is what a text parameter must come out as; "<nil>" for none.
func TestBindTexts(t *testing.T) {
	cases := []struct {
		why, tool, arguments, name, want string
	}{
		{"null is none", "look_at_screen", `{"question":"q","app":null}`, "app", "<nil>"},
		{"the word null is none", "look_at_screen", `{"question":"q","app":"null"}`, "app", "<nil>"},
		{"white space around it too", "look_at_screen", `{"question":"q","app":" null\n"}`, "app", "<nil>"},
		{"absent is none", "look_at_screen", `{"question":"q"}`, "app", "<nil>"},
		{"a number stays text", "look_at_screen", `{"question":"q","app":"123"}`, "app", "123"},
		{"a bool stays text", "look_at_screen", `{"question":"q","app":"true"}`, "app", "true"},
		{"a quoted string stays text", "look_at_screen", `{"question":"q","app":"\"q\""}`, "app", `"q"`},
		{"NaN stays text", "look_at_screen", `{"question":"q","app":"NaN"}`, "app", "NaN"},
		{"Null is no null", "look_at_screen", `{"question":"q","app":"Null"}`, "app", "Null"},
		{"empty text is text", "look_at_screen", `{"question":"q","app":""}`, "app", ""},
		{"an open bracket stays text", "click", `{"target":"[1"}`, "target", "[1"},
		{"plain text is never read", "look_at_screen", `{"question":"null"}`, "question", "null"},
		{"nor is an object in it", "type_text", `{"target":"t","text":"{\"a\":1}"}`, "text", `{"a":1}`},
		{"nor the target of type_text", "type_text", `{"target":"[1]","text":"x"}`, "target", "[1]"},
		{"text that is none", "type_text", `{"target":"t","text":5}`, "text", "<nil>"},
		{"text that is null", "type_text", `{"target":"t","text":null}`, "text", "<nil>"},
		{"the last of two counts", "look_at_screen", `{"question":"a","question":"b"}`, "question", "b"},
		{"names are exact", "look_at_screen", `{"question":"a","Question":"b"}`, "question", "a"},
		{"half a surrogate pair", "look_at_screen", `{"question":"a\ud83d"}`, "question", "a\ufffd"},
		{"broken UTF-8", "look_at_screen", "{\"question\":\"a\xff\"}", "question", "a\ufffd"},
		{"unknown arguments are ignored", "look_at_screen", `{"question":"q","bogus":[1,{"a":null}]}`, "question", "q"},
	}
	for _, c := range cases {
		bound, err := bind(toolNamed(t, c.tool), []byte(c.arguments))
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		got := "<nil>"
		if s := bound.text(c.name); s != nil {
			got = *s
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
}

func TestBindFlags(t *testing.T) {
	yes := []string{`true`, `1`, `1.0`, `1e0`, `"true"`, `"T"`, `"YES"`, `"y"`, `"on"`, `"1"`}
	no := []string{`false`, `0`, `0.0`, `-0`, `"False"`, `"f"`, `"no"`, `"N"`, `"OFF"`, `"0"`}
	for want, values := range map[bool][]string{true: yes, false: no} {
		for _, value := range values {
			bound, err := bind(toolNamed(t, "click"), []byte(`{"confirm_dangerous":`+value+`}`))
			if err != nil || bound.flag("confirm_dangerous") != want {
				t.Errorf("%s: got %v, %v, want %v", value, bound.flag("confirm_dangerous"), err, want)
			}
		}
	}
	if bound, _ := bind(toolNamed(t, "click"), nil); bound.flag("confirm_dangerous") {
		t.Error("an absent flag is set")
	}
	for _, value := range []string{`"maybe"`, `""`, `" true"`, `null`, `2`, `-1`, `0.5`, `1e999`, `[true]`, `{}`} {
		if _, err := bind(toolNamed(t, "click"), []byte(`{"confirm_dangerous":`+value+`}`)); err == nil {
			t.Errorf("%s passes for a bool", value)
		}
	}
}

func TestBindLists(t *testing.T) {
	cases := []struct{ arguments, want string }{ // want: the strings, a bar between, ? for none
		{`{"steps":["7","+"]}`, "7|+"},
		{`{"steps":"[\"7\", \"+\"]"}`, "7|+"},
		{`{"steps":[]}`, ""},
		{`{"steps":["7",5,null,["8"],"[1]"]}`, "7|?|?|?|[1]"},
		{`{"steps":null}`, "none"},
		{`{"steps":"null"}`, "none"},
		{`{}`, "none"},
	}
	for _, c := range cases {
		bound, err := bind(toolNamed(t, "click"), []byte(c.arguments))
		if err != nil {
			t.Errorf("%s: %v", c.arguments, err)
			continue
		}
		got := "none"
		if list, ok := bound.list("steps"); ok {
			words := make([]string, len(list))
			for i, s := range list {
				if words[i] = "?"; s != nil {
					words[i] = *s
				}
			}
			got = strings.Join(words, "|")
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.arguments, got, c.want)
		}
	}
}

func TestShown(t *testing.T) {
	cases := []struct{ raw, want string }{
		{`null`, "None"}, {`true`, "True"}, {`false`, "False"},
		{`5`, "5"}, {`-0`, "0"}, {`12345678901234567890123`, "12345678901234567890123"},
		{`1.0`, "1.0"}, {`0.1`, "0.1"}, {`1e22`, "1e+22"}, {`1E3`, "1000.0"}, {`1e-7`, "1e-07"}, {`0.0001`, "0.0001"}, {`1e16`, "1e+16"},
		{`1e999`, "inf"}, {`-1e999`, "-inf"}, {`-0.0`, "-0.0"},
		{`"a"`, "'a'"}, {`"it's"`, `"it's"`}, {`"\"it's\""`, `'"it\'s"'`}, {`"a\\b\n\t\r"`, `'a\\b\n\t\r'`},
		{`"\u0007\u200b\u00a0"`, `'\x07\u200b\xa0'`}, {`"שלום 😀"`, "'שלום 😀'"},
		{`[]`, "[]"}, {`{}`, "{}"}, {`[1,"a",null]`, "[1, 'a', None]"}, {`{"b":1,"a":{"c":[]}}`, "{'b': 1, 'a': {'c': []}}"},
		{`{"a":1,"b":2,"a":3}`, "{'a': 3, 'b': 2}"},
		{`"` + strings.Repeat("x", 48) + `"`, "'" + strings.Repeat("x", 48) + "'"},
		{`"` + strings.Repeat("ש", 49) + `"`, "'" + strings.Repeat("ש", 24) + "..." + strings.Repeat("ש", 23) + "'"},
	}
	for _, c := range cases {
		value, err := parseValue([]byte(c.raw))
		if err != nil {
			t.Errorf("%s: %v", c.raw, err)
			continue
		}
		if got := shown(value); got != c.want {
			t.Errorf("%s: got %s, want %s", c.raw, got, c.want)
		}
	}
	for _, raw := range []string{``, ` `, `{`, `[1,]`, `{"a"}`, `NaN`, `1 2`, `'a'`, `{} x`} {
		if value, err := parseValue([]byte(raw)); err == nil {
			t.Errorf("%q is read as %v", raw, value)
		}
	}
}

func FuzzBind(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"question":"q","app":"[1]","keep_warm":"yes"}`, `{"steps":"[\"7\"]"}`,
		`{"target":"t","text":{"a":[1e400,-0]}}`, `[[[[`, "{\"question\":\"\xff\"}", `{"question":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, d := range definitions() {
			bound, err := bind(d, raw)
			if err != nil {
				if !utf8.ValidString(err.Error()) {
					t.Errorf("%s: the error is no UTF-8: %q", d.name, err)
				}
				continue
			}
			for _, p := range d.parameters {
				if s := bound.text(p.name); p.kind == plainText && s == nil {
					t.Errorf("%s: %s fits without a text: %q", d.name, p.name, raw)
				}
				bound.flag(p.name)
				bound.list(p.name)
			}
		}
	})
}
