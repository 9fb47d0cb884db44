import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT, type ExitCode } from '../../core/exit.ts'
import { type CrmRecord, counted, resourceOf } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { MadeJob } from '../../jobs/plan/make-job.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { canAsk } from '../../output/prompt.ts'
import { commandLine, withFlag } from '../command-line.ts'
import { confirmChange, confirmProtected, expectedOf } from '../confirm.ts'
import { dryRunExit } from '../dry-run.ts'
import { printDerived } from '../print-derived.ts'
import { runTerms } from './bulk-flags.ts'
import type { PlanFlags } from './plan.ts'
import { type SendFlags, sendOne } from './send-job.ts'

// Several jobs of one command: one plan, one question, and sent one after the other.

export interface ChainPlan {
  readonly jobs: readonly MadeJob[]
  /** For people, before the question. */
  readonly lines: readonly string[]
  /** For the question: `change the owner of`. */
  readonly verb: string
  /** Members of the dry run beside the counts of each job. */
  readonly shown: ReadonlyMap<MadeJob, CrmRecord>
  /** Jobs of an earlier command, which come first. */
  readonly begun?: readonly JobPaths[]
}

export async function showOrSendChain(ctx: Context, plan: ChainPlan, flags: PlanFlags): Promise<ExitCode> {
  const { jobs: made, begun = [] } = plan
  const jobs = await ctx.jobs()
  let isKept = false
  try {
    for (const line of plan.lines) ctx.note(line)
    const count = made.reduce((sum, { end }) => sum + changesIn(end), 0)
    const what = made.map(({ head, end }) => counted(changesIn(end), resourceOf(head.noun)))
    const toDo = `${plan.verb} ${what.join(' and ')}`
    if (ctx.flags.isDryRun) {
      await printChain(ctx, plan, flags)
      requireCount(ctx, { count, toDo }, flags)
      ctx.note('Dry run: nothing was sent.')
      return dryRunExit(ctx, count > 0)
    }
    const expect = requireCount(ctx, { count, toDo }, flags)
    if (count > 0 && (await ctx.target()).isProtected)
      await confirmProtected(ctx, { count, toDo, expect, isStdinFree: true })
    else if (count > 0) await confirmChange(ctx, { toDo, isStdinFree: true })
    isKept = true
  } finally {
    if (!isKept) for (const { paths } of made) jobs.of(paths).drop()
  }
  return sendChain(ctx, [...begun, ...made.map(({ paths }) => paths)], flags)
}

function changesIn({ create, update, delete: remove }: MadeJob['end']): number {
  return create + update + remove
}

async function printChain(ctx: Context, { jobs: made, shown }: ChainPlan, flags: PlanFlags): Promise<void> {
  const jobs = await ctx.jobs()
  const { rateShare } = runTerms(flags)
  const rows: CrmRecord[] = []
  for (const job of made) {
    const { requests } = await jobs.forecast({ head: job.head, counts: job.end }, rateShare)
    const { create, update, delete: remove } = job.end
    rows.push({ object: job.head.noun, create, update, delete: remove, requests, ...shown.get(job) })
  }
  await printDerived(ctx, { rows, columns: ['object', 'create', 'update', 'delete', 'requests'], plural: 'changes' })
}

/** Compares `--expect` and `--expect-most` with the records of all jobs. */
function requireCount(
  ctx: Context,
  { count, toDo }: { readonly count: number; readonly toDo: string },
  flags: PlanFlags,
): number | undefined {
  const expect = expectedOf(ctx, flags, { count, toDo })
  if (expect === undefined || expect === count) return expect
  throw new CrmError('unconfirmed', `--expect ${expect}, but this would ${toDo}; nothing was sent`, {
    hint: canAsk(ctx)
      ? `see what: ${commandLine([...ctx.argv, '--dry-run'])}`
      : withFlag(ctx.argv, '--expect', String(count)),
  })
}

/**
 * Sends the jobs of a chain that have not ended, in their order, and prints the account of each. A job that is stopped stops the chain;
 * rows that fail do not.
 */
export async function sendChain(ctx: Context, chain: readonly JobPaths[], flags: SendFlags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  await requireProven(ctx, chain)
  const accounts: CrmRecord[] = []
  const errors: unknown[] = []
  let left: readonly JobPaths[] = []
  for (const [at, paths] of chain.entries()) {
    const { state, head, account } = await jobs.of(paths).state()
    const isOver = state === 'cancelled' || (state === 'finished' && account.in_doubt === 0)
    const sent = isOver
      ? { record: { job: paths.id, ...account }, isStopped: false, error: undefined }
      : await tried(ctx, paths, flags)
    accounts.push({ object: head.noun, ...sent.record })
    if (sent.error !== undefined) errors.push(sent.error)
    if (!sent.isStopped) continue
    left = chain.slice(at + 1)
    break
  }
  for (const paths of left) {
    const { head, account } = await jobs.of(paths).state()
    if (account.unsent > 0) ctx.note(`Not sent: ${paths.id}, ${counted(account.unsent, resourceOf(head.noun))}.`)
  }
  if (left.length > 0 && chain[0]) ctx.note(`To send the rest: crm jobs resume ${chain[0].id}${typedProfile(ctx.argv)}`)
  const columns = ['object', 'job', 'rows', 'done', 'unchanged', 'skipped', 'failed', 'in_doubt', 'unsent']
  await printDerived(ctx, { rows: accounts, columns, plural: 'jobs' })
  const error = errors.at(-1)
  if (error !== undefined) throw error
  return EXIT.ok
}

/** Before the first request: CrmError `not_supported` if a job needs a verb of a drafted connector that was never proven. */
async function requireProven(ctx: Context, chain: readonly JobPaths[]): Promise<void> {
  const { requireProvenJob } = await import('../connectors/proven.ts')
  const { document, word: connector } = (await ctx.api()).connector
  const { drafted } = document
  if (drafted === undefined) return
  const jobs = await ctx.jobs()
  for (const paths of chain) {
    const { head, end } = await jobs.of(paths).state()
    const verbs = (['create', 'update', 'delete'] as const).filter((verb) => end[verb] > 0)
    await requireProvenJob(ctx, { job: paths.id, kind: head.kind, noun: head.noun, verbs, connector, drafted })
  }
}

/** An error of one job does not keep the accounts of the others from being printed. */
async function tried(ctx: Context, paths: JobPaths, flags: SendFlags): ReturnType<typeof sendOne> {
  try {
    return await sendOne(ctx, paths, flags)
  } catch (error) {
    const { account } = await (await ctx.jobs()).of(paths).state()
    return { record: { job: paths.id, ...account }, isStopped: true, error }
  }
}
