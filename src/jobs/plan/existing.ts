import type { Api } from '../../api/api.ts'
import type { KeyReader, KeyReadTerms } from '../../api/keyed-reads.ts'
import type { ValuesOf } from '../../connector/record-map.ts'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import { listedId, shapeOf } from '../../core/record-ids.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { foldName } from '../input/columns.ts'
import type { InputRow } from '../input/row.ts'
import type { JobDraft } from '../store/job-folder.ts'
import {
  alternativeIn,
  alternativesOf,
  type KeyOf,
  keyOfRow,
  keysOfRecord,
  matchKey,
  membersText,
  naturalName,
} from './match-keys.ts'
import type { JobNoun } from './plan-format.ts'
import type { Matching, RowRules } from './planning.ts'
import { type KeyIndex, openKeyIndex, openScratch, type Scratch } from './scratch.ts'

export interface Match {
  readonly id: string
  readonly record: CrmRecord
}

export interface ReadExisting {
  readonly folder: string
  readonly pages: AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly keyOf: KeyOf | ((record: CrmRecord) => readonly string[])
  readonly onRead: (count: number) => void
}

/** The existing records, by a key: read once, and kept on disk, because there may be millions. */
export class Existing {
  readonly #scratch: Scratch
  readonly #find

  private constructor(scratch: Scratch) {
    this.#scratch = scratch
    this.#find = scratch.database.prepare('SELECT id, record FROM existing WHERE key = ? LIMIT ?')
  }

  static async read({ folder, pages, keyOf, onRead }: ReadExisting): Promise<Existing> {
    const scratch = openScratch(folder, 'existing')
    const { database } = scratch
    database.exec('CREATE TABLE existing (key TEXT, id TEXT, record TEXT)')
    const add = database.prepare('INSERT INTO existing VALUES (?, ?, ?)')
    for await (const { items } of pages) {
      for (const record of items) {
        const id = listedId(record)
        const keys = keyOf(record) ?? []
        for (const key of typeof keys === 'string' ? [keys] : keys) add.run(key, id, JSON.stringify(record))
      }
      onRead(items.length)
    }
    database.exec('CREATE INDEX by_key ON existing (key)')
    return new Existing(scratch)
  }

  /** At most so many, in no particular order. */
  find(key: string | undefined, most = 2): readonly Match[] {
    if (key === undefined) return []
    return this.#find.all(key, most).map(({ id, record }) => ({
      id: String(id),
      record: parseExactJson(String(record)) as CrmRecord,
    }))
  }

  close(): void {
    this.#scratch.close()
  }
}

/** The number of equal records that are compared at most. */
const MOST_EQUAL = 1000

/**
 * Existing records that are equal to a row. If this machine has no job of an earlier run, only they show that a row was
 * already sent.
 */
export class EqualRecords {
  readonly #existing: Existing
  readonly #taken: KeyIndex
  #count = 0

  private constructor(existing: Existing, taken: KeyIndex) {
    this.#existing = existing
    this.#taken = taken
  }

  /** Undefined when there are no records at all. */
  static async read(parts: Omit<ReadExisting, 'keyOf'>): Promise<EqualRecords | undefined> {
    let count = 0
    const onRead = (more: number) => {
      count += more
      parts.onRead(more)
    }
    const existing = await Existing.read({ ...parts, onRead, keyOf: naturalName })
    if (count > 0) return new EqualRecords(existing, openKeyIndex(parts.folder, 'equal'))
    existing.close()
    return undefined
  }

  /** The number of rows with an equal record. */
  get count(): number {
    return this.#count
  }

  /** Whether an equal record exists; each record counts for one row. */
  has(fields: JsonObject): boolean {
    const names = Object.keys(fields).sort()
    const text = membersText(fields, names)
    const equal = this.#existing
      .find(naturalName(fields), MOST_EQUAL)
      .filter(({ record }) => membersText(record, names) === text)
    if (equal.length === 0 || this.#taken.count(text) >= equal.length) return false
    this.#count += 1
    return true
  }

  close(): void {
    this.#existing.close()
    this.#taken.close()
  }
}

interface Page {
  readonly items: readonly CrmRecord[]
}

/** Counts the requests of a list, to estimate those of reading it again. */
export class PageCounter {
  #records = 0
  /** Records on a page; the last page may have fewer. */
  #longest: number
  #pages = 0

  constructor(pageSize: number | undefined) {
    this.#longest = pageSize ?? 1
  }

  async *counted(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    for await (const page of pages) {
      this.#pages += 1
      this.#records += page.items.length
      // A server may use another page size than the one that is asked for.
      if (this.#pages > 1 || page.items.length > this.#longest) {
        this.#longest = Math.max(Math.ceil(this.#records / this.#pages), 1)
      }
      yield page
    }
  }

