package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-computer-use/internal/bridge"
	"mcp-computer-use/internal/result"
)

const (
	// tooQuick is the time in which no human reads a question: an answer that comes sooner was given by
	// a program, and nobody was asked.
	tooQuick = 300 * time.Millisecond
	// actReserve is kept of the call's budget for the action itself.
	actReserve = 20 * time.Second
	// mostAsks is how many questions may be open at once in the era of retries.
	mostAsks = 64
	askID    = "confirm" // name of the question, and of the one field of its form
)

// action is one click or type_text call that may be held back.
type action struct {
	kind        string // click or type, as in the result
	fingerprint [sha256.Size]byte
	run         func(context.Context, bridge.Confirmation) bridge.ActOutcome
}

// fingerprint stands for the exact arguments of a call; it keeps none of them.
func fingerprint(parts ...any) [sha256.Size]byte {
	encoded, err := json.Marshal(parts)
	if err != nil { // the parts are strings and bools: can't happen
		encoded = []byte(rand.Text())
	}
	return sha256.Sum256(encoded)
}

// ask is a question that was put to the human behind a client.
type ask struct {
	fingerprint [sha256.Size]byte
	danger      bridge.Danger
	held        bridge.ActOutcome // the answer in case that nobody agrees
	asked       time.Time
	limit       time.Duration
}

// asks are the open questions by their opaque state. The zero value is ready.
type asks struct {
	mu   sync.Mutex
	open map[string]ask
}

// put keeps a question and returns its state, a random key that says nothing.
func (a *asks) put(one ask) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[string]ask{}
	}
	oldest := ""
	for state, other := range a.open {
		if time.Since(other.asked) > other.limit {
			delete(a.open, state)
		} else if oldest == "" || other.asked.Before(a.open[oldest].asked) {
			oldest = state
		}
	}
	if len(a.open) >= mostAsks {
		delete(a.open, oldest)
	}
	state := rand.Text()
	a.open[state] = one
	return state
}

// take returns a question and forgets it: a state is good once, for the same call, in time.
func (a *asks) take(state string, mark [sha256.Size]byte) (ask, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.open[state]
	delete(a.open, state)
	return one, ok && one.fingerprint == mark && time.Since(one.asked) <= one.limit
}

// act runs an action. Where the gate holds it back before anything was done, the human is asked through
// the client, if the setting and the client allow it; the action then starts over with the danger that
// was agreed to (spec/mcp.md section 3.5).
func (s *Server) act(ctx context.Context, c call, a action) (*mcp.CallToolResult, error) {
	start := time.Now()
	byFlag := bridge.Confirmation{Flag: c.flag("confirm_dangerous")}
	if state := c.request.Params.RequestState; s.opts.Elicit && state != "" {
		return s.resume(ctx, c, a, state, byFlag)
	}
	outcome := a.run(ctx, byFlag)
	limit := s.askLimit(time.Since(start))
	if !s.opts.Elicit || !askable(outcome) || limit < 2*tooQuick || !canAsk(ctx) {
		return actAnswer(outcome)
	}
	question := ask{a.fingerprint, *outcome.Danger, outcome, time.Now(), limit}
	if server.IsModernRequest(ctx) {
		state := s.asks.put(question)
		return server.NewInputRequestBuilder(state).Elicit(askID, elicitation(question.danger)).ToolResult(), nil
	}
	verdict := s.askNow(ctx, question)
	if s.opts.CallBudget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, start.Add(s.opts.CallBudget))
		defer cancel()
	}
	return s.settle(ctx, a, question, verdict, byFlag)
}

// askable says that a human can be asked about an outcome: the gate held it back before anything was done,
// and it is known where. The window in front is another one once a question has been shown.
func askable(outcome bridge.ActOutcome) bool {
	return outcome.Danger != nil && outcome.Acted == 0 && outcome.Danger.App != ""
}

// askLimit is how long a human may take, given what the call has taken already.
func (s *Server) askLimit(elapsed time.Duration) time.Duration {
	if s.opts.CallBudget <= 0 {
		return s.opts.ElicitTimeout
	}
	return min(s.opts.ElicitTimeout, s.opts.CallBudget-elapsed-actReserve)
}

