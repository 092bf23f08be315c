package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"mcp-computer-use/agentcu"
	"mcp-computer-use/internal/appwindow"
	"mcp-computer-use/internal/audit"
	"mcp-computer-use/internal/autostart"
	"mcp-computer-use/internal/guidance"
	"mcp-computer-use/internal/ollama"
	"mcp-computer-use/internal/result"
	"mcp-computer-use/internal/ui"
	"mcp-computer-use/timeouts"
)

// suggestAmbiguousWindow is the next step where several windows answer to a name.
const suggestAmbiguousWindow = "Pass the full title of one of the candidates as app, or bring that window to the front."

// codeOf gives any error of the lower packages its code.
func codeOf(err error) *result.Error {
	var (
		starting  *autostart.Error
		coded     *result.Error
		none      *appwindow.NotFoundError
		ambiguous *appwindow.AmbiguousError
		cu        *agentcu.Error
		model     *ollama.Error
		log       *audit.Error
	)
	switch {
	case errors.As(err, &coded):
		return coded
	case errors.As(err, &none):
		return result.New(result.AppNotFound, none.Error())
	case errors.As(err, &ambiguous):
		return result.New(result.TargetAmbiguous, ambiguous.Error()).Suggest(suggestAmbiguousWindow)
	case errors.As(err, &cu):
		return agentCUError(cu)
	case errors.As(err, &model):
		return result.New(modelCode(model.Kind), model.Error())
	case errors.As(err, &starting):
		failed := result.New(result.OllamaUnreachable, starting.Error())
		failed.Retryable = mayComeUp(starting.Kind)
		return failed
	case errors.As(err, &log):
		failed := result.New(result.AuditLogFailed, log.Error())
		failed.Retryable = log.Locked
		return failed
	}
	return result.New(result.AgentCUFailed, err.Error())
}

// mayComeUp says whether Ollama can answer later although nobody changes anything.
func mayComeUp(kind autostart.Kind) bool {
	switch kind {
	case autostart.NotLocal, autostart.NoAnswer, autostart.Canceled, autostart.Ended:
		return true
	}
	return false
}

// agentCUError words a failure of the engine. What depends on the window's state can go away by
// itself; what depends on rights or on the element can't.
func agentCUError(err *agentcu.Error) *result.Error {
	switch err.Kind {
	case agentcu.NotInstalled:
		return result.New(result.AgentCUNotInstalled, err.Error())
	case agentcu.AppNotFound:
		return result.New(result.AppNotFound, err.Error()).
			Suggest("The window closed or changed its title meanwhile. Read the list again by calling once more.")
	case agentcu.ElementNotFound:
		return result.New(result.TargetNotFound, err.Error()).
			Suggest("The window changed between reading and acting; nothing was repeated. Read it again, then act.")
	}
	failed := result.New(result.AgentCUFailed, err.Error())
	switch err.Kind {
	case agentcu.PermissionDenied:
		failed.Retryable = false
		failed.Suggestion = "Allow accessibility for agent-cu (agent-cu check-permissions), or run at the window's own level of rights."
	case agentcu.NotSupported, agentcu.Usage, agentcu.TooLarge, agentcu.Ambiguous:
		failed.Retryable = false
		failed.Suggestion = "The engine can't do this with that window or element; use another label or another way."
	}
	if err.MayHaveActed {
		failed.Retryable = false
		failed.Message = strings.TrimSpace(failed.Message) + "; the action may have happened"
		failed.Suggestion = "Look at the window before anything else: the action may have happened."
	}
	return failed
}

// modelCode gives a failure of Ollama its code.
func modelCode(kind ollama.Kind) result.Code {
	switch kind {
	case ollama.Unreachable:
		return result.OllamaUnreachable
	case ollama.NotFound:
		return result.ModelNotFound
	case ollama.Timeout:
		return result.ModelTimeout
	}
	return result.ModelFailed
}

