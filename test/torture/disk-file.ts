import type { Random } from './random.ts'

/** What a disk writes whole or not at all. */
const SECTOR_BYTES = 512

export type Change = { readonly at: number; readonly data: Uint8Array } | { readonly size: number }

/** One file: what was last synced, and the changes since, which are numbered upwards. */
export class DiskFile {
  readonly #synced: Content
  #changes: { readonly number: number; readonly change: Change }[] = []
  /** As programs see it. */
  sizeBytes: number

  constructor(synced: Uint8Array = new Uint8Array()) {
    this.#synced = new Content(synced)
    this.sizeBytes = synced.length
  }

  change(number: number, change: Change): void {
    this.#changes.push({ number, change })
    this.sizeBytes = sizeAfter(this.sizeBytes, change)
  }

  /** The changes up to this number are on the disk. */
  sync(number: number): void {
    for (const each of this.#changes) if (each.number <= number) this.#synced.apply(each.change)
    this.#changes = this.#changes.filter((each) => each.number > number)
  }

  /** As programs see it. */
  bytes(): Uint8Array {
    const content = new Content(this.#synced.bytes())
    for (const { change } of this.#changes) content.apply(change)
    return content.bytes()
  }

  /**
   * Each sector, and the size, is that of some moment since the last sync: of the first in all, of the last in all, or of
   * any. What a sector has of a moment when the file ended before it, is zeros.
   */
  bytesAfterCut(random: Random): Uint8Array {
    const last = this.#changes.length
    const oldChance = random.next()
    const moment = random.pick([() => 0, () => last, () => (random.chance(oldChance) ? random.between(0, last) : last)])
    const content = new Content(this.#synced.bytes())
    const sizes = [content.sizeBytes]
    for (const { change } of this.#changes) sizes.push(sizeAfter(sizes.at(-1) ?? 0, change))
    const largest = sizes.reduce((most, size) => Math.max(most, size))
    const result = new Uint8Array(largest)
    const sectors = Map.groupBy(Array(Math.ceil(largest / SECTOR_BYTES)).keys(), moment)
    for (let now = 0; now <= last; now++) {
      const before = this.#changes[now - 1]
      if (before) content.apply(before.change)
      for (const sector of sectors.get(now) ?? []) {
        const start = sector * SECTOR_BYTES
        result.set(content.bytes().subarray(start, start + SECTOR_BYTES), start)
      }
    }
    return result.subarray(0, sizes[moment()])
  }
}

class Content {
  /** Zeros behind the size. Longer than that, so that a file of many writes is not copied at each. */
  #room: Uint8Array
  sizeBytes: number

  constructor(bytes: Uint8Array) {
    this.#room = Uint8Array.from(bytes)
    this.sizeBytes = bytes.length
  }

  apply(change: Change): void {
    const size = sizeAfter(this.sizeBytes, change)
    if (size > this.#room.length) {
      const larger = new Uint8Array(2 * size)
      larger.set(this.#room)
      this.#room = larger
    }
    if ('size' in change) this.#room.fill(0, size)
    else this.#room.set(change.data, change.at)
    this.sizeBytes = size
  }

  bytes(): Uint8Array {
    return this.#room.subarray(0, this.sizeBytes)
  }
}

function sizeAfter(before: number, change: Change): number {
  return 'size' in change ? change.size : Math.max(before, change.at + change.data.length)
}
