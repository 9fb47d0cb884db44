import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ClaimedDelivery } from '../../../../src/service/store/deliveries.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { connectTo, newPostgres, openTestStore } from '../../../harness/database.ts'
import { changeContact, LEASE_MS, makeContact, SUCCEEDED, settle, subscribe, takeTurn } from '../outbox-samples.ts'

const HOLD = 4712

/** Changes of each contact. */
const STEPS = 20

/** A claim of the first delivery stays in its transaction until it is released. */
async function holdClaims(address: string) {
  const other = await connectTo(address)
  await other.query(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF new.event_id = (SELECT min(event_id) FROM deliveries) THEN PERFORM pg_advisory_xact_lock(${HOLD}); END IF;
      RETURN new;
    END $$;
    CREATE TRIGGER hold BEFORE UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION hold();
    SELECT pg_advisory_lock(${HOLD})`)
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${HOLD} AND NOT granted`
  return {
    isHeld: async () => (await other.query(waiting)).rowCount === 1,
    release: () => other.query(`SELECT pg_advisory_unlock(${HOLD})`),
  }
}

const eventsOf = (claimed: readonly ClaimedDelivery[]): readonly string[] => claimed.map(({ eventId }) => eventId)

test('a sender does not wait for another that claims, and takes what the other leaves', async () => {
  const address = await newPostgres()
  const [one, other] = [await openTestStore({ address }), await openTestStore({ address })]
  await subscribe(one)
  for (let n = 0; n < 6; n++) await makeContact(one)
  const { isHeld, release } = await holdClaims(address)
  const held = takeTurn(one, { slots: 3 })
  await expect.poll(isHeld).toBe(true)
  const { claimed } = await takeTurn(other)
  expect(claimed.length).toBeGreaterThanOrEqual(3)
  expect(await isHeld()).toBe(true)
  await release()
  const first = (await held).claimed
  const all = [...eventsOf(first), ...eventsOf(claimed)]
  expect([all.length, new Set(all).size]).toEqual([6, 6])
})

test('senders in several processes never have one delivery at once, and keep the order of each record', async () => {
  const address = await newPostgres()
  const stores = await Promise.all([1, 2, 3].map(() => openTestStore({ address })))
  const [writer] = stores as [Store]
  await subscribe(writer)
  const ids = await Promise.all(Array.from({ length: 5 }, () => makeContact(writer)))
  const received = new Set<string>()
  const order = new Map<number, number[]>()
  /** The contacts of which an event is being sent; a result counts as soon as it is on its way to the database. */
  const underWay = new Set<number>()
  const wrong: string[] = []
  const contactOf = ({ text }: ClaimedDelivery): number => {
    const { created: id, step } = JSON.parse(text)
    return id === undefined ? Math.floor(step / STEPS) : ids.indexOf(id)
  }
  const note = (claim: ClaimedDelivery): void => {
    const contact = contactOf(claim)
    if (received.has(claim.eventId) || underWay.has(contact)) wrong.push(claim.text)
    received.add(claim.eventId)
    underWay.add(contact)
    const { step } = JSON.parse(claim.text)
    if (step !== undefined) order.set(contact, [...(order.get(contact) ?? []), step % STEPS])
  }
  let left = ids.length * (STEPS + 1)
  const send = async (store: Store): Promise<void> => {
    let claims: readonly ClaimedDelivery[] = []
    while (left > 0) {
      for (const claim of claims) underWay.delete(contactOf(claim))
      const results = claims.map((claim) => ({ claim, outcome: SUCCEEDED }))
      claims = (await takeTurn(store, { slots: 4, leaseMs: 60_000, results })).claimed
      for (const claim of claims) note(claim)
      left -= claims.length
      await setTimeout(Math.random() * 3)
    }
  }
  const change = async (store: Store): Promise<void> => {
    const own = [...ids.entries()].filter(([at]) => at % stores.length === stores.indexOf(store))
    for (let step = 0; step < STEPS; step++) {
      await Promise.all(own.map(([at, id]) => changeContact(store, id, at * STEPS + step)))
    }
  }
  await Promise.all(stores.flatMap((store) => [send(store), change(store)]))
  expect(wrong).toEqual([])
  expect(received.size).toBe(ids.length * (STEPS + 1))
  expect(order.size).toBe(ids.length)
  for (const steps of order.values()) expect(steps).toEqual(Array.from({ length: STEPS }, (_, step) => step))
})

test('a claim is free after its lease alone, and a result that comes later is ignored', async () => {
  const address = await newPostgres()
  const clock = { ms: Date.now() }
  const now = () => clock.ms
  const [one, other] = [await openTestStore({ address, now }), await openTestStore({ address, now })]
  await subscribe(one)
  await makeContact(one)
  const first = (await takeTurn(one)).claimed
  clock.ms += LEASE_MS - 1
  expect((await takeTurn(other)).claimed).toEqual([])
  clock.ms += 1
  const second = (await takeTurn(other)).claimed
  expect(eventsOf(second)).toEqual(eventsOf(first))
  await settle(one, first, SUCCEEDED)
  expect(await one.deliveries.backlog()).toMatchObject({ open: 1 })
  await settle(other, second, SUCCEEDED)
  expect(await one.deliveries.backlog()).toMatchObject({ open: 0 })
})

test('a sender of another process is woken by a write at once', async () => {
  const address = await newPostgres()
  const [one, other] = [await openTestStore({ address }), await openTestStore({ address })]
  await subscribe(one)
  let isWoken = false
  const stop = other.deliveries.onWritten(() => {
    isWoken = true
  })
  await makeContact(one)
  // Sooner than senders look by themselves.
  await expect.poll(() => isWoken, { timeout: 900 }).toBe(true)
  stop()
})
