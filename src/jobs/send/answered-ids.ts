/** Enough for a server that answers all rows, or adjacent ones, with one id; a job of millions of rows does not keep all ids. */
const MOST_IDS = 20_000

/** The latest ids of created records: of two rows with the same id at most one made a record. */
export class AnsweredIds {
  readonly #ids = new Set<string>()

  /** False when another create was answered with this id. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > MOST_IDS && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }
}
