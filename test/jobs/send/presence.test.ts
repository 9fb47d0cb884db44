import { expect, onTestFinished, test } from 'vitest'
import { openPresence } from '../../../src/jobs/send/presence.ts'
import { tempFolder } from '../../files/temp-folder.ts'

async function present(home: string, account: string, felt: number | undefined) {
  const presence = await openPresence({ home, account, pid: process.pid, wallMs: Date.now, felt: () => felt })
  onTestFinished(() => presence.close())
  return presence
}

test('a process that begins knows the rate that another one of the account has felt', async () => {
  const home = await tempFolder()
  await present(home, 'http://crm.test', 12.5)
  expect(await present(home, 'http://crm.test', undefined)).toMatchObject({ processes: 2, feltPerSecond: 12.5 })
  expect(await present(home, 'http://other.test', undefined)).toMatchObject({ processes: 1, feltPerSecond: undefined })
})
