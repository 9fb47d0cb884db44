import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import type { ListedResource, PluralOf } from '../../core/resources/registry.ts'
import { settingCommand, type Wire } from '../../core/wire.ts'
import { doubtOf } from '../pages/judge-end.ts'
import { type PageAnswer, readPage } from '../pages/page-answer.ts'
import { cursorHint } from '../pages/page-requests.ts'
import type { Position } from '../pages/positions.ts'
import { type Finding, failed, type Proposal } from './finding.ts'
import type { Probe, ProbeRequest } from './probe.ts'

const MAX_DEPTH = 3

export type CheckedList = PluralOf<ListedResource>

/** One answer of a list, read like any list. */
export type ListAnswer =
  | { readonly page: PageAnswer; readonly json: JsonValue | undefined; readonly url: URL }
  /** `json` is the body if the answer is not a page. */
  | { readonly error: CrmError; readonly json: JsonValue | undefined; readonly url: URL }

export function isPage(listing: ListAnswer): listing is Extract<ListAnswer, { page: PageAnswer }> {
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
export function pagingHint({ signs }: PageAnswer, wire: Wire): string {
  const named = cursorHint(signs, wire)
  if (named !== undefined) return named
  const counted =
    'if pages or records are counted: set wire.paging to page or offset, and wire.cursor_param to the parameter'
  return `if one answer is the whole list: ${settingCommand('wire.paging none', wire)}; ${counted}`
}

/** The number of records; undefined if the answer is not a page. */
export function countOf(listing: ListAnswer): number | undefined {
  return isPage(listing) ? listing.page.items.length : undefined
}

/** The first page of the list, with `size` in the parameter of the settings; undefined sends no size. */
export async function askList(
  probe: Probe,
  noun: CheckedList,
  wire: Wire,
  size: number | undefined,
): Promise<ListAnswer> {
  const query = size === undefined || wire.limitParam === undefined ? {} : { [wire.limitParam]: String(size) }
  return listingOf(probe, questionOf(noun, { query }), wire)
}

/** The page at the position, of the same size. */
export async function askNext(
  probe: Probe,
  { noun, wire, size }: { readonly noun: CheckedList; readonly wire: Wire; readonly size: number | undefined },
  next: Position,
): Promise<ListAnswer> {
  if ('address' in next) return listingOf(probe, questionOf(noun, { address: next.address }), wire)
  const limit = size === undefined || wire.limitParam === undefined ? {} : { [wire.limitParam]: String(size) }
  return listingOf(probe, questionOf(noun, { query: { ...limit, [next.parameter]: next.cursor } }), wire)
}

/** The same answer, read with other settings. */
export function readAgain(listing: ListAnswer, wire: Wire): ListAnswer {
  const { json, url } = listing
  const page = readPage({ status: 200, headers: {}, json }, url, wire)
  return typeof page === 'string' ? listing : { page, json, url }
}

async function listingOf(probe: Probe, question: ProbeRequest, wire: Wire): Promise<ListAnswer> {
  const url = probe.locate(question)
  const settled = await probe.ask(question)
  if ('error' in settled) return { error: settled.error, json: undefined, url }
  const { json } = settled.answer
  const page = readPage(settled.answer, url, wire)
  if (typeof page !== 'string') return { page, json, url }
  const error = new CrmError('bad_answer', `cannot ${question.action}: ${page}`, {
    hint: `name where the records are: ${settingCommand('wire.items_path data.items', wire)}`,
  })
  return { error, json, url }
}

function questionOf(noun: CheckedList, more: Pick<ProbeRequest, 'query' | 'address'>): ProbeRequest {
  return { path: `/v1/${noun}`, action: `list ${noun}`, command: `crm ${noun} list`, ...more }
}

interface Member {
  /** In the notation of the settings: `payload.people`. */
  readonly path: string
  readonly value: JsonValue
}

/** The members of an answer and of the objects in it, without those in lists and those that a setting cannot name. */
export function settableMembers(json: JsonValue | undefined, above = '', depth = 0): readonly Member[] {
  if (!isJsonObject(json) || depth === MAX_DEPTH) return []
  return Object.entries(json).flatMap(([name, value]) => {
    if (name.trim() === '') return []
    const path = above === '' ? name : `${above}.${name}`
    return [{ path, value }, ...settableMembers(value, path, depth + 1)]
  })
}

function isRecordList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isJsonObject)
}

