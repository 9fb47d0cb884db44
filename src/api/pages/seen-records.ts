import { idText, isJsonObject, isSameJson, type JsonValue } from '../../core/json.ts'
import { RECORD_ID_NAMES } from '../../core/record-ids.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

/** Slots of 8 bytes: 64 MiB, for 6 million texts. Further texts are not added. */
const MAX_SLOTS = 2 ** 23

const FIRST_SLOTS = 2 ** 8

/** The part of the slots that is used before their number is doubled. */
const FULL = 0.75

/** The records of a list so far. Only ids show that two records are the same one. */
export class SeenRecords {
  readonly #keys = new HashSet()

  /** Whether all are repeated; records without ids count as repeated with their whole page. */
  hasAll(items: readonly CrmRecord[]): boolean {
    if (items.length === 0) return false
    if (!items.every((item) => !hasId(item) || this.#keys.has(keyOf(item)))) return false
    return items.every(hasId) || this.#keys.has(pageKeyOf(items))
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

/** A page without records that it repeats, and one whose id another record has, too. */
export function onceEach(items: readonly CrmRecord[]): { items: readonly CrmRecord[]; clash: CrmRecord | undefined } {
  const byKey = new Map<string, CrmRecord>()
  let clash: CrmRecord | undefined
  const once = items.filter((item) => {
    if (!hasId(item)) return true
    const key = keyOf(item)
    const before = byKey.get(key)
    byKey.set(key, before ?? item)
    if (!before) return true
    const isSame = isSameJson(before, item)
    if (!isSame) clash ??= item
    return !isSame
  })
  return { items: once.length === items.length ? items : once, clash }
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

/** The id of a record; undefined if it has none. MongoDB: `{"$oid": "..."}`. */
function recordKey(record: CrmRecord): JsonValue | undefined {
  if (record.id !== undefined && record.id !== null) return record.id
  for (const name of RECORD_ID_NAMES) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined
    const id = idText(isJsonObject(value) ? value.$oid : value)
    if (id !== undefined && id !== '' && id !== '0') return id
  }
  return undefined
}

/**
 * A set of texts by hashes of 64 bits, in 11 to 21 bytes each; a Set of the texts of a million records takes 100 MB. The
 * probability that two of a million texts have the same hash is 3 in 100 million.
 */
export class HashSet {
  #slots = new Uint32Array(2 * FIRST_SLOTS)
  #size = 0
  #low = 0
  #high = 0

  has(text: string): boolean {
    this.#hash(text)
    return this.#isAt(this.#find(this.#slots, this.#low, this.#high))
  }

  add(text: string): void {
    this.#hash(text)
    const at = this.#find(this.#slots, this.#low, this.#high)
    if (this.#isAt(at) || this.#size >= MAX_SLOTS * FULL) return
    this.#slots[at] = this.#low
    this.#slots[at + 1] = this.#high
    this.#size += 1
    const slots = this.#slots.length / 2
    if (this.#size >= slots * FULL && slots < MAX_SLOTS) this.#grow()
  }

  #isAt(at: number): boolean {
    return this.#slots[at] !== 0 || this.#slots[at + 1] !== 0
  }

  /** The slot of the hash, or the empty slot for it. */
  #find(slots: Uint32Array, low: number, high: number): number {
    let at = (low << 1) & (slots.length - 1)
    while ((slots[at] !== low || slots[at + 1] !== high) && (slots[at] !== 0 || slots[at + 1] !== 0)) {
      at = (at + 2) & (slots.length - 1)
    }
    return at
  }

  #grow(): void {
    const before = this.#slots
    const slots = new Uint32Array(2 * before.length)
    for (let from = 0; from < before.length; from += 2) {
      const [low = 0, high = 0] = [before[from], before[from + 1]]
      if (low === 0 && high === 0) continue
      const at = this.#find(slots, low, high)
      slots[at] = low
      slots[at + 1] = high
    }
    this.#slots = slots
  }

  /** Two lanes like those of MurmurHash3 (public domain, Austin Appleby); each step mixes in the other lane. */
  #hash(text: string): void {
    let low = 0x9747b28c
    let high = text.length
    for (let n = 0; n < text.length; n++) {
      const code = text.charCodeAt(n)
      low = Math.imul(turned(low ^ Math.imul(code + 1, 0xcc9e2d51), 13) + high, 5) + 0xe6546b64
      high = Math.imul(turned(high ^ Math.imul(code + 1, 0x1b873593), 17) + low, 5) + 0x38b34ae5
    }
    low = mixed(low ^ mixed(high))
    high = mixed(high + low)
    this.#low = low >>> 0
    // Not 0, which marks an empty slot.
    this.#high = high >>> 0 || 1
  }
}

function turned(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}

function mixed(value: number): number {
  const one = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const two = Math.imul(one ^ (one >>> 13), 0xc2b2ae35)
  return two ^ (two >>> 16)
}
