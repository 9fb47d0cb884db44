import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { type ManyFlags, refuseWithoutFile } from '../bulk/flag-reach.ts'
import { showOrSendMade } from '../bulk/import-rows.ts'
import { addMatchFlags, addReadFlags } from '../bulk/input-flags.ts'
import { addExpectFlag } from '../bulk/plan.ts'
import { retryRows } from '../bulk/retry-rows.ts'
import { addRecheckFlag, addRunFlags } from '../bulk/run-flags.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'

export function addJobsRetry(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('retry <job>')
    .description('send the failed rows again, unchanged or corrected')
    .option('--from <file>', 'the corrected rows: the file that the job left, edited')
    .addHelpText('after', examples('crm jobs retry psve', 'crm jobs retry psve --from failed.csv'))
    .action(act(retryJob))
  addMatchFlags(command)
  addReadFlags(command)
  addExpectFlag(command)
  addRunFlags(command)
  addRecheckFlag(command)
  addScopedFlags(command, ['yes', 'dryRun', 'exitCode', 'progress'])
}

async function retryJob(ctx: Context, word: string, flags: ManyFlags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const paths = jobs.find(word)
  if (flags.from === undefined) {
    refuseWithoutFile(flags, 'a retry without --from')
    return showOrSendMade(ctx, await jobs.makeRetry(paths), word, flags)
  }
  return retryRows(ctx, paths, flags.from, flags)
}
