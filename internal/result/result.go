// Package result holds what a tool answers: structs whose fields stand as their keys are printed, how
// numbers are printed, every error code there is, and the short form of an answer.
//
// It must not know how a result came about. Source of every key: spec/contract.md section 4.
package result

// Status is the state of the window's application as far as code could observe it.
type Status string

// The five states. Which of them a profile may return is fixed in spec/profiles.md.
const (
	Working  Status = "working"
	Finished Status = "finished"
	Waiting  Status = "waiting"
	Failed   Status = "error"
	Unknown  Status = "unknown"
)

// Session names the session that a call belonged to, after sanitising.
type Session struct {
	Client    string `json:"client"`
	SessionID string `json:"session_id"`
}

// Extracted is the text that code took from the window, shown when there is no model answer.
type Extracted struct {
	Status      Status `json:"status"`
	LastMessage string `json:"last_message"`
	Extractor   string `json:"extractor"` // claude, codex_desktop, editor, browser, generic
	Truncated   bool   `json:"truncated"`
}

// Image describes the picture that goes with an answer: pixels, and bytes of the JPEG.
type Image struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	Bytes  int `json:"bytes"`
}

// Memory says how long the model stays loaded, and why.
type Memory struct {
	KeepAlive         string    `json:"keep_alive"` // a duration in Ollama's form, such as 3m
	Reason            string    `json:"reason"`
	WasLoaded         bool      `json:"was_loaded"`
	FreeRAMMB         Megabytes `json:"free_ram_mb"` // before the model was asked
	UnloadedLowMemory bool      `json:"unloaded_low_memory"`
}

// Timing says which time-out the model call had and what it took.
type Timing struct {
	TimeoutSeconds   Seconds `json:"timeout_seconds"`
	TimeoutSource    string  `json:"timeout_source"` // static, adaptive, bumped
	Samples          int     `json:"samples"`
	Cold             bool    `json:"cold"`
	BudgetSeconds    Seconds `json:"budget_seconds"` // 0: no budget
	BudgetCapped     bool    `json:"budget_capped"`
	ModelWallSeconds Seconds `json:"model_wall_seconds"`
}

// Look is the answer of look_at_screen. Error is nil on success; Extracted and TimeoutSeconds are
// set on failure only.
type Look struct {
	Error           *Error      `json:"error,omitempty"`
	WindowsSeen     []string    `json:"windows_seen"` // never nil, so that it prints as []
	Status          Status      `json:"status"`
	Summary         string      `json:"summary,omitempty"`
	Confidence      *Confidence `json:"confidence,omitempty"`
	Details         Details     `json:"details,omitempty"`
	Extracted       *Extracted  `json:"extracted,omitempty"`
	Changed         *[]string   `json:"changed_since_last,omitempty"` // nil without a session, [] when nothing changed
	Session         *Session    `json:"session,omitempty"`
	Cached          bool        `json:"cached,omitempty"`
	Hint            string      `json:"hint,omitempty"`
	Image           *Image      `json:"image,omitempty"`
	ImageError      *Error      `json:"image_error,omitempty"`
	ModelUsed       string      `json:"model_used,omitempty"`
	TimeoutSeconds  *Seconds    `json:"timeout_seconds,omitempty"`
	DurationSeconds Seconds     `json:"duration_seconds"`
	MemoryMB        *Megabytes  `json:"memory_mb,omitempty"`
	TokensPerSecond *Rate       `json:"tokens_per_second,omitempty"`
	Memory          *Memory     `json:"memory,omitempty"`
	Timing          *Timing     `json:"timing,omitempty"`
}

// Candidate is an element that a label may have meant.
type Candidate struct {
	Name  string `json:"name"`
	Role  string `json:"role"`
	Tier  int    `json:"tier"` // 1 to 5; 0 for a near miss outside the tiers
	Score Score  `json:"score"`
	How   string `json:"how"`
}

// WouldClick is the element or label that the danger gate held back.
type WouldClick struct {
	Target string `json:"target"`
	Name   string `json:"name,omitempty"`
	Role   string `json:"role,omitempty"`
}

// Step is the outcome of one label of a batch: an element, or an error.
type Step struct {
	Target string `json:"target"`
	OK     bool   `json:"ok"`
	Name   string `json:"name,omitempty"`
	Role   string `json:"role,omitempty"`
	Match  string `json:"match,omitempty"`
	Tier   int    `json:"tier,omitempty"`
	Score  *Score `json:"score,omitempty"`
	Error  *Error `json:"error,omitempty"`
}

