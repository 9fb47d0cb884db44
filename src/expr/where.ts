import type { CrmError } from '../core/errors.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { placeIn, type Query } from './expression.ts'
import { type RecordFailures, recordFailures } from './jq-failure.ts'

/** Whether a record on which `--where` fails ends the command or is skipped. */
export type WhereErrors = 'stop' | 'skip'

export type Keep = (records: readonly CrmRecord[]) => Promise<readonly CrmRecord[]>

export interface Where {
  /**
   * The records for which the result is neither false, null nor empty. CrmError `invalid_input` when it fails on some of
   * them, unless those are skipped.
   */
  readonly keep: Keep
  /** The same without the error, for a caller that reads all records first and then calls `failure`. */
  readonly keepAll: Keep
  /** The same, up to the first record on which it fails, for a caller that shows these before it calls `failure`. */
  readonly keepBefore: Keep
  /** The error for all records so far on which it fails; undefined when there are none, or when they are skipped. */
  failure(): CrmError | undefined
  /** A line with the number of records that were skipped. */
  leftOut(): string | undefined
}

export function openWhere(query: Query, onErrors: WhereErrors): Where {
  let failed: RecordFailures | undefined
  const judge = async (records: readonly CrmRecord[], isEnded: () => boolean): Promise<readonly CrmRecord[]> => {
    const outcomes = await query.outcomes(records)
    const kept: CrmRecord[] = []
    for (const [at, record] of records.entries()) {
      const outcome = outcomes[at]
      if (outcome && 'reason' in outcome) {
        const place = failed?.place ?? placeIn(records)(at)
        failed = { count: (failed?.count ?? 0) + 1, place, reason: failed?.reason ?? outcome.reason }
      } else if (!isEnded() && outcome?.results.some((result) => result !== false && result !== null)) kept.push(record)
    }
    return kept
  }
  const keepAll: Keep = (records) => judge(records, () => false)
  const failure = (): CrmError | undefined =>
    failed && onErrors === 'stop' ? recordFailures('--where', failed) : undefined
  return {
    keepAll,
    keepBefore: (records) => judge(records, () => failure() !== undefined),
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