// questionTooLong says by how much.
func questionTooLong(question string, most int) string {
	return fmt.Sprintf("the question has %d characters, %d are allowed", guidance.QuestionLength(question), most)
}

// modelError words the failure of a model call.
func (l *look) modelError(ctx context.Context, got asked, err error) *result.Error {
	if errors.Is(err, errNoBudget) {
		return noBudget(l.call)
	}
	return l.modelFailure(ctx, got.limit, err)
}

// modelFailure words why a model did not answer within a limit; nil where err is.
func (b *Bridge) modelFailure(ctx context.Context, limit time.Duration, err error) *result.Error {
	var failed *ollama.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed) && failed.Kind == ollama.Timeout:
		return result.New(result.ModelTimeout, fmt.Sprintf("%s did not answer within %.4gs", b.deps.Ollama.Model(),
			limit.Seconds()))
	}
	return b.ollamaError(ctx, err)
}

// noBudget is the failure of a call whose reads left too little time for a model.
func noBudget(c call) *result.Error {
	return result.New(result.ModelTimeout, fmt.Sprintf("after %.1fs less than %.0fs of the call budget of %.4gs are left, "+
		"so the model was not asked", time.Since(c.started).Seconds(), timeouts.MinModelTime.Seconds(),
		c.budget.Total().Seconds())).
		Suggest("Try again: a second read is often faster. Or answer from the extracted text, or raise call_budget_seconds.")
}

// ollamaError words a failure of Ollama with what a user can do about it.
func (b *Bridge) ollamaError(ctx context.Context, err error) *result.Error {
	failed := codeOf(err)
	switch failed.Code {
	case result.OllamaUnreachable:
		failed.Suggestion = b.unreachableHelp(ctx)
	case result.ModelNotFound:
		failed.Suggestion = b.pullHelp(ctx)
	}
	return failed
}

// unreachableHelp names the command that starts Ollama, and another local Ollama if there is one.
func (b *Bridge) unreachableHelp(ctx context.Context) string {
	help := fmt.Sprintf("Start it with: %s. Or answer from the extracted text.", b.command("ollama serve"))
	if other := b.otherOllama(ctx); other != "" {
		help += " " + other
	}
	return help
}

// otherOllama says that Ollama answers at its usual port although another address is configured.
func (b *Bridge) otherOllama(ctx context.Context) string {
	ctx, cancel := timeouts.WithLimit(ctx, time.Second, "the look for another Ollama")
	defer cancel()
	address, found := b.deps.Ollama.ProbeOther(ctx)
	if !found {
		return ""
	}
	return fmt.Sprintf("An Ollama answers at %s: set MCP_CU_OLLAMA_URL=%s to use that one.", address, address)
}

// pullHelp names the command that pulls the model, and up to five models that are there.
func (b *Bridge) pullHelp(ctx context.Context) string {
	help := fmt.Sprintf("Pull it with: %s. Or set MCP_CU_MODEL to a model that is there.",
		b.command("ollama pull "+b.deps.Ollama.Model()))
	ctx, cancel := timeouts.WithLimit(ctx, 2*time.Second, "the list of models")
	defer cancel()
	names, err := b.deps.Ollama.Pulled(ctx)
	if err != nil || len(names) == 0 {
		return help
	}
	return help + " There: " + strings.Join(names[:min(len(names), 5)], ", ") + "."
}

// command is a command line of Ollama with the configured address, for a person to paste: for PowerShell
// on Windows, else for a POSIX shell.
func (b *Bridge) command(line string) string {
	if b.opts.Platform == ui.Windows {
		return fmt.Sprintf(`$env:OLLAMA_HOST = "%s"; %s`, b.host(), line)
	}
	return fmt.Sprintf("OLLAMA_HOST=%s %s", b.host(), line)
}

// host is the configured address in the form of OLLAMA_HOST.
func (b *Bridge) host() string {
	if address, err := url.Parse(b.deps.Ollama.URL()); err == nil && address.Host != "" {
		return address.Host
	}
	return b.deps.Ollama.URL()
}
