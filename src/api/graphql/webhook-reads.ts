import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../core/json.ts'
import type { Page, WriteCallOptions } from '../operations.ts'
import { graphqlError } from './answers.ts'
import type { Discovery } from './discovery.ts'

/** The deliveries in pages of subscriptions. */
export async function deliveriesById(pages: AsyncIterable<Page>): Promise<ReadonlyMap<string, readonly JsonObject[]>> {
  const found = new Map<string, readonly JsonObject[]>()
  for await (const { items } of pages) {
    for (const { id, deliveries } of items) {
      const nodes: JsonValue | undefined = isJsonObject(deliveries) ? deliveries.nodes : undefined
      if (typeof id === 'string' && Array.isArray(nodes)) found.set(id, nodes.filter(isJsonObject))
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
  const { signal, isLetFinish, idempotencyKey = crypto.randomUUID() } = options
  const action = `make a new secret for webhook ${id}`
  const { offer, answer } = await discovery.use('rotateWebhookSecret', (found, send) =>
    send(
      found.query,
      { input: { id } },
      { isRead: false, idempotencyKey, signal, isLetFinish, as: { action, command: 'crm browse webhooks' } },
    ),
  )
  const { errors, json } = answer
  const secret = valueAt(json, ['data', offer.field, 'secret'])
  if (typeof secret === 'string') return secret
  const hint = 'crm webhooks list'
  if (errors.length > 0) throw graphqlError({ errors, action, hint, findHint: hint })
  throw new CrmError('in_doubt', `cannot ${action}: the answer has no secret; it is unknown whether one was made`, {
    hint: 'make another in crm browse webhooks',
    isInDoubt: true,
    idempotencyKey,
  })
}
