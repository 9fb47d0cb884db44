import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

test('a process that was not heard of for five seconds is gone, and its file with it', async () => {
  const home = await tempFolder()
  await present(home, 'http://crm.test', undefined)
  const [account = ''] = readdirSync(join(home, 'pace'))
  const stale = join(home, 'pace', account, '1-killed')
  writeFileSync(stale, '{}')
  utimesSync(stale, Date.now() / 1000 - 6, Date.now() / 1000 - 6)
  expect(await present(home, 'http://crm.test', undefined)).toMatchObject({ processes: 2 })
  expect(existsSync(stale)).toBe(false)
})
