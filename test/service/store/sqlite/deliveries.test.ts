import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { encodeId, firstSerialAt } from '../../../../src/core/ids.ts'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { openDatabase } from '../../../../src/service/store/sqlite/open-database.ts'
import { sqliteStore } from '../../../../src/service/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { changeContact, makeContact, retryAt, SUCCEEDED, settle, subscribe, takeTurn } from '../outbox-samples.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { FIRST_SCHEMA } from './first-schema.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 24 * 60 * 60 * 1000

type Rows = (sql: string) => Record<string, unknown>[]

async function openWithReader(now: () => number): Promise<{ store: Store; rows: Rows }> {
  const file = join(await temporaryFolder(), 'crm.db')
  const store = await openStore({ address: file, now })
  const reader = new DatabaseSync(file, { readOnly: true })
  onTestFinished(async () => {
    reader.close()
    await store.close()
  })
  return {
    store,
    rows: (sql) =>
      reader
        .prepare(sql)
        .all()
        .map((row) => ({ ...row })),
  }
}

const LOG = 'SELECT state, attempts, last_at_ms, last_status, last_error FROM deliveries ORDER BY event_id'

test('the log has the attempts of a delivery, the last time and the outcome', async () => {
  let nowMs = NOON_MS
  const { store, rows } = await openWithReader(() => nowMs)
  await subscribe(store)
  await makeContact(store)
  await makeContact(store)
  const [first, second] = (await takeTurn(store)).claimed
  if (!(first && second)) throw new Error('expected two')
  nowMs += 7
  await settle(store, [first], { type: 'retry', status: undefined, reason: 'refused', dueAtMs: NOON_MS + DAY_MS })
  await settle(store, [second], SUCCEEDED)
  expect(rows(LOG)).toEqual([
    { state: 'pending', attempts: 1, last_at_ms: nowMs, last_status: null, last_error: 'refused' },
    { state: 'succeeded', attempts: 1, last_at_ms: nowMs, last_status: 200, last_error: null },
  ])
})

test('a success is deleted after a day and a failure after a week, and an event with its last delivery', async () => {
  let nowMs = NOON_MS
  const { store, rows } = await openWithReader(() => nowMs)
  const webhookId = await subscribe(store)
  await subscribe(store)
  await makeContact(store)
  const { claimed } = await takeTurn(store)
  await settle(
    store,
    claimed.filter((claim) => claim.webhookId === webhookId),
    { type: 'failed', status: 500, reason: 'answered 500' },
  )
  await settle(
    store,
    claimed.filter((claim) => claim.webhookId !== webhookId),
    SUCCEEDED,
  )
  const counts = () => rows('SELECT (SELECT count(*) FROM events) AS events, count(*) AS deliveries FROM deliveries')
  nowMs += DAY_MS
  await takeTurn(store)
  expect(counts()).toEqual([{ events: 1, deliveries: 2 }])
  nowMs += 1
  await takeTurn(store)
  expect(counts()).toEqual([{ events: 1, deliveries: 1 }])
  nowMs += 6 * DAY_MS
  await takeTurn(store)
  expect(counts()).toEqual([{ events: 0, deliveries: 0 }])
})

test('open deliveries are never deleted', async () => {
  let nowMs = NOON_MS
  const { store, rows } = await openWithReader(() => nowMs)
  await subscribe(store)
  const id = await makeContact(store)
  await changeContact(store, id, 1)
  nowMs += 30 * DAY_MS
  await settle(store, (await takeTurn(store)).claimed, retryAt(nowMs + DAY_MS))
  nowMs += 30 * DAY_MS
  await takeTurn(store, { slots: 0 })
  expect(rows('SELECT state FROM deliveries ORDER BY event_id')).toEqual([{ state: 'pending' }, { state: 'pending' }])
})

