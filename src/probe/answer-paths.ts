import { escaped, joined } from '../api/connectors/draft/record-places.ts'
import { foldedName } from '../api/connectors/draft/server-names.ts'
import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../core/json.ts'

/** A value beside the records, at a path of connectors. */
export interface StatedValue {
  readonly path: string
  /** Its own name in lower case, with letters and digits alone. */
  readonly name: string
  readonly value: JsonValue
}

const MAX_DEPTH = 4
const MAX_SCALARS = 500

/** The values beside the records: members of objects, of the only element of an array, and of links by their `rel`. */
export function scalarsIn(json: JsonValue, itemsPath: string): readonly StatedValue[] {
  const found: StatedValue[] = []
  const records = itemsPath.slice(0, itemsPath.lastIndexOf('[]'))
  const walk = (value: JsonValue, path: string, depth: number): void => {
    if (depth > MAX_DEPTH || found.length >= MAX_SCALARS || path === records) return
    if (Array.isArray(value)) walkList(value, path === '.' ? '' : path, depth)
    else if (isJsonObject(value)) walkObject(value, path, depth)
  }
  const walkList = (list: readonly JsonValue[], path: string, depth: number): void => {
    const next = list.find((each) => isJsonObject(each) && each.rel === 'next')
    if (next !== undefined) walk(next, `${path}[rel=next]`, depth + 1)
    else if (list.length === 1 && isJsonObject(list[0])) walk(list[0], `${path}[0]`, depth + 1)
  }
  const walkObject = (object: JsonObject, path: string, depth: number): void => {
    for (const [name, value] of Object.entries(object)) {
      const below = joined(path, name)
      if (Array.isArray(value) || isJsonObject(value)) walk(value, below, depth + 1)
      else found.push({ path: below, name: foldedName(name), value })
    }
  }
  walk(json, '.', 0)
  return found
}

/** Members of an element that hold the record. */
const WRAPPERS = ['node', 'resource', 'document', '_source', 'properties']

/** The path of the records that were found in the answer, such as `data[]`; undefined where they are no elements of a list. */
export function itemsPathOf(json: JsonValue, items: readonly JsonValue[]): string | undefined {
  return items.length === 0 ? undefined : pathTo(items, { value: json, path: '.', depth: 0 })
}

interface Place {
  readonly value: JsonValue
  readonly path: string
  readonly depth: number
}

function pathTo(items: readonly JsonValue[], { value, path, depth }: Place): string | undefined {
  if (Array.isArray(value)) return pathInList(items, value, { path: path === '.' ? '' : path, depth })
  if (!isJsonObject(value) || depth > MAX_DEPTH) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const found = pathTo(items, { value: inner, path: joined(path, name), depth: depth + 1 })
    if (found !== undefined) return found
  }
  return undefined
}

function pathInList(
  items: readonly JsonValue[],
  list: readonly JsonValue[],
  { path, depth }: Omit<Place, 'value'>,
): string | undefined {
  if (isSameList(list, items)) return `${path}[]`
  const wrapper = WRAPPERS.find((name) =>
    isSameList(
      list.map((each) => (isJsonObject(each) ? (each[name] ?? null) : null)),
      items,
    ),
  )
  if (wrapper !== undefined) return `${path}[].${escaped(wrapper)}`
  const [only] = list
  return list.length === 1 && only !== undefined
    ? pathTo(items, { value: only, path: `${path}[0]`, depth: depth + 1 })
    : undefined
}

function isSameList(one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return one.length === other.length && one.every((each, index) => isSameJson(each, other[index]))
}

/** The paths of the lists of records in an answer, in the form of PageLimits.itemsPath: names joined by dots. */
export function listPathsIn(json: JsonValue, above = '', depth = 0): readonly string[] {
  if (!isJsonObject(json) || depth === MAX_DEPTH) return []
  return Object.entries(json).flatMap(([name, value]) => {
    const path = above === '' ? name : `${above}.${name}`
    if (Array.isArray(value)) return value.length > 0 && value.every(isJsonObject) ? [path] : []
    return listPathsIn(value, path, depth + 1)
  })
}
