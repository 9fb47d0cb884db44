import type { PagingDocument } from '../../connector/document.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { DeclaredPage } from '../connectors/list-rules.ts'
import type { PageStart } from '../connectors/requests.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ListQuery } from '../operations.ts'
import type { Answer } from '../transport/answer.ts'
import { type Call, cannot } from '../transport/call.ts'
import type { Http } from '../transport/http.ts'
import { addressOn, hasUnreadNext, readLinks } from './links.ts'
import { badPage } from './page-errors.ts'
import { onceEach, SeenRecords } from './seen-records.ts'

/** A list whose paging is known before its first answer. */
export interface DeclaredList {
  /** For an answer that is not what the connector says. */
  readonly mismatchHint: string
  readonly paging: PagingDocument
  call(start: PageStart | undefined, size: number | undefined): Call
  /** The records of a page, or a clause with the reason why there are none. */
  read(answer: Answer): DeclaredPage | string
}

interface Place {
  readonly start: PageStart | undefined
  readonly size: number | undefined
}

/** As many consecutive pages without a record of the list are taken for an endless list. */
const MAX_EMPTY_PAGES = 100

/** It is sent in the address of a request. */
const MAX_CURSOR_CHARS = 65_536

/** Reads a list page by page, as its paging declares: what does not state its end, or contradicts it, is an error. */
export class DeclaredWalk {
  readonly #http: Http
  readonly #list: DeclaredList
  readonly #query: ListQuery
  readonly #records = new SeenRecords()
  readonly #starts = new Set<string>()
  #size: number | undefined
  #start: PageStart | undefined
  /** Of the next page; undefined after the last one. */
  #next: PageStart | undefined
  #pages = 0
  /** Those that are listed again are counted apart. */
  #elements = 0
  #repeated = 0
  /** The last one that was stated, and by how much it rose and fell while the list was read. */
  #total: number | undefined
  #risen = 0
  #fallen = 0
  #emptyPages = 0
  #hasFullPage = false
  /** The page before the present one. */
  #before: (Place & { readonly total: JsonValue | undefined }) | undefined

  constructor(http: Http, list: DeclaredList, query: ListQuery) {
    this.#http = http
    this.#list = list
    this.#query = query
  }

  first(remaining: number): Promise<DeclaredPage> {
    const { size } = this.#list.paging
    this.#size = size && Math.min(remaining, size.max)
    this.#start = this.#query.cursor === undefined ? undefined : this.#parse(this.#query.cursor)
    return this.#read()
  }

