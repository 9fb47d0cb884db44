import { changedMembers } from '../../core/changes.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import { canonicalJson } from './digest.ts'

/** A member that somebody changed since, and its three sides. */
export interface Conflict {
  readonly field: string
  readonly was: JsonValue
  readonly wrote: JsonValue
  readonly now: JsonValue
}

export interface Restored {
  /** A merge patch that brings back what was there; empty when there is nothing to bring back. */
  readonly patch: JsonObject
  /** Members that somebody changed since; they are left alone. */
  readonly conflicts: readonly Conflict[]
}

/** Compares the old, the written and the current value. A member is reverted only if it still has the written value. */
export function restore(before: CrmRecord, written: JsonObject, now: CrmRecord): Restored {
  const patch: JsonObject = {}
  const conflicts: Conflict[] = []
  for (const [name, value] of Object.entries(written)) {
    const old = own(before, name)
    if (Object.keys(changedMembers(now, { [name]: value })).length > 0) {
      // Unless it is back already.
      if (!isSame(old, own(now, name))) conflicts.push({ field: name, was: old, wrote: value, now: own(now, name) })
    } else if (!isSame(old, own(now, name))) {
      patch[name] = patchTo(own(now, name), old)
    }
  }
  return { patch, conflicts }
}

/** Members of a record that was made by a job and that somebody changed since; none when it may go. */
export function changesSince(written: JsonObject, now: CrmRecord): readonly Conflict[] {
  const sides = (field: string) => ({ field, was: null, wrote: own(written, field), now: own(now, field) })
  const changed = Object.keys(changedMembers(now, written))
  if (changed.length > 0) return changed.map(sides)
  // A server that counts versions, or tells when it was changed, knows of other members too.
  if (typeof now.version === 'number') return now.version === 1 ? [] : [sides('version')]
  const isTouched = now.updated_at !== undefined && now.updated_at !== now.created_at
  return isTouched ? [sides('updated_at')] : []
}

/** What can be sent of a record that is gone. */
export function writableOf(record: CrmRecord): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => !isReadOnly(name) && value !== null))
}

/** RFC 7396: an object is merged, so what is not to be in it must be named. */
function patchTo(now: JsonValue, wanted: JsonValue): JsonValue {
  if (!isJsonObject(now) || !isJsonObject(wanted)) return wanted
  const names = new Set([...Object.keys(now), ...Object.keys(wanted)])
  const patch: JsonObject = {}
  for (const name of names) {
    if (!isSame(own(now, name), own(wanted, name))) patch[name] = patchTo(own(now, name), own(wanted, name))
  }
  return patch
}

function own(record: JsonObject, name: string): JsonValue {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other)
}
