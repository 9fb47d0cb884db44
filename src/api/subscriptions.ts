import { CrmError } from '../core/errors.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { shellWord } from '../core/shell-words.ts'
import { timeOrderedUuid } from '../core/time-ordered-uuid.ts'
import type { CollectionParts } from './collection.ts'
import type { PageStart } from './connectors/requests.ts'
import { createExchange } from './connectors/resource-exchange.ts'
import type { ListQuery, Page, WriteCallOptions } from './operations.ts'
import { DeclaredWalk } from './pages/declared-walk.ts'
import { walkPages } from './pages/pages.ts'
import type { Answer } from './transport/answer.ts'
import { cannot, checkId } from './transport/call.ts'
import { requestWrite, type WriteCall } from './writes/record.ts'

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
  const exchange = createExchange(parts, { resource: 'webhook', parent: undefined })

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
        exchange.call(list.pageRequest(start, size, known), { ...texts, isJudged: true }),
      read: (answer: Answer) => list.readPage(answer, known, references),
    }
    yield* walkPages(new DeclaredWalk(http, declared, whole), whole.limit)
  }

  /** Done only if the answer shows the subscription, as after a change of it. `hint`: what to do about a doubt. */
  async function change(name: 'resend' | 'rotate', asked: Asked, options: WriteCallOptions): Promise<CrmRecord> {
    const rules = connector.rules('webhook')
    const { id, eventId, action, hint } = asked
    const { body, ...request } = rules.request(name, {
      id: checkId(id, 'webhook'),
      ...(eventId !== undefined && { eventId }),
    })
    const judge = rules.judge(name)
    const idempotencyKey = options.idempotencyKey ?? timeOrderedUuid()
    const call: WriteCall = {
      ...request,
      ...(body !== undefined && { bytes: Buffer.from(JSON.stringify(body)) }),
      ...(connector.errors && { errors: connector.errors }),
      ...options,
      ...{ kind: 'update', isJudged: true, action, command: `crm webhooks ${name}`, findCommand: FIND },
      idempotencyKey,
      judge: (answer) => judge(answer, { kind: 'update', id, sent: undefined }, references),
    }
    try {
      const { record } = await requestWrite(http, call)
      if (name === 'resend' || (typeof record.secret === 'string' && record.secret !== '')) return record
    } catch (error) {
      if (!(error instanceof CrmError) || !error.details.isInDoubt) throw error
      throw new CrmError(error.code, error.message, { ...error.details, hint })
    }
    const message = `${cannot(call)}: the answer has no secret; it is unknown whether one was made`
    throw new CrmError('in_doubt', message, { hint, isInDoubt: true, idempotencyKey })
  }

  return {
    deliveries,
    resend: async ({ webhookId: id, eventId }, options) => {
      const action = `send ${eventId} to webhook ${id} again`
      await change('resend', { id, eventId, action, hint: `crm webhooks deliveries ${shellWord(id)}` }, options)
    },
    rotate: async (id, options) => {
      const hint = `make another: crm webhooks rotate ${shellWord(id)}`
      const { secret } = await change('rotate', { id, action: `make a new secret for webhook ${id}`, hint }, options)
      return String(secret)
    },
  }
}

interface Asked {
  readonly id: string
  readonly eventId?: string
  readonly action: string
  readonly hint: string
}
