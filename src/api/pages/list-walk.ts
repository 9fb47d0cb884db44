import type { CrmError } from '../../core/errors.ts'
import { ADDRESS_HINT } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ListQuery, Rest } from '../operations.ts'
import type { Http } from '../transport/http.ts'
import {
  type Counting,
  countedPosition,
  countingIn,
  type EndResult,
  moreText,
  nextCounting,
  type ReceivedPage,
  type UnknownEnd,
} from './counting.ts'
import {
  type Doubt,
  doubtOf,
  isEmptyBehindAll,
  isShrunk,
  isTotalDoubtful,
  isWhole,
  type ListProgress,
  missingIn,
  progressWith,
  restBehindNext,
  restOf,
  unreachedCount,
} from './judge-end.ts'
import type { PageAnswer } from './page-answer.ts'
import type { DisputedNext } from './page-next.ts'
import {
  badPage,
  cursorParameterHint,
  type ListCall,
  nextRefused,
  type PageLimits,
  PageRequests,
  refusePagingFilters,
  unknownEndHint,
} from './page-requests.ts'
import { type NextCandidate, type Position, parsePosition, positionText } from './positions.ts'
import { checkDisputedEnd, followCandidate, isTotalProven, pageInParameter, resolveEnd } from './resolve-end.ts'
import { areSameRecords, isFromLastId, onceEach, SeenRecords } from './same-records.ts'

/** Servers that filter after paging send some empty pages; endless ones must not be requested for ever. */
const MAX_EMPTY_PAGES = 100

/** Reads one list page by page. */
export class ListWalk {
  readonly #http: Http
  readonly #list: ListCall
  readonly #query: ListQuery
  readonly #requests: PageRequests
  readonly #usualParameter: string | undefined
  readonly #records = new SeenRecords()
  #last: ReceivedPage | undefined
  #size: number | undefined
  #counting: Counting | undefined
  #progress: ListProgress
  #emptyPages = 0
  /** Every page has links to others: even the first one, which has none before it, links to a previous page. */
  #isLinkedAlways = false
  #firstItems: PageAnswer['items'] = []
  /** The paging stated in the answers has led to a page. */
  #isPagingProven = false

  constructor(http: Http, list: ListCall, query: ListQuery, limits: PageLimits) {
    this.#http = http
    this.#list = list
    this.#query = query
    this.#requests = new PageRequests(http, list, query, limits)
    this.#usualParameter = limits.cursorParam
    const isFiltered = Object.keys(query.filters).length > 0
    this.#progress = { isFromStart: true, count: 0, pages: 0, firstLength: 0, isFollowed: false, isFiltered }
  }

  get #taken(): ReceivedPage {
    if (!this.#last) throw new Error('no page was requested')
    return this.#last
  }

