import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import { personRows } from './claims.ts'
import type { EmulatorOptions } from './emulators/emulator.ts'
import { type ConnectedServer, connected, SERVERS } from './servers.ts'

const UPSERTING = SERVERS.filter(({ connector }) => ['attio', 'hubspot'].includes(connector))

interface Imported extends ConnectedServer {
  readonly importing: readonly string[]
}

/** A server with 20 contacts, and a file with the first five of them and 15 others. */
async function reach(server: (typeof SERVERS)[number], options: EmulatorOptions = {}): Promise<Imported> {
  const there = await connected(server, { records: 20, ...options })
  const file = join(there.env.HOME ?? '', 'people.csv')
  writeFileSync(
    file,
    personRows(
      Array.from({ length: 5 }, (_, n) => `Person${n + 1}@example.com`),
      20,
    ),
  )
  return { ...there, importing: ['contacts', 'import', file, '--match', 'email', '--yes', '-o', 'json'] }
}

describe.each(UPSERTING)('$connector', (server) => {
  test('an import with --match reads no list, and changes and creates each contact once', async () => {
    const { env, emulator, importing, contacts } = await reach(server)
    expect(JSON.parse(await crmPrints(importing, env))).toMatchObject({ done: 20, failed: 0, in_doubt: 0 })
    expect(contacts()).toHaveLength(35)
    expect(emulator.effects(server.contacts, 'created')).toBe(15)
    expect(emulator.effects(server.contacts, 'updated')).toBe(5)
    expect(emulator.requests.filter(({ path }) => path.includes('limit=100'))).toEqual([])
  })

  test('its undo restores what was there, and deletes what it made', async () => {
    const { env, emulator, importing, contacts } = await reach(server)
    const before = await crmPrints(['contacts', 'list', '-o', 'json'], env)
    const { job } = JSON.parse(await crmPrints(importing, env))
    const { length } = emulator.requests
    await crmPrints(['jobs', 'undo', job, '--yes', '--expect', '15'], env)
    expect(contacts()).toHaveLength(20)
    // HubSpot is asked for the records of the job: no page of the list is read, except for the one record with which a job begins.
    const lists = emulator.requests.slice(length).filter(({ path }) => path.includes('limit=100'))
    if (server.connector === 'hubspot') expect(lists).toEqual([])
    const names = (json: string) => JSON.parse(json).map(({ id, name }: Record<string, string>) => `${id} ${name}`)
    expect(names(await crmPrints(['contacts', 'list', '-o', 'json'], env))).toEqual(names(before))
  })

  test('the plan says that it asks for keys and sends upserts, and how many requests both take', async () => {
    const { env, importing } = await reach(server)
    const plan = JSON.parse(await crmPrints([...importing, '--dry-run'], env))
    const requests = server.connector === 'hubspot' ? 2 : 20
    expect(plan).toMatchObject({
      create: 15,
      update: 5,
      matched_by: 'keys',
      match_requests: 1,
      upsert: 'email',
      requests,
    })
    expect(plan).not.toHaveProperty('recheck_requests')
  })

  test('two imports of the same rows at once make each contact once', async () => {
    const { env, emulator, importing, contacts } = await reach(server)
    const other = { ...env, CRM_STATE_HOME: join(env.HOME ?? '', 'other') }
    const accounts = await Promise.all([crmPrints(importing, env), crmPrints(importing, other)])
    for (const account of accounts) expect(JSON.parse(account)).toMatchObject({ failed: 0, in_doubt: 0 })
    expect([emulator.effects(server.contacts, 'created'), contacts().length]).toEqual([15, 35])
  })
})
