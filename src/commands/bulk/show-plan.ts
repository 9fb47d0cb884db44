import type { Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import type { JsonObject } from '../../core/json.ts'
import { counted, resourceOf } from '../../core/resources/registry.ts'
import type { RestOfJob } from '../../jobs/history/job-state.ts'
import type { LeftOut } from '../../jobs/plan/left-out.ts'
import type { MadeJob } from '../../jobs/plan/make-job.ts'
import type { Forecast, PlanCounts } from '../../jobs/plan/plan-format.ts'
import { printRecords } from '../../output/print-records.ts'
import { withFlag } from '../command-line.ts'
import { dryRunExit } from '../dry-run.ts'
import { itemsOf, onePage, printOne, recordOutput } from '../print.ts'
import { type RunFlags, runTerms } from './bulk-flags.ts'
import { previewLines } from './preview-lines.ts'

/** What is shown of a plan: what would be sent, and what stays unchanged. */
interface Shown {
  readonly head: Pick<MadeJob['head'], 'noun' | 'upsert' | 'terms'>
  readonly counts: PlanCounts
  readonly fields: MadeJob['fields']
  readonly preview?: MadeJob['preview']
  readonly leftOut: readonly LeftOut[]
  readonly recheckRequests?: number | undefined
  readonly matching?: MadeJob['matching']
  readonly first?: MadeJob['first']
  readonly createFirst?: MadeJob['createFirst']
}

export const LEFT_OUT_COLUMNS = ['line', 'id', 'code', 'field', 'reason', 'was', 'wrote', 'now']

/** The data of a dry run; nothing of it is sent. */
export async function showPlan(ctx: Context, job: MadeJob, flags: RunFlags): Promise<ExitCode> {
  const { head, end, fields, matching, preview, first, createFirst } = job
  const leftOut = [...job.leftOut, ...job.failing]
  const recheckRequests = flags.recheck === false ? undefined : job.recheckRequests
  return show(
    ctx,
    { head, counts: end, fields, leftOut, recheckRequests, matching, preview, first, createFirst },
    flags,
  )
}

/** Shows what an existing job would still send. */
export async function showRest(
  ctx: Context,
  { counts, fields, head }: RestOfJob & Pick<Shown, 'head'>,
  flags: RunFlags,
): Promise<ExitCode> {
  return show(ctx, { head, counts, fields, leftOut: [] }, flags)
}

async function show(ctx: Context, shown: Shown, flags: RunFlags): Promise<ExitCode> {
  const { head, counts, fields, leftOut, recheckRequests, matching, preview, first = [], createFirst } = shown
  const { rateShare } = runTerms(flags)
  const forecast = await (await ctx.jobs()).forecast({ head, counts }, rateShare)
  const requests = forecast.requests + (await requestsBefore(ctx, first, rateShare))
  const cannot = { cannot_undo: await cannotUndo(ctx, counts, head.noun) }
  const second = recheckRequests === undefined ? {} : { recheck_requests: recheckRequests }
  const plan = {
    dry_run: true,
    ...(createFirst && { create_first: createFirst }),
    ...countsRecord(counts),
    ...cannot,
    requests,
    ...second,
    ...(first.length > 0 && { repointed: first.reduce((sum, { end }) => sum + end.update, 0) }),
    ...matchingRecord(matching),
    ...(head.upsert !== undefined && { upsert: head.upsert }),
  }
  if (ctx.flags.output === 'table') {
    const limit = { rate_limit: limitText(forecast, rateShare), eta: timeText(forecast) }
    await printOne(ctx, { ...plan, fields: fieldsText(fields), ...limit })
    if (preview) notePreview(ctx, preview)
    noteFirst(ctx, { first })
    // A cell that holds a list is for programs.
    if (leftOut.length > 0 && !ctx.flags.isQuiet) await printLeftOut(ctx, leftOut, counts)
  } else {
    const shown = fields.map((field): JsonObject => ({ ...field }))
    await printOne(ctx, {
      ...plan,
      fields: shown,
      ...limitRecord(forecast, rateShare),
      ...(preview && { preview: previewRecord(preview) }),
      left_out: leftOut.map(recordOf),
    })
  }
  if (ctx.flags.isDryRun) ctx.note(requests === 0 ? 'Dry run: nothing would change.' : 'Dry run: nothing was sent.')
  return dryRunExit(ctx, requests > 0)
}

function matchingRecord(matching: Shown['matching']) {
  if (!matching) return {}
  return { matched_by: matching.by, match_requests: matching.requests, unmatchable: matching.unmatchable }
}

async function requestsBefore(
  ctx: Pick<Context, 'jobs'>,
  first: readonly MadeJob[],
  rateShare: number,
): Promise<number> {
  const jobs = await ctx.jobs()
  const before = await Promise.all(first.map(({ head, end }) => jobs.forecast({ head, counts: end }, rateShare)))
  return before.reduce((sum, { requests }) => sum + requests, 0)
}

function countsRecord({
  rows,
  create,
  update,
  delete: remove,
  unchanged,
  skipped,
  fail = 0,
  rejected = 0,
}: PlanCounts) {
  const counts = { rows, create, update, delete: remove, unchanged, skipped, ambiguous: fail - rejected }
  return rejected > 0 ? { ...counts, rejected } : counts
}

/** What a plan changes, as values. */
export function notePreview(ctx: Pick<Context, 'note'>, preview: MadeJob['preview']): void {
  for (const line of previewLines(preview)) ctx.note(line)
}

/** The records that are re-pointed before a merge. */
export function noteFirst(ctx: Pick<Context, 'note'>, { first = [] }: Pick<MadeJob, 'first'>): void {
  for (const { head, end, fields, preview } of first) {
    const names = fields.map(({ field }) => field).join(', ')
    ctx.note(`First, ${counted(end.update, resourceOf(head.noun))} re-pointed to the winners (${names}):`)
    notePreview(ctx, preview)
  }
}

function previewRecord({ members, samples }: NonNullable<Shown['preview']>): JsonObject {
  const shown = members.map(({ changes, sum, ...member }) => ({
    ...member,
    changes: changes.map((change) => ({ ...change })),
    sum: sum && { ...sum },
  }))
  return { members: shown, samples: samples.map((sample) => ({ ...sample })) }
}

function limitRecord({ rate, atLeastMs }: Forecast, share: number): JsonObject {
  if (!rate) return { rate_limit: null, eta_ms: null }
  const { limit = null, windowMs = null, remaining, resetInMs } = rate
  const stated = { limit, window_ms: windowMs, remaining, reset_in_ms: resetInMs, share }
  return { rate_limit: stated, eta_ms: atLeastMs ?? null }
}

const MOST_ROWS = 20

async function printLeftOut(ctx: Context, leftOut: readonly LeftOut[], counts: PlanCounts): Promise<void> {
  ctx.io.stdout.write('\n')
  const out = await recordOutput(ctx, LEFT_OUT_COLUMNS)
  await printRecords({ ...out, isWhole: true }, itemsOf(onePage(leftOut.slice(0, MOST_ROWS).map(recordOf))))
  if (leftOut.length <= MOST_ROWS) return
  // The first thousand are here; a row may have several.
  const { skipped, fail = 0, rejected = 0 } = counts
  const hidden = Math.max(leftOut.length, skipped + fail - rejected) - MOST_ROWS
  ctx.note(`and ${hidden} more: ${withFlag(ctx.argv, '-o', 'json')}`)
}

function recordOf(left: LeftOut): JsonObject {
  return { ...left }
}

const MOST_FIELDS = 12

/** The plan in a few lines for people. */
export function planLines(
  { end: counts, fields, head, matching }: Pick<MadeJob, 'end' | 'fields' | 'head' | 'matching'>,
  { forecast, share }: { forecast: Forecast; share: number },
): readonly string[] {
  const { rows, unchanged, skipped, fail = 0, rejected = 0 } = counts
  const parts = [`${unchanged} unchanged`, `${skipped} skipped`, `${fail - rejected} ambiguous`, `${rejected} rejected`]
  const left = parts.filter((part) => !part.startsWith('0 '))
  const what = [...changes(counts), ...left].join(', ') || 'nothing'
  const lines = [`Plan: ${what}, of ${rows} ${rows === 1 ? 'row' : 'rows'}`]
  if (fields.length > 0) lines.push(`Fields: ${fieldsText(fields)}`)
  if (matching) lines.push(matchingText(matching))
  const { requests } = forecast
  if (requests > 0) {
    const linked = fields.filter(({ field }) => forecast.linkFields?.includes(field))
    const links = linked.length === 0 ? '' : `, and those that write links (${fieldsText(linked)})`
    const upserts = head.upsert === undefined ? '' : `, creates as upserts by ${head.upsert}`
    lines.push(
      `Sends ${requestsText(requests)}${links}${upserts}; limit: ${limitText(forecast, share)}; time: ${timeText(forecast)}`,
    )
  }
  return lines
}

function matchingText({ by, fields, requests }: NonNullable<MadeJob['matching']>): string {
  const what = by === 'keys' ? 'for the values of the rows' : 'for the whole list'
  return `Matched by ${fields.join(', ')}: ${requestsText(requests)} ${what}`
}

function requestsText(requests: number): string {
  return requests === 1 ? '1 request' : `${requests} requests`
}

function changes({ create, update, delete: remove }: PlanCounts): readonly string[] {
  const parts: readonly (readonly [string, number])[] = [
    ['create', create],
    ['change', update],
    ['delete', remove],
  ]
  return parts.filter(([, count]) => count > 0).map(([verb, count]) => `${verb} ${count}`)
}

/** The number of creates that `jobs undo` cannot revert: the API has no deletion for them. */
export async function cannotUndo(
  ctx: Pick<Context, 'api'>,
  { create }: Pick<PlanCounts, 'create'>,
  noun: MadeJob['head']['noun'],
): Promise<number> {
  if (create === 0) return 0
  return (await ctx.api()).connector.offers(resourceOf(noun), 'delete') ? 0 : create
}

/** `email 4, phone 3 (1 cleared)`: the number of rows that write each field. */
function fieldsText(fields: MadeJob['fields']): string {
  const shown = fields.slice(0, MOST_FIELDS).map(({ field, create, update, clear }) => {
    return `${field} ${create + update}${clear > 0 ? ` (${clear} cleared)` : ''}`
  })
  return fields.length > shown.length
    ? `${shown.join(', ')}, and ${fields.length - shown.length} more`
    : shown.join(', ')
}

function limitText({ rate }: Forecast, share: number): string {
  if (!rate) return 'not stated'
  const { limit, windowMs, remaining } = rate
  const size = limit === undefined ? 'of an unstated size' : `${limit}`
  const window = windowMs === undefined ? '' : ` in ${durationText(windowMs)}`
  return `${size}${window}, ${remaining} left, crm uses ${Math.round(share * 100)}%`
}

/** The minimum by the rate limit; the speed of the server is not known before sending. */
function timeText({ requests, atLeastMs }: Forecast): string {
  if (requests === 0) return 'none'
  if (atLeastMs === undefined) return 'not known'
  return atLeastMs === 0 ? 'no wait expected' : `at least ${durationText(atLeastMs)}`
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** `1 h 4 min`: the two largest units. */
function durationText(timeMs: number): string {
  const seconds = Math.max(1, Math.ceil(timeMs / 1000)) * 1000
  const at = UNITS.findIndex(([, ms]) => seconds >= ms)
  const [unit, unitMs] = UNITS[at] ?? ['s', 1000]
  const whole = Math.floor(seconds / unitMs)
  const [smaller, smallerMs] = UNITS[at + 1] ?? ['', 0]
  const rest = smallerMs === 0 ? 0 : Math.floor((seconds - whole * unitMs) / smallerMs)
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`
}
