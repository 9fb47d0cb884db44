import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { addRunFlags } from '../bulk/bulk-flags.ts'
import { showOrSendMade } from '../bulk/import-rows.ts'
import { addExpectFlag, type PlanFlags } from '../bulk/plan.ts'
import { repointedBy } from '../bulk/repointed.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'

export function addJobsUndo(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('undo <job>')
    .description('revert what a job did, where it is unchanged since; runs as a job of its own')
    .option('--fields <names>', 'take back these members of changed records alone, comma separated')
    .addHelpText(
      'after',
      examples('crm jobs undo psve --dry-run', 'crm jobs undo psve', 'crm jobs undo psve --fields stage'),
    )
    .action(act(undoJob))
  addExpectFlag(command)
  addRunFlags(command)
  addScopedFlags(command, ['yes', 'dryRun', 'exitCode', 'progress'])
}

interface Flags extends PlanFlags {
  /** As typed. */
  readonly fields?: string
}

async function undoJob(ctx: Context, word: string, flags: Flags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  // Here the flag does not choose what is printed.
  const only = ctx.flags.fields?.map((path) => path.join('.')).toSorted()
  const whole = { ...ctx, flags: { ...ctx.flags, fields: undefined } }
  const paths = jobs.find(word)
  const made = await jobs.makeUndo(paths, only)
  const repointed = only || made.type !== 'made' ? undefined : await repointedBy(ctx, paths)
  if (repointed !== undefined)
    ctx.note(`Then, ${repointed} that the merge re-pointed: back to the losers, under the ids that these have by then.`)
  const also = repointed && ` (${repointed} re-pointed after that)`
  return showOrSendMade(whole, made, word, { ...flags, also })
}
