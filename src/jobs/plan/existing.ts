import type { ValuesOf } from '../../connector/record-map.ts'
import {
  canonicalJson,
  exactDigits,
  idText,
  type JsonObject,
  type JsonValue,
  memberOf,
  parseExactJson,
} from '../../core/json.ts'
import { foldedText } from '../../core/nearest.ts'
import { listedId } from '../../core/record-ids.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { type KeyIndex, openKeyIndex, openScratch, type Scratch } from './scratch.ts'

export interface Match {
  readonly id: string
  readonly record: CrmRecord
}

/** The key by which a record is found; undefined for a record that is not to be found. */
export type KeyOf = (record: CrmRecord) => string | undefined

export interface ReadExisting {
  readonly folder: string
  readonly pages: AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly keyOf: KeyOf | ((record: CrmRecord) => readonly string[])
  readonly onRead: (count: number) => void
}

export const byId: KeyOf = ({ id }) => idText(id)

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

/** Before a member of `--match` that is tried where those before it match nothing: `email, else phone`. */
const ELSE = 'else '

/** The members to match by, then those that are tried in their place. */
export function alternativesOf(names: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [[]]
  for (const name of names) {
    if (name.startsWith(ELSE)) all.push([name.slice(ELSE.length)])
    else all.at(-1)?.push(name)
  }
  return all
}

/**
 * The keys by which a row matches a record, the first that it has counting: all members of an alternative of `--match`. Texts are folded,
 * numbers compared by value. None if a member of each is missing, null or empty: such a row matches nothing.
 */
function matchKeys(record: JsonObject, names: readonly string[]): readonly string[] {
  return alternativesOf(names).flatMap((own, at) => {
    const key = keyIn(record, own)
    return key === undefined ? [] : [at === 0 ? key : `${ELSE}${at} ${key}`]
  })
}

/** The alternative of which a key is, from 0. */
export function alternativeIn(key: string): number {
  return key.startsWith(ELSE) ? Number.parseInt(key.slice(ELSE.length), 10) : 0
}

/** The first of matchKeys. */
export function matchKey(record: JsonObject, names: readonly string[]): string | undefined {
  return matchKeys(record, names)[0]
}

function keyIn(record: JsonObject, names: readonly string[]): string | undefined {
  const parts: string[] = []
  for (const name of names) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined
    const part = folded(addressIn(name, value) ?? value)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return JSON.stringify(parts)
}

/** By id, or by the members of `--match`, each with every value that it has. */
export function keysOfRecord(record: CrmRecord, names: readonly string[], valuesOf: ValuesOf): readonly string[] {
  if (names[0] === 'id') return [record].flatMap((one) => byId(one) ?? [])
  let forms: readonly CrmRecord[] = [record]
  for (const name of alternativesOf(names).flat()) {
    const others = valuesOf(record, name).filter((value) => value !== record[name])
    if (others.length > 0)
      forms = forms.flatMap((form) => [form, ...others.map((value) => ({ ...form, [name]: value }))])
  }
  return [...new Set(forms.flatMap((form) => matchKeys(form, names)))]
}

interface KeyedRow {
  readonly id?: string | undefined
  readonly fields: JsonObject
}

/** The keys of a row, whose id is no member, in the order in which they are tried. */
export function keysOfRow({ id, fields }: KeyedRow, names: readonly string[]): readonly string[] {
  return names[0] === 'id' ? (id === undefined ? [] : [id]) : matchKeys(fields, names)
}

export function keyOfRow(row: KeyedRow, names: readonly string[]): string | undefined {
  return keysOfRow(row, names)[0]
}

const EMAIL_NAME = /e-?_?mail/i
const MAILTO = /^\s*mailto:\s*([^\s<>?]+@[^\s<>?]+)/i
const NAMED_ADDRESS = /<\s*(?:mailto:)?([^\s<>]+@[^\s<>]+)\s*>\s*$/i

/** The address in `mailto:ada@x.org` or `"Ada" <ada@x.org>`, in a member for email addresses; undefined for any other value. */
export function addressIn(name: string, value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || !EMAIL_NAME.test(name)) return undefined
  return (MAILTO.exec(value) ?? NAMED_ADDRESS.exec(value))?.[1]
}

function folded(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return foldedText(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return exactDigits(value)
}

/** The member by which people identify a record: its email, else its name. */
export function naturalName(record: JsonObject): string | undefined {
  return matchKey(record, ['email']) ?? matchKey(record, ['name'])
}

/** The values of these members, as a text for comparison. Null equals absent, because some servers keep no nulls. */
export function membersText(record: JsonObject, names: readonly string[]): string {
  return names.map((name) => canonicalJson(memberOf(record, name))).join('\n')
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
