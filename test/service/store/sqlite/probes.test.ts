import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { expectProbesOfLocked, NOBODY } from '../../locked-probe.ts'
import { serveForTest } from '../../serve-for-test.ts'
import { temporaryFolder } from '../temporary-folder.ts'

async function serveBesideOther() {
  const file = join(await temporaryFolder(), 'crm.db')
  const { send } = await serveForTest({ store: await openStore({ address: file, now: Date.now }) })
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  return { send, other }
}

test('a service with a locked database is live but not ready, and answers within a second', async () => {
  const { send, other } = await serveBesideOther()
  other.exec('BEGIN IMMEDIATE')
  await expectProbesOfLocked(send, () => other.exec('ROLLBACK'))
})

test('repeated probes write at most once a second', async () => {
  const { send, other } = await serveBesideOther()
  const version = () => other.prepare('PRAGMA data_version').get()?.data_version as number
  const before = version()
  for (let n = 0; n < 50; n++) await send('GET', '/readyz', undefined, NOBODY)
  expect(version() - before).toBeLessThanOrEqual(1)
})
