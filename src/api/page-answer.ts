import { isJsonObject, type JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources.ts'
import type { Answer } from './answer.ts'
import { oneLine } from './one-line.ts'
import { findShape, type PageShape, valueAt } from './page-shapes.ts'

export interface PageAnswer {
  readonly items: readonly CrmRecord[]
  /** Undefined when the list ends here. */
  readonly next: { readonly parameter: string; readonly cursor: string } | undefined
}

/** The page in an answer, or a clause that says why there is none. */
export function readPage({ json, headers }: Answer): PageAnswer | string {
  if (json === undefined) return 'expected a list, got nothing'
  const shape = findShape(json)
  if (!shape) return `expected a list, got ${describe(json)}`
  const items = valueAt(json, shape.items) as JsonValue[]
  if (!items.every(isJsonObject)) return 'the list holds something that is not a record'
  const cursor = readCursor(json, shape)
  if (typeof cursor === 'object') return cursor.complaint
  // A list that looks whole and is not would be worse than none.
  if (cursor === undefined && shape.cursor === undefined && linksToNext(headers.link)) {
    return 'the list goes on in a Link header, which is not understood yet'
  }
  return { items, next: cursor === undefined ? undefined : { parameter: shape.cursorParameter, cursor } }
}

function readCursor(json: JsonValue, shape: PageShape): string | undefined | { complaint: string } {
  const hasMore = valueAt(json, shape.hasMore)
  const cursor = valueAt(json, shape.cursor) ?? ''
  if (hasMore === false) return undefined
  if (typeof cursor === 'number') return String(cursor)
  if (typeof cursor !== 'string')
    return { complaint: `the cursor is not a string: ${oneLine(JSON.stringify(cursor), 60)}` }
  if (cursor !== '') return cursor
  return hasMore === true ? { complaint: 'there are more records, but no cursor that leads to them' } : undefined
}

function linksToNext(link: string | string[] | undefined): boolean {
  return /;\s*rel="?next"?/i.test(String(link ?? ''))
}

function describe(json: JsonValue): string {
  if (!isJsonObject(json)) return oneLine(JSON.stringify(json), 60)
  const keys = Object.keys(json)
  return keys.length === 0 ? 'an empty object' : `an object with ${oneLine(keys.join(', '), 200)}`
}
