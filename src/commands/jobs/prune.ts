import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { askYesNo, canAsk } from '../../output/prompt.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags, parseTime } from '../flags.ts'
import { onePage, printList } from '../print.ts'

const MONTH_MS = 30 * 24 * 3_600_000

interface Options {
  readonly olderThan?: number
}

export function addJobsPrune(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('prune')
    .description('remove jobs that ended long ago; they can then no longer be undone')
    .option('--older-than <time>', 'how long ago (default: 30d); less than that asks', parseTime)
    .option('--dry-run', 'show which jobs would be removed, and remove none')
    .addHelpText('after', examples('crm jobs prune --dry-run', 'crm jobs prune --older-than 7d --yes'))
    .action(act(pruneJobs))
  addScopedFlags(command, ['fields', 'yes'])
}

async function pruneJobs(ctx: Context, { olderThan = MONTH_MS }: Options): Promise<undefined> {
  const jobs = await ctx.jobs()
  const found = []
  let recent = 0
  for await (const { id, state, endedMs } of jobs.prunable(ctx.now() - olderThan)) {
    found.push({ id, state })
    if (endedMs >= ctx.now() - MONTH_MS) recent += 1
  }
  if (!ctx.flags.isDryRun) {
    if (recent > 0 && !ctx.flags.isConfirmed) await askRemoval(ctx, recent)
    await jobs.remove(found.map(({ id }) => id))
  }
  await printList(ctx, { pages: onePage(found), columns: ['id', 'state'], plural: 'jobs as old as that' })
  if (found.length > 0)
    ctx.note(ctx.flags.isDryRun ? 'Dry run: nothing was removed.' : `Removed ${counted(found.length)}.`)
}

/** People expect that the jobs of a month can be undone. */
async function askRemoval(ctx: Context, recent: number): Promise<void> {
  const what = `${counted(recent)} that ended less than 30 days ago, and can be undone until then`
  if (!canAsk(ctx)) {
    throw new CrmError('unconfirmed', `this would remove ${what}, and needs --yes`, {
      hint: `see which: ${commandLine([...ctx.argv, '--dry-run'])}`,
    })
  }
  const isSure = await askYesNo(ctx.io, `This will remove ${what}. Go on? [y/N] `, ctx.signal)
  if (!isSure) throw new CrmError('unconfirmed', 'not confirmed; nothing was removed', { hint: commandLine(ctx.argv) })
}

function counted(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`
}