interface Records {
  readonly finding: Finding
  /** The list with the most records; undefined if none could be read. */
  readonly noun: CheckedList | undefined
  /** The settings, with corrections. */
  readonly wire: Wire
  /** The server refuses the page size parameter, but not the list. */
  readonly refusal: CrmError | undefined
}

const SETTING = 'wire.items_path'

/** Where the records are in an answer. `first` is the answer to a request for one contact. */
export async function checkRecords(probe: Probe, wire: Wire, first: ListAnswer): Promise<Records> {
  const refusal = isPage(first) || !isRejection(first.error) || wire.limitParam === undefined ? undefined : first.error
  const contacts = refusal ? await askList(probe, 'contacts', wire, undefined) : first
  const deals = await askList(probe, 'deals', wire, refusal ? undefined : 2)
  if (isPage(contacts)) {
    const noun = (countOf(deals) ?? 0) > 1 && (await isShort(probe, wire, contacts)) ? 'deals' : 'contacts'
    return { finding: recordsFinding(contacts, deals), noun, wire, refusal }
  }
  const value = findItemsPath(wire, contacts, deals)
  if (value === undefined) {
    return { finding: failed('records', contacts.error), noun: undefined, wire, refusal: undefined }
  }
  const finding = failed('records', contacts.error, [{ setting: SETTING, value }])
  return { finding, noun: 'contacts', wire: { ...wire, itemsPath: value || undefined }, refusal }
}

/** Whether the server rejects a parameter. */
export function isRejection({ code }: CrmError): boolean {
  return code === 'bad_request' || code === 'invalid_values' || code === 'rejected'
}

async function isShort(probe: Probe, wire: Wire, contacts: ListAnswer): Promise<boolean> {
  return isPage(contacts) && !contacts.page.next && (countOf(await askList(probe, 'contacts', wire, 2)) ?? 0) < 2
}

function recordsFinding(contacts: ListAnswer, deals: ListAnswer): Finding {
  const places = { contacts: placeOf(contacts), deals: placeOf(deals) }
  const count = countOf(contacts) ?? 0
  const found = { contacts_at: places.contacts ?? null, deals_at: places.deals ?? null }
  const empty = count === 0 ? ', which is empty' : ''
  const where = `contacts are in ${places.contacts}${empty}`
  if (places.deals !== undefined) {
    return { check: 'records', state: 'ok', seen: `${where}; deals are in ${places.deals}`, found }
  }
  const trouble = isPage(deals) ? '' : deals.error.message
  return {
    check: 'records',
    state: 'warn',
    seen: `${where}; ${trouble}`,
    found,
    hint: 'crm deals list fails the same way',
  }
}

function placeOf(listing: ListAnswer): string | undefined {
  if (!isPage(listing)) return undefined
  const { itemsAt } = listing.page
  return itemsAt.length === 0 ? 'the answer itself' : itemsAt.join('.')
}

/** The path to the records in both lists, if there is only one candidate; empty if no setting is needed. */
function findItemsPath(wire: Wire, contacts: ListAnswer, deals: ListAnswer): Proposal['value'] | undefined {
  const lists = settableMembers(contacts.json).filter(({ value }) => isRecordList(value))
  const paths = [
    ...(wire.itemsPath === undefined ? [] : ['']),
    ...(lists.length === 1 ? lists.map(({ path }) => path) : []),
  ]
  return paths.find((path) => {
    const tried = { ...wire, itemsPath: path || undefined }
    const others = deals.json === undefined || isPage(readAgain(deals, tried))
    return isPage(readAgain(contacts, tried)) && others
  })
}
