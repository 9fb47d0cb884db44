import { CrmError } from './errors.ts'
import { idText, type JsonValue } from './json.ts'
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

/** Names that can only be the id of the record itself: `account_id`, `gid` or `documentId` may be shared by several records. */
export const RECORD_ID_NAMES = ['_id', 'Id', 'ID', '$id', 'uuid', 'guid'] as const

/** An id for a line of its own; undefined for one with a line break, which could inject another id. */
export function idOnLine(id: JsonValue | undefined): string | undefined {
  const text = idText(id)
  return text !== undefined && /^[^\s\p{C}]+$/u.test(text) ? text : undefined
}

/**
 * Finds records by id by scanning the list: the contract has no request for a single record. Stops when all are found; an id
 * that no page has is missing from the result. CrmError `bad_answer` when one is missing and a record of the list has no id.
 */
export async function findByIds(
  pages: AsyncIterable<{ readonly items: readonly CrmRecord[] }>,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, CrmRecord>> {
  const wanted = new Set(ids)
  const found = new Map<string, CrmRecord>()
  let unnamed: CrmRecord | undefined
  for await (const { items } of pages) {
    for (const item of items) {
      const id = idText(item.id)
      if (id === undefined || id === '') unnamed ??= item
      else if (wanted.has(id)) found.set(id, item)
    }
    if (found.size === wanted.size) return found
  }
  if (unnamed) listedId(unnamed)
  return found
}

/** An id in the type that the value before it has. */
export function idLike(value: JsonValue, id: string): JsonValue {
  return typeof value === 'number' && String(Number(id)) === id ? Number(id) : id
}
