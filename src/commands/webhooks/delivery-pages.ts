import type { GraphqlApi, NewestDeliveries } from '../../api/graphql/graphql-api.ts'
import type { Page } from '../../api/operations.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'

interface Source {
  readonly graphql: Pick<GraphqlApi, 'deliveries' | 'newestDeliveries'>
  readonly signal: AbortSignal
  /** Called with the id of a subscription whose older deliveries the server does not list. */
  readonly onUnlisted: (webhookId: string) => void
}

/** All deliveries of a subscription, or of all, as far as the server lists them; the newest of each first. */
export async function* deliveryPages(source: Source, id: string | undefined): AsyncGenerator<Page> {
  if (id !== undefined) return yield* pagesOf(source, id, undefined)
  const all = [...(await source.graphql.newestDeliveries(source.signal))]
  const [lastId] = all.at(-1) ?? []
  for (const [webhookId, newest] of all) {
    for await (const page of newest.hasOlder ? pagesOf(source, webhookId, newest) : [pageOf(webhookId, newest.items)]) {
      yield webhookId === lastId || page.rest ? page : { ...page, rest: 'unknown' }
    }
  }
}

async function* pagesOf(
  { graphql, signal, onUnlisted }: Source,
  id: string,
  known: NewestDeliveries | undefined,
): AsyncGenerator<Page> {
  try {
    for await (const { items, nextCursor } of graphql.deliveries(id, { signal })) {
      yield { ...pageOf(id, items), ...(nextCursor !== undefined && { rest: 'some' }) }
    }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code !== 'not_supported') throw error
    const newest = known ?? (await graphql.newestDeliveries(signal)).get(id)
    if (!newest) {
      throw new CrmError('not_found', `there is no webhook ${JSON.stringify(id)}`, { hint: 'crm webhooks list' })
    }
    if (newest.hasOlder) onUnlisted(id)
    yield pageOf(id, newest.items)
  }
}

function pageOf(webhookId: string, items: readonly JsonObject[]): Page {
  return { items: items.map((each) => ({ webhook_id: webhookId, ...each })), nextCursor: undefined }
}

export function noteUnlisted(ctx: Pick<Context, 'note'>, ids: readonly string[]): void {
  if (ids.length === 0) return
  ctx.note(
    `Not all: the server lists only the newest deliveries of ${ids.join(', ')}, and has no cursor for older ones.`,
  )
}
