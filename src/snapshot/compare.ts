import { canonicalJson, idText, type JsonObject, type JsonValue, parseExactJson } from '../core/json.ts'
import { foldedText } from '../core/nearest.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { OpenSnapshot, SnapshotEntry } from './snapshot.ts'

/** A record that differs: `fields` has the changed fields, `record` an added or removed record. */
export interface Difference extends JsonObject {
  change: 'added' | 'changed' | 'removed'
  type: string
  id: string
  name: JsonValue
}

/** A difference, and where it is: in the file of `after`, but a removed record in that of `before`. */
export interface FoundDifference {
  readonly difference: Difference
  /** Undefined where the records are those of a server. */
  readonly line: number | undefined
}

type Entries = Pick<OpenSnapshot, 'entries'>

/** How records are compared. */
export interface CompareOptions {
  /** Records with the same text in the first of these members that they have are the same; empty: those with the same id. */
  readonly key: readonly string[]
  /** Members that are not compared. */
  readonly members: ReadonlySet<string>
  /** The singulars of the objects that are compared. */
  readonly types: readonly string[]
}

/**
 * The changes from `before` to `after`, in the order of `after`; removed records come last. `before` is held in memory as
 * text, `after` is streamed.
 */
export async function* differences(
  before: Entries,
  after: Entries,
  comparison: CompareOptions,
): AsyncGenerator<FoundDifference[]> {
  const isCompared = ({ type }: SnapshotEntry) => comparison.types.includes(type)
  const [oldKeys, newKeys] = [keysBy(comparison), keysBy(comparison)]
  const old = new Map<string, OldRecord>()
  for await (const entries of before.entries) {
    for (const entry of entries.filter(isCompared)) {
      old.set(oldKeys(entry), { text: JSON.stringify(entry.record), line: entry.line })
    }
  }
  for await (const entries of after.entries) {
    yield entries
      .filter(isCompared)
      .flatMap((entry) => differenceOf(entry, { key: newKeys(entry), old, ignored: comparison.members }))
  }
  const removed = [...old].map(([key, { text, line }]) => {
    const [type = ''] = key.split(' ')
    const record = parseRecord(text)
    return { difference: difference('removed', type, record, { record }), line }
  })
  yield removed
}

/** The key of each record. Of records with the same key, the first of one side is compared with the first of the other. */
function keysBy({ key }: CompareOptions): (entry: SnapshotEntry) => string {
  const seen = new Map<string, number>()
  return ({ type, record }) => {
    const text = key.map((name) => foldedText(idText(record[name]) ?? '')).find((each) => each !== undefined)
    if (text === undefined) return `${type} ${idOf(record)}`
    const own = `${type} ${JSON.stringify(text)}`
    const count = seen.get(own) ?? 0
    seen.set(own, count + 1)
    return `${own} ${count}`
  }
}

interface OldRecord {
  readonly text: string
  readonly line: number | undefined
}

interface Sides {
  readonly key: string
  readonly old: Map<string, OldRecord>
  readonly ignored: ReadonlySet<string>
}

/** Removes the record from `old`. */
function differenceOf({ type, record, line }: SnapshotEntry, { key, old, ignored }: Sides): FoundDifference[] {
  const text = old.get(key)?.text
  old.delete(key)
  if (text === undefined) return [{ difference: difference('added', type, record, { record }), line }]
  if (text === JSON.stringify(record)) return []
  const fields = changedFields(parseRecord(text), record, ignored)
  return Object.keys(fields).length === 0 ? [] : [{ difference: difference('changed', type, record, { fields }), line }]
}

function changedFields(before: CrmRecord, after: CrmRecord, ignored: ReadonlySet<string>): JsonObject {
  const changed: JsonObject = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from = null, to = null] = [before[name], after[name]]
    if (!ignored.has(name) && canonicalJson(from) !== canonicalJson(to)) changed[name] = { from, to }
  }
  return changed
}

function difference(change: Difference['change'], type: string, record: CrmRecord, rest: JsonObject): Difference {
  return { change, type, id: idOf(record), name: record.name ?? record.email ?? null, ...rest }
}

function idOf(record: CrmRecord): string {
  return idText(record.id) ?? JSON.stringify(record)
}

function parseRecord(text: string): CrmRecord {
  return parseExactJson(text) as CrmRecord
}
