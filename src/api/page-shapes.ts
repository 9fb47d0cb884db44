import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'

/** How one kind of server writes a page. A path is the keys that lead to a value; the empty path is the answer itself. */
export interface PageShape {
  readonly items: readonly string[]
  readonly cursor: readonly string[] | undefined
  readonly hasMore: readonly string[] | undefined
  /** The keys of an answer in this shape: with others beside them it may be one that says more than is understood. */
  readonly keys: readonly string[]
  /** The query parameter in which the cursor goes back. */
  readonly cursorParameter: string
}

/** The first that fits is taken. */
const PAGE_SHAPES: readonly PageShape[] = [
  {
    items: ['data'],
    cursor: ['next_cursor'],
    hasMore: ['has_more'],
    keys: ['data', 'next_cursor', 'has_more'],
    cursorParameter: 'cursor',
  },
  { items: [], cursor: undefined, hasMore: undefined, keys: [], cursorParameter: 'cursor' },
]

/** Items are found where the shape has them, and either it says how to go on or nothing else is there that might. */
export function findShape(json: JsonValue): PageShape | undefined {
  return PAGE_SHAPES.find((shape) => {
    if (!Array.isArray(valueAt(json, shape.items))) return false
    if (!isJsonObject(json) || valueAt(json, shape.cursor) !== undefined) return true
    if (valueAt(json, shape.hasMore) !== undefined) return true
    return Object.keys(json).every((key) => shape.keys.includes(key))
  })
}

export function valueAt(json: JsonValue, path: readonly string[] | undefined): JsonValue | undefined {
  if (path === undefined) return undefined
  let value: JsonValue | undefined = json
  for (const key of path) value = isJsonObject(value) ? (value as JsonObject)[key] : undefined
  return value
}
