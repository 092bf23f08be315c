// Package config turns defaults, TOML files and environment variables into one checked set of values.
//
// It owns the list of settings, where files are looked for and how far each is trusted, the forms and
// ranges of values, and the words in which a mistake is reported. It must not know who uses a setting,
// and it reads nothing but the files: the environment, the folders and the platform are passed in.
package config

import (
	"reflect"
	"strings"
	"time"
)

// Settings holds the value of every setting. All durations are absolute, whatever unit the file or the
// variable used; words and paths are trimmed. Load and Defaults give values inside their ranges.
//
// The comment of each field is also its text in docs/configuration.md. The tags: `toml` is the key,
// `env` the variable, `alias` other variables with a lower rank, `was` other keys with the same
// meaning, `is` the kind (kinds in kind.go), `cwd` marks what an untrusted working-folder file may
// set, `local` what belongs to one machine and is never part of a recording, `group` starts a chapter.
// Sources: README "Configuration", spec/contract.md sections 5 to 11.
type Settings struct {
	// Address of the Ollama server. A scheme and a port may be left out.
	OllamaURL string `group:"Model" toml:"ollama_url" env:"MCP_CU_OLLAMA_URL" alias:"OLLAMA_URL" default:"http://127.0.0.1:11435" is:"url"`
	// Model that writes summaries and chooses among weak matches.
	Model string `toml:"model" env:"MCP_CU_MODEL" alias:"MODEL" default:"gpt-oss:20b" is:"text" cwd:"yes"`
	// Context length in tokens that is asked for. A loaded model with another one is loaded anew, which is slow.
	NumCtx int `toml:"num_ctx" env:"MCP_CU_NUM_CTX" default:"4096" is:"count"`
	// File that replaces the bundled system prompt.
	SystemPromptFile string `toml:"system_prompt_file" env:"MCP_CU_SYSTEM_PROMPT_FILE" default:"" is:"path" local:"yes"`
	// What writes the summary: the model, or code alone (no model is called then).
	Summarizer string `toml:"summarizer" env:"MCP_CU_SUMMARIZER" default:"model" is:"model|code"`
	// Let the model choose among at most five weak matches of a label; off: they come back as candidates.
	ResolveWithModel bool `toml:"resolve_with_model" env:"MCP_CU_RESOLVE_WITH_MODEL" default:"true" is:"bool"`

	// Characters of a window's text that the model gets to see.
	MaxChars int `group:"Text limits" toml:"max_chars" env:"MCP_CU_MAX_CHARS" default:"2000" is:"count" cwd:"yes"`
	// Characters of a question; a longer one is refused with QUESTION_TOO_LONG.
	MaxQuestionChars int `toml:"max_question_chars" env:"MCP_CU_MAX_QUESTION_CHARS" default:"300" is:"count" cwd:"yes"`
	// Characters that type_text takes; a longer text is refused with TEXT_TOO_LONG.
	MaxTypeChars int `toml:"max_type_chars" env:"MCP_CU_MAX_TYPE_CHARS" default:"2000" is:"count" cwd:"yes"`
	// Form of the answer to a question: everything, or the short form that costs fewer tokens.
	Output string `toml:"output" env:"MCP_CU_OUTPUT" default:"full" is:"full|brief" cwd:"yes"`

	// Time that a model call gets before anything is added.
	TimeoutBase time.Duration `group:"Time limits" toml:"timeout_base" env:"MCP_CU_TIMEOUT_BASE" default:"30" is:"seconds" cwd:"yes"`
	// Time added for each 1,000 characters sent to the model.
	TimeoutPer1KChars time.Duration `toml:"timeout_per_1k_chars" env:"MCP_CU_TIMEOUT_PER_1K_CHARS" default:"4" is:"seconds0" cwd:"yes"`
	// Lower bound of a model call's time.
	TimeoutMin time.Duration `toml:"timeout_min" env:"MCP_CU_TIMEOUT_MIN" default:"20" is:"seconds" cwd:"yes"`
	// Upper bound of a model call's time, before the cold extra.
	TimeoutMax time.Duration `toml:"timeout_max" env:"MCP_CU_TIMEOUT_MAX" default:"90" is:"seconds" cwd:"yes"`
	// Time added when the model has to be loaded first.
	ColdLoadExtra time.Duration `toml:"cold_load_extra" env:"MCP_CU_COLD_LOAD_EXTRA" default:"45" is:"seconds0" cwd:"yes"`
	// Learn the time of a call from the recent warm calls.
	AdaptiveTimeout bool `toml:"adaptive_timeout" env:"MCP_CU_ADAPTIVE_TIMEOUT" default:"true" is:"bool" cwd:"yes"`
	// Number of recent warm calls to learn from.
	AdaptiveWindow int `toml:"adaptive_window" env:"MCP_CU_ADAPTIVE_WINDOW" default:"8" is:"count" cwd:"yes"`
	// Time of a whole tool call; keep it below the tool time-out of the host. 0 takes the limit away.
	CallBudget time.Duration `toml:"call_budget_seconds" env:"MCP_CU_CALL_BUDGET_SECONDS" default:"110" is:"seconds0" cwd:"yes"`
	// Time of one agent-cu command.
	AgentCUTimeout time.Duration `toml:"agent_cu_timeout" env:"MCP_CU_AGENT_CU_TIMEOUT" default:"20" is:"seconds" cwd:"yes"`
	// Time of taking a picture of a window.
	ImageTimeout time.Duration `toml:"image_timeout" env:"MCP_CU_IMAGE_TIMEOUT" default:"15.0" is:"seconds" cwd:"yes"`
	// Time that a started Ollama gets until it answers.
	AutostartTimeout time.Duration `toml:"autostart_timeout" env:"MCP_CU_AUTOSTART_TIMEOUT" default:"30" is:"seconds" cwd:"yes"`

	// The agent-cu program: a name to look up on PATH, or a path. A script launcher is refused here; name the program that it starts.
	AgentCUCmd string `group:"Reading and acting" toml:"agent_cu_cmd" env:"MCP_CU_AGENT_CU_CMD" default:"agent-cu" is:"program" local:"yes"`
	// Pass --no-cdp to agent-cu. Without it, reading an Electron application on macOS quits and starts that application.
	AgentCUNoCDP bool `toml:"agent_cu_no_cdp" env:"MCP_CU_AGENT_CU_NO_CDP" default:"true" is:"bool"`
	// Platform whose rules agent-cu follows; empty means the one that the program runs on. For replays and tests.
	EngineOS string `toml:"engine_os" env:"MCP_CU_ENGINE_OS" default:"" is:"windows|linux|macos"`
	// Read the accessibility tree beside the text; off: details and status come from the text alone.
	SnapshotDetails bool `toml:"snapshot_details" env:"MCP_CU_SNAPSHOT_DETAILS" default:"true" is:"bool"`
	// Let type_text put line breaks into a text area. They may reach another window as the Enter key if agent-cu falls back to key strokes.
	AllowMultiline bool `toml:"allow_multiline" env:"MCP_CU_ALLOW_MULTILINE" default:"false" is:"bool"`
	// Act even where agent-cu moves the pointer and sends key strokes (Linux). A window that lies above the target gets them instead.
	AllowPointerActions bool `toml:"allow_pointer_actions" env:"MCP_CU_ALLOW_POINTER_ACTIONS" default:"false" is:"bool"`

	// Words that need a human's consent, beside the built-in ones, which can't be removed.
	Blocklist []string `group:"Safety" toml:"safety.blocklist" env:"MCP_CU_SAFETY_BLOCKLIST" default:"" is:"words" cwd:"yes"`
	// More such words; a second list, so that one can be kept in the file and one in the environment.
	BlocklistExtra []string `toml:"safety.blocklist_extra" env:"MCP_CU_SAFETY_BLOCKLIST_EXTRA" default:"" is:"words" cwd:"yes"`
	// Ask the human through the client before a dangerous action, where the client can do that.
	Elicit bool `toml:"elicit" env:"MCP_CU_ELICIT" default:"false" is:"bool"`

	// Folder of sessions, action log and statistics; empty: `.sessions` beside the program where that folder exists, else in the user's state folder.
	SessionsDir string `group:"Files" toml:"sessions_dir" env:"MCP_CU_SESSIONS_DIR" default:"" is:"path" local:"yes"`
	// Age at which the file of an unused session is removed.
	SessionTTL time.Duration `toml:"session_ttl_hours" env:"MCP_CU_SESSION_TTL_HOURS" default:"24" is:"hours"`
	// Age at which a record of the action log is purged.
	ActionLogTTL time.Duration `toml:"action_log_ttl_hours" env:"MCP_CU_ACTION_LOG_TTL_HOURS" default:"24.0" is:"hours"`

	// Time that the model stays loaded after a call without a session.
	KeepAliveIdle time.Duration `group:"Memory" toml:"keep_alive_idle" env:"MCP_CU_KEEP_ALIVE_IDLE" default:"3m" is:"keepalive"`
	// Time that the model stays loaded while a session is active.
	KeepAliveSession time.Duration `toml:"keep_alive_session" env:"MCP_CU_KEEP_ALIVE_SESSION" default:"10m" is:"keepalive"`
	// Time after its last call in which a session counts as active.
	SessionActive time.Duration `toml:"session_active_minutes" env:"MCP_CU_SESSION_ACTIVE_MINUTES" default:"10" is:"minutes"`
	// Free memory in MB below which the model is unloaded at once; 0 never does that.
	MinFreeMB float64 `toml:"min_free_mb" env:"MCP_CU_MIN_FREE_MB" default:"2048" is:"mb"`
	// Watch the free memory in the background while the server runs.
	MemoryWatch bool `toml:"memory_watch" env:"MCP_CU_MEMORY_WATCH" default:"true" is:"bool"`
	// Time between two looks of the watcher.
	MemoryWatchInterval time.Duration `toml:"memory_watch_interval" env:"MCP_CU_MEMORY_WATCH_INTERVAL" default:"30" is:"seconds"`
	// Start Ollama when it does not answer and its address is this machine.
	AutostartOllama bool `toml:"autostart_ollama" env:"MCP_CU_AUTOSTART_OLLAMA" default:"true" is:"bool"`

	// Serve GET /health beside the MCP server.
	HealthHTTP bool `group:"Serving" toml:"health_http" env:"MCP_CU_HEALTH_HTTP" default:"false" is:"bool" local:"yes"`
	// Address that the health server listens on.
	HealthHost string `toml:"health_host" env:"MCP_CU_HEALTH_HOST" alias:"MCP_CU_HEALTH_HTTP_HOST" was:"health_http_host" default:"127.0.0.1" is:"text" local:"yes"`
	// Port of the health server.
	HealthPort int `toml:"health_port" env:"MCP_CU_HEALTH_PORT" alias:"MCP_CU_HEALTH_HTTP_PORT" was:"health_http_port" default:"8765" is:"port" local:"yes"`
	// Bearer token that --http asks of its clients; without one it serves this machine alone.
	HTTPToken string `toml:"http_token" env:"MCP_CU_HTTP_TOKEN" default:"" is:"secret" local:"yes"`
}

