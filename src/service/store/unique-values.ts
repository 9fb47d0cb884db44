import { decodeId, encodeId } from '../../core/ids.ts'
import { isOpenResource, type OpenResource } from '../../core/resources/registry.ts'
import { uniqueValues } from './change-rules.ts'
import type { Transaction } from './sql.ts'
import type { RecordChange, StoreWrite, UniqueMember, WriteState } from './store.ts'
import { findHolder, insertUniqueValue, type UniqueValue, uniqueMembersOf } from './unique-members.ts'

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
