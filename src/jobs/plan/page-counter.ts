import type { CrmRecord } from '../../core/resources/registry.ts'

interface Page {
  readonly items: readonly CrmRecord[]
}

/** Counts the requests of a list, to estimate those of reading it again. */
export class PageCounter {
  #records = 0
  /** Records on a page; the last page may have fewer. */
  #longest: number
  #pages = 0

  constructor(pageSize: number | undefined) {
    this.#longest = pageSize ?? 1
  }

  async *counted(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    for await (const page of pages) {
      this.#pages += 1
      this.#records += page.items.length
      // A server may use another page size than the one that is asked for.
      if (this.#pages > 1 || page.items.length > this.#longest) {
        this.#longest = Math.max(Math.ceil(this.#records / this.#pages), 1)
      }
      yield page
    }
  }

  /** The requests to read the list with so many more records. */
  requestsWith(added: number): number {
    return Math.max(1, Math.ceil((this.#records + added) / this.#longest))
  }
}
