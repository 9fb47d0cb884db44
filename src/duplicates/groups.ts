/** Numbers that belong together (union-find with path halving). */
export class Groups {
  readonly #parents: number[] = []

  /** The next number, alone in its group. */
  add(): number {
    return this.#parents.push(this.#parents.length) - 1
  }

  /** The least number of the group. */
  of(number: number): number {
    let at = number
    for (;;) {
      const parent = this.#parents[at] ?? at
      if (parent === at) return at
      const above = this.#parents[parent] ?? parent
      this.#parents[at] = above
      at = above
    }
  }

  join(one: number, other: number): void {
    const [first, second] = [this.of(one), this.of(other)]
    this.#parents[Math.max(first, second)] = Math.min(first, second)
  }
}
