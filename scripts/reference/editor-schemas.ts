import { CONNECTOR, PLURALS } from '../../src/api/connectors/grammar.ts'
import {
  FORMATS,
  type ObjectShape,
  ruleOf,
  type Shape,
  type TextFormat,
  type TextRule,
} from '../../src/api/connectors/shapes.ts'
import { MEMBERS } from '../../src/commands/help/connector-members.ts'
import type { JsonSchema } from '../../src/core/json.ts'
import { BROWSE_KEYS } from '../../src/ui/user-keys/user-key.ts'

/** What the members of `browse.yaml` mean, by the names of their objects. */
const BROWSE_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  browse_keys: { keys: 'the keys that are added to the screens' },
  user_key: {
    key: 'a key such as P or ctrl-o, or two with a blank between them, that crm does not use on these screens',
    screens: 'where it applies',
    description: 'for the help, the palette and messages',
    command: 'run with sh -c; its stdin is a JSON line for each marked record, or for the one under the cursor',
    confirm: 'true: asked about first',
    reload: 'true: the list is loaded again after the command',
    output: 'message (default): the last line; pane: all lines; terminal: the command has the terminal until it ends',
  },
}

/** `schemas/connector.json`, with which an editor checks a connector while it is written. */
export function connectorSchema(): JsonSchema {
  const definitions = new Map<string, JsonSchema>([['template', TEMPLATE]])
  const { required, ...connector } = objectSchema(CONNECTOR, definitions) as { required: readonly string[] }
  const inherited = ['resources']
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'crm connector',
    ...connector,
    required: required.filter((name) => !inherited.includes(name)),
    // A connector that changes another one inherits its resources.
    if: having(['extends']),
    else: having(inherited),
    $defs: definitionsOf(definitions),
  }
}

/** `schemas/browse.json`, with which an editor checks `browse.yaml` while it is written. */
export function browseSchema(): JsonSchema {
  const definitions: Definitions = new Map()
  const schema = objectSchema(BROWSE_KEYS, definitions)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'browse.yaml of crm',
    ...schema,
    $defs: definitionsOf(definitions),
  }
}

function definitionsOf(definitions: ReadonlyMap<string, JsonSchema>): JsonSchema {
  return Object.fromEntries([...definitions].toSorted(([one], [other]) => one.localeCompare(other)))
}

type Definitions = Map<string, JsonSchema>

const TEMPLATE: JsonSchema = {
  type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
  pattern: FORMATS.template.pattern,
  items: { $ref: '#/$defs/template' },
  additionalProperties: { $ref: '#/$defs/template' },
}

const NULL: JsonSchema = { type: 'null' }

function schemaOf(shape: Shape, definitions: Definitions): JsonSchema {
  switch (shape.type) {
    case 'text':
      return { type: 'string', ...textRule(shape.format) }
    case 'choice':
      return { type: 'string', enum: shape.of }
    case 'constant':
      return { const: shape.value }
    case 'flag':
      return { type: 'boolean' }
    case 'integer':
      return { type: 'integer', minimum: shape.least, maximum: shape.most }
    case 'json':
      return shape.isTemplate ? { $ref: '#/$defs/template' } : {}
    case 'list':
      return { type: 'array', items: schemaOf(shape.of, definitions), minItems: shape.least, maxItems: shape.most }
    case 'map':
      return {
        type: 'object',
        propertyNames: textRule(shape.names),
        additionalProperties: orNull(schemaOf(shape.of, definitions)),
      }
    case 'object':
      return defined(shape, definitions)
    case 'either':
      return { anyOf: shape.of.map((each) => schemaOf(each, definitions)) }
  }
}

function textRule(format: TextFormat | TextRule): JsonSchema {
  const { pattern } = ruleOf(format)
  if (format === 'resource') return { enum: PLURALS }
  if (format === 'pattern') return { maxLength: 100 }
  return pattern === undefined ? {} : { pattern }
}

/** Shapes of one name are the same. */
function defined(shape: ObjectShape, definitions: Definitions): JsonSchema {
  if (!definitions.has(shape.name)) definitions.set(shape.name, objectSchema(shape, definitions))
  return { $ref: `#/$defs/${shape.name}` }
}

/** Null removes a member, so that a connector can take one away from what it extends. */
function orNull(schema: JsonSchema): JsonSchema {
  return 'anyOf' in schema ? { anyOf: [...(schema.anyOf as JsonSchema[]), NULL] } : { anyOf: [schema, NULL] }
}

function having(names: readonly string[]): JsonSchema {
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])), required: names }
}

function objectSchema(
  { name: title, members, required, some, oneOf }: ObjectShape,
  definitions: Definitions,
): JsonSchema {
  const properties = Object.entries(members).map(([name, shape]) => {
    const schema = schemaOf(shape, definitions)
    const description = (MEMBERS[title] ?? BROWSE_MEMBERS[title])?.[name]
    if (description === undefined)
      throw new Error(`${name} of ${title} has no description in connector-members.ts or editor-schemas.ts`)
    return [name, { description, ...(required.includes(name) ? schema : orNull(schema)) }] as const
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    ...(some.length > 0 && { allOf: some.map((names) => ({ anyOf: names.map((name) => having([name])) })) }),
    ...(oneOf.length > 0 && { not: having(oneOf) }),
  }
}
