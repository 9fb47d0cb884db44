import type { JsonSchema } from '../../core/json.ts'
import type { EXAMPLES } from './examples.ts'
import type { DocumentPart } from './parameters.ts'

export type SchemaName = keyof typeof EXAMPLES

const JSON_TYPE = 'application/json'

/** `components/headers`. */
export const HEADERS: Readonly<Record<string, DocumentPart>> = {
  ETag: { description: 'The version of the record.', schema: { type: 'string' }, example: '"1"' },
  Location: { description: 'Where the record is.', schema: { type: 'string', format: 'uri-reference' } },
  Link: { description: 'The next page (RFC 8288).', schema: { type: 'string' } },
  'X-Request-Id': { description: 'The id of the request: the one sent, if it is valid.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'true: the answer to an earlier request with the same key.',
    schema: { type: 'string' },
  },
  'Idempotency-Policy': {
    description: 'The scope of idempotency keys, and how many seconds they are kept.',
    schema: { type: 'string' },
    example: '"account";w=86400',
  },
  RateLimit: {
    description: 'Remaining requests, and seconds to the next window.',
    schema: { type: 'string' },
    example: '"default";r=999;t=10',
  },
  'RateLimit-Policy': {
    description: 'Requests per window in seconds.',
    schema: { type: 'string' },
    example: '"default";q=1000;w=10',
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  Allow: { description: 'The supported methods.', schema: { type: 'string' }, example: 'GET, POST' },
  'WWW-Authenticate': { description: 'The expected credentials (RFC 6750).', schema: { type: 'string' } },
}

export const ALWAYS = ['X-Request-Id', 'Idempotency-Policy', 'RateLimit', 'RateLimit-Policy']

const FAULTS: readonly (readonly [status: string, description: string, ...headers: string[]])[] = [
  ['400', 'The request is malformed, or a parameter is unknown.'],
  ['401', 'The key is missing or not valid.', 'WWW-Authenticate'],
  ['403', 'The key lacks the scope.', 'WWW-Authenticate'],
  ['404', 'There is no such record.'],
  ['405', 'The path has no such method.', 'Allow'],
  [
    '409',
    '`already_exists`: the record `existing_id` has this value. `webhook_disabled`: the subscription is disabled. `run_locked`: another client holds the lock. `lock_lost`: the token does not hold it.',
  ],
  ['412', 'The record is at another version.', 'ETag'],
  ['413', 'The body is larger than 1 MiB, or a state of fixtures than 8 MiB.'],
  ['415', 'The Content-Type of the body is not JSON.'],
  ['422', 'A value is not valid, or the Idempotency-Key was used for another request.'],
  ['429', 'The key has sent too many requests.', 'Retry-After'],
  ['500', 'A bug of the service.'],
  ['503', 'The database is not available at the moment.', 'Retry-After'],
]

/** `components/responses`, one per problem. */
export const RESPONSES: Readonly<Record<string, DocumentPart>> = Object.fromEntries(
  FAULTS.map(([status, description, ...headers]) => [
    `Problem${status}`,
    {
      description,
      headers: headerRefs([...ALWAYS, ...headers]),
      content: { 'application/problem+json': { schema: schemaRef('Problem') } },
    },
  ]),
)

export function problems(...statuses: readonly string[]): Readonly<Record<string, DocumentPart>> {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]))
}

/** Problems of every operation with a key. */
export const USUAL_PROBLEMS = ['400', '401', '403', '429', '500', '503'] as const

/** Problems of an operation with a body. */
export const BODY_PROBLEMS = [...USUAL_PROBLEMS, '409', '413', '415', '422'] as const

export function body(schema: SchemaName, types: readonly string[] = [JSON_TYPE]): DocumentPart {
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema: schemaRef(schema) }])) }
}

export function answer(description: string, schema: SchemaName, ...headers: readonly string[]): DocumentPart {
  return {
    description,
    headers: headerRefs([...ALWAYS, ...headers]),
    content: { [JSON_TYPE]: { schema: schemaRef(schema) } },
  }
}

export function page(description: string, schema: SchemaName): DocumentPart {
  const content: JsonSchema = {
    type: 'object',
    properties: {
      data: { type: 'array', items: schemaRef(schema) },
      next_cursor: { type: ['string', 'null'] },
      has_more: { type: 'boolean' },
    },
    required: ['data', 'next_cursor', 'has_more'],
  }
  return { description, headers: headerRefs([...ALWAYS, 'Link']), content: { [JSON_TYPE]: { schema: content } } }
}

export function headerRefs(names: readonly string[]): Readonly<Record<string, DocumentPart>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export function schemaRef(name: SchemaName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}
