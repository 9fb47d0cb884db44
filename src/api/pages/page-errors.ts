import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import type { Wire } from '../../core/wire.ts'
import { ADDRESS_HINT } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ListQuery } from '../operations.ts'
import { type Call, cannot } from '../transport/call.ts'
import type { PageAnswer } from './page-answer.ts'
import type { DisputedNext } from './page-next.ts'
import type { EndResult, UnknownEnd } from './resolve-end.ts'
import { areMostlyNew, areShifted, isPlaceRefused } from './same-records.ts'

export type ListCall = Pick<Call, 'path' | 'action' | 'command' | 'findCommand'>

export type PageLimits = Pick<Wire, 'paging' | 'limitParam' | 'cursorParam' | 'itemsPath' | 'nextPath'> & {
  /** The requested page size; undefined for that of the server. */
  readonly pageSize: number | undefined
}

export function badPage(call: Pick<Call, 'action'>, reason: string, hint: string): CrmError {
  return new CrmError('bad_answer', `${cannot(call)}: ${reason}`, { hint })
}

/** The hint for a list whose end is unknown. */
export function unknownEndHint({ signs }: Pick<PageAnswer, 'signs'>): string {
  const named = cursorHint(signs)
  return `crm doctor --fix searches for the parameter of the next page; or: ${named === undefined ? '' : `${named}; `}if one answer is the whole list: crm config set wire.paging none -p PROFILE`
}

/** The setting for a member that may be the cursor; a number of remaining records is not one. */
export function cursorHint(signs: PageAnswer['signs']): string | undefined {
  const at = signs.find(({ value, at }) => value !== undefined && !/^[A-Z]|\s/.test(at))?.at
  return at && `if ${oneLine(at, 60)} is the cursor: crm config set wire.next_path ${oneLine(at, 60)}`
}

/** CrmError `invalid_input` for a filter with the name of a paging parameter. */
export function refusePagingFilters(
  filters: ListQuery['filters'],
  { limitParam, cursorParam = 'cursor' }: Pick<Wire, 'limitParam' | 'cursorParam'>,
): void {
  const name = [limitParam, cursorParam].find((parameter) => parameter && Object.hasOwn(filters, parameter))
  if (name === undefined) return
  throw new CrmError('invalid_input', `${name} is not a filter: it belongs to paging`, {
    hint: 'use --limit for the number of records',
  })
}

/** Errors with which servers refuse a request for a page. */
const REFUSALS: readonly string[] = [
  'bad_request',
  'invalid_values',
  'rejected',
  'not_found',
  'conflict',
  'forbidden',
  'bad_answer',
  'server_error',
]

/** Some servers refuse a parameter with 500; other server errors are outages. */
export function isRefusal({ code, details }: CrmError): boolean {
  return REFUSALS.includes(code) && (code !== 'server_error' || details.status === 500)
}

const SIZE_WORDS = /\blimit\b|page.?size|per.?page|too (?:many|large)|max_?results/i

/** `unknown parameter stag: expected one of limit, stage (400)`. */
const UNKNOWN = /unknown parameter ([^\s:]+): expected one of ([^()]+)/

/** Adds a hint to a refusal: another filter, or another size. */
export function withQuestionHint(error: unknown, size: number | undefined, filters: ListQuery['filters']): unknown {
  if (!(error instanceof CrmError)) return error
  // Dolibarr, for an empty list.
  if (error.details.status === 404 && error.details.hint === ADDRESS_HINT) {
    const hint = `some servers answer 404 for an empty list; ${ADDRESS_HINT}`
    return new CrmError(error.code, error.message, { ...error.details, hint })
  }
  const [, unknown = '', known = ''] = UNKNOWN.exec(error.message) ?? []
  if (!Object.hasOwn(filters, unknown)) return withSizeHint(error, size)
  const meant = nearest(unknown, known.trim().split(/,\s*/))
  return meant === undefined
    ? error
    : new CrmError(error.code, error.message, { ...error.details, hint: `did you mean ${meant}?` })
}

/** Adds a hint to a refusal of the page size: the size that the server accepts, if the message states it. */
function withSizeHint(error: CrmError, size: number | undefined): CrmError {
  if (size === undefined || !SIZE_WORDS.test(error.message)) return error
  if (error.code !== 'bad_request' && error.code !== 'invalid_values' && error.code !== 'rejected') return error
  // The message ends with the status.
  const text = error.message.replace(/\s\(\d{3}\)(?=$|[,;])/g, '')
  const numbers = [...text.matchAll(/\b\d{1,4}\b/g)].map(Number).filter((each) => each >= 1 && each < size)
  const set = numbers.length === 1 ? `, or: crm config set wire.page_size ${numbers[0]} -p PROFILE` : ''
  return new CrmError(error.code, error.message, { ...error.details, hint: `crm doctor finds the largest size${set}` })
}

/**
 * One member states that the list ends, and another one a next page: that page is requested. If it is empty, refused or a
 * repetition, the list ends; new records show that it goes on.
 */
export async function checkDisputedEnd(open: UnknownEnd, disputed: DisputedNext): Promise<EndResult> {
  const { page } = open.last
  const reason = `${page.nextAt} states that there are no more records, but ${disputed.at} states a next page`
  for (const { position, parameter } of [{ position: disputed.next, parameter: undefined }, ...disputed.others]) {
    const next = await open.ask(position)
    if (!('refusal' in next)) {
      const found = classifyPage(next.page, open)
      if (found === 'nothing') return { end: true }
      if (found === 'further') return { next, parameter }
      if (found === 'mixed') return { open: `${reason}, most of whose records were already received` }
    } else if (!isPlaceRefused(next.refusal)) return { open: `${reason}: ${next.refusal.message}` }
  }
  return { end: true }
}

function classifyPage(
  { items, next }: PageAnswer,
  { last, seen }: UnknownEnd,
): 'nothing' | 'further' | 'known' | 'mixed' {
  if (items.length === 0) return next ? 'further' : 'nothing'
  if (seen.hasAll(items)) return 'known'
  const before = last.page.items
  return areMostlyNew(items, before) || areShifted(items, before) ? 'further' : 'mixed'
}
