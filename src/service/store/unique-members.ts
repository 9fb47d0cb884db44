import { decodeId, encodeId } from '../../core/ids.ts'
import { isOpenResource, type OpenResource } from '../../core/resources/registry.ts'
import { uniqueValues } from './change-rules.ts'
import { tableOf } from './schema.ts'
import type { Session, SqlDialect, Transaction } from './sql.ts'
import type { RecordChange, SharedValue, StoreWrite, UniqueMember, WriteState } from './store.ts'

/** Records that are read at once when a member becomes unique. */
const RECORDS_PER_STEP = 5000

/** A normalised value of a unique member. */
interface UniqueValue extends UniqueMember {
  readonly value: string
}

export async function readUniqueMembers(session: Session): Promise<readonly UniqueMember[]> {
  const rows = await session.all<readonly [OpenResource, string]>(
    'SELECT resource, member FROM unique_fields ORDER BY resource, member',
  )
  return rows.map(([resource, member]) => ({ resource, member }))
}

function uniqueMembersOf(unique: readonly UniqueMember[], resource: string): readonly string[] {
  return unique.filter((each) => each.resource === resource).map(({ member }) => member)
}

/** Reads every record of a resource once when members of it are added. */
export async function replaceUniqueMembers(
  tx: Transaction,
  wanted: readonly UniqueMember[],
): Promise<readonly SharedValue[]> {
  const before = await readUniqueMembers(tx)
  const added = without(wanted, before)
  for (const { resource, member } of added) {
    await tx.run('INSERT INTO unique_fields (resource, member) VALUES ($1, $2)', resource, member)
  }
  const shared: SharedValue[] = []
  for (const resource of new Set(added.map((each) => each.resource))) {
    shared.push(...(await addRecords(tx, resource, uniqueMembersOf(added, resource))))
  }
  for (const { resource, member } of shared.length > 0 ? added : without(before, wanted)) {
    await tx.run('DELETE FROM unique_fields WHERE resource = $1 AND member = $2', resource, member)
  }
  return shared
}

function without(members: readonly UniqueMember[], others: readonly UniqueMember[]): readonly UniqueMember[] {
  return members.filter(
    ({ resource, member }) => !others.some((other) => other.resource === resource && other.member === member),
  )
}

/** Adds the values of all records. Shared values are not added and returned. */
async function addRecords(
  tx: Transaction,
  resource: OpenResource,
  members: readonly string[],
): Promise<readonly SharedValue[]> {
  const shared = new Map<string, SharedValue & { readonly ids: string[] }>()
  for (let after = 0; ; ) {
    const rows = await tx.all<readonly [number, string]>(
      `SELECT id, text FROM ${tableOf(resource)} WHERE id > $1 ORDER BY id LIMIT ${RECORDS_PER_STEP}`,
      after,
    )
    const last = rows.at(-1)
    if (!last) return [...shared.values()]
    after = last[0]
    const values = rows.flatMap(([serial, text]) =>
      [...uniqueValues(text, members)].map(([member, value]) => ({ resource, member, value, serial })),
    )
    const holders = await Promise.all(values.map((each) => addValue(tx, each)))
    for (const [place, { member, value, serial }] of values.entries()) {
      const holder = holders[place]
      if (holder === undefined) continue
      const key = JSON.stringify([member, value])
      const known = shared.get(key) ?? { resource, member, value, ids: [encodeId(resource, holder)] }
      known.ids.push(encodeId(resource, serial))
      shared.set(key, known)
    }
  }
}

/** Adds a value, or returns the serial of the record that has it. */
async function addValue(
  tx: Transaction,
  value: UniqueValue & { readonly serial: number },
): Promise<number | undefined> {
  const [insert, ...row] = insertUniqueValue(tx.dialect, value, value.serial)
  return (await tx.run(`${insert} ON CONFLICT DO NOTHING`, ...row)) > 0 ? undefined : findHolder(tx, value)
}

