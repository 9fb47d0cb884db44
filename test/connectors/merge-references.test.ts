import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { connected, SERVERS } from './servers.ts'

const CHANGEABLE = SERVERS.filter(({ connector }) => ['pipedrive', 'close'].includes(connector))

/** The words of a command that a hint names. */
const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

describe.each(CHANGEABLE)('$connector', (server) => {
  test('a merge names the deals of a loser and the command that changes them, and merges when none is left', async () => {
    const there = await connected(server, { records: 3 })
    const { env } = there
    const [winner, loser] = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env)).map(
      ({ id }: { id: unknown }) => String(id),
    )
    const { stages, others } = await server.dealFields(there)
    const members = [`name=Deal`, `stage=${stages[0]}`, `contact_id=${loser}`, ...(others ?? [])]
    const flags = members.flatMap((member) => ['--set', member])
    const deal = JSON.parse(await crmPrints(['deals', 'create', ...flags, '-o', 'json'], env))
    const merge = ['contacts', 'merge', winner, loser, '--yes', '--expect', '1']
    const refused = await crm(merge, env)
    expect(refused.exit, refused.stderr).toBe(7)
    expect(refused.stderr).toMatch(/\d deals? refers? to losers \(contact_id\), and merge changes no deals: /)
    expect(refused.stderr).toContain(`${deal.id} to ${loser}`)
    expect(there.contacts()).toHaveLength(3)
    const [, command = ''] = /crm (deals update .*?); or --losers/.exec(refused.stderr) ?? []
    expect(JSON.parse(await crmPrints([...wordsOf(command), '--yes', '-o', 'json'], env))).toMatchObject({
      failed: 0,
      in_doubt: 0,
    })
    const merged = await crm(merge, env)
    expect(merged.exit, merged.stderr).toBe(0)
    expect(merged.stderr).toContain('No deal has a loser as its contact_id.')
    expect(there.contacts()).toHaveLength(2)
    const [{ contact_id }] = JSON.parse(
      await crmPrints(['deals', 'list', '--where', `.id == ${JSON.stringify(deal.id)}`, '-o', 'json'], env),
    )
    expect(String(contact_id)).toBe(winner)
  })
})

test('where the contact of a deal cannot change, a merge names no command that would', async () => {
  const [server] = SERVERS.filter(({ connector }) => connector === 'onepagecrm')
  if (!server) throw new Error('there is no emulator of OnePageCRM')
  const { env } = await connected(server, { records: 3 })
  const [deal] = JSON.parse(await crmPrints(['deals', 'list', '-o', 'json'], env))
  const contacts: { id: string }[] = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))
  const winner = contacts.find(({ id }) => id !== deal.contact_id)?.id ?? ''
  const refused = await crm(['contacts', 'merge', winner, deal.contact_id, '--yes', '--expect', '1'], env)
  expect(refused.exit, refused.stderr).toBe(7)
  expect(refused.stderr).toContain('this server does not let the contact of a deal change')
  expect(refused.stderr).not.toContain('deals update')
})
