import { randomBytes } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { toMachineError } from '../files/machine-error.ts'

const WRITTEN_AT_ONCE = 1 << 20

const READ_AT_ONCE = 1 << 18

/** A part of the file: lines in order. */
export interface Run {
  readonly start: number
  readonly end: number
}

/**
 * A temporary file of mode 0600. It is unlinked once it is open, so that the system frees it even if the process is killed.
 */
export class RunFile {
  readonly #file: FileHandle
  readonly #path: string
  #end = 0

  private constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  static async open(folder: string): Promise<RunFile> {
    const path = join(folder, `crm-sort-${randomBytes(12).toString('hex')}`)
    try {
      const file = await open(path, 'wx+', 0o600)
      await unlink(path)
      return new RunFile(file, path)
    } catch (error) {
      throw toMachineError(error, path)
    }
  }

  async write(lines: Iterable<string>): Promise<Run> {
    const start = this.#end
    let text = ''
    for (const line of lines) {
      text += `${line}\n`
      if (text.length < WRITTEN_AT_ONCE) continue
      await this.#append(text)
      text = ''
    }
    await this.#append(text)
    return { start, end: this.#end }
  }

  async #append(text: string): Promise<void> {
    let bytes = Buffer.from(text)
    try {
      while (bytes.length > 0) {
        const { bytesWritten } = await this.#file.write(bytes, 0, bytes.length, this.#end)
        this.#end += bytesWritten
        bytes = bytes.subarray(bytesWritten)
      }
    } catch (error) {
      throw toMachineError(error, this.#path)
    }
  }

  async *lines({ start, end }: Run): AsyncGenerator<readonly string[]> {
    let rest: Buffer = Buffer.alloc(0)
    for (let at = start; at < end; ) {
      const chunk = Buffer.alloc(Math.min(READ_AT_ONCE, end - at))
      const { bytesRead } = await this.#file.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0) throw new Error(`${this.#path} is shorter than what was written to it`)
      at += bytesRead
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
      const cut = bytes.lastIndexOf(0x0a) + 1
      rest = bytes.subarray(cut)
      if (cut > 0) yield bytes.toString('utf8', 0, cut - 1).split('\n')
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
