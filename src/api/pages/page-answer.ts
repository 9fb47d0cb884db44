import { isJsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { oneLine } from '../errors/one-line.ts'
import type { Position } from '../errors/position.ts'
import type { Answer } from '../transport/answer.ts'
import { valueAt, valueAtPath } from '../value-at.ts'
import { type Counts, readCounts, readTexts, wholeNumber } from './counts.ts'
import type { Sign } from './envelope.ts'
import { envelopeOf, type Member, unwrapped } from './envelope.ts'
import { isLinkedBack, lastPageAhead, linksOf, recordCursor } from './links.ts'
import { listRefusal } from './list-refusal.ts'
import { OFFSET_NAMES, OFFSET_PARAMETERS } from './names.ts'
import type { NextCandidate } from './next-candidates.ts'
import { readNoList } from './no-list.ts'
import { type DisputedNext, readNext } from './page-next.ts'
import type { PageWire } from './page-shapes.ts'
import { ITEM_PLACES, LATER_ITEM_PLACES, type Place } from './page-shapes.ts'
import { readSigns } from './signs.ts'

export interface PageAnswer {
  readonly items: readonly CrmRecord[]
  /** Undefined if the list ends here by this answer. */
  readonly next: Position | undefined
  /** Alternatives to `next`, tried in order if it leads back. */
  readonly others: readonly NextCandidate[]
  /** A next page in an answer that also states that the list ends. */
  readonly disputed: DisputedNext | undefined
  /** Whether the answer states the end of the list, or its next page. */
  readonly isEndKnown: boolean
  /** The path to the records; empty if the answer itself is the list. */
  readonly itemsAt: Place
  /** The member that states the next page or the end, such as `next_cursor`; undefined if there is none. */
  readonly nextAt: string | undefined
  readonly isFromZero: boolean
  /** It links to a first, a previous and a last page. */
  readonly isLinkedBack: boolean
  readonly counts: Counts
  /** Members that suggest more records, but are not recognised as a cursor. */
  readonly signs: readonly Sign[]
  /** Status 206 (Partial Content). */
  readonly isPart: boolean
  /** The parameter in which this server counts records, such as `skip`, if the answer repeats it. */
  readonly offsetName: string | undefined
}

/** The page in an answer to a request for `url`, or a clause with the reason why there is none. */
export function readPage(received: Answer, url: URL, wire: PageWire): PageAnswer | string {
  const answer = { ...received, ...(received.json !== undefined && { json: unwrapped(received.json) }) }
  const without = readNoList(answer, wire)
  if (typeof without === 'string') return without
  const { status, json = null, headers } = answer
  if (answer.json === undefined && !without) return 'expected a list, got nothing'
  const list = without ? { items: [], place: without } : readItems(json, url, wire)
  if (!list) {
    const where = wire.itemsPath === undefined ? '' : ` without one at wire.items_path ${wire.itemsPath}`
    return `expected a list, got ${describe(json)}${where}`
  }
  if (typeof list === 'string') return list
  const { items, place } = list
  const refusal = listRefusal(answer, items)
  if (refusal !== undefined) return refusal
  if (!items.every(isJsonObject)) return 'the list contains something that is not a record'
  const members = envelopeOf(json, headers)
  const links = linksOf(json, headers.link)
  const ahead = lastPageAhead(json, links, url)
  const source = { json, links, isLastAhead: ahead !== undefined, lastId: items.at(-1)?.id, members }
  const found = readNext(source, url, wire)
  if (typeof found === 'string') return found
  const texts = readTexts(json)
  const counts = readCounts(members, texts.counts)
  const signs = [
    ...readSigns(members, queryOf(url, wire)),
    ...texts.signs,
    ahead,
    partSign(status),
    recordCursor(json, list),
  ]
  return {
    items,
    next: found.next,
    others: found.others,
    disputed: found.disputed,
    isEndKnown: found.end !== 'unknown',
    itemsAt: place,
    nextAt: found.at,
    isFromZero: found.isFromZero ?? false,
    isLinkedBack: isLinkedBack(members),
    counts,
    signs: signs.flatMap((sign) => (sign ? [{ ...sign, isHint: sign.isHint === true && !wire.isHintProven }] : [])),
    isPart: status === 206,
    offsetName: offsetNameIn(members, counts),
  }
}

/** Without the page size, because a cursor may be the same number. */
function queryOf(url: URL, { limitParam }: PageWire): URLSearchParams {
  const query = new URLSearchParams(url.searchParams)
  if (limitParam !== undefined) query.delete(limitParam)
  return query
}

/** RFC 4918, 13: each part has its own status. */
function partSign(status: number): Sign | undefined {
  return status === 207 ? { at: 'status 207', ownName: 'status', value: undefined } : undefined
}

function readItems(
  json: JsonValue,
  url: URL,
  { itemsPath }: PageWire,
): { items: JsonValue[]; place: Place } | string | undefined {
  if (itemsPath !== undefined) {
    const found = valueAtPath(json, itemsPath)
    const place = itemsPath.split('.')
    return Array.isArray(found) ? { items: recordsOf(found, place), place } : undefined
  }
  if (isEmptyBundle(json)) return { items: [], place: ['entry'] }
  // `{"contacts":[...]}` of /v1/contacts.
  const noun = url.pathname.split('/').filter(Boolean).at(-1) ?? ''
  const places = [...ITEM_PLACES, [noun], ...LATER_ITEM_PLACES]
  const lists = places.flatMap((place) => {
    const found = valueAt(json, place)
    const isList = Array.isArray(found) && (!LATER_ITEM_PLACES.includes(place) || found.every(isJsonObject))
    return isList ? [{ items: recordsOf(found, place), place }] : []
  })
  const [first] = lists
  if (!first || first.items.length > 0) return first
  // An empty list under a usual name, beside the requested one.
  const own = lists.find(({ place, items }) => place.length === 1 && place[0] === noun && items.length > 0)
  const other = lists.find(({ place, items }) => place.length === 1 && items.length > 0)
  if (own || !other) return own ?? first
  return `${first.place.join('.')} is an empty list, and ${other.place.join('.')} beside it is not`
}

/** The member that holds the record: entries of a FHIR Bundle, hits of Typesense. */
const WRAPPERS: Readonly<Record<string, string>> = { entry: 'resource', hits: 'document' }

/** Edges have their record in `node` (Relay connection specification). */
function recordsOf(list: JsonValue[], place: Place): JsonValue[] {
  if (place.at(-1) === 'edges') return list.map((edge) => (isJsonObject(edge) ? (edge.node ?? null) : edge))
  const wrapper = WRAPPERS[place.at(-1) ?? '']
  if (wrapper === undefined) return list
  return list.map((item) => (isJsonObject(item) && isJsonObject(item[wrapper]) ? item[wrapper] : item))
}

/** FHIR: a search without results has no `entry`. */
function isEmptyBundle(json: JsonValue): boolean {
  return isJsonObject(json) && json.resourceType === 'Bundle' && json.total === 0 && json.entry === undefined
}

/** Bubble repeats the index of the first record as `cursor`, beside the number of remaining ones. */
function offsetNameIn(members: readonly Member[], { remaining }: Counts): string | undefined {
  const isCounting = ({ name, value }: Member) => name === 'cursor' && typeof value === 'number'
  if (remaining && members.some(isCounting)) return 'cursor'
  const repeated = members.find(
    ({ name, value }) => OFFSET_NAMES.has(name) && wholeNumber(value) !== undefined,
  )?.ownName
  return OFFSET_PARAMETERS.find((parameter) => parameter === repeated)
}

function describe(json: JsonValue): string {
  if (!isJsonObject(json)) return oneLine(JSON.stringify(json), 60)
  const keys = Object.keys(json)
  return keys.length === 0 ? 'an empty object' : `an object with ${oneLine(keys.join(', '), 200)}`
}
