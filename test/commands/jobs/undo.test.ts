import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { all, ask } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

/** A service, and three contacts that one import has made; `job` is the last one. */
async function startWithThree() {
  const folder = tempFolder()
  const service = await startService()
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  await runJob(['contacts', 'import', writePeople(folder, somePeople(3)), '--yes'], env)
  const contacts = async () =>
    (await all(service, '/v1/contacts')).sort((a, b) => (`${a.email}` < `${b.email}` ? -1 : 1))
  const lastJob = async () => (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')[0] ?? ''
  const patch = (id: unknown, body: Record<string, unknown>) =>
    ask(service, { method: 'PATCH', path: `/v1/contacts/${id}`, body })
  return { service, env, contacts, lastJob, patch }
}

test('the undo of an import deletes its records, and names those that it left because they were changed since', async () => {
  const { env, contacts, lastJob, patch } = await startWithThree()
  const [first] = await contacts()
  await patch(first?.id, { phone: '1' })
  const undone = await runJob(['jobs', 'undo', await lastJob(), '--yes', '--expect', '2'], env)
  expect(undone).toMatchObject({ exit: 3, account: { rows: 3, done: 2, skipped: 1 } })
  expect(undone.stderr).toContain('2 of 3 were reverted: 1 changed since')
  expect(undone.stderr).toContain(String(first?.id))
  expect(await contacts()).toMatchObject([{ id: first?.id, phone: '1' }])
})

test('the undo of an update restores the members that still have the written values, and no others', async () => {
  const { env, contacts, lastJob, patch } = await startWithThree()
  await crmPrints(['contacts', 'update', '--where', 'true', '--set', 'company=Acme', '--yes', '--expect', '3'], env)
  const job = await lastJob()
  const [first, second] = await contacts()
  await patch(first?.id, { company: 'Elsewhere' })
  await patch(second?.id, { phone: '1' })
  const undone = await runJob(['jobs', 'undo', job, '--yes'], env)
  expect(undone).toMatchObject({ exit: 3, account: { rows: 3, done: 2, skipped: 1 } })
  expect(undone.stderr).toContain(String(first?.id))
  const [conflict, other, untouched] = await contacts()
  expect(conflict).toMatchObject({ company: 'Elsewhere' })
  expect(other).toMatchObject({ phone: '1' })
  expect([other?.company ?? null, untouched?.company ?? null]).toEqual([null, null])
})

test('an undo that reverted nothing is planned again once the records are as the job left them', async () => {
  const { env, contacts, lastJob, patch } = await startWithThree()
  const [first] = await contacts()
  const where = `.id == "${first?.id}"`
  await crmPrints(['contacts', 'update', '--where', where, '--set', 'company=Acme', '--yes', '--expect', '1'], env)
  const job = await lastJob()
  await patch(first?.id, { company: 'Elsewhere' })
  const undo = () => runJob(['jobs', 'undo', job, '--yes'], env)
  expect((await undo()).stderr).toContain('nothing was reverted: 1 changed since')
  await patch(first?.id, { company: 'Acme' })
  expect(await undo()).toMatchObject({ exit: 0, account: { rows: 1, done: 1 } })
  expect((await contacts())[0]?.company ?? null).toBe(null)
  expect((await undo()).stderr).toContain('has already done this')
})

test('deleted contacts are restored under new ids with their values, and the delete states that beforehand', async () => {
  const { env, contacts, lastJob } = await startWithThree()
  const before = await contacts()
  const asked = await crm(['contacts', 'delete', '--where', 'true', '--dry-run'], env)
  expect(asked.stderr).toMatch(/another id|new id/)
  await crmPrints(['contacts', 'delete', '--where', 'true', '--yes', '--expect', '3'], env)
  expect(await contacts()).toEqual([])
  expect((await runJob(['jobs', 'undo', await lastJob(), '--yes'], env)).exit).toBe(0)
  const after = await contacts()
  const said = (list: Record<string, unknown>[]) => list.map(({ email, name }) => ({ email, name }))
  expect(said(after)).toEqual(said(before))
  expect(after.some(({ id }) => before.some((one) => one.id === id))).toBe(false)
})

test('a conflict shows its three values, in the table and for programs', async () => {
  const { env, contacts, lastJob, patch } = await startWithThree()
  await crmPrints(['contacts', 'update', '--where', 'true', '--set', 'company=Acme', '--yes', '--expect', '3'], env)
  const job = await lastJob()
  const [first] = await contacts()
  await patch(first?.id, { company: 'Elsewhere' })
  const sides = { id: first?.id, code: 'conflict', field: 'company', was: null, wrote: 'Acme', now: 'Elsewhere' }
  const plan = JSON.parse(await crmPrints(['jobs', 'undo', job, '--dry-run', '-o', 'json'], env))
  expect(plan.left_out).toMatchObject([sides])
  expect(await crmPrints(['jobs', 'undo', job, '--dry-run'], env)).toMatch(
    /conflict +company +changed since, or not kept by the server +Acme +Elsewhere/,
  )
  await runJob(['jobs', 'undo', job, '--yes'], env)
  const kept = await crmPrints(['jobs', 'failed', await lastJob(), '--skipped', '-o', 'json'], env)
  expect(JSON.parse(kept)).toMatchObject([sides])
})

test('an undo can be undone', async () => {
  const { env, contacts, lastJob } = await startWithThree()
  await crmPrints(['contacts', 'update', '--where', 'true', '--set', 'company=Acme', '--yes', '--expect', '3'], env)
  await runJob(['jobs', 'undo', await lastJob(), '--yes'], env)
  await runJob(['jobs', 'undo', await lastJob(), '--yes'], env)
  expect((await contacts()).map(({ company }) => company)).toEqual(['Acme', 'Acme', 'Acme'])
})

test('records that the server cannot revert are named with their ids', async () => {
  const { service, env: own } = await startWithThree()
  const env = { ...own, CRM_CONNECTOR: 'contract' }
  const lastJob = async () => (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')[0] ?? ''
  const file = join(tempFolder(), 'deals.jsonl')
  writeFileSync(file, '{"name":"Engine","stage":"Lead"}\n')
  expect((await runJob(['deals', 'import', file, '--yes'], env)).exit).toBe(0)
  const [deal] = await all(service, '/v1/deals')
  const job = await lastJob()
  const undone = await runJob(['jobs', 'undo', job, '--yes'], env)
  expect(undone).toMatchObject({ exit: 3, account: { rows: 1, done: 0, skipped: 1 } })
  expect(undone.stderr).toContain(String(deal?.id))
  expect(undone.stderr).toMatch(/nothing was reverted: 1 cannot be reverted.*crm jobs failed job_\w+ --skipped/)
  // Once more it says the same, and the job does not count as undone.
  expect(await runJob(['jobs', 'undo', job, '--yes'], env)).toMatchObject({ exit: 3 })
  expect(JSON.parse(await crmPrints(['jobs', 'show', job, '-o', 'json'], env)).undone_by).toBe(null)
})
