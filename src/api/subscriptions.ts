import { CrmError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import { timeOrderedUuid } from '../core/time-ordered-uuid.ts'
import type { CollectionParts } from './collection.ts'
import { compilePath, readFirst } from './connectors/paths.ts'
import type { ConnectorRequest, PageStart } from './connectors/requests.ts'
import { createExchange } from './connectors/resource-exchange.ts'
import type { ListQuery, Page, WriteCallOptions } from './operations.ts'
import { DeclaredWalk } from './pages/declared-walk.ts'
import { walkPages } from './pages/pages.ts'
import type { Answer } from './transport/answer.ts'
import { cannot, checkId } from './transport/call.ts'

export interface DeliveryName {
  readonly webhookId: string
  readonly eventId: string
}

/** What a subscription has beside its record. CrmError `not_supported` for what the connector does not name, before anything is sent. */
export interface Subscriptions {
  /** All deliveries of a subscription, in the order of the server. */
  deliveries(webhookId: string, query?: Partial<ListQuery>): AsyncIterable<Page>
  /** Starts a delivery again, from its first attempt. */
  resend(delivery: DeliveryName, options: WriteCallOptions): Promise<void>
  /** Makes a new secret for a subscription, which is the result. CrmError `in_doubt` if the answer does not show it. */
  rotate(webhookId: string, options: WriteCallOptions): Promise<string>
}

const FIND = 'crm webhooks list'

export function createSubscriptions(parts: CollectionParts): Subscriptions {
  const { http, connector, references } = parts
  const exchange = createExchange(parts, { resource: 'webhook', parentId: undefined })

  async function* deliveries(webhookId: string, query: Partial<ListQuery> = {}): AsyncGenerator<Page> {
    const list = connector.rules('webhook').deliveries()
    const known = { id: checkId(webhookId, 'webhook') }
    const texts = {
      action: `list the deliveries of webhook ${webhookId}`,
      command: 'crm webhooks deliveries',
      findCommand: FIND,
    }
    const whole = { limit: undefined, cursor: undefined, filters: {}, ...query }
    const declared = {
      mismatchHint: connector.mismatchHint,
      paging: list.paging,
      call: (start: PageStart | undefined, size: number | undefined) =>
        exchange.call(list.pageRequest(start, size, known), texts),
      read: (answer: Answer) => list.readPage(answer, known, references),
    }
    yield* walkPages(new DeclaredWalk(http, declared, whole), whole.limit)
  }

  const write = (
    { body, ...request }: ConnectorRequest,
    naming: { readonly action: string; readonly command: string },
    { idempotencyKey = timeOrderedUuid(), ...options }: WriteCallOptions,
  ) => ({
    ...request,
    ...(body !== undefined && { bytes: Buffer.from(JSON.stringify(body)) }),
    ...(connector.errors && { errors: connector.errors }),
    ...options,
    idempotencyKey,
    ...naming,
    findCommand: FIND,
  })

  return {
    deliveries,
    resend: async ({ webhookId, eventId }, options) => {
      const request = connector.rules('webhook').request('resend', { id: checkId(webhookId, 'webhook'), eventId })
      const naming = { action: `send ${eventId} to webhook ${webhookId} again`, command: 'crm webhooks resend' }
      await http.request(write(request, naming, options))
    },
    rotate: async (webhookId, options) => {
      const rules = connector.rules('webhook')
      const request = rules.request('rotate', { id: checkId(webhookId, 'webhook') })
      const naming = { action: `make a new secret for webhook ${webhookId}`, command: 'crm webhooks rotate' }
      const call = write(request, naming, options)
      const { json } = await http.request(call)
      const { record = '.' } = rules.operation('rotate')
      const shown = json === undefined ? undefined : readFirst(compilePath(record), json)
      const secret = isJsonObject(shown) ? rules.map.read(shown, references).secret : undefined
      if (typeof secret === 'string' && secret !== '') return secret
      throw new CrmError('in_doubt', `${cannot(call)}: the answer has no secret; it is unknown whether one was made`, {
        hint: `make another: crm webhooks rotate ${webhookId}`,
        isInDoubt: true,
        idempotencyKey: call.idempotencyKey,
      })
    },
  }
}
