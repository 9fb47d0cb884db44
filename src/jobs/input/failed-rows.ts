import { type FileHandle, open } from 'node:fs/promises'
import { toMachineError } from '../../files/machine-error.ts'
import { codecOf } from './codec.ts'
import { bomBytes } from './cut-records.ts'
import { FAILURE_COLUMNS, type FailureCells, failedLine } from './failed-cells.ts'
import { failedObject } from './failed-member.ts'
import type { InputRow, Verdict } from './row.ts'

export interface Failure {
  readonly code: string
  readonly field: string | undefined
  readonly reason: string
}

/** The failed rows as the user wrote them, with the reasons. The corrected file can be imported unchanged. */
export interface FailedRows {
  add(row: Pick<InputRow, 'line' | 'offset' | 'length'>, failure: Failure): Promise<void>
  close(): Promise<void>
}

export interface FailedRowsOptions {
  /** The input that the verdict is about. */
  readonly input: string
  readonly verdict: Verdict
  /** Replaced when it is there. */
  readonly to: string
}

const FLUSH_BYTES = 64 * 1024

/** csv and tsv stay what they are; a list cannot be closed while it grows, so json and yaml become jsonl. */
export function failedRowsName({ format }: Verdict): string {
  return `failed.${format === 'csv' || format === 'tsv' ? format : 'jsonl'}`
}

export async function createFailedRows({ input, verdict, to }: FailedRowsOptions): Promise<FailedRows> {
  const codec = codecOf(verdict.encoding)
  const source = await openFor(input, 'r')
  const target = await openFor(to, 'w')
  const lineEnd = codec.bytes(verdict.lineEnd ?? '\n')
  let waiting: Buffer[] = [await bomOf(source, verdict)]
  let waitingBytes = 0
  const push = (line: Buffer): void => {
    waiting.push(line, lineEnd)
    waitingBytes += line.length
  }
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    await target.writeFile(bytes).catch((error: unknown) => {
      throw toMachineError(error, to)
    })
  }
  if (verdict.head) push(await failedRow(await readBytes(source, verdict.head), FAILURE_COLUMNS, verdict))
  return {
    async add(row, { code, field = '', reason }) {
      push(await failedRow(await readBytes(source, row), [String(row.line), code, field, reason], verdict))
      if (waitingBytes > FLUSH_BYTES) await flush()
    },
    async close() {
      await flush()
      await target.sync()
      await Promise.all([source.close(), target.close()])
    },
  }
}

async function failedRow(bytes: Buffer, cells: FailureCells, verdict: Verdict): Promise<Buffer> {
  const codec = codecOf(verdict.encoding)
  const units = codec.units(bytes)
  if (verdict.head)
    return codec.raw(failedLine(units, cells, { verdict, toUnits: (text) => codec.units(codec.bytes(text)) }))
  const text = codec.text(units)
  return codec.bytes(failedObject(await jsonOf(text, verdict), cells))
}

async function jsonOf(text: string, { format }: Verdict): Promise<string> {
  return format === 'yaml' ? (await import('./yaml-documents.ts')).yamlToJson(text) : text
}

async function bomOf(source: FileHandle, verdict: Verdict): Promise<Buffer> {
  return readBytes(source, { offset: 0, length: bomBytes(verdict) })
}

async function readBytes(source: FileHandle, { offset, length }: Pick<InputRow, 'offset' | 'length'>): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  await source.read(bytes, 0, length, offset)
  return bytes
}

async function openFor(path: string, flags: 'r' | 'w'): Promise<FileHandle> {
  try {
    return await open(path, flags, 0o600)
  } catch (error) {
    throw toMachineError(error, path)
  }
}
