import type { CrmRecord } from '../../core/resources/registry.ts'

interface Page {
  readonly items: readonly CrmRecord[]
}

/** How many requests a list took, and so what it takes once more. */
export class PageCounter {
  #records = 0
  /** The longest: the last one may have few. */
  #longest: number
  #pages = 0

  constructor(pageSize: number | undefined) {
    this.#longest = pageSize ?? 1
  }

  async *counted(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    for await (const page of pages) {
      this.#pages += 1
      this.#records += page.items.length
      // What is asked for is no more than a wish, once a server has shown otherwise.
      if (this.#pages > 1 || page.items.length > this.#longest) {
        this.#longest = Math.max(Math.ceil(this.#records / this.#pages), 1)
      }
      yield page
    }
  }

  /** When there are so many records more. */
  requestsWith(added: number): number {
    return Math.max(1, Math.ceil((this.#records + added) / this.#longest))
  }
}
