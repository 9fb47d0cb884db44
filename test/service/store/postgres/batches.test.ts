import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { encodeId } from '../../../../src/core/ids.ts'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { readAddress } from '../../../../src/service/store/postgres/address.ts'
import { openPool } from '../../../../src/service/store/postgres/database.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import type { StoreOptions } from '../../../../src/service/store/store-options.ts'
import { createDatabase, dropDatabase } from '../../../harness/postgres/databases.ts'
import { creation } from '../samples.ts'
import { listeningObserver } from '../suite/observer-suite.ts'

async function emptyDatabase(): Promise<string> {
  const server = inject('postgres')
  const address = await createDatabase(server)
  onTestFinished(() => dropDatabase(server, address))
  return address
}

async function open(options: Pick<StoreOptions, 'address' | 'observer'>): Promise<Store> {
  const store = await openStore({ now: Date.now, ...options })
  onTestFinished(() => store.close())
  return store
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('a statement that is sent ahead and fails ends its transaction, with its own error, and nothing is written', async () => {
  const address = await emptyDatabase()
  const database = openPool(readAddress(address, {}))
  onTestFinished(() => database.close())
  await database.run('CREATE TABLE numbers (n integer PRIMARY KEY)')
  for (const isRead of [false, true]) {
    const failing = database.begin('BEGIN', async (tx) => {
      tx.later('INSERT INTO numbers VALUES ($1)', 1)
      tx.later('INSERT INTO numbers VALUES ($1)', 1)
      tx.later('INSERT INTO numbers VALUES ($1)', 2)
      // Refused, as the transaction has failed.
      if (isRead) await tx.get('SELECT 1')
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
    expect(await database.get('SELECT count(*) FROM numbers')).toEqual([0])
  }
})

test('writes that come while a batch waits for another process join it', async () => {
  const address = await emptyDatabase()
  const { told, observer } = listeningObserver()
  const store = await open({ address, observer })
  const other = await connect(address)
  await other.query('BEGIN; SELECT 1 FROM sequence FOR UPDATE')
  const key = (text: string) => ({ idempotency: { key: text, fingerprint: 'f' } })
  const first = store.write(creation('contact', {}, key('first')))
  const isWaiting = async () =>
    (
      await other.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
    ).rows.length > 0
  while (!(await isWaiting()));
  const others = [key('first'), key('second'), {}].map((more) => store.write(creation('contact', {}, more)))
  await new Promise(setImmediate)
  await other.query('COMMIT')
  expect((await first).type).toBe('done')
  expect((await Promise.all(others)).map(({ type }) => type)).toEqual(['replayed', 'done', 'done'])
  expect(told.commits.map(({ writes }) => writes)).toEqual([4])
  expect(told.lockWaits).toHaveLength(1)
})

test('the last page of a large list reads its records alone', async () => {
  const address = await emptyDatabase()
  const store = await open({ address })
  const client = await connect(address)
  await client.query(
    `INSERT INTO contacts (id, version, text) SELECT n, 1, '{"id":"con_0"}' FROM generate_series(1, 50000) AS n`,
  )
  await client.query('VACUUM ANALYZE contacts')
  const read = async () => (await client.query(`SELECT * FROM pg_stat_user_tables WHERE relname = 'contacts'`)).rows[0]
  const before = await read()
  // More often than a statement is planned for its values.
  for (let time = 0; time < 10; time++) {
    const { nextOlderThanId } = await store.joinedPage('contact', { limit: 100, olderThanId: undefined })
    expect(nextOlderThanId).toBeDefined()
    const last = await store.joinedPage('contact', { limit: 100, olderThanId: encodeId('contact', 51) })
    expect(last.nextOlderThanId).toBeUndefined()
  }
  await store.close()
  // A connection that ends reports what it has read.
  while ((await read()).idx_scan - before.idx_scan < 20);
  expect((await read()).seq_tup_read).toBe(before.seq_tup_read)
})

test('reads of pages at the same time share a connection, and a lost one is replaced', async () => {
  const address = await emptyDatabase()
  let mostOpen = 0
  const pool = ({ open: count }: { readonly open: number }): void => {
    mostOpen = Math.max(mostOpen, count)
  }
  const store = await open({ address, observer: { ...listeningObserver().observer, pool } })
  await store.write(creation('contact', { name: 'Ada' }))
  const readAll = async () =>
    Promise.all(Array.from({ length: 32 }, () => store.joinedPage('contact', { limit: 10, olderThanId: undefined })))
  mostOpen = 0
  for (const { text } of await readAll()) expect(text).toContain('Ada')
  expect(mostOpen).toBe(2)
  const other = await connect(address)
  const reading = readAll()
  await other.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
  )
  for (const { text } of [...(await reading), ...(await readAll())]) expect(text).toContain('Ada')
})