// Act is the answer of click and type_text, for one target or for steps.
type Act struct {
	Error           *Error      `json:"error,omitempty"`
	OK              *bool       `json:"ok,omitempty"`
	App             string      `json:"app,omitempty"` // title of the window acted on
	Action          string      `json:"action"`        // click or type
	Target          string      `json:"target,omitempty"`
	Name            *string     `json:"name,omitempty"` // "" for an element found by its id alone
	Role            string      `json:"role,omitempty"`
	Ref             string      `json:"ref,omitempty"`
	Match           string      `json:"match,omitempty"` // exact, normalized, synonym, id, model
	Tier            int         `json:"tier,omitempty"`
	Score           *Score      `json:"score,omitempty"`
	TextLen         *int        `json:"text_len,omitempty"` // characters
	Verified        *bool       `json:"verified,omitempty"`
	Completed       *int        `json:"completed,omitempty"`
	Total           *int        `json:"total,omitempty"`
	FailedStep      int         `json:"failed_step,omitempty"` // 1-based
	Steps           *[]Step     `json:"steps,omitempty"`
	Candidates      []Candidate `json:"candidates,omitempty"`
	WouldClick      *WouldClick `json:"would_click,omitempty"`
	MatchedRule     string      `json:"matched_rule,omitempty"`
	Confirmed       any         `json:"confirmed,omitempty"` // true, or "elicited"; nil where nobody was asked
	Delivery        string      `json:"delivery,omitempty"`  // "pointer" where the engine moves the pointer
	Session         *Session    `json:"session,omitempty"`
	Hint            string      `json:"hint,omitempty"`
	DurationSeconds Seconds     `json:"duration_seconds"`
}

// Ping is the answer of ping: a heart-beat of server, Ollama and model.
type Ping struct {
	OK           bool    `json:"ok"`
	Server       bool    `json:"server"`
	Ollama       bool    `json:"ollama"`
	ModelReplyOK bool    `json:"model_reply_ok"`
	Model        string  `json:"model"`
	Seconds      Seconds `json:"seconds"`
	Cold         bool    `json:"cold"`
	Error        *Error  `json:"error,omitempty"`
}

// Release is the answer of release_model.
type Release struct {
	OK        bool      `json:"ok"`
	Model     string    `json:"model"`
	WasLoaded bool      `json:"was_loaded"`
	FreedMB   Megabytes `json:"freed_mb"`
	Error     *Error    `json:"error,omitempty"`
}

// KeepAlive is the policy in force for the next model call.
type KeepAlive struct {
	Policy string `json:"policy"` // a duration in Ollama's form
	Reason string `json:"reason"`
}

// Autostart tells how this process started Ollama last.
type Autostart struct {
	Method  string  `json:"method"` // breakaway, wmi, popen
	OK      bool    `json:"ok"`
	Seconds Seconds `json:"seconds"`
	Error   string  `json:"error,omitempty"`
}

// Health is the answer of health and of GET /health. LastAutostart prints as null where there was
// none: the one key that may be null.
type Health struct {
	OK                bool       `json:"ok"`
	Server            bool       `json:"server"`
	Version           string     `json:"version"`
	OllamaReachable   bool       `json:"ollama_reachable"`
	OllamaURL         string     `json:"ollama_url"`
	OllamaVersion     string     `json:"ollama_version,omitempty"`
	Model             string     `json:"model"`
	ModelPulled       bool       `json:"model_pulled"`
	ModelLoaded       bool       `json:"model_loaded"`
	MemoryMB          Megabytes  `json:"memory_mb"`
	FreeRAMMB         Megabytes  `json:"free_ram_mb"`
	KeepAlive         KeepAlive  `json:"keep_alive"`
	AgentCUInstalled  bool       `json:"agent_cu_installed"`
	AgentCUPath       string     `json:"agent_cu_path,omitempty"`
	AgentCUVersion    string     `json:"agent_cu_version,omitempty"`
	OllamaAutostarted bool       `json:"ollama_autostarted"`
	LastAutostart     *Autostart `json:"last_autostart"`
	SessionsDir       string     `json:"sessions_dir"`
	ConfigFile        string     `json:"config_file,omitempty"`
	Warnings          []string   `json:"warnings,omitempty"`
}

// Brief is the short form of a Look (setting output = "brief", spec/contract.md section 11).
type Brief struct {
	Error   *Error    `json:"error,omitempty"`
	Status  Status    `json:"status"`
	Summary string    `json:"summary,omitempty"`
	Details Details   `json:"details,omitempty"`
	Changed *[]string `json:"changed_since_last,omitempty"`
	Hint    string    `json:"hint,omitempty"`
}

// Brief returns the short form of the answer.
func (l *Look) Brief() *Brief {
	return &Brief{Error: l.Error, Status: l.Status, Summary: l.Summary, Details: l.Details,
		Changed: l.Changed, Hint: l.Hint}
}
