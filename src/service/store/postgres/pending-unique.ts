import { decodeId, encodeId } from '../../../core/ids.ts'
import { isOpenResource, type OpenResource } from '../../../core/resources/registry.ts'
import { uniqueValues } from '../change-rules.ts'
import type { RecordChange, StoreWrite, UniqueMember, WriteState } from '../store.ts'
import { type TakenValue, uniqueMembersOf } from '../unique-members.ts'
import type { PostgresTransaction } from './database.ts'
import { findHolders, storeUniqueValues, valueKey } from './unique-members.ts'

interface Value {
  readonly resource: OpenResource
  readonly member: string
  readonly value: string
}

/** The unique values that a batch reads and changes. Without unique members it does nothing. */
export class PendingUnique {
  readonly #tx: PostgresTransaction
  readonly #members: ReadonlyMap<string, readonly string[]>
  /** The holder of each value that was looked up; undefined when it is free. */
  readonly #holders = new Map<string, number | undefined>()
  /** The values of changed records, by id. */
  readonly #changed = new Map<string, { resource: OpenResource; id: string; values: ReadonlyMap<string, string> }>()

  constructor(tx: PostgresTransaction, unique: readonly UniqueMember[]) {
    this.#tx = tx
    this.#members = new Map(unique.map(({ resource }) => [resource, uniqueMembersOf(unique, resource)]))
  }

  /** Looks up the values that writes will probably have, at once; `stateOf` makes states for a trial. */
  async load(writes: readonly StoreWrite[], stateOf: (write: StoreWrite) => WriteState): Promise<void> {
    if (this.#members.size === 0) return
    const values: Value[] = []
    for (const write of writes) {
      const { resource } = write
      if (!isOpenResource(resource) || !this.#members.has(resource)) continue
      const state = stateOf(write)
      values.push(
        ...this.#valuesOf(resource, state.current?.text),
        ...this.#valuesOf(resource, triedText(write, state)),
      )
    }
    await this.#lookUp(values)
  }

  /** The first value that another record already has. */
  async takenBy({ resource }: StoreWrite, id: string, { next }: RecordChange): Promise<TakenValue | undefined> {
    if (!next || !isOpenResource(resource)) return undefined
    const serial = decodeId(resource, id)
    for (const each of this.#valuesOf(resource, next.text)) {
      const key = valueKey(resource, each.member, each.value)
      if (!this.#holders.has(key)) {
        this.flush()
        await this.#lookUp([each])
      }
      const holder = this.#holders.get(key)
      if (holder !== undefined && holder !== serial) {
        return { member: each.member, existingId: encodeId(resource, holder) }
      }
    }
    return undefined
  }

  /** Replaces the values of a record; undefined removes them. */
  put(resource: OpenResource, id: string, text: string | undefined): void {
    if (!this.#members.has(resource)) return
    const serial = decodeId(resource, id)
    for (const [key, holder] of this.#holders) if (holder === serial) this.#holders.set(key, undefined)
    const values = this.#valuesOf(resource, text)
    for (const { member, value } of values) this.#holders.set(valueKey(resource, member, value), serial)
    this.#changed.set(id, { resource, id, values: new Map(values.map(({ member, value }) => [member, value])) })
  }

  flush(): void {
    if (this.#changed.size === 0) return
    storeUniqueValues(this.#tx, [...this.#changed.values()])
    this.#changed.clear()
  }

  async #lookUp(values: readonly Value[]): Promise<void> {
    if (values.length === 0) return
    const holders = await findHolders(this.#tx, values)
    for (const { resource, member, value } of values) {
      const key = valueKey(resource, member, value)
      this.#holders.set(key, holders.get(key))
    }
  }

  #valuesOf(resource: OpenResource, text: string | undefined): readonly Value[] {
    const members = this.#members.get(resource)
    if (!members || text === undefined) return []
    return [...uniqueValues(text, members)].map(([member, value]) => ({ resource, member, value }))
  }
}

/** Undefined for a write that refuses: it refuses again when it is applied. */
function triedText(write: StoreWrite, state: WriteState): string | undefined {
  try {
    return write.decide(state).next?.text
  } catch {
    return undefined
  }
}
