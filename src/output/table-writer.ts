import { exactDigits, type JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { FormatWriter, RecordOutput } from './record-output.ts'
import { type FieldPath, fieldName, valueAtField } from './record-output.ts'
import { cellText, safeText } from './safe-text.ts'
import {
  type ColumnNeed,
  columnsToOmit,
  type DrawLines,
  drawRows,
  fitColumns,
  GAP,
  heldColumns,
  type Layout,
  loadDrawTable,
} from './table-layout.ts'
import { createStyles, textWidth } from './terminal-text.ts'

/** The least useful width of a column. */
const FLOOR = 6
/** An id is useful only in full; a UUID and every prefixed id fit into this width. */
const ID_FLOOR = 40
/** The assumed width of a terminal that does not report its own. */
const USUAL_COLUMNS = 80
/** The greatest width when cells are not cut: a longer text overflows instead of padding every other row. */
const WIDEST_PIPED = 100

/**
 * Widths grow from page to page and never shrink, so that rows are printed before all are known. In a terminal they stay
 * within its width; piped output is never cut. The first page determines the columns and their alignment.
 */
export async function createTableWriter(out: RecordOutput): Promise<FormatWriter> {
  const draw = out.isWhole ? await loadDrawTable() : drawRows
  const { bold } = createStyles(out.color)
  let paths = out.fields ?? out.columns.map((name) => [name])
  let headers = paths.map(headerOf)
  let wantedHeaders = headers
  const { isTTY: isCut = false, columns } = out.io.stdout
  const available = columns || USUAL_COLUMNS
  let needs: readonly ColumnNeed[] = headers.map((head) => ({ width: textWidth(head), floor: 0 }))
  let aligns: Layout['aligns'] | undefined
  return {
    page(records) {
      if (records.length === 0) return ''
      const isFirst = aligns === undefined
      if (isFirst && !out.fields) {
        paths = heldColumns(out.columns, records).map((name) => [name])
        wantedHeaders = paths.map(headerOf)
        if (isCut) paths = roomyPaths(paths, records, available)
        headers = paths.map(headerOf)
        needs = headers.map((head) => ({ width: textWidth(head), floor: 0 }))
      }
      const values = records.map((record) => needs.map((_, at) => valueAtField(record, paths[at] ?? [])))
      const rows = values.map((row) => row.map(cellText))
      aligns ??= needs.map((_, at) => alignOf(values.map((row) => row[at])))
      needs = needs.map((need, at) => grow(need, rows, at))
      if (isFirst) needs = needs.map(({ width }, at) => ({ width, floor: floorOf(width, headers[at]) }))
      const widths = isCut ? fitColumns(needs, available, GAP) : needs.map(({ width }) => Math.min(width, WIDEST_PIPED))
      needs = needs.slice(0, widths.length)
      const layout = { widths: widths.map((width) => Math.max(1, width)), aligns, isCut }
      const lines = draw(layout, isFirst ? [headers, ...rows] : rows)
      return lines.map((line, at) => `${isFirst && at === 0 ? bold(line) : line}\n`).join('')
    },
    end: () => '',
    single: (record) => drawPairs(draw, record, out),
    notes: () => {
      const shown = new Set(headers.slice(0, needs.length))
      const hidden = wantedHeaders.filter((head) => !shown.has(head)).join(', ')
      return hidden === '' ? [] : [`no room for ${hidden}; choose with --fields, or see all with -o json`]
    },
  }
}

/** The paths without omitted columns; used only without `--fields`. */
function roomyPaths(
  paths: readonly FieldPath[],
  records: readonly CrmRecord[],
  available: number,
): readonly FieldPath[] {
  const wanted = paths.map((path) => {
    const cells = records.map((record) => cellText(valueAtField(record, path)))
    const width = Math.max(textWidth(fieldName(path)), ...cells.map(textWidth))
    return { name: fieldName(path), width, isEmpty: cells.every((cell) => cell === '') }
  })
  const omitted = columnsToOmit(wanted, available)
  return paths.filter((path) => !omitted.has(fieldName(path)))
}

function headerOf(path: FieldPath): string {
  return safeText(fieldName(path).toUpperCase())
}

function grow(need: ColumnNeed, rows: readonly (readonly string[])[], at: number): ColumnNeed {
  return { ...need, width: rows.reduce((most, row) => Math.max(most, textWidth(row[at] ?? '')), need.width) }
}

function floorOf(width: number, head: string | undefined): number {
  return Math.min(width, head === 'ID' ? ID_FLOOR : FLOOR)
}

/** Numbers are aligned to the right, as determined by the first page. */
function alignOf(values: readonly (JsonValue | undefined)[]): 'left' | 'right' {
  const present = values.filter((value) => value !== null && value !== undefined)
  return present.length > 0 && present.every(isNumeric) ? 'right' : 'left'
}

function isNumeric(value: JsonValue | undefined): boolean {
  return typeof value === 'number' || exactDigits(value) !== undefined
}

/** Never cut: a single record is shown in full, and a secret is shown only once. */
function drawPairs(draw: DrawLines, record: CrmRecord, out: RecordOutput): string {
  const { bold } = createStyles(out.color)
  const paths = out.fields ?? Object.keys(record).map((name) => [name])
  const rows = paths.map((path) => [safeText(fieldName(path)), cellText(valueAtField(record, path))] as const)
  const nameWidth = Math.max(1, ...rows.map(([name]) => textWidth(name)))
  const lines = draw({ widths: [nameWidth, 1], aligns: ['left', 'left'], isCut: false }, rows)
  return rows.map(([name], at) => `${bold(name)}${lines[at]?.slice(name.length)}\n`).join('')
}
