import { expect, test } from 'vitest'
import { connectTo, newPostgres, openTestStore } from '../../../harness/database.ts'
import { expectProbesOfLocked, NOBODY } from '../../locked-probe.ts'
import { serveForTest } from '../../serve-for-test.ts'

test('a service with a locked database is live but not ready, and answers within a second', async () => {
  const address = await newPostgres()
  const { send } = await serveForTest({ store: await openTestStore({ address }) })
  const other = await connectTo(address)
  await other.query('BEGIN; LOCK TABLE rate_windows IN ACCESS EXCLUSIVE MODE')
  await expectProbesOfLocked(send, () => other.query('ROLLBACK'))
})

test('a database that only reads is not ready, and its pages are still answered', async () => {
  const address = await newPostgres()
  const { send } = await serveForTest({ store: await openTestStore({ address }) })
  await send('POST', '/v1/contacts', { name: 'Ada' })
  const other = await connectTo(address)
  // As on a standby.
  await other.query(`ALTER DATABASE ${new URL(address).pathname.slice(1)} SET default_transaction_read_only = on`)
  await other.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`)
  expect((await send('GET', '/v1/contacts')).text).toContain('"Ada"')
  expect((await send('GET', '/readyz', undefined, NOBODY)).json).toMatchObject({ status: 503, code: 'not_ready' })
})
