import { canonicalJson, idText, type JsonObject, memberOf, parseExactJson } from '../../core/json.ts'
import { listedId } from '../../core/record-ids.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { matchKey } from './match-key.ts'
import { openScratch, type Scratch } from './scratch.ts'

export interface Match {
  readonly id: string
  readonly record: CrmRecord
}

/** The key by which a record is found; undefined for a record that is not to be found. */
export type KeyOf = (record: CrmRecord) => string | undefined

export interface ReadExisting {
  readonly folder: string
  readonly pages: AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly keyOf: KeyOf
  readonly onRead: (count: number) => void
  /** Records are only compared, not changed or named. Otherwise a record without an id is CrmError `bad_answer`. */
  readonly isIdUnused?: true
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

  static async read({ folder, pages, keyOf, onRead, isIdUnused }: ReadExisting): Promise<Existing> {
    const scratch = openScratch(folder, 'existing')
    const { database } = scratch
    database.exec('CREATE TABLE existing (key TEXT, id TEXT, record TEXT)')
    const add = database.prepare('INSERT INTO existing VALUES (?, ?, ?)')
    for await (const { items } of pages) {
      for (const record of items) {
        const id = isIdUnused ? (idText(record.id) ?? '') : listedId(record)
        const key = keyOf(record)
        if (key !== undefined) add.run(key, id, JSON.stringify(record))
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

/** The member by which people identify a record: its email, else its name. */
export function naturalName(record: JsonObject): string | undefined {
  return matchKey(record, ['email']) ?? matchKey(record, ['name'])
}

/** The values of these members, as a text for comparison. Null equals absent, because some servers keep no nulls. */
export function textOf(record: JsonObject, names: readonly string[]): string {
  return names.map((name) => canonicalJson(memberOf(record, name))).join('\n')
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

  /** The requests to read the list with so many more records. */
  requestsWith(added: number): number {
    return Math.max(1, Math.ceil((this.#records + added) / this.#longest))
  }
}
