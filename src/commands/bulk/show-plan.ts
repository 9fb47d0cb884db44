import type { Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { JsonObject } from '../../core/json.ts'
import type { RestOfJob } from '../../jobs/history/job-state.ts'
import type { LeftOut } from '../../jobs/plan/left-out.ts'
import type { MadeJob } from '../../jobs/plan/make-job.ts'
import type { Forecast, PlanCounts } from '../../jobs/plan/plan-format.ts'
import { printRecords } from '../../output/print-records.ts'
import { dryRunExit } from '../dry-run.ts'
import { itemsOf, onePage, printOne, recordOutput } from '../print.ts'
import { cannotUndo, fieldsText, limitText, timeText } from './plan-text.ts'
import { type RunFlags, runTerms } from './run-flags.ts'

/** What is shown of a plan: what would be sent, and what stays unchanged. */
interface Shown {
  readonly noun: MadeJob['head']['noun']
  readonly counts: PlanCounts
  readonly fields: MadeJob['fields']
  readonly leftOut: readonly LeftOut[]
  readonly recheckRequests?: number | undefined
}

export const LEFT_OUT_COLUMNS = ['line', 'id', 'code', 'field', 'reason', 'was', 'wrote', 'now']

/** The data of a dry run; nothing of it is sent. */
export async function showPlan(ctx: Context, job: MadeJob, flags: RunFlags): Promise<ExitCode> {
  const { head, end, fields } = job
  const leftOut = [...job.leftOut, ...job.failing]
  const recheckRequests = flags.recheck === false ? undefined : job.recheckRequests
  return show(ctx, { noun: head.noun, counts: end, fields, leftOut, recheckRequests }, flags)
}

/** Shows what an existing job would still send. */
export async function showRest(
  ctx: Context,
  { counts, fields, noun }: RestOfJob & Pick<Shown, 'noun'>,
  flags: RunFlags,
): Promise<ExitCode> {
  return show(ctx, { noun, counts, fields, leftOut: [] }, flags)
}

async function show(ctx: Context, shown: Shown, flags: RunFlags): Promise<ExitCode> {
  const { noun, counts, fields, leftOut, recheckRequests } = shown
  const { rows, create, update, delete: remove, unchanged, skipped, fail = 0 } = counts
  const requests = create + update + remove
  const { rateShare } = runTerms(flags)
  const forecast = await (await ctx.jobs()).forecast(requests, rateShare)
  const cannot = { cannot_undo: cannotUndo(counts, noun) }
  const second = recheckRequests === undefined ? {} : { recheck_requests: recheckRequests }
  const plan = {
    dry_run: true,
    rows,
    create,
    update,
    delete: remove,
    unchanged,
    skipped,
    ambiguous: fail,
    ...cannot,
    requests,
    ...second,
  }
  if (ctx.flags.output === 'table') {
    const limit = { rate_limit: limitText(forecast, rateShare), eta: timeText(forecast) }
    await printOne(ctx, { ...plan, fields: fieldsText(fields), ...limit })
    // A cell that holds a list is for programs.
    if (leftOut.length > 0) await printLeftOut(ctx, leftOut)
  } else {
    const shown = fields.map((field): JsonObject => ({ ...field }))
    await printOne(ctx, {
      ...plan,
      fields: shown,
      ...limitRecord(forecast, rateShare),
      left_out: leftOut.map(recordOf),
    })
  }
  if (ctx.flags.isDryRun) ctx.note(requests === 0 ? 'Dry run: nothing would change.' : 'Dry run: nothing was sent.')
  return dryRunExit(ctx, requests > 0)
}

function limitRecord({ rate, atLeastMs }: Forecast, share: number): JsonObject {
  if (!rate) return { rate_limit: null, eta_ms: null }
  const { limit = null, windowMs = null, remaining, resetInMs } = rate
  const stated = { limit, window_ms: windowMs, remaining, reset_in_ms: resetInMs, share }
  return { rate_limit: stated, eta_ms: atLeastMs ?? null }
}

async function printLeftOut(ctx: Context, leftOut: readonly LeftOut[]): Promise<void> {
  ctx.io.stdout.write('\n')
  const out = await recordOutput(ctx, LEFT_OUT_COLUMNS)
  await printRecords({ ...out, isWhole: true }, itemsOf(onePage(leftOut.map(recordOf))))
}

function recordOf(left: LeftOut): JsonObject {
  return { ...left }
}
