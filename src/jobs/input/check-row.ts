import { addFinding, type Draft } from './draft.ts'
import type { RowOptions } from './row.ts'
import { wrongStage } from './wrong-stage.ts'

/** What no single cell shows: fields that must be there, and values of which only some are allowed. */
export function checkRow(draft: Draft, { required, stages }: Pick<RowOptions, 'required' | 'stages'>): void {
  const { row, findings, refused } = draft
  // Of a row that could not be read, nothing can be missed.
  if (findings.some(({ column }) => column === undefined)) return
  for (const field of required) {
    if (refused.includes(field)) continue
    const value = field === 'deal_id' ? row.parent : row.fields[field]
    if (value !== undefined && value !== null && value !== '') continue
    addFinding(draft, { column: field, value: undefined, code: 'required', message: `${field} is required` })
  }
  const wrong = wrongStage(row.fields.stage, stages)
  if (wrong) addFinding(draft, { column: 'stage', value: wrong.shown, code: 'not_allowed', message: wrong.message })
}
