import { GrowingNumbers } from './growing-numbers.ts'

/** Numbers that belong together (union-find with path halving). */
export class Groups {
  readonly #parents = new GrowingNumbers(Uint32Array)

  /** The next number, alone in its group. */
  add(): number {
    return this.#parents.push(this.#parents.length)
  }

  get count(): number {
    return this.#parents.length
  }

  /** The least number of the group. */
  of(number: number): number {
    let at = number
    for (;;) {
      const parent = this.#parents.at(at)
      if (parent === at) return at
      const above = this.#parents.at(parent)
      this.#parents.set(at, above)
      at = above
    }
  }

  join(one: number, other: number): void {
    const [first, second] = [this.of(one), this.of(other)]
    this.#parents.set(Math.max(first, second), Math.min(first, second))
  }
}
