package bridge

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"mcp-computer-use/internal/result"
	"mcp-computer-use/internal/ui"
)

const caseFolder = "../../fixtures/cases"

// caseFiles are the case files of a folder. An empty folder is a mistake, not a success.
func caseFiles(t *testing.T, kind string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(caseFolder, kind, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", kind, err)
	}
	return files
}

// sectionsOf reads a case; a section that is not allowed, or there twice, fails the test.
func sectionsOf(t *testing.T, file, allowed string) map[string][]byte {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile("^(" + allowed + ")$")
	sections := map[string][]byte{}
	for _, one := range archive.Files {
		if _, twice := sections[one.Name]; twice || !pattern.MatchString(one.Name) {
			t.Fatalf("section %q is unknown or there twice", one.Name)
		}
		sections[one.Name] = one.Data
	}
	return sections
}

func decode(t *testing.T, data []byte, v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// caseDesk is the desk that the sections of a case describe.
func caseDesk(t *testing.T, sections map[string][]byte, act bool) *desk {
	t.Helper()
	d := newDesk(t)
	d.opts.Platform = ui.Windows
	if os := strings.TrimSpace(string(sections["os"])); os != "" {
		d.opts.Platform = ui.Platform(os)
	}
	d.opts.AllowPointer = act && d.opts.Platform == ui.Linux
	d.cu = &standCU{os: d.opts.Platform, windows: sections["windows.json"], apps: sections["apps.json"],
		text: sections["text"]}
	for n := 1; ; n++ {
		name := "snapshot"
		if n > 1 {
			name = fmt.Sprintf("snapshot.%d", n)
		}
		if sections[name] == nil {
			break
		}
		d.cu.snapshots = append(d.cu.snapshots, sections[name])
	}
	if sections["env.json"] != nil {
		var env map[string]string
		decode(t, sections["env.json"], &env)
		for name, value := range env {
			d.setting(t, name, value)
		}
	}
	return d
}

// setting applies an environment variable of a case; one that this test does not know fails it.
func (d *desk) setting(t *testing.T, name, value string) {
	t.Helper()
	on := value == "1" || value == "true"
	switch name {
	case "MCP_CU_ALLOW_MULTILINE":
		d.opts.AllowMultiline = on
	case "MCP_CU_ALLOW_POINTER_ACTIONS":
		d.opts.AllowPointer = on
	case "MCP_CU_RESOLVE_WITH_MODEL":
		d.opts.ResolveWithModel = on
	case "MCP_CU_SNAPSHOT_DETAILS":
		d.opts.SnapshotDetails = on
	case "MCP_CU_SAFETY_BLOCKLIST", "MCP_CU_SAFETY_BLOCKLIST_EXTRA":
		for word := range strings.SplitSeq(value, ",") {
			d.words = append(d.words, strings.TrimSpace(word))
		}
	default:
		t.Fatalf("env.json: %s is not known here", name)
	}
}

// texts is one text or a list of them.
type texts []string

// UnmarshalJSON takes both forms.
func (s *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*s = texts{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(s))
}

type askCase struct {
	Question     string
	App          *string
	Client       *string
	SessionID    *string `json:"session_id"`
	KeepWarm     bool    `json:"keep_warm"`
	IncludeImage bool    `json:"include_image"`
}

type readWant struct {
	Error     string
	Window    *string
	Extractor string
	Status    string
	Details   map[string]any
	NoDetails []string `json:"no_details"`
	TextHas   texts    `json:"text_has"`
	TextLacks texts    `json:"text_lacks"`
	HintHas   texts    `json:"hint_has"`
}

func TestReadCases(t *testing.T) {
	for _, file := range caseFiles(t, "read") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			sections := sectionsOf(t, file, `os|apps\.json|env\.json|windows\.json|want\.json|ask\.json|text|snapshot`)
			var (
				ask  askCase
				want readWant
			)
			decode(t, sections["ask.json"], &ask)
			decode(t, sections["want.json"], &want)
			for _, p := range readProblems(t, sections, ask, want, true) {
				t.Errorf("with a model: %s", p)
			}
			if want.Error != "" {
				return
			}
			want.Error = "OLLAMA_UNREACHABLE"
			for _, p := range readProblems(t, sections, ask, want, false) {
				t.Errorf("without a model: %s", p)
			}
		})
	}
}

func readProblems(t *testing.T, sections map[string][]byte, ask askCase, want readWant, model bool) []string {
	t.Helper()
	d := caseDesk(t, sections, false)
	d.llm.down = !model
	got := d.bridge(t).Look(t.Context(), LookRequest{Question: ask.Question, App: ask.App, Client: ask.Client,
		SessionID: ask.SessionID, KeepWarm: ask.KeepWarm, IncludeImage: ask.IncludeImage}).Result
	problems := shapeProblems(got)
	sent := ""
	for _, chat := range d.llm.asked() {
		sent += chat.of("user")
	}
	problems = append(problems, judgeRead(want, got, sent, ask)...)
	if want.Window != nil && d.opts.Platform == ui.Windows {
		for _, c := range d.cu.of("text", "snapshot", "tree") {
			if c.app != *want.Window {
				problems = append(problems, fmt.Sprintf("-a %q, want %q", c.app, *want.Window))
			}
		}
	}
	return append(problems, d.tidy(t)...)
}

