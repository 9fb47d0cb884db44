import { CrmError } from '../../core/errors.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { PlanHead } from '../plan/plan-format.ts'
import { failureError } from '../send/send-outcome.ts'
import type { Stop } from '../send/services.ts'
import type { Account } from '../store/progress.ts'
import type { JobState } from './job-state.ts'

/** A job belongs to one account: on another one its rows would be created a second time. */
export function refuseOtherAccount({ job, account, command }: PlanHead, here: string): void {
  if (account === here) return
  const profile = typedProfile(command)
  throw new CrmError('usage', `${job} belongs to ${account}, and this command line uses ${here}`, {
    hint: `${profile === '' ? '' : `it was made with${profile}; `}choose the profile of that server with -p, or set CRM_BASE_URL`,
    job,
  })
}

/** What to do about a job that has not ended. */
export function unendedHint({ paths: { id }, sentBy, head }: JobState, command: readonly string[]): string {
  if (sentBy !== undefined) return `wait until ${sentBy}, which sends it, has ended: crm jobs show ${id}`
  return `crm jobs resume ${id}${typedProfile(command, head.command)}, or crm jobs cancel ${id}`
}

export function cancelled({ job, command }: PlanHead): CrmError {
  return new CrmError('conflict', `${job} was cancelled, and nothing more is sent for it`, {
    hint: `its result: crm jobs show ${job}; to revert that: crm jobs undo ${job}${typedProfile(command)}`,
    job,
  })
}

interface Ended {
  readonly account: Account
  readonly stop: Stop | undefined
  /** For an undo: what it does not revert, in words. */
  readonly left: string | undefined
  /** The number of rows of an upsert that exist twice. */
  readonly twice: number
}

/** The error of a command whose job did not do all rows; undefined if it did. */
export function outcomeError(job: string, { account, stop, left, twice }: Ended, argv: readonly string[]) {
  if (stop) return stopError(job, stop, `crm jobs resume ${job}${typedProfile(argv)}`)
  const { failed, in_doubt: doubt } = account
  if (failed + doubt + twice === 0) return left === undefined ? undefined : leftError(job, account, left)
  const parts = [`${failed} failed`, `${doubt} in doubt`, `${twice} duplicated`]
  const what = parts.filter((part) => !part.startsWith('0 ')).join(', ')
  const hints = [
    failed + doubt > 0 ? `crm jobs failed ${job}` : '',
    doubt > 0 ? `crm jobs resume ${job}${typedProfile(argv)} checks those in doubt again` : '',
    twice > 0 ? `crm jobs failed ${job} --twice` : '',
  ]
  return new CrmError('partial', `${what} of ${account.rows} rows`, { hint: hints.filter(Boolean).join('; '), job })
}

function leftError(job: string, { rows, done }: Account, left: string): CrmError {
  const what = done === 0 ? 'nothing was reverted' : `${done} of ${rows} were reverted`
  return new CrmError('partial', `${what}: ${left}`, { hint: `crm jobs failed ${job} --skipped`, job })
}

function stopError(job: string, stop: Stop, hint: string): unknown {
  switch (stop.why) {
    case 'interrupted':
      return new CrmError('interrupted', 'interrupted; all results are saved', { hint, job })
    case 'refused':
      return withJob(failureError('stopped', stop.failure, hint), job)
    case 'contradicted': {
      const failure = { ...stop.failure, code: 'bad_answer' } as const
      const mend = `crm connectors check compares the connector with the server; then ${hint}`
      return withJob(failureError('stopped, so that no more rows get such an answer', failure, mend), job)
    }
    case 'outage': {
      const lasts = `no request succeeded for ${Math.round(stop.lastsMs / 1000)} s`
      return withJob(failureError(lasts, stop.failure, hint), job)
    }
    case 'limit':
      return new CrmError('rate_limited', `the server asks for a pause of ${Math.round(stop.waitMs / 1000)} s`, {
        hint,
        job,
      })
    case 'errors':
      return new CrmError(
        'partial',
        `stopped after ${stop.failed} failed ${stop.failed === 1 ? 'row' : 'rows'} (--max-errors)`,
        { hint, job },
      )
    case 'error':
      return stop.error instanceof CrmError ? withJob(stop.error, job) : stop.error
  }
}

function withJob(error: CrmError, job: string): CrmError {
  return new CrmError(error.code, error.message, { ...error.details, job })
}
