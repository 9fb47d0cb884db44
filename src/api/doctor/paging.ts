import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { settingCommand, type Wire } from '../../core/wire.ts'
import { oneLine } from '../errors/one-line.ts'
import type { PageAnswer } from '../pages/page-answer.ts'
import type { Position } from '../pages/positions.ts'
import { areMostlyNew, isSameRecord } from '../pages/same-records.ts'
import { type Finding, failed, type Proposal } from './finding.ts'
import {
  askList,
  askNext,
  type CheckedList,
  isPage,
  type ListAnswer,
  pagingHint,
  readAgain,
  settableMembers,
  statedDoubt,
} from './lists.ts'
import type { OpenApi } from './openapi.ts'
import type { Probe } from './probe.ts'

const check = 'paging'

const CURSOR_NAMES = [
  'cursor',
  'after',
  'page',
  'page_token',
  'pageToken',
  'starting_after',
  'next',
  '_cursor',
] as const
const CURSOR_NAME = /cursor|after|token|^_?(?:page|next|offset)$/i
/** The maximum number of requests that search for the next page. */
const MAX_GUESSES = 16

interface List {
  readonly noun: CheckedList
  readonly wire: Wire
  /** Undefined if the server ignores the page size. */
  readonly size: 1 | undefined
}

/** How an answer states the next page, and whether requesting it works. */
export async function checkPaging(probe: Probe, list: List, openapi: OpenApi | undefined): Promise<Finding> {
  const first = await askList(probe, list.noun, list.wire, list.size)
  if (!isPage(first)) return failed(check, first.error)
  const { page } = first
  if (!page.next) {
    const doubt = doubtOf(page, list.size)
    if (doubt !== undefined) return unknownEnd(probe, { list, first, openapi, doubt })
    return endFinding(page)
  }
  const found = foundOf(page, page.next)
  const second = await askNext(probe, list, page.next)
  if (!isPage(second)) return { ...failed(check, second.error), found }
  const followed = `${page.nextAt} leads to the next page${positionText(page.next)}`
  if (areMostlyNew(second.page.items, page.items))
    return { check, state: 'ok', seen: `${followed}; the second page holds other records`, found }
  const message = `cannot list ${list.noun}: ${page.nextAt} was sent${positionText(page.next)}, and the second page repeats the first`
  const error = new CrmError('bad_answer', message, {
    hint: `if the server takes its cursor in another parameter: ${settingCommand('wire.cursor_param PARAMETER', list.wire)}`,
  })
  const proposals = await otherParameter(probe, { list, first, openapi })
  return { ...failed(check, error, proposals), found }
}

/** Why `contacts list` would refuse this page: a list that is silently incomplete is worse than an error. */
function doubtOf(page: PageAnswer, size: number | undefined): string | undefined {
  const { isEndKnown, items } = page
  if (isEndKnown) return undefined
  return (
    statedDoubt(page) ??
    (items.length === size && items.length > 0 ? 'the page has as many records as were requested' : undefined)
  )
}

function endFinding({ items, nextAt }: PageAnswer): Finding {
  const found = { next_at: nextAt ?? null, sent_as: null }
  const count = items.length === 1 ? '1 record' : `${items.length} records`
  const seen =
    nextAt === undefined
      ? `no sign of further pages: ${count} received`
      : `${nextAt} states that the list ends after ${count}; there is no second page to test`
  return { check, state: items.length > 0 ? 'ok' : 'unknown', seen, found }
}

interface Guessing {
  readonly list: List
  readonly first: Extract<ListAnswer, { page: PageAnswer }>
  readonly openapi: OpenApi | undefined
}

async function unknownEnd(
  probe: Probe,
  { doubt, ...guessing }: Guessing & { readonly doubt: string },
): Promise<Finding> {
  const message = `cannot list ${guessing.list.noun}: the end of the list is unknown: ${doubt}`
  const error = new CrmError('bad_answer', message, {
    hint: pagingHint(guessing.first.page, guessing.list.wire),
  })
  const nextPath = await otherNextPath(probe, guessing)
  return failed(check, error, nextPath.length > 0 ? nextPath : await countingParameter(probe, guessing))
}

