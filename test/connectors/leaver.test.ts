import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { connected, SERVERS } from './servers.ts'

const USERS: Readonly<Record<string, readonly (readonly [email: string, status?: string])[]>> = {
  pipedrive: [
    ['ada@crm.example', 'active'],
    ['bernd@crm.example', 'active'],
    ['leaver@crm.example', 'archived'],
  ],
  hubspot: [
    ['susan@crm.example', 'active'],
    ['ada@crm.example', 'active'],
    ['leaver@crm.example', 'archived'],
  ],
}

describe.each(SERVERS)('$connector', (server) => {
  test('lists its users, those who have left too', async () => {
    const { env } = await connected(server)
    const users = JSON.parse(await crmPrints(['users', 'list', '-o', 'json'], env))
    const known = USERS[server.connector]
    if (known) expect(users).toMatchObject(known.map(([email, status]) => ({ email, status })))
    expect(users[0]).toMatchObject({ id: expect.anything(), email: expect.stringContaining('@') })
  })

  test('counts what an owner has, by email', async () => {
    const { env } = await connected(server, { records: 3 })
    const [{ email, id }] = JSON.parse(await crmPrints(['users', 'list', '-o', 'json'], env))
    const deals = JSON.parse(await crmPrints(['deals', 'list', '-o', 'json'], env))
    const own = deals.filter(({ owner_id }: { owner_id: unknown }) => String(owner_id) === String(id))
    const rows = JSON.parse(await crmPrints(['report', 'owners', '--of', email.toUpperCase(), '-o', 'json'], env))
    expect(rows).toContainEqual(expect.objectContaining({ object: 'deals', records: own.length, open: own.length }))
    const wrong = await crm(['report', 'owners', '--of', email.replace('a', 'ab')], env)
    expect(wrong).toMatchObject({ exit: 2, stdout: '' })
    expect(wrong.stderr).toContain(`the nearest is ${email}`)
    expect(wrong.stderr).toContain(`crm report owners --of ${email}`)
  })
})
