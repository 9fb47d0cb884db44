import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSharedBudget } from '../../../src/jobs/send/run-on-server.ts'
import { tempFolder } from '../../files/temp-folder.ts'

async function openFor(home: string, account: string, perSecond: number | undefined) {
  const options = { home, account, pid: process.pid, wallMs: Date.now, perSecond: () => perSecond }
  const budget = await openSharedBudget(options)
  onTestFinished(() => budget.close())
  return budget
}

test('a process that starts knows the rate that another one of the account has observed', async () => {
  const home = await tempFolder()
  await openFor(home, 'http://crm.test', 12.5)
  expect(await openFor(home, 'http://crm.test', undefined)).toMatchObject({ processes: 2, perSecond: 12.5 })
  expect(await openFor(home, 'http://other.test', undefined)).toMatchObject({ processes: 1, perSecond: undefined })
})

test('a process whose file was not written for five seconds has ended, and its file is deleted', async () => {
  const home = await tempFolder()
  await openFor(home, 'http://crm.test', undefined)
  const [account = ''] = readdirSync(join(home, 'pace'))
  const stale = join(home, 'pace', account, '1-killed')
  writeFileSync(stale, '{}')
  utimesSync(stale, Date.now() / 1000 - 6, Date.now() / 1000 - 6)
  expect(await openFor(home, 'http://crm.test', undefined)).toMatchObject({ processes: 2 })
  expect(existsSync(stale)).toBe(false)
})
