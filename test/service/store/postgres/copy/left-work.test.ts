import { expect, test } from 'vitest'
import type { CopyProgress } from '../../../../../src/service/store/copy/copy-rows.ts'
import { copyStore } from '../../../../../src/service/store/open-store.ts'
import { connectTo, newPostgres } from '../../../../harness/database.ts'
import { databaseEnv } from '../../../../harness/home.ts'
import { fillStore, newFile, withStore } from './sample-store.ts'

/** Ends a copy as a kill does. */
async function copyUntil(from: string, to: string, isEnd: (progress: CopyProgress) => boolean): Promise<void> {
  const interruption = new AbortController()
  const copying = copyStore({
    ...{ from, to, location: from, env: databaseEnv(), signal: interruption.signal },
    onProgress: (progress) => {
      if (isEnd(progress)) interruption.abort(new Error('stopped'))
    },
  })
  await expect(copying).rejects.toThrow('stopped')
}

test.each([
  [
    'makes an index',
    ({ done, total }: CopyProgress) => done === total,
    'CREATE INDEX IF NOT EXISTS deals_by_name ON deals (name, (-id))',
  ],
  // There are no API keys.
  ['writes the last rows', () => true, `UPDATE crm_copy SET place = '{"table":"api_keys","after":null}'`],
])('a copy goes on while PostgreSQL still %s for one that was killed', async (_, isEnd, statement) => {
  const [from, to] = [newFile('source'), await newPostgres('empty')]
  await fillStore(from, 20)
  await copyUntil(from, to, isEnd)
  // PostgreSQL notices the end of a client when the statement ends.
  const left = await connectTo(to)
  await left.query(`BEGIN; ${statement}`)
  const again = copyStore({
    ...{ from, to, location: from, env: databaseEnv(), signal: new AbortController().signal },
    onProgress: () => {},
  })
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  // A transaction does not see connections that are made after its first look.
  const other = await connectTo(to)
  await expect.poll(async () => (await other.query(waiting)).rowCount, { timeout: 5000 }).toBe(1)
  await left.query('COMMIT')
  expect((await again).find(({ table }) => table === 'contacts')?.rows).toBe(21)
  await withStore(to, async () => {})
})