// tidy is what is wrong after any call: refused arguments, homes that stayed.
func (d *desk) tidy(t *testing.T) []string {
	t.Helper()
	problems := slices.Clone(d.cu.wrong)
	if left := d.leftovers(t); len(left) > 0 {
		problems = append(problems, fmt.Sprintf("homes were left: %q", left))
	}
	return problems
}

// judgeRead compares an answer with what a case wants. sent is what the model got, "" where it was not
// asked: then the extracted text counts.
func judgeRead(want readWant, got *result.Look, sent string, ask askCase) []string {
	var problems []string
	differ := func(what string, want, got any) {
		if a, b := asJSON(want), asJSON(got); a != b {
			problems = append(problems, fmt.Sprintf("%s: want %s, got %s", what, a, b))
		}
	}
	if code := codeIn(got.Error); code != want.Error {
		return []string{fmt.Sprintf("error: want %q, got %q (%v)", want.Error, code, got.Error)}
	}
	if want.Window != nil {
		differ("windows_seen", []string{*want.Window}, got.WindowsSeen)
	}
	if want.Status != "" {
		differ("status", want.Status, got.Status)
	}
	if got.Extracted != nil {
		differ("extracted.status", got.Status, got.Extracted.Status)
		if want.Extractor != "" {
			differ("extractor", want.Extractor, got.Extracted.Extractor)
		}
	}
	for key, value := range want.Details {
		differ("details."+key, value, got.Details.Get(key))
	}
	for _, key := range want.NoDetails {
		differ("details."+key, nil, got.Details.Get(key))
	}
	for _, needle := range want.HintHas {
		if !strings.Contains(strings.ToLower(got.Hint), strings.ToLower(needle)) {
			problems = append(problems, fmt.Sprintf("hint: want %q in %q", needle, got.Hint))
		}
	}
	return append(problems, judgeText(want, got, sent, ask)...)
}

func judgeText(want readWant, got *result.Look, sent string, ask askCase) []string {
	text, known := sent, ""
	if sent == "" && got.Extracted != nil {
		text = got.Extracted.LastMessage
	} else {
		known = asJSON([]any{want.Details, ask.Question, got.WindowsSeen})
	}
	var problems []string
	for _, needle := range want.TextHas {
		if !strings.Contains(text, needle) {
			problems = append(problems, fmt.Sprintf("text: want %q in %q", needle, text))
		}
	}
	for _, needle := range want.TextLacks {
		// The message may hold the question, the title and the details too.
		if strings.Contains(text, needle) && !strings.Contains(known, strings.Trim(asJSON(needle), `"`)) {
			problems = append(problems, fmt.Sprintf("text: unwanted %q in %q", needle, text))
		}
	}
	return problems
}

// codeIn is the code of an error, "" for none.
func codeIn(err *result.Error) string {
	if err == nil {
		return ""
	}
	return string(err.Code)
}

// asJSON brings a value to one form: objects with sorted keys, numbers as JSON has them.
func asJSON(v any) string {
	line, err := result.Encode(v)
	if err != nil {
		return err.Error()
	}
	var plain any
	if err := json.Unmarshal(line, &plain); err != nil {
		return err.Error()
	}
	if line, err = result.Encode(plain); err != nil {
		return err.Error()
	}
	return string(line)
}

type actCall struct {
	Tool      string
	Arguments struct {
		App              *string
		Target           *string
		Steps            []any
		Text             any
		Client           *string
		SessionID        *string `json:"session_id"`
		ConfirmDangerous bool    `json:"confirm_dangerous"`
	}
}

// run makes the call. What no tool takes fails the test.
func (c actCall) run(t *testing.T, b *Bridge) ActOutcome {
	t.Helper()
	a := c.Arguments
	confirm := Confirmation{Flag: a.ConfirmDangerous}
	switch c.Tool {
	case "click":
		req := ClickRequest{App: a.App, Target: a.Target, HasSteps: a.Steps != nil, Client: a.Client, SessionID: a.SessionID,
			Confirm: confirm}
		for _, step := range a.Steps {
			text, ok := step.(string)
			if !ok {
				req.Steps = append(req.Steps, nil)
				continue
			}
			req.Steps = append(req.Steps, &text)
		}
		return b.Click(t.Context(), req)
	case "type_text":
		req := TypeRequest{App: a.App, Target: *a.Target, Client: a.Client, SessionID: a.SessionID, Confirm: confirm}
		if text, ok := a.Text.(string); ok {
			req.Text = &text
		}
		return b.Type(t.Context(), req)
	}
	t.Fatalf("tool %q", c.Tool)
	return ActOutcome{}
}

// actWant is what an act has to come to; pointers and raw values are nil where the case says nothing.
type actWant struct {
	OK          *bool
	Error       string
	Acts        *[][]string
	Name        any
	Role        any
	Match       any
	Tier        any
	Candidates  *[]string
	MatchedRule any `json:"matched_rule"`
	FailedStep  any `json:"failed_step"`
	Completed   any
	Verified    any
}