// resume goes on with a call that comes back with the human's answer. A state that is unknown, used,
// late or of another call acts on nothing.
func (s *Server) resume(ctx context.Context, c call, a action, state string, byFlag bridge.Confirmation) (*mcp.CallToolResult, error) {
	question, ok := s.asks.take(state, a.fingerprint)
	if !ok {
		refused := result.New(result.DangerousAction, "The confirmation does not belong to this call, or came too late; nothing was done.")
		act := &result.Act{Error: refused, Action: a.kind}
		if target := c.text("target"); target != nil {
			act.Target = *target
		}
		return actAnswer(bridge.ActOutcome{Result: act})
	}
	reply := server.ElicitationResponse(c.request.Params.InputResponses, askID)
	return s.settle(ctx, a, question, judge(reply, time.Since(question.asked)), byFlag)
}

// settle acts when the human agreed, and else gives the answer that the gate gave.
func (s *Server) settle(ctx context.Context, a action, question ask, said verdict, byFlag bridge.Confirmation) (*mcp.CallToolResult, error) {
	switch said {
	case agreed:
		byFlag.Elicited = &question.danger
		return actAnswer(a.run(ctx, byFlag))
	case declined:
		return actAnswer(declinedOutcome(question.held))
	default:
		return actAnswer(question.held)
	}
}

// askNow puts the question to the client and waits for the answer, within the question's limit.
func (s *Server) askNow(ctx context.Context, question ask) verdict {
	ctx, cancel := context.WithTimeout(ctx, question.limit)
	defer cancel()
	request := mcp.ElicitationRequest{
		Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)},
		Params:  elicitation(question.danger),
	}
	reply, err := s.mcp.RequestElicitation(ctx, request)
	if err != nil {
		return nobodyAsked
	}
	return judge(reply, time.Since(question.asked))
}

// canAsk tells whether the client declared that it can show a form to its user. The capability of a
// request counts in the era of retries, that of the handshake before.
func canAsk(ctx context.Context) bool {
	if server.IsModernRequest(ctx) {
		declared := server.RequestProtocolInfoFromContext(ctx).ClientCapabilities
		return declared != nil && showsForms(declared.Elicitation)
	}
	known, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	return ok && showsForms(known.GetClientCapabilities().Elicitation)
}

// showsForms reads the capability: an empty one means forms.
func showsForms(declared *mcp.ElicitationCapability) bool {
	return declared != nil && (declared.Form != nil || declared.URL == nil)
}

// verdict is what the human's answer means.
type verdict int

const (
	nobodyAsked verdict = iota // no answer, a dismissed one, or one that no human gave
	declined
	agreed
)

func judge(reply *mcp.ElicitationResult, after time.Duration) verdict {
	if reply == nil || after < tooQuick {
		return nobodyAsked
	}
	switch reply.Action {
	case mcp.ElicitationResponseActionDecline:
		return declined
	case mcp.ElicitationResponseActionAccept:
		form, _ := reply.Content.(map[string]any)
		switch form[askID] {
		case true:
			return agreed
		case false:
			return declined
		}
	}
	return nobodyAsked
}

// declinedOutcome tells the agent not to try another way round the human's no.
func declinedOutcome(held bridge.ActOutcome) bridge.ActOutcome {
	act := *held.Result
	if act.Error != nil {
		refusal := *act.Error
		refusal.Suggestion = "The human user was asked and said no. Don't do this in another way; go on without it or ask what to do instead."
		act.Error = &refusal
	}
	held.Result = &act
	return held
}

// elicitation is the question as it goes to the client. Text from the screen is quoted and cut, so that
// a title can't pass for a part of the question; nothing that is to be typed is in it.
func elicitation(danger bridge.Danger) mcp.ElicitationParams {
	verb := "click"
	if danger.Action == "type" {
		verb = "type into"
	}
	what := quoted(danger.Target)
	if danger.Name != "" && danger.Name != danger.Target {
		what += fmt.Sprintf(" (the element %s)", quoted(danger.Name))
	}
	return mcp.ElicitationParams{
		Message: fmt.Sprintf("An agent wants to %s %s in %s. The safety rule %s holds it back. Allow it this once?",
			verb, what, quoted(danger.App), quoted(danger.Rule)),
		RequestedSchema: map[string]any{
			"type":       "object",
			"properties": map[string]any{askID: map[string]any{"type": "boolean", "title": "Confirm"}},
			"required":   []string{askID},
		},
	}
}

// quoted shows up to 120 characters, with every control and invisible one spelled out.
func quoted(s string) string {
	const most = 120
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strconv.Quote(s)
}

func actAnswer(outcome bridge.ActOutcome) (*mcp.CallToolResult, error) {
	return answer(outcome.Result, outcome.Result.Error != nil)
}