  async first(remaining: number): Promise<PageAnswer> {
    const { cursor } = this.#query
    const position = cursor === undefined ? undefined : parsePosition(cursor, this.#http.origin, this.#usualParameter)
    if (position) this.#requests.seen.add(positionText(position, this.#usualParameter))
    this.#size = this.#requests.sizeFor(remaining)
    let received = await this.#requests.request(position, this.#size)
    if (!position && received.page.items.length === 0 && !received.page.next && this.#size !== undefined) {
      received = (await this.#requests.withoutSize()) ?? received
      this.#size = this.#requests.sizeFor(remaining)
    }
    this.#counting =
      received.page.next && !isFromLastId(received.page) ? undefined : countingIn(received.url, this.#requests.limits)
    const isFromStart = !position && !this.#counting
    const isFollowed = position !== undefined && !this.#counting
    this.#progress = { ...this.#progress, size: this.#size, isFromStart, isFollowed }
    const isFirstByNumber = this.#counting !== undefined && this.#counting.at <= 1
    if (position && !isFirstByNumber) received = await this.#requests.checkCursor(position, received, this.#size)
    return this.#take(received)
  }

  /** The next page; undefined at the known end of the list. CrmError `bad_answer` if it is unknown whether the list ends. */
  async next(remaining: number): Promise<PageAnswer | undefined> {
    if (isEmptyBehindAll(this.#taken.page, this.#progress) || this.#isEmptyBehindLinks) return undefined
    const before = this.#taken
    const further = await this.#further(remaining)
    if (further)
      return isShrunk(before, this.#taken, this.#requests.limits) ? this.#withMoved(before, further) : further
    if (before.page.nextAt === 'wire.paging') return undefined
    const missing = await missingIn(this.#progress, () => this.#requests.requestOrRefusal(undefined, this.#size, true))
    if (missing !== undefined) throw this.#unknownEndError(`the list ends, and ${missing}`)
    if (!unreachedCount(this.#progress)) return undefined
    const rest = await this.#withMoved(before, { ...before.page, items: [] })
    return rest.items.length > 0 ? rest : undefined
  }

  /** A deletion moves the first record of the next counted page to the page before it, which is requested again. */
  async #withMoved(before: ReceivedPage, further: PageAnswer): Promise<PageAnswer> {
    const { page } = await this.#requests.again(before, this.#size)
    const moved = this.#records.absent(page.items)
    this.#records.add(moved)
    this.#progress = { ...this.#progress, count: this.#progress.count + moved.length }
    return { ...further, items: [...moved, ...further.items] }
  }

  async #further(remaining: number): Promise<PageAnswer | undefined> {
    const { page } = this.#taken
    if (page.next && !this.#counting) return this.#follow(page.next, remaining)
    const beyond = await this.#checkDisputedEnd()
    if (beyond) return beyond
    const doubt = this.#doubt()
    if (!doubt || !restOf(doubt, this.#progress, this.#requests.limits)) return undefined
    const result = await resolveEnd(this.#unknownEnd())
    if ('next' in result) return this.#adopt(result)
    const open = 'open' in result ? (result.open ?? (doubt.isSilence ? undefined : doubt.reason)) : undefined
    if (open === undefined) return undefined
    const reason = doubt.isSilence || open === doubt.reason ? open : `${doubt.reason}, and ${open}`
    const part = page.isPart ? '; the rest of a 206 requires a Range header, which crm does not send for lists' : ''
    throw this.#unknownEndError(`the end of the list is unknown: ${reason}${part}`)
  }

  #unknownEndError(reason: string): CrmError {
    return badPage(this.#list, reason, unknownEndHint(this.#taken.page, this.#requests.limits))
  }

  /** Mailgun links to a next page on every page: the list ends at an empty one after the first. */
  get #isEmptyBehindLinks(): boolean {
    return this.#isLinkedAlways && this.#progress.pages > 1 && this.#taken.page.items.length === 0
  }

  async #checkDisputedEnd(): Promise<PageAnswer | undefined> {
    const disputed = this.#disputed
    if (!disputed) return undefined
    this.#requests.seen.add(positionText(disputed.next, this.#usualParameter))
    const others = this.#isPagingProven ? [] : disputed.others
    const result = await checkDisputedEnd(this.#unknownEnd(), { ...disputed, others })
    if ('next' in result) return this.#adopt(result)
    if ('open' in result && result.open !== undefined) throw badPage(this.#list, result.open, ADDRESS_HINT)
    return undefined
  }

  get #disputed(): DisputedNext | undefined {
    const { disputed } = this.#taken.page
    if (!disputed || this.#counting) return undefined
    return this.#requests.seen.has(positionText(disputed.next, this.#usualParameter)) ? undefined : disputed
  }

  /** With counted pages, `has_more` still shows that there are more, but the last id is not their cursor. */
  #doubt(): Doubt | undefined {
    const { page } = this.#taken
    if (page.next) return { reason: moreText(page), isSilence: false }
    return doubtOf(page, this.#progress)
  }

  /** The cursor of the next page; undefined if the last page is known to be the end. */
  get cursor(): string | undefined {
    const { page, url } = this.#taken
    const next = page.next ?? this.#disputed?.next
    if (next && !this.#counting) return positionText(next, this.#usualParameter)
    if (!this.#counting || page.items.length === 0 || !this.#doubt()) return undefined
    return positionText(countedPosition(nextCounting(this.#counting, page), url), this.#usualParameter)
  }

  /** Whether records follow, if there is no cursor, or the cursor does not mean that they do. */
  get rest(): Rest | undefined {
    const { page } = this.#taken
    if (this.cursor === undefined) return restOf(this.#doubt(), this.#progress, this.#requests.limits)
    return page.next && !this.#counting ? restBehindNext(page, this.#progress) : undefined
  }

  async #follow(next: Position, remaining: number): Promise<PageAnswer | undefined> {
    const { page } = this.#taken
    const text = positionText(next, this.#usualParameter)
    if (this.#requests.seen.has(text)) {
      // CouchDB: a repeated bookmark with an empty page marks the end.
      if (page.items.length === 0) return undefined
      const reason = `the server repeated the cursor ${oneLine(text, 60)}`
      throw badPage(this.#list, reason, cursorParameterHint(this.#requests.limits))
    }
    this.#requests.seen.add(text)
    if ('parameter' in next) {
      refusePagingFilters(this.#query.filters, { ...this.#requests.limits, cursorParam: next.parameter })
    }
    const others = this.#isPagingProven ? [] : page.others
    const received = await this.#requests.requestOrRefusal(next, this.#requests.sizeFor(remaining), true)
    const isRefused = 'refusal' in received
    if (isRefused && (received.refusal.code === 'server_error' || !this.#isGuess(next))) {
      throw nextRefused(this.#list, next, received.refusal)
    }
    if (isRefused || this.#isKnown(received.page)) {
      if (!isRefused && isWhole(page, this.#progress) && (await isTotalProven(this.#unknownEnd()))) return undefined
      return this.#followOther(next, others, isRefused ? received.refusal : undefined)
    }
    this.#isPagingProven = true
    this.#progress = { ...this.#progress, isFollowed: true }
    return this.#take(received)
  }

  /** The cursor may be for another parameter, and the address relative to another root (AdonisJS: `/?page=2`). */
  #isGuess(next: Position): boolean {
    return !this.#isPagingProven && ('address' in next || this.#taken.page.others.length > 0)
  }

  /** A repeated page: cursors that lead back may be new each time. */
  #isKnown({ items, next }: PageAnswer): boolean {
    if (!this.#records.hasAll(items)) return false
    // In the order of their last change, records changed meanwhile are repeated at the end.
    return (
      next !== undefined || areSameRecords(items, this.#taken.page.items) || areSameRecords(items, this.#firstItems)
    )
  }

  /** The followed cursor leads back: tries it in other parameters. */
  async #followOther(
    next: Position,
    others: readonly NextCandidate[],
    refusal: CrmError | undefined,
  ): Promise<PageAnswer> {
    for (const candidate of others) {
      const found = await followCandidate(this.#unknownEnd(), candidate)
      if (found && 'next' in found) return this.#adopt(found)
    }
    const result = await resolveEnd(this.#unknownEnd())
    if ('next' in result) return this.#adopt(result)
    if (refusal) throw nextRefused(this.#list, next, refusal)
    const sent = 'parameter' in next ? `sent as ${next.parameter}` : `(${oneLine(next.address, 80)})`
    throw badPage(
      this.#list,
      `${this.#taken.page.nextAt} ${sent} returns the same page again`,
      cursorParameterHint(this.#requests.limits),
    )
  }

  #adopt({ next, counting, parameter }: Extract<EndResult, { next: ReceivedPage }>): PageAnswer {
    this.#counting = counting
    this.#isPagingProven = true
    this.#progress = { ...this.#progress, isFollowed: counting === undefined }
    if (parameter === undefined) return this.#take(next)
    this.#requests.limits = { ...this.#requests.limits, cursorParam: parameter, isHintProven: true }
    return this.#take({ ...next, page: pageInParameter(next.page, parameter) })
  }

  /** The page without repeated records, which also do not count as progress. */
  #take(received: ReceivedPage): PageAnswer {
    const { page } = received
    const fresh = this.#records.without(page.items)
    this.#records.add(fresh)
    this.#progress = progressWith(this.#progress, page, fresh.length)
    if (this.#progress.pages === 1) {
      this.#firstItems = page.items
      this.#isLinkedAlways = this.#progress.isFromStart && page.isLinkedBack
    }
    if (page.isFromZero) this.#requests.limits = { ...this.#requests.limits, isFromZero: true }
    this.#emptyPages = page.items.length > 0 ? 0 : this.#emptyPages + 1
    const isNextStated = page.next !== undefined || page.signs.some(({ value }) => value !== undefined)
    if (isNextStated && this.#emptyPages >= MAX_EMPTY_PAGES) {
      const reason = `${MAX_EMPTY_PAGES} consecutive pages are empty, and each states that there are more`
      throw badPage(this.#list, reason, ADDRESS_HINT)
    }
    this.#last = received
    return { ...page, items: onceEach(fresh).items }
  }

  #unknownEnd(): UnknownEnd {
    return {
      last: this.#taken,
      seen: this.#records,
      firstLength: this.#progress.firstLength,
      counting: this.#counting,
      isFromStart: this.#progress.isFromStart && this.#progress.pages === 1,
      size: this.#size,
      isTotalDoubtful: isTotalDoubtful(this.#taken.page, this.#progress),
      wire: { ...this.#requests.limits },
      ask: (position) => this.#requests.requestOrRefusal(position, this.#size, true),
    }
  }
}