func TestActCases(t *testing.T) {
	for _, file := range caseFiles(t, "act") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			sections := sectionsOf(t, file, `os|apps\.json|env\.json|windows\.json|want\.json|call\.json|model\.json|snapshot(\.[2-9]|\.[1-9]\d+)?`)
			var (
				call actCall
				want actWant
			)
			decode(t, sections["call.json"], &call)
			decode(t, sections["want.json"], &want)
			d := caseDesk(t, sections, true)
			d.llm.down = sections["model.json"] == nil
			d.llm.reply = func(string) string { return string(sections["model.json"]) }
			for _, p := range d.actProblems(t, call, want) {
				t.Error(p)
			}
		})
	}
}

// actProblems makes the call at the desk and judges what came of it.
func (d *desk) actProblems(t *testing.T, call actCall, want actWant) []string {
	t.Helper()
	got := call.run(t, d.bridge(t)).Result
	acts := d.cu.acts()
	problems := append(shapeProblems(got), judgeAct(want, got, acts)...)
	if d.opts.Platform == ui.Windows {
		for _, c := range d.cu.of("click", "type") {
			if c.app != got.App {
				problems = append(problems, fmt.Sprintf("-a %q, app %q", c.app, got.App))
			}
		}
	}
	return append(problems, d.tidy(t)...)
}

func judgeAct(want actWant, got *result.Act, acts [][]string) []string {
	var problems []string
	differ := func(what string, want, got any) {
		if a, b := asJSON(want), asJSON(got); a != b {
			problems = append(problems, fmt.Sprintf("%s: want %s, got %s", what, a, b))
		}
	}
	differ("error", want.Error, codeIn(got.Error))
	if want.OK != nil {
		differ("ok", *want.OK, got.OK != nil && *got.OK)
	}
	if want.Acts != nil {
		differ("acts", *want.Acts, acts)
	}
	var plain map[string]any
	_ = json.Unmarshal([]byte(asJSON(got)), &plain)
	for key, value := range map[string]any{"name": want.Name, "role": want.Role, "match": want.Match, "tier": want.Tier,
		"matched_rule": want.MatchedRule, "failed_step": want.FailedStep, "completed": want.Completed, "verified": want.Verified} {
		if value != nil {
			differ(key, value, actValue(plain, key, value))
		}
	}
	if want.Candidates != nil {
		names := []string{}
		for _, c := range got.Candidates {
			names = append(names, c.Name)
		}
		differ("candidates", *want.Candidates, names)
	}
	return problems
}

// actValue looks a key up in the result, in what was held back, and in the steps that went well: in all
// of them for a list, in the last one for a single value.
func actValue(plain map[string]any, key string, want any) any {
	if value, ok := plain[key]; ok {
		return value
	}
	if held, ok := plain["would_click"].(map[string]any); ok && held[key] != nil {
		return held[key]
	}
	all := []any{}
	steps, _ := plain["steps"].([]any)
	for _, one := range steps {
		if step := one.(map[string]any); step["ok"] == true {
			all = append(all, step[key])
		}
	}
	if _, list := want.([]any); list || len(all) == 0 {
		return all
	}
	return all[len(all)-1]
}

// TestJudges proves that the judges of the cases see a wrong answer.
func TestJudges(t *testing.T) {
	ask := askCase{Question: "Is it done?"}
	got := &result.Look{WindowsSeen: []string{"A"}, Status: result.Unknown, Hint: "one hint",
		Details: result.Details{{Key: "branch", Value: "main"}}}
	for name, want := range map[string]readWant{
		"error": {Error: "APP_NOT_FOUND"}, "window": {Window: new("B")}, "status": {Status: "finished"},
		"details": {Details: map[string]any{"branch": "dev"}}, "no_details": {NoDetails: []string{"branch"}},
		"text_has": {TextHas: texts{"z"}}, "text_lacks": {TextLacks: texts{"sent"}}, "hint_has": {HintHas: texts{"two"}},
	} {
		if len(judgeRead(want, got, "what was sent", ask)) != 1 {
			t.Errorf("read: a wrong %s is not seen", name)
		}
	}
	right := readWant{Window: new("A"), Status: "unknown", Details: map[string]any{"branch": "main"}, NoDetails: []string{"x"},
		TextHas: texts{"sent"}, TextLacks: texts{"z", "done"}, HintHas: texts{"ONE"}}
	if p := judgeRead(right, got, "what was sent: done", ask); len(p) > 0 {
		t.Errorf("read: %q", p)
	}
	act := &result.Act{OK: new(true), Name: new("Seven"), Tier: 1, Candidates: []result.Candidate{{Name: "A"}}}
	for name, want := range map[string]actWant{
		"error": {Error: "X"}, "ok": {OK: new(false)}, "acts": {Acts: &[][]string{}}, "name": {Name: "Eight"}, "tier": {Tier: 2},
		"candidates": {Candidates: &[]string{"B"}},
	} {
		if len(judgeAct(want, act, [][]string{{"click", "@e1"}})) != 1 {
			t.Errorf("act: a wrong %s is not seen", name)
		}
	}
}
