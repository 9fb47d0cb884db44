import type { CrmRecord } from '../../core/resources/registry.ts'
import { HashSet } from './hash-set.ts'
import { recordKey } from './record-key.ts'

/** The records of a list so far. Only ids show that two records are the same one. */
export class SeenRecords {
  readonly #keys = new HashSet()

  /** Whether all are repeated; records without ids, when the whole page is. */
  hasAll(items: readonly CrmRecord[]): boolean {
    if (items.length === 0) return false
    if (!items.every((item) => !hasId(item) || this.#keys.has(keyOf(item)))) return false
    return items.every(hasId) || this.#keys.has(pageKeyOf(items))
  }

  /** Whether most are new: a few may be repeated when others were added during the read. */
  isFurther(items: readonly CrmRecord[]): boolean {
    const repeated = items.length - this.without(items).length
    return repeated * 2 < items.length && !this.hasAll(items)
  }

  without(items: readonly CrmRecord[]): readonly CrmRecord[] {
    const rest = items.filter((item) => !hasId(item) || !this.#keys.has(keyOf(item)))
    return rest.length === items.length ? items : rest
  }

  add(items: readonly CrmRecord[]): void {
    for (const item of items) if (hasId(item)) this.#keys.add(keyOf(item))
    if (!items.every(hasId)) this.#keys.add(pageKeyOf(items))
  }
}

function hasId(record: CrmRecord): boolean {
  return recordKey(record) !== undefined
}

/** `1` and `"1"` are different ids. */
function keyOf(record: CrmRecord): string {
  const id = recordKey(record)
  return typeof id === 'string' ? `"${id}` : JSON.stringify(id)
}

function pageKeyOf(items: readonly CrmRecord[]): string {
  return JSON.stringify(items)
}
