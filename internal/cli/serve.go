package cli

import (
	"context"
	"fmt"
	"net"
	"os/signal"
	"strconv"
	"sync"
	"syscall"

	"mcp-computer-use/internal/mcpserver"
	"mcp-computer-use/internal/memory"
	"mcp-computer-use/internal/proc"
)

// serve is the MCP server, over stdio or HTTP, until its input ends or a signal comes.
func (r *run) serve(ctx context.Context, app *application) (int, error) {
	// A client that closed our stdout must not end the process before running calls have ended their
	// children: the write fails instead.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := mcpserver.New(app.bridge, r.serverOptions(ctx, app))
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel() // runs before the wait: what serves beside ends with the server
	if app.memory.Watch {
		beside.Go(func() { r.watchMemory(ctx, app) })
	}
	if app.setting.HealthHTTP || r.healthHTTP {
		r.serveHealth(ctx, app, server, &beside)
	}
	if err := r.serveMCP(ctx, server); err != nil {
		r.log.Error("serve", "err", err)
		return exitFailed, nil
	}
	return exitOK, nil
}

func (r *run) serverOptions(ctx context.Context, app *application) mcpserver.Options {
	o := mcpserver.DefaultOptions()
	o.Version = programVersion()
	o.Brief = app.setting.Output == "brief"
	o.Elicit = app.setting.Elicit
	o.CallBudget = app.setting.CallBudget
	o.HTTPToken = app.setting.HTTPToken
	if r.mode == serve {
		o.ParentGone = proc.WatchParent(ctx)
	}
	return o
}

func (r *run) serveMCP(ctx context.Context, server *mcpserver.Server) error {
	if r.mode == serve {
		if isTerminal(r.in) && isTerminal(r.err) {
			fmt.Fprintln(r.err, "mcp-computer-use: MCP over stdio, waiting for a client's messages. Ctrl+C ends it, --help shows the rest.")
		}
		return server.Serve(ctx, r.in, r.out, r.log)
	}
	listener, err := mcpserver.Listen(r.http)
	if err != nil {
		return fmt.Errorf("--http takes a free address of this machine: %w", err)
	}
	fmt.Fprintf(r.err, "mcp-computer-use: serving MCP at http://%s/mcp\n", listener.Addr())
	return server.ServeMCP(ctx, listener, r.log)
}

// serveHealth adds GET /health. A busy port costs a warning, never the server.
func (r *run) serveHealth(ctx context.Context, app *application, server *mcpserver.Server, beside *sync.WaitGroup) {
	addr := net.JoinHostPort(app.setting.HealthHost, strconv.Itoa(app.setting.HealthPort))
	listener, err := mcpserver.Listen(addr)
	if err != nil {
		r.log.Warn("no health server; the MCP server runs without it (MCP_CU_HEALTH_PORT sets another port)", "err", err)
		return
	}
	beside.Go(func() {
		if err := server.ServeHealth(ctx, listener, r.log); err != nil {
			r.log.Warn("health server", "err", err)
		}
	})
}

// watchMemory unloads the model between calls when memory runs short.
func (r *run) watchMemory(ctx context.Context, app *application) {
	watcher := &memory.Watcher{Options: app.memory, Free: app.free, Model: app.client, Busy: app.bridge.Busy,
		Report: func(e memory.Event) {
			if e.Err != nil {
				r.log.Warn("memory watch", "err", e.Err)
			} else if e.Unloaded {
				r.log.Warn("memory watch: the model was unloaded", "free_mb", int(e.FreeMB))
			}
		}}
	watcher.Run(ctx)
}
