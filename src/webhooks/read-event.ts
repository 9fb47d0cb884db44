import { isUtf8 } from 'node:buffer'
import { idText, isJsonObject, type JsonValue, parseExactJson } from '../core/json.ts'
import type { EventBody } from '../core/webhook-events.ts'

/** The facts in a body, in the members of Standard Webhooks or of Stripe. */
export interface EventFacts {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly recordId: string | undefined
}

/** No sender nests deeper. Expressions read some 125 levels; walks through a body overflow the stack from some thousand on. */
const MOST_LEVELS = 100

/** The body and its facts. JSON that is nested too deeply is kept as the text that it is; its facts are read all the same. */
export function readEvent(bytes: Buffer): { readonly body: EventBody; readonly facts: EventFacts } {
  const body = parseBody(bytes)
  const facts = readEventFacts(body)
  const isText = body.type === 'json' && body.text.length > MOST_LEVELS && isDeeper(body.value, MOST_LEVELS)
  return { body: isText ? { type: 'text', text: body.text } : body, facts }
}

function parseBody(bytes: Buffer): EventBody {
  if (!isUtf8(bytes)) return { type: 'bytes', bytes }
  // A byte order mark is not part of the text (RFC 8259, 8.1).
  const text = bytes.toString().replace(/^\uFEFF/, '')
  try {
    return { type: 'json', text, value: parseExactJson(text) }
  } catch {
    return { type: 'text', text }
  }
}

function isDeeper(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

function readEventFacts(body: EventBody): EventFacts {
  const value = body.type === 'json' && isJsonObject(body.value) ? body.value : {}
  const data = isJsonObject(value.data) ? value.data : {}
  const inner = isJsonObject(data.object) ? data.object : {}
  return {
    id: idIn(value.id),
    name: textIn(value.type) ?? textIn(value.event_type),
    recordId: idIn(data.id) ?? idIn(inner.id),
  }
}

/** Many senders number their records. */
function idIn(value: JsonValue | undefined): string | undefined {
  return idText(value) || undefined
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
