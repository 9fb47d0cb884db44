import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import type { Env } from '../harness/home.ts'
import { ask } from './emulators/ask.ts'
import type { Row } from './emulators/emulator.ts'
import { connected, SERVERS } from './servers.ts'

// Objects beyond contacts and deals, and the references between them.

async function reach(name: string) {
  const [server] = SERVERS.filter(({ connector }) => connector === name)
  if (!server) throw new Error(`there is no ${name}`)
  const { env, emulator } = await connected(server, { records: 3 })
  const fileOf = (file: string, lines: readonly string[]) => {
    const path = join(env.HOME ?? '', file)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  return { env, emulator, fileOf, json: async (...args: string[]) => JSON.parse(await crmPrints(args, env)) }
}

async function lastJob(env: Env): Promise<string> {
  return (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')[0] ?? ''
}

test('accounts by their own external id, contacts by the name of their account, and undone', async () => {
  const { env: plain, emulator, fileOf, json } = await reach('salesforce')
  const own = fileOf('own.yaml', [
    'connector: 2',
    'name: own',
    'extends: salesforce',
    'objects:',
    '  companies:',
    '    batch:',
    "      upsert: { method: PATCH, path: '/composite/sobjects/{object}/{by}', by: { ext_key: Key__c }, set: { attributes: { type: '{object}' } }, made: created }",
    '      read: { by: { name: Name, website: Website, ext_key: Key__c } }',
    '    fields: { name: { at: Name, required: true }, website: Website, city: BillingCity, owner_id: OwnerId, ext_key: Key__c }',
    '  deals:',
    '    batch:',
    "      upsert: { method: PATCH, path: '/composite/sobjects/{object}/{by}', by: { ext_key: Key__c }, set: { attributes: { type: '{object}' } }, made: created }",
    '      read: { by: { ext_key: Key__c } }',
    '    fields: { name: { at: Name, required: true }, stage: StageName, close_date: { at: CloseDate, type: date, required: true }, amount: { at: Amount, type: number }, company_id: { at: AccountId, type: id, to: companies }, ext_key: Key__c }',
  ])
  const env = { ...plain, CRM_CONNECTOR: own }
  const names = Array.from({ length: 250 }, (_, at) => (at === 0 ? "O'Brien & Söhne" : `Company ${at}`))
  const accounts = fileOf('accounts.csv', ['ext_key,name,city', ...names.map((name, at) => `K${at},"${name}",Bonn`)])
  await crmPrints(['companies', 'import', accounts, '--match', 'ext_key', '--yes'], env)
  expect(emulator.records('Account')).toHaveLength(250)
  await crmPrints(['companies', 'import', accounts, '--match', 'ext_key', '--yes'], env)
  expect(emulator.effects('Account', 'created')).toBe(250)

  const rows = names.map((name, at) => `O${at},Deal ${at},Prospecting,2026-12-31,${at}.5,"${name}"`)
  const opportunities = fileOf('deals.csv', ['ext_key,name,stage,close_date,amount,company.name', ...rows])
  await crmPrints(['deals', 'import', opportunities, '--match', 'ext_key', '--yes'], env)
  await crmPrints(['deals', 'import', opportunities, '--match', 'ext_key', '--yes'], env)
  expect(emulator.effects('Opportunity', 'created')).toBe(250)
  const accountIds = new Map(emulator.records('Account').map(({ Name, Id }) => [Name, Id]))
  expect(emulator.records('Opportunity').map(({ Name, AccountId }) => [Name, AccountId])).toEqual(
    expect.arrayContaining([
      ['Deal 0', accountIds.get("O'Brien & Söhne")],
      ['Deal 7', accountIds.get('Company 7')],
    ]),
  )

  const before = emulator.records('Contact').map(({ Email, AccountId = null }) => [Email, AccountId])
  const people = fileOf('people.csv', [
    'email,name,company.name',
    `person1@example.com,,"o'brien & söhne"`,
    'person2@example.com,,Company 7',
    'new@example.com,Ada New,Company 249',
  ])
  const words = ['contacts', 'import', people, '--match', 'email', '--yes']
  expect((await crm([...words, '--dry-run'], env)).stderr).toContain('(Company 7)')
  await crmPrints(words, env)
  const idOf = (name: string) => emulator.records('Account').find(({ Name }) => Name === name)?.Id
  const accountOf = (email: string) => emulator.records('Contact').find(({ Email }) => Email === email)?.AccountId
  expect(['person1@example.com', 'person2@example.com', 'new@example.com'].map(accountOf)).toEqual(
    ["O'Brien & Söhne", 'Company 7', 'Company 249'].map(idOf),
  )
  await crmPrints(['jobs', 'undo', await lastJob(env), '--yes'], env)
  expect(emulator.records('Contact').map(({ Email, AccountId = null }) => [Email, AccountId])).toEqual(before)
  expect(await json('users', 'list', '-o', 'json')).toContainEqual(
    expect.objectContaining({ email: 'admin@crm.example', status: 'active' }),
  )
})

test('ids of 15 characters, as reports of Salesforce show them, are those of 18', async () => {
  const { env, emulator, fileOf, json } = await reach('salesforce')
  const account = (await crmPrints(['companies', 'create', '--set', 'name=Acme', '-o', 'id'], env)).trim()
  const [one, two] = emulator.records('Contact').map(({ Id }) => String(Id))
  const rows = [one, two].map((id) => `${id?.slice(0, 15)},+49 1,${account.slice(0, 15)}`)
  const words = ['contacts', 'import', fileOf('report.csv', ['Id,phone,company_id', ...rows]), '--match', 'id', '--yes']
  expect(await json(...words, '-o', 'json')).toMatchObject({ rows: 2, done: 2 })
  expect(emulator.records('Contact').filter(({ Id }) => [one, two].includes(String(Id)))).toEqual([
    expect.objectContaining({ Phone: '+49 1', AccountId: account }),
    expect.objectContaining({ Phone: '+49 1', AccountId: account }),
  ])
  expect(await json(...words, '-o', 'json')).toMatchObject({ unchanged: 2, done: 0 })
  const short = one?.slice(0, 15) ?? ''
  expect(await json('contacts', 'update', short, '--set', 'phone=+49 2', '-o', 'json')).toMatchObject({ id: one })
  expect(await json('contacts', 'get', short, '--fields', 'id,phone', '-o', 'json')).toEqual({
    id: one,
    phone: '+49 2',
  })
})

test('members of --where and --fields are asked of the records of the command alone, not of those that they refer to', async () => {
  const { env, emulator, json } = await reach('salesforce')
  const account = (await crmPrints(['companies', 'create', '--set', 'name=Acme', '-o', 'id'], env)).trim()
  const chosen = ['--where', '.email == "person1@example.com"', '--set', 'company.name=acme']
  expect(await json('contacts', 'update', ...chosen, '--yes', '-o', 'json')).toMatchObject({ done: 1, failed: 0 })
  const [first] = emulator.records('Contact')
  expect(first).toMatchObject({ Email: 'person1@example.com', AccountId: account })
  const words = ['contacts', 'update', String(first?.Id), '--set', 'company.name=acme', '--fields', 'id,Title']
  expect(await json(...words, '-o', 'json')).toMatchObject({ id: first?.Id })
})

test('companies and tasks of HubSpot are imported, changed by label and undone', async () => {
  const { env, emulator, fileOf, json } = await reach('hubspot')
  const companies = fileOf('companies.csv', [
    'name,domain,Industry',
    'Acme,acme.test,Banking',
    'Bolt,bolt.test,farming',
  ])
  await crmPrints(['companies', 'import', companies, '--match', 'domain', '--yes'], env)
  const shown = ({ properties }: Row) => properties as Row
  expect(emulator.records('companies').map(shown)).toMatchObject([
    { name: 'Acme', domain: 'acme.test', industry: 'BANKING' },
    { name: 'Bolt', domain: 'bolt.test', industry: 'FARMING' },
  ])
  const tasks = fileOf('tasks.csv', [
    'title,status,due_on,priority',
    'Call,open,2026-12-24,high',
    'Write,done,2026-12-25,',
  ])
  await crmPrints(['tasks', 'import', tasks, '--yes'], env)
  expect(await json('tasks', 'list', '--sort', 'title', '-o', 'json')).toMatchObject([
    { title: 'Call', status: 'open', due_on: '2026-12-24', priority: 'high' },
    { title: 'Write', status: 'done', due_on: '2026-12-25' },
  ])
  await crmPrints(['jobs', 'undo', await lastJob(env), '--yes', '--expect', '2'], env)
  expect(emulator.records('tasks')).toEqual([])
})

test('an object that only a connector has is a noun with all verbs', async () => {
  const { env, emulator, fileOf, json } = await reach('hubspot')
  const file = fileOf('tickets.csv', ['Ticket name,Ticket status,priority', 'Printer,1,high', 'Screen,1,'])
  await crmPrints(['tickets', 'import', file, '--yes'], env)
  const [one] = await json('tickets', 'list', '--where', '.subject == "Printer"', '-o', 'json')
  expect(one).toMatchObject({ subject: 'Printer', stage_id: '1', priority: 'HIGH' })
  await crmPrints(['tickets', 'update', one.id, '--set', 'content=No paper'], env)
  expect(await json('records', 'tickets', 'get', one.id, '-o', 'json')).toMatchObject({ content: 'No paper' })
  expect(await crmPrints(['objects', '--jq', 'map(select(.own) | .name) | join(" ")'], env)).toBe(
    'tickets products line_items calls meetings emails quotes\n',
  )
  expect(await json('fields', 'tickets', '-o', 'json')).toContainEqual(
    expect.objectContaining({ name: 'subject', label: 'Ticket name', required: true }),
  )
  await crmPrints(['tickets', 'delete', '--where', '.subject != null', '--yes', '--expect', '2'], env)
  expect(emulator.records('tickets')).toEqual([])
})

const CARS = {
  name: 'cars',
  labels: { singular: 'Service car', plural: 'Service cars' },
  requiredProperties: ['model', 'vin'],
  primaryDisplayProperty: 'model',
  properties: [
    { name: 'model', label: 'Model', type: 'string', fieldType: 'text' },
    { name: 'vin', label: 'VIN', type: 'string', fieldType: 'text', hasUniqueValue: true },
    {
      ...{ name: 'state', label: 'State', type: 'enumeration', fieldType: 'select' },
      options: [
        { value: 'new', label: 'Brand new' },
        { value: 'used', label: 'Second hand' },
      ],
    },
  ],
}

test('an object that an account made for itself is a noun: 1,000 records in batches, and undone', async () => {
  const { env, emulator, fileOf, json } = await reach('hubspot')
  const { status } = await ask(emulator.url, 'POST /crm/v3/schemas', {
    json: CARS,
    headers: { authorization: `Bearer ${emulator.key}` },
  })
  expect(status).toBe(201)
  const rows = Array.from({ length: 1000 }, (_, at) => `T${at % 7},V${at},${at % 2 === 0 ? 'brand new' : 'used'}`)
  const file = fileOf('cars.csv', ['Model,VIN,State', ...rows])
  const words = ['service_cars', 'import', file, '--yes']
  await crmPrints(words, env)
  expect(await json('service_cars', 'list', '--where', '.state == "new"', '-o', 'json')).toHaveLength(500)
  expect(JSON.parse(await crmPrints([...words, '-o', 'json'], env))).toMatchObject({ done: 0, skipped: 1000 })
  expect(await json('fields', 'service_cars', '-o', 'json')).toContainEqual(
    expect.objectContaining({ name: 'vin', label: 'VIN', unique: true }),
  )
  const change = fileOf('change.csv', ['VIN,State', 'V0,Second hand', 'V1,Radio'])
  const matching = ['service_cars', 'import', change, '--match', 'vin', '--yes']
  expect((await crm(matching, env)).stderr).toContain(
    'line 3: "Radio": expected one of Brand new, new, Second hand, used',
  )
  await crmPrints(['jobs', 'undo', await lastJob(env), '--yes', '--expect', '1000'], env)
  expect(await json('service_cars', 'list', '-o', 'json')).toEqual([])
})

test('records of such an object are counted with those of their owner, given to another one, and taken back', async () => {
  const { env, emulator, fileOf, json } = await reach('hubspot')
  const headers = { authorization: `Bearer ${emulator.key}` }
  await ask(emulator.url, 'POST /crm/v3/schemas', { json: CARS, headers })
  const file = fileOf('cars.csv', ['Model,VIN,owner_id', 'T,V0,701', 'T,V1,701', 'T,V2,702'])
  await crmPrints(['service_cars', 'import', file, '--yes'], env)
  const ofUser = await json('report', 'owners', '--of', '701', '-o', 'json')
  expect(ofUser).toContainEqual(expect.objectContaining({ object: 'service_cars', records: 2 }))
  const owners = async () => (await json('service_cars', 'list', '--sort', 'vin', '-o', 'json')).map(ownerOf)
  const [{ job }] = await json(
    'reassign',
    '--from',
    '701',
    '--to',
    '702',
    '--only',
    'service_cars',
    '--yes',
    '-o',
    'json',
  )
  expect(await owners()).toEqual(['702', '702', '702'])
  await crmPrints(['jobs', 'undo', job, '--yes', '--expect', '2'], env)
  expect(await owners()).toEqual(['701', '701', '702'])

  function ownerOf({ owner_id: owner }: { readonly owner_id: unknown }): string {
    return String(owner)
  }
})

test('calls are linked to people by their addresses, and line items to a product and a deal by their names', async () => {
  const { env, emulator, fileOf, json } = await reach('hubspot')
  await crmPrints(['contacts', 'create', '--set', 'email=ada@x.test'], env)
  const calls = fileOf('calls.csv', [
    'Call title,Activity date,contacts.email',
    'Hello,2026-05-01T10:00:00Z,ada@x.test',
  ])
  await crmPrints(['calls', 'import', calls, '--yes'], env)
  const [call] = await json('calls', 'list', '--with', 'contacts', '-o', 'json')
  expect(call).toMatchObject({ title: 'Hello', linked: { contacts: [{ email: 'ada@x.test' }] } })
  await crmPrints(['products', 'create', '--set', 'name=Pump'], env)
  await crmPrints(
    ['deals', 'create', '--set', 'name=Fleet', '--set', 'stage=Stage 1', '--set', 'pipeline_id=default'],
    env,
  )
  const items = fileOf('items.csv', ['name,product.name,quantity,price,deals.name', 'Pump,Pump,2,9.50,Fleet'])
  await crmPrints(['line_items', 'import', items, '--yes'], env)
  expect(emulator.records('line_items')).toMatchObject([{ properties: { quantity: '2', price: '9.5' } }])
  const [item] = await json('line_items', 'list', '--with', 'product,deals', '-o', 'json')
  expect(item.linked).toMatchObject({ product: { name: 'Pump' }, deals: [{ name: 'Fleet' }] })
  await crmPrints(['jobs', 'undo', await lastJob(env), '--yes'], env)
  expect(emulator.records('line_items')).toEqual([])
})
