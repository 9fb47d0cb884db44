import type { Column } from './columns.ts'
import { addFinding, createDraft, type Draft, placeValue, setMember } from './draft.ts'
import { convertCell } from './parse-map.ts'
import type { InputRow, RowOptions } from './row.ts'

export interface CellRules extends Pick<RowOptions, 'nullToken'> {
  readonly columns: readonly Column[]
  readonly hasGiven: boolean
  /** The text of a non-empty cell; undefined for an invalid escape. */
  readCell(cell: string): string | undefined
}

type Place = Pick<InputRow, 'line' | 'offset' | 'length'>

/**
 * An empty cell leaves its field unchanged; a cell with the null token clears it. Undefined for a line of empty cells, such
 * as spreadsheets write below the last row.
 */
export function cellsToRow(cells: readonly string[], place: Place, rules: CellRules): Draft | undefined {
  const { columns } = rules
  if (cells.length !== columns.length) return raggedDraft(cells, place, rules)
  const draft = createDraft(place, rules.hasGiven)
  let isBlank = true
  for (let at = 0; at < columns.length; at++) {
    const cell = cells[at]
    const column = columns[at]
    if (!cell || !column) continue
    isBlank = false
    placeCell(draft, column, cell, rules)
  }
  return isBlank ? undefined : draft
}

const BAD_ESCAPE = String.raw`expected \t, \n, \r, \0 or \\ after a backslash; if backslashes are plain text: --format csv`

function placeCell(draft: Draft, column: Column, cell: string, { nullToken, readCell }: CellRules): void {
  const text = readCell(cell)
  if (text === undefined) {
    addFinding(draft, { column: column.name, value: cell, code: 'bad_escape', message: BAD_ESCAPE })
    return
  }
  if (draft.given) setMember(draft.given, [column.name], text)
  if (column.role === 'ignored') {
    // A header row may end in a delimiter; the cells below it then have no name.
    if (column.name === '') {
      addFinding(draft, { column: '', value: text, code: 'unnamed_column', message: 'its column has no name' })
    }
    return
  }
  const converted = text === nullToken ? { value: null } : convertCell(text, column.type)
  placeValue(draft, column, converted, text)
}

function raggedDraft(cells: readonly string[], place: Place, { columns }: CellRules): Draft | undefined {
  if (cells.every((cell) => cell === '')) return undefined
  const draft = createDraft(place, false)
  addFinding(draft, {
    column: undefined,
    value: cells.at(-1),
    code: 'ragged_row',
    message: `it has ${cells.length} cells, and the header row has ${columns.length}`,
  })
  return draft
}
