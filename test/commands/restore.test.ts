import { join } from 'node:path'
import { expect, test } from 'vitest'
import { valuesAt } from '../../src/commands/records/restore.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { startService } from '../harness/service.ts'

async function withContact() {
  const service = await startService()
  const env = { ...service.env, CRM_STATE_HOME: join(tempFolder(), 'state') }
  const json = async (...argv: string[]) => JSON.parse(await crmPrints([...argv, '-o', 'json'], env))
  const { id } = await json('contacts', 'create', '--set', 'name=Ada', '--set', 'company=Acme', '--set', 'phone=1')
  const changed = async (...sets: string[]) => {
    await json('contacts', 'update', id, ...sets.flatMap((each) => ['--set', each]))
    return (await json('contacts', 'history', id))[0].at as string
  }
  return { env, json, id: id as string, changed }
}

test('a contact is given the values that it had at a time, by a job that can be undone', async () => {
  const { env, json, id, changed } = await withContact()
  const first = await changed('company=Orbit', 'email=ada@x.test')
  await changed('company:=null', 'phone=2')
  const at = ['--at', first]
  const plan = await crm(['contacts', 'restore', id, ...at, '--dry-run'], env)
  expect(plan).toMatchObject({ exit: 0, stdout: expect.stringMatching(/update +1/) })
  expect(plan.stderr + plan.stdout).toMatch(/phone.*2.*→.*1/)
  const unasked = await crm(['contacts', 'restore', id, ...at], env)
  expect(unasked).toMatchObject({ exit: 11, stderr: expect.stringContaining('--yes') })
  const { job } = await json('contacts', 'restore', id, ...at, '--yes')
  expect(await json('contacts', 'get', id)).toMatchObject({ company: 'Orbit', phone: '1', email: 'ada@x.test' })
  expect(await json('contacts', 'restore', id, ...at, '--yes')).toMatchObject({ rows: 1, unchanged: 1, done: 0 })
  await json('jobs', 'undo', job, '--yes')
  const now = await json('contacts', 'get', id)
  expect([now.company ?? null, now.phone]).toEqual([null, '2'])
})

test('deals are restored, too; a time before the record existed is exit 6, and one that is no time exit 2', async () => {
  const { env, json } = await withContact()
  const { id } = await json('deals', 'create', '--set', 'name=D', '--set', 'stage=Lead', '--set', 'amount:=5')
  const [{ at }] = await json('deals', 'history', id)
  await json('deals', 'update', id, '--set', 'stage=Won', '--set', 'amount:=7')
  await json('deals', 'restore', id, '--at', at, '--yes')
  expect(await json('deals', 'get', id)).toMatchObject({ stage: 'Lead', amount: 5 })
  const before = await crm(['deals', 'restore', id, '--at', '2h', '--yes'], env)
  expect(before).toMatchObject({ exit: 6, stderr: expect.stringContaining('did not exist then') })
  expect((await crm(['deals', 'restore', id, '--at', 'yesterday'], env)).exit).toBe(2)
})

test('a server without a history is exit 7, and names what this machine knows', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 404, { error: 'no' }))
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789', CRM_CONNECTOR: 'contract' })
  const refused = await crm(['contacts', 'restore', 'con_1', '--at', '2h'], env)
  expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining('keeps no history of contacts') })
  expect(seen).toEqual([])
})

const CHANGE = { at: '2026-03-01T00:00:00Z', action: 'updated', fields: ['name'], old: { name: 'A' } }

async function valuesIn(changes: readonly object[], at: string) {
  async function* pages() {
    yield { items: changes as never, nextCursor: undefined }
  }
  return valuesAt(pages(), { atMs: Date.parse(at), resource: 'contact', id: 'con_1' })
}

test('a history that was pruned before the time is refused, unless its oldest change follows none since', async () => {
  const pruned = { ...CHANGE, previous_at: '2026-02-01T00:00:00Z' }
  expect(await valuesIn([pruned], '2026-02-15T00:00:00Z')).toEqual({ name: 'A' })
  const refusal =
    /does not reach 2026-01-15T00:00:00.000Z for contact con_1: the oldest change that it keeps is of 2026-03-01/
  await expect(valuesIn([pruned], '2026-01-15T00:00:00Z')).rejects.toThrow(refusal)
  await expect(valuesIn([], '2026-01-15T00:00:00Z')).rejects.toThrow('it keeps no change of it')
  const erased = { ...CHANGE, old: null, previous_at: '2026-01-01T00:00:00Z' }
  await expect(valuesIn([erased], '2026-02-15T00:00:00Z')).rejects.toThrow('does not reach')
})
