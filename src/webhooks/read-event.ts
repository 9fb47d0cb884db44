import { isUtf8 } from 'node:buffer'
import { idText, isJsonObject, type JsonValue, parseExactJson } from '../core/json.ts'
import type { EventBody } from '../core/webhook-events.ts'

/** The facts in a body, in the members of Standard Webhooks or of Stripe. */
export interface EventFacts {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly recordId: string | undefined
}

export function readEventBody(bytes: Buffer): EventBody {
  if (!isUtf8(bytes)) return { type: 'bytes', bytes }
  // A byte order mark is not part of the text (RFC 8259, 8.1).
  const text = bytes.toString().replace(/^\uFEFF/, '')
  try {
    return { type: 'json', text, value: parseExactJson(text) }
  } catch {
    return { type: 'text', text }
  }
}

export function readEventFacts(body: EventBody): EventFacts {
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
