import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { exactDigits, type JsonValue, parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { makeTemporaryFolder } from '../../files/folders.ts'
import { linesOf } from '../../files/lines.ts'
import { toMachineError } from '../../files/machine-error.ts'
import type { ColumnType } from '../../output/column-type.ts'
import { fieldName, type RecordOutput, valueAtField } from '../../output/record-output.ts'

type Pages = AsyncIterable<readonly CrmRecord[]>

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
export async function withTypedColumns<Result>(
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
