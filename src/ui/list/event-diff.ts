import { isJsonObject, isSameJson, type JsonObject, jsonIn, memberOf } from '../../core/json.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import type { DiffLine } from '../text/diff-line.ts'
import { valueChange } from '../text/plan-diff.ts'

/** What an event changed, compared with the event of the same record before it. */
export interface EventDiff {
  /** The earlier event; undefined if none is loaded, and if the event itself states the earlier values. */
  readonly before: CrmRecord | undefined
  /** Undefined if a body is not JSON, or was cut. */
  readonly lines: readonly DiffLine[] | undefined
  /** Members of the earlier event that this one does not state: a sender may send only what changed. */
  readonly unstated: number
}

/** Undefined for an event without a record. The newest row is first. */
export function eventDiff(rows: readonly CrmRecord[], row: CrmRecord): EventDiff | undefined {
  const { record_id: recordId } = row
  if (typeof recordId !== 'string') return undefined
  const before = rows.slice(rows.indexOf(row) + 1).find((each) => each.record_id === recordId && each.id !== row.id)
  const [old, now] = [before && dataOf(before), dataOf(row)]
  const stated = bodyOf(row)?.previous
  if (!old && now && isJsonObject(stated)) {
    return { before: undefined, lines: changesOf(stated, now, Object.keys(stated)), unstated: 0 }
  }
  if (!old || !now) return { before, lines: undefined, unstated: 0 }
  const lines = changesOf(old, now, Object.keys(now))
  const unstated = Object.keys(old).filter((name) => !Object.hasOwn(now, name) && !isReadOnly(name)).length
  return { before, lines, unstated }
}

function changesOf(old: JsonObject, now: JsonObject, names: readonly string[]): readonly DiffLine[] {
  return names.flatMap((name) => {
    const [was, is] = [memberOf(old, name), memberOf(now, name)]
    return isReadOnly(name) || isSameJson(was, is) ? [] : [valueChange(name, was, is)]
  })
}

/** The record in a body, in the members of Standard Webhooks or of Stripe. */
function dataOf(row: CrmRecord): JsonObject | undefined {
  const data = bodyOf(row)?.data
  if (!isJsonObject(data)) return undefined
  return isJsonObject(data.object) ? data.object : data
}

function bodyOf({ body }: CrmRecord): JsonObject | undefined {
  const value = typeof body === 'string' ? jsonIn(body) : undefined
  return isJsonObject(value) ? value : undefined
}
