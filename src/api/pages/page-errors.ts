import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import type { Wire } from '../../core/wire.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ListQuery } from '../operations.ts'
import { type Call, cannot } from '../transport/call.ts'
import type { PageAnswer } from './page-answer.ts'
import type { Denied } from './page-next.ts'
import { areFurther, areShifted, isPlaceRefused } from './same-records.ts'
import type { Open, Settled } from './settle.ts'

export type ListCall = Pick<Call, 'path' | 'action' | 'command' | 'findCommand'>

export type PageLimits = Pick<Wire, 'paging' | 'limitParam' | 'cursorParam' | 'itemsPath' | 'nextPath'> & {
  /** At most this many records in one request; undefined leaves that to the server. */
  readonly pageSize: number | undefined
}

export function badPage(call: Pick<Call, 'action'>, reason: string, hint: string): CrmError {
  return new CrmError('bad_answer', `${cannot(call)}: ${reason}`, { hint })
}

/** What a person can do where the end of a list is unknown. */
export function openHint({ signs }: Pick<PageAnswer, 'signs'>): string {
  const at = signs.find((sign) => sign.value !== undefined && !/^[A-Z]|\s/.test(sign.at))?.at
  const named = at ? `if ${oneLine(at, 60)} leads on: crm config set wire.next_path ${oneLine(at, 60)}; ` : ''
  return `crm doctor finds out how, or: ${named}if one answer is the whole list: crm config set wire.paging none -p PROFILE`
}

/** The parameters that paging itself sends; a filter of the same name would fight with it. */
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

/** What a server answers to a question that it does not take. */
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

/** 500 is how some servers refuse a parameter; any other outage is one. */
export function isRefusal({ code, details }: CrmError): boolean {
  return REFUSALS.includes(code) && (code !== 'server_error' || details.status === 500)
}

const SIZE_WORDS = /\blimit\b|page.?size|per.?page|too (?:many|large)|max_?results/i

/** `unknown parameter stag: expected one of limit, stage (400)`. */
const UNKNOWN = /unknown parameter ([^\s:]+): expected one of ([^()]+)/

/** What a person can do about a refusal of the question: another filter, or another size. */
export function withQuestionHint(error: unknown, size: number | undefined, filters: ListQuery['filters']): unknown {
  if (!(error instanceof CrmError)) return error
  const [, unknown = '', known = ''] = UNKNOWN.exec(error.message) ?? []
  if (!Object.hasOwn(filters, unknown)) return withSizeHint(error, size)
  const meant = nearest(unknown, known.trim().split(/,\s*/))
  return meant === undefined
    ? error
    : new CrmError(error.code, error.message, { ...error.details, hint: `did you mean ${meant}?` })
}

/** The server refuses the size that was asked for: which one it takes, where it says so, and who finds out. */
function withSizeHint(error: CrmError, size: number | undefined): CrmError {
  if (size === undefined || !SIZE_WORDS.test(error.message)) return error
  if (error.code !== 'bad_request' && error.code !== 'invalid_values' && error.code !== 'rejected') return error
  // At its end stands the status.
  const text = error.message.replace(/\s\(\d{3}\)(?=$|[,;])/g, '')
  const numbers = [...text.matchAll(/\b\d{1,4}\b/g)].map(Number).filter((each) => each >= 1 && each < size)
  const set = numbers.length === 1 ? `, or: crm config set wire.page_size ${numbers[0]} -p PROFILE` : ''
  return new CrmError(error.code, error.message, { ...error.details, hint: `crm doctor finds out what it takes${set}` })
}

/**
 * One member says that the list ends, and another names a next page: that page is requested. The list ends when the page is
 * empty, refused, or a repetition; new records show that it goes on.
 */
export async function settleDenied(open: Open, denied: Denied): Promise<Settled> {
  const { page } = open.last
  const reason = `${page.nextAt} says that there are no more records, and ${denied.at} names a next page`
  for (const { position, parameter } of [{ position: denied.next, parameter: undefined }, ...denied.others]) {
    const next = await open.ask(position)
    if (!('refusal' in next)) {
      const found = whatCame(next.page, open)
      if (found === 'nothing') return { end: true }
      if (found === 'further') return { next, parameter }
      if (found === 'mixed') return { open: `${reason}, most of which came before` }
    } else if (!isPlaceRefused(next.refusal)) return { open: `${reason}: ${next.refusal.message}` }
  }
  return { end: true }
}

function whatCame({ items, next }: PageAnswer, { last, seen }: Open): 'nothing' | 'further' | 'known' | 'mixed' {
  if (items.length === 0) return next ? 'further' : 'nothing'
  if (seen.hasAll(items)) return 'known'
  const before = last.page.items
  return areFurther(items, before) || areShifted(items, before) ? 'further' : 'mixed'
}
