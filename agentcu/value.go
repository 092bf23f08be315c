package agentcu

import (
	"context"
	"strings"

	"github.com/tidwall/gjson"

	"mcp-computer-use/internal/ui"
)

// Value returns the whole value of an element, which a snapshot cuts at about 40 bytes, from
// `agent-cu tree`. The element is known again by role, name and id; one that is gone, or that shares
// them with another, is an *Error of kind ElementNotFound or Ambiguous. The value of a password field
// is never read: asking for it is an *Error of kind NotSupported.
func (c *Client) Value(ctx context.Context, home *Home, app string, e ui.Element) (string, error) {
	if e.Secret || e.Role == ui.RoleSecureTextField {
		return "", &Error{Kind: NotSupported, Message: "the value of a password field is not read"}
	}
	if app == "" {
		return "", errNoApp()
	}
	cl := c.opts.treeCall(app)
	result, err := c.run(ctx, home, cl)
	if err != nil {
		return "", err
	}
	root, err := object(cl, result.Stdout)
	if err != nil {
		return "", err
	}
	values := nodeValues(root, e, nil)
	switch len(values) {
	case 0:
		return "", &Error{Kind: ElementNotFound, Message: "the element is not in the tree any more"}
	case 1:
		return values[0], nil
	}
	return "", &Error{Kind: Ambiguous, Message: "several elements share role, name and id"}
}

func (o Options) treeCall(app string) call { return o.begin("tree", "--compact").withApp(app) }

// nodeValues collects the values of the nodes that agree with an element in role, name and id. The tree
// spells roles in camel case; the depth of the walk is that of the JSON, which the child bounds.
func nodeValues(node gjson.Result, e ui.Element, found []string) []string {
	same := strings.EqualFold(node.Get("role").String(), string(e.Role)) &&
		cleanText(node.Get("name").String()) == e.Name && idOf(node) == e.ID
	if same {
		found = append(found, cleanText(node.Get("value").String()))
	}
	node.Get("children").ForEach(func(_, child gjson.Result) bool {
		found = nodeValues(child, e, found)
		return true
	})
	return found
}

// idOf is a node's id as a snapshot shows it: generated ids of macOS are left out there.
func idOf(node gjson.Result) string {
	id := node.Get("id").String()
	if strings.HasPrefix(id, "_NS:") {
		return ""
	}
	return id
}
