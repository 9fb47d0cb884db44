import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crmHurried } from '../harness/crm.ts'
import type { Call, EmulatorOptions } from './emulators/emulator.ts'
import { connected, SERVERS } from './servers.ts'

type Vendor = 'pipedrive' | 'hubspot' | 'attio' | 'onepagecrm' | 'close'

async function reached(vendor: Vendor, options: EmulatorOptions = { records: 2 }) {
  const server = SERVERS.find(({ connector }) => connector === vendor)
  if (!server) throw new Error(`${vendor} is no server`)
  const { env, emulator } = await connected(server, options)
  const run = (...args: string[]) => crmHurried(args, env)
  return {
    env,
    emulator,
    run,
    json: async (...args: string[]) => {
      const { exit, stdout, stderr } = await run(...args, '-o', 'json')
      expect(exit, stderr).toBe(0)
      return JSON.parse(stdout)
    },
  }
}

describe('--dry-run', () => {
  test('shows the request of the connector, and sends none', async () => {
    const { json, emulator } = await reached('pipedrive')
    const fields = ['--set', 'name=Ada', '--set', 'email=ada@x.test', '--dry-run']
    expect(await json('contacts', 'create', ...fields)).toEqual({
      dry_run: true,
      method: 'POST',
      path: '/api/v2/persons',
      body: { name: 'Ada', emails: [{ value: 'ada@x.test', primary: true, label: 'work' }] },
    })
    expect(await json('contacts', 'update', '1', '--set', 'name=Ada', '--dry-run')).toEqual({
      id: '1',
      dry_run: true,
      method: 'PATCH',
      path: '/api/v2/persons/1',
      body: { name: 'Ada' },
      changes: { name: { from: 'Person 1', to: 'Ada' } },
    })
    expect(await json('notes', 'add', '1', '--body', 'a < b', '--dry-run')).toEqual({
      dry_run: true,
      method: 'POST',
      path: '/api/v1/notes',
      body: { deal_id: 1, content: 'a &lt; b' },
    })
    expect(emulator.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('refuses what the write would refuse', async () => {
    const { run } = await reached('pipedrive')
    const { exit, stderr } = await run('contacts', 'create', '--set', 'owner_id=ines', '--dry-run')
    expect(exit).toBe(2)
    expect(stderr).toContain('owner_id is "ines", expected a whole number (connector pipedrive)')
    expect(await run('webhooks', 'update', '1', '--url', 'https://x.test', '--dry-run')).toMatchObject({ exit: 7 })
  })
})

test('an id that no record of Pipedrive can have is not found', async () => {
  const { run, emulator } = await reached('pipedrive')
  for (const args of [
    ['contacts', 'get', 'nope'],
    ['contacts', 'update', 'nope', '--set', 'name=x'],
    ['notes', 'list', 'nope'],
  ]) {
    const { exit, stderr } = await run(...args)
    expect(exit, args.join(' ')).toBe(6)
    expect(stderr).toMatch(/^crm: there is no (?:contact|deal) "nope"\n/)
  }
  // The fields of contacts are asked for first.
  expect(emulator.requests.map(({ path }) => path)).toEqual(['/api/v2/personFields?limit=500'])
})

test('a contact of HubSpot that is created and cannot be read is printed by its id', async () => {
  const { run, emulator } = await reached('hubspot', {
    faults: ({ method, path }) => (method === 'GET' && /\/\d+$/.test(path) ? 'error-500-after' : undefined),
  })
  const { exit, stdout, stderr } = await run('contacts', 'create', '--set', 'name=Ada', '-o', 'json')
  const [{ id } = {}] = emulator.records('contacts')
  expect({ exit, record: JSON.parse(stdout) }).toEqual({ exit: 0, record: { id } })
  expect(stderr).toMatch(
    new RegExp(`^Warning: contact ${id} was created, but it cannot be shown: cannot get contact ${id}: `),
  )
  expect(emulator.effects('contacts', 'created')).toBe(1)
})

test('no description is looked for below the address of a vendor', async () => {
  const lost = {
    faults: ({ method, path }: Call) =>
      method === 'POST' && path.endsWith('/persons') ? ('lose-answer' as const) : undefined,
  }
  const { run, json, emulator } = await reached('pipedrive', { records: 2, ...lost })
  expect((await run('contacts', 'list', '--where', '.nope == 1')).exit).toBe(2)
  expect((await run('contacts', 'list', '--fields', 'nmae')).stderr).toContain('did you mean name?')
  expect((await run('deals', 'create', '--set', 'name=x', '--set', 'score=5')).exit).toBe(2)
  expect(await json('contacts', 'create', '--set', 'name=Ada')).toMatchObject({ name: 'Ada' })
  const asked = new Set(emulator.requests.map(({ path }) => path.replace(/[?].*/, '')))
  expect([...asked].toSorted()).toEqual([
    '/api/v2/dealFields',
    '/api/v2/deals',
    '/api/v2/personFields',
    '/api/v2/persons',
    '/api/v2/stages',
  ])
  expect(emulator.effects('persons', 'created')).toBe(1)
})

test('a column is not taken for a field that the connector lacks', async () => {
  const { run, env } = await reached('pipedrive')
  const plan = async (header: string) => {
    const file = join(env.HOME ?? '', 'people.csv')
    writeFileSync(file, `name,${header}\nAda,x\n`)
    return run('contacts', 'import', file, '--dry-run')
  }
  for (const header of ['compny', 'organization']) {
    const { exit, stderr } = await plan(header)
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`"${header}"; the server has no such field`)])
  }
  expect((await plan('emial')).stderr).toContain('did you mean "email"?')
})

