import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, valueAt } from '../../core/json.ts'
import { timeOrderedUuid } from '../../core/time-ordered-uuid.ts'
import type { Page, WriteCallOptions } from '../operations.ts'
import { graphqlError } from './answers.ts'
import type { Discovery } from './discovery.ts'
import type { DeliveryName, NewestDeliveries } from './graphql-api.ts'
import { NEWEST_DELIVERIES } from './offers.ts'

/** The deliveries in pages of subscriptions. */
export async function deliveriesById(pages: AsyncIterable<Page>): Promise<ReadonlyMap<string, NewestDeliveries>> {
  const found = new Map<string, NewestDeliveries>()
  for await (const { items } of pages) {
    for (const { id, deliveries } of items) {
      const { nodes, page_info: info }: JsonObject = isJsonObject(deliveries) ? deliveries : {}
      if (typeof id !== 'string' || !Array.isArray(nodes)) continue
      const hasOlder = isJsonObject(info) ? info.has_next_page === true : nodes.length >= NEWEST_DELIVERIES
      found.set(id, { items: nodes.filter(isJsonObject), hasOlder })
    }
  }
  return found
}

/** A repeated request has the same idempotency key, and so answers with the same secret. */
export async function rotateSecretOverGraphql(
  discovery: Discovery,
  id: string,
  options: WriteCallOptions,
): Promise<string> {
  const { signal, isLetFinish, idempotencyKey = timeOrderedUuid() } = options
  const action = `make a new secret for webhook ${id}`
  const { offer, answer } = await discovery.use('rotateWebhookSecret', (found, send) =>
    send(
      found.query,
      { input: { id } },
      { isRead: false, idempotencyKey, signal, isLetFinish, as: { action, command: 'crm webhooks rotate' } },
    ),
  )
  const { errors, json } = answer
  const secret = valueAt(json, ['data', offer.field, 'secret'])
  if (typeof secret === 'string') return secret
  const hint = 'crm webhooks list'
  if (errors.length > 0) throw graphqlError({ errors, action, hint, findHint: hint })
  throw new CrmError('in_doubt', `cannot ${action}: the answer has no secret; it is unknown whether one was made`, {
    hint: `make another: crm webhooks rotate ${id}`,
    isInDoubt: true,
    idempotencyKey,
  })
}

/** A repeated request has the same idempotency key, and so starts the delivery once. */
export async function resendDeliveryOverGraphql(
  discovery: Discovery,
  { webhookId, eventId }: DeliveryName,
  { signal, isLetFinish, idempotencyKey = timeOrderedUuid() }: WriteCallOptions,
): Promise<void> {
  const as = { action: `send ${eventId} to webhook ${webhookId} again`, command: 'crm webhooks resend' }
  const { offer, answer } = await discovery.use('resendDelivery', (found, send) =>
    send(found.query, { input: { webhookId, eventId } }, { isRead: false, idempotencyKey, signal, isLetFinish, as }),
  )
  const hint = `crm webhooks deliveries ${webhookId}`
  if (answer.errors.length > 0) throw graphqlError({ errors: answer.errors, action: as.action, hint, findHint: hint })
  if (isJsonObject(valueAt(answer.json, ['data', offer.field]))) return
  throw new CrmError('in_doubt', `cannot ${as.action}: the answer does not show it; it is unknown whether it is sent`, {
    hint,
    isInDoubt: true,
    idempotencyKey,
  })
}
