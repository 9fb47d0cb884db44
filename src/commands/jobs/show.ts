import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { jobRecord } from '../bulk/job-record.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'

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
  return printOne(ctx, jobRecord(await jobs.state(jobs.find(word)), await jobs.undone()))
}
