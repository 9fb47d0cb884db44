import type { JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { HashSet } from './hash-set.ts'

/** Records that one list has shown, on whichever page. Only an id tells that a record is the same, and not alike. */
export class SeenRecords {
  readonly #keys = new HashSet()

  /** All of them came before; of records without ids, a page that is the same from end to end. */
  hasAll(items: readonly CrmRecord[]): boolean {
    if (items.length === 0) return false
    if (!items.every((item) => !hasId(item) || this.#keys.has(keyOf(item.id)))) return false
    return items.every(hasId) || this.#keys.has(pageKeyOf(items))
  }

  /** Most of them are new: a few may come twice when others were added meanwhile. */
  isFurther(items: readonly CrmRecord[]): boolean {
    const repeated = items.length - this.without(items).length
    return repeated * 2 < items.length && !this.hasAll(items)
  }

  without(items: readonly CrmRecord[]): readonly CrmRecord[] {
    const rest = items.filter((item) => !hasId(item) || !this.#keys.has(keyOf(item.id)))
    return rest.length === items.length ? items : rest
  }

  add(items: readonly CrmRecord[]): void {
    for (const item of items) if (hasId(item)) this.#keys.add(keyOf(item.id))
    if (!items.every(hasId)) this.#keys.add(pageKeyOf(items))
  }
}

function hasId(record: CrmRecord): record is CrmRecord & { readonly id: JsonValue } {
  return record.id !== undefined && record.id !== null
}

/** `1` and `"1"` are two ids. */
function keyOf(id: JsonValue): string {
  return typeof id === 'string' ? `"${id}` : JSON.stringify(id)
}

function pageKeyOf(items: readonly CrmRecord[]): string {
  return JSON.stringify(items)
}
