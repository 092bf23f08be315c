package agentcu

import (
	"strings"
	"time"
	"unicode/utf8"
)

// The builders below give the whole argument list of each verb and run nothing. Their order is always
// sub-command, fixed options, options with foreign values in the joined form (a value may begin with
// "-"), "--", positionals. Foreign text so stands either behind "--" or as an option's own value.

// begin makes the call of a verb with its fixed options.
func (o Options) begin(verb string, fixed ...string) call {
	args := append([]string{verb}, fixed...)
	if o.NoCDP {
		args = append(args, "--no-cdp")
	}
	return call{verb: verb, args: args}
}

// withApp adds -a in its joined form; an empty app adds nothing.
func (cl call) withApp(app string) call {
	if app != "" {
		cl.args = append(cl.args, "--app="+app)
	}
	return cl
}

func (o Options) versionCall() call { return call{verb: "--version", args: []string{"--version"}} }

func (o Options) windowsCall(app string) call { return o.begin("windows", "--compact").withApp(app) }

func (o Options) appsCall() call { return o.begin("apps", "--compact") }

func (o Options) textCall(app string) call { return o.begin("text").withApp(app) }

func (o Options) snapshotCall(app string, home *Home) call {
	cl := o.begin("snapshot", "-i", "-c").withApp(app)
	cl.outputs = []string{home.refs()}
	return cl
}

func (o Options) treeCall(app string) call { return o.begin("tree", "--compact").withApp(app) }

func (o Options) clickCall(app, ref string) call {
	cl := o.begin("click", "--compact").withApp(app)
	cl.args = append(cl.args, "--", ref)
	cl.act = true
	return cl
}

func (o Options) typeCall(app, ref, text string) call {
	cl := o.begin("type", "--compact").withApp(app)
	cl.args = append(cl.args, "--selector="+ref, "--", text)
	cl.sensitive, cl.act = text, true
	cl.extra = time.Duration(utf8.RuneCountInString(text)) * perCharacter
	return cl
}

// screenshotCall takes a path that this package made: agent-cu puts it into a PowerShell command.
func (o Options) screenshotCall(app, path string) call {
	cl := o.begin("screenshot", "--compact").withApp(app)
	cl.args = append(cl.args, "--path="+path)
	cl.outputs = []string{path}
	return cl
}

// validRef says whether ref has the form "@e5" that a snapshot gives.
func validRef(ref string) bool {
	digits, ok := strings.CutPrefix(ref, "@e")
	if !ok || digits == "" || len(digits) > 9 {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}
