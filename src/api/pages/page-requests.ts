import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { isJsonObject } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { shellWord } from '../../core/shell-words.ts'
import { settingCommand, type Wire } from '../../core/wire.ts'
import { ADDRESS_HINT } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ListQuery } from '../operations.ts'
import { type Call, cannot } from '../transport/call.ts'
import type { Http } from '../transport/http.ts'
import type { ReceivedPage } from './counting.ts'
import { type PageAnswer, readPage } from './page-answer.ts'
import type { PageWire } from './page-shapes.ts'
import { type Position, positionText } from './positions.ts'
import { areSameRecords } from './same-records.ts'

const LASTING: readonly ExitCode[] = [EXIT.rejected, EXIT.notFound, EXIT.forbidden]

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

const SIZE_WORDS = /\blimit\b|page.?size|per.?page|too (?:many|large)|max_?results/i

/** `unknown parameter stag: expected one of limit, stage (400)`. */
const UNKNOWN = /unknown parameter ([^\s:]+): expected one of ([^()]+)/

const GIVEN_CURSOR_HINT =
  "use the cursor that the previous list printed, unchanged; if the server reads it in another parameter: --cursor '?after=...'"

/** The requests of one list. */
export class PageRequests {
  readonly #http: Http
  readonly #list: ListCall
  readonly #query: ListQuery
  /** Positions and addresses. */
  readonly seen = new Set<string>()
  /** What the pages show is added to them. */
  limits: PageLimits & Pick<PageWire, 'isFromZero' | 'isHintProven'>

  constructor(http: Http, list: ListCall, query: ListQuery, limits: PageLimits) {
    this.#http = http
    this.#list = list
    this.#query = query
    this.limits = limits
  }

  sizeFor(remaining: number): number | undefined {
    const { limitParam, pageSize } = this.limits
    return limitParam === undefined || pageSize === undefined ? undefined : Math.min(remaining, pageSize)
  }

  async requestOrRefusal(
    position: Position | undefined,
    size: number | undefined,
    isRefusalTaken: boolean,
  ): Promise<ReceivedPage | { refusal: CrmError }> {
    try {
      return await this.request(position, size)
    } catch (error) {
      if (isRefusalTaken && error instanceof CrmError && isRefusal(error)) return { refusal: error }
      throw error
    }
  }

  /** Some servers treat an unknown parameter as a filter that no record matches (json-server 1, Feathers). */
  async withoutSize(): Promise<ReceivedPage | undefined> {
    const received = await this.requestOrRefusal(undefined, undefined, true)
    if ('refusal' in received || received.page.items.length === 0) return undefined
    this.limits = { ...this.limits, pageSize: undefined }
    return received
  }

  again({ url }: ReceivedPage, size: number | undefined): Promise<ReceivedPage> {
    return this.request({ address: url.pathname + url.search }, size)
  }

  async request(position: Position | undefined, size: number | undefined): Promise<ReceivedPage> {
    const call = this.#call(position, size)
    const url = this.#http.locate(call)
    this.seen.add(`?${url.pathname}${url.search}`)
    const answer = await this.#http.request(call).catch((error: unknown) => {
      throw withQuestionHint(error, { size, filters: this.#query.filters, isFirst: !position, limits: this.limits })
    })
    const page = readPage(answer, url, this.limits)
    if (typeof page !== 'string') return { page, url }
    const isNoList = page.startsWith('expected a list') && isJsonObject(answer.json)
    throw badPage(call, page, isNoList ? itemsHint(this.limits) : ADDRESS_HINT)
  }

  /**
   * The page of a given cursor. If the list starts with the same page without it, the server does not read its parameter: a
   * parameter that the first page suggests is replaced by the others for the same cursor. CrmError `invalid_input` if none
   * has an effect.
   */
  async checkCursor(position: Position, received: ReceivedPage, size: number | undefined): Promise<ReceivedPage> {
    const { items, isLater } = received.page
    if (items.length === 0 || isLater) return received
    const start = await this.requestOrRefusal(undefined, size, true)
    if ('refusal' in start || !areSameRecords(start.page.items, items)) return received
    const other = await this.#inOtherParameter(position, start, size)
    if (other) return other
    const cursor = oneLine(positionText(position, this.limits.cursorParam), 60)
    const reason = `--cursor ${JSON.stringify(cursor)} has no effect: the server answers with the first page`
    throw new CrmError('invalid_input', `${cannot(this.#list)}: ${reason}`, { hint: GIVEN_CURSOR_HINT })
  }

  async #inOtherParameter(position: Position, { page }: ReceivedPage, size: number | undefined) {
    if ('address' in position || !page.next || 'address' in page.next) return undefined
    if (page.next.parameter !== position.parameter) return undefined
    for (const { parameter } of page.others) {
      if (parameter === undefined) continue
      const received = await this.requestOrRefusal({ ...position, parameter }, size, true)
      if ('refusal' in received || received.page.items.length === 0) continue
      if (areSameRecords(received.page.items, page.items)) continue
      this.limits = { ...this.limits, cursorParam: parameter, isHintProven: true }
      return this.request({ ...position, parameter }, size)
    }
    return undefined
  }

  #call(position: Position | undefined, size: number | undefined): Call {
    const { signal, filters } = this.#query
    // Unchanged, with its own page size: the third page of 50 differs from the third page of 100.
    if (position && 'address' in position) {
      return { ...this.#list, signal, method: 'GET', address: position.address }
    }
    const limit = size === undefined ? {} : { [this.limits.limitParam ?? '']: String(size) }
    const start = position ? { [position.parameter]: position.cursor } : {}
    return { ...this.#list, signal, method: 'GET', query: { ...this.#list.query, ...filters, ...limit, ...start } }
  }
}

