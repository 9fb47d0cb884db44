import type { CrmRecord } from '../../src/core/resources/registry.ts'
import type { Query } from '../../src/expr/expression.ts'
import { printRecords } from '../../src/output/print-records.ts'
import type { Format } from '../../src/output/record-output.ts'
import { parseFields } from '../../src/output/record-output.ts'
import { type FakeIo, fakeIo } from './fake-io.ts'

export interface Printing {
  readonly format: Format
  readonly columns?: readonly string[]
  readonly fields?: string
  readonly color?: boolean
  readonly isWhole?: boolean
  readonly isCsvSafe?: boolean
  readonly query?: Query
  /** The width of the terminal; undefined for a pipe. */
  readonly width?: number
}

export interface Printed {
  readonly io: FakeIo
  readonly count: number
}

export async function* pagesOf(...pages: readonly (readonly CrmRecord[])[]): AsyncIterable<readonly CrmRecord[]> {
  yield* pages
}

export async function print(how: Printing, ...pages: readonly (readonly CrmRecord[])[]): Promise<Printed> {
  const io = fakeIo(how.width === undefined ? {} : { columns: how.width })
  const out = {
    io,
    format: how.format,
    fields: how.fields === undefined ? undefined : parseFields(how.fields),
    columns: how.columns ?? ['id', 'name'],
    color: how.color ?? false,
    isWhole: how.isWhole ?? false,
    isCsvSafe: how.isCsvSafe ?? false,
    query: how.query,
  }
  return { io, count: await printRecords(out, pagesOf(...pages)) }
}
