import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { type ConnectedServer, connected, SERVERS } from './servers.ts'

// crm shows one of several addresses; a contact is found by each of them.

/** Gives the first contact a second address. */
const SECOND: Readonly<Record<string, string>> = {
  pipedrive: 'emails:=[{"value":"a@x.test","primary":true},{"value":"b@x.test"}]',
  attio: 'email_addresses:=["a@x.test","b@x.test"]',
  onepagecrm: 'emails:=[{"type":"work","value":"a@x.test"},{"type":"home","value":"b@x.test"}]',
  close: 'emails:=[{"email":"a@x.test","type":"office"},{"email":"b@x.test","type":"home"}]',
}

async function withTwo(server: (typeof SERVERS)[number]): Promise<ConnectedServer & { id: string }> {
  const there = await connected(server, { records: 2 })
  const [{ id }] = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], there.env))
  await crmPrints(['contacts', 'update', '--set', SECOND[server.connector] ?? '', '--', id], there.env)
  return { ...there, id }
}

async function importRows(there: ConnectedServer, text: string) {
  const file = join(there.env.HOME ?? '', 'people.csv')
  writeFileSync(file, text)
  return crm(['contacts', 'import', file, '--match', 'email', '--yes', '-o', 'json'], there.env)
}

const SEVERAL = SERVERS.filter(({ connector }) => SECOND[connector] !== undefined)

describe.each(SEVERAL)('$connector', (server) => {
  test('a row with the second address changes its contact, and keeps both addresses', async () => {
    const there = await withTwo(server)
    const { stdout, stderr } = await importRows(there, 'name,email\nAda Second,B@x.test\n')
    expect(JSON.parse(stdout), stderr).toMatchObject({ done: 1 })
    expect(there.contacts()).toHaveLength(2)
    expect(there.emulator.effects(server.contacts, 'created')).toBe(0)
    const shown = JSON.parse(await crmPrints(['contacts', 'get', '-o', 'json', '--', there.id], there.env))
    expect(shown).toMatchObject({ name: 'Ada Second', email: 'a@x.test' })
    expect(JSON.stringify(shown)).toContain('b@x.test')
  })

  test('two rows with the two addresses of one contact are refused', async () => {
    const there = await withTwo(server)
    const { exit, stderr } = await importRows(there, 'name,email\nAda One,a@x.test\nAda Two,b@x.test\n')
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`matches ${there.id}, as line 2 does`)])
  })
})
