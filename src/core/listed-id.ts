import { CrmError } from './errors.ts'
import { idText } from './exact-json.ts'
import { redactShapes } from './redact.ts'
import type { CrmRecord } from './resources/registry.ts'

const SHOWN_CHARS = 160

/** The id of a record of a list, for work that finds records by id; CrmError `bad_answer` when it has none. */
export function listedId(record: CrmRecord): string {
  const id = idText(record.id)
  if (id !== undefined && id !== '') return id
  throw new CrmError('bad_answer', `a record of the list has no "id", so crm cannot identify it: ${shapeOf(record)}`, {
    hint: 'crm finds records by their member "id"; crm api sends requests to paths with any other id',
  })
}

/** The beginning of a record, for a message. */
export function shapeOf(record: CrmRecord): string {
  return redactShapes(JSON.stringify(record)).slice(0, SHOWN_CHARS).toWellFormed()
}
