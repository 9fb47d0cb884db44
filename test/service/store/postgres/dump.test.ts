import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { tempFolder } from '../../../harness/home.ts'
import { createDatabase, dropDatabase } from '../../../harness/postgres/databases.ts'
import { findPrograms } from '../../../harness/postgres/programs.ts'
import { creation } from '../samples.ts'

const run = promisify(execFile)

test('a copy by pg_dump and pg_restore has the records and answers, and later ids', async () => {
  const server = inject('postgres')
  const [from, to] = [await createDatabase(server), await createDatabase(server)]
  onTestFinished(async () => {
    for (const address of [from, to]) await dropDatabase(server, address)
  })
  const store = await openStore({ address: from, now: Date.now })
  const keyed = creation('contact', { name: 'Ada' }, { idempotency: { key: 'k', fingerprint: 'f' } })
  await store.write(keyed)
  const programs = findPrograms()
  const file = join(tempFolder(), 'crm.dump')
  // While the service runs, as the user of the service.
  await run(programs.pathOf('pg_dump'), ['--format=custom', '--file', file, from])
  await store.write(creation('contact', { name: 'Grace' }))
  await run(programs.pathOf('pg_restore'), ['--single-transaction', '--no-owner', '--dbname', to, file])
  const restored = await openStore({ address: to, now: Date.now })
  onTestFinished(async () => {
    await store.close()
    await restored.close()
  })
  const page = { limit: 10, olderThanId: undefined }
  const before = (await restored.page('contact', page)).texts
  expect(before).toEqual((await store.page('contact', page)).texts.slice(1))
  expect(await restored.write(keyed)).toHaveProperty('type', 'replayed')
  await restored.write(creation('contact', { name: 'Alan' }))
  expect((await restored.page('contact', page)).texts.slice(1)).toEqual(before)
})
