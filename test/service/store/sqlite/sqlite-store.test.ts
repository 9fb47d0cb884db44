import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { Connection } from '../../../../src/service/store/sqlite/connection.ts'
import { openDatabase } from '../../../../src/service/store/sqlite/open-database.ts'
import { sqliteStore } from '../../../../src/service/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import type { StoreObserver } from '../../../../src/service/store/store-options.ts'
import { PAGE_COUNT } from '../../../../src/service/store/walks.ts'
import { allContacts, answer, created, creation, idOf, rewriting } from '../samples.ts'
import { listeningObserver } from '../suite/observer-suite.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)

async function openBoth(
  now: () => number = Date.now,
  observer?: StoreObserver,
): Promise<{ db: Connection; store: Store; file: string }> {
  const file = join(await temporaryFolder(), 'crm.db')
  const db = openDatabase(file, true)
  const store = sqliteStore(db, { now, observer })
  onTestFinished(() => store.close())
  return { db, store, file }
}

test('every commit syncs the write-ahead log', async () => {
  const { db } = await openBoth()
  expect(db.get('PRAGMA synchronous')).toEqual([2])
  expect(db.get('PRAGMA journal_mode')).toEqual(['wal'])
  expect(db.get('PRAGMA foreign_keys')).toEqual([1])
})

test('a full disk fails every write of the batch, and writes succeed again with space', async () => {
  const { db, store, file } = await openBoth()
  await store.write(creation('contact'))
  const [pages] = db.get<[number]>('PRAGMA page_count') ?? [0]
  db.script(`PRAGMA max_page_count = ${pages + 4}`)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, () => store.write(creation('contact', { note: 'x'.repeat(1000) }))),
  )
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'machine', details: { isRetryable: true } } })
    expect(outcome).toHaveProperty('reason.message', `database ${file} cannot grow: the disk is full`)
  }
  expect(await allContacts(store)).toHaveLength(1)
  db.script('PRAGMA max_page_count = 1000000')
  await store.write(creation('contact'))
  expect(await allContacts(store)).toHaveLength(2)
})

test('while another process holds the lock, reads continue and writes wait; afterwards all are done', async () => {
  const { store, file } = await openBoth()
  const [pipeline] = await store.pipelines()
  if (!pipeline) throw new Error('a new database has no pipeline')
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  other.exec('BEGIN EXCLUSIVE')
  const done: string[] = []
  const tell = (what: string) => () => done.push(what)
  const ends = { expiresAtMs: undefined, revokedAtMs: undefined }
  const key = { id: 'key_1', name: 'ci', hash: 'h', lastFour: 'abcd', scopes: [], createdAtMs: 1, ...ends }
  const writes = [
    store.write(creation('contact')).then(tell('contact')),
    store.write(creation('contact')).then(tell('contact')),
    store.addKey(key).then(tell('key')),
    store.putPipelines([{ ...pipeline, name: 'Renamed' }]).then(tell('pipelines')),
  ]
  for (let read = 0; read < 20; read++) {
    expect(await allContacts(store)).toEqual([])
    await setTimeout(5)
  }
  expect(done).toEqual([])
  other.exec('ROLLBACK')
  await Promise.all(writes)
  expect(done.toSorted()).toEqual(['contact', 'contact', 'key', 'pipelines'])
  expect(await allContacts(store)).toHaveLength(2)
  expect([await store.findKey('h'), await store.pipelines()]).toMatchObject([{ id: 'key_1' }, [{ name: 'Renamed' }]])
})

test('an observer is told how long the lock of another process held up writes and reads', async () => {
  const { told, observer } = listeningObserver()
  const { store, file } = await openBoth(Date.now, observer)
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  other.exec('BEGIN EXCLUSIVE')
  const writes = Promise.all([store.write(creation('contact')), store.write(creation('contact'))])
  const pipelines = store.putUniqueMembers([])
  await setTimeout(100)
  expect(told.commits).toEqual([])
  other.exec('ROLLBACK')
  await Promise.all([writes, pipelines])
  expect(told.lockWaits).toHaveLength(1)
  for (const ms of told.lockWaits) expect(ms).toBeGreaterThan(50)
  expect(told.commits).toMatchObject([{ writes: 2 }])
  other.exec('BEGIN IMMEDIATE')
  const probe = store.checkWritable()
  await expect(probe).rejects.toThrow('is locked by another process')
  expect(told.lockWaits).toHaveLength(2)
  expect(told.lockWaits[1]).toBeGreaterThan(450)
})

test('a store closed while its writes wait for a lock does them first', async () => {
  const { store, file } = await openBoth()
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const written = store.write(creation('contact'))
  const closed = store.close()
  await expect(store.write(creation('contact'))).rejects.toThrow(`database ${file} is closed`)
  other.exec('ROLLBACK')
  await closed
  expect(await written).toMatchObject({ type: 'done' })
  expect(other.prepare('SELECT count(*) AS count FROM contacts').get()).toEqual({ count: 1 })
})

