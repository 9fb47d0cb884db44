import { InvalidArgumentError } from 'commander'
import type { Context } from '../../context.ts'
import { parseDurationMs } from '../../core/duration.ts'
import type { LoggedEvent } from '../../core/webhook-events.ts'
import { eventsFolder } from '../../settings/default-places.ts'
import type { DamagedLine } from '../../webhooks/log/read-events.ts'
import { createLoggedCheck } from './event-members.ts'
import { loggedRecord } from './event-record.ts'

/** Of damaged lines. */
const NAMED = 5

export interface LoggedQuery {
  readonly order: 'oldest first' | 'newest first'
  readonly globs: readonly string[]
  readonly since: Since | undefined
  /** Only events that a target refused last. */
  readonly isFailed?: boolean | undefined
}

/** A duration before now, or a time. */
export type Since = { readonly agoMs: number } | { readonly atMs: number }

/** `10m` ago, or a time such as 2026-01-02T03:04:05Z. */
export function parseSince(text: string): Since {
  const agoMs = parseDurationMs(text)
  if (agoMs !== undefined) return { agoMs }
  const atMs = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(atMs)) return { atMs }
  throw new InvalidArgumentError('Expected a time such as 10m, or 2026-01-02T03:04:05Z.')
}

/** The matching events of the log, in batches. */
export async function* loggedEvents(
  ctx: Pick<Context, 'env' | 'note' | 'now'>,
  query: LoggedQuery,
): AsyncGenerator<readonly LoggedEvent[]> {
  const { readLoggedEvents } = await import('../../webhooks/log/read-events.ts')
  const { matchesAnyGlob } = await import('../../webhooks/event-filter.ts')
  const sinceMs = query.since && ('atMs' in query.since ? query.since.atMs : ctx.now() - query.since.agoMs)
  const damaged: string[] = []
  const onDamaged = (path: string, { id, sizeBytes }: DamagedLine): void =>
    void damaged.push(`${id ?? `a line of ${sizeBytes} bytes`} in ${path}`)
  for await (const events of readLoggedEvents(eventsFolder(ctx.env), { order: query.order, sinceMs, onDamaged })) {
    yield events.filter(
      ({ name, receivedAtMs, outcome }) =>
        matchesAnyGlob(query.globs, name) &&
        (sinceMs === undefined || receivedAtMs >= sinceMs) &&
        (!query.isFailed || outcome?.state === 'failed'),
    )
  }
  if (damaged.length === 0) return
  const more = damaged.length > NAMED ? ` and ${damaged.length - NAMED} more` : ''
  ctx.note(`Left out, as no event of this version: ${damaged.slice(0, NAMED).join(', ')}${more}.`)
}

/** The events for which `--where` is true. CrmError `usage` at the end for a member that no event has. */
export async function* matchingEvents(
  ctx: Context,
  pages: AsyncIterable<readonly LoggedEvent[]>,
): AsyncGenerator<readonly LoggedEvent[]> {
  const { where } = await ctx.expr()
  const check = await createLoggedCheck(ctx)
  for await (const events of pages) {
    if (!where) {
      yield events
      continue
    }
    const records = new Map(events.map((event) => [loggedRecord(event), event]))
    check.see([...records.keys()])
    yield (await where.keep([...records.keys()]))
      .map((record) => records.get(record))
      .filter((event) => event !== undefined)
  }
  await check.judge()
}
