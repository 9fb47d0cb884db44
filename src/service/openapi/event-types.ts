import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { eventKinds } from '../../core/webhook-events.ts'
import { payload } from './event-webhooks.ts'
import { componentSchemas } from './schemas.ts'

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
  const used = new Set(eventKinds().map((kind) => String(valueOfRef(payload(kind)))))
  return Object.fromEntries(
    [...used].map((name) => {
      const { examples: _, ...schema } = all[name] ?? {}
      return [name, schema]
    }),
  )
}

function valueOfRef(schema: JsonSchema): string | undefined {
  const { data } = schema.properties as { readonly data: { readonly $ref: string } }
  return data.$ref.slice(REFERENCE.length)
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
