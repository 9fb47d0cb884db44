import { collectionPath, recordPath } from '../../api/path.ts'
import type { JsonObject } from '../../core/json.ts'
import { type CrmRecord, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import type { InputRow } from '../input/row.ts'
import type { Planned, PlannedFailure } from './plan-builder.ts'
import type { Noun } from './plan-head.ts'

const MOST_NAMED = 10

/** One more than are named, to know whether there are more. */
export const MOST_MATCHES = MOST_NAMED + 1

interface Ambiguity {
  readonly names: readonly string[]
  readonly ids: readonly string[]
}

/** The operation that makes a record of a row. */
export function createOf(noun: Noun, row: InputRow): Planned {
  return { do: 'create', path: collectionPath(resourceOf(noun), row.parent), body: row.fields, ...placeOf(row) }
}

export function updateOf(noun: Noun, row: InputRow, id: string, fields: JsonObject): Planned {
  return { do: 'update', path: recordPath(resourceOf(noun), id), id, body: fields, ...placeOf(row) }
}

export function deleteOf(noun: Noun, row: InputRow, { id, record }: { id: string; record: CrmRecord }): Planned {
  return { do: 'delete', path: recordPath(resourceOf(noun), id), id, before: record, ...placeOf(row) }
}

/** The failure of a row with several matches: a person has to choose the record. */
export function ambiguousOf(noun: Noun, row: InputRow, { names, ids }: Ambiguity): PlannedFailure {
  const [field, shown] = [names.join(', '), ids.slice(0, MOST_NAMED)]
  const [count, more] = ids.length > shown.length ? [`more than ${MOST_NAMED}`, ', …'] : [String(ids.length), '']
  const reason = `it matched ${count} ${noun} by ${field}: ${shown.join(', ')}${more}`
  return {
    do: 'fail',
    path: RESOURCES[resourceOf(noun)].path,
    ...placeOf(row),
    failed: { code: 'ambiguous_match', field, reason },
  }
}

function placeOf({ line, offset, length }: InputRow): Pick<Planned, 'line' | 'at'> {
  return { line, at: [offset, length] }
}
