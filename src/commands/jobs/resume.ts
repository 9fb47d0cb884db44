import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { ExitCode } from '../../core/exit.ts'
import { addRecheckFlag, addRunFlags, type RunFlags } from '../bulk/bulk-flags.ts'
import { sendChain } from '../bulk/chain.ts'
import { sendJob } from '../bulk/send-job.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'

export function addJobsResume(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('resume <job>')
    .description('send what is left of a job, and ask again about rows in doubt; of a chain, all its jobs')
    .addHelpText('after', examples('crm jobs resume job_0s9ps10psve'))
    .action(act(resumeJob))
  addRunFlags(command)
  addRecheckFlag(command)
  // It asks nothing; a script may say yes to each command.
  addScopedFlags(command, ['yes', 'progress'])
}

async function resumeJob(ctx: Context, word: string, flags: RunFlags): Promise<ExitCode> {
  const jobs = await ctx.jobs()
  const paths = jobs.find(word)
  const chain = jobs.jobsOfChain(paths)
  if (chain.length > 1) return sendChain(ctx, chain, { ...flags, isDoubtReopened: true })
  const merge = await jobs.of(paths).waitingFor()
  if (merge) ctx.note(`${paths.id} is a part of ${merge.id}, which goes on.`)
  return sendJob(ctx, merge ?? paths, { ...flags, isDoubtReopened: true })
}
