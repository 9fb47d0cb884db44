import type { ClaimedDelivery, DeliveryTurn, TryOutcome, TurnOutcome } from '../../../src/service/store/deliveries.ts'
import type { Store, StoreWrite } from '../../../src/service/store/store.ts'
import { answer, created, creation, idOf } from './samples.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** The id of a subscription to every event. */
export async function subscribe(store: Store, url = 'https://example.com/'): Promise<string> {
  const columns = { url, events: ['*'], secret: SECRET }
  const decide: StoreWrite['decide'] = (state) => ({ ...created(state, { url, status: 'enabled' }), webhook: columns })
  return idOf(await store.write(creation('webhook', {}, { decide })))
}

/** The id of a contact that was made with an event. */
export async function makeContact(store: Store): Promise<string> {
  const decide: StoreWrite['decide'] = (state) => ({
    ...created(state),
    event: { kind: 'contact.created', text: `{"created":"${state.id}"}` },
  })
  return idOf(await store.write(creation('contact', {}, { decide })))
}

/** An event of an existing contact; its text names the step. */
export async function changeContact(store: Store, id: string, step: number): Promise<void> {
  await store.write({
    resource: 'contact',
    id,
    idempotency: undefined,
    decide: ({ current }) => {
      if (!current) throw new Error(`no ${id}`)
      const next = { text: current.text, version: current.version + 1 }
      const event = { kind: 'contact.updated', text: `{"step":${step}}` } as const
      return { next, deal: undefined, event, answer: answer(200, current.text) }
    },
  })
}

export const LEASE_MS = 1000

export function takeTurn(store: Store, turn: Partial<DeliveryTurn> = {}): Promise<TurnOutcome> {
  return store.deliveries.turn({
    results: [],
    renewals: [],
    leaseMs: LEASE_MS,
    slots: 100,
    slotsOf: () => 100,
    ...turn,
  })
}

/** Stores one outcome for all of these, and claims due deliveries. */
export async function settle(
  store: Store,
  deliveries: readonly ClaimedDelivery[],
  outcome: TryOutcome,
): Promise<readonly ClaimedDelivery[]> {
  return (await takeTurn(store, { results: deliveries.map((claim) => ({ claim, outcome })) })).claimed
}

export const SUCCEEDED: TryOutcome = { type: 'succeeded', status: 200 }

export function retryAt(dueAtMs: number): TryOutcome {
  return { type: 'retry', status: 500, reason: 'answered 500', dueAtMs }
}
