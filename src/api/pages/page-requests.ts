import { CrmError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import { ADDRESS_HINT } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { Position } from '../errors/position.ts'
import type { ListQuery } from '../operations.ts'
import { type Call, cannot } from '../transport/call.ts'
import type { Http } from '../transport/http.ts'
import { readPage } from './page-answer.ts'
import { badPage, isRefusal, type ListCall, type PageLimits, withQuestionHint } from './page-errors.ts'
import type { PageWire } from './page-shapes.ts'
import type { ReceivedPage } from './resolve-end.ts'
import { areSameRecords } from './same-records.ts'

const ITEMS_HINT = 'crm doctor finds the records; or: crm config set wire.items_path data.contacts -p PROFILE'

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

  async request(position: Position | undefined, size: number | undefined): Promise<ReceivedPage> {
    const call = this.#call(position, size)
    const url = this.#http.locate(call)
    this.seen.add(`?${url.pathname}${url.search}`)
    const answer = await this.#http.request(call).catch((error: unknown) => {
      throw withQuestionHint(error, size, this.#query.filters)
    })
    const page = readPage(answer, url, this.limits)
    if (typeof page !== 'string') return { page, url }
    const isNoList = page.startsWith('expected a list') && isJsonObject(answer.json)
    throw badPage(call, page, isNoList ? ITEMS_HINT : ADDRESS_HINT)
  }

  /** CrmError `invalid_input` if the list starts with the same page without the cursor: the server does not read it. */
  async checkCursor(
    cursor: string,
    { page: { items, isLater } }: ReceivedPage,
    size: number | undefined,
  ): Promise<void> {
    if (items.length === 0 || isLater) return
    const start = await this.requestOrRefusal(undefined, size, true)
    if ('refusal' in start || !areSameRecords(start.page.items, items)) return
    const reason = `--cursor ${JSON.stringify(oneLine(cursor, 60))} has no effect: the server answers with the first page`
    throw new CrmError('invalid_input', `${cannot(this.#list)}: ${reason}`, { hint: GIVEN_CURSOR_HINT })
  }

  #call(position: Position | undefined, size: number | undefined): Call {
    const { signal, filters } = this.#query
    // Unchanged, with its own page size: the third page of 50 differs from the third page of 100.
    if (position && 'address' in position) {
      return { ...this.#list, signal, method: 'GET', address: position.address }
    }
    const limit = size === undefined ? {} : { [this.limits.limitParam ?? '']: String(size) }
    const start = position ? { [position.parameter]: position.cursor } : {}
    return { ...this.#list, signal, method: 'GET', query: { ...filters, ...limit, ...start } }
  }
}
