import { type FileHandle, open } from 'node:fs/promises'
import { toMachineError } from '../../files/machine-error.ts'
import { codecOf } from './codec.ts'
import { bomBytes } from './cut-records.ts'
import { FAILURE_COLUMNS, type FailureCells, failedLine, failedObject } from './failed-cells.ts'
import type { FormatSummary, InputRow } from './row.ts'

export interface Failure {
  readonly code: string
  readonly field: string | undefined
  readonly reason: string
}

/** The failed rows as they are in the input, with the reasons. The corrected file can be imported directly. */
export interface FailedRows {
  add(row: Pick<InputRow, 'line' | 'offset' | 'length'>, failure: Failure): Promise<void>
  close(): Promise<void>
}

export interface FailedRowsOptions {
  /** The input that the summary describes. */
  readonly input: string
  readonly summary: FormatSummary
  /** Replaced if it exists. */
  readonly to: string
}

const FLUSH_BYTES = 64 * 1024

/** csv and tsv keep their format; json and yaml become jsonl, to which rows can be appended. */
export function failedRowsName({ format }: FormatSummary): string {
  return `failed.${format === 'csv' || format === 'tsv' ? format : 'jsonl'}`
}

export async function createFailedRows({ input, summary, to }: FailedRowsOptions): Promise<FailedRows> {
  const codec = codecOf(summary.encoding)
  const source = await openFor(input, 'r')
  const target = await openFor(to, 'w')
  const lineEnd = codec.bytes(summary.lineEnd ?? '\n')
  let waiting: Buffer[] = [await bomOf(source, summary)]
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
  if (summary.head) push(await failedRow(await readBytes(source, summary.head), FAILURE_COLUMNS, summary))
  return {
    async add(row, { code, field = '', reason }) {
      push(await failedRow(await readBytes(source, row), [String(row.line), code, field, reason], summary))
      if (waitingBytes > FLUSH_BYTES) await flush()
    },
    async close() {
      await flush()
      await target.sync()
      await Promise.all([source.close(), target.close()])
    },
  }
}

async function failedRow(bytes: Buffer, cells: FailureCells, summary: FormatSummary): Promise<Buffer> {
  const codec = codecOf(summary.encoding)
  const units = codec.units(bytes)
  if (summary.head)
    return codec.raw(failedLine(units, cells, { summary, toUnits: (text) => codec.units(codec.bytes(text)) }))
  const text = codec.text(units)
  return codec.bytes(failedObject(await jsonOf(text, summary), cells))
}

async function jsonOf(text: string, { format }: FormatSummary): Promise<string> {
  return format === 'yaml' ? (await import('./yaml-documents.ts')).yamlToJson(text) : text
}

async function bomOf(source: FileHandle, summary: FormatSummary): Promise<Buffer> {
  return readBytes(source, { offset: 0, length: bomBytes(summary) })
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
