import { idText } from './exact-json.ts'
import type { JsonValue } from './json.ts'

/** An id for a line of its own; undefined for one with a line break, which could inject another id. */
export function idOnLine(id: JsonValue | undefined): string | undefined {
  const text = idText(id)
  return text !== undefined && /^[^\s\p{C}]+$/u.test(text) ? text : undefined
}

/** Names that can only be the id of the record itself: `account_id`, `gid` or `documentId` may be shared by several records. */
export const ID_NAMES = ['_id', 'Id', 'ID', '$id', 'uuid', 'guid'] as const
