import type { CrmRecord } from './resources/registry.ts'

/** When a record was made, by its own word; undefined when the server does not tell. */
export function madeAtMs(record: CrmRecord): number | undefined {
  const text = record.created_at ?? record.createdAt
  const timeMs = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(timeMs) ? undefined : timeMs
}

/** Clocks of one server are not all alike. */
export const SKEW_MS = 5000
