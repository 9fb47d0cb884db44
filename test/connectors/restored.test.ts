import { expect, test } from 'vitest'
import { crm, crmPrints, startRun } from '../harness/crm.ts'
import { hurriedTiming } from '../harness/hurried-timing.ts'
import type { EmulatorOptions } from './emulators/emulator.ts'
import { screenAt } from './screen-at.ts'
import { type ConnectedServer, connected, SERVERS } from './servers.ts'

const [PIPEDRIVE] = SERVERS.filter(({ connector }) => connector === 'pipedrive')

async function pipedrive(options: EmulatorOptions = {}): Promise<ConnectedServer> {
  if (!PIPEDRIVE) throw new Error('there is no emulator of Pipedrive')
  return connected(PIPEDRIVE, { records: 3, ...options })
}

const dealIds = ({ emulator }: ConnectedServer) => emulator.records('deals').map(({ id }) => id)

async function jobOf({ env }: ConnectedServer, ...args: readonly string[]) {
  return JSON.parse(await crmPrints([...args, '--yes', '-o', 'json'], env))
}

const DELETION = ['deals', 'delete', '--where', '.id != "2"', '--expect', '2'] as const

test('the undo of a deletion restores records under their ids, and its undo deletes them again', async () => {
  const there = await pipedrive()
  const listing = ['deals', 'list', '--fields', 'id,name,stage,amount,created_at', '-o', 'json']
  const before = await crmPrints(listing, there.env)
  const { stderr, stdout } = await crm([...DELETION, '--yes', '-o', 'json'], there.env)
  expect(stderr).toContain('Deleted records can be restored with crm jobs undo')
  expect(dealIds(there)).toEqual([2])
  const undo = await jobOf(there, 'jobs', 'undo', JSON.parse(stdout).job)
  expect(undo).toMatchObject({ done: 2 })
  expect(await crmPrints(listing, there.env)).toBe(before)
  expect(there.emulator.effects('deals', 'created')).toBe(0)
  await jobOf(there, 'jobs', 'undo', undo.job, '--expect', '2')
  expect(dealIds(there)).toEqual([2])
})

test('on the screens u names the deleted records, and restores them under their ids', async () => {
  const there = await pipedrive()
  const before = dealIds(there)
  const { ui, rows, overlay } = await screenAt(there, 'deals')
  ui.press('A', 'd', 'y')
  await expect.poll(() => dealIds(there)).toEqual([])
  await ui.background.underWay.settled()
  ui.press('u')
  const diff = rows.map(({ name }) => expect.objectContaining({ label: 'created', new: name }))
  await expect
    .poll(overlay)
    .toMatchObject({ title: expect.stringContaining('Undo 3 deletions (deals)'), lines: [], diff })
  ui.press('y')
  await expect.poll(() => dealIds(there)).toEqual(before)
  expect(there.emulator.effects('deals', 'created')).toBe(0)
})

test('a record that someone else has restored is left as it is', async () => {
  const there = await pipedrive()
  const { job } = await jobOf(there, ...DELETION)
  const headers = { 'x-api-token': there.emulator.key, 'content-type': 'application/json' }
  const body = JSON.stringify({ is_deleted: false })
  await fetch(`${there.emulator.url}/api/v2/deals/1`, { method: 'PATCH', headers, body })
  const { stderr } = await crm(['jobs', 'undo', job, '--yes', '-o', 'json'], there.env)
  expect(stderr).toContain('1 already as before the job')
  expect(dealIds(there)).toEqual([1, 2, 3])
})

test('a restore whose answer is lost is repeated', async () => {
  let lost = 0
  const there = await pipedrive({
    faults: ({ method }) => (method === 'PATCH' && lost++ === 0 ? 'lose-answer' : undefined),
  })
  const { job } = await jobOf(there, ...DELETION)
  expect(await jobOf(there, 'jobs', 'undo', job)).toMatchObject({ done: 2, in_doubt: 0 })
  expect(dealIds(there)).toEqual([1, 2, 3])
})

test('what the server no longer restores is created again', async () => {
  const there = await pipedrive()
  const { job } = await jobOf(there, ...DELETION)
  const timing = hurriedTiming()
  const later = { ...timing, now: () => timing.now() + 31 * 24 * 3_600_000 }
  const { exit, written } = startRun(['jobs', 'undo', job, '--yes', '-o', 'json'], there.env, { timing: later })
  expect([await exit, written.stderr]).toEqual([0, expect.stringContaining('create 2')])
  expect(dealIds(there)).toEqual([2, 4, 5])
})
