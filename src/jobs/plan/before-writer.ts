import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { toMachineError } from '../../files/machine-error.ts'

const CHUNK_CHARS = 256 * 1024

/** Keeps records as they were before a job changes them; the file is made with the first. */
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
