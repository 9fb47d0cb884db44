import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { isListed, resourceOf } from '../../core/resources/registry.ts'
import { typedProfile } from '../../core/shell-words.ts'
import type { JobState } from '../../jobs/history/job-state.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import type { Account } from '../../jobs/store/progress.ts'
import { examples } from '../command-tree.ts'
import { printOne } from '../print.ts'
import { printDerived } from '../print-derived.ts'
import { jobRecord } from './show.ts'

interface Options {
  readonly damaged?: boolean
}

export function addJobsCancel(jobs: CommandUnknownOpts, act: Act): void {
  jobs
    .command('cancel <job>')
    .description(
      'end a job, or all of its chain, permanently: done rows stay done, the rest is never sent, and rows in doubt are not checked again',
    )
    .option('--damaged', 'rename the folder of a job that cannot be read')
    .addHelpText('after', examples('crm jobs cancel job_0s9ps10psve', 'crm jobs cancel psve --damaged'))
    .action(act(cancelJob))
}

async function cancelJob(ctx: Context, word: string, { damaged = false }: Options): Promise<undefined> {
  const jobs = await ctx.jobs()
  const paths = jobs.find(word)
  if (damaged) {
    const folder = await jobs.of(paths).setAside()
    return printOne(ctx, { id: paths.id, state: 'damaged', folder })
  }
  const chain = jobs.jobsOfChain(paths)
  if (chain.length > 1) return cancelChain(ctx, chain)
  const account = await jobs.of(paths).cancel()
  const job = await jobs.of(paths).state()
  for (const line of costLines(job, account)) ctx.note(line)
  return printOne(ctx, await jobRecord(jobs, job, await jobs.undone()))
}

/** All jobs of a chain that have not ended. */
async function cancelChain(ctx: Context, chain: readonly JobPaths[]): Promise<undefined> {
  const jobs = await ctx.jobs()
  const states = await Promise.all(chain.map((paths) => jobs.of(paths).state()))
  const open = states.filter(({ state }) => state !== 'finished' && state !== 'cancelled')
  // Of a chain that has ended, the first says so.
  for (const { paths } of open.length > 0 ? open : states.slice(0, 1)) {
    const account = await jobs.of(paths).cancel()
    for (const line of costLines(await jobs.of(paths).state(), account)) ctx.note(`${paths.id}: ${line}`)
  }
  const undone = await jobs.undone()
  const rows = await Promise.all(chain.map(async (paths) => jobRecord(jobs, await jobs.of(paths).state(), undone)))
  return printDerived(ctx, {
    rows,
    columns: ['id', 'state', 'noun', 'rows', 'done', 'in_doubt', 'unsent'],
    plural: 'jobs',
  })
}

/** The consequences for the rows. */
function costLines({ paths: { id }, head }: JobState, { rows, done, in_doubt: doubt, unsent }: Account): string[] {
  const lines = [`Of ${rows} ${rows === 1 ? 'row' : 'rows'}, ${unsent} are never sent, and ${done} stay done.`]
  if (doubt > 0) {
    const were = isListed(resourceOf(head.noun)) ? 'may have been done' : 'may exist'
    lines.push(`${doubt} in doubt ${were}, and jobs resume no longer checks them: crm jobs failed ${id}`)
  }
  if (done + doubt > 0)
    lines.push(`To see what can be reverted: crm jobs undo ${id}${typedProfile(head.command)} --dry-run`)
  return lines
}
