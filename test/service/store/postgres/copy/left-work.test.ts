import { expect, test } from 'vitest'
import { copyStore } from '../../../../../src/service/store/open-store.ts'
import { SCHEMA_LOCK } from '../../../../../src/service/store/postgres/sequence.ts'
import { connectTo, newPostgres } from '../../../../harness/database.ts'
import { databaseEnv } from '../../../../harness/home.ts'
import { fillStore, newFile, withStore } from './sample-store.ts'

function copy(from: string, to: string) {
  const { signal } = new AbortController()
  return copyStore({ ...{ from, to, location: from, env: databaseEnv(), signal }, onProgress: () => {} })
}

test('a copy waits for the end of a transaction that PostgreSQL still has of one that was killed', async () => {
  const [from, to] = [newFile('source'), await newPostgres('empty')]
  await fillStore(from, 20)
  // PostgreSQL notices the end of a client when the statement ends.
  const left = await connectTo(to)
  await left.query(`BEGIN; SELECT pg_advisory_xact_lock(${SCHEMA_LOCK}); CREATE TABLE contacts (id bigint)`)
  const again = copy(from, to)
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  // A transaction does not see connections that are made after its first look.
  const other = await connectTo(to)
  await expect.poll(async () => (await other.query(waiting)).rowCount, { timeout: 5000 }).toBe(1)
  await left.query('ROLLBACK')
  expect((await again).find(({ table }) => table === 'contacts')?.rows).toBe(21)
  await withStore(to, async () => {})
})

test.each(['PostgreSQL', 'SQLite'])('an unfinished copy to %s is not taken for one of another source', async (kind) => {
  const isFile = kind === 'SQLite'
  const [first, other] = isFile ? [await newPostgres(), await newPostgres()] : [newFile('first'), newFile('other')]
  for (const from of [first, other]) await fillStore(from, 20)
  const to = isFile ? newFile('target') : await newPostgres('empty')
  const stopped = copyStore({
    ...{ from: first, to, location: first, env: databaseEnv(), signal: AbortSignal.abort() },
    onProgress: () => {},
  })
  await expect(stopped).rejects.toThrow('aborted')
  await expect(copy(other, to)).rejects.toThrow(`is an unfinished copy of ${first}`)
  await copy(first, to)
  await withStore(to, async (store) => expect((await store.stats()).records.contact).toBe(21))
})

test('of two copies to one database at once, one ends with all rows, and the other is refused', async () => {
  const [one, two, to] = [newFile('one'), newFile('two'), await newPostgres('empty')]
  for (const from of [one, two]) await fillStore(from, 2500)
  const ends = await Promise.allSettled([copy(one, to), copy(two, to)])
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const refused = ends.find((end) => end.status === 'rejected')
  expect(refused?.reason.message).toMatch(
    /is a database of crm already|is locked by another process|is an unfinished copy of/,
  )
  await withStore(to, async (store) => expect((await store.stats()).records.contact).toBe(2501))
})