export type ListCall = Pick<Call, 'path' | 'action' | 'command' | 'findCommand' | 'query'>

export type PageLimits = Pick<Wire, 'paging' | 'limitParam' | 'cursorParam' | 'itemsPath' | 'nextPath' | 'profile'> & {
  /** The requested page size; undefined for that of the server. */
  readonly pageSize: number | undefined
}

/** The error of a next page that the server refuses, with its address or parameter. */
export function nextRefused(list: ListCall, next: Position, { code, message, details }: CrmError): CrmError {
  const start = `${cannot(list)}: `
  const reason = message.startsWith(start) ? message.slice(start.length) : message
  const where = 'address' in next ? next.address : `${next.parameter}=${next.cursor}`
  return new CrmError(code, `${start}the next page, ${oneLine(where, 100)}, failed: ${reason}`, details)
}

export function badPage(call: Pick<Call, 'action'>, reason: string, hint: string): CrmError {
  return new CrmError('bad_answer', `${cannot(call)}: ${reason}`, { hint })
}

/** The hint for a list whose end is unknown. */
export function unknownEndHint({ signs }: Pick<PageAnswer, 'signs'>, limits: PageLimits): string {
  const named = cursorHint(signs, limits)
  const whole = `if one answer is the whole list: ${settingCommand('wire.paging none', limits)}`
  return `crm doctor --fix searches for the parameter of the next page; or: ${named === undefined ? '' : `${named}; `}${whole}`
}

/** The hint for a cursor that leads back. */
export function cursorParameterHint(limits: PageLimits): string {
  const setting = settingCommand('wire.cursor_param PARAMETER', limits)
  return `crm doctor finds the parameter; if the server expects its cursor in another one: ${setting}`
}

function itemsHint(limits: PageLimits): string {
  return `crm doctor finds the records; or: ${settingCommand('wire.items_path data.items', limits)}`
}

/** The setting for a member that may be the cursor; a number of remaining records is not one. */
export function cursorHint(signs: PageAnswer['signs'], wire: Pick<Wire, 'profile'>): string | undefined {
  const at = signs.find(({ value, at }) => value !== undefined && !/^[A-Z]|\s/.test(at))?.at
  return (
    at && `if ${oneLine(at, 60)} is the cursor: ${settingCommand(`wire.next_path ${shellWord(oneLine(at, 60))}`, wire)}`
  )
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

/** Some servers refuse a parameter with 500; other server errors are outages. */
function isRefusal({ code, details }: CrmError): boolean {
  return REFUSALS.includes(code) && (code !== 'server_error' || details.status === 500)
}

/** Adds a hint to a refusal: another filter, or another size. */
function withQuestionHint(
  error: unknown,
  {
    size,
    filters,
    isFirst,
    limits,
  }: {
    readonly size: number | undefined
    readonly filters: ListQuery['filters']
    readonly isFirst: boolean
    readonly limits: PageLimits
  },
): unknown {
  if (!(error instanceof CrmError)) return error
  // Dolibarr, for an empty list.
  if (isFirst && error.details.status === 404 && error.details.hint === ADDRESS_HINT) {
    const hint = `some servers answer 404 for an empty list; ${ADDRESS_HINT}`
    return new CrmError(error.code, error.message, { ...error.details, hint })
  }
  const [, unknown = '', known = ''] = UNKNOWN.exec(error.message) ?? []
  if (!Object.hasOwn(filters, unknown)) return withSizeHint(error, size, limits)
  const meant = nearest(unknown, known.trim().split(/,\s*/))
  return meant === undefined
    ? error
    : new CrmError(error.code, error.message, { ...error.details, hint: `did you mean ${meant}?` })
}

/** Adds a hint to a refusal of the page size: the size that the server accepts, if the message states it. */
function withSizeHint(error: CrmError, size: number | undefined, limits: PageLimits): CrmError {
  if (size === undefined || !SIZE_WORDS.test(error.message)) return error
  if (error.code !== 'bad_request' && error.code !== 'invalid_values' && error.code !== 'rejected') return error
  // The message ends with the status.
  const text = error.message.replace(/\s\(\d{3}\)(?=$|[,;])/g, '')
  const numbers = [...text.matchAll(/\b\d{1,4}\b/g)].map(Number).filter((each) => each >= 1 && each < size)
  const set = numbers.length === 1 ? `, or: ${settingCommand(`wire.page_size ${numbers[0]}`, limits)}` : ''
  return new CrmError(error.code, error.message, { ...error.details, hint: `crm doctor finds the largest size${set}` })
}

/** Whether a list would fail again: it does not exist, the key may not read it, or its end is unknown. */
export function isListUnreadable(error: unknown): error is CrmError {
  return error instanceof CrmError && LASTING.includes(error.exit)
}
