import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { STORED_RESOURCES, typeName } from '../../core/resources/registry.ts'
import { type EventKind, eventKinds } from '../../core/webhook-events.ts'
import type { DocumentPart } from './parameters.ts'
import { componentSchemas, exampleOf, schemaRef, TIMES } from './schemas.ts'

/** The headers of Standard Webhooks 1.0. */
const HEADERS: readonly DocumentPart[] = [
  header('webhook-id', {
    description: 'The id of the event, the same in every attempt.',
    schema: { type: 'string', pattern: '^evt_' },
    example: 'evt_0s9ntcj9g09',
  }),
  header('webhook-timestamp', {
    description: 'The time of the attempt, in seconds since 1970.',
    schema: { type: 'integer' },
    example: 1_772_357_400,
  }),
  header('webhook-signature', {
    description: 'v1, and the HMAC-SHA256 of id.timestamp.body in base64; one for each secret, separated by blanks.',
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
]

/** `webhooks` of the document: the request that a subscriber receives for each kind of event. */
export const EVENT_WEBHOOKS: Readonly<Record<string, DocumentPart>> = Object.fromEntries(
  eventKinds().map((kind) => [kind, { post: delivery(kind) }]),
)

function delivery(kind: EventKind): DocumentPart {
  return {
    operationId: `receive${definitionName(kind)}`,
    tags: ['webhooks'],
    summary: `Receive ${kind}`,
    description: describe(kind),
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: payload(kind), example: eventExample(kind) } },
    },
    responses: {
      '2XX': { description: 'Received. After any other response the service tries again.' },
      410: { description: 'The subscription ends.' },
    },
  }
}

function describe(kind: EventKind): string {
  if (kind === 'webhook.test') return 'Sent on request, to one subscription, which is its data.'
  if (kind.endsWith('.updated')) return 'The changed record, and the previous values of its changed members.'
  return kind.endsWith('.deleted') ? 'The record as it last was.' : 'The new record.'
}

/** The schema of the record of an event. */
function schemaOf(kind: EventKind): string {
  const resource = STORED_RESOURCES.find((each) => kind.startsWith(`${each}.`))
  if (!resource) throw new Error(`${kind} is of no resource`)
  return typeName(resource)
}

/** The schema of the body of a delivery. */
function payload(kind: EventKind): JsonSchema {
  const previous = { type: 'object', description: 'Null for members that are new.', additionalProperties: true }
  const isChange = kind.endsWith('.updated')
  return {
    type: 'object',
    properties: {
      type: { const: kind },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      data: schemaRef(schemaOf(kind)),
      ...(isChange && { previous }),
    },
    required: ['type', 'timestamp', 'data', ...(isChange ? ['previous'] : [])],
  }
}

function eventExample(kind: EventKind): object {
  const event = { type: kind, timestamp: TIMES.updated_at, data: exampleOf(schemaOf(kind)) }
  return kind.endsWith('.updated') ? { ...event, previous: { owner_id: null } } : event
}

function header(name: string, parts: DocumentPart): DocumentPart {
  return { name, in: 'header', required: true, ...parts }
}

const REFERENCE = '#/components/schemas/'

/** A JSON Schema (2020-12) of every event: one of the kinds, by its `type`. */
export function eventJsonSchema(): JsonSchema {
  const kinds = eventKinds().map((kind) => [definitionName(kind), payload(kind)] as const)
  const all = { ...recordSchemas(), ...Object.fromEntries(kinds) }
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'CrmEvent',
    oneOf: kinds.map(([name]) => ({ $ref: `${REFERENCE}${name}` })),
    $defs: all,
  }
  return JSON.parse(JSON.stringify(document).replaceAll(REFERENCE, '#/$defs/')) as JsonSchema
}

/** TypeScript declarations of the same, as a module. */
export function eventTypescript(): string {
  const { $defs } = eventJsonSchema() as { readonly $defs: Readonly<Record<string, JsonObject>> }
  const declared = Object.entries($defs).map(([name, schema]) => `export type ${name} = ${typeText(schema, '')}\n`)
  const kinds = eventKinds()
  const union = kinds.map((kind) => `\n  | ${definitionName(kind)}`).join('')
  return [
    '// Made by crm webhooks types --lang ts; later versions of the service may add members.\n',
    ...declared,
    `export type CrmEvent =${union}\n`,
    "export type CrmEventType = CrmEvent['type']\n",
  ].join('\n')
}

/** The records that are the data of events. */
function recordSchemas(): Readonly<Record<string, JsonSchema>> {
  const all = componentSchemas()
  const used = new Set(eventKinds().map(schemaOf))
  return Object.fromEntries(
    [...used].map((name) => {
      const { examples: _, ...schema } = all[name] ?? {}
      return [name, schema]
    }),
  )
}

/** `contact.created` is ContactCreated. */
function definitionName(kind: string): string {
  return kind.replaceAll(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** An error for what it does not know, so that no type is wider than it seems. */
function typeText(schema: JsonObject, indent: string): string {
  const { $ref, const: only, enum: values, type, properties, items } = schema
  if (schema.oneOf || schema.anyOf || schema.allOf) throw new Error('a schema of an event is a combination')
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  const types = Array.isArray(type) ? type : [type]
  if (types.length > 1) return types.map((each) => typeText({ ...schema, type: each ?? null }, indent)).join(' | ')
  if (type === 'object' && isJsonObject(properties)) return objectText(schema, properties, indent)
  if (type === 'array') return `Array<${isJsonObject(items) ? typeText(items, indent) : 'unknown'}>`
  return simpleText(types[0])
}

const SIMPLE: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
  ['object', 'Record<string, unknown>'],
  [undefined, 'unknown'],
])

function simpleText(type: JsonValue | undefined): string {
  const text = SIMPLE.get(type)
  if (text === undefined) throw new Error(`a schema of an event has the type ${JSON.stringify(type)}`)
  return text
}

/** Records may have members of their own, which the schema does not name. */
function objectText(schema: JsonObject, properties: JsonObject, indent: string): string {
  const inner = `${indent}  `
  const required = Array.isArray(schema.required) ? schema.required : []
  const members = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${inner}${JSON.stringify(name)}${mark}: ${typeText(isJsonObject(member) ? member : {}, inner)}\n`
  })
  const others = schema.additionalProperties === true ? `${inner}[member: string]: unknown\n` : ''
  return `{\n${members.join('')}${others}${indent}}`
}
