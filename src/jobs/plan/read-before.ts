import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseExactJson } from '../../core/exact-json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

export interface BeforeImage {
  readonly op: number
  readonly id: string
  readonly record: CrmRecord
}

/** Records as they were before a job changed them, in the order of its operations; none where the job has none. */
async function* readBefore(path: string): AsyncGenerator<BeforeImage, void, undefined> {
  if (!existsSync(path)) return
  for await (const line of createInterface({ input: createReadStream(path) })) {
    yield parseExactJson(line) as unknown as BeforeImage
  }
}

/** For one who asks in the order of operations. */
export class BeforeImages {
  readonly #images: AsyncGenerator<BeforeImage, void, undefined>
  #next: BeforeImage | undefined

  constructor(path: string) {
    this.#images = readBefore(path)
  }

  async of(op: number): Promise<CrmRecord | undefined> {
    while (this.#next === undefined || this.#next.op < op) {
      const { value, done } = await this.#images.next()
      if (done || !value) return undefined
      this.#next = value
    }
    return this.#next.op === op ? this.#next.record : undefined
  }

  async close(): Promise<void> {
    await this.#images.return()
  }
}