test('a failing statement rolls back the whole batch, and the next one is written', async () => {
  const { db, store } = await openBoth()
  db.script(
    "CREATE TRIGGER t BEFORE INSERT ON contacts WHEN new.text LIKE '%poison%' BEGIN SELECT RAISE(ABORT, 'no'); END",
  )
  const outcomes = await Promise.allSettled([
    store.write(creation('contact')),
    store.write(creation('contact', { name: 'poison' })),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await allContacts(store)).toEqual([])
  await store.write(creation('contact'))
  expect(await allContacts(store)).toHaveLength(1)
})

test('a webhook rolled back with its batch gets no deliveries', async () => {
  const { db, store } = await openBoth()
  db.script(
    "CREATE TRIGGER t BEFORE INSERT ON contacts WHEN new.text LIKE '%poison%' BEGIN SELECT RAISE(ABORT, 'no'); END",
  )
  const columns = { url: 'https://example.com/', events: ['*'], secret: 'whsec_x' }
  const webhook = creation(
    'webhook',
    {},
    { decide: (state) => ({ ...created(state, { status: 'enabled' }), webhook: columns }) },
  )
  const withEvent = (fields: object) =>
    creation(
      'contact',
      {},
      { decide: (state) => ({ ...created(state, fields), event: { kind: 'contact.created', text: '{}' } }) },
    )
  await Promise.allSettled([webhook, withEvent({}), withEvent({ name: 'poison' })].map((write) => store.write(write)))
  await store.write(withEvent({}))
  expect(await allContacts(store)).toHaveLength(1)
  expect(db.get('SELECT count(*) FROM events')).toEqual([0])
})

test('an empty change writes no record', async () => {
  const { db, store } = await openBoth()
  const id = idOf(await store.write(creation('contact')))
  db.script("CREATE TRIGGER t BEFORE UPDATE ON contacts BEGIN SELECT RAISE(ABORT, 'written'); END")
  const keep = rewriting('contact', id, '')
  const result = await store.write({
    ...keep,
    decide: (state) => ({ ...keep.decide(state), next: state.current, answer: answer(200, 'same') }),
  })
  expect(result).toEqual({ type: 'done', answer: answer(200, 'same') })
})

test('answers of a clock that was years ahead end a day after it is set right', async () => {
  const clock = { ms: Date.UTC(2050, 0, 1) }
  const { db, store } = await openBoth(() => clock.ms)
  const keyed = (key: string) => store.write(creation('contact', {}, { idempotency: { key, fingerprint: 'f' } }))
  await keyed('ahead')
  clock.ms = NOON_MS
  await keyed('right')
  expect(db.all('SELECT key, at_ms FROM idempotency')).toEqual([
    ['ahead', NOON_MS],
    ['right', NOON_MS],
  ])
  clock.ms += 86_400_001
  await keyed('later')
  expect(db.all('SELECT key FROM idempotency')).toEqual([['later']])
})

test('concurrent writes share a transaction', async () => {
  const { db, store } = await openBoth()
  db.script('CREATE TABLE commits (count INTEGER); INSERT INTO commits VALUES (0)')
  db.script('CREATE TRIGGER t AFTER UPDATE ON sequence BEGIN UPDATE commits SET count = count + 1; END')
  await Promise.all(Array.from({ length: 600 }, () => store.write(creation('contact'))))
  expect(db.get('SELECT count FROM commits')).toEqual([2])
})

test('answers older than a day are deleted by later writes', async () => {
  const clock = { ms: NOON_MS }
  const { db, store } = await openBoth(() => clock.ms)
  const keyed = (key: string) => store.write(creation('contact', {}, { idempotency: { key, fingerprint: 'f' } }))
  await Promise.all(Array.from({ length: 100 }, (_, number) => keyed(`old ${number}`)))
  clock.ms += 86_400_001
  for (let number = 0; number < 60; number++) await keyed(`late ${number}`)
  expect(db.get('SELECT count(*), min(at_ms) FROM idempotency')).toEqual([60, clock.ms])
})

test('a database passes the integrity check after failures', async () => {
  const { db, store } = await openBoth()
  await Promise.all(Array.from({ length: 50 }, () => store.write(creation('contact'))))
  expect(db.get('PRAGMA integrity_check')).toEqual(['ok'])
  expect(db.all('PRAGMA foreign_key_check')).toEqual([])
})

const STORE = fileURLToPath(new URL('../../../../src/service/store', import.meta.url))

test('no statement binds a bare limit, for which SQLite would prepare it on every run', () => {
  const files = ['.', 'sqlite'].flatMap((folder) => readdirSync(join(STORE, folder)).map((name) => join(folder, name)))
  const limits = files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(STORE, name), 'utf8')
      return [...text.matchAll(/LIMIT (?:\?|\$\d|\$\{PAGE_COUNT).{0,5}/g)].map(([limit]) => `${name}: ${limit}`)
    })
  expect(limits.length).toBeGreaterThan(5)
  expect(limits.filter((limit) => !/[?$]\d* \+ 0|PAGE_COUNT/.test(limit))).toEqual([])
  expect(PAGE_COUNT).toMatch(/^CAST/)
})
