import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs'
import { linesOf } from '../../files/lines.ts'
import { toMachineError } from '../../files/machine-error.ts'
import type { RowFinding } from './row.ts'

const CHUNK_CHARS = 64 * 1024

/** All findings of one pass, on disk: a file may have a million of them. */
export interface FindingsFile {
  add(finding: RowFinding): void
  clear(): void
  all(): AsyncIterable<RowFinding>
  close(): void
}

export function createFindingsFile(path: string): FindingsFile {
  let file: number | undefined
  let text = ''
  const flush = () => {
    if (text === '') return
    try {
      file ??= openSync(path, 'wx', 0o600)
      const bytes = Buffer.from(text)
      text = ''
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    } catch (error) {
      throw toMachineError(error, path)
    }
  }
  const close = () => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }
  return {
    add(finding) {
      text += `${JSON.stringify(finding)}\n`
      if (text.length > CHUNK_CHARS) flush()
    },
    clear() {
      text = ''
      close()
      rmSync(path, { force: true })
    },
    async *all() {
      flush()
      if (!existsSync(path)) return
      for await (const line of linesOf(path)) yield JSON.parse(line)
    },
    close,
  }
}
