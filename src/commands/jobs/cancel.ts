import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { jobRecord } from '../bulk/job-record.ts'
import { examples } from '../examples.ts'
import { printOne } from '../print.ts'

export function addJobsCancel(jobs: CommandUnknownOpts, act: Act): void {
  jobs
    .command('cancel <job>')
    .description('end a job for good: what is done stays done, the rest is never sent')
    .addHelpText('after', examples('crm jobs cancel job_0s9ps10psve'))
    .action(act(cancelJob))
}

async function cancelJob(ctx: Context, word: string): Promise<undefined> {
  const jobs = await ctx.jobs()
  const paths = jobs.find(word)
  await jobs.cancel(paths)
  return printOne(ctx, jobRecord(await jobs.state(paths)))
}
