package mcpserver

import "mcp-computer-use/internal/guidance"

// The input schemas, byte for byte as the original publishes them: key order, titles and nullable
// types are part of what clients already know (spec/mcp.md section 1.2).
const (
	schemaApp     = `"app":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"App"}`
	schemaSession = `"client":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Client"},` +
		`"session_id":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Session Id"}`
	schemaConfirm = `"confirm_dangerous":{"default":false,"title":"Confirm Dangerous","type":"boolean"}`

	schemaLook = `{"properties":{"question":{"title":"Question","type":"string"},` + schemaApp + `,` + schemaSession +
		`,"keep_warm":{"default":false,"title":"Keep Warm","type":"boolean"}` +
		`,"include_image":{"default":false,"title":"Include Image","type":"boolean"}}` +
		`,"required":["question"],"title":"look_at_screenArguments","type":"object"}`

	schemaClick = `{"properties":{` + schemaApp +
		`,"target":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"Target"}` +
		`,"steps":{"anyOf":[{"items":{},"type":"array"},{"type":"null"}],"default":null,"title":"Steps"},` +
		schemaSession + `,` + schemaConfirm + `},"title":"clickArguments","type":"object"}`

	schemaType = `{"properties":{"target":{"title":"Target","type":"string"},"text":{"title":"Text","type":"string"},` +
		schemaApp + `,` + schemaSession + `,` + schemaConfirm +
		`},"required":["target","text"],"title":"type_textArguments","type":"object"}`
)

// kind says how a parameter takes a JSON value.
type kind int

const (
	plainText    kind = iota // a string, never looked into
	optionalText             // a string or null
	anyText                  // a string is taken as it is, anything else as no string: the use case refuses it
	optionalList             // an array or null
	boolFlag                 // a bool and what passes for one; absent means false
)

// parameter is one argument of a tool. PlainText and anyText must be given.
type parameter struct {
	name string
	kind kind
}

// required tells whether a call without the parameter can't be bound.
func (p parameter) required() bool { return p.kind == plainText || p.kind == anyText }

// plain tells whether a string value is left alone instead of being read as JSON first.
func (p parameter) plain() bool { return p.kind == plainText || p.kind == anyText }

// definition is one tool as it is listed and bound. Parameters come in the order of the schema, which
// is also the order in which faults are told.
type definition struct {
	name       string
	schema     string
	parameters []parameter
	hints      hints
}

// hints are a tool's annotations: they decide whether a client asks its user before a call.
type hints struct{ readOnly, destructive, idempotent, openWorld bool }

// definitions returns the tools in the order in which they are listed.
func definitions() []definition {
	app, client, session := parameter{"app", optionalText}, parameter{"client", optionalText}, parameter{"session_id", optionalText}
	confirm := parameter{"confirm_dangerous", boolFlag}
	reads := hints{readOnly: true, idempotent: true}
	acts := hints{destructive: true, openWorld: true}
	return []definition{
		{guidance.LookAtScreen, schemaLook, []parameter{{"question", plainText}, app, client, session,
			{"keep_warm", boolFlag}, {"include_image", boolFlag}}, reads},
		{guidance.Click, schemaClick, []parameter{app, {"target", optionalText}, {"steps", optionalList},
			client, session, confirm}, acts},
		{guidance.TypeText, schemaType, []parameter{{"target", plainText}, {"text", anyText}, app, client, session, confirm}, acts},
		{guidance.Ping, emptySchema(guidance.Ping), nil, reads},
		{guidance.ReleaseModel, emptySchema(guidance.ReleaseModel), nil, hints{idempotent: true}},
		{guidance.Health, emptySchema(guidance.Health), nil, reads},
	}
}

func emptySchema(tool string) string {
	return `{"properties":{},"title":"` + tool + `Arguments","type":"object"}`
}
