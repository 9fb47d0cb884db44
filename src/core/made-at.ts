import type { CrmRecord } from './resources/registry.ts'

/** The time at which a record was created; undefined when it does not have one. */
export function madeAtMs(record: CrmRecord): number | undefined {
  const text = record.created_at ?? record.createdAt
  const timeMs = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(timeMs) ? undefined : timeMs
}

/** Clocks of the machines behind one server differ. */
export const SKEW_MS = 5000
