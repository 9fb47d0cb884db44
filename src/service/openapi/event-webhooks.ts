import type { JsonSchema } from '../../core/json.ts'
import { STORED_RESOURCES, typeName } from '../../core/resources/registry.ts'
import { type EventKind, eventKinds } from '../../core/webhook-events.ts'
import { EXAMPLES, TIMES } from './examples.ts'
import { type SchemaName, schemaRef } from './operations.ts'
import type { DocumentPart } from './parameters.ts'

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
    operationId: `receive${kind.replaceAll(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ['webhooks'],
    summary: `Receive ${kind}`,
    description: describe(kind),
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: payload(kind), example: exampleOf(kind) } },
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
function schemaOf(kind: EventKind): SchemaName {
  const resource = STORED_RESOURCES.find((each) => kind.startsWith(`${each}.`))
  if (!resource) throw new Error(`${kind} is of no resource`)
  return typeName(resource)
}

/** The schema of the body of a delivery. */
export function payload(kind: EventKind): JsonSchema {
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

function exampleOf(kind: EventKind): object {
  const data = EXAMPLES[schemaOf(kind)]
  const event = { type: kind, timestamp: TIMES.updated_at, data }
  return kind.endsWith('.updated') ? { ...event, previous: { owner_id: null } } : event
}

function header(name: string, parts: DocumentPart): DocumentPart {
  return { name, in: 'header', required: true, ...parts }
}
