import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Page } from '../../api/operations.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { idOnLine } from '../../core/record-ids.ts'
import { writeText } from '../../core/streams.ts'
import type { LoggedEvent } from '../../core/webhook-events.ts'
import { eventsFolder } from '../../settings/default-places.ts'
import type { KeptAttempt } from '../../webhooks/log/attempt.ts'
import { type CommandGroup, examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printList, printOne, requestedLimit } from '../print.ts'
import { createEventListCheck } from './event-members.ts'
import { loggedRecord } from './event-record.ts'
import { loggedEvents, matchingEvents, parseSince, type Since } from './logged-events.ts'
import { checkGlobs, parseGlobs } from './wanted.ts'

const COLUMNS = ['received_at', 'event', 'record_id', 'id', 'outcome', 'status', 'duplicate', 'verified'] as const

export const EVENTS_COMMANDS: CommandGroup = {
  description: 'events that listeners of this machine have kept',
  commands: {
    list: addEventsList,
    show: addEventsShow,
    export: addEventsExport,
  },
}

interface Options {
  readonly events?: readonly string[]
  readonly since?: Since
  readonly failed?: true
}

function addEventsList(events: CommandUnknownOpts, act: Act): void {
  const list = events
    .command('list')
    .description('list kept events, newest first; without a server, even while a listener runs')
    .option('--events <globs>', 'only these, comma separated', parseGlobs)
    .option('--since <time>', 'only events received since: 10m ago, or 2026-01-02T03:04:05Z', parseSince)
    .option('--failed', 'only those that the handler refused, or did not answer')
    .addHelpText(
      'after',
      examples(
        'crm webhooks events list --since 10m',
        'crm webhooks events list --failed --fields id,status,failure',
        "crm webhooks events list --where '.body.data.amount > 1000' -o jsonl",
      ),
    )
    .action(act(listEvents))
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listEvents(ctx: Context, { events: globs = [], since, failed }: Options): Promise<undefined> {
  await checkGlobs(ctx, globs, true)
  const events = loggedEvents(ctx, { order: 'newest first', globs, since, isFailed: failed })
  const shown = ctx.flags.output === 'id' ? withIds(ctx, events) : events
  const checks = [await createEventListCheck(ctx)]
  await printList(ctx, { pages: limited(shown, requestedLimit(ctx)), columns: COLUMNS, plural: 'events', checks })
}

/** Foreign events may have no id, or one that does not fit on a line; these are left out. */
async function* withIds(
  ctx: Pick<Context, 'note'>,
  pages: AsyncIterable<readonly LoggedEvent[]>,
): AsyncGenerator<readonly LoggedEvent[]> {
  let left = 0
  for await (const events of pages) {
    const named = events.filter(({ id }) => idOnLine(id) !== undefined)
    left += events.length - named.length
    yield named
  }
  if (left > 0) ctx.note(`Left out: ${left} without an id that fits on one line; -o jsonl shows them.`)
}

async function* limited(
  pages: AsyncIterable<readonly LoggedEvent[]>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Page> {
  let remaining = limit
  for await (const events of pages) {
    const items = events.slice(0, remaining).map(loggedRecord)
    remaining -= items.length
    const isCut = events.length > items.length
    yield { items, nextCursor: undefined, ...(isCut && { isCut }) }
    if (isCut) return
  }
}

function addEventsShow(events: CommandUnknownOpts, act: Act): void {
  const show = events
    .command('show <id>')
    .description('show one kept event, with its headers and the attempts to forward it')
    .addHelpText(
      'after',
      examples('crm webhooks events show evt_0abc -o json', 'crm webhooks events show evt_0abc --jq .body'),
    )
    .action(act(showEvent))
  addScopedFlags(show, ['fields'])
}

/** Shows the last one if an event was received several times. */
async function showEvent(ctx: Context, id: string): Promise<undefined> {
  const event = await findEvent(ctx, id)
  const { url, headers } = event.delivery
  await printOne(ctx, {
    ...loggedRecord(event),
    subscription_id: event.subscriptionId ?? null,
    url,
    headers: headers.map((header) => [...header]),
    attempts: await attemptsOf(ctx, id),
  })
}

/** Oldest first. */
async function attemptsOf(ctx: Pick<Context, 'env'>, id: string): Promise<JsonObject[]> {
  const { readAttempts } = await import('../../webhooks/log/read-events.ts')
  const found: KeptAttempt[] = []
  for await (const attempts of readAttempts(eventsFolder(ctx.env))) {
    for (const attempt of attempts) if (attempt.id === id) found.push(attempt)
  }
  return found.toSorted((one, other) => one.startedAtMs - other.startedAtMs).map(attemptRecord)
}

function attemptRecord({ target, status, failure, attempt, startedAtMs, tookMs, response }: KeptAttempt): JsonObject {
  return {
    started_at: new Date(startedAtMs).toISOString(),
    took_ms: tookMs,
    target,
    status: status ?? null,
    failure: failure ?? null,
    attempt,
    answer: response ?? null,
  }
}

export async function findEvent(ctx: Context, id: string): Promise<LoggedEvent> {
  const [event] = await findEvents(ctx, [id])
  if (!event) throw new Error('an event was found and not returned')
  return event
}

/** In the order of the ids; the last one of each that was received several times. CrmError `not_found` for any other. */
export async function findEvents(ctx: Context, ids: readonly string[]): Promise<readonly LoggedEvent[]> {
  const found = new Map<string, LoggedEvent>()
  const wanted = new Set(ids)
  for await (const events of loggedEvents(ctx, { order: 'newest first', globs: [], since: undefined })) {
    for (const event of events) {
      if (event.id !== undefined && wanted.delete(event.id)) found.set(event.id, event)
    }
    if (wanted.size === 0) break
  }
  const [missing] = wanted
  if (missing === undefined) return ids.map((id) => found.get(id)).filter((event) => event !== undefined)
  throw new CrmError('not_found', `no event ${JSON.stringify(missing)} is kept on this machine`, {
    hint: 'crm webhooks events list',
  })
}

interface ExportOptions {
  readonly events?: readonly string[]
  readonly since?: Since
}

function addEventsExport(events: CommandUnknownOpts, act: Act): void {
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
async function exportEvents(ctx: Context, { events: globs = [], since }: ExportOptions): Promise<undefined> {
  await checkGlobs(ctx, globs, true)
  const { entryText } = await import('../../webhooks/log/entry.ts')
  const query = { order: 'oldest first', globs, since } as const
  let count = 0
  for await (const page of matchingEvents(ctx, loggedEvents(ctx, query))) {
    await writeText(ctx.io.stdout, page.map((event) => `${entryText(event)}\n`).join(''))
    count += page.length
  }
  if (count === 0) ctx.note('No events.')
}
