import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome } from '../../harness/home.ts'
import { restoredMembers } from '../../harness/restored.ts'
import { serve } from '../../harness/service.ts'
import { startCrm } from '../crm.ts'

const GROUPS = 500
const KILLS = 5

test('a merge of 500 groups where emails are unique, killed five times, resumed and undone, leaves the account as it was', async () => {
  const home = emptyHome()
  await serve(['--database', ':memory:', '--rate-limit', 'none', '--unique', 'contacts.email'], home)
  const people = Array.from({ length: GROUPS * 2 }, (_, at) => {
    const number = at % GROUPS
    const hasEmail = at < GROUPS
    // The one with a company is kept: of each second group that without an email, which then takes that of its loser.
    const company = hasEmail === (number % 2 === 0) ? 'Acme' : ''
    return `Person ${number},${hasEmail ? `p${number}@x.test` : ''},${hasEmail ? '' : `+49 151 ${number}`},${company}\n`
  })
  const file = join(home.HOME, 'people.csv')
  writeFileSync(file, `name,email,phone,company\n${people.join('')}`)
  await crmPrints(['contacts', 'import', file, '--yes'], home)
  const list = async () => JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], home))
  const before = await list()
  const groups = join(home.HOME, 'groups.jsonl')
  writeFileSync(groups, await crmPrints(['contacts', 'duplicates', '--by', 'name=', '-o', 'jsonl', '-q'], home))

  const words = ['contacts', 'merge', '--from', groups, '--yes', '--expect', String(GROUPS), '--concurrency', '2']
  let killed = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const child = startCrm([...words, '-q'], home)
    const ended = once(child, 'exit')
    await expect
      .poll(async () => (await list()).length < before.length - kill * 60 || child.exitCode !== null, {
        timeout: 60_000,
      })
      .toBe(true)
    await delay(20 * kill)
    if (child.exitCode === null) killed++
    child.kill('SIGKILL')
    await ended
  }
  expect(killed).toBeGreaterThan(2)
  const { exit, stdout, stderr } = await crm([...words, '-o', 'json'], home)
  expect(exit, stderr).toBe(0)
  const { job, ...account } = JSON.parse(stdout)
  expect(account).toMatchObject({ rows: 2 * GROUPS, done: 2 * GROUPS, failed: 0, in_doubt: 0, unsent: 0 })
  const merged = await list()
  expect(merged).toHaveLength(GROUPS)
  for (const person of merged) expect(person).toMatchObject({ email: expect.any(String), phone: expect.any(String) })

  const undo = startCrm(['jobs', 'undo', job, '--yes', '--concurrency', '2', '-q'], home)
  const ended = once(undo, 'exit')
  await expect
    .poll(async () => (await list()).length > GROUPS + 20 || undo.exitCode !== null, { timeout: 60_000 })
    .toBe(true)
  undo.kill('SIGKILL')
  await ended
  await crmPrints(['jobs', 'undo', job, '--yes', '-q'], home)
  expect(restoredMembers(await list())).toEqual(restoredMembers(before))
})