  /** The requests so far. */
  get pages(): number {
    return this.#pages
  }

  /** The requests to read the list with so many more records. */
  requestsWith(added: number): number {
    return Math.max(1, Math.ceil((this.#records + added) / this.#longest))
  }
}

/** `a***@example.com`: the server hides the value. */
const MASKED = /[*•]{2,}/

/**
 * Whether a list shows the members that rows are matched by. A member that all records lack may be new; one that exists but
 * is never a text or number, or exists under a similar name or inside another member, matches nothing.
 */
export class MatchShown {
  readonly #missing: Set<string>
  readonly #isMapped: (name: string) => boolean
  readonly #hidden = new Map<string, CrmRecord>()
  #first: CrmRecord | undefined
  #count = 0
  #without = 0

  readonly #hasElse: boolean

  /** `isMapped`: whether a connector file of one's own says where this member is, which may be wrong. */
  constructor(names: readonly string[], isMapped: RowRules['isOwnField'] = () => false) {
    const alternatives = alternativesOf(names)
    this.#hasElse = alternatives.length > 1
    this.#missing = new Set(alternatives.flat())
    this.#isMapped = isMapped
  }

  /** The records that no row matches: they show no value of the members. A row that means one of them makes a second record. */
  get unmatchable(): { readonly count: number; readonly of: number } {
    return { count: this.#without, of: this.#count }
  }

  see(record: CrmRecord, keys: readonly string[]): void {
    this.#first ??= record
    this.#count += 1
    if (keys.length === 0) this.#without += 1
    for (const name of this.#missing) {
      const key = matchKey(record, [name])
      if (key !== undefined && !MASKED.test(key)) this.#missing.delete(name)
      else if (!this.#hidden.has(name) && isElsewhere(record, name)) this.#hidden.set(name, record)
    }
  }

  /**
   * After the whole list: CrmError `bad_answer` for a member that it has, and in no record as a text or number. A mapped one is
   * not new; with `isMade` the job created records with all members, so none of them is.
   */
  judge(isMade = false): void {
    const isKnown = (each: string) => !this.#hasElse && (isMade || this.#isMapped(each))
    const name = [...this.#missing].find((each) => isKnown(each) || this.#hidden.has(each))
    const record = name === undefined ? undefined : (this.#hidden.get(name) ?? this.#first)
    if (!record) return
    throw new CrmError(
      'bad_answer',
      `no record of the list has ${name} as a text or number, so no row can be matched by it: ${shapeOf(record)}`,
      {
        hint: `name a member that the records have (--match NAME); is its path in the connector right? crm connectors check`,
      },
    )
  }
}

/** The member itself, or one of the same name in other letters, in the plural, or one level deeper. */
function isElsewhere(record: CrmRecord, name: string): boolean {
  const folded = foldName(name)
  const isAlike = (member: string) => [folded, `${folded}s`].includes(foldName(member))
  return Object.entries(record).some(
    ([member, value]) => isAlike(member) || (isJsonObject(value) && Object.keys(value).some(isAlike)),
  )
}

/** The records that rows are matched with. */
export interface MatchedRecords extends Pick<Existing, 'find' | 'close'> {
  /** The rows, with their records at hand while they are iterated. */
  prepared(rows: AsyncIterable<readonly InputRow[]>): AsyncIterable<readonly InputRow[]>
  /** Whether a record was found that has several keys. */
  readonly hasSeveralKeys: boolean
  /** After the rows, whose errors come first: CrmError `bad_answer` if no record could have matched. */
  judge(): void
}

type Rows = AsyncIterable<readonly InputRow[]>

export interface MatchingParts extends AskingParts {
  readonly draft: JobDraft
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** Asks for records by the field that rows are matched by; undefined: the list is read. */
  readonly keyed: KeyReader | undefined
}

interface AskingParts {
  /** Called with the number of further records read. */
  readonly onRead: (count: number) => void
  readonly reading: KeyReadTerms
  readonly valuesOf: ValuesOf
  /** Sees each record that is read. */
  readonly seen: MatchShown
  readonly note: (line: string) => void
}

/** By their keys where the server can be asked so, else from the whole list. */
export async function openMatched(parts: MatchingParts, names: readonly string[]): Promise<MatchedRecords> {
  return parts.keyed ? new KeyedRecords(parts.keyed, names, parts) : readWhole(parts, names)
}

async function readWhole(
  { draft, list, onRead, valuesOf, seen, note }: MatchingParts,
  names: readonly string[],
): Promise<MatchedRecords> {
  const counts: number[] = []
  let hasSeveralKeys = false
  const keyOf = (record: CrmRecord) => {
    const keys = keysOfRecord(record, names, valuesOf)
    seen.see(record, keys)
    hasSeveralKeys ||= keys.length > 1
    return keys
  }
  const existing = await Existing.read({ folder: draft.folder, pages: list(), keyOf, onRead })
  return {
    prepared: (rows) => rows,
    get hasSeveralKeys() {
      return hasSeveralKeys
    },
    find: (key, most) => {
      const found = existing.find(key, most)
      const at = alternativeIn(key ?? '')
      if (found.length > 0) counts[at] = (counts[at] ?? 0) + 1
      return found
    },
    judge: () => {
      seen.judge()
      const by = alternativesOf(names).map((own, at) => `${counts[at] ?? 0} by ${own.join(', ')}`)
      if (by.length > 1) note(`Matched rows: ${by.join(', ')}.`)
    },
    close: () => existing.close(),
  }
}

/** Requests under way at the same time: more would only wait for the rate limit. */
const MOST_AT_ONCE = 4

/** Asks for the records of some hundred rows at a time, and keeps no others. */
class KeyedRecords implements MatchedRecords {
  readonly #reader: KeyReader
  readonly #names: readonly string[]
  readonly #parts: AskingParts
  #found = new Map<string, Match[]>()
  hasSeveralKeys = false

  constructor(reader: KeyReader, names: readonly string[], parts: AskingParts) {
    this.#reader = reader
    this.#names = names
    this.#parts = parts
  }

  async *prepared(rows: Rows): AsyncGenerator<readonly InputRow[], void, undefined> {
    const most = this.#reader.size * MOST_AT_ONCE
    let waiting: InputRow[] = []
    for await (const some of rows) {
      waiting.push(...some)
      while (waiting.length >= most) {
        const next = waiting.slice(0, most)
        waiting = waiting.slice(most)
        await this.#ask(next)
        yield next
      }
    }
    await this.#ask(waiting)
    yield waiting
  }

  find(key: string | undefined, most = 2): readonly Match[] {
    return key === undefined ? [] : (this.#found.get(key) ?? []).slice(0, most)
  }

  judge(): void {
    this.#parts.seen.judge()
  }

  close(): void {}

  async #ask(rows: readonly InputRow[]): Promise<void> {
    const [name = ''] = this.#names
    const values = rows.flatMap((row) => {
      const value = keyOfRow(row, this.#names) === undefined ? undefined : name === 'id' ? row.id : row.fields[name]
      return value ?? []
    })
    const { size } = this.#reader
    const requests = Array.from({ length: Math.ceil(values.length / size) }, (_, n) =>
      this.#reader.read(values.slice(n * size, (n + 1) * size), this.#parts.reading),
    )
    this.#found = new Map()
    for (const record of (await Promise.all(requests)).flat()) this.#keep(record)
    this.#parts.onRead([...this.#found.values()].flat().length)
  }

  /** A server may also find records by values that they do not show; they match no row. */
  #keep(record: CrmRecord): void {
    const keys = keysOfRecord(record, this.#names, this.#parts.valuesOf)
    this.#parts.seen.see(record, keys)
    this.hasSeveralKeys ||= keys.length > 1
    for (const key of keys) {
      const before = this.#found.get(key) ?? []
      this.#found.set(key, [...before, { id: listedId(record), record }])
    }
  }
}

/** Asking for fewer keys at once mostly costs more requests than the list. */
const LEAST_KEYS = 10

/** Undefined where the list is read instead. */
export async function keyReaderFor(
  { keyReader }: Pick<Api, 'keyReader'>,
  noun: JobNoun,
  [name, ...others]: readonly string[],
): Promise<KeyReader | undefined> {
  if (name === undefined || others.length > 0) return undefined
  const reader = await keyReader(resourceOf(noun), name)
  return reader && reader.size >= LEAST_KEYS ? reader : undefined
}

interface CountedReader {
  readonly reader: KeyReader | undefined
  readonly requests: number
}

export function countedReader(reader: KeyReader | undefined): CountedReader {
  let requests = 0
  const counted = reader && {
    size: reader.size,
    read: (...asked: Parameters<KeyReader['read']>) => {
      requests += 1
      return reader.read(...asked)
    },
  }
  return {
    reader: counted,
    get requests() {
      return requests
    },
  }
}

interface MatchingCounts {
  readonly keyRequests: number
  readonly pages: number
  readonly seen: { readonly unmatchable: { readonly count: number } }
}

export function matchingOf(
  { names }: { readonly names: readonly string[] },
  { keyRequests, pages, seen }: MatchingCounts,
): Matching | undefined {
  if (names.length === 0) return undefined
  const by = keyRequests > 0 ? 'keys' : 'list'
  const requests = keyRequests > 0 ? keyRequests : pages
  return { by, fields: names, requests, unmatchable: seen.unmatchable.count }
}
