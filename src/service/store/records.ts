import { decodeId } from '../../core/ids.ts'
import { isOpenResource, STORED_RESOURCES, type StoredResource } from '../../core/resources/registry.ts'
import { filterColumns } from './change-rules.ts'
import { findRows } from './pages.ts'
import { ownColumns, tableOf } from './schema.ts'
import type { Session, SqlDialect, Transaction } from './sql.ts'
import type { RecordChange, StoredRecord, StoreWrite } from './store.ts'

interface Statements {
  /** Besides those of every record. */
  readonly columns: number
  readonly insert: string
  readonly update: string
  /** Leaves the columns, and so their indexes, as they are. */
  readonly updateText: string
  readonly remove: string
}

const SQL = Object.fromEntries(STORED_RESOURCES.map((name) => [name, statementsOf(name)])) as Readonly<
  Record<StoredResource, Statements>
>

function statementsOf(resource: StoredResource): Statements {
  const table = tableOf(resource)
  const own = ownColumns(resource)
  const columns = ['id', 'version', 'text', ...own]
  // A webhook keeps its secret unless it is given another.
  const assigned = own.map((name, place) =>
    name === 'secret' ? `${name} = coalesce($${place + 4}, ${name})` : `${name} = $${place + 4}`,
  )
  return {
    columns: own.length,
    insert: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, place) => `$${place + 1}`).join(', ')})`,
    update: `UPDATE ${table} SET ${['version = $2', 'text = $3', ...assigned].join(', ')} WHERE id = $1`,
    updateText: `UPDATE ${table} SET version = $2, text = $3 WHERE id = $1`,
    remove: `DELETE FROM ${table} WHERE id = $1`,
  }
}

type Next = NonNullable<RecordChange['next']>

/** The records that the writes of a batch read and change. */
export class KnownRecords {
  readonly #tx: Transaction
  readonly #known: Map<string, StoredRecord | undefined>

  constructor(tx: Transaction, known: Map<string, StoredRecord | undefined>) {
    this.#tx = tx
    this.#known = known
  }

  /** A record that is known or was written by the batch, if it exists and is one of the resource. */
  find(resource: StoredResource, id: string): StoredRecord | undefined {
    return decodeId(resource, id) === undefined ? undefined : this.#known.get(id)
  }

  put(write: StoreWrite, id: string, { version, text }: Next, change: RecordChange): void {
    const { resource } = write
    const { insert, update, updateText, columns } = SQL[resource]
    const serial = serialOf(resource, id)
    const current = this.#known.get(id)
    const own = ownValues(this.#tx.dialect, write, text, change)
    // SQLite takes a missing value for NULL.
    if (own.length > 0 && own.length !== columns) throw new Error(`${own.length} values for ${columns} columns`)
    this.#known.set(id, { id, version, text })
    if (write.id === undefined) this.#tx.later(insert, serial, version, text, ...own)
    else if (own.length === 0 || isKept(resource, current, text)) this.#tx.later(updateText, serial, version, text)
    else this.#tx.later(update, serial, version, text, ...own)
  }

  /** Also removes the notes of a deal. */
  remove(resource: StoredResource, id: string): void {
    this.#known.set(id, undefined)
    this.#tx.later(SQL[resource].remove, serialOf(resource, id))
  }

  /** Reads the known records of a resource again, after the database has deleted some. */
  async reload(resource: StoredResource): Promise<void> {
    const ids = [...this.#known.keys()].filter((id) => decodeId(resource, id) !== undefined)
    const found = await readKnown(
      this.#tx,
      ids.map((id) => ({ resource, id })),
    )
    for (const [id, record] of found) this.#known.set(id, record)
  }
}

/** Reads records by one statement for each resource; undefined for one that does not exist. */
export async function readKnown(
  session: Session,
  ids: readonly { readonly resource: StoredResource; readonly id: string }[],
): Promise<ReadonlyMap<string, StoredRecord | undefined>> {
  const known = new Map<string, StoredRecord | undefined>(ids.map(({ id }) => [id, undefined]))
  const read = async (resource: StoredResource, group: typeof ids): Promise<void> => {
    const idOf = new Map<number, string>()
    for (const { id } of group) {
      const serial = decodeId(resource, id)
      if (serial !== undefined) idOf.set(serial, id)
    }
    for (const [serial, version, text] of await findRows(session, resource, [...idOf.keys()])) {
      const id = idOf.get(serial)
      if (id !== undefined) known.set(id, { id, version, text })
    }
  }
  await Promise.all([...Map.groupBy(ids, ({ resource }) => resource)].map(([resource, group]) => read(resource, group)))
  return known
}

/** Whether a record has the same values in the columns of its filters. */
function isKept(resource: StoredResource, current: StoredRecord | undefined, text: string): boolean {
  if (!isOpenResource(resource) || !current) return false
  const before = filterColumns(resource, current.text)
  return filterColumns(resource, text).every((value, place) => value === before[place])
}

/** Empty when the change keeps them. */
function ownValues(
  { bounded }: SqlDialect,
  { resource, parent }: StoreWrite,
  text: string,
  { deal, webhook }: RecordChange,
): readonly (string | number | null)[] {
  if (parent) return [serialOf(parent.resource, parent.id)]
  if (isOpenResource(resource)) return filterColumns(resource, text).map((value) => value && bounded(value))
  if (deal) {
    const { name, stage, ownerId, pipelineId, amount } = deal
    return [bounded(name), bounded(stage), ownerId && bounded(ownerId), bounded(pipelineId), amount]
  }
  if (webhook) return [webhook.url, JSON.stringify(webhook.events), webhook.secret ?? null]
  return []
}

function serialOf(resource: StoredResource, id: string): number {
  const serial = decodeId(resource, id)
  if (serial === undefined) throw new Error(`${id} is not an id of a ${resource}`)
  return serial
}
