package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"mcp-computer-use/internal/audit"
	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/result"
)

// once does one use case and prints its answer.
func (r *run) once(ctx context.Context, app *application) int {
	answer := r.answer(ctx, app)
	if _, acted := answer.(*result.Act); ctx.Err() != nil && !acted {
		return exitInterrupted // nobody asked for half an answer; what may have been done is said all the same
	}
	return r.show(answer)
}

// show prints an answer and returns its exit code.
func (r *run) show(answer any) int {
	line, err := result.Encode(answer)
	if err == nil {
		err = r.form.write(r.out, line)
	}
	if err != nil {
		fmt.Fprintln(r.err, "mcp-computer-use:", err)
		return exitFailed
	}
	return codeOf(line)
}

// answer calls the use case of the mode.
func (r *run) answer(ctx context.Context, app *application) any {
	confirm := bridge.Confirmation{Flag: r.confirm}
	progress := r.progress()
	switch r.mode {
	case ask:
		out := app.bridge.Look(ctx, bridge.LookRequest{Question: r.args[0], App: r.app, Client: r.client,
			SessionID: r.sessionID, KeepWarm: r.keepWarm, ImageOut: r.imageOut, Progress: progress})
		if app.setting.Output == "brief" {
			return out.Result.Brief()
		}
		return out.Result
	case click:
		return app.bridge.Click(ctx, bridge.ClickRequest{App: &r.args[0], Target: &r.args[1], Client: r.client,
			SessionID: r.sessionID, Confirm: confirm, Progress: progress}).Result
	case clickSteps:
		return app.bridge.Click(ctx, bridge.ClickRequest{App: &r.args[0], Steps: steps(r.args[1:]), HasSteps: true,
			Client: r.client, SessionID: r.sessionID, Confirm: confirm, Progress: progress}).Result
	case typeText:
		return app.bridge.Type(ctx, bridge.TypeRequest{App: &r.args[0], Target: r.args[1], Text: &r.args[2],
			Client: r.client, SessionID: r.sessionID, Confirm: confirm, Progress: progress}).Result
	case ping:
		return app.bridge.Ping(ctx, progress)
	case release:
		return app.bridge.Release(ctx)
	}
	return app.bridge.Health(ctx)
}

// steps are the labels of a batch. One argument that is a JSON list counts as its elements, as in the
// tool's own argument; an element that is no string is nil.
func steps(args []string) []*string {
	var list []any
	if len(args) == 1 && json.Unmarshal([]byte(args[0]), &list) == nil && list != nil {
		labels := make([]*string, len(list))
		for i, one := range list {
			if text, ok := one.(string); ok {
				labels[i] = &text
			}
		}
		return labels
	}
	labels := make([]*string, len(args))
	for i := range args {
		labels[i] = &args[i]
	}
	return labels
}

// progress tells a person at a terminal what is awaited; nobody else.
func (r *run) progress() bridge.Progress {
	if !isTerminal(r.err) {
		return nil
	}
	return func(message string) { fmt.Fprintln(r.err, message+" ...") }
}

// codeOf is the exit code of an encoded answer: 1 where it has an error or says that it is not ok.
func codeOf(line []byte) int {
	var short struct {
		Error json.RawMessage `json:"error"`
		OK    *bool           `json:"ok"`
	}
	if err := json.Unmarshal(line, &short); err != nil || short.Error != nil || short.OK != nil && !*short.OK {
		return exitFailed
	}
	return exitOK
}

// verified is the answer of --verify-log.
type verified struct {
	OK       bool   `json:"ok"`
	Log      string `json:"log"`
	Records  int    `json:"records"`
	BrokenAt int    `json:"broken_at,omitempty"` // line, counted from 1
	Reason   string `json:"reason,omitempty"`
}

// verifyLog checks the hash chain of the action log, and says the outcome in words on stderr too.
func (r *run) verifyLog(ctx context.Context) (int, error) {
	dir, err := stateDir(r.loaded.Settings.SessionsDir)
	if err != nil {
		return exitUsage, err
	}
	path := filepath.Join(dir, audit.FileName)
	report, err := audit.Verify(ctx, path)
	out := verified{OK: report.OK && err == nil, Log: path, Records: report.Records, BrokenAt: report.BrokenAt,
		Reason: report.Reason}
	switch {
	case err != nil:
		out.Reason = err.Error()
		fmt.Fprintf(r.err, "The action log could not be read: %v\n", err)
	case report.OK:
		fmt.Fprintf(r.err, "The action log is intact: %d records.\n", report.Records)
	default:
		fmt.Fprintf(r.err, "The action log is broken at record %d: %s\n", report.BrokenAt, report.Reason)
	}
	return r.show(out), nil
}
