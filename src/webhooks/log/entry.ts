import { isUtf8 } from 'node:buffer'
import { isJsonObject, type JsonObject, type JsonValue, jsonIn } from '../../core/json.ts'
import { type Delivery, type ReceivedEvent, SCHEME_NAMES, type SchemeName } from '../../core/webhook-events.ts'
import { readEvent } from '../read-event.ts'

/** Credentials of the sender, not needed to read or replay the log. */
const NOT_KEPT = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** The start of an event's line, from which its id is read without parsing the body. */
const ID_AT_START = /^\{"v":1,"id":(null|"(?:[^"\\]|\\.)*")/
const LONGEST_START = 4096

/** A line of the log without its line end; docs/event-log.md lists the members. The body keeps the exact bytes. */
export function entryText({ delivery, body: _, type: __, ...event }: ReceivedEvent): string {
  const { url, headers, bytes } = delivery
  const isText = isUtf8(bytes)
  return JSON.stringify({
    v: 1,
    id: event.id ?? null,
    event: event.name ?? null,
    record_id: event.recordId ?? null,
    received_at: new Date(event.receivedAtMs).toISOString(),
    verified: event.isVerified,
    duplicate: event.isDuplicate,
    scheme: event.scheme ?? null,
    subscription_id: event.subscriptionId ?? null,
    url,
    headers: headers.filter(([name]) => !NOT_KEPT.has(name.toLowerCase())),
    [isText ? 'body_text' : 'body_base64']: bytes.toString(isText ? 'utf8' : 'base64'),
  })
}

/** The id alone, which is all that a start needs of many events; undefined for an event without one. */
export function entryId(line: Buffer): string | undefined {
  const [, id] = ID_AT_START.exec(line.toString('utf8', 0, LONGEST_START)) ?? []
  return id === undefined ? undefined : textIn(jsonIn(id))
}

/** Undefined for a line of another version or a damaged line. */
export function parseEntry(line: string): ReceivedEvent | undefined {
  const entry = parseObject(line)
  if (entry?.v !== 1) return undefined
  const delivery = readDelivery(entry)
  const receivedAtMs = Date.parse(textIn(entry.received_at) ?? '')
  if (!delivery || Number.isNaN(receivedAtMs)) return undefined
  return {
    type: 'event',
    id: textIn(entry.id),
    name: textIn(entry.event),
    recordId: textIn(entry.record_id),
    receivedAtMs,
    isVerified: entry.verified === true,
    isDuplicate: entry.duplicate === true,
    scheme: SCHEME_NAMES.find((name): name is SchemeName => name === entry.scheme),
    subscriptionId: textIn(entry.subscription_id),
    body: readEvent(delivery.bytes).body,
    delivery,
  }
}

function readDelivery({ url, headers, body_text, body_base64 }: JsonObject): Delivery | undefined {
  const bytes =
    typeof body_text === 'string'
      ? Buffer.from(body_text)
      : typeof body_base64 === 'string' && Buffer.from(body_base64, 'base64')
  if (typeof url !== 'string' || !Array.isArray(headers) || !bytes) return undefined
  return { url, headers: headers.flatMap(readHeader), bytes }
}

function readHeader(pair: JsonValue): readonly (readonly [string, string])[] {
  const [name, value] = Array.isArray(pair) ? pair : []
  return typeof name === 'string' && typeof value === 'string' ? [[name, value]] : []
}

function parseObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
