import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { exactDigits, type JsonValue, parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { OutputStream } from '../../core/streams.ts'
import { makeTemporaryFolder } from '../../files/folders.ts'
import { linesOf } from '../../files/lines.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { createColumns } from '../../output/delimited-writer.ts'
import { printRecords } from '../../output/print-records.ts'
import type { ColumnType } from '../../output/record-output.ts'
import { fieldName, type RecordOutput, valueAtField } from '../../output/record-output.ts'
import { type Dialect, readDelimitedRecords, sampleCells } from '../input/read-delimited.ts'
import type { TextualFormat } from '../input/row.ts'

type Pages = AsyncIterable<readonly CrmRecord[]>

/** In a format that an import reads. */
export interface Export extends Omit<RecordOutput, 'format' | 'query' | 'onHeader'> {
  readonly format: TextualFormat
  readonly signal: AbortSignal
}

/**
 * Writes all records or none: until the last page is on disk, the file is absent or unchanged. Returns the number of records.
 * In csv and tsv, every key of any record becomes a column.
 */
export async function exportToFile(out: Export, path: string, pages: Pages): Promise<number> {
  return await replaceFile(path, async (file) => {
    const io = { ...out.io, stdout: file.stream }
    const written = file.path
    if (written === undefined) return await exportToStream({ ...out, io }, pages)
    const headers: string[] = []
    const count = await printRecords({ ...out, io, query: undefined, onHeader: (line) => headers.push(line) }, pages)
    const [last] = headers.slice(-1)
    if (last !== undefined && headers.length > 1) {
      // Replaces the temporary file, which then replaces the target.
      await replaceFile(written, ({ stream }) => padLines({ from: written, header: last, out, stream }))
    }
    return count
  })
}

/** To stdout, where columns cannot be added later: a new key after the first page makes the export fail at its end. */
export async function exportToStream(out: Export, pages: Pages): Promise<number> {
  const columns = createColumns(out)
  const isWhole = out.format !== 'csv' && out.format !== 'tsv'
  const count = await printRecords({ ...out, query: undefined }, isWhole ? pages : counted(pages, columns))
  if (columns.notes().length === 0) return count
  throw new CrmError('partial', 'the export is incomplete: some values have no column', {
    hint: 'export to a file, where columns can be added, or name the columns with --fields',
  })
}

/** As exportToFile or, for `-`, exportToStream, with the type of each column in its header: an import reads the same values again. */
export async function exportTyped(out: Export, path: string, pages: Pages, temporary: string): Promise<number> {
  return withTypedColumns(out, pages, temporary, ({ pages: again, ...typed }) =>
    path === '-' ? exportToStream({ ...out, ...typed }, again) : exportToFile({ ...out, ...typed }, path, again),
  )
}

async function* counted(pages: Pages, columns: ReturnType<typeof createColumns>): AsyncGenerator<readonly CrmRecord[]> {
  let isFirst = true
  for await (const page of pages) {
    if (!isFirst) columns.count(page)
    else if (page.length > 0) {
      columns.paths(page)
      isFirst = false
    }
    yield page
  }
}

interface Padding {
  /** The file; each of its lines has as many cells as there were columns when it was written. */
  readonly from: string
  /** The final header row, with its line end. */
  readonly header: string
  readonly out: Pick<Export, 'format' | 'signal' | 'spreadsheet'>
  readonly stream: OutputStream
}

/** Pads every line with empty cells to the width of the header row. */
async function padLines({ from, header, out, stream }: Padding): Promise<void> {
  const isTsv = out.format === 'tsv'
  const delimiter = isTsv ? '\t' : (out.spreadsheet?.delimiter ?? ',')
  const dialect: Dialect = { delimiter, quote: isTsv ? undefined : '"', newline: '\n' }
  const mark = out.spreadsheet ? '\ufeff' : ''
  const lineEnd = isTsv ? '\n' : '\r\n'
  const width = sampleCells(header, dialect).rows[0]?.length ?? 0
  stream.write(mark + header)
  let isHead = true
  const start = { line: 1, offset: Buffer.byteLength(mark) }
  for await (const records of readDelimitedRecords({ path: from, name: from, signal: out.signal, dialect, start })) {
    const lines = (isHead ? records.slice(1) : records).map(
      ({ text, cells }) => text + dialect.delimiter.repeat(width - cells.length) + lineEnd,
    )
    isHead = false
    stream.write(lines.join(''))
  }
}

interface Typed {
  /** With every key of any record. */
  readonly columns: RecordOutput['columns']
  readonly columnTypes: ReadonlyMap<string, ColumnType>
  readonly pages: Pages
}

/** Records in one block of the copy. */
const AT_ONCE = 500

/**
 * Runs `work` with the records and the types of their columns, which only the last record shows: meanwhile the records are in a
 * temporary file.
 */
async function withTypedColumns<Result>(
  { fields, columns }: Pick<RecordOutput, 'fields' | 'columns'>,
  pages: Pages,
  temporary: string,
  work: (typed: Typed) => Promise<Result>,
): Promise<Result> {
  const folder = makeTemporaryFolder(join(temporary, 'crm-export-'))
  try {
    const copy = join(folder, 'records.jsonl')
    const names = new Set(columns)
    const kinds = new Map<string, Set<ColumnType>>()
    await writeCopy(copy, pages, (record) => {
      if (!fields) for (const name of Object.keys(record)) names.add(name)
      for (const path of fields ?? Object.keys(record).map((name) => [name]))
        addKind(kinds, fieldName(path), valueAtField(record, path))
    })
    const columnTypes = new Map([...kinds].map(([name, all]) => [name, typeOf(all)] as const))
    return await work({ columns: [...names], columnTypes, pages: pagesIn(copy) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function writeCopy(path: string, pages: Pages, onRecord: (record: CrmRecord) => void): Promise<void> {
  try {
    appendFileSync(path, '', { mode: 0o600 })
    for await (const page of pages) {
      page.forEach(onRecord)
      appendFileSync(path, page.map((record) => `${JSON.stringify(record)}\n`).join(''))
    }
  } catch (error) {
    throw toMachineError(error, path)
  }
}

function addKind(kinds: Map<string, Set<ColumnType>>, name: string, value: JsonValue | undefined): void {
  if (value === null || value === undefined) return
  const all = kinds.get(name) ?? new Set()
  kinds.set(name, all)
  all.add(kindOf(value))
}

function kindOf(value: JsonValue): ColumnType {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'number' || exactDigits(value) !== undefined ? 'number' : 'json'
}

/** Values of several types are all written as JSON. */
function typeOf(kinds: ReadonlySet<ColumnType>): ColumnType {
  const [first = 'text', ...others] = kinds
  return others.length === 0 ? first : 'json'
}

async function* pagesIn(path: string): AsyncGenerator<readonly CrmRecord[]> {
  let page: CrmRecord[] = []
  for await (const line of linesOf(path)) {
    page.push(parseExactJson(line) as CrmRecord)
    if (page.length < AT_ONCE) continue
    yield page
    page = []
  }
  yield page
}
