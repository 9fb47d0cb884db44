import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { announceListener, runningListeners } from '../../src/settings/running-listeners.ts'
import { tempFolder } from '../harness/home.ts'

const LISTENER = {
  url: 'http://127.0.0.1:4242/',
  subscriptionId: 'wh_1',
  secretFile: undefined,
  forwards: ['http://localhost:3000/'],
}

test('a listener is found until it ends; one whose process is gone is not, and its file is removed', async () => {
  const env = { CRM_STATE_HOME: tempFolder() }
  expect(await runningListeners(env)).toEqual([])
  const announced = await announceListener(env, LISTENER)
  const folder = join(env.CRM_STATE_HOME, 'listeners')
  const gone = { owner: { pid: 2 ** 22 + 1, startedAtMs: 1, mark: '' }, ...LISTENER, url: 'http://127.0.0.1:1/' }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '9-1.json'), JSON.stringify(gone), { mode: 0o600 })
  expect(await runningListeners(env)).toEqual([LISTENER])
  await announced.end()
  expect([await runningListeners(env), readdirSync(folder)]).toEqual([[], []])
})
