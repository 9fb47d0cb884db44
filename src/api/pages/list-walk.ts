import { CrmError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import { ADDRESS_HINT } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import { type Position, parsePosition, positionText } from '../errors/position.ts'
import type { ListQuery, Rest } from '../operations.ts'
import type { Call } from '../transport/call.ts'
import type { Http } from '../transport/http.ts'
import { type Counting, countedPosition, countingIn, nextCounting } from './counting.ts'
import {
  type Doubt,
  doubtOf,
  isEmptyBehindAll,
  isTotalDoubtful,
  isWhole,
  lowestStated,
  missingIn,
  type Progress,
  restBehindNext,
  restOf,
} from './judge-end.ts'
import type { Lead } from './lead.ts'
import { type PageAnswer, readPage } from './page-answer.ts'
import {
  badPage,
  isRefusal,
  type ListCall,
  openHint,
  type PageLimits,
  refusePagingFilters,
  settleDenied,
  withQuestionHint,
} from './page-errors.ts'
import type { Denied } from './page-next.ts'
import type { PageWire } from './page-shapes.ts'
import { areSameRecords, isByLastId } from './same-records.ts'
import { SeenRecords } from './seen-records.ts'
import { type Asked, followLead, isTotalProven, moreText, type Open, type Settled, settle } from './settle.ts'

/** A server that filters behind its paging has some of them; one that goes on and on would be asked for ever. */
const MOST_EMPTY_PAGES = 100

const ITEMS_HINT = 'crm doctor finds out where they are, or: crm config set wire.items_path data.contacts -p PROFILE'
const CURSOR_HINT =
  'crm doctor finds out how, or, if the server takes its cursor in another parameter: crm config set wire.cursor_param NAME -p PROFILE'

const RANGE_REASON = 'the rest of a 206 is asked for with a Range header, which crm does not send for lists'

/** One list on its way from page to page. */
export class ListWalk {
  readonly #http: Http
  readonly #list: ListCall
  readonly #query: ListQuery
  /** What is found out on the way is added to them. */
  #limits: PageLimits & Pick<PageWire, 'isFromZero' | 'isHintProven'>
  readonly #usualParameter: string | undefined
  /** Positions and addresses. */
  readonly #seen = new Set<string>()
  readonly #records = new SeenRecords()
  #last: Asked | undefined
  #size: number | undefined
  #counting: Counting | undefined
  #progress: Progress
  #emptyPages = 0
  #firstItems: PageAnswer['items'] = []
  /** A page was reached in the way that the answers show. */
  #isWayProven = false

  constructor(http: Http, list: ListCall, query: ListQuery, limits: PageLimits) {
    this.#http = http
    this.#list = list
    this.#query = query
    this.#limits = limits
    this.#usualParameter = limits.cursorParam
    const isFiltered = Object.keys(query.filters).length > 0
    this.#progress = { isFromStart: true, count: 0, pages: 0, firstLength: 0, isFollowed: false, isFiltered }
  }

  get #taken(): Asked {
    if (!this.#last) throw new Error('no page was asked for')
    return this.#last
  }

  async first(remaining: number): Promise<PageAnswer> {
    const { cursor } = this.#query
    const position =
      cursor === undefined ? undefined : parsePosition(cursor, this.#http.origin, this.#limits.cursorParam)
    if (position) this.#seen.add(positionText(position, this.#usualParameter))
    this.#size = this.#sizeFor(remaining)
    let asked = await this.#request(position, this.#size)
    if (!position && asked.page.items.length === 0 && !asked.page.next && this.#size !== undefined) {
      asked = (await this.#withoutSize()) ?? asked
    }
    this.#counting = asked.page.next && !isByLastId(asked.page) ? undefined : countingIn(asked.url)
    const isFromStart = !position && !this.#counting
    const isFollowed = position !== undefined && !this.#counting
    this.#progress = { ...this.#progress, size: this.#size, isFromStart, isFollowed }
    return this.#take(asked)
  }

  /** The page behind the last one; undefined where the list is known to end, CrmError `bad_answer` where that is not known. */
  async next(remaining: number): Promise<PageAnswer | undefined> {
    if (isEmptyBehindAll(this.#taken.page, this.#progress)) return undefined
    const further = await this.#further(remaining)
    if (further || this.#taken.page.nextAt === 'wire.paging') return further
    const missing = await missingIn(this.#progress, () => this.#requestOrRefusal(undefined, this.#size, true))
    if (missing !== undefined) throw badPage(this.#list, `the list ends, and ${missing}`, openHint(this.#taken.page))
    return undefined
  }

  async #further(remaining: number): Promise<PageAnswer | undefined> {
    const { page } = this.#taken
    if (page.next && !this.#counting) return this.#follow(page.next, remaining)
    const beyond = await this.#settleDenied()
    if (beyond) return beyond
    const doubt = this.#doubt()
    if (!doubt || !restOf(doubt, this.#progress, this.#limits)) return undefined
    const settled = await settle(this.#open())
    if ('next' in settled) return this.#adopt(settled)
    const open = 'open' in settled ? (settled.open ?? (doubt.isSilence ? undefined : doubt.reason)) : undefined
    if (open === undefined) return undefined
    const reason = doubt.isSilence || open === doubt.reason ? open : `${doubt.reason}, and ${open}`
    const part = page.isPart ? `; ${RANGE_REASON}` : ''
    throw badPage(this.#list, `the end of the list is unknown: ${reason}${part}`, openHint(this.#taken.page))
  }

  async #settleDenied(): Promise<PageAnswer | undefined> {
    const denied = this.#denied
    if (!denied) return undefined
    this.#seen.add(positionText(denied.next, this.#usualParameter))
    const others = this.#isWayProven ? [] : denied.others
    const settled = await settleDenied(this.#open(), { ...denied, others })
    if ('next' in settled) return this.#adopt(settled)
    if ('open' in settled && settled.open !== undefined) throw badPage(this.#list, settled.open, ADDRESS_HINT)
    return undefined
  }

  get #denied(): Denied | undefined {
    const { denied } = this.#taken.page
    if (!denied || this.#counting) return undefined
    return this.#seen.has(positionText(denied.next, this.#usualParameter)) ? undefined : denied
  }

  /** Where the pages are counted, `has_more` still says that there are more: the last id is not what leads to them. */
  #doubt(): Doubt | undefined {
    const { page } = this.#taken
    if (page.next) return { reason: moreText(page), isSilence: false }
    return doubtOf(page, this.#progress)
  }

  /** Undefined where the page that came last is known to be the end. */
  get cursor(): string | undefined {
    const { page, url } = this.#taken
    const next = page.next ?? this.#denied?.next
    if (next && !this.#counting) return positionText(next, this.#usualParameter)
    if (!this.#counting || page.items.length === 0 || !this.#doubt()) return undefined
    return positionText(countedPosition(nextCounting(this.#counting, page), url), this.#usualParameter)
  }

  /** Whether records follow, where a cursor does not mean that they do. */
  get rest(): Rest | undefined {
    const { page } = this.#taken
    if (this.cursor === undefined) return restOf(this.#doubt(), this.#progress, this.#limits)
    return page.next && !this.#counting ? restBehindNext(page, this.#progress) : undefined
  }

  async #follow(next: Position, remaining: number): Promise<PageAnswer | undefined> {
    const { page } = this.#taken
    const text = positionText(next, this.#usualParameter)
    // A bookmark that leads to nothing is the bookmark of the end (CouchDB).
    if (this.#seen.has(text) && page.items.length === 0) return undefined
    if (this.#seen.has(text)) {
      throw badPage(this.#list, `the cursor ${oneLine(text, 60)} comes a second time`, CURSOR_HINT)
    }
    this.#seen.add(text)
    if ('parameter' in next) {
      refusePagingFilters(this.#query.filters, { ...this.#limits, cursorParam: next.parameter })
    }
    const others = this.#isWayProven ? [] : page.others
    const asked = await this.#requestOrRefusal(next, this.#sizeFor(remaining), others.length > 0)
    const isRefused = 'refusal' in asked
    if (isRefused && asked.refusal.code === 'server_error') throw asked.refusal
    if (isRefused || this.#isKnown(asked.page)) {
      if (!isRefused && isWhole(page, this.#progress) && (await isTotalProven(this.#open()))) return undefined
      return this.#followOther(next, others, isRefused ? asked.refusal : undefined)
    }
    this.#isWayProven = true
    this.#progress = { ...this.#progress, isFollowed: true }
    return this.#take(asked)
  }

  /** A page before once more: cursors that lead back may be new each time. */
  #isKnown({ items, next }: PageAnswer): boolean {
    if (!this.#records.hasAll(items)) return false
    // In the order of their last change, records that were changed meanwhile come again at the end.
    return (
      next !== undefined || areSameRecords(items, this.#taken.page.items) || areSameRecords(items, this.#firstItems)
    )
  }

  /** What was followed leads back: the same cursor may go in another parameter. */
  async #followOther(next: Position, others: readonly Lead[], refusal: CrmError | undefined): Promise<PageAnswer> {
    for (const lead of others) {
      const found = await followLead(this.#open(), lead)
      if (found && 'next' in found) return this.#adopt(found)
    }
    const settled = await settle(this.#open())
    if ('next' in settled) return this.#adopt(settled)
    if (refusal) throw refusal
    const way = 'parameter' in next ? `is sent back as ${next.parameter}` : `leads to ${oneLine(next.address, 80)}`
    const { nextAt } = this.#taken.page
    throw badPage(this.#list, `${nextAt} ${way}, and the same page comes a second time`, CURSOR_HINT)
  }

  #adopt({ next, counting, parameter }: Extract<Settled, { next: Asked }>): PageAnswer {
    this.#counting = counting
    this.#isWayProven = true
    this.#progress = { ...this.#progress, isFollowed: counting === undefined }
    if (parameter === undefined) return this.#take(next)
    this.#limits = { ...this.#limits, cursorParam: parameter, isHintProven: true }
    // It was read before it was known in which parameter its own cursor goes back.
    const { page } = next
    const placed = (others: readonly Lead[]) => others.find((lead) => lead.parameter === parameter)?.position
    const signs = page.signs.map((sign) => ({ ...sign, isHint: false }))
    const denied = page.denied && { ...page.denied, next: placed(page.denied.others) ?? page.denied.next }
    return this.#take({ ...next, page: { ...page, signs, denied, next: placed(page.others) ?? page.next } })
  }

  /** The page without what came before; where the list goes on is counted with it. */
  #take(asked: Asked): PageAnswer {
    const { page } = asked
    const { pages, count, firstLength, stated } = this.#progress
    const items = this.#records.without(page.items)
    this.#records.add(items)
    this.#progress = {
      ...this.#progress,
      pages: pages + 1,
      count: count + items.length,
      stated: lowestStated(stated, page),
      firstLength: pages === 0 ? page.items.length : firstLength,
    }
    if (pages === 0) this.#firstItems = page.items
    if (page.isFromZero) this.#limits = { ...this.#limits, isFromZero: true }
    this.#emptyPages = page.items.length > 0 ? 0 : this.#emptyPages + 1
    if (page.next && this.#emptyPages === MOST_EMPTY_PAGES) {
      const reason = `${MOST_EMPTY_PAGES} pages in a row are empty, and each says that there are more`
      throw badPage(this.#list, reason, ADDRESS_HINT)
    }
    this.#last = asked
    return { ...page, items }
  }

  #open(): Open {
    return {
      last: this.#taken,
      seen: this.#records,
      firstLength: this.#progress.firstLength,
      counting: this.#counting,
      isFromStart: this.#progress.isFromStart && this.#progress.pages === 1,
      size: this.#size,
      isTotalDoubtful: isTotalDoubtful(this.#taken.page, this.#progress),
      wire: { ...this.#limits },
      ask: (position) => this.#requestOrRefusal(position, this.#size, true),
    }
  }

  #sizeFor(remaining: number): number | undefined {
    const { limitParam, pageSize } = this.#limits
    return limitParam === undefined || pageSize === undefined ? undefined : Math.min(remaining, pageSize)
  }

  /** Some servers take an unknown parameter for a filter, which no record passes (json-server 1, Feathers). */
  async #withoutSize(): Promise<Asked | undefined> {
    const asked = await this.#requestOrRefusal(undefined, undefined, true)
    if ('refusal' in asked || asked.page.items.length === 0) return undefined
    this.#limits = { ...this.#limits, pageSize: undefined }
    this.#size = undefined
    return asked
  }

  async #requestOrRefusal(
    position: Position | undefined,
    size: number | undefined,
    isRefusalTaken: boolean,
  ): Promise<Asked | { refusal: CrmError }> {
    try {
      return await this.#request(position, size)
    } catch (error) {
      if (isRefusalTaken && error instanceof CrmError && isRefusal(error)) return { refusal: error }
      throw error
    }
  }

  async #request(position: Position | undefined, size: number | undefined): Promise<Asked> {
    const call = this.#call(position, size)
    const url = this.#http.locate(call)
    this.#seen.add(`?${url.pathname}${url.search}`)
    const answer = await this.#http.request(call).catch((error: unknown) => {
      throw withQuestionHint(error, size, this.#query.filters)
    })
    const page = readPage(answer, url, this.#limits)
    if (typeof page !== 'string') return { page, url }
    const isNoList = page.startsWith('expected a list') && isJsonObject(answer.json)
    throw badPage(call, page, isNoList ? ITEMS_HINT : ADDRESS_HINT)
  }

  #call(position: Position | undefined, size: number | undefined): Call {
    const { signal, filters } = this.#query
    // As it is, with the size that stands in it: the third page of 50 is not where the third page of 100 is.
    if (position && 'address' in position) {
      return { ...this.#list, signal, method: 'GET', address: position.address }
    }
    const limit = size === undefined ? {} : { [this.#limits.limitParam ?? '']: String(size) }
    const start = position ? { [position.parameter]: position.cursor } : {}
    return { ...this.#list, signal, method: 'GET', query: { ...filters, ...limit, ...start } }
  }
}