  /** Undefined at the end of the list. */
  async next(remaining: number): Promise<DeclaredPage | undefined> {
    if (this.#next === undefined) return undefined
    this.#start = this.#next
    // The third page of 50 differs from the third page of 100.
    if (this.#list.paging.by !== 'page' && this.#size !== undefined) this.#size = this.#sizeFor(remaining)
    const page = await this.#read()
    return page.items.length === 0 && this.#next === undefined ? undefined : page
  }

  get cursor(): string | undefined {
    if (this.#next === undefined) return undefined
    return 'address' in this.#next ? `?${this.#next.address}` : String(this.#next.value)
  }

  #sizeFor(remaining: number): number {
    return Math.min(remaining, this.#list.paging.size?.max ?? remaining)
  }

  async #read(): Promise<DeclaredPage> {
    const place = { start: this.#start, size: this.#size }
    const { page, answer } = await this.#request(place)
    this.#pages += 1
    this.#hasFullPage ||= this.#size !== undefined && page.elements >= this.#size
    if (page.elements > 0 && page.items.length > 0 && this.#records.hasAll(page.items)) {
      throw this.#bad('the server answers with records of an earlier page')
    }
    const { items: once, clash } = page.isNested ? { items: page.items } : onceEach(page.items)
    if (clash) throw this.#bad(`two different records have the id ${oneLine(idText(clash.id) ?? '', 60)}`)
    const fresh = page.isNested ? once : this.#records.without(once)
    this.#checkRepeated(once, fresh)
    const moved = await this.#moved(page, once.length - fresh.length)
    this.#count(page, page.items.length - fresh.length)
    const items = [...moved, ...fresh]
    this.#records.add(items)
    this.#before = { ...place, total: page.stated.total }
    this.#emptyPages = items.length > 0 ? 0 : this.#emptyPages + 1
    this.#next = this.#after(page, answer)
    const { most } = this.#list.paging
    if (most !== undefined && this.#elements >= most && !this.#hasTotal(page)) throw this.#atMost(most)
    if (this.#next === undefined) this.#checkWhole(page, answer)
    else this.#checkProgress(this.#next)
    return { ...page, items }
  }

  /** A cursor stays at its record, so that no page shows one of an earlier page. */
  #checkRepeated(once: readonly CrmRecord[], fresh: readonly CrmRecord[]): void {
    const { by } = this.#list.paging
    if (fresh.length === once.length || (by !== 'cursor' && by !== 'last')) return
    const known = new Set(fresh)
    const again = once.find((record) => !known.has(record))
    throw this.#bad(
      `${oneLine(idText(again?.id) ?? 'a record', 60)} was on an earlier page: the list changed while it was read, or ${by === 'last' ? 'it is not in the order of its ids' : 'the cursor does not stay at its record'}`,
    )
  }

  #count({ elements, stated: { total } }: DeclaredPage, repeated: number): void {
    this.#elements += elements - repeated
    this.#repeated += repeated
    const { by } = this.#list.paging
    // Behind a cursor there may be records that such a page does not count.
    const isBehindAll = elements === 0 && this.#elements > 0 && (by === 'cursor' || by === 'last')
    if (typeof total !== 'number' || isBehindAll) return
    const before = this.#total ?? total
    this.#risen += Math.max(0, total - before)
    this.#fallen += Math.max(0, before - total)
    this.#total = total
  }

  /** Of this total: a record that is added before those that were read moves another one to a page where it is listed again. */
  #missing(total: number): number {
    return total - this.#elements - Math.min(this.#repeated, this.#risen)
  }

  async #request({ start, size }: Place): Promise<{ readonly page: DeclaredPage; readonly answer: Answer }> {
    const call = this.#list.call(start, size)
    const answer = await this.#http.request({ ...call, signal: this.#query.signal })
    this.#query.onAnswer?.(answer)
    const page = this.#list.read(answer)
    if (typeof page === 'string') throw badPage(call, page, this.#list.mismatchHint)
    return { page, answer }
  }

  /**
   * Records that moved to the page before this one, because some on it or before it were deleted meanwhile: the total fell. A page that
   * overlaps by more than the total rose shows that the list changed, too. A cursor stays at its record.
   */
  async #moved({ stated: { total } }: DeclaredPage, repeated: number): Promise<readonly CrmRecord[]> {
    const { by } = this.#list.paging
    const before = this.#before
    if (!before || by === 'cursor' || by === 'last') return []
    const fallen = typeof before.total === 'number' && typeof total === 'number' ? before.total - total : 0
    // Those that were added in front explain as many repetitions.
    if (fallen <= 0 && repeated + fallen <= 0) return []
    const { page } = await this.#request(before)
    if (fallen > page.elements) {
      throw this.#bad(
        `${fallen} records were deleted while it was read, more than a page has: the list may lack others`,
      )
    }
    const moved = this.#records.without(page.items)
    this.#elements += moved.length
    return moved
  }

  #after(page: DeclaredPage, answer: Answer): PageStart | undefined {
    const { by } = this.#list.paging
    switch (by) {
      case 'cursor':
        return this.#afterCursor(page)
      case 'next_url':
        return this.#atAddress(this.#stated(page.stated.next))
      case 'link':
        return this.#afterLink(answer.headers.link)
      case 'page':
      case 'offset':
      case 'last':
        return this.#isLast(page) ? undefined : this.#counted(page)
      default:
        return undefined
    }
  }

  #afterCursor({ stated: { next, more } }: DeclaredPage): PageStart | undefined {
    const cursor = idText(next)
    if (more === false && cursor && this.#list.paging.agree) {
      throw this.#bad(`${this.#list.paging.more} is false, and ${this.#list.paging.next} leads to another page`)
    }
    if (more === false && next === undefined && this.#list.paging.agree) {
      throw this.#bad(
        `${this.#list.paging.more} is false, and nothing is at ${this.#list.paging.next}, expected null there`,
      )
    }
    if (more === false) return undefined
    if (cursor && cursor.length > MAX_CURSOR_CHARS) {
      throw this.#bad(`the cursor is longer than ${MAX_CURSOR_CHARS} characters`)
    }
    if (cursor) return { value: cursor }
    if (next !== undefined && next !== null && next !== '') {
      throw this.#bad(`${this.#list.paging.next} is ${shown(next)}, expected a cursor`)
    }
    const { more: flag, next: path } = this.#list.paging
    if (more === true) throw this.#bad(`${flag} is true, and there is no ${path}`)
    if (more !== undefined && more !== null) throw this.#bad(`${flag} is ${shown(more)}, expected true or false`)
    if (next === undefined && flag !== undefined) {
      throw this.#bad(`expected ${path} or ${flag}, which show whether there is more, got neither`)
    }
    this.#stated(next)
    return undefined
  }

  /** What stands at `next`; CrmError where nothing does, unless that is declared as the end. */
  #stated(next: JsonValue | undefined): JsonValue | undefined {
    const { absent, next: path } = this.#list.paging
    if (next !== undefined || absent) return next
    throw this.#bad(
      `expected ${path}, which leads to the next page or is null at the end, and the answer has nothing there (absent: true in its paging, if the last page has none)`,
    )
  }

  #afterLink(header: string | readonly string[] | undefined): PageStart | undefined {
    const next = readLinks(header).get('next')
    if (next === undefined && hasUnreadNext(header))
      throw this.#bad(`cannot read the header Link: ${oneLine(String(header), 80)}`)
    return this.#atAddress(next)
  }

  #atAddress(target: JsonValue | undefined): PageStart | undefined {
    if (target === undefined || target === null || target === '' || target === false) return undefined
    if (typeof target !== 'string') throw this.#bad(`the next page is ${shown(target)}, expected an address`)
    const base = this.#http.locate(this.#list.call(this.#start, this.#size)).href
    const address = addressOn(this.#http.origin, target, base)
    if (address !== undefined) return { address }
    throw this.#bad(`the next page, ${oneLine(target, 80)}, is not on ${this.#http.origin}`)
  }

  /** A page shorter than its size is the last one only where a full page has shown that the server obeys the size. */
  #isLast(page: DeclaredPage): boolean {
    const {
      elements,
      stated: { pages, more },
    } = page
    const { more: flag, next: path } = this.#list.paging
    if (flag !== undefined && more === false) return true
    if (path !== undefined) return (this.#stated(page.stated.next) ?? null) === null
    if (flag !== undefined && more !== true) throw this.#bad(`${flag} is ${shown(more)}, expected true or false`)
    const hasPages = typeof pages === 'number' && this.#isFromStart
    if (hasPages && this.#pages >= pages) return true
    if (this.#hasTotal(page)) return true
    if (elements === 0) return !hasPages && more !== true
    return more !== true && this.#hasFullPage && this.#size !== undefined && elements < this.#size
  }

  #hasTotal({ stated: { total } }: DeclaredPage): boolean {
    // Those that were deleted meanwhile may have been read.
    return typeof total === 'number' && this.#isFromStart && this.#missing(total) + this.#fallen <= 0
  }

  get #isFromStart(): boolean {
    return this.#query.cursor === undefined
  }

  #counted({ elements, lastId }: DeclaredPage): PageStart {
    const { by, start } = this.#list.paging
    const value = this.#start && 'value' in this.#start ? Number(this.#start.value) : start
    if (by === 'page') return { value: value + 1 }
    if (by === 'offset') return { value: (this.#start === undefined ? start : value) + elements }
    if (lastId === undefined) throw this.#bad('the last record has no id, which leads to the next page')
    return { value: lastId }
  }

  #checkProgress(next: PageStart): void {
    const text = 'address' in next ? next.address : String(next.value)
    if (this.#starts.has(text)) throw this.#bad(`the server repeated the next page, ${oneLine(text, 60)}`)
    this.#starts.add(text)
    if (this.#emptyPages < MAX_EMPTY_PAGES) return
    throw this.#bad(`${MAX_EMPTY_PAGES} consecutive pages are empty, and each states that there are more`)
  }

  #checkWhole({ stated: { total } }: DeclaredPage, { status, headers }: Answer): void {
    const { by, total: path } = this.#list.paging
    if (by === 'none' && path !== undefined && typeof total !== 'number') {
      throw this.#bad(`${path} is ${shown(total)}, expected the number of records, which shows that they are all`)
    }
    // RFC 9110, section 14.4: a part says of how much it is one.
    const whole = status === 206 ? /\/(\d{1,15})$/.exec(String(headers['content-range']))?.[1] : undefined
    if (whole !== undefined && this.#isFromStart && this.#missing(Number(whole)) > 0) {
      throw this.#bad(`Content-Range states ${whole} records, but the list ended after ${this.#elements}`)
    }
    const counted = this.#total
    if (counted === undefined || !this.#isFromStart || this.#missing(counted) <= 0) return
    throw this.#bad(`${this.#list.paging.total} states ${counted}, but the list ended after ${this.#elements} records`)
  }

  #parse(text: string): PageStart {
    const { by } = this.#list.paging
    if (by === 'next_url' || by === 'link') {
      const address = text.startsWith('?/') ? addressOn(this.#http.origin, text.slice(1), this.#http.origin) : undefined
      if (address !== undefined) return { address }
    } else if (by === 'cursor' || by === 'last') return { value: text }
    else if (/^\d{1,9}$/.test(text) && by !== 'none') return { value: Number(text) }
    throw new CrmError('invalid_input', `${JSON.stringify(oneLine(text, 60))} is not a cursor of this list`, {
      hint: 'use the cursor that the previous list printed, unchanged',
    })
  }

  #atMost(most: number): CrmError {
    const call = this.#list.call(this.#start, this.#size)
    return new CrmError(
      'bad_answer',
      `${cannot(call)}: it has the ${most} records that "most" of its paging names, so there may be more`,
      {
        hint: 'name fewer records with a filter of the server; or raise most in the connector, if the server lists more',
      },
    )
  }

  #bad(reason: string): CrmError {
    return badPage(this.#list.call(this.#start, this.#size), reason, this.#list.mismatchHint)
  }
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'absent' : oneLine(JSON.stringify(value), 60)
}
