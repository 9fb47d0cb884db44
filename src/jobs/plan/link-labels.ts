import { refuseLabel } from '../../api/links/linked-records.ts'
import type { LinkTypes } from '../../api/links/read-links.ts'
import { linkIn } from '../../core/links.ts'
import { expectedOne } from '../input/cell-values.ts'
import type { ColumnUse, InputRow, RowFinding } from '../input/row.ts'
import type { RowRules } from './planning.ts'

type Rules = Pick<RowRules, 'linkTypes'>

/** CrmError `invalid_input` for a column with a label that links do not have. */
export async function refuseLabels({ linkTypes }: Rules, columns: readonly ColumnUse[]): Promise<void> {
  for (const { field = '', label } of columns) {
    const types = label === undefined ? undefined : await linkTypes(field)
    if (types && !types.has(label)) refuseLabel(field, label, types)
  }
}

/** The cells whose links have labels that there are not: `17[Nope]`. */
export async function wrongLabels(
  row: InputRow,
  { linkTypes }: Rules,
  columns: readonly ColumnUse[],
): Promise<readonly RowFinding[]> {
  const findings: RowFinding[] = []
  for (const [key, { add = [], remove = [], isLink }] of Object.entries(row.edits ?? {})) {
    const named = isLink ? [...add, ...remove].map(linkIn).filter(({ label }) => label !== undefined) : []
    const field = linkIn(key).id
    const types = named.length > 0 ? await linkTypes(field) : undefined
    const wrong = types && named.find(({ label }) => !types.has(label))
    if (types && wrong?.label !== undefined) findings.push(findingOf(row, columnOf(columns, field), wrong.label, types))
  }
  return findings
}

function columnOf(columns: readonly ColumnUse[], field: string): string {
  return columns.find((column) => column.field === field)?.name ?? field
}

function findingOf({ line, offset, position }: InputRow, column: string, label: string, types: LinkTypes): RowFinding {
  const place = { line, offset, ...(position !== undefined && { position }) }
  const labels = [...types.keys()].filter((each) => each !== undefined)
  const message = labels.length > 0 ? `no such label: ${expectedOne(labels, label)}` : 'these links have no labels'
  return { ...place, column, value: label, code: 'not_allowed', message }
}
