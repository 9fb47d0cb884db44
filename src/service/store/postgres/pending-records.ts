import { decodeId } from '../../../core/ids.ts'
import { STORED_RESOURCES, type StoredResource } from '../../../core/resources/registry.ts'
import { findRows } from '../pages.ts'
import type { Value } from '../sql.ts'
import type { RecordChange, StoredRecord, StoreWrite } from '../store.ts'
import type { PostgresSession, PostgresTransaction } from './database.ts'
import { type OwnValues, ownValues, serialOf, statementsOf } from './record-tables.ts'

const SQL = Object.fromEntries(STORED_RESOURCES.map((resource) => [resource, statementsOf(resource)])) as Readonly<
  Record<StoredResource, ReturnType<typeof statementsOf>>
>

interface PendingRow {
  readonly version: number
  readonly text: string
  /** Undefined: the columns stay as they are. */
  readonly own: OwnValues | undefined
}

/** The rows of one table that a batch has still to write. */
interface PendingTable {
  readonly inserts: Map<number, PendingRow>
  readonly updates: Map<number, PendingRow>
  readonly removals: Set<number>
}

/** The records that the writes of a batch read and change; the last state of each is written at once. */
export class PendingRecords {
  readonly #tx: PostgresTransaction
  readonly #known: Map<string, StoredRecord | undefined>
  readonly #tables = new Map<StoredResource, PendingTable>()

  constructor(tx: PostgresTransaction, known: KnownRecords) {
    this.#tx = tx
    this.#known = new Map(known)
  }

  /** A record that is known or was written by the batch, if it exists and is one of the resource. */
  find(resource: StoredResource, id: string): StoredRecord | undefined {
    return decodeId(resource, id) === undefined ? undefined : this.#known.get(id)
  }

  put(write: StoreWrite, id: string, change: RecordChange & { next: NonNullable<RecordChange['next']> }): void {
    const { version, text } = change.next
    const serial = serialOf(write.resource, id)
    const { inserts, updates } = this.#tableOf(write.resource)
    const own = ownValues(write, change)
    this.#known.set(id, { id, version, text })
    const rows = write.id === undefined || inserts.has(serial) ? inserts : updates
    rows.set(serial, { version, text, own: own ?? rows.get(serial)?.own })
  }

  remove(resource: StoredResource, id: string): void {
    const serial = serialOf(resource, id)
    const { inserts, updates, removals } = this.#tableOf(resource)
    this.#known.set(id, undefined)
    updates.delete(serial)
    if (!inserts.delete(serial)) removals.add(serial)
  }

  /** Whether the batch has rows of the resource to write. */
  hasPending(resource: StoredResource): boolean {
    return this.#tables.has(resource)
  }

  knowsAny(resource: StoredResource): boolean {
    return [...this.#known.keys()].some((id) => decodeId(resource, id) !== undefined)
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

  flush(): void {
    for (const [resource, { inserts, updates, removals }] of this.#tables) {
      const { insert, update, updateText, remove } = SQL[resource]
      if (inserts.size > 0) this.#tx.later(insert, ...listsOf([...inserts]))
      const [whole, textOnly] = partition([...updates], ([, { own }]) => own !== undefined)
      if (whole.length > 0) this.#tx.later(update, ...listsOf(whole))
      if (textOnly.length > 0) this.#tx.later(updateText, ...listsOf(textOnly))
      if (removals.size > 0) this.#tx.later(remove, [...removals])
    }
    this.#tables.clear()
  }

  #tableOf(resource: StoredResource): PendingTable {
    const known = this.#tables.get(resource)
    if (known) return known
    const table = { inserts: new Map(), updates: new Map(), removals: new Set<number>() }
    this.#tables.set(resource, table)
    return table
  }
}

/** By id; undefined for one that does not exist. */
type KnownRecords = ReadonlyMap<string, StoredRecord | undefined>

/** Reads records by one statement for each resource. */
export async function readKnown(
  session: PostgresSession,
  ids: readonly { readonly resource: StoredResource; readonly id: string }[],
): Promise<KnownRecords> {
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
  const byResource = Map.groupBy(ids, ({ resource }) => resource)
  await Promise.all([...byResource].map(([resource, group]) => read(resource, group)))
  return known
}

/** One list for each column. */
function listsOf(rows: readonly (readonly [number, PendingRow])[]): Value[] {
  const width = rows[0]?.[1].own?.length ?? 0
  return [
    rows.map(([serial]) => serial),
    rows.map(([, { version }]) => version),
    rows.map(([, { text }]) => text),
    ...Array.from({ length: width }, (_, place) => rows.map(([, { own }]) => own?.[place] ?? null)),
  ]
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
