import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { connected, SERVERS } from './servers.ts'

type Vendor = 'pipedrive' | 'hubspot' | 'attio'

async function reached(vendor: Vendor, records = 2) {
  const server = SERVERS.find(({ connector }) => connector === vendor)
  if (!server) throw new Error(`${vendor} is no server`)
  const { env, emulator } = await connected(server, { records })
  return {
    env,
    emulator,
    run: (...args: string[]) => crm(args, env),
    json: async (...args: string[]) => JSON.parse(await crmPrints([...args, '-o', 'json'], env)),
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

test('a note of Pipedrive keeps & and < as they were typed', async () => {
  const { json } = await reached('pipedrive')
  expect(await json('notes', 'list', '1')).toEqual([])
  const body = 'Fish & chips <3\n<b>not bold</b> &amp; all'
  expect(await json('notes', 'add', '1', '--body', body)).toMatchObject({ deal_id: '1', body })
  expect(await json('notes', 'list', '1')).toMatchObject([{ body }])
})
