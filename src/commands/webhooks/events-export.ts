import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { writeText } from '../../core/streams.ts'
import { examples } from '../command-tree.ts'
import { loggedEvents, matchingEvents, parseSince, type Since } from './logged-events.ts'
import { checkGlobs, parseGlobs } from './wanted.ts'

interface Options {
  readonly events?: readonly string[]
  readonly since?: Since
}

export function addEventsExport(events: CommandUnknownOpts, act: Act): void {
  events
    .command('export')
    .description('print kept events in the format of the log, one per line, oldest first (docs/event-log.md)')
    .option('--events <globs>', 'only these, comma separated', parseGlobs)
    .option('--since <time>', 'only events received since: 10m ago, or 2026-01-02T03:04:05Z', parseSince)
    .option('--where <expr>', 'only events for which this jq expression is true')
    .addHelpText('after', examples('crm webhooks events export --since 1h > events.jsonl'))
    .action(act(exportEvents))
}

/** Complete log entries, sufficient for a replay. */
async function exportEvents(ctx: Context, { events: globs = [], since }: Options): Promise<undefined> {
  await checkGlobs(ctx, globs, true)
  const { entryText } = await ctx.webhooks.entry()
  const query = { order: 'oldest first', globs, since } as const
  let count = 0
  for await (const page of matchingEvents(ctx, loggedEvents(ctx, query))) {
    await writeText(ctx.io.stdout, page.map((event) => `${entryText(event)}\n`).join(''))
    count += page.length
  }
  if (count === 0) ctx.note('No events.')
}
