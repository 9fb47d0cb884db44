import type { Api } from '../api/api.ts'
import { allNotes } from '../api/note-lists.ts'
import type { Page } from '../api/operations.ts'
import { idText, parseExactJson } from '../core/json.ts'
import { listedId } from '../core/record-ids.ts'
import { type CrmRecord, isListed, RESOURCES, type Resource } from '../core/resources/registry.ts'
import { Scratch } from '../jobs/plan/scratch.ts'

/** Of each of the two servers. */
const COPY_CACHE_KIB = 4000

export interface KeptRecord {
  readonly id: string
  readonly record: CrmRecord
}

/** All records of one server, as they were when they were read: on disk, because there may be millions. */
export class RecordCopy {
  readonly #scratch: Scratch
  readonly #add
  readonly #find
  readonly #isNewestFirst = new Map<Resource, boolean>()
  readonly #counts = new Map<Resource, number>()

  constructor(folder: string, name: string) {
    this.#scratch = new Scratch(folder, name, COPY_CACHE_KIB)
    const { database } = this.#scratch
    database.exec(
      'CREATE TABLE copy (type TEXT, made TEXT, seq INTEGER PRIMARY KEY, id TEXT, record TEXT, UNIQUE (type, id))',
    )
    this.#add = database.prepare('INSERT OR IGNORE INTO copy (type, made, id, record) VALUES (?, ?, ?, ?)')
    this.#find = database.prepare('SELECT record FROM copy WHERE type = ? AND id = ?')
  }

  /** In place of those that were read before. */
  async read(type: Resource, pages: AsyncIterable<Page>, onRead: (count: number) => void): Promise<void> {
    this.#scratch.database.prepare('DELETE FROM copy WHERE type = ?').run(type)
    this.#counts.delete(type)
    let first: string | undefined
    let last = ''
    for await (const { items } of pages) {
      let added = 0
      for (const record of items) {
        last = idText(record.created_at) ?? ''
        first ??= last
        // A list that changes while it is read may show a record on two pages.
        added += Number(this.#add.run(type, last, listedId(record), JSON.stringify(record)).changes)
      }
      this.#counts.set(type, this.count(type) + added)
      onRead(added)
    }
    this.#isNewestFirst.set(type, (first ?? '') > last)
  }

  count(type: Resource): number {
    return this.#counts.get(type) ?? 0
  }

  /** The oldest first, so that the records of the target get the order of the source. */
  *all(type: Resource): Generator<KeptRecord, void, undefined> {
    const order = this.#isNewestFirst.get(type) ? 'DESC' : 'ASC'
    const rows = this.#scratch.database.prepare(
      `SELECT id, record FROM copy WHERE type = ? ORDER BY made, seq ${order}`,
    )
    for (const { id, record } of rows.iterate(type)) yield { id: String(id), record: parsed(record) }
  }

  *ids(type: Resource): Generator<string, void, undefined> {
    for (const { id } of this.#scratch.database.prepare('SELECT id FROM copy WHERE type = ?').iterate(type))
      yield String(id)
  }

  has(type: string, id: string): boolean {
    return this.#find.get(type, id) !== undefined
  }

  find(type: Resource, id: string): CrmRecord | undefined {
    const row = this.#find.get(type, id)
    return row && parsed(row.record)
  }

  close(): void {
    this.#scratch.close()
  }
}

function parsed(text: unknown): CrmRecord {
  return parseExactJson(String(text)) as CrmRecord
}

/** All records of a resource; notes with the id of what they are on, which is in the copy if it has any of that kind. */
export async function* recordsOf(
  api: Api,
  type: Resource,
  copy: Pick<RecordCopy, 'ids'>,
): AsyncGenerator<Page, void, undefined> {
  if (isListed(type)) yield* api[RESOURCES[type].plural].list()
  else yield* allNotes(api, (of) => [...copy.ids(of)])
}
