import { isJsonObject, type JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources.ts'
import type { Wire } from '../core/wire.ts'
import type { Answer } from './answer.ts'
import { readNoList } from './no-list.ts'
import { oneLine } from './one-line.ts'
import { readNext } from './page-next.ts'
import { ITEM_PLACES, PAGE_COUNTS, type Place, RECORD_COUNTS } from './page-shapes.ts'
import type { Position } from './position.ts'
import { valueAt, valueAtPath } from './value-at.ts'

/** What the settings say about the shape of lists; undefined leaves it to the recognisers. */
export type PageWire = Pick<Wire, 'limitParam' | 'cursorParam' | 'itemsPath' | 'nextPath'>

export interface PageAnswer {
  readonly items: readonly CrmRecord[]
  /** Undefined when the list ends here, as far as the answer says. */
  readonly next: Position | undefined
  /** False when the answer says neither that the list ends here nor how it goes on. */
  readonly isEndKnown: boolean
  /** A clause, when the answer counts more records or pages than it holds. */
  readonly shortfall: string | undefined
  /** The members that lead to the records; empty where the answer itself is the list. */
  readonly itemsAt: Place
  /** What says how the list goes on, or that it does not, such as `next_cursor`; undefined where nothing does. */
  readonly nextAt: string | undefined
}

/** The page in an answer to a request for `url`, or a clause that says why there is none. */
export function readPage(answer: Answer, url: URL, wire: PageWire): PageAnswer | string {
  const without = readNoList(answer, wire)
  if (without !== undefined) return without
  const { json, headers } = answer
  if (json === undefined) return 'expected a list, got nothing'
  const list = readItems(json, wire)
  if (!list) {
    const where = wire.itemsPath === undefined ? '' : ` without one at wire.items_path ${wire.itemsPath}`
    return `expected a list, got ${describe(json)}${where}`
  }
  const { items, place } = list
  if (!items.every(isJsonObject)) return 'the list holds something that is not a record'
  const found = readNext({ json, link: headers.link, lastId: items.at(-1)?.id }, url, wire)
  if (typeof found === 'string') return found
  return {
    items,
    next: found.next,
    isEndKnown: found.end !== 'unknown',
    shortfall: readShortfall(json, items.length),
    itemsAt: place,
    nextAt: found.at,
  }
}

function readItems(json: JsonValue, { itemsPath }: PageWire): { items: JsonValue[]; place: Place } | undefined {
  if (itemsPath !== undefined) {
    const found = valueAtPath(json, itemsPath)
    const place = itemsPath.split('.')
    return Array.isArray(found) ? { items: recordsOf(found, place), place } : undefined
  }
  for (const place of ITEM_PLACES) {
    const found = valueAt(json, place)
    if (Array.isArray(found)) return { items: recordsOf(found, place), place }
  }
  return undefined
}

/** Edges hold their records in `node` (the Relay connection specification). */
function recordsOf(list: JsonValue[], place: Place): JsonValue[] {
  if (place.at(-1) !== 'edges') return list
  return list.map((edge) => (isJsonObject(edge) ? (edge.node ?? null) : edge))
}

function readShortfall(json: JsonValue, count: number): string | undefined {
  const highest = (places: readonly Place[]) =>
    Math.max(...places.map((place) => valueAt(json, place)).map((value) => (typeof value === 'number' ? value : 0)))
  const records = highest(RECORD_COUNTS)
  if (records > count) return `it counts ${records} records and sent ${count}`
  const pages = highest(PAGE_COUNTS)
  return pages > 1 ? `it counts ${pages} pages and sent one` : undefined
}

function describe(json: JsonValue): string {
  if (!isJsonObject(json)) return oneLine(JSON.stringify(json), 60)
  const keys = Object.keys(json)
  return keys.length === 0 ? 'an empty object' : `an object with ${oneLine(keys.join(', '), 200)}`
}
