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
  readonly person?: string
}

export function addJobsPrune(jobs: CommandUnknownOpts, act: Act): void {
  const command = jobs
    .command('prune')
    .description('remove jobs that ended; they can then no longer be undone')
    .argument('[jobs...]', 'these, by id; else those that ended long ago, and what killed plannings left behind')
    .option('--older-than <time>', 'how long ago (default: 30d); less than that asks', parseTime)
    .option('--person <email>', 'those that keep this address, however old they are')
    .option('--dry-run', 'show which jobs would be removed, and remove none')
    .addHelpText(
      'after',
      examples(
        'crm jobs prune --dry-run',
        'crm jobs prune --older-than 7d --yes',
        'crm jobs prune --person ada@example.com',
      ),
    )
    .action(act(pruneJobs))
  addScopedFlags(command, ['fields', 'yes'])
}

async function pruneJobs(ctx: Context, words: readonly string[], { olderThan, person }: Options): Promise<undefined> {
  const jobs = await ctx.jobs()
  const isWanted = words.length > 0 || person !== undefined
  const ageMs = olderThan ?? (isWanted ? undefined : MONTH_MS)
  const query = { ...(words.length > 0 && { words }), person }
  const all = await jobs.prunable({ ...query, beforeMs: ageMs === undefined ? undefined : ctx.now() - ageMs })
  const found = all.map(({ id, state }) => ({ id, state }))
  const recent = all.filter(({ endedMs, state }) => state !== 'draft' && endedMs >= ctx.now() - MONTH_MS).length
  if (!ctx.flags.isDryRun) {
    if (recent > 0 && !ctx.flags.isConfirmed) await askRemoval(ctx, recent)
    await jobs.remove(found.map(({ id }) => id))
  }
  const plural = person === undefined ? 'jobs as old as that' : 'jobs with that address'
  await printList(ctx, { pages: onePage(found), columns: ['id', 'state'], plural })
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
