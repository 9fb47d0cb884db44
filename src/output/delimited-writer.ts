import type { JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { createColumns } from './columns.ts'
import { type FieldPath, fieldName, memberAt } from './fields.ts'
import { defuse } from './formula.ts'
import { jsonText } from './json-text.ts'
import type { RecordOutput } from './record-output.ts'
import type { RecordWriter } from './record-writer.ts'
import { linesFor } from './safe-lines.ts'

export interface Dialect {
  readonly delimiter: string
  readonly lineEnd: string
  /** The text of a cell in the file; undefined for a null or absent value. */
  cell(text: string | undefined, isAlone: boolean): string
}

/** Writes a header row, also without records, and the records below it. */
export function createDelimitedWriter(out: RecordOutput, { delimiter, lineEnd, cell }: Dialect): RecordWriter {
  const columns = createColumns(out)
  let paths: readonly FieldPath[] | undefined
  const safe = out.isCsvSafe ? defuse : (text: string) => text
  const line = (texts: readonly (string | undefined)[]): string =>
    texts.map((text) => cell(text, texts.length === 1)).join(delimiter) + lineEnd
  const rows = (records: readonly CrmRecord[], of: readonly FieldPath[]): string =>
    records.map((record) => line(of.map((path) => valueText(memberAt(record, path), safe)))).join('')
  const head = (of: readonly FieldPath[]): string => line(of.map((path) => safe(fieldName(path))))
  const shown = (text: string): string => linesFor(out.io.stdout, text)
  return {
    page(records) {
      if (records.length === 0) return ''
      if (paths && !out.onHeader) {
        columns.count(records)
        return shown(rows(records, paths))
      }
      const widthBefore = paths?.length ?? 0
      paths = columns.paths(records)
      if (paths.length > widthBefore) out.onHeader?.(head(paths))
      return shown((widthBefore === 0 ? head(paths) : '') + rows(records, paths))
    },
    end: () => (paths ? '' : shown(head(columns.paths([])))),
    single(record) {
      const all = columns.paths([record])
      return shown(head(all) + rows([record], all))
    },
    notes: columns.notes,
  }
}

/** Text made safe, any other value as JSON: a negative number is not a formula. */
function valueText(value: JsonValue | undefined, safe: (text: string) => string): string | undefined {
  if (value === null || value === undefined) return undefined
  return typeof value === 'string' ? safe(value) : jsonText(value)
}
