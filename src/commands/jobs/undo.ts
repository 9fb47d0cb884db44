import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { resourceOf } from '../../core/resources/registry.ts'
import type { MadeImport, MadeJob } from '../../jobs/plan/make-job.ts'
import type { UndoRequest } from '../../jobs/plan/make-undo.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { readInput } from '../../settings/read-input.ts'
import { addRunFlags, runTerms } from '../bulk/bulk-flags.ts'
import { sendChain, showOrSendChain } from '../bulk/chain.ts'
import { showOrSendMade } from '../bulk/import-rows.ts'
import { addExpectFlag, type PlanFlags } from '../bulk/plan.ts'
import { previewLines } from '../bulk/preview-lines.ts'
import { repointedBy } from '../bulk/repointed.ts'
import { planLines } from '../bulk/show-plan.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { createMemberCheck } from '../member-check.ts'

export function addJobsUndo(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('undo <job>')
    .description(
      'revert what a job did, where it is unchanged since; runs as a job of its own; of a chain, all its jobs',
    )
    .option('--fields <names>', 'take back these members of changed records alone, comma separated')
    .option(
      '--where <expr>',
      'revert the records alone for which this jq expression is true: as they are now, and deleted ones as they were',
    )
    .option(
      '--rows <lines>',
      'revert what came from these lines of the input alone, as messages and _crm_line name them: 2-200,305',
    )
    .option('--ids <file>', 'revert the records with these ids alone, one a line; - reads stdin')
    .addHelpText(
      'after',
      examples(
        'crm jobs undo psve --dry-run',
        'crm jobs undo psve',
        'crm jobs undo psve --fields stage',
        'crm jobs undo psve --rows 2-200',
        'crm jobs undo psve --where \'.company == "Acme"\'',
      ),
    )
    .action(act(undoJob))
  addExpectFlag(command)
  addRunFlags(command)
  addScopedFlags(command, ['whereErrors', 'yes', 'dryRun', 'exitCode', 'progress'])
}

interface Flags extends PlanFlags {
  /** As typed. */
  readonly fields?: string
  readonly rows?: string
  readonly ids?: string
}

async function undoJob(ctx: Context, word: string, flags: Flags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  // Here these flags do not choose what is printed.
  const only = ctx.flags.fields?.map((path) => path.join('.')).toSorted()
  const whole = { ...ctx, flags: { ...ctx.flags, fields: undefined, where: undefined } }
  const paths = jobs.find(word)
  const selection = await selectionOf(ctx, paths, flags)
  const chain = jobs.jobsOfChain(paths)
  if (chain.length > 1 && !only && !selection) return undoChain(whole, chain, flags)
  const made = await jobs.plan('undo', { paths, only, selection })
  const leftOut = (await ctx.expr()).where?.leftOut()
  if (leftOut !== undefined) ctx.note(leftOut)
  const repointed = only || made.type !== 'made' ? undefined : await repointedBy(ctx, paths)
  if (repointed !== undefined)
    ctx.note(`Then, ${repointed} that the merge re-pointed: back to the losers, under the ids that these have by then.`)
  const also = repointed && ` (${repointed} re-pointed after that)`
  return showOrSendMade(whole, made, word, { ...flags, also })
}

/** The last job first, as one plan; what was undone already, or never sent, is left out. */
async function undoChain(ctx: Context, chain: readonly JobPaths[], flags: Flags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const draft = jobs.chain()
  const [made, begun, lines]: [MadeJob[], JobPaths[], string[]] = [[], [], []]
  try {
    for (const paths of await sentJobs(ctx, chain)) {
      const undo = await jobs.plan('undo', { paths, chain: draft })
      if (undo.type === 'refused') throw new Error('an undo has no input that could be refused')
      if (undo.type === 'made') {
        made.push(undo.job)
        lines.push(...(await undoLines(ctx, undo, paths.id, flags)))
        continue
      }
      const own = ctx.flags.isDryRun ? [] : await unfinishedChain(ctx, undo.job.paths)
      // Those that were planned with it would else become a chain of their own.
      if (own.length > 0) return await sendChain(ctx, own, flags)
      if (undo.job.state === 'finished') lines.push(`${paths.id} was undone by ${undo.job.paths.id}.`)
      else begun.push(undo.job.paths)
    }
  } catch (error) {
    for (const { paths } of made) jobs.of(paths).drop()
    throw error
  }
  return showOrSendChain(ctx, { jobs: made, lines, verb: 'revert the changes of', shown: new Map(), begun }, flags)
}

/** The jobs of a chain that were begun, the last first. */
async function sentJobs(ctx: Context, chain: readonly JobPaths[]): Promise<readonly JobPaths[]> {
  const jobs = await ctx.jobs()
  const states = await Promise.all(chain.map((paths) => jobs.of(paths).state()))
  return chain.filter((_, at) => states[at]?.state !== 'planned').toReversed()
}

type MadeUndo = Extract<MadeImport, { readonly type: 'made' }>

async function undoLines(ctx: Context, undo: MadeUndo, of: string, flags: Flags): Promise<readonly string[]> {
  const { job, lines, leftLines } = undo
  const { rateShare: share } = runTerms(flags)
  const forecast = await (await ctx.jobs()).forecast({ head: job.head, counts: job.end }, share)
  const plan = [...planLines(job, { forecast, share }), ...previewLines(job.preview), ...lines, ...leftLines]
  return [`${job.head.noun}, of ${of}:`, ...plan.map((line) => `  ${line}`)]
}

/** The jobs of its chain, if one of them has not ended. */
async function unfinishedChain(ctx: Context, paths: JobPaths): Promise<readonly JobPaths[]> {
  const jobs = await ctx.jobs()
  const chain = jobs.jobsOfChain(paths)
  const states = await Promise.all(chain.map((each) => jobs.of(each).state()))
  return chain.length > 1 && states.some(({ state }) => state !== 'finished' && state !== 'cancelled') ? chain : []
}

async function selectionOf(ctx: Context, paths: JobPaths, { rows, ids }: Flags): Promise<UndoRequest['selection']> {
  const { where: text } = ctx.flags
  const given = Object.entries({ '--where': text, '--rows': rows, '--ids': ids }).filter(
    ([, value]) => value !== undefined,
  )
  if (given.length > 1) {
    const names = given.map(([flag]) => flag).join(' and ')
    throw new CrmError('usage', `${names} each select operations of the job`, { hint: 'use one of them' })
  }
  if (rows !== undefined) return { rows }
  if (ids !== undefined) return { ids: await idsIn(ctx, ids) }
  const { where, uses } = await ctx.expr()
  if (!where || text === undefined) return undefined
  const { noun } = (await (await ctx.jobs()).of(paths).state()).head
  const check = createMemberCheck(ctx, resourceOf(noun), uses('none'))
  const judge = async () => {
    // First: a misspelt member is the usual reason why an expression fails.
    await check.judge()
    const failure = where.failure()
    if (failure) throw failure
  }
  return { where: text, keepAll: where.keepAll, check: { see: check.see, judge } }
}

async function idsIn(ctx: Context, file: string): Promise<readonly string[]> {
  const lines = (await readInput(ctx, file, '--ids')).split('\n')
  const ids = lines.map((line) => line.trim()).filter(Boolean)
  if (ids.length > 0) return ids
  throw new CrmError('usage', `--ids ${file} has no id, expected one a line`, { hint: 'crm jobs undo --help' })
}
