import { jsonSummary } from '../api/connectors/list-rules.ts'
import { statesRefusal } from '../api/errors/failure.ts'
import { compilePath, readEach } from '../connector/paths.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { foldedName } from './names.ts'
import { joined } from './openapi/record-places.ts'

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
export function statedBeside(json: JsonValue, itemsPath: string): readonly StatedValue[] {
  const found: StatedValue[] = []
  const records = itemsPath.slice(0, itemsPath.lastIndexOf('[]'))
  const walk = (value: JsonValue, path: string, depth: number): void => {
    if (depth > MAX_DEPTH || found.length >= MAX_SCALARS || path === records) return
    if (Array.isArray(value)) walkList(value, path === '.' ? '' : path, depth)
    else if (isJsonObject(value)) walkObject(value, path, depth)
  }
  const walkList = (list: readonly JsonValue[], path: string, depth: number): void => {
    const next = list.find((each) => isJsonObject(each) && (each.rel ?? each.relation) === 'next')
    if (isJsonObject(next)) walk(next, `${path}[${next.rel === undefined ? 'relation' : 'rel'}=next]`, depth + 1)
    else if (list.length > 0 && !list.some((each) => isJsonObject(each) || Array.isArray(each))) {
      found.push({ path: `${path}[0]`, name: foldedName(path), value: list[0] ?? null })
    } else if (list.length === 1 && isJsonObject(list[0])) walk(list[0], `${path}[0]`, depth + 1)
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

/** Names of lists that hold the records, where an answer has several lists. */
const LIST_NAMES: ReadonlySet<string> = new Set(
  'data results items records objects edges nodes content value rows entries result list docs documents hits elements members resources entry payload paginatedresults paginatedresult paginateddata'.split(
    ' ',
  ),
)

interface FoundList {
  /** In the grammar of connectors, such as `data[]`. */
  readonly path: string
  readonly name: string
  readonly list: readonly JsonValue[]
}

/**
 * Where the records of an answer stand: the only list of objects, else the one with a usual name or that of the resource. A clause
 * with the reason where there is none, or more than one.
 */
export function placeOfRecords(json: JsonValue | undefined, noun: string): { readonly items: string } | string {
  const refusal = refusalIn(json)
  if (refusal !== undefined) return refusal
  const all = listsIn(json ?? null, '.', 0)
  const isUsual = ({ name }: FoundList) => LIST_NAMES.has(name) || name === foldedName(noun)
  const full = all.filter(({ list }) => list.length > 0)
  const named = all.filter(isUsual)
  const usual = named.filter(({ list }) => list.length > 0)
  const empty = named.find(({ list }) => list.length === 0)
  const beside = (usual[0] ?? full[0])?.path
  if (empty && beside !== undefined) return `${empty.path} is an empty list, and ${beside} beside it is not`
  const [only, ...others] = usual.length > 0 ? usual : full.length > 0 ? full : all.slice(0, 1)
  if (!only) return `expected a list of records, got ${jsonSummary(json)}`
  if (others.length > 0) return `the answer has several lists: ${[only, ...others].map(({ path }) => path).join(', ')}`
  return { items: only.path }
}

/** The records at a place; undefined where the answer has no list there. */
export function recordsAt(json: JsonValue | undefined, items: string): readonly JsonObject[] | undefined {
  if (refusalIn(json) !== undefined) return undefined
  const records = readEach(compilePath(items), json, true)?.map(({ value }) => value)
  return records?.every(isJsonObject) ? records : undefined
}

function listsIn(value: JsonValue, path: string, depth: number): readonly FoundList[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(value)) {
    const at = path === '.' ? '' : path
    const name = foldedName(/[^.[\]]*$/.exec(path)?.[0] ?? '')
    const [only] = value
    const inner = value.length === 1 && isEnvelope(only) ? listsIn(only, `${at}[0]`, depth + 1) : []
    return inner.length > 0 ? inner : value.every(isJsonObject) ? [{ path: `${at}[]`, name, list: value }] : []
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => listsIn(member, joined(path, name), depth + 1))
}

/** The object in an array of one that holds the list beside its metadata, as the `$facet` of MongoDB gives it. */
function isEnvelope(value: JsonValue | undefined): value is JsonObject {
  return (
    isJsonObject(value) && value.id === undefined && Object.keys(value).some((name) => LIST_NAMES.has(foldedName(name)))
  )
}

/** A refusal in a 2xx; beside what the client takes for one, a member `error` with something in it. */
function refusalIn(json: JsonValue | undefined): string | undefined {
  if (!isJsonObject(json) || !(statesRefusal(json) || statesRefusal({ errors: json.error ?? null }))) return undefined
  return `the server refuses within its answer: ${jsonSummary(json)}`
}
