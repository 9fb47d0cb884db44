import { isSameJson, type JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { ChosenChange } from '../../jobs/plan/make-selection.ts'
import { cellText, safeText } from '../../output/safe-text.ts'
import { rowId } from '../list/list-state.ts'
import { withRecords } from '../screens/all-screens.tsx'
import type { ServerList } from '../screens.ts'
import { recordName } from '../text/change-text.ts'
import type { Parts } from './parts.ts'

/** A change that was refused because others had changed its record. */
export interface RefusedChange {
  readonly change: ChosenChange
  /** `Ada: company theirs Theirs, yours Mine, before Old`. */
  readonly text: string
}

const MOST_READ = 200

export type FindConflicts = ReturnType<typeof createFindConflicts>

/** Reads the records of refused changes again, and shows them in the list. */
export function createFindConflicts({ store, notices, findRecords }: Parts) {
  return async (name: ServerList, refused: readonly ChosenChange[]): Promise<readonly RefusedChange[]> => {
    const ids = refused.slice(0, MOST_READ).map(({ row }) => rowId(row) ?? '')
    if (ids.length === 0) return []
    const found = await findRecords(name, ids).catch((error: unknown) => {
      notices.problem(error, 'What others changed cannot be read; r loads it: ')
      return new Map<string, CrmRecord>()
    })
    const conflicts = refused.flatMap(({ row, patch }): RefusedChange[] => {
      const now = found.get(rowId(row) ?? '')
      return now ? [{ change: { row: now, patch }, text: conflictText(row, patch, now) }] : []
    })
    const rows = conflicts.map(({ change }) => change.row)
    store.update((state) => withRecords(state, name, rows))
    return conflicts
  }
}

/** Of a deletion, what others changed. */
function conflictText(before: CrmRecord, patch: JsonObject | null, now: CrmRecord): string {
  const names = Object.keys(patch ?? now).filter(
    (name) => patch || !isSameJson(before[name] ?? null, now[name] ?? null),
  )
  const members = names.map((name) => {
    const [theirs, was] = [now, before].map((row) => cellText(row[name]) || 'empty')
    return `${name} theirs ${theirs}${patch ? `, yours ${cellText(patch[name]) || 'empty'}` : ''}, before ${was}`
  })
  return safeText(`${recordName(before)}: ${members.join('; ')}`.slice(0, 300))
}
