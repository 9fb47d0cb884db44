import { closeSync, createReadStream, existsSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { toMachineError } from '../../files/machine-error.ts'

const CHUNK_CHARS = 256 * 1024

/** Writes the records before a job changes them; the file is created with the first one. */
export class BeforeWriter {
  readonly #path: string
  #file: number | undefined
  #text = ''

  constructor(path: string) {
    this.#path = path
  }

  add(op: number, id: string, record: CrmRecord): void {
    this.#text += `${JSON.stringify({ op, id, record })}\n`
    if (this.#text.length > CHUNK_CHARS) this.#flush()
  }

  /** Synced when it returns. */
  end(): void {
    this.#flush()
    if (this.#file !== undefined) fdatasyncSync(this.#file)
    this.close()
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #flush(): void {
    if (this.#text === '') return
    const bytes = Buffer.from(this.#text)
    this.#text = ''
    try {
      this.#file ??= openSync(this.#path, 'wx', 0o600)
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
    } catch (error) {
      throw toMachineError(error, this.#path)
    }
  }
}

interface BeforeImage {
  readonly op: number
  readonly id: string
  readonly record: CrmRecord
}

/** The records before a job changed them, in the order of its operations; none if the job has none. */
async function* readBefore(path: string): AsyncGenerator<BeforeImage, void, undefined> {
  if (!existsSync(path)) return
  for await (const line of createInterface({ input: createReadStream(path) })) {
    yield parseExactJson(line) as unknown as BeforeImage
  }
}

/** Finds the records before a job; operations must be requested in their order. */
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
