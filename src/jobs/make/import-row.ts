import { encodeSegment } from '../../api/path.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import type { Noun } from '../plan/plan-head.ts'
import type { InputRow } from '../row.ts'
import type { Planned } from './plan-builder.ts'

/** The operation that makes a record of a row. */
export function createOf(noun: Noun, row: InputRow): Planned {
  return { do: 'create', path: createPath(noun, row), body: row.fields, ...placeOf(row) }
}

export function updateOf(noun: Noun, row: InputRow, id: string, fields: JsonObject): Planned {
  return { do: 'update', path: recordPath(noun, id), id, body: fields, ...placeOf(row) }
}

export function deleteOf(row: InputRow, { id, record }: { id: string; record: CrmRecord }): Planned {
  return { do: 'delete', path: recordPath('contacts', id), id, before: record, ...placeOf(row) }
}

export function recordPath(noun: Noun, id: string): string {
  return `/v1/${noun}/${encodeSegment(id, noun.slice(0, -1), `crm ${noun} list`)}`
}

function placeOf({ line, offset, length }: InputRow): Pick<Planned, 'line' | 'at'> {
  return { line, at: [offset, length] }
}

function createPath(noun: Noun, { parent }: InputRow): string {
  if (noun !== 'notes') return `/v1/${noun}`
  return `/v1/deals/${encodeSegment(parent ?? '', 'deal', 'crm deals list')}/notes`
}
