import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'

interface Deal {
  readonly id: string
  readonly name?: string
  readonly stage?: string
  readonly amount?: number | null
  readonly owner_id?: string | null
  readonly created_at?: string
  readonly notes?: readonly string[]
}

/** Undefined for a request that the server refuses. */
type Choose = (query: URLSearchParams) => readonly Deal[] | undefined

const DEALS: readonly Deal[] = [
  { id: 'd1', name: 'Ada', stage: 'Won', amount: 5, owner_id: 'u1', created_at: '2026-01-01T10:00:00Z' },
  { id: 'd2', name: 'Ada Ltd', stage: 'Lost', amount: 50, owner_id: 'u1', created_at: '2026-03-01T10:00:00Z' },
  { id: 'd3', name: 'Bob', stage: 'Lost', amount: null, owner_id: 'u1', created_at: '2026-05-01T10:00:00Z' },
]

const ignoring: Choose = () => DEALS

async function startForeign(choose: Choose) {
  const { url, seen } = await startServer((response, { path }) => {
    const { pathname, searchParams } = new URL(path, 'http://server')
    const data = pathname === '/v1/deals' ? choose(searchParams) : undefined
    if (data) sendJson(response, 200, { data, total: data.length, next_cursor: null })
    else sendJson(response, pathname === '/v1/deals' ? 400 : 404, { error: 'no' })
  })
  const folder = tempFolder(onTestFinished)
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789', CRM_STATE_HOME: join(folder, 'state') })
  const lists = () => seen.filter(({ path }) => path.startsWith('/v1/deals?')).length
  return { folder, lists, run: (...argv: string[]) => crm(argv, env) }
}

describe('a filter that a record contradicts is exit 7, without another request', () => {
  const where = 'crm deals list --where \'.stage == "Won"\''
  const says = 'does not apply the filter stage: the stage of deal d2 is "Lost"'

  test('deals list prints its rows, and --summary its groups', async () => {
    const { run, lists } = await startForeign(ignoring)
    const list = await run('deals', 'list', '--filter', 'stage=won', '-o', 'id')
    expect(list).toMatchObject({ exit: 7, stdout: 'd1\nd2\nd3\n', stderr: expect.stringContaining(says) })
    expect(lists()).toBe(1)
    const summary = await run('deals', 'list', '--filter', 'stage=Won', '--summary', 'stage', '-o', 'csv')
    expect(summary).toMatchObject({ exit: 7, stderr: expect.stringContaining(where) })
    expect(summary.stdout).toContain('Lost,2')
  })

  test('deals export leaves no file, and fixtures export prints nothing', async () => {
    const { run, folder } = await startForeign(ignoring)
    const file = join(folder, 'won.csv')
    const exported = await run('deals', 'export', file, '--filter', 'stage=Won')
    expect(exported).toMatchObject({ exit: 7, stderr: expect.stringContaining(says) })
    expect(existsSync(file)).toBe(false)
    const fixtures = await run('fixtures', 'export', '--deals', 'stage=Won')
    expect(fixtures).toMatchObject({ exit: 7, stdout: '', stderr: expect.stringContaining(`--deals stage=Won: `) })
  })

  test.for([
    { filter: 'amount[gte]=10', says: 'the amount of deal d1 is 5', next: "'.amount >= 10'" },
    { filter: 'amount[lte]=10', says: 'the amount of deal d2 is 50', next: "'.amount <= 10'" },
    { filter: 'created_since=2026-02-01T00:00:00Z', says: 'the created_at of deal d1', next: '(.created_at | age) <=' },
    { filter: 'created_until=2026-02-01', says: 'the created_at of deal d2', next: '(.created_at | age) >=' },
  ])('$filter', async ({ filter, says, next }) => {
    const { run } = await startForeign(ignoring)
    const { exit, stderr } = await run('deals', 'list', '--filter', filter)
    expect({ exit, stderr }).toMatchObject({ exit: 7, stderr: expect.stringContaining(says) })
    expect(stderr).toContain(next)
  })
})

test('a list of crm serve needs no other request to show that its filters are applied', async () => {
  const service = await serveForTest()
  await service.send('POST', '/v1/deals', { name: 'One', stage: 'Lead', amount: 10 })
  await service.send('POST', '/v1/deals', { name: 'Two', stage: 'Won', amount: 20 })
  const env = emptyHome({ CRM_BASE_URL: service.url, CRM_API_KEY: service.key.text })
  const flags = ['stage=Won', 'amount[gte]=20', 'amount[lte]=20', 'name=Two', 'created_since=2020-01-01T00:00:00Z']
  const argv = ['deals', 'list', '--debug', ...flags.flatMap((filter) => ['--filter', filter])]
  const { exit, stderr } = await crm(argv, env)
  expect({ exit, requests: stderr.match(/GET \S*\/v1\/deals/g)?.length }).toEqual({ exit: 0, requests: 1 })
})
