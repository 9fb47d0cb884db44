import type { CrmError } from '../core/errors.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { placeIn, type Query } from './expression.ts'
import { type RecordFailures, recordFailures } from './jq-failure.ts'

/** What becomes of records that `--where` fails on. */
export type WhereErrors = 'stop' | 'skip'

export type Keep = (records: readonly CrmRecord[]) => Promise<readonly CrmRecord[]>

export interface Where {
  /**
   * Those for which it gives anything but false, null or nothing. CrmError `invalid_input` says on how many of them it fails,
   * unless such records are to be left out.
   */
  readonly keep: Keep
  /** The same for who reads everything before anything is done: `failure` is asked then. */
  readonly keepAll: Keep
  /** On how many of the records seen so far it fails; undefined where on none, or where they are to be left out. */
  failure(): CrmError | undefined
  /** The line that counts those that were left out. */
  leftOut(): string | undefined
}

export function openWhere(query: Query, onErrors: WhereErrors): Where {
  let failed: RecordFailures | undefined
  const keepAll: Keep = async (records) => {
    const outcomes = await query.outcomes(records)
    const kept: CrmRecord[] = []
    for (const [at, record] of records.entries()) {
      const outcome = outcomes[at]
      if (outcome && 'reason' in outcome) {
        const place = failed?.place ?? placeIn(records)(at)
        failed = { count: (failed?.count ?? 0) + 1, place, reason: failed?.reason ?? outcome.reason }
      } else if (outcome?.results.some((result) => result !== false && result !== null)) kept.push(record)
    }
    return kept
  }
  const failure = (): CrmError | undefined =>
    failed && onErrors === 'stop' ? recordFailures('--where', failed) : undefined
  return {
    keepAll,
    failure,
    keep: async (records) => {
      failed = onErrors === 'stop' ? undefined : failed
      const kept = await keepAll(records)
      const error = failure()
      if (error) throw error
      return kept
    },
    leftOut: () => {
      if (!failed || onErrors === 'stop') return undefined
      const { count, place, reason } = failed
      return `Left out: ${count} ${count === 1 ? 'record' : 'records'} that --where fails on, ${count === 1 ? '' : 'the first is '}${place}: ${reason}`
    },
  }
}
