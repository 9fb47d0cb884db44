/** Enough for a server that answers all rows alike, or its neighbours; a job of millions of rows does not keep all its ids. */
const MOST_IDS = 20_000

/** The ids that creates were answered with lately: two rows that were answered with the same one did not both make a record. */
export class AnsweredIds {
  readonly #ids = new Set<string>()

  /** False where another create was answered with it. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > MOST_IDS && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }
}
