import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { memoryDatabase, newDatabase } from '../harness/database.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { all, ask } from '../harness/records.ts'
import { serve, startService } from '../harness/service.ts'

describe('serve --log', () => {
  const ENTRY = { level: 'info', event: 'request', method: 'GET', route: '/v1/contacts', path: '/v1/contacts' }

  test('json is a line a request with ids to look up by, and neither key nor query', async () => {
    const service = await startService(['--log', 'json'])
    await ask(service, { path: '/v1/contacts?limit=3', headers: { 'x-request-id': 'r-1' } })
    await ask(service, { path: '/v1/contacts?api_key=topsecret', headers: { 'x-request-id': 'r-2' } })
    await service.stop()
    const lines = service
      .said()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    const entries = lines.map((line) => JSON.parse(line))
    const [first, second] = entries.filter(({ event }) => event === 'request')
    expect(service.said().trimEnd().split('\n')).toEqual(lines)
    expect(entries.at(-1)).toMatchObject({ level: 'info', event: 'note', message: 'crm serve has stopped.' })
    expect(first).toEqual({
      ...ENTRY,
      time: expect.stringMatching(/^20.*Z$/),
      request_id: 'r-1',
      status: 200,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      key_id: expect.stringMatching(/^key_/),
    })
    expect(second).toMatchObject({ ...ENTRY, request_id: 'r-2', status: 400 })
    expect(service.said()).not.toMatch(/topsecret|limit=3/)
    expect(service.said()).not.toContain(service.key)
  })

  test('text has the same content, with foreign text escaped', async () => {
    const service = await startService(['--log', 'text'])
    await ask(service, { path: '/v1/contacts' })
    await ask(service, { path: '/no%20such%1b[31m' })
    await service.stop()
    expect(service.said()).toMatch(
      /^20\S+Z info request request_id=req_\S+ method=GET route=\/v1\/contacts path=\/v1\/contacts status=200 ms=\S+ bytes=\d+ key_id=key_\S+$/m,
    )
    expect(service.said()).toMatch(/path=\/no%20such%1b\[31m status=404/)
  })

  test('is silent about requests unless it is asked for', async () => {
    const service = await startService()
    await ask(service, { path: '/v1/contacts' })
    await service.stop()
    expect(service.said()).not.toMatch(/request/)
  })
})

describe('serve --seed', () => {
  const SEED = {
    contacts: [{ name: 'Ada', vip: true }, { name: 'Bea' }],
    deals: [{ name: 'Big', stage: 'Lead', amount: 5, notes: [{ body: 'one' }, { content: 'two' }] }],
  }

  test('loads records into a database that has none, and leaves one that has some alone', async () => {
    const folder = tempFolder()
    const file = join(folder, 'seed.json')
    writeFileSync(file, JSON.stringify(SEED))
    const args = ['--database', await newDatabase(), '--seed', file]
    const first = await startService(args)
    expect(first.said()).toContain(`Loaded 2 contacts, 1 deal, 2 notes, 0 companies and 0 tasks from ${file}.`)
    const contacts = await all(first, '/v1/contacts')
    expect(contacts).toMatchObject([{ name: 'Bea' }, { name: 'Ada', vip: true }])
    expect(await all(first, '/v1/deals')).toMatchObject([{ name: 'Big', pipeline_id: 'sales', amount: 5 }])
    await first.stop()
    const again = await serve(args, emptyHome())
    expect(again.said()).toContain('was not loaded')
    expect(await all({ ...first, url: again.url }, '/v1/contacts')).toEqual(contacts)
  })

  test.each([
    ['contacts[1]: name: expected a string or null, got 5', { contacts: [{ name: 'a' }, { name: 5 }] }],
    ['deals[0]: stage: expected one of', { deals: [{ name: 'x', stage: 'Nope' }] }],
    ['deals[0].notes[0]: body: required', { deals: [{ name: 'x', stage: 'Lead', notes: [{}] }] }],
    ['the file: has people, expected contacts, companies, tasks, and deals', { people: [] }],
    ['contacts[0]: company_id: there is no record comp_0', { contacts: [{ company_id: 'comp_0abcdefghjk' }] }],
    ['contacts: is not a list', { contacts: {} }],
  ])('says %s, and loads nothing', async (what, seed) => {
    const args = ['serve', '--database', await memoryDatabase(), '--port', '0', '--seed', '-']
    const { exit, stderr } = await crm(args, emptyHome(), JSON.stringify(seed))
    expect(exit).toBe(2)
    expect(stderr).toContain(`crm: --seed: ${what}`)
  })
})

test('serve stats counts what a database holds while a service runs on it', async () => {
  const database = await newDatabase()
  const service = await startService(['--database', database])
  await ask(service, { method: 'POST', path: '/v1/webhooks', body: { url: 'http://127.0.0.1:1/', events: ['*'] } })
  const headers = { 'idempotency-key': 'k' }
  await ask(service, { method: 'POST', path: '/v1/contacts', body: { name: 'Ada' }, headers })
  const stats = JSON.parse(await crmPrints(['serve', 'stats', '--database', database, '-o', 'json'], service.env))
  expect(stats).toMatchObject({
    contacts: 1,
    deals: 0,
    webhooks_enabled: 1,
    webhooks_disabled: 0,
    keys_live: 1,
    deliveries_open: 1,
    idempotency_keys: 1,
    history_entries: 1,
    oldest_history_at: expect.stringMatching(/^20/),
    fixture_runs: 0,
    oldest_open_event_at: expect.stringMatching(/^20/),
  })
  expect(stats.size_bytes).toBeGreaterThan(10_000)
})
