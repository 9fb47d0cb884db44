import { changedMembers } from '../../core/changes.ts'
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, memberOf } from '../../core/json.ts'
import { isAlike } from '../../core/other-values.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import type { RowRules } from './make-job.ts'

/** A member that someone else changed since, with its three values. */
export interface Conflict {
  readonly field: string
  readonly was: JsonValue
  readonly wrote: JsonValue
  readonly now: JsonValue
}

export interface Restored {
  /** A merge patch that restores the old values; empty if there is nothing to restore. */
  readonly patch: JsonObject
  /** Members that someone else changed since; they stay unchanged. */
  readonly conflicts: readonly Conflict[]
}

/** Compares the old, the written and the current value. A member is reverted only if it still has the written value. */
export function restore(before: CrmRecord, written: JsonObject, now: CrmRecord): Restored {
  const patch: JsonObject = {}
  const conflicts: Conflict[] = []
  for (const [name, value] of Object.entries(written)) {
    const old = memberOf(before, name)
    if (changedSince(now, { [name]: value }).length > 0) {
      // Unless it already has the old value.
      if (!isSame(old, memberOf(now, name)))
        conflicts.push({ field: name, was: old, wrote: value, now: memberOf(now, name) })
    } else if (!isSame(old, memberOf(now, name))) {
      patch[name] = patchTo(memberOf(now, name), old)
    }
  }
  return { patch, conflicts }
}

/**
 * Members that someone changed in a record that a job created; none if the record may be deleted. `isRepeated`: the job itself sent
 * the values again, so that a version or a time of change shows no other's change.
 */
export function changesSince(written: JsonObject, now: CrmRecord, isRepeated = false): readonly Conflict[] {
  const sides = (field: string) => ({ field, was: null, wrote: memberOf(written, field), now: memberOf(now, field) })
  const changed = changedSince(now, written)
  if (changed.length > 0 || isRepeated) return changed.map(sides)
  // A version or a time of change also shows changes of other members.
  if (typeof now.version === 'number') return now.version === 1 ? [] : [sides('version')]
  const { created_at, updated_at } = now
  // Some servers state a time of change from the first change on.
  const isStated = updated_at !== undefined && updated_at !== null
  const isTouched = isStated && updated_at !== created_at && !isOneMoment(created_at, updated_at)
  return isTouched ? [sides('updated_at')] : []
}

/** The written members that have other values now; a value that the server only writes in another form counts as the same. */
function changedSince(now: CrmRecord, written: JsonObject): readonly string[] {
  const names = Object.keys(changedMembers(now, written))
  return names.filter((name) => !isAlike(memberOf(now, name), memberOf(written, name)))
}

/** Django and others ask the clock once for each of the two times of a new record. */
const MOST_APART_MS = 100

function isOneMoment(created: JsonValue | undefined, updated: JsonValue): boolean {
  if (typeof created !== 'string' || typeof updated !== 'string') return false
  return Math.abs(Date.parse(updated) - Date.parse(created)) <= MOST_APART_MS
}

/** Whether the record has a version or a time of change. */
export function showsChanges({ version, updated_at }: CrmRecord): boolean {
  return typeof version === 'number' || (updated_at !== undefined && updated_at !== null)
}

/** The members of a deleted record that can be sent to create it again. */
export function writableOf(record: CrmRecord, rules: Pick<RowRules, 'isReadOnly' | 'isDropped'>): JsonObject {
  const isSet = (name: string) => isReadOnly(name) || rules.isReadOnly(name) || rules.isDropped(name)
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => !isSet(name) && value !== null))
}

/** RFC 7396 merges objects, so members to remove must be named. */
function patchTo(now: JsonValue, wanted: JsonValue): JsonValue {
  if (!isJsonObject(now) || !isJsonObject(wanted)) return wanted
  const names = new Set([...Object.keys(now), ...Object.keys(wanted)])
  const patch: JsonObject = {}
  for (const name of names) {
    if (!isSame(memberOf(now, name), memberOf(wanted, name)))
      patch[name] = patchTo(memberOf(now, name), memberOf(wanted, name))
  }
  return patch
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other)
}
