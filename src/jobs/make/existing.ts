import { idText, parseExactJson } from '../../core/exact-json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { matchKey } from '../match-key.ts'
import { openScratch, type Scratch } from './scratch.ts'

export interface Match {
  readonly id: string
  readonly record: CrmRecord
}

type Pages = AsyncIterable<{ readonly items: readonly CrmRecord[] }>

/** The records that are there, by what they are matched by: read once, and kept on disk, for there may be millions. */
export class Existing {
  readonly #scratch: Scratch
  readonly #names: readonly string[]

  private constructor(scratch: Scratch, names: readonly string[]) {
    this.#scratch = scratch
    this.#names = names
  }

  /** `names` are the members to match by; `id` alone matches by id. */
  static async read(
    folder: string,
    pages: Pages,
    names: readonly string[],
    onRead: (count: number) => void,
  ): Promise<Existing> {
    const scratch = openScratch(folder, 'existing')
    const { database } = scratch
    database.exec('CREATE TABLE existing (key TEXT, id TEXT, record TEXT)')
    const add = database.prepare('INSERT INTO existing VALUES (?, ?, ?)')
    for await (const { items } of pages) {
      for (const record of items) {
        const id = idText(record.id)
        const key = isById(names) ? id : matchKey(record, names)
        if (id !== undefined && key !== undefined) add.run(key, id, JSON.stringify(record))
      }
      onRead(items.length)
    }
    database.exec('CREATE INDEX by_key ON existing (key)')
    return new Existing(scratch, names)
  }

  /** None, one, or the first two of several. */
  find(record: CrmRecord): readonly Match[] {
    const key = isById(this.#names) ? idText(record.id) : matchKey(record, this.#names)
    if (key === undefined) return []
    this.#find ??= this.#scratch.database.prepare('SELECT id, record FROM existing WHERE key = ? LIMIT 2')
    return this.#find.all(key).map(({ id, record: text }) => ({
      id: String(id),
      record: parseExactJson(String(text)) as CrmRecord,
    }))
  }

  close(): void {
    this.#scratch.close()
  }

  #find: ReturnType<Scratch['database']['prepare']> | undefined
}

function isById(names: readonly string[]): boolean {
  return names.length === 1 && names[0] === 'id'
}
