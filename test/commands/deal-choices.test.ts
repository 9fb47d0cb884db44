import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints, startRun } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'

const DAY_MS = 86_400_000

/** Each deal is made in a millisecond of its own. */
async function withDeals() {
  const service = await startService()
  const ids: string[] = []
  for (const stage of ['Lead', 'Won', 'Proposal', 'Lost']) {
    ids.push(...(await make(service, '/v1/deals', [{ name: `In ${stage}`, stage, owner_id: 'u_1', amount: 10 }])))
    await setTimeout(2)
  }
  return { ...service, ids }
}

/** A run of crm at a later time. */
async function later(argv: readonly string[], env: Awaited<ReturnType<typeof withDeals>>['env'], days: number) {
  const timing = { now: () => Date.now() + days * DAY_MS, sleep: async () => {} }
  const { exit, written } = startRun(argv, env, { timing: timing as never })
  return { exit: await exit, ...written }
}

test('stale deals are open ones without a change for that long, the longest unchanged first', async () => {
  const { env, ids } = await withDeals()
  const fresh = await crm(['deals', 'stale', '--for', '90d'], env)
  expect(fresh).toMatchObject({ exit: 0, stdout: '', stderr: 'No deals.\n' })
  const stale = await later(['deals', 'stale', '--for', '90d', '-o', 'id'], env, 91)
  const stderr = 'Left out: 2 deals in a closed stage; --closed shows them.\n'
  expect(stale).toEqual({ exit: 0, stdout: `${ids[0]}\n${ids[2]}\n`, stderr })
  const all = await later(['deals', 'stale', '--for', '90d', '--closed', '-o', 'id'], env, 91)
  expect(all).toEqual({ exit: 0, stdout: ids.map((id) => `${id}\n`).join(''), stderr: '' })
  const summary = await later(['deals', 'stale', '--for', '1h', '--summary', 'owner_id', '-o', 'csv'], env, 91)
  expect(summary.stdout).toBe('owner_id,count,amount\r\nu_1,2,20\r\n')
})

test('--without notes prints the deals that have none, also sorted, summed and limited', async () => {
  const service = await withDeals()
  const { env, ids } = service
  await make(service, `/v1/deals/${ids[1]}/notes`, [{ body: 'called' }])
  const csv = (...words: string[]) => crmPrints(['deals', 'list', '--without', 'notes', ...words, '-o', 'csv'], env)
  expect(await csv('--sort', 'name', '--fields', 'name')).toBe('name\r\nIn Lead\r\nIn Lost\r\nIn Proposal\r\n')
  expect(await csv('--summary', 'owner_id')).toBe('owner_id,count,amount\r\nu_1,3,30\r\n')
  const cut = await crm(['deals', 'list', '--without', 'notes', '--limit', '1', '-o', 'id'], env)
  expect(cut).toMatchObject({ exit: 0, stdout: `${ids[3]}\n`, stderr: expect.stringContaining('--limit 2') })
})

/** A server of deals whose members are these, and of what the nine endpoints have beside them: nothing else. */
async function foreignDeals(deals: readonly Record<string, unknown>[], nextPage?: Record<string, unknown>) {
  const { url } = await startServer((response, { path }) => {
    const isDeals = new URL(path, 'http://server').pathname === '/v1/deals'
    sendJson(response, isDeals ? 200 : 404, isDeals ? { data: deals, ...nextPage } : { error: 'no' })
  })
  return emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789', CRM_CONNECTOR: 'contract' })
}

test('a server with the nine endpoints alone cannot say which deals have notes, and that is exit 7', async () => {
  const env = await foreignDeals([{ id: 'd1', name: 'A', updated_at: '2020-01-01T00:00:00Z' }], { next_cursor: null })
  const without = await crm(['deals', 'list', '--without', 'notes'], env)
  expect(without).toMatchObject({ exit: 7, stdout: '', stderr: expect.stringContaining('this server lists no notes') })
  const stale = await crm(['deals', 'stale', '--for', '90d', '-o', 'id'], env)
  const stderr = 'Whether the stage is open is not known: 1 deal.\n'
  expect(stale).toEqual({ exit: 0, stdout: 'd1\n', stderr })
})

test('deals without a time of their last change are not stale, but exit 7', async () => {
  const env = await foreignDeals([{ id: 'd1', name: 'A' }], { next_cursor: null })
  const stale = await crm(['deals', 'stale', '--for', '90d'], env)
  expect(stale).toMatchObject({ exit: 7, stdout: '', stderr: expect.stringContaining('none has updated_at') })
})

test('a list whose end is unknown is not sorted: nothing is printed, and exit 7', async () => {
  const env = await foreignDeals([{ id: 'd1', name: 'A' }], { total: 3 })
  const list = await crm(['deals', 'list', '--sort', 'name', '--limit', '1'], env)
  expect(list).toMatchObject({ exit: 7, stdout: '' })
})
