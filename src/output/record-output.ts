import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { Io } from '../core/streams.ts'
import type { Query } from '../expr/expression.ts'

export const OUTPUT_FORMATS = ['table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id'] as const

/** How records are printed, and where. */
export interface RecordOutput {
  readonly io: Pick<Io, 'stdout' | 'stderr'>
  readonly format: Format
  /** From `--fields`; undefined prints whole records, or `columns` in a table. */
  readonly fields: readonly FieldPath[] | undefined
  /** The columns of a table, and the first columns of a file, without `--fields`. */
  readonly columns: readonly string[]
  readonly color: boolean
  /** Whether all records are there before the first is printed; a table is then laid out by cli-table3. */
  readonly isWhole?: boolean
  /** Whether cells that a spreadsheet would evaluate are defused, in csv and tsv. */
  readonly isCsvSafe: boolean
  /** For csv that a spreadsheet program opens; undefined: RFC 4180. */
  readonly spreadsheet?: SpreadsheetMarks | undefined
  /**
   * For csv and tsv: every page may add columns after the earlier ones. Called with the new header row each time; earlier
   * lines are then shorter than later ones. Undefined: the first page determines the columns.
   */
  readonly onHeader?: ((line: string) => void) | undefined
  /** For csv and tsv with `--types`: the type of each column, which its header states. */
  readonly columnTypes?: ReadonlyMap<string, ColumnType>
  /** From `--jq`, for json and jsonl: its results are printed instead of the records. */
  readonly query: Query | undefined
}

/** What a spreadsheet program expects of a csv file in the locale of its user. */
export interface SpreadsheetMarks {
  readonly delimiter: ',' | ';'
  readonly decimal: string
}

export type Format = (typeof OUTPUT_FORMATS)[number]

/** The writer of one format. Each method returns the text to write now; only what the next page needs is kept. */
export interface FormatWriter {
  page(records: readonly CrmRecord[]): string
  /** Called after the last page, also when there was none. */
  end(): string
  /** A single record, outside a list. */
  single(record: CrmRecord): string
  /** Notes on omitted values, one line each, after all records. */
  notes(): readonly string[]
}

/** The path of a member: `owner.name` is ['owner', 'name']. */
export type FieldPath = readonly string[]

/** Parses the `a,b.c` of `--fields`; CrmError `usage` for an empty name. */
export function parseFields(text: string): readonly FieldPath[] {
  const paths = text.split(',').map((field) => field.trim().split('.'))
  if (paths.some((path) => path.some((name) => name.trim() === ''))) {
    throw new CrmError('usage', `--fields contains an empty name: ${JSON.stringify(text)}`, {
      hint: 'expected names with commas between them, such as --fields id,name,owner.name',
    })
  }
  return paths
}

export function fieldName(path: FieldPath): string {
  return path.join('.')
}

/**
 * The member at the path, or undefined. A member whose name is the dotted path takes precedence, so that the output of
 * `--fields owner.name` can be read with the same fields; of a list, a number is an index, and a name gives the list of its values.
 */
export function valueAtField(record: CrmRecord, path: FieldPath): JsonValue | undefined {
  const whole = fieldName(path)
  if (Object.hasOwn(record, whole)) return record[whole]
  let value: JsonValue | undefined = record
  for (const name of path) {
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : valuesNamed(value, name)
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}

function valuesNamed(list: readonly JsonValue[], name: string): JsonValue[] | undefined {
  const values = list.flatMap((each) => (isJsonObject(each) && Object.hasOwn(each, name) ? [each[name] ?? null] : []))
  return values.length > 0 ? values : undefined
}

/** The types that a header can state: `score:number`. A column without one is text. */
export const COLUMN_TYPES = ['text', 'number', 'integer', 'boolean', 'json'] as const

export type ColumnType = (typeof COLUMN_TYPES)[number]

const TYPED = new RegExp(`^(.+):(${COLUMN_TYPES.join('|')})$`, 's')

/** The name and the type of `score:number`; undefined for a header without a type. */
export function typedHeader(header: string): { readonly name: string; readonly type: ColumnType } | undefined {
  const [, name, type] = TYPED.exec(header) ?? []
  const known = COLUMN_TYPES.find((each) => each === type)
  return name !== undefined && known ? { name, type: known } : undefined
}

/** The header of a column; texts need no type, unless their name would be read as one. */
export function headerOf(name: string, type: ColumnType = 'text'): string {
  return type === 'text' && !typedHeader(name) ? name : `${name}:${type}`
}
