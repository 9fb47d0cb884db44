import { EVENT_KINDS } from '../../core/event-kinds.ts'
import { encodeId, firstSerialAt, ID_PREFIXES, type IdKind, SERIALS_PER_MS } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json.ts'
import type { SchemeName } from '../../core/webhook-events.ts'

export interface MadeEvent {
  readonly id: string
  readonly body: JsonObject
}

/** What a record of each kind holds at least, so that a handler finds what it will find later. */
const SAMPLES: Readonly<Partial<Record<IdKind, JsonObject>>> = {
  contact: { name: 'Ada Lovelace', email: 'ada@example.test' },
  deal: { name: 'Analytical Engine', amount: 1000, stage: 'Lead', owner_id: null },
  note: { deal_id: 'deal_00000000000', body: 'Call back on Monday.' },
}

/** An event as its sender would make it, about a record that no server has; `fields` win over what is made up. */
export function makeEvent(name: string, fields: JsonObject, scheme: SchemeName, nowMs: number): MadeEvent {
  const id = madeId('event', nowMs)
  if (scheme === 'github') return { id, body: fields }
  const time = new Date(nowMs).toISOString()
  if (scheme === 'stripe') {
    const created = Math.floor(nowMs / 1000)
    return { id, body: { id, object: 'event', type: name, created, data: { object: fields } } }
  }
  const kind = kindOf(name)
  const data = kind
    ? { id: madeId(kind, nowMs), ...SAMPLES[kind], created_at: time, updated_at: time, version: 1, ...fields }
    : fields
  // As crm serve has it: the members that were changed, as they were before.
  const changed = Object.fromEntries(Object.keys(fields).map((member) => [member, null]))
  return { id, body: { type: name, timestamp: time, data, ...(name.endsWith('.updated') && { previous: changed }) } }
}

/** Undefined for events of other senders, of whose records nothing is known. */
function kindOf(name: string): IdKind | undefined {
  const [noun = ''] = name.split('.')
  const isKnown = EVENT_KINDS.some((kind) => kind === name)
  return isKnown && Object.hasOwn(ID_PREFIXES, noun) ? (noun as IdKind) : undefined
}

function madeId(kind: IdKind, nowMs: number): string {
  // The id of a made-up record need not be secret, and node:crypto costs every start more than commander does.
  return encodeId(kind, firstSerialAt(nowMs) + Math.floor(Math.random() * SERIALS_PER_MS))
}
