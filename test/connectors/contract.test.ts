import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import { claimAll, personRows } from './claims.ts'
import { connected, reaching, SERVERS } from './servers.ts'

describe.each(SERVERS)('$connector', (server) => {
  claimAll(reaching(server))

  test('a job waits for the rate limit, and every row is done once', async () => {
    const { env, contacts } = await connected(server, { rate: { requests: 40, perMs: 1000 } })
    const file = join(env.HOME ?? '', 'people.csv')
    writeFileSync(file, personRows([], 100))
    await crmPrints(['contacts', 'import', file, '--yes'], env)
    expect(contacts()).toHaveLength(100)
  })
})
