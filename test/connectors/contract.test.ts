import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { claimAll, personRows } from './claims.ts'
import type { EmulatorOptions } from './emulators/emulator.ts'
import { connected, reaching, SERVERS } from './servers.ts'

describe.each(SERVERS)('$connector', (server) => {
  claimAll(reaching(server))

  test('a refusal in a 2xx is one, for a command and for each row', async ({ skip }) => {
    if (!server.refusesIn200) skip('no answer of this vendor says in a 2xx that it is a refusal')
    const faults: EmulatorOptions['faults'] = ({ method }) => (method === 'POST' ? 'refuse-in-200' : undefined)
    const { env, contacts } = await connected(server, { faults })
    const created = await crm(['contacts', 'create', '--set', 'name=Ada Lovelace'], env)
    expect([created.exit, created.stderr]).toEqual([7, expect.stringContaining('(200)')])
    const file = join(env.HOME ?? '', 'people.csv')
    writeFileSync(file, personRows([], 5))
    const { exit, stdout } = await crm(['contacts', 'import', file, '--yes', '-o', 'json'], env)
    expect([exit, JSON.parse(stdout)]).toEqual([3, expect.objectContaining({ failed: 5, in_doubt: 0 })])
    expect(contacts()).toEqual([])
  })

  test('a job waits for the rate limit, and every row is done once', async () => {
    const { env, contacts } = await connected(server, { rate: { requests: 40, perMs: 1000 } })
    const file = join(env.HOME ?? '', 'people.csv')
    writeFileSync(file, personRows([], 100))
    await crmPrints(['contacts', 'import', file, '--yes'], env)
    expect(contacts()).toHaveLength(100)
  })
})
