import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../examples.ts'
import { addScopedFlags, parseTime } from '../flags.ts'
import { onePage, printList } from '../print.ts'

const MONTH_MS = 30 * 24 * 3_600_000

interface Options {
  readonly olderThan?: number
}

export function addJobsPrune(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('prune')
    .description('remove jobs that came to their end long ago; they cannot be undone any more')
    .option('--older-than <time>', 'how long ago (default: 30d)', parseTime)
    .addHelpText('after', examples('crm jobs prune --older-than 90d --dry-run'))
    .action(act(pruneJobs))
  addScopedFlags(command, ['fields', 'dryRun'])
}

async function pruneJobs(ctx: Context, { olderThan = MONTH_MS }: Options): Promise<undefined> {
  const jobs = await ctx.jobs()
  const found = []
  for await (const { id, state } of jobs.prunable(ctx.now() - olderThan)) found.push({ id, state })
  if (!ctx.flags.isDryRun) jobs.remove(found.map(({ id }) => id))
  await printList(ctx, { pages: onePage(found), columns: ['id', 'state'], plural: 'jobs as old as that' })
  if (found.length > 0) ctx.note(ctx.flags.isDryRun ? 'Dry run: nothing was removed.' : `Removed ${found.length} jobs.`)
}
