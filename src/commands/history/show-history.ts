import type { HistoryFilters, HistoryRequest } from '../../api/history.ts'
import type { Page } from '../../api/operations.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { LocalQuery } from '../../jobs/history/job-results.ts'
import { printList, requestedLimit } from '../print.ts'
import { momentMs } from '../time-flags.ts'

export interface HistoryOptions {
  /** In RFC 3339, or a time span before now. */
  readonly since?: string
  readonly key?: string
  readonly job?: string
  readonly resource?: string
}

export const SINCE_HELP = 'only changes since then: 1d, 2h or 2026-11-20T09:00:00Z'

const COLUMNS = ['at', 'action', 'fields', 'old', 'new', 'key_name', 'job']

const COLUMNS_OF_ALL = ['at', 'resource', 'record_id', 'action', 'fields', 'key_name', 'job']

/** Prints the history of the server, else what the jobs of this machine say. */
export async function showHistory(
  ctx: Context,
  options: HistoryOptions,
  record?: HistoryRequest['record'],
): Promise<undefined> {
  const columns = record ? COLUMNS : COLUMNS_OF_ALL
  const api = await ctx.api()
  const sinceMs = options.since === undefined ? undefined : momentMs(options.since, ctx.now())
  if (!api.history.offers()) {
    return printList(ctx, { pages: await localPages(ctx, options, { record, sinceMs }), columns, plural: 'changes' })
  }
  const pages = record
    ? endedAt(api.history.list({ record, limit: limitOf(ctx, sinceMs) }), sinceMs)
    : api.history.list({ filters: filtersOf(options, sinceMs), limit: requestedLimit(ctx) })
  return printList(ctx, { pages, columns, plural: 'changes' })
}

/** The history of one record has no filters. */
function limitOf(ctx: Context, sinceMs: number | undefined): number | undefined {
  return sinceMs === undefined ? requestedLimit(ctx) : undefined
}

async function* endedAt(pages: AsyncIterable<Page>, sinceMs = Number.NEGATIVE_INFINITY): AsyncGenerator<Page> {
  for await (const page of pages) {
    const items = page.items.filter(({ at }) => Date.parse(String(at)) >= sinceMs)
    if (items.length === page.items.length) yield page
    else {
      yield { items, nextCursor: undefined }
      return
    }
  }
}

function filtersOf({ key, job, resource }: HistoryOptions, sinceMs: number | undefined): HistoryFilters {
  return {
    ...(sinceMs !== undefined && { since: new Date(sinceMs).toISOString() }),
    ...(key !== undefined && { made_by: key }),
    ...(job !== undefined && { job }),
    ...(resource !== undefined && { resource }),
  }
}

async function localPages(
  ctx: Context,
  { key, ...options }: HistoryOptions,
  query: Pick<LocalQuery, 'record' | 'sinceMs'>,
): Promise<AsyncIterable<Page>> {
  if (key !== undefined) {
    throw new CrmError('not_supported', 'this server keeps no history, and jobs of this machine do not say which key', {
      hint: 'leave out --key',
    })
  }
  const jobs = await ctx.jobs()
  ctx.note(
    'This server describes no history. Shown is what jobs of this machine did; it is not all: changes by others, by single commands and on other machines are missing.',
  )
  const job = options.job === undefined ? undefined : jobs.find(options.job).id
  return pagesOf(jobs.localChanges({ ...query, resource: options.resource, job, account: await jobs.account() }))
}

async function* pagesOf(batches: Iterable<readonly CrmRecord[]>): AsyncGenerator<Page> {
  for (const items of batches) yield { items, nextCursor: undefined }
}
