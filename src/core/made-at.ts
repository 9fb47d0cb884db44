import type { JsonValue } from './json.ts'
import { recordTime } from './record-time.ts'
import type { CrmRecord } from './resources/registry.ts'

/**
 * Whether the record was created at that time or later. Undefined if the record does not state it: it shows no time, a day, or a
 * time without a zone, of which it is unknown how far it is from UTC.
 */
export function isMadeSince(record: CrmRecord, sinceMs: number): boolean | undefined {
  const made = recordTime(record.created_at)
  if (made === undefined) return undefined
  if (made.earliestMs >= sinceMs - SKEW_MS) return true
  return made.latestMs < sinceMs - SKEW_MS ? false : undefined
}

/** A clause for messages about records of which isMadeSince is undefined. */
export const MADE_UNKNOWN = 'the server does not state when it was created, to the second and with a zone'

/** The clocks of the machines behind one server can differ by this much. */
const SKEW_MS = 5000

/** Clocks and zones that are set wrong may be off by as much as this. */
const UNSURE_MS = 26 * 60 * 60 * 1000

/** Servers write the year 1, 1900 or 1970 for no time. */
const EARLIEST_MS = Date.UTC(1990)

/** No create takes longer between the two times that it writes. */
const MOST_CREATING_MS = 60_000

/** Whether a record shows that it existed before: it was created then, or, if it does not say when, changed last. */
export function isOlder(record: CrmRecord, thanMs: number): boolean {
  const oldest = timeOf(record.created_at) ?? timeOf(record.updated_at)
  return oldest !== undefined && oldest.latestMs + UNSURE_MS < thanMs
}

/** Whether a record, in the answer to its create, was there before: it is older than the request, or was changed long after it was created. */
export function wasThereBefore(record: CrmRecord, sinceMs: number): boolean {
  const [created, changed] = [timeOf(record.created_at), timeOf(record.updated_at)]
  return (
    isOlder(record, sinceMs) || (!!created && !!changed && changed.earliestMs - created.latestMs > MOST_CREATING_MS)
  )
}

function timeOf(value: JsonValue | undefined) {
  const time = recordTime(value)
  return time && time.timeMs >= EARLIEST_MS ? time : undefined
}
