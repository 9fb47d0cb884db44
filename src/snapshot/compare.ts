import { canonicalJson, idText, type JsonObject, type JsonValue, parseExactJson } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { OpenSnapshot, SnapshotEntry, SnapshotType } from './snapshot.ts'

/** A record that differs: `fields` has the changed fields, `record` an added or removed record. */
export interface Difference extends JsonObject {
  change: 'added' | 'changed' | 'removed'
  type: string
  id: string
  name: JsonValue
}

type Entries = Pick<OpenSnapshot, 'entries'>

/** What is not compared. */
export interface Ignored {
  readonly members: ReadonlySet<string>
  readonly types: ReadonlySet<SnapshotType>
}

/**
 * The changes from `before` to `after`, in the order of `after`; removed records come last. `before` is held in memory as
 * text, `after` is streamed.
 */
export async function* differences(before: Entries, after: Entries, ignored: Ignored): AsyncGenerator<Difference[]> {
  const isCompared = ({ type }: SnapshotEntry) => !ignored.types.has(type)
  const old = new Map<string, string>()
  for await (const entries of before.entries) {
    for (const { type, record } of entries.filter(isCompared))
      old.set(`${type} ${idOf(record)}`, JSON.stringify(record))
  }
  for await (const entries of after.entries) {
    yield entries.filter(isCompared).flatMap((entry) => differenceOf(entry, old, ignored.members))
  }
  const removed = [...old].map(([key, text]) => {
    const [type = ''] = key.split(' ')
    const record = parseRecord(text)
    return difference('removed', type, record, { record })
  })
  yield removed
}

/** Removes the record from `old`. */
function differenceOf({ type, record }: SnapshotEntry, old: Map<string, string>, ignored: ReadonlySet<string>) {
  const key = `${type} ${idOf(record)}`
  const text = old.get(key)
  old.delete(key)
  if (text === undefined) return [difference('added', type, record, { record })]
  if (text === JSON.stringify(record)) return []
  const fields = changedFields(parseRecord(text), record, ignored)
  return Object.keys(fields).length === 0 ? [] : [difference('changed', type, record, { fields })]
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
