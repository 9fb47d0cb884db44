import type Table from 'cli-table3'
import { exactDigits } from '../core/exact-json.ts'
import type { JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { cellText } from './cell-text.ts'
import { createStyles } from './color.ts'
import { type ColumnNeed, fitColumns } from './column-widths.ts'
import { heldColumns } from './columns.ts'
import { type FieldPath, fieldName, memberAt } from './fields.ts'
import { columnsThatGiveWay } from './give-way.ts'
import type { RecordOutput } from './record-output.ts'
import type { RecordWriter } from './record-writer.ts'
import { safeText } from './safe-text.ts'
import { drawLines, GAP, type Layout } from './table-lines.ts'
import { textWidth } from './text-width.ts'

/** Narrower than this a column says nothing. */
const FLOOR = 6
/** An id is of use only as a whole; this holds a UUID and every prefixed id, but not what is no id at all. */
const ID_FLOOR = 40
/** What a terminal that does not tell its width is taken for. */
const USUAL_COLUMNS = 80
/** Where nothing is cut, one long text must not fill every other row with blanks: beyond this it overflows. */
const WIDEST_PIPED = 100

/**
 * Widths grow from page to page and never shrink, so that rows leave before all are known. In a terminal they stay within
 * its width; what is piped is never cut. The first page decides which columns there are, and how they are aligned.
 */
export async function createTableWriter(out: RecordOutput): Promise<RecordWriter> {
  const { default: Lib } = await import('cli-table3')
  const { bold } = createStyles(out.color)
  let paths = out.fields ?? out.columns.map((name) => [name])
  let heads = paths.map(headOf)
  let wantedHeads = heads
  const { isTTY: isCut = false, columns } = out.io.stdout
  const available = columns || USUAL_COLUMNS
  let needs: readonly ColumnNeed[] = heads.map((head) => ({ width: textWidth(head), floor: 0 }))
  let aligns: Layout['aligns'] | undefined
  return {
    page(records) {
      if (records.length === 0) return ''
      const isFirst = aligns === undefined
      if (isFirst && !out.fields) {
        paths = heldColumns(out.columns, records).map((name) => [name])
        wantedHeads = paths.map(headOf)
        if (isCut) paths = roomyPaths(paths, records, available)
        heads = paths.map(headOf)
        needs = heads.map((head) => ({ width: textWidth(head), floor: 0 }))
      }
      const values = records.map((record) => needs.map((_, at) => memberAt(record, paths[at] ?? [])))
      const rows = values.map((row) => row.map(cellText))
      aligns ??= needs.map((_, at) => alignOf(values.map((row) => row[at])))
      needs = needs.map((need, at) => grow(need, rows, at))
      if (isFirst) needs = needs.map(({ width }, at) => ({ width, floor: floorOf(width, heads[at]) }))
      const widths = isCut ? fitColumns(needs, available, GAP) : needs.map(({ width }) => Math.min(width, WIDEST_PIPED))
      needs = needs.slice(0, widths.length)
      const layout = { widths: widths.map((width) => Math.max(1, width)), aligns, isCut }
      const head = isFirst ? drawLines(Lib, layout, [heads]).map(bold) : []
      return [...head, ...drawLines(Lib, layout, rows), ''].join('\n')
    },
    end: () => '',
    single: (record) => drawPairs(Lib, record, out),
    notes: () => {
      const shown = new Set(heads.slice(0, needs.length))
      const hidden = wantedHeads.filter((head) => !shown.has(head)).join(', ')
      return hidden === '' ? [] : [`no room for ${hidden}; choose with --fields, or see all with -o json`]
    },
  }
}

/** Without the columns that give way to the others; none of them was asked for. */
function roomyPaths(
  paths: readonly FieldPath[],
  records: readonly CrmRecord[],
  available: number,
): readonly FieldPath[] {
  const wanted = paths.map((path) => {
    const cells = records.map((record) => cellText(memberAt(record, path)))
    const width = Math.max(textWidth(fieldName(path)), ...cells.map(textWidth))
    return { name: fieldName(path), width, isEmpty: cells.every((cell) => cell === '') }
  })
  const gone = columnsThatGiveWay(wanted, available)
  return paths.filter((path) => !gone.has(fieldName(path)))
}

function headOf(path: FieldPath): string {
  return safeText(fieldName(path).toUpperCase())
}

function grow(need: ColumnNeed, rows: readonly (readonly string[])[], at: number): ColumnNeed {
  return { ...need, width: rows.reduce((most, row) => Math.max(most, textWidth(row[at] ?? '')), need.width) }
}

function floorOf(width: number, head: string | undefined): number {
  return Math.min(width, head === 'ID' ? ID_FLOOR : FLOOR)
}

/** Numbers to the right, decided by the first page. */
function alignOf(values: readonly (JsonValue | undefined)[]): 'left' | 'right' {
  const present = values.filter((value) => value !== null && value !== undefined)
  return present.length > 0 && present.every(isNumeric) ? 'right' : 'left'
}

function isNumeric(value: JsonValue | undefined): boolean {
  return typeof value === 'number' || exactDigits(value) !== undefined
}

/** Never cut: who asks for one record wants all of it, and a secret is shown only once. */
function drawPairs(Lib: typeof Table, record: CrmRecord, out: RecordOutput): string {
  const { bold } = createStyles(out.color)
  const paths = out.fields ?? Object.keys(record).map((name) => [name])
  const rows = paths.map((path) => [safeText(fieldName(path)), cellText(memberAt(record, path))] as const)
  const nameWidth = Math.max(1, ...rows.map(([name]) => textWidth(name)))
  const lines = drawLines(Lib, { widths: [nameWidth, 1], aligns: ['left', 'left'], isCut: false }, rows)
  return rows.map(([name], at) => `${bold(name)}${lines[at]?.slice(name.length)}\n`).join('')
}
