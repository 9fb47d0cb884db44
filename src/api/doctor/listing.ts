import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import type { ListedResource, PluralOf } from '../../core/resources/registry.ts'
import type { Wire } from '../../core/wire.ts'
import type { Position } from '../errors/position.ts'
import { doubtOf } from '../pages/judge-end.ts'
import { type PageAnswer, readPage } from '../pages/page-answer.ts'
import { cursorHint } from '../pages/page-errors.ts'
import type { Probe, Question } from './probe.ts'

const MAX_DEPTH = 3

export type ListName = PluralOf<ListedResource>

/** One answer of a list, read like any list. */
export type Listing =
  | { readonly page: PageAnswer; readonly json: JsonValue | undefined; readonly url: URL }
  /** `json` is the body if the answer is not a page. */
  | { readonly error: CrmError; readonly json: JsonValue | undefined; readonly url: URL }

export function isPage(listing: Listing): listing is Extract<Listing, { page: PageAnswer }> {
  return 'page' in listing
}

/** Why this answer does not show the end of the list; undefined if it does, or contains nothing about it. */
export function statedDoubt(page: PageAnswer): string | undefined {
  const { length } = page.items
  const progress = {
    isFromStart: true,
    count: length,
    pages: 1,
    firstLength: length,
    isFollowed: false,
    isFiltered: false,
  }
  const doubt = doubtOf(page, progress)
  return doubt && !doubt.isSilence ? doubt.reason : undefined
}

/** The settings to try if no request finds a next page; names a member that may be a cursor. */
export function pagingHint({ signs }: PageAnswer): string {
  const named = cursorHint(signs)
  if (named !== undefined) return `${named} -p PROFILE`
  const counted =
    'if pages or records are counted: set wire.paging to page or offset, and wire.cursor_param to the parameter'
  return `if one answer is the whole list: crm config set wire.paging none -p PROFILE; ${counted}`
}

/** The number of records; undefined if the answer is not a page. */
export function countOf(listing: Listing): number | undefined {
  return isPage(listing) ? listing.page.items.length : undefined
}

/** The first page of the list, with `size` in the parameter of the settings; undefined sends no size. */
export async function askList(probe: Probe, noun: ListName, wire: Wire, size: number | undefined): Promise<Listing> {
  const query = size === undefined || wire.limitParam === undefined ? {} : { [wire.limitParam]: String(size) }
  return listingOf(probe, questionOf(noun, { query }), wire)
}

/** The page at the position, of the same size. */
export async function askNext(
  probe: Probe,
  { noun, wire, size }: { readonly noun: ListName; readonly wire: Wire; readonly size: number | undefined },
  next: Position,
): Promise<Listing> {
  if ('address' in next) return listingOf(probe, questionOf(noun, { address: next.address }), wire)
  const limit = size === undefined || wire.limitParam === undefined ? {} : { [wire.limitParam]: String(size) }
  return listingOf(probe, questionOf(noun, { query: { ...limit, [next.parameter]: next.cursor } }), wire)
}

/** The same answer, read with other settings. */
export function readAgain(listing: Listing, wire: Wire): Listing {
  const { json, url } = listing
  const page = readPage({ status: 200, headers: {}, json }, url, wire)
  return typeof page === 'string' ? listing : { page, json, url }
}

async function listingOf(probe: Probe, question: Question, wire: Wire): Promise<Listing> {
  const url = probe.locate(question)
  const settled = await probe.ask(question)
  if ('error' in settled) return { error: settled.error, json: undefined, url }
  const { json } = settled.answer
  const page = readPage(settled.answer, url, wire)
  if (typeof page !== 'string') return { page, json, url }
  const error = new CrmError('bad_answer', `cannot ${question.action}: ${page}`, {
    hint: 'name where the records are: crm config set wire.items_path data.contacts -p PROFILE',
  })
  return { error, json, url }
}

function questionOf(noun: ListName, more: Pick<Question, 'query' | 'address'>): Question {
  return { path: `/v1/${noun}`, action: `list ${noun}`, command: `crm ${noun} list`, ...more }
}

interface Member {
  /** In the notation of the settings: `payload.people`. */
  readonly path: string
  readonly value: JsonValue
}

/** The members of an answer and of the objects in it, without those in lists and those that a setting cannot name. */
export function membersOf(json: JsonValue | undefined, above = '', depth = 0): readonly Member[] {
  if (!isJsonObject(json) || depth === MAX_DEPTH) return []
  return Object.entries(json).flatMap(([name, value]) => {
    if (name.trim() === '') return []
    const path = above === '' ? name : `${above}.${name}`
    return [{ path, value }, ...membersOf(value, path, depth + 1)]
  })
}

export function isRecordList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isJsonObject)
}
