import { isSameJson, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { jsonText, safeText } from '../../output/safe-text.ts'
import type { KeptChange } from '../../settings/kept-changes.ts'
import { type Edit, type ListState, rowId } from '../list/list-state.ts'
import { type State, type StateStore, withList } from '../state.ts'
import { changesText, recordName } from '../text/change-text.ts'
import type { Deletions } from './deletions.ts'
import type { Notices } from './notices.ts'

/** Finds records by their ids; an id without a record is missing in the result. */
export type FindRecords = (list: KeptChange['list'], ids: readonly string[]) => Promise<ReadonlyMap<string, CrmRecord>>

interface Parts {
  readonly store: StateStore<State>
  readonly notices: Notices
  readonly deletions: Pick<Deletions, 'hold'>
  readonly findRecords: FindRecords
}

/** Stages the kept changes of a list whose records are unchanged, and reports the others. */
export async function restoreChanges(
  { store, notices, deletions, findRecords }: Parts,
  list: KeptChange['list'],
  kept: readonly KeptChange[],
): Promise<void> {
  const found = await findRecords(list, [...new Set(kept.map(({ id }) => id))])
  const checked = kept.map((change) => checkKept(change, found.get(change.id)))
  const { staged, editedTwice } = withEdits(store.get().lists[list], checked)
  store.update((state) => withList(state, list, (before) => ({ ...before, staged })))
  deletions.hold(
    list,
    checked.flatMap((each) => (each.type === 'deletion' ? [each.row] : [])),
  )
  const leftOut = [...checked.flatMap((each) => (each.type === 'deletion' ? [] : each.leftOut)), ...editedTwice]
  store.update((state) => ({ ...state, leftOut: state.leftOut + leftOut.length }))
  const restored = checked.filter(({ type }) => type !== 'dropped').length
  if (restored > 0)
    notices.wait(`${changesText(restored)} of ${list} kept from the last session, not sent yet: w shows and sends`)
  // Last, because the screen shows the last message.
  for (const text of leftOut) notices.wait(`Not restored: ${text}`)
}

/** An edit made since the start wins over a kept one; two kept edits of one record become one. */
function withEdits(
  list: ListState,
  checked: readonly Checked[],
): Pick<ListState, 'staged'> & { editedTwice: string[] } {
  const staged = new Map(list.staged)
  const editedTwice: string[] = []
  for (const each of checked) {
    const id = each.type === 'edit' ? rowId(each.edit.row) : undefined
    if (each.type !== 'edit' || id === undefined) continue
    const { row, patch } = each.edit
    const now = staged.get(id)?.patch ?? {}
    for (const [member, value] of Object.entries(patch)) {
      if (!Object.hasOwn(now, member) || isSameJson(now[member], value)) continue
      const unset = `${safeText(member)} was edited twice, and is not set to ${safeText(jsonText(value))}`
      editedTwice.push(`${recordName(row)}: ${unset}`)
    }
    staged.set(id, { row, patch: { ...patch, ...now } })
  }
  return { staged, editedTwice }
}

/** A kept change after the comparison with its current record. */
type Checked =
  | { readonly type: 'edit'; readonly edit: Edit; readonly leftOut: readonly string[] }
  | { readonly type: 'deletion'; readonly row: CrmRecord }
  /** There is nothing to restore; the texts state the reasons. */
  | { readonly type: 'dropped'; readonly leftOut: readonly string[] }

/** A change is restored when its members are unchanged in the record, so that it overwrites nothing newer. */
function checkKept(change: KeptChange, record: CrmRecord | undefined): Checked {
  const { patch, before } = change
  const name = recordName(before)
  if (!record) return { type: 'dropped', leftOut: patch === null ? [] : [`${name} (${safeText(change.id)}) is gone`] }
  if (patch === null) {
    const isSame = sameVersion(before, record)
    return isSame
      ? { type: 'deletion', row: record }
      : { type: 'dropped', leftOut: [`${name} was changed since, and is not deleted`] }
  }
  const leftOut: string[] = []
  const rest: JsonObject = {}
  for (const [member, value] of Object.entries(patch)) {
    const now = record[member] ?? null
    if (isSameJson(now, value)) continue
    if (isSameJson(now, before[member] ?? null)) rest[member] = value
    else leftOut.push(`${name}: ${safeText(member)} is ${text(now)} now, and was not set to ${text(value)}`)
  }
  if (Object.keys(rest).length === 0) return { type: 'dropped', leftOut }
  return { type: 'edit', edit: { row: record, patch: rest }, leftOut }
}

/** By the version if the server has one, else by all members. */
function sameVersion(before: CrmRecord, record: CrmRecord): boolean {
  if (record.version !== undefined || before.version !== undefined) return isSameJson(before.version, record.version)
  const names = new Set([...Object.keys(before), ...Object.keys(record)])
  return [...names].every((name) => isSameJson(before[name] ?? null, record[name] ?? null))
}

function text(value: JsonValue): string {
  return safeText(jsonText(value).slice(0, 60))
}
