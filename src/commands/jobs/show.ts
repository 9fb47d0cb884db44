import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { partText } from '../../core/undo-part.ts'
import type { JobState } from '../../jobs/history/job-state.ts'
import type { Jobs, Undone } from '../../jobs/jobs.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'
import { isSummaryAlone } from '../report-flag.ts'

export function addJobsShow(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('show <job>')
    .description('what a job is, and what became of its rows')
    .addHelpText('after', examples('crm jobs show job_0s9ps10psve', 'crm jobs show psve -o json'))
    .action(act(showJob))
  addScopedFlags(command, ['fields'])
}

async function showJob(ctx: Context, word: string): Promise<undefined> {
  const jobs = await ctx.jobs()
  const paths = jobs.find(word)
  const state = await jobs.of(paths).state()
  const { id, command, ...job } = await jobRecord(jobs, state, await jobs.undone())
  if (state.sentBy !== undefined) ctx.note(`${paths.id} is being sent by ${state.sentBy}.`)
  const fields = [...jobs.of(paths).fields()]
  const shown = { id: id ?? null, command: command ?? null, fields, ...job }
  return printOne(ctx, isSummaryAlone(ctx) ? { ...shown, first_other_value: null } : shown)
}

/** The printed record of a job; `undone`: by the ids of jobs. */
export async function jobRecord(
  jobs: Pick<Jobs, 'left'>,
  job: JobState,
  undone: ReadonlyMap<string, readonly Undone[]>,
): Promise<CrmRecord> {
  const { paths, head, state, account, progress } = job
  const undos = undone.get(paths.id) ?? []
  // A row without a result is in doubt only after its process has ended.
  const underWay = state === 'running' ? progress.unanswered : 0
  return {
    id: paths.id,
    state,
    kind: head.kind,
    noun: head.noun,
    input: head.input?.name ?? null,
    command: commandLine(head.command),
    server: head.account,
    account: head.account,
    ...account,
    in_doubt: account.in_doubt - underWay,
    under_way: underWay,
    still_failed: await jobs.left(job).count(),
    other_values: progress.otherRows.count,
    first_other_value: progress.otherRows.first ?? null,
    of: head.of ?? null,
    undoes: head.kind === 'undo' ? (head.of ?? null) : null,
    part: partText(head) ?? null,
    undone_by: undos.at(-1)?.job ?? null,
    undone_part: undos.at(-1)?.part ?? null,
    undos: undos.map((each) => ({ ...each })),
    needs: [...(head.needs ?? [])],
    chain: head.chain?.first ?? null,
    paused_by: state === 'stopped' ? (progress.pausedBy ?? null) : null,
    made_at: new Date(head.made_at).toISOString(),
    run: head.run,
    file: paths.db,
  }
}