/** The statement that adds a value. */
function insertUniqueValue(
  { bounded }: SqlDialect,
  { resource, member, value }: UniqueValue,
  serial: number,
): readonly [sql: string, ...values: (string | number)[]] {
  const sql = 'INSERT INTO unique_field_values (resource, member, value, record_id) VALUES ($1, $2, $3, $4)'
  return [sql, resource, member, bounded(value), serial]
}

/** The serial of the record with the value. */
async function findHolder(session: Session, { resource, member, value }: UniqueValue): Promise<number | undefined> {
  const holder = await session.get<[number]>(
    'SELECT record_id FROM unique_field_values WHERE resource = $1 AND member = $2 AND value = $3',
    resource,
    member,
    session.dialect.bounded(value),
  )
  return holder?.[0]
}

/** The unique values that a batch reads and changes. Without unique members it does nothing. */
export class UniqueValues {
  readonly #tx: Transaction
  readonly #members: ReadonlyMap<string, readonly string[]>
  /** The holder of each value that was looked up; undefined when it is free. */
  readonly #holders = new Map<string, number | undefined>()

  constructor(tx: Transaction, unique: readonly UniqueMember[]) {
    this.#tx = tx
    this.#members = new Map(unique.map(({ resource }) => [resource, uniqueMembersOf(unique, resource)]))
  }

  /** Looks up the values that writes will probably have, at once, where an answer takes a while; `stateOf` makes states for a trial. */
  async load(writes: readonly StoreWrite[], stateOf: (write: StoreWrite) => WriteState): Promise<void> {
    if (this.#members.size === 0 || !this.#tx.dialect.isRemote) return
    const values = writes.flatMap((write) => {
      const { resource } = write
      if (!isOpenResource(resource) || !this.#members.has(resource)) return []
      return this.#valuesOf(resource, triedText(write, stateOf(write)))
    })
    await Promise.all(values.map((each) => this.#lookUp(each)))
  }

  /** Whether the resource of a write has unique members. */
  isChecked({ resource }: StoreWrite): boolean {
    return this.#members.has(resource)
  }

  /** The first value that another record already has. */
  async takenBy(
    { resource }: StoreWrite,
    id: string,
    { next }: RecordChange,
  ): Promise<{ readonly member: string; readonly existingId: string } | undefined> {
    if (!next || !isOpenResource(resource)) return undefined
    const serial = decodeId(resource, id)
    for (const each of this.#valuesOf(resource, next.text)) {
      if (!this.#holders.has(valueKey(each))) await this.#lookUp(each)
      const holder = this.#holders.get(valueKey(each))
      if (holder !== undefined && holder !== serial) {
        return { member: each.member, existingId: encodeId(resource, holder) }
      }
    }
    return undefined
  }

  /** Replaces the values of a record; undefined removes them. */
  put(resource: OpenResource, id: string, text: string | undefined): void {
    if (!this.#members.has(resource)) return
    const serial = decodeId(resource, id) ?? 0
    for (const [key, holder] of this.#holders) if (holder === serial) this.#holders.set(key, undefined)
    this.#tx.later('DELETE FROM unique_field_values WHERE resource = $1 AND record_id = $2', resource, serial)
    for (const each of this.#valuesOf(resource, text)) {
      this.#holders.set(valueKey(each), serial)
      this.#tx.later(...insertUniqueValue(this.#tx.dialect, each, serial))
    }
  }

  async #lookUp(value: UniqueValue): Promise<void> {
    this.#holders.set(valueKey(value), await findHolder(this.#tx, value))
  }

  #valuesOf(resource: OpenResource, text: string | undefined): readonly UniqueValue[] {
    const members = this.#members.get(resource)
    if (!members || text === undefined) return []
    return [...uniqueValues(text, members)].map(([member, value]) => ({ resource, member, value }))
  }
}

function valueKey({ resource, member, value }: UniqueValue): string {
  return JSON.stringify([resource, member, value])
}

/** Undefined for a write that refuses: it refuses again when it is applied. */
function triedText(write: StoreWrite, state: WriteState): string | undefined {
  try {
    return write.decide(state).next?.text
  } catch {
    return undefined
  }
}
