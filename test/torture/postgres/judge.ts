import { type Entry, isGone, type Kind, type Ledger, mayBeGone, PLURALS } from './ledger.ts'
import type { Arrival } from './subscriber.ts'

export interface Found {
  readonly id: string
  readonly version: number
  readonly n?: number
  readonly name?: string
  readonly body?: string
}

export type Records = Readonly<Record<Kind, readonly Found[]>>

const KINDS = Object.keys(PLURALS) as readonly Kind[]

/** Compares the records of the database with the ledger. */
export function judgeRecords(ledger: Ledger, records: Records): void {
  for (const kind of KINDS) {
    const byMarker = Map.groupBy(records[kind], ({ name, body }) => name ?? body ?? '')
    const entries = ledger.entries.filter((entry) => entry.kind === kind)
    const known = new Set(entries.map(({ marker }) => marker))
    for (const [marker, found] of byMarker) {
      if (!known.has(marker)) ledger.fault(`${kind} ${marker} was never sent`)
      if (found.length > 1) ledger.fault(`${kind} ${marker} exists ${found.length} times`)
    }
    for (const entry of entries) judgeEntry(ledger, entry, byMarker.get(entry.marker)?.[0])
  }
}

function judgeEntry(ledger: Ledger, entry: Entry, found: Found | undefined): void {
  const { kind, marker, id, value, version, doubtful } = entry
  // Nothing is known of it, so it may exist, once.
  if (id === undefined) return
  if (!found) {
    if (!mayBeGone(entry)) ledger.fault(`${kind} ${marker} was acknowledged as ${id}, and is lost`)
    return
  }
  if (isGone(entry)) {
    ledger.fault(`${kind} ${marker}: its delete was acknowledged, and it exists`)
    return
  }
  if (found.id !== id) ledger.fault(`${kind} ${marker} was acknowledged as ${id}, and is ${found.id}`)
  const isAsAcknowledged = found.n === value && found.version === version
  const isAsDoubtful = doubtful !== undefined && found.n === doubtful && found.version === version + 1
  if (kind === 'note' || isAsAcknowledged || isAsDoubtful) return
  ledger.fault(`${kind} ${id} has n ${found.n} and version ${found.version}, expected ${value} and ${version}`)
}

/** Each change has one event, each event a change, and those of a record came in the order of its changes. */
export function judgeEvents(ledger: Ledger, records: Records, arrivals: Iterable<Arrival>): void {
  const byRecord = Map.groupBy(arrivals, ({ recordId }) => recordId)
  const existing = new Map(KINDS.flatMap((kind) => records[kind].map((each) => [each.id, { kind, each }] as const)))
  for (const [id, { kind, each }] of existing) {
    const updates = Array.from({ length: each.version - 1 }, (_, at) => `${kind}.updated ${at + 2}`)
    compare(ledger, id, [`${kind}.created 1`, ...updates], byRecord.get(id) ?? [])
  }
  const entryOf = new Map(
    ledger.entries.flatMap((entry) => (entry.id === undefined ? [] : [[entry.id, entry] as const])),
  )
  for (const [id, came] of byRecord) {
    if (existing.has(id)) continue
    const kind = came[0]?.type.split('.')[0] ?? ''
    const updates = came.filter(({ type }) => type.endsWith('.updated')).length
    const acknowledged = (entryOf.get(id)?.version ?? 1) - 1
    if (updates < acknowledged) ledger.fault(`${id} is deleted, and ${updates} of ${acknowledged} updates had events`)
    const middle = Array.from({ length: updates }, (_, at) => `${kind}.updated ${at + 2}`)
    compare(ledger, id, [`${kind}.created 1`, ...middle, `${kind}.deleted ${updates + 1}`], came)
  }
  for (const { id, marker } of ledger.entries) {
    if (id !== undefined && !byRecord.has(id)) ledger.fault(`no event of ${marker} (${id}) came`)
  }
}

function compare(ledger: Ledger, id: string, expected: readonly string[], came: readonly Arrival[]): void {
  const said = came.map(({ type, version }) => `${type} ${version}`)
  if (said.join() !== expected.join())
    ledger.fault(`events of ${id}: ${said.join(', ')}; expected ${expected.join(', ')}`)
}
