import { idText, type JsonValue } from './json.ts'
import { redactShapes } from './redact.ts'
import type { CrmRecord } from './resources/registry.ts'

const SHOWN_CHARS = 160

/** The id of a record of a list; a list with a record that has none is refused where it is read. */
export function listedId(record: CrmRecord): string {
  const id = idText(record.id)
  if (id === undefined) throw new Error('a record of a list has no id')
  return id
}

/** An id of 15 characters with the three more by which it can be compared without regard to case, as Salesforce has them. */
export function id18(id: string): string {
  if (!/^[A-Za-z0-9]{15}$/.test(id)) return id
  const capitals = (part: string) =>
    Number.parseInt(
      [...part]
        .reverse()
        .map((char) => (/[A-Z]/.test(char) ? 1 : 0))
        .join(''),
      2,
    )
  return id + [0, 5, 10].map((at) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'[capitals(id.slice(at, at + 5))]).join('')
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
 * that no page has is missing from the result.
 */
export async function findByIds(
  pages: AsyncIterable<{ readonly items: readonly CrmRecord[] }>,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, CrmRecord>> {
  const wanted = new Set(ids)
  const found = new Map<string, CrmRecord>()
  for await (const { items } of pages) {
    for (const item of items) {
      const id = listedId(item)
      if (wanted.has(id)) found.set(id, item)
    }
    if (found.size === wanted.size) return found
  }
  return found
}

/** The ids that the value of a reference has, which may be a list of them. */
export function namedIds(value: JsonValue | undefined): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((id) => idText(id) ?? [])
}

/** An id in the type that the value before it has. */
export function idLike(value: JsonValue, id: string): JsonValue {
  return typeof value === 'number' && String(Number(id)) === id ? Number(id) : id
}
