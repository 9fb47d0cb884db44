import type { Api } from '../../api/api.ts'
import type { Page } from '../../api/operations.ts'
import { idText } from '../../core/json.ts'

type Source = Pick<Api, 'subscriptions' | 'webhooks' | 'require'>

/** All deliveries of a subscription, or of one subscription after the other. */
export async function* deliveryPages(api: Source, id: string | undefined, signal: AbortSignal): AsyncGenerator<Page> {
  api.require('webhook', 'deliveries')
  const ids = id === undefined ? await subscriptionIds(api, signal) : [id]
  for (const webhookId of ids) {
    for await (const { items, nextCursor } of api.subscriptions.deliveries(webhookId, { signal })) {
      const hasMore = nextCursor !== undefined || webhookId !== ids.at(-1)
      yield {
        items: items.map((each) => ({ webhook_id: webhookId, ...each })),
        nextCursor: undefined,
        ...(hasMore && { rest: nextCursor === undefined ? 'unknown' : 'some' }),
      }
    }
  }
}

async function subscriptionIds({ webhooks }: Source, signal: AbortSignal): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { items } of webhooks.list({ signal })) {
    for (const item of items) ids.push(idText(item.id) ?? '')
  }
  return ids
}
