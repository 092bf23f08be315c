package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// ChatRequest is one question. The model, its context length and the way it may reason are the
// client's business.
type ChatRequest struct {
	System     string          // empty for none
	User       string          // the question and all that the model may know
	Format     json.RawMessage // JSON schema of the reply; nil for free text
	KeepAlive  string          // Ollama's form, such as 3m, 0 or -1; empty leaves it to the server
	NumPredict int             // most tokens of the reply; 0 leaves it to the server
}

// Reply is what a model answered, without its reasoning.
type Reply struct {
	Text            string
	DoneReason      string // stop, length, load, unload
	PromptEvalCount int    // tokens of the prompt
	PromptCut       bool   // the prompt filled the context, so that its start was probably lost
	EvalCount       int    // tokens of the reply, reasoning included
	EvalDuration    time.Duration
	LoadDuration    time.Duration
	TotalDuration   time.Duration
}

// TokensPerSecond is the speed of the reply; 0 where the server gave no figures.
func (r Reply) TokensPerSecond() float64 {
	if r.EvalCount <= 0 || r.EvalDuration <= 0 {
		return 0
	}
	return float64(r.EvalCount) / r.EvalDuration.Seconds()
}

// Chat asks the model once. Its success is a whole answer: one that the server marked as done.
//
// A reasoning model is told to answer directly, or, where it can't (gpt-oss), to reason briefly. A
// model of that name that does not reason at all refuses the request unasked and is then asked plainly.
func (c *Client) Chat(ctx context.Context, question ChatRequest) (Reply, error) {
	request, err := c.request(question)
	if err != nil {
		return Reply{}, err
	}
	reply, failure := c.ask(ctx, request)
	if failure != nil && failure.Status == http.StatusBadRequest && request.Think.Value != false &&
		strings.Contains(failure.Message, "does not support thinking") {
		request.Think = &api.ThinkValue{Value: false}
		reply, failure = c.ask(ctx, request)
	}
	return reply, failure.orNil()
}

func (c *Client) request(question ChatRequest) (*api.ChatRequest, error) {
	request := &api.ChatRequest{
		Model:   c.model,
		Format:  question.Format,
		Stream:  new(false),
		Think:   &api.ThinkValue{Value: false},
		Options: map[string]any{"num_ctx": c.numCtx, "temperature": 0},
	}
	if isGPTOSS(c.model) {
		request.Think.Value = "low"
	}
	if question.NumPredict > 0 {
		request.Options["num_predict"] = question.NumPredict
	}
	if question.System != "" {
		request.Messages = append(request.Messages, api.Message{Role: "system", Content: question.System})
	}
	request.Messages = append(request.Messages, api.Message{Role: "user", Content: question.User})
	if question.KeepAlive != "" {
		keep, err := parseKeepAlive(question.KeepAlive)
		if err != nil {
			return nil, &Error{Kind: Failed, Op: opChat, Message: "the time to stay loaded is no duration", Err: err}
		}
		request.KeepAlive = &api.Duration{Duration: keep}
	}
	return request, nil
}

const opChat = "ask the model"

func (c *Client) ask(ctx context.Context, request *api.ChatRequest) (Reply, *Error) {
	ctx, seen := watch(ctx)
	var reply Reply
	var text strings.Builder
	done := false
	err := c.api.Chat(ctx, request, func(part api.ChatResponse) error {
		if done {
			return nil
		}
		text.WriteString(part.Message.Content)
		if done = part.Done; done {
			reply = c.measured(part)
		}
		return nil
	})
	if err == nil && !done {
		err = errNoEnd
	}
	if done && ctx.Err() == nil && seen.finished() {
		err = nil // what follows the end is of no interest
	}
	if e := seen.explain(ctx, opChat, err); e != nil {
		return Reply{}, e
	}
	reply.Text = text.String()
	return reply, nil
}

func (c *Client) measured(last api.ChatResponse) Reply {
	return Reply{
		DoneReason:      last.DoneReason,
		PromptEvalCount: last.PromptEvalCount,
		PromptCut:       c.numCtx > 0 && last.PromptEvalCount >= c.numCtx,
		EvalCount:       last.EvalCount,
		EvalDuration:    last.EvalDuration,
		LoadDuration:    last.LoadDuration,
		TotalDuration:   last.TotalDuration,
	}
}

// finished says whether the exchange itself was a success.
func (x *exchange) finished() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.status == http.StatusOK && x.bodyErr == nil
}

// parseKeepAlive reads a Go duration or a number of seconds.
func parseKeepAlive(text string) (time.Duration, error) {
	if keep, err := time.ParseDuration(text); err == nil {
		return keep, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || seconds != seconds || seconds > 1e9 || seconds < -1e9 {
		return 0, errors.New("neither a duration nor a number of seconds")
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