/** Not among the parameters that every list tries, because most servers use them for something else. */
const COUNTING_NAMES = ['first', 'begin', 'index', 'position'] as const
const COUNTING_NAME = /offset|skip|start|first|begin|index|position|page/i

/** The parameter of the record or the page to start from: at 1, the list starts with its second record; at 2, with new ones. */
async function countingParameter(probe: Probe, { list, openapi }: Guessing): Promise<readonly Proposal[]> {
  const { noun, wire } = list
  const size = list.size && 2
  const first = await askList(probe, noun, wire, size)
  if (!isPage(first)) return []
  const { items } = first.page
  const documented = (openapi?.list ?? []).filter(
    ({ name, in: place }) => place === 'query' && COUNTING_NAME.test(name),
  )
  for (const parameter of new Set([...documented.map(({ name }) => name), ...COUNTING_NAMES])) {
    if (parameter === wire.limitParam || !probe.hasTimeToSearch()) continue
    const at = async (cursor: string) => {
      const listing = await askNext(probe, { noun, wire, size }, { parameter, cursor })
      return isPage(listing) ? listing.page.items : []
    }
    const isOffset = isSameRecord((await at('1'))[0], items[1])
    const isPageNumber = !isOffset && areMostlyNew(await at('2'), items)
    if (!isOffset && !isPageNumber) continue
    const paging: Proposal = { setting: 'wire.paging', value: isOffset ? 'offset' : 'page' }
    return [paging, { setting: 'wire.cursor_param', value: parameter }]
  }
  return []
}

/** The same cursor in another parameter. */
async function otherParameter(probe: Probe, { list, first, openapi }: Guessing): Promise<readonly Proposal[]> {
  const { next } = first.page
  if (!next || !('parameter' in next)) return []
  for (const parameter of cursorNames(openapi)) {
    if (parameter === next.parameter || !probe.hasTimeToSearch()) continue
    const second = await askNext(probe, list, { parameter, cursor: next.cursor })
    if (isPage(second) && areMostlyNew(second.page.items, first.page.items))
      return [{ setting: 'wire.cursor_param', value: parameter }]
  }
  return []
}

/** A member that is not recognised as a cursor, but leads to the next page. */
async function otherNextPath(probe: Probe, { list, first, openapi }: Guessing): Promise<readonly Proposal[]> {
  const members = settableMembers(first.json).filter(
    ({ path, value }) => /next|cursor|after|token/i.test(path) && /^(?:string|number)$/.test(typeof value),
  )
  const guesses = members.flatMap(({ path }) => cursorNames(openapi).map((parameter) => ({ path, parameter })))
  for (const { path, parameter } of guesses.slice(0, MAX_GUESSES)) {
    if (!probe.hasTimeToSearch()) return []
    const wire = { ...list.wire, nextPath: path, cursorParam: parameter }
    const read = readAgain(first, wire)
    const next = isPage(read) ? read.page.next : undefined
    const second = next && (await askNext(probe, { ...list, wire }, next))
    if (!next || !second || !isPage(second) || !areMostlyNew(second.page.items, first.page.items)) continue
    const isAddress = 'address' in next && !isPageNumberOf(first.json, path)
    const place: Proposal = { setting: 'wire.next_path', value: path }
    return isAddress ? [place] : [place, { setting: 'wire.cursor_param', value: parameter }]
  }
  return []
}

/** A number or a word is sent in a parameter; an address is requested itself. */
function isPageNumberOf(json: ListAnswer['json'], path: string): boolean {
  const value = settableMembers(json).find((member) => member.path === path)?.value
  return typeof value !== 'string' || !/^(?:https?:\/\/|[/?])/i.test(value)
}

function cursorNames(openapi: OpenApi | undefined): readonly string[] {
  const documented = (openapi?.list ?? []).filter(({ name, in: place }) => place === 'query' && CURSOR_NAME.test(name))
  return [...new Set([...documented.map(({ name }) => name), ...CURSOR_NAMES])]
}

function positionText(next: Position): string {
  return 'address' in next ? ` at ${oneLine(next.address, 80)}` : ` as ${next.parameter}`
}

function foundOf({ nextAt }: PageAnswer, next: Position): JsonObject {
  return { next_at: nextAt ?? null, sent_as: 'parameter' in next ? next.parameter : null }
}
