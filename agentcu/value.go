package agentcu

import (
	"context"
	"encoding/json"
	"strings"

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
	answer, err := object(cl, result.Stdout)
	if err != nil {
		return "", err
	}
	var root treeNode
	if err := json.Unmarshal([]byte(answer.Raw), &root); err != nil {
		return "", &Error{Kind: Failed, Message: "the tree of agent-cu has an unknown form", err: err}
	}
	values := root.values(e, nil)
	switch len(values) {
	case 0:
		return "", &Error{Kind: ElementNotFound, Message: "the element is not in the tree any more"}
	case 1:
		return values[0], nil
	}
	return "", &Error{Kind: Ambiguous, Message: "several elements share role, name and id"}
}

// treeNode is the part of a node of `agent-cu tree` that is looked at. The decoder bounds its depth.
type treeNode struct {
	Role     string     `json:"role"`
	Name     string     `json:"name"`
	Value    string     `json:"value"`
	ID       string     `json:"id"`
	Children []treeNode `json:"children"`
}

// values collects the values of the nodes that agree with an element.
func (n *treeNode) values(e ui.Element, found []string) []string {
	if n.is(e) {
		found = append(found, cleanText(plainLines(n.Value)))
	}
	for i := range n.Children {
		found = n.Children[i].values(e, found)
	}
	return found
}

// is compares role, name and id. The tree spells roles in camel case, and shows the ids that macOS
// generates, which a snapshot without refs.json leaves out.
func (n *treeNode) is(e ui.Element) bool {
	return strings.EqualFold(n.Role, string(e.Role)) && cleanText(plainLines(n.Name)) == e.Name &&
		(cleanText(n.ID) == e.ID || e.ID == "" && strings.HasPrefix(n.ID, "_NS:"))
}
