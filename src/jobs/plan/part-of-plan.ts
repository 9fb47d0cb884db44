import { hash } from 'node:crypto'

/** `--limit` or `--sample`: how many of the changes are planned. */
export type Part = { readonly limit: number } | { readonly sample: number } | undefined

interface Candidate<Change> {
  /** Of the record alone, so that a dry run and the run choose the same ones. */
  readonly rank: string
  readonly order: number
  readonly change: Change
}

/** The records of a sample: those with the lowest hashes. Memory grows with the size of the sample alone. */
export class Sample<Change> {
  readonly #size: number
  /** By rank. */
  readonly #kept: Candidate<Change>[] = []
  #offered = 0

  constructor(size: number) {
    this.#size = size
  }

  /** `name`: of the record. */
  offer(name: string, change: Change): void {
    const rank = hash('sha256', name)
    const order = this.#offered++
    const last = this.#kept.at(-1)
    if (last && this.#kept.length >= this.#size && rank >= last.rank) return
    const at = this.#placeOf(rank)
    this.#kept.splice(at, 0, { rank, order, change })
    if (this.#kept.length > this.#size) this.#kept.pop()
  }

  /** In the order in which they were offered. */
  chosen(): readonly Change[] {
    return this.#kept.toSorted((one, other) => one.order - other.order).map(({ change }) => change)
  }

  /** The number of changes that are left out. */
  get others(): number {
    return this.#offered - this.#kept.length
  }

  #placeOf(rank: string): number {
    let [low, high] = [0, this.#kept.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#kept[middle]?.rank ?? '') < rank) low = middle + 1
      else high = middle
    }
    return low
  }
}
