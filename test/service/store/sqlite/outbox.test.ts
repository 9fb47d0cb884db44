import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { decodeId } from '../../../../src/core/ids.ts'
import { openStore } from '../../../../src/service/store/open-store.ts'
import type { RecordChange, Store, StoreWrite } from '../../../../src/service/store/store.ts'
import { answer, created, creation, idOf, removal } from '../samples.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)

async function openPair(count: number): Promise<{ stores: readonly Store[]; rows: (sql: string) => unknown[] }> {
  const file = join(await temporaryFolder(), 'crm.db')
  const stores: Store[] = []
  for (let number = 0; number < count; number++) {
    const store = await openStore({ address: file, now: () => NOON_MS })
    onTestFinished(() => store.close())
    stores.push(store)
  }
  const reader = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => reader.close())
  return {
    stores,
    rows: (sql) =>
      reader
        .prepare(sql)
        .all()
        .map((row) => ({ ...row })),
  }
}

function webhookChange(
  state: Parameters<StoreWrite['decide']>[0],
  events: readonly string[],
  status: string,
): RecordChange {
  const change = created(state, { url: 'https://example.com/', events, status })
  return { ...change, webhook: { url: 'https://example.com/', events, secret: 'whsec_c2VjcmV0' } }
}

function webhook(events: readonly string[], status = 'enabled'): StoreWrite {
  return creation('webhook', {}, { decide: (state) => webhookChange(state, events, status) })
}

function contactWithEvent(): StoreWrite {
  return creation(
    'contact',
    {},
    {
      decide: (state) => ({ ...created(state), event: { kind: 'contact.created', text: `{"about":"${state.id}"}` } }),
    },
  )
}

test('an event is stored with one delivery, due now, for each matching webhook', async () => {
  const {
    stores: [store],
    rows,
  } = await openPair(1)
  if (!store) return
  const all = decodeId('webhook', idOf(await store.write(webhook(['*']))))
  await store.write(webhook(['deal.*', 'note.created']))
  const some = decodeId('webhook', idOf(await store.write(webhook(['deal.*', 'contact.created']))))
  const id = idOf(await store.write(contactWithEvent()))
  const [event, ...others] = rows('SELECT * FROM events') as { id: number }[]
  expect(others).toEqual([])
  expect(event).toEqual({ id: event?.id, kind: 'contact.created', text: `{"about":"${id}"}` })
  const rest = { event_id: event?.id, record_id: id, attempts: 0, next_at_ms: NOON_MS, state: 'pending' }
  const columns = 'event_id, webhook_id, record_id, attempts, next_at_ms, state'
  expect(rows(`SELECT ${columns} FROM deliveries`)).toEqual([
    { webhook_id: all, ...rest },
    { webhook_id: some, ...rest },
  ])
})

test('without a matching enabled webhook no event is stored', async () => {
  const {
    stores: [store],
    rows,
  } = await openPair(1)
  await store?.write(contactWithEvent())
  await store?.write(webhook(['*'], 'disabled'))
  await store?.write(webhook(['deal.*']))
  await store?.write(contactWithEvent())
  expect(rows('SELECT * FROM events')).toEqual([])
})

test('a webhook gets events from its creation until it is disabled or removed', async () => {
  const {
    stores: [store],
    rows,
  } = await openPair(1)
  if (!store) return
  const [, made] = await Promise.all([
    store.write(contactWithEvent()),
    store.write(webhook(['*'])),
    store.write(contactWithEvent()),
  ])
  const id = idOf(made)
  const [kept] = rows('SELECT count(*) AS count FROM events')
  expect(kept).toEqual({ count: 1 })
  await store.write({
    ...webhook([]),
    id,
    decide: (state) => ({ ...webhookChange(state, ['*'], 'disabled'), webhook: undefined, answer: answer(200, '') }),
  })
  await store.write(contactWithEvent())
  expect(rows('SELECT count(*) AS count FROM events')).toEqual([kept])
  await store.write(removal('webhook', id))
  expect(rows('SELECT * FROM deliveries')).toEqual([])
})

test('a webhook created or removed by another process takes effect at once', async () => {
  const {
    stores: [store, other],
    rows,
  } = await openPair(2)
  if (!(store && other)) return
  await store.write(contactWithEvent())
  const id = idOf(await other.write(webhook(['*'])))
  await store.write(contactWithEvent())
  expect(rows('SELECT kind FROM events')).toEqual([{ kind: 'contact.created' }])
  await other.write(removal('webhook', id))
  await store.write(contactWithEvent())
  expect(rows('SELECT kind FROM events')).toEqual([])
})

test('the secret has its own column, and a change without columns keeps it', async () => {
  const {
    stores: [store],
    rows,
  } = await openPair(1)
  if (!store) return
  const id = idOf(await store.write(webhook(['*'])))
  await store.write({
    ...webhook([]),
    id,
    decide: (state) => ({
      ...webhookChange(state, ['*'], 'enabled'),
      webhook: undefined,
      answer: answer(200, 'changed'),
    }),
  })
  const [row] = rows('SELECT url, events, secret, text FROM webhooks') as Record<string, string>[]
  expect(row).toMatchObject({ url: 'https://example.com/', events: '["*"]', secret: 'whsec_c2VjcmV0' })
  expect(row?.text).not.toContain('whsec_')
})
