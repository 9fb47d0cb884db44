import type { JsonValue } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { addFinding, type RowDraft } from './draft.ts'
import type { Blanks, RowOptions } from './row.ts'

/** The number of blank rows that are named; a file may end in a million of them. */
const MOST_NAMED = 1000

/** Checks a whole row: required fields, and values from a fixed set. */
export function checkRow(draft: RowDraft, { required, stages }: Pick<RowOptions, 'required' | 'stages'>): void {
  const { row, findings, refused } = draft
  // A row that could not be read is not reported for missing fields.
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

interface BlankRows extends Blanks {
  add(line: number): void
  clear(): void
}

export function createBlanks(): BlankRows {
  const lines: number[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    lines,
    add(line) {
      count++
      if (lines.length < MOST_NAMED) lines.push(line)
    },
    clear() {
      count = 0
      lines.length = 0
    },
  }
}

export interface WrongStage {
  readonly shown: string
  /** What was expected. */
  readonly message: string
}

/** Undefined for a valid stage, and if the stages are unknown. */
export function wrongStage(
  stage: JsonValue | undefined,
  stages: readonly string[] | undefined,
): WrongStage | undefined {
  if (!stages || stage === undefined || (typeof stage === 'string' && stages.includes(stage))) return undefined
  const shown = typeof stage === 'string' ? stage : JSON.stringify(stage)
  const meant = nearest(shown, stages)
  return { shown, message: meant === undefined ? `expected one of ${stages.join(', ')}` : `did you mean ${meant}?` }
}
