import type { Api } from '../../api/api.ts'
import type { KeyReader, KeyReadTerms } from '../../api/keyed-reads.ts'
import type { ValuesOf } from '../../connector/record-map.ts'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import { foldName } from '../../core/nearest.ts'
import { listedId, shapeOf } from '../../core/record-ids.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import type { InputRow } from '../input/row.ts'
import { damagedKeys } from './damaged-digits.ts'
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
import type { KeyIndex, Scratch } from './scratch.ts'

export interface Match {
  readonly id: string
  readonly record: CrmRecord
}

interface Page {
  readonly items: readonly CrmRecord[]
}

interface ReadExisting {
  readonly scratch: Scratch
  readonly pages: AsyncIterable<Page>
  readonly keyOf: KeyOf
  readonly onRead: (count: number) => void
}

/** A server may have members of other names in each record. */
const MOST_MEMBERS = 10_000

/** Records of the server by their keys, on disk, because there may be millions. */
export class Existing {
  readonly #database: Scratch['database']
  readonly #table: string
  readonly #add
  readonly #keysOf: (record: CrmRecord) => readonly string[]
  #find: ReturnType<Scratch['database']['prepare']> | undefined
  /** The members of the records so far. */
  readonly members = new Set<string>()

  constructor({ database }: Scratch, keysOf: (record: CrmRecord) => readonly string[], table = 'existing') {
    this.#database = database
    this.#table = table
    database.exec(`CREATE TABLE ${table} (key TEXT, id TEXT, record TEXT)`)
    this.#add = database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`)
    this.#keysOf = keysOf
  }

  static async read({ scratch, pages, keyOf, onRead }: ReadExisting): Promise<Existing> {
    const existing = new Existing(scratch, (record) => [record].flatMap((one) => keyOf(one) ?? []))
    await existing.read(pages, onRead)
    return existing
  }

  async read(pages: AsyncIterable<Page>, onRead: (count: number) => void): Promise<void> {
    for await (const { items } of pages) {
      this.add(items)
      onRead(items.length)
    }
  }

  add(records: readonly CrmRecord[]): void {
    for (const record of records) {
      const id = listedId(record)
      if (this.members.size < MOST_MEMBERS) for (const name of Object.keys(record)) this.members.add(name)
      for (const key of this.#keysOf(record)) this.#add.run(key, id, JSON.stringify(record))
    }
  }

  /** Under a further key, by which no row means it, with the members of `--match` alone. */
  addDamaged(key: string, record: CrmRecord, names: readonly string[]): void {
    this.#add.run(key, listedId(record), JSON.stringify(record, alternativesOf(names).flat()))
  }

  clear(): void {
    this.#database.exec(`DELETE FROM ${this.#table}`)
  }

  /** At most so many, in no particular order. */
  find(key: string | undefined, most = 2): readonly Match[] {
    if (key === undefined) return []
    // An index that exists before the records would make it slower to add them.
    if (!this.#find) this.#database.exec(`CREATE INDEX ${this.#table}_by_key ON ${this.#table} (key)`)
    this.#find ??= this.#database.prepare(`SELECT id, record FROM ${this.#table} WHERE key = ? LIMIT ?`)
    return this.#find.all(key, most).map(({ id, record }) => ({
      id: String(id),
      record: parseExactJson(String(record)) as CrmRecord,
    }))
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

  static async read(parts: Omit<ReadExisting, 'keyOf'>): Promise<EqualRecords> {
    return new EqualRecords(await Existing.read({ ...parts, keyOf: naturalName }), parts.scratch.keys('equal'))
  }

  get members(): ReadonlySet<string> {
    return this.#existing.members
  }

  /** The number of rows with an equal record. */
  get count(): number {
    return this.#count
  }