// setting describes one field of Settings, read from its tags.
type setting struct {
	index    int // of the field in Settings
	key      string
	keys     []string // key and its other names
	env      string
	envs     []string // env and its aliases, the strongest first
	fallback string   // the default, in the form of an environment variable
	kind     string
	cwd      bool
	local    bool
}

// settings lists every setting in the order of the struct.
func settings() []setting {
	t := reflect.TypeFor[Settings]()
	list := make([]setting, 0, t.NumField())
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		one := setting{
			index: i, key: tag.Get("toml"), env: tag.Get("env"), fallback: tag.Get("default"),
			kind: tag.Get("is"), cwd: tag.Get("cwd") == "yes", local: tag.Get("local") == "yes",
		}
		one.keys = append([]string{one.key}, strings.Fields(tag.Get("was"))...)
		one.envs = append([]string{one.env}, strings.Fields(tag.Get("alias"))...)
		list = append(list, one)
	}
	return list
}

// field is the value of a setting inside s.
func (one setting) field(s *Settings) reflect.Value {
	return reflect.ValueOf(s).Elem().Field(one.index)
}

// Defaults returns the settings of a program without file and environment. EngineOS is empty.
func Defaults() Settings {
	var s Settings
	for _, one := range settings() {
		if one.fallback == "" {
			continue
		}
		v, err := one.parse(one.fallback)
		if err != nil {
			panic("default of " + one.key + ": " + err.Error()) // a mistake in a tag: the tests load them all
		}
		one.field(&s).Set(reflect.ValueOf(v))
	}
	return s
}

// Words returns the blocklist additions of both lists.
func (s Settings) Words() []string {
	return append(append([]string(nil), s.Blocklist...), s.BlocklistExtra...)
}
