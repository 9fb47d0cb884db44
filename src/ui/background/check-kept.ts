import { isSameJson, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { jsonText } from '../../output/json-text.ts'
import { safeText } from '../../output/safe-text.ts'
import type { KeptChange } from '../../settings/kept-changes.ts'
import type { Edit } from '../list/list-state.ts'
import { nameOf } from '../text/change-text.ts'

/** A kept change after the comparison with its current record. */
export type Checked =
  | { readonly is: 'edit'; readonly edit: Edit; readonly leftOut: readonly string[] }
  | { readonly is: 'deletion'; readonly row: CrmRecord }
  /** Nothing is left to do; the texts give the reasons. */
  | { readonly is: 'dropped'; readonly leftOut: readonly string[] }

/** A change is restored when its members are unchanged in the record, so that it overwrites nothing newer. */
export function checkKept(change: KeptChange, record: CrmRecord | undefined): Checked {
  const { patch, before } = change
  const name = nameOf(before)
  if (!record) return { is: 'dropped', leftOut: patch === null ? [] : [`${name} (${safeText(change.id)}) is gone`] }
  if (patch === null) {
    const isSame = sameVersion(before, record)
    return isSame
      ? { is: 'deletion', row: record }
      : { is: 'dropped', leftOut: [`${name} was changed since, and is not deleted`] }
  }
  const leftOut: string[] = []
  const rest: JsonObject = {}
  for (const [member, value] of Object.entries(patch)) {
    const now = record[member] ?? null
    if (isSameJson(now, value)) continue
    if (isSameJson(now, before[member] ?? null)) rest[member] = value
    else leftOut.push(`${name}: ${safeText(member)} is ${text(now)} now, and was not set to ${text(value)}`)
  }
  if (Object.keys(rest).length === 0) return { is: 'dropped', leftOut }
  return { is: 'edit', edit: { row: record, patch: rest }, leftOut }
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
