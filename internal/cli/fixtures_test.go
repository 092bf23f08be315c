package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-computer-use/internal/replay"
)

var update = flag.Bool("update", false, "rewrite the wanted answers, and the prompts in the recordings")

// Where the recordings are, and what each of them must answer. The two are apart since a recording holds
// nothing but its header and its exchanges.
const (
	runsFolder = "../../fixtures/runs"
	wantFolder = "../../fixtures/runs.want"
	mostBytes  = 200 << 10 // of one recording
)

// wanted is a run.json: the command line without --replay, and what comes of it.
type wanted struct {
	Args   []string `json:"args"` // {temp} stands for a folder of temporary files
	Exit   int      `json:"exit"`
	Source string   `json:"source"` // real, or written by hand in the form of a real one
	Note   string   `json:"note"`
	// After names the run before this one in its session. A replay's own state is empty, so such a run
	// is not replayed by the command line.
	After string `json:"after,omitempty"`
}

// readWanted reads the run.json of a recording; each recording must have one.
func readWanted(t *testing.T, name string) wanted {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(wantFolder, name, "run.json"))
	if err != nil {
		t.Fatalf("every folder of %s needs a run.json: %v", runsFolder, err)
	}
	var w wanted
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		t.Fatalf("run.json: %v", err)
	}
	temp := t.TempDir()
	for i, arg := range w.Args {
		w.Args[i] = strings.ReplaceAll(arg, "{temp}", temp)
	}
	if len(w.Args) == 0 || w.Source != "real" && w.Source != "written" || w.Note == "" {
		t.Fatalf("run.json needs args, a source (real or written) and a note: %+v", w)
	}
	return w
}

// folders lists the folders in a folder.
func folders(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}

// TestRecordedRuns replays every recording and compares exit code and answer. A request that was not
// recorded, or a record that nobody asked for, stands on stderr and fails the run.
func TestRecordedRuns(t *testing.T) {
	names := folders(t, runsFolder)
	if diff := cmp.Diff(names, folders(t, wantFolder)); diff != "" {
		t.Errorf("the folders of %s and %s differ (-runs +want):\n%s", runsFolder, wantFolder, diff)
	}
	if len(names) < 40 {
		t.Errorf("only %d recordings are left", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			run := readWanted(t, name)
			if *update {
				refreshRequests(t, name, run)
			}
			code, answer, stderr := replayOnce(t, name, run)
			if code != run.Exit {
				t.Errorf("exit code %d, want %d", code, run.Exit)
			}
			for line := range strings.Lines(stderr) {
				if !strings.HasPrefix(line, "time=") {
					t.Fatalf("stderr: %s", stderr)
				}
			}
			compareAnswer(t, filepath.Join(wantFolder, name, "want.json"), answer)
			if i := slices.Index(run.Args, "--image-out"); i >= 0 {
				picture, err := os.ReadFile(run.Args[i+1])
				if err != nil || !bytes.HasPrefix(picture, []byte("\xff\xd8")) {
					t.Errorf("no JPEG was written: %v", err)
				}
			}
		})
	}
}

// replayOnce runs the program as its main function does; a run that follows another one gets the state
// that the other one left.
func replayOnce(t *testing.T, name string, run wanted) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if run.After == "" {
		code = Main(append([]string{"--replay", filepath.Join(runsFolder, name)}, run.Args...), strings.NewReader(""), &out, &errs)
		return code, out.String(), errs.String()
	}
	state := t.TempDir()
	for _, one := range []string{run.After, name} {
		out.Reset()
		var err error
		if code, err = replayIn(t, state, one, readWanted(t, one).Args, &out, &errs); err != nil {
			t.Errorf("%s: %v", one, err)
		}
	}
	return code, out.String(), errs.String()
}

// replayIn replays a run over a state folder. The error says how the run differs from the recording.
func replayIn(t *testing.T, state, name string, args []string, stdout, stderr *bytes.Buffer) (int, error) {
	t.Helper()
	opts, err := parse(append([]string{"--replay", filepath.Join(runsFolder, name)}, args...))
	if err != nil {
		t.Fatal(err)
	}
	r := &run{streams: streams{strings.NewReader(""), stdout, stderr}, options: opts}
	r.log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	w, err := r.replayed()
	if err != nil {
		t.Fatal(err)
	}
	w.dir, w.memoryDir = state, state
	app, err := r.build(w)
	if err != nil {
		t.Fatal(err)
	}
	code := r.once(t.Context(), app)
	return code, app.close()
}

