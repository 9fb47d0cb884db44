import { operationCount, type PlanEnd } from '../plan/plan-head.ts'
import type { Progress } from './progress.ts'

/** The number of rows by outcome. */
export interface Account {
  readonly rows: number
  readonly done: number
  readonly unchanged: number
  readonly skipped: number
  readonly failed: number
  /** Sent, and it is unknown whether the server applied it; or sent by a process that has ended, until the job is resumed. */
  readonly in_doubt: number
  readonly unsent: number
}

/** Throws when the rows do not add up, which is a bug: a row would have been lost, or counted twice. */
export function rowTotals(end: PlanEnd, progress: Progress): Account {
  const { done, failed, doubt, back } = progress.counts
  const account: Account = {
    rows: end.rows,
    done,
    unchanged: end.unchanged,
    skipped: end.skipped,
    failed,
    in_doubt: doubt + progress.unanswered,
    unsent: operationCount(end) - progress.next + back,
  }
  const { rows, ...parts } = account
  const sum = Object.values(parts).reduce((total, part) => total + part, 0)
  if (sum !== rows) throw new Error(`the account does not add up: ${JSON.stringify(account)} come to ${sum}`)
  return account
}
