import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { idOnLine } from '../../core/record-ids.ts'
import type { ReceivedEvent } from '../../core/webhook-events.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import type { ListPage } from '../keep-matching.ts'
import { printList, requestedLimit } from '../print.ts'
import { createEventListCheck } from './event-members.ts'
import { eventRecord } from './event-record.ts'
import { loggedEvents, parseSince, type Since } from './logged-events.ts'
import { checkGlobs, parseGlobs } from './wanted.ts'

interface Options {
  readonly events?: readonly string[]
  readonly since?: Since
}

const COLUMNS = ['received_at', 'event', 'record_id', 'id', 'duplicate', 'verified'] as const

export function addEventsList(events: CommandUnknownOpts, act: Act): void {
  const list = events
    .command('list')
    .description('list kept events, newest first; without a server, even while a listener runs')
    .option('--events <globs>', 'only these, comma separated', parseGlobs)
    .option('--since <time>', 'only events received since: 10m ago, or 2026-01-02T03:04:05Z', parseSince)
    .addHelpText(
      'after',
      examples(
        'crm webhooks events list --since 10m',
        "crm webhooks events list --where '.body.data.amount > 1000' -o jsonl",
      ),
    )
    .action(act(listEvents))
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listEvents(ctx: Context, { events: globs = [], since }: Options): Promise<undefined> {
  await checkGlobs(ctx, globs, true)
  const events = loggedEvents(ctx, { order: 'newest first', globs, since })
  const shown = ctx.flags.output === 'id' ? withIds(ctx, events) : events
  const checks = [await createEventListCheck(ctx)]
  await printList(ctx, { pages: limited(shown, requestedLimit(ctx)), columns: COLUMNS, plural: 'events', checks })
}

/** Foreign events may have no id, or one that does not fit on a line; these are left out. */
async function* withIds(
  ctx: Pick<Context, 'note'>,
  pages: AsyncIterable<readonly ReceivedEvent[]>,
): AsyncGenerator<readonly ReceivedEvent[]> {
  let left = 0
  for await (const events of pages) {
    const named = events.filter(({ id }) => idOnLine(id) !== undefined)
    left += events.length - named.length
    yield named
  }
  if (left > 0) ctx.note(`Left out, without an id that can stand on a line: ${left}; -o jsonl shows them.`)
}

async function* limited(
  pages: AsyncIterable<readonly ReceivedEvent[]>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<ListPage> {
  let remaining = limit
  for await (const events of pages) {
    const items = events.slice(0, remaining).map(eventRecord)
    remaining -= items.length
    const isCut = events.length > items.length
    yield { items, nextCursor: undefined, ...(isCut && { isCut }) }
    if (isCut) return
  }
}
