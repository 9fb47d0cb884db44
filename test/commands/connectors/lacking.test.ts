import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPipedrive } from '../../connectors/emulators/pipedrive.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome } from '../../harness/home.ts'

const PEOPLE = `
connector: 2
name: people
auth: { in: header, name: x-api-token, value: '{key}' }
origin: http://127.0.0.1
idempotency: none
paging: { by: cursor, param: cursor, next: additional_data.next_cursor, size: { param: limit, max: 500 } }
objects:
  contacts:
    path: /persons
    record: { id: { at: id, type: integer } }
    read_only: [first_name, last_name, picture_id, is_deleted, add_time, update_time]
    verbs:
      list: { items: 'data[]' }
      get: { record: data }
      create: { gives: data }
      update: { gives: data }
      delete: { ok: 200 }
    fields: { name: name, email: 'emails[primary=true].value', owner_id: { at: owner_id, as: integer } }
`

const DEALS_WITHOUT_STAGES = `
  deals: { like: contacts, path: /deals, fields: { name: title, amount: value } }
`

/** A server with contacts and deals, reached through a connector with contacts alone, or with deals that have no stages. */
async function startPeople() {
  const emulator = await startPipedrive({ records: 3 })
  const home = emptyHome({ CRM_BASE_URL: `${emulator.url}/api/v2`, CRM_API_KEY: emulator.key })
  const withConnector = (name: string, text: string) => {
    const path = join(home.HOME, name)
    writeFileSync(path, text)
    return { ...home, CRM_CONNECTOR: path }
  }
  const file = (name: string, text: string) => {
    writeFileSync(join(home.HOME, name), text)
    return join(home.HOME, name)
  }
  return {
    emulator,
    file,
    contactsAlone: withConnector('people.yaml', PEOPLE),
    withDeals: withConnector('people-deals.yaml', PEOPLE + DEALS_WITHOUT_STAGES),
    shipped: { ...home, CRM_CONNECTOR: 'pipedrive', CRM_CONNECTOR_VARS: 'company=acme' },
  }
}

const NO_DEALS = 'people (connector) has no deals'

test('a snapshot has what the connector has, states what it is without, and is compared without that', async () => {
  const { contactsAlone, withDeals, file } = await startPeople()
  const { exit, stdout, stderr } = await crm(['snapshot'], contactsAlone)
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: 'The snapshot does not include deals: people (connector) has no list.\n',
  })
  const lines = stdout.trimEnd().split('\n')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ crm_snapshot: 1, objects: { contact: 'contacts' } })
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ type: 'end', contacts: 3 })
  const alone = file('alone.ndjson', stdout)
  const whole = file('whole.ndjson', await crmPrints(['snapshot'], withDeals))
  const same = { exit: 0, stdout: '[]\n' }
  expect(await crm(['diff', alone, 'live', '-o', 'json'], contactsAlone)).toMatchObject(same)
  expect(await crm(['diff', whole, 'live', '-o', 'json'], contactsAlone)).toMatchObject({
    ...same,
    stderr: 'Not compared: deals, which live does not have.\nNo differences.\n',
  })
  expect(await crm(['diff', alone, whole, '-o', 'json'], contactsAlone)).toMatchObject({
    ...same,
    stderr: expect.stringContaining(`Not compared: deals, which ${alone} does not have.`),
  })
  await crmPrints(['contacts', 'update', '1', '--set', 'name=Eve', '-q', '-o', 'id'], contactsAlone)
  expect(await crm(['diff', whole, 'live'], contactsAlone)).toMatchObject({ exit: 10 })
})

test('what is asked for by name and lacks is exit 7, and nothing is written', async () => {
  const { contactsAlone, withDeals, file, emulator } = await startPeople()
  const target = file('deals.csv', 'name\nEngines\n').replace('deals.csv', 'out.csv')
  const refused = { exit: 7, stdout: '', stderr: expect.stringContaining(NO_DEALS) }
  expect(await crm(['deals', 'export', target], contactsAlone)).toMatchObject(refused)
  expect(existsSync(target)).toBe(false)
  expect(await crm(['fixtures', 'export'], contactsAlone)).toMatchObject(refused)
  expect(await crm(['fixtures', 'export', '--with', 'contacts', '--deals', 'owner_id=1'], contactsAlone)).toMatchObject(
    refused,
  )
  expect(await crm(['fixtures', 'export', '--with', 'contacts,notes'], withDeals)).toMatchObject({
    exit: 7,
    stderr: expect.stringContaining('people (connector) has no notes'),
  })
  const contacts = 'contacts: { eve: { name: Eve } }'
  const files = [
    ['deals.yaml', `version: 1\n${contacts}\ndeals: { d: { name: Engines } }\n`, contactsAlone, NO_DEALS],
    [
      'notes.yaml',
      `version: 1\n${contacts}\ndeals: { d: { name: Engines } }\nnotes: { n: { deal: '\${deals.d.id}', body: x } }\n`,
      withDeals,
      'people (connector) has no notes',
    ],
  ] as const
  for (const [name, text, env, lack] of files) {
    const fixtures = file(name, text)
    for (const verb of ['plan', 'apply']) {
      const { exit, stderr } = await crm(['fixtures', verb, fixtures, '--run-id', 'r'], env)
      expect({ exit, stderr }).toEqual({ exit: 7, stderr: expect.stringContaining(lack) })
    }
  }
  expect(emulator.records('persons')).toHaveLength(3)
})

test('contacts alone are exported as fixtures, and applied and destroyed', async () => {
  const { contactsAlone, file } = await startPeople()
  const { exit, stdout, stderr } = await crm(['fixtures', 'export', '--with', 'contacts'], contactsAlone)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: `The file is without deals: ${NO_DEALS}.\n` })
  expect(stdout).not.toContain('first_name')
  const again = file('again.yaml', stdout)
  expect(await crm(['fixtures', 'apply', again, '--run-id', 'r'], contactsAlone)).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('3 created'),
  })
  expect(await crm(['fixtures', 'destroy', again, '--run-id', 'r'], contactsAlone)).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('3 deleted'),
  })
})

test('deals need a stage only where the connector has stages', async () => {
  const { withDeals, shipped, file } = await startPeople()
  const rows = file('deals.csv', 'name\nEngines\n')
  expect(await crm(['deals', 'import', rows, '--yes'], withDeals)).toMatchObject({ exit: 0 })
  expect(await crm(['deals', 'import', rows, '--again', '--yes'], shipped)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('stage is required'),
  })
  const fixtures = file('deals.yaml', 'version: 1\ndeals: { d: { name: Engines } }\n')
  expect(await crm(['fixtures', 'apply', fixtures, '--run-id', 'r'], withDeals)).toMatchObject({ exit: 0 })
  expect(await crm(['fixtures', 'validate', fixtures], shipped)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('deals.d has no stage'),
  })
})

test('fixtures with deals are checked against the stages that the connector lists', async () => {
  const { shipped, file } = await startPeople()
  const exported = file('deals.yaml', await crmPrints(['fixtures', 'export', '--with', 'contacts,notes'], shipped))
  expect(await crm(['fixtures', 'apply', exported, '--run-id', 'r'], shipped)).toMatchObject({ exit: 0 })
  const wrong = file('wrong.yaml', 'version: 1\ndeals: { d: { name: Engines, stage: Offre } }\n')
  expect(await crm(['fixtures', 'plan', wrong, '--run-id', 'w'], shipped)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('there is no stage "Offre"; did you mean "Offer"?'),
  })
})
