import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Wire } from '../../core/wire.ts'
import { oneLine } from '../errors/one-line.ts'
import type { Position } from '../errors/position.ts'
import type { PageAnswer } from '../pages/page-answer.ts'
import { type Finding, failed, type Proposal } from './finding.ts'
import {
  askList,
  askNext,
  isPage,
  type Listing,
  type ListName,
  membersOf,
  readAgain,
  tellingDoubt,
  wayHint,
} from './listing.ts'
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
/** What is asked at most in search of another way on. */
const MOST_GUESSES = 16

interface List {
  readonly noun: ListName
  readonly wire: Wire
  /** Undefined where no size that is sent does anything. */
  readonly size: 1 | undefined
}

/** How a list says that it goes on, and whether it does when that is followed. */
export async function checkPaging(probe: Probe, list: List, openapi: OpenApi | undefined): Promise<Finding> {
  const first = await askList(probe, list.noun, list.wire, list.size)
  if (!isPage(first)) return failed(check, first.error)
  const { page } = first
  if (!page.next) {
    const doubt = doubtOf(page, list.size)
    if (doubt !== undefined) return unsaid(probe, { list, first, openapi, doubt })
    return endFinding(page)
  }
  const found = foundOf(page, page.next)
  const second = await askNext(probe, list, page.next)
  if (!isPage(second)) return { ...failed(check, second.error), found }
  const way = `${page.nextAt} leads on${positionText(page.next)}`
  if (isFurther(page, second)) return { check, state: 'ok', seen: `${way}; the second page holds other records`, found }
  const message = `cannot list ${list.noun}: ${page.nextAt} is sent back${positionText(page.next)}, and the second page is the first again`
  const error = new CrmError('bad_answer', message, {
    hint: 'if the server takes its cursor in another parameter: crm config set wire.cursor_param NAME -p PROFILE',
  })
  const proposals = await otherParameter(probe, { list, first, openapi })
  return { ...failed(check, error, proposals), found }
}

/** What `contacts list` would refuse, because a list that looks whole and is not is worse than none. */
function doubtOf(page: PageAnswer, size: number | undefined): string | undefined {
  const { isEndKnown, items } = page
  if (isEndKnown) return undefined
  return (
    tellingDoubt(page) ??
    (items.length === size && items.length > 0 ? 'its page is as long as was asked for' : undefined)
  )
}

function endFinding({ items, nextAt }: PageAnswer): Finding {
  const found = { next_at: nextAt ?? null, sent_as: null }
  const count = items.length === 1 ? '1 record' : `${items.length} records`
  const seen =
    nextAt === undefined
      ? `nothing says that the list goes on: ${count} came at once`
      : `${nextAt} says that the list ends after ${count}; there is no second page to follow`
  return { check, state: items.length > 0 ? 'ok' : 'unknown', seen, found }
}

interface Guessing {
  readonly list: List
  readonly first: Extract<Listing, { page: PageAnswer }>
  readonly openapi: OpenApi | undefined
}

async function unsaid(probe: Probe, { doubt, ...guessing }: Guessing & { readonly doubt: string }): Promise<Finding> {
  const message = `cannot list ${guessing.list.noun}: the end of the list is unknown: ${doubt}`
  const error = new CrmError('bad_answer', message, {
    hint: wayHint(guessing.first.page),
  })
  return failed(check, error, await otherPlace(probe, guessing))
}

/** The same cursor in another parameter. */
async function otherParameter(probe: Probe, { list, first, openapi }: Guessing): Promise<readonly Proposal[]> {
  const { next } = first.page
  if (!next || !('parameter' in next)) return []
  for (const parameter of cursorNames(openapi)) {
    if (parameter === next.parameter || !probe.hasTimeToSearch()) continue
    const second = await askNext(probe, list, { parameter, cursor: next.cursor })
    if (isPage(second) && isFurther(first.page, second)) return [{ setting: 'wire.cursor_param', value: parameter }]
  }
  return []
}

/** A member that the recognisers pass over, and that leads on when it is followed. */
async function otherPlace(probe: Probe, { list, first, openapi }: Guessing): Promise<readonly Proposal[]> {
  const members = membersOf(first.json).filter(
    ({ path, value }) => /next|cursor|after|token/i.test(path) && /^(?:string|number)$/.test(typeof value),
  )
  const guesses = members.flatMap(({ path }) => cursorNames(openapi).map((parameter) => ({ path, parameter })))
  for (const { path, parameter } of guesses.slice(0, MOST_GUESSES)) {
    if (!probe.hasTimeToSearch()) return []
    const wire = { ...list.wire, nextPath: path, cursorParam: parameter }
    const read = readAgain(first, wire)
    const next = isPage(read) ? read.page.next : undefined
    const second = next && (await askNext(probe, { ...list, wire }, next))
    if (!next || !second || !isPage(second) || !isFurther(first.page, second)) continue
    const isAddress = 'address' in next && !isPageNumberOf(first.json, path)
    const place: Proposal = { setting: 'wire.next_path', value: path }
    return isAddress ? [place] : [place, { setting: 'wire.cursor_param', value: parameter }]
  }
  return []
}

/** A number, or a word, stands for a parameter; an address needs none. */
function isPageNumberOf(json: Listing['json'], path: string): boolean {
  const value = membersOf(json).find((member) => member.path === path)?.value
  return typeof value !== 'string' || !/^(?:https?:\/\/|[/?])/i.test(value)
}

function cursorNames(openapi: OpenApi | undefined): readonly string[] {
  const told = (openapi?.list ?? []).filter(({ name, in: place }) => place === 'query' && CURSOR_NAME.test(name))
  return [...new Set([...told.map(({ name }) => name), ...CURSOR_NAMES])]
}

function isFurther({ items }: PageAnswer, second: Extract<Listing, { page: PageAnswer }>): boolean {
  const before = new Set(items.map((item) => JSON.stringify(item.id ?? item)))
  const others = second.page.items.filter((item) => !before.has(JSON.stringify(item.id ?? item)))
  return others.length > 0
}

function positionText(next: Position): string {
  return 'address' in next ? ` at ${oneLine(next.address, 80)}` : ` as ${next.parameter}`
}

function foundOf({ nextAt }: PageAnswer, next: Position): JsonObject {
  return { next_at: nextAt ?? null, sent_as: 'parameter' in next ? next.parameter : null }
}
