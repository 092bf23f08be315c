package ollama

import (
	"context"
	"net/http"
	"time"

	"github.com/ollama/ollama/api"
)

// Running is one loaded model.
type Running struct {
	Name          string
	SizeBytes     int64 // the model's whole memory, on every device
	ContextLength int   // tokens that it was loaded with; 0 where the server does not say
	ExpiresAt     time.Time
}

// MB is the model's memory in megabytes of 1,048,576 bytes.
func (r Running) MB() float64 { return float64(r.SizeBytes) / (1 << 20) }

// Pulled returns the names of the models that the server has, with tags, in its own order. What is no
// list of models is another program's answer: Unreachable.
func (c *Client) Pulled(ctx context.Context) ([]string, error) {
	ctx, seen := watch(ctx)
	list, err := c.api.List(ctx)
	if err == nil && list.Models == nil {
		err = errNotOllama
	}
	if e := asStranger(seen.explain(ctx, "list the models", err)); e != nil {
		return nil, e
	}
	names := make([]string, 0, len(list.Models))
	for _, one := range list.Models {
		names = append(names, one.Name)
	}
	return names, nil
}

// asStranger makes a list that is no list the answer of another program on Ollama's port.
func asStranger(e *Error) *Error {
	if e != nil && (e.Kind == NotFound || e.Kind == BadReply && e.Status == http.StatusOK) {
		e.Kind, e.Message = Unreachable, "another program than Ollama answers there"
	}
	return e
}

// Has says whether the configured model is among names.
func (c *Client) Has(names []string) bool {
	for _, name := range names {
		if sameModel(name, c.model) {
			return true
		}
	}
	return false
}

// Loaded returns the models in memory, empty when there is none. Errors are as for Pulled.
func (c *Client) Loaded(ctx context.Context) ([]Running, error) {
	ctx, seen := watch(ctx)
	list, err := c.api.ListRunning(ctx)
	if err == nil && list.Models == nil {
		err = errNotOllama
	}
	if e := asStranger(seen.explain(ctx, "list the loaded models", err)); e != nil {
		return nil, e
	}
	running := make([]Running, 0, len(list.Models))
	for _, one := range list.Models {
		running = append(running, Running{Name: one.Name, SizeBytes: one.Size, ContextLength: one.ContextLength, ExpiresAt: one.ExpiresAt})
	}
	return running, nil
}

// Own returns the configured model's entry among the loaded ones.
func (c *Client) Own(loaded []Running) (Running, bool) {
	for _, one := range loaded {
		if sameModel(one.Name, c.model) {
			return one, true
		}
	}
	return Running{}, false
}

// Cold says whether a question now would have to load the model first: it is not in memory, or was
// loaded with another context length than ours.
func (c *Client) Cold(loaded []Running) bool {
	own, found := c.Own(loaded)
	return !found || own.ContextLength != 0 && own.ContextLength != c.numCtx
}

// Unload takes the configured model out of memory; it is no error when it was not there. The server
// answers before the memory is free.
func (c *Client) Unload(ctx context.Context) error {
	ctx, seen := watch(ctx)
	done := false
	request := &api.GenerateRequest{Model: c.model, KeepAlive: &api.Duration{}, Stream: new(false)}
	err := c.api.Generate(ctx, request, func(part api.GenerateResponse) error {
		done = done || part.Done
		return nil
	})
	if err == nil && !done {
		err = errNoEnd
	}
	return seen.explain(ctx, "unload the model", err).orNil()
}

// IsLoaded says whether the configured model is in memory.
func (c *Client) IsLoaded(ctx context.Context) (bool, error) {
	loaded, err := c.Loaded(ctx)
	_, found := c.Own(loaded)
	return found, err
}
