import { isSameJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { jsonText, safeText } from '../../output/safe-text.ts'
import { type Edit, type ListState, putRow, rowId } from '../list/list-state.ts'
import { type ServerList, searchedIn } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import type { Notices } from './notices.ts'
import type { FindRecords } from './restore-kept.ts'

interface Parts {
  readonly store: StateStore<State>
  readonly notices: Notices
  readonly findRecords: FindRecords
}

/** Records that are read again after one send. */
const MOST_READ = 200

const MOST_NAMED = 3

/**
 * Reads the records of edits that were refused because others had changed them, so that the next plan is made of what they are now.
 * Shows their values beside the edited ones, which stay staged.
 */
export async function showConflicts(
  { store, notices, findRecords }: Parts,
  name: ServerList,
  refused: readonly Edit[],
): Promise<void> {
  const { staged } = store.get().lists[name]
  const left = refused.filter(({ row }) => staged.has(rowId(row) ?? '')).slice(0, MOST_READ)
  if (left.length === 0) return
  const ids = left.map(({ row }) => rowId(row) ?? '')
  const found = await findRecords(name, ids).catch((error: unknown) => {
    notices.problem(error, 'What others changed cannot be read; r loads it: ')
    return new Map<string, CrmRecord>()
  })
  const changed = left.flatMap((edit) => {
    const now = found.get(rowId(edit.row) ?? '')
    return now && isChanged(edit.row, now) ? [{ edit, now }] : []
  })
  if (changed.length === 0) return
  const put = (list: ListState) => changed.reduce((before, { now }) => putRow(before, now, searchedIn(name)), list)
  store.update((state) => withList(state, name, put))
  const texts = changed.map(({ edit, now }) => conflictText(edit, now))
  const more = texts.length > MOST_NAMED ? `; and ${texts.length - MOST_NAMED} more` : ''
  notices.wait(`Changed by others: ${texts.slice(0, MOST_NAMED).join('; ')}${more}. w shows the plan anew`)
}

function isChanged(before: CrmRecord, now: CrmRecord): boolean {
  return before.version === undefined ? !isSameJson(before, now) : before.version !== now.version
}

/** `Ada: company "Theirs" there, "Mine" here`. */
function conflictText({ row, patch }: Edit, now: CrmRecord): string {
  const members = Object.entries(patch).map(
    ([member, value]) => `${member} ${jsonText(now[member] ?? null)} there, ${jsonText(value)} here`,
  )
  return safeText(`${recordName(row)}: ${members.join(', ')}`.slice(0, 200))
}