test('a turn leaves the database durable for the writes that follow', async () => {
  const db = openDatabase(join(await temporaryFolder(), 'crm.db'), true)
  const store = sqliteStore(db, { now: Date.now })
  onTestFinished(() => store.close())
  await subscribe(store)
  await makeContact(store)
  await settle(store, (await takeTurn(store)).claimed, SUCCEEDED)
  const FULL = 2
  expect(db.get('PRAGMA synchronous')).toEqual([FULL])
})

test('a turn without anything to do takes no lock', async () => {
  const file = join(await temporaryFolder(), 'crm.db')
  const store = await openStore({ address: file, now: Date.now })
  const other = new DatabaseSync(file)
  onTestFinished(async () => {
    other.close()
    await store.close()
  })
  other.exec('BEGIN IMMEDIATE')
  expect((await takeTurn(store)).claimed).toEqual([])
})

test('an outbox of the first schema is delivered, in order per record', async () => {
  const file = join(await temporaryFolder(), 'crm.db')
  const old = new DatabaseSync(file)
  const serial = firstSerialAt(NOON_MS)
  old.exec(FIRST_SCHEMA)
  old.exec(`
    PRAGMA user_version = 1; PRAGMA application_id = ${0x43524d31};
    INSERT INTO webhooks VALUES (${serial}, 1, 'https://example.com/', '["*"]', 'whsec_x', '{"status":"enabled"}');
    INSERT INTO events VALUES (${serial + 1}, 'contact.created', 'a'), (${serial + 2}, 'contact.updated', 'b'),
      (${serial + 3}, 'contact.created', 'c');
    INSERT INTO deliveries VALUES (${serial + 1}, ${serial}, 'con_1', 0, ${NOON_MS}, 'pending'),
      (${serial + 2}, ${serial}, 'con_1', 0, ${NOON_MS}, 'pending'), (${serial + 3}, ${serial}, 'con_2', 0, ${NOON_MS}, 'pending');
  `)
  old.close()
  const store = await openStore({ address: file, now: () => NOON_MS })
  onTestFinished(() => store.close())
  const first = (await takeTurn(store)).claimed
  expect(first).toMatchObject([{ text: 'a', eventId: encodeId('event', serial + 1) }, { text: 'c' }])
  expect(await settle(store, first, SUCCEEDED)).toMatchObject([{ text: 'b' }])
})

test('queries of the outbox use an index and sort nothing', async () => {
  const { rows } = await openWithReader(Date.now)
  const plan = (sql: string) => rows(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail)
  const due = `FROM deliveries INDEXED BY deliveries_due WHERE webhook_id = 1 AND state IN ('pending', 'sending')`
  const line = `FROM deliveries INDEXED BY deliveries_open WHERE webhook_id = 1 AND record_id = 'con_1'
    AND state IN ('waiting', 'pending', 'sending')`
  expect(plan(`SELECT event_id ${due} AND next_at_ms <= 5 ORDER BY next_at_ms, event_id LIMIT 9`)).toEqual([
    'SEARCH deliveries USING INDEX deliveries_due (webhook_id=? AND next_at_ms<?)',
  ])
  expect(plan(`SELECT state ${line} AND failing_since_ms IS NULL ORDER BY event_id LIMIT 1`)).toEqual([
    'SEARCH deliveries USING INDEX deliveries_open (webhook_id=? AND record_id=? AND failing_since_ms=?)',
  ])
  expect(plan(`SELECT 1 ${line} AND failing_since_ms > 0 ORDER BY failing_since_ms LIMIT 1`)).toEqual([
    'SEARCH deliveries USING INDEX deliveries_open (webhook_id=? AND record_id=? AND failing_since_ms>?)',
  ])
  expect(plan('SELECT event_id FROM deliveries WHERE kept_until_ms < 5 ORDER BY kept_until_ms LIMIT 9')).toEqual([
    'SEARCH deliveries USING COVERING INDEX deliveries_kept (kept_until_ms<?)',
  ])
  expect(plan('SELECT count(failing_since_ms), min(event_id) FROM deliveries WHERE kept_until_ms IS NULL')).toEqual([
    'SEARCH deliveries USING COVERING INDEX deliveries_kept (kept_until_ms=?)',
  ])
})
