import type { CrmError } from '../core/errors.ts'
import type { MemberUse } from '../core/members-read.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { createExpression, placeIn, type Query, type RecordFailures, recordFailures } from './expression.ts'
import { loadJq } from './jq.ts'
import type { PathUse } from './plain-paths.ts'

export interface ExpressionTexts {
  readonly where: string | undefined
  readonly jq: string | undefined
  readonly whereErrors: WhereErrors
}

/** The expressions of a command line, compiled. */
export interface Expressions {
  readonly where: Where | undefined
  readonly query: Query | undefined
  /** The members that they read from records. The input of `--jq` is each record, the list of all, or neither. */
  uses(jqSees: 'record' | 'list' | 'none'): readonly MemberUse[]
}

export interface ExpressionWorld {
  /** Gets the output of `debug`. */
  readonly say: (line: string) => void
  readonly nowMs: number
}

/** CrmError `usage` for a text that is not a jq expression. */
export async function compileExpressions(texts: ExpressionTexts, world: ExpressionWorld): Promise<Expressions> {
  const jq = await loadJq()
  const where = await createExpression(jq, { ...world, flag: '--where', text: texts.where })
  const query = await createExpression(jq, { ...world, flag: '--jq', text: texts.jq })
  return {
    where: where && openWhere(where, texts.whereErrors),
    query,
    uses: (jqSees) => [
      ...memberUses('--where', where?.uses('record')),
      ...memberUses('--jq', jqSees === 'none' ? [] : query?.uses(jqSees)),
    ],
  }
}

/** `flag` as typed, such as `--compute total`. */
export function memberUses(flag: string, uses: readonly PathUse[] = []): readonly MemberUse[] {
  return uses.map(({ path }) => {
    const ifMeant = `has(${JSON.stringify(path.at(-1))}) in the expression states that it may be absent`
    return { flag, path, ifMeant }
  })
}

/** Whether a record on which `--where` fails ends the command or is skipped. */
export type WhereErrors = 'stop' | 'skip'

type Keep = (records: readonly CrmRecord[]) => Promise<readonly CrmRecord[]>

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

function openWhere(query: Query, onErrors: WhereErrors): Where {
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