// refreshRequests writes into a recording what the program asks the model now, where the wording of
// prompts has changed since. Nothing else of a recording is ever rewritten.
func refreshRequests(t *testing.T, name string, run wanted) {
	t.Helper()
	for range 8 {
		state := t.TempDir()
		if run.After != "" {
			if _, err := replayIn(t, state, run.After, readWanted(t, run.After).Args, &bytes.Buffer{}, &bytes.Buffer{}); err != nil {
				t.Fatalf("%s: %v", run.After, err)
			}
		}
		_, err := replayIn(t, state, name, run.Args, &bytes.Buffer{}, &bytes.Buffer{})
		var miss *replay.NoMatchError
		if !errors.As(err, &miss) || miss.Kind != "POST /api/chat" || len(miss.Nearest) == 0 {
			return
		}
		_, body, _ := strings.Cut(miss.Request, "\n")
		record, _, _ := strings.Cut(miss.Nearest[0], ":")
		path := filepath.Join(runsFolder, name, record, "request.json")
		if _, err := os.Stat(path); err != nil || !json.Valid([]byte(body)) {
			return
		}
		if err := os.WriteFile(path, []byte(body+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What differs from run to run and from machine to machine in an answer.
var (
	byClock   = regexp.MustCompile(`"(duration_seconds|seconds|model_wall_seconds)":\d+\.\d`)
	byBudget  = regexp.MustCompile(`"timeout_seconds":\d+\.\d`) // where it is what the budget leaves
	byMachine = regexp.MustCompile(`"(version|sessions_dir)":"(?:[^"\\]|\\.)*"`)
)

// compareAnswer compares an answer with its file, or writes the file under -update.
func compareAnswer(t *testing.T, path, answer string) {
	t.Helper()
	masked := byClock.ReplaceAllString(answer, `"$1":0.0`)
	if strings.Contains(masked, `"budget_capped":true`) {
		masked = byBudget.ReplaceAllString(masked, `"timeout_seconds":0.0`)
	}
	masked = byMachine.ReplaceAllString(masked, `"$1":"…"`)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(masked), "", "  "); err != nil {
		t.Fatalf("the answer is no JSON: %v\n%s", err, answer)
	}
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no wanted answer (write it with -update, and review it): %v", err)
	}
	if diff := cmp.Diff(string(want), pretty.String()); diff != "" {
		t.Errorf("the answer (-want +got):\n%s", diff)
	}
}

// TestOriginalExamples compares the answers with the two examples that the original README prints. What
// the examples leave out may be there too.
func TestOriginalExamples(t *testing.T) {
	for name, example := range map[string]string{
		"original-after": `{"windows_seen": ["Claude"], "status": "finished",
			"summary": "Claude finished: 916 tests pass, commit be8b48e pushed, installer built.", "confidence": 0.95,
			"details": {"project": "MyApp-Desktop", "session": "Multimodal work in progress", "branch": "fix/pre-api",
				"next_step": "After installing, reopen QUAL.", "failures": ["Finished a background command (1 failed)"]},
			"changed_since_last": ["status: working -> finished", "new text in the last message"],
			"session": {"client": "codex", "session_id": "bench"},
			"model_used": "gpt-oss:20b", "memory_mb": 11264.0, "tokens_per_second": 12.1}`,
		"original-failure": `{"error": {"code": "MODEL_TIMEOUT", "message": "gpt-oss:20b did not answer within 38s", "retryable": true},
			"windows_seen": ["Claude"], "extracted": {"status": "finished", "extractor": "claude", "truncated": false},
			"model_used": "gpt-oss:20b", "timeout_seconds": 38.0}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, answer, _ := replayOnce(t, name, readWanted(t, name))
			var got, want map[string]any
			if err := errors.Join(json.Unmarshal([]byte(answer), &got), json.Unmarshal([]byte(example), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, onlyKeysOf(want, got)); diff != "" {
				t.Errorf("the example (-want +got):\n%s", diff)
			}
		})
	}
}

// onlyKeysOf is an object without the keys that another one lacks, at all depths.
func onlyKeysOf(want, got map[string]any) map[string]any {
	kept := make(map[string]any)
	for key, inner := range want {
		value, ok := got[key]
		if !ok {
			continue
		}
		kept[key] = value
		if w, isObject := inner.(map[string]any); isObject {
			if g, same := value.(map[string]any); same {
				kept[key] = onlyKeysOf(w, g)
			}
		}
	}
	return kept
}

// What must not stand in a recording: the folder of a user, and what looks like a token.
var (
	userFolders = regexp.MustCompile(`(?:/home/|/Users/|[A-Za-z]:(?:\\{1,2}|/)[Uu]sers(?:\\{1,2}|/))([^\\/\s"'<>|:*?,;)…]+)`)
	maskedName  = regexp.MustCompile(`^(?:user)*(?:u|us|use)?$`)
	tokens      = regexp.MustCompile(`\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|xox[abeoprs]-\S{10,}|` +
		`AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|hf_[A-Za-z0-9]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.)|(?i:bearer )[A-Za-z0-9._~+/=-]{8,}`)
)

// private says what in a text belongs to a person or a machine; "" for nothing. own are the names and
// folders of whoever runs the test.
func private(text string, own []string) string {
	for _, m := range userFolders.FindAllStringSubmatch(text, -1) {
		if !maskedName.MatchString(m[1]) {
			return "a user's folder: " + m[0]
		}
	}
	if token := tokens.FindString(text); token != "" {
		return "a token: " + token
	}
	for _, word := range own {
		if regexp.MustCompile(`(?i)(^|[^\pL\pN])` + regexp.QuoteMeta(word) + `($|[^\pL\pN])`).MatchString(text) {
			return "a name or folder of this machine: " + word
		}
	}
	return ""
}

// ownWords are the home and the user name here, unless they are words that may stand on any screen.
func ownWords() []string {
	var words []string
	if home, err := os.UserHomeDir(); err == nil && len(home) > 4 {
		words = append(words, home)
	}
	if who, err := user.Current(); err == nil {
		name := who.Username[strings.LastIndexAny(who.Username, `\/`)+1:]
		if len(name) > 3 && !slices.Contains([]string{"root", "user", "runner", "admin", "build", "test", "runneradmin"}, strings.ToLower(name)) {
			words = append(words, name)
		}
	}
	return words
}

// TestRecordedRunsArePublic looks for what is private in every file, and keeps recordings small.
func TestRecordedRunsArePublic(t *testing.T) {
	own := ownWords()
	for _, root := range []string{runsFolder, wantFolder} {
		size := make(map[string]int)
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if found := private(string(text), own); found != "" {
				t.Errorf("%s holds %s", path, found)
			}
			rel, relErr := filepath.Rel(root, path)
			name, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
			size[name] += len(text)
			return errors.Join(err, relErr)
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, bytes := range size {
			if bytes > mostBytes {
				t.Errorf("%s/%s has %d bytes, more than %d", root, name, bytes, mostBytes)
			}
		}
	}
}

// TestPrivate shows what the look for private texts catches, and what it must let pass.
func TestPrivate(t *testing.T) {
	own := []string{"/srv/people/dvora", "dvora"}
	for _, text := range []string{"/home/dana/work", `C:\\Users\\Dana\\x`, "/Users/dana", "sk-abcdefghijklmnop1234", "Authorization: Bearer abcdefgh12345",
		"ghp_abcdefghijklmnop1234", "in /srv/people/dvora/x", "by Dvora, today"} {
		if private(text, own) == "" {
			t.Errorf("%q passes as public", text)
		}
	}
	for _, text := range []string{"/home/user/work", `C:\\Users\\userus\\x`, "~/work/rates", "task-abcdefghijklmnop1234", "the bearer of news", "dvorah", "at home/dana"} {
		if found := private(text, own); found != "" {
			t.Errorf("%q: %s", text, found)
		}
	}
}