  /** Whether an equal record exists; each record counts for one row. */
  has(fields: JsonObject): boolean {
    const found = this.#existing.find(naturalName(fields), MOST_EQUAL)
    if (found.length === 0) return false
    const names = Object.keys(fields).sort()
    const text = membersText(fields, names)
    const equal = found.filter(({ record }) => membersText(record, names) === text)
    if (equal.length === 0 || this.#taken.count(text) >= equal.length) return false
    this.#count += 1
    return true
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

interface MatchingParts {
  readonly scratch: Scratch
  readonly pages: PageCounter
  readonly list: () => AsyncIterable<Page>
  /** Asks for records by the field that rows are matched by; undefined: the list is read. */
  readonly keyed: KeyReader | undefined
  readonly reading: KeyReadTerms
  /** Called with the number of further records read. */
  readonly onRead: (count: number) => void
  readonly rules: Pick<RowRules, 'valuesOf' | 'isOwnField' | 'isKey'>
}

/** Requests under way at the same time: more would only wait for the rate limit. */
const MOST_AT_ONCE = 4

/** The records that rows are matched with: some hundred at a time where the server can be asked by their keys, else the whole list. */
export class MatchedRecords {
  /** Whether a record was found that has several keys. */
  hasSeveralKeys = false
  readonly #existing: Existing
  readonly #seen: MatchShown
  readonly #names: readonly string[]
  readonly #parts: MatchingParts
  /** Rows that each alternative of `--match` matched. */
  readonly #counts: number[] = []
  #keyRequests = 0

  private constructor(parts: MatchingParts, names: readonly string[]) {
    const { valuesOf, isOwnField, isKey } = parts.rules
    this.#parts = parts
    this.#names = names
    this.#seen = new MatchShown(
      names.filter((name) => name !== 'id' && !isKey(name)),
      isOwnField,
    )
    this.#existing = new Existing(parts.scratch, (record) => this.#keysOf(record, valuesOf))
  }

  static async open(parts: MatchingParts, names: readonly string[]): Promise<MatchedRecords> {
    const matched = new MatchedRecords(parts, names)
    if (!parts.keyed) await matched.#existing.read(parts.pages.counted(parts.list()), parts.onRead)
    return matched
  }

  /** The rows, with their records at hand while they are iterated. */
  async *prepared(rows: AsyncIterable<readonly InputRow[]>): AsyncGenerator<readonly InputRow[], void, undefined> {
    const { keyed } = this.#parts
    if (!keyed) return yield* rows
    const most = keyed.size * MOST_AT_ONCE
    const waiting: InputRow[] = []
    for await (const some of rows) {
      waiting.push(...some)
      while (waiting.length >= most) yield await this.#ask(keyed, waiting.splice(0, most))
    }
    yield await this.#ask(keyed, waiting)
  }

  find(key: string | undefined, most?: number): readonly Match[] {
    const found = this.#existing.find(key, most)
    const at = alternativeIn(key ?? '')
    if (found.length > 0) this.#counts[at] = (this.#counts[at] ?? 0) + 1
    return found
  }

  /** After the rows, whose errors come first: CrmError `bad_answer` if no record could have matched. Returns lines for people. */
  judge(): readonly string[] {
    this.#seen.judge()
    const by = alternativesOf(this.#names).map((own, at) => `${this.#counts[at] ?? 0} by ${own.join(', ')}`)
    return by.length > 1 ? [`Matched rows: ${by.join(', ')}.`] : []
  }

  /** The records that no row matches: they show no value of the members. */
  get unmatchable(): MatchShown['unmatchable'] {
    return this.#seen.unmatchable
  }

  get members(): ReadonlySet<string> {
    return this.#existing.members
  }

  get summary(): Matching {
    const by = this.#keyRequests > 0 ? 'keys' : 'list'
    const requests = this.#keyRequests > 0 ? this.#keyRequests : this.#parts.pages.pages
    return { by, fields: this.#names, requests, unmatchable: this.unmatchable.count }
  }

  /** A server may also find records by values that they do not show; they match no row. */
  #keysOf(record: CrmRecord, valuesOf: ValuesOf): readonly string[] {
    const keys = keysOfRecord(record, this.#names, valuesOf)
    this.#seen.see(record, keys)
    this.hasSeveralKeys ||= keys.length > 1
    for (const key of damagedKeys(record, this.#names)) this.#existing.addDamaged(key, record, this.#names)
    return keys
  }

  async #ask({ size, read }: KeyReader, rows: readonly InputRow[]): Promise<readonly InputRow[]> {
    const [name = ''] = this.#names
    const values = rows.flatMap((row) => {
      const value = keyOfRow(row, this.#names) === undefined ? undefined : name === 'id' ? row.id : row.fields[name]
      return value ?? []
    })
    const requests = Array.from({ length: Math.ceil(values.length / size) }, (_, n) =>
      read(values.slice(n * size, (n + 1) * size), this.#parts.reading),
    )
    this.#keyRequests += requests.length
    this.#existing.clear()
    for (const records of await Promise.all(requests)) {
      this.#existing.add(records)
      this.#parts.onRead(records.length)
    }
    return rows
  }
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
