import { decimalText } from '../../core/decimal.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { grouped } from '../../output/progress.ts'
import { cellText, safeText } from '../../output/safe-text.ts'
import type { BoardColumn } from '../board.ts'
import type { ListColumn } from '../list/columns.ts'
import type { PlainScreen } from './plain.ts'

const LONGEST_SAID = 400
const LONGEST_CELL = 80

/** One row in one line, without punctuation that a screen reader would spell out. */
export function rowText(screen: PlainScreen, row: CrmRecord, columns: readonly ListColumn[]): string {
  if (screen === 'jobs') return jobText(row)
  if (screen === 'pipelines') return `${cellText(row.stage)}: ${deals(Number(row.deals))}, ${cellText(row.amount)}`
  const values = columns.map((column) => cellText(row[column.name]).slice(0, LONGEST_CELL))
  return values.filter((value) => value !== '').join(', ')
}

function deals(count: number): string {
  return `${grouped(count)} ${count === 1 ? 'deal' : 'deals'}`
}

function jobText({ id, state, what, done, rows, failed, in_doubt: inDoubt }: CrmRecord): string {
  const counts = done === undefined ? [] : [`${cellText(done)} of ${cellText(rows)} done`]
  const bad = [
    ...(Number(failed) > 0 ? [`${cellText(failed)} failed`] : []),
    ...(Number(inDoubt) > 0 ? [`${cellText(inDoubt)} in doubt`] : []),
  ]
  return [cellText(id), cellText(state), cellText(what), ...counts, ...bad].join(', ')
}

/** A stage as a row, by its name. */
export function stageRow({ stage, deals: found, sum }: BoardColumn): CrmRecord {
  return { id: stage, stage, deals: found.length, amount: decimalText(sum) }
}

/** Every member of a record, one per line. */
export function recordLines(row: CrmRecord): readonly string[] {
  return Object.entries(row).map(([member, value]) => {
    const text = cellText(value)
    // A screen reader would read the rest aloud.
    const cut = text.length > LONGEST_SAID ? `${text.slice(0, LONGEST_SAID)}… (${text.length} characters)` : text
    return `${safeText(member)}: ${cut}`
  })
}
