import { CrmError } from '../../core/errors.ts'
import { encodeId, firstSerialAt, type IdKind, SERIALS_PER_MS } from '../../core/ids.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { RESOURCES, STORED_RESOURCES, type StoredResource } from '../../core/resources/registry.ts'
import { eventKinds, type SchemeName } from '../../core/webhook-events.ts'

export const FLAWS = ['unsigned', 'wrong-secret', 'altered', 'stale', 'future'] as const

/** Twice the tolerance of receivers. */
const TOO_FAR_SECONDS = 600

export interface MadeEvent {
  readonly id: string
  readonly body: JsonObject
}

/** A synthetic event in the format of its sender; `fields` override sample values. */
export function makeEvent(name: string, fields: JsonObject, scheme: SchemeName, nowMs: number): MadeEvent {
  const id = newEventId(nowMs)
  if (scheme === 'github') return { id, body: fields }
  const time = new Date(nowMs).toISOString()
  if (scheme === 'stripe') {
    const created = Math.floor(nowMs / 1000)
    return { id, body: { id, object: 'event', type: name, created, data: { object: fields } } }
  }
  const kind = kindOf(name)
  const data = kind
    ? { id: madeId(kind, nowMs), ...sampleOf(kind, nowMs), created_at: time, updated_at: time, version: 1, ...fields }
    : fields
  // Like crm serve: the changed members with their old values.
  const changed = Object.fromEntries(Object.keys(fields).map((member) => [member, null]))
  return { id, body: { type: name, timestamp: time, data, ...(name.endsWith('.updated') && { previous: changed }) } }
}

/** An event as it was received, not a record: `{type, data}`. */
export function isWholeEvent(value: JsonObject): boolean {
  return typeof value.type === 'string' && isJsonObject(value.data)
}

/** The same event with a new id. CrmError `usage` if it is another one than the named. */
export function wholeEvent(name: string, body: JsonObject, nowMs: number): MadeEvent {
  if (body.type !== name) {
    throw new CrmError('usage', `--data holds ${JSON.stringify(body.type)}, and the event to send is ${name}`, {
      hint: `crm webhooks trigger ${String(body.type)} --data FILE, or the record alone in the file`,
    })
  }
  const id = newEventId(nowMs)
  return { id, body: { ...body, ...(body.id !== undefined && { id }) } }
}

/** The record of an event: `data`, or `data.object` of Stripe. */
export function recordInEvent({ data }: JsonObject): JsonObject {
  if (!isJsonObject(data)) throw new Error('an event was made without data')
  return data.object !== undefined && isJsonObject(data.object) ? data.object : data
}

/** Undefined for events of other senders, whose records are unknown. */
function kindOf(name: string): StoredResource | undefined {
  const [noun = ''] = name.split('.')
  return eventKinds().some((kind) => kind === name) ? STORED_RESOURCES.find((each) => each === noun) : undefined
}

/** The members that a handler can expect in such a record. */
function sampleOf(kind: StoredResource, nowMs: number): JsonObject {
  const { example = {}, parent }: ResourceDefinition = RESOURCES[kind]
  const owner = STORED_RESOURCES.find((each) => each === parent)
  return owner ? { [`${owner}_id`]: madeId(owner, nowMs), ...example } : example
}

export function newEventId(nowMs: number): string {
  return madeId('event', nowMs)
}

function madeId(kind: IdKind, nowMs: number): string {
  // The id of a made-up record need not be secret, and node:crypto costs every start more than commander does.
  return encodeId(kind, firstSerialAt(nowMs) + Math.floor(Math.random() * SERIALS_PER_MS))
}

/** A flaw for which a handler must refuse an event. */
export type Flaw = (typeof FLAWS)[number]

interface ToSign {
  readonly id: string
  /** Unix seconds. */
  readonly timestamp: number
  /** What is signed. */
  readonly body: Buffer
  readonly secrets: readonly string[]
}

export function flawed(event: ToSign, flaw: Flaw | undefined): ToSign & { readonly sentBody: Buffer } {
  const sentBody = flaw === 'altered' ? Buffer.concat([event.body, Buffer.from(' ')]) : event.body
  const shift = flaw === 'stale' ? -TOO_FAR_SECONDS : flaw === 'future' ? TOO_FAR_SECONDS : 0
  const wrong = `whsec_${Buffer.from('not the secret that you know....').toString('base64')}`
  const others: readonly string[] = flaw === 'wrong-secret' ? [wrong] : []
  const secrets = flaw === 'unsigned' || flaw === 'wrong-secret' ? others : event.secrets
  return { ...event, timestamp: event.timestamp + shift, secrets, sentBody }
}