test('a deal of Attio without its owner is refused before it is sent', async () => {
  const { run, env, emulator } = await reached('attio')
  const file = join(env.HOME ?? '', 'deals.csv')
  writeFileSync(file, 'name,stage\nOne,Lead\n')
  const plan = await run('deals', 'import', file, '--dry-run')
  expect(plan.exit).toBe(2)
  expect(plan.stderr).toContain('owner_id is absent, expected a value: the server requires it (connector attio)')
  expect(await run('deals', 'create', '--set', 'name=One', '--set', 'stage=Lead')).toMatchObject({ exit: 2 })
  expect(emulator.effects('deals', 'created')).toBe(0)
})

test('a name of one word is a name in Attio', async () => {
  const { json } = await reached('attio')
  const { id, name } = await json('contacts', 'create', '--set', 'name=Plato', '--set', 'email=plato@x.test')
  expect(name).toBe('Plato')
  expect(await json('contacts', 'update', id, '--set', 'name=Ada Lovelace')).toMatchObject({ name: 'Ada Lovelace' })
  expect(await json('contacts', 'update', id, '--set', 'name=Plato')).toMatchObject({ name: 'Plato' })
})

test('a note of Pipedrive keeps & and < as they were typed', async () => {
  const { json } = await reached('pipedrive')
  expect(await json('notes', 'list', '1')).toEqual([])
  const body = 'Fish & chips <3\n<b>not bold</b> &amp; all'
  expect(await json('notes', 'add', '1', '--body', body)).toMatchObject({ deal_id: '1', body })
  expect(await json('notes', 'list', '1')).toMatchObject([{ body }])
})

describe('deals', () => {
  test('of OnePageCRM have the name that a number has in their pipeline, and notes of their own', async () => {
    const { json, run } = await reached('onepagecrm')
    const [first] = await json('deals', 'list')
    expect(first).toMatchObject({ name: 'Deal 1', stage: 'Prospect' })
    const [, renewals] = await json('pipelines', 'list')
    const deal = [
      '--set',
      'name=Renewal',
      '--set',
      `contact_id=${first.contact_id}`,
      '--set',
      `pipeline_id=${renewals.id}`,
    ]
    const made = await json('deals', 'create', ...deal, '--set', 'stage=Proposal', '--set', 'amount:=2.5')
    expect(made).toMatchObject({ stage: 'Proposal', amount: 2.5, pipeline_id: renewals.id })
    expect(await json('deals', 'update', made.id, '--set', 'stage=Negotiation')).toMatchObject({ stage: 'Negotiation' })
    await json('notes', 'add', made.id, '--body', 'Called')
    expect(await json('notes', 'list', made.id)).toMatchObject([{ deal_id: made.id, body: 'Called' }])
    expect(await json('notes', 'list', first.id)).toEqual([])
    const long = await run('deals', 'update', made.id, '--set', `name=${'x'.repeat(61)}`)
    expect(long).toMatchObject({ exit: 2, stderr: expect.stringContaining('at most 60 characters') })
  })

  test('of Close have amounts of two decimals and a status of their pipeline', async () => {
    const { json, run, emulator } = await reached('close')
    const [sales] = await json('pipelines', 'list')
    const deal = ['--set', 'name=Big', '--set', `pipeline_id=${sales.id}`, '--set', 'stage=Demo']
    const made = await json('deals', 'create', ...deal, '--set', 'amount:=10.29')
    expect(made).toMatchObject({ name: 'Big', amount: 10.29, currency: 'USD', stage: 'Demo' })
    expect(emulator.records('opportunities').map(({ value }) => value)).toContain(1029)
    expect(await json('deals', 'update', made.id, '--set', 'stage=Won')).toMatchObject({ stage: 'Won', amount: 10.29 })
    expect(await run('deals', 'update', made.id, '--set', 'amount:=1.005')).toMatchObject({ exit: 2 })
    const hook = await json('webhooks', 'create', '--url', 'https://x.test/in', '--events', 'deal.updated')
    expect(hook).toMatchObject({ events: ['deal.updated'], secret: expect.any(String) })
  })
})
