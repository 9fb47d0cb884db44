import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { LoggedEvent } from '../../core/webhook-events.ts'
import { readIds } from '../find-many.ts'
import { findEvents } from './events.ts'
import { loggedEvents, matchingEvents, type Since } from './logged-events.ts'

/** Which events a replay sends, if no ids are given. */
export interface ReplaySelection {
  readonly since?: Since
  readonly failed?: true
  readonly events?: readonly string[]
}

/** CrmError `usage` for no selection, which would be the whole log, and for two. */
export function refuseUnclearSelection(ids: readonly string[], { since, failed }: ReplaySelection): void {
  const isSelected = since !== undefined || failed === true
  if ((ids.length === 0) === isSelected) return
  throw new CrmError('usage', 'expected ids, or --since or --failed, and not both', {
    hint: 'crm webhooks replay --since 10m --to 3000',
  })
}

/** Runs before the first event is sent, because `--where` with a misspelt member may select all of them. */
export async function judgeWhere(ctx: Context, selection: ReplaySelection): Promise<void> {
  const pages = selectedEvents(ctx, selection)
  while (!(await pages.next()).done);
}

/** Each event once, even if it was received several times; with ids in their order, else oldest first. */
export async function* eventsOnce(
  ctx: Context,
  words: readonly string[],
  selection: ReplaySelection,
): AsyncGenerator<LoggedEvent> {
  if (words.length > 0) {
    yield* await findEvents(ctx, await readIds(ctx, words, 'crm webhooks events list -o id'))
    return
  }
  const seen = new Set<string>()
  for await (const events of selectedEvents(ctx, selection)) {
    for (const event of events) {
      if (event.id !== undefined && seen.has(event.id)) continue
      if (event.id !== undefined) seen.add(event.id)
      yield event
    }
  }
}

function selectedEvents(ctx: Context, { since, failed, events: globs = [] }: ReplaySelection) {
  return matchingEvents(ctx, loggedEvents(ctx, { order: 'oldest first', globs, since, isFailed: failed }))
}
