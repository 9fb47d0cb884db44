import { parse } from 'yaml'
import { loadConnector } from '../../../src/connector/load-connector.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { draftYaml } from '../../../src/probe/openapi/draft-yaml.ts'
import { type Draft, makeDraft } from '../../../src/probe/openapi/make-draft.ts'
import { readDescription } from '../../../src/probe/openapi/read-description.ts'

export const TEXT = { type: 'string' }
export const INTEGER = { type: 'integer' }

export function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more }
}

export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items }
}

export function answer(schema: JsonObject, status = '200'): JsonObject {
  return { responses: { [status]: { description: '', content: { 'application/json': { schema } } } } }
}

export function body(schema: JsonObject): JsonObject {
  return { requestBody: { content: { 'application/json': { schema } } } }
}

export function query(name: string, schema: JsonObject = TEXT, more: JsonObject = {}): JsonObject {
  return { name, in: 'query', schema, ...more }
}

export function get(schema: JsonObject, ...parameters: JsonObject[]): JsonObject {
  return { ...answer(schema), parameters }
}

export function post(sent: JsonObject, schema: JsonObject): JsonObject {
  return { ...body(sent), ...answer(schema, '201') }
}

export const GONE: JsonObject = { responses: { '204': { description: '' } } }

/** Of a list that is paged by number. */
export const PAGED = [query('page', INTEGER), query('per_page', { ...INTEGER, maximum: 100 })]

/** The four operations of a resource without wrappers. */
export function plainPaths(path: string, record: JsonObject, ...parameters: JsonObject[]): JsonObject {
  return {
    [path]: { get: get(object({ data: listOf(record) }), ...parameters), post: post(record, record) },
    [`${path}/{id}`]: { get: get(record), patch: post(record, record), delete: GONE },
  }
}

export const PERSON = object({ id: INTEGER, name: TEXT, email: TEXT })
export const DEAL = object({ id: INTEGER, title: TEXT, value: { type: 'number' }, stage: TEXT })

const SERVERS = [{ url: 'https://api.meadow.example/v1' }]
const SCHEMES = { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }

export function documentWith(paths: JsonObject, more: JsonObject = {}): JsonObject {
  return { openapi: '3.1.0', info: { title: 'Meadow' }, servers: SERVERS, components: SCHEMES, paths, ...more }
}

/** The lists of these small documents are not paged, which is a decision of its own: draft-paging.test.ts. */
const UNDESCRIBED_PAGING = 'until it is named here, a list of "most" records ends with an error'

export interface Drafted extends Draft {
  readonly text: string
  /** As it is written. */
  readonly written: JsonObject & { readonly objects: Record<string, JsonObject & { readonly verbs: JsonObject }> }
  /** The open points, without their places. */
  readonly points: readonly string[]
}

export function draftOf(document: JsonObject, answers: Record<string, string> = {}): Drafted {
  const api = readDescription(Buffer.from(JSON.stringify(document)), 'meadow.json')
  const draft = makeDraft(api, { name: undefined, answers: new Map(Object.entries(answers)), sourceUrl: undefined })
  const text = draftYaml(draft, { source: 'meadow.json', nowMs: Date.UTC(2026, 10, 29) })
  const open = draft.open.filter((point) => !point.text.includes(UNDESCRIBED_PAGING))
  return { ...draft, open, text, written: parse(text), points: open.map((point) => point.text) }
}

/** Fails unless the strict loader takes the draft. */
export function loaded({ text }: Drafted) {
  return loadConnector(text, { fileName: 'draft.yaml', baseOf: () => undefined })
}
