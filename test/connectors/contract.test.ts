import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import { claimAll, personRows, REFUSAL_IN_2XX, skipAbsent } from './claims.ts'
import type { EmulatorOptions } from './emulators/emulator.ts'
import { connected, reaching, SERVERS } from './servers.ts'

describe.each(SERVERS)('$connector', (server) => {
  const claimed = reaching(server)
  claimAll(claimed)

  test(REFUSAL_IN_2XX, async (context) => {
    skipAbsent(context, claimed.absences.refusalIn2xx)
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
})
