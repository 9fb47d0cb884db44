import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { counted, resourceOf } from '../../core/resources/registry.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { type RunFlags, runTerms } from '../bulk/bulk-flags.ts'
import { runShown } from '../bulk/run-shown.ts'
import { commandLine } from '../command-line.ts'

interface Sending {
  readonly flags: RunFlags
  readonly isResumed: boolean
}

/**
 * Sends what is left of a job of the chain. Returns what went wrong with rows, in words; the others continue. Throws when sending
 * stopped before its end.
 */
export async function sendChained(
  ctx: Context,
  to: Context,
  paths: JobPaths,
  { flags, isResumed }: Sending,
): Promise<string | undefined> {
  const jobs = await to.jobs()
  if (isResumed) ctx.note(`Resuming ${paths.id}.`)
  const { account, otherRows, error } = await runShown(ctx, jobs, {
    paths,
    terms: { ...runTerms(flags), isDoubtReopened: isResumed },
  })
  const { rows, done, failed, in_doubt: doubt } = account
  const { noun } = (await jobs.of(paths).state()).head
  ctx.onServerChange?.(`${done} of ${rows} ${noun}; see crm jobs show ${paths.id}`)
  ctx.note(`${paths.id}: ${done} of ${rows} ${noun} created.`)
  if (otherRows.count > 0)
    ctx.note(
      `The server answered with other values than were sent for ${otherRows.count} of them; first: ${otherRows.first}`,
    )
  if (error === undefined) return undefined
  if (!(error instanceof CrmError)) throw error
  if (error.code !== 'partial' || account.unsent > 0) {
    throw new CrmError(error.code, error.message, { ...error.details, hint: commandLine(ctx.argv), cause: error })
  }
  const report = await jobs.of(paths).reportFailures()
  for (const { code, count, reason } of report?.groups.slice(0, 10) ?? []) ctx.note(`${count} × ${code}: ${reason}`)
  const resource = resourceOf(noun)
  const parts = [
    ...(failed > 0 ? [`${counted(failed, resource)} failed`] : []),
    ...(doubt > 0 ? [`in doubt: ${counted(doubt, resource)}`] : []),
  ]
  return `${parts.join(', ')} (${paths.id})`
}
