import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { jobRecord } from '../bulk/job-record.ts'
import { examples } from '../examples.ts'
import { printOne } from '../print.ts'

interface Options {
  readonly damaged?: boolean
}

export function addJobsCancel(jobs: CommandUnknownOpts, act: Act): void {
  jobs
    .command('cancel <job>')
    .description('end a job for good: what is done stays done, the rest is never sent')
    .option('--damaged', 'of a job that cannot be read: set its folder aside')
    .addHelpText('after', examples('crm jobs cancel job_0s9ps10psve', 'crm jobs cancel psve --damaged'))
    .action(act(cancelJob))
}

async function cancelJob(ctx: Context, word: string, { damaged = false }: Options): Promise<undefined> {
  const jobs = await ctx.jobs()
  const paths = jobs.find(word)
  if (damaged) {
    const folder = await jobs.setAside(paths)
    return printOne(ctx, { id: paths.id, state: 'damaged', folder })
  }
  await jobs.cancel(paths)
  return printOne(ctx, jobRecord(await jobs.state(paths)))
}
