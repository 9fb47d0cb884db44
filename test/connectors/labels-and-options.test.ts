import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { ask } from './emulators/ask.ts'
import { type ConnectedServer, connected, SERVERS } from './servers.ts'

// Properties that an account made for itself: columns name them by their labels, and options too.

const [HUBSPOT] = SERVERS.filter(({ connector }) => connector === 'hubspot')

const OWN = [
  {
    ...{ name: 'lead_source', label: 'Lead Source', type: 'enumeration', fieldType: 'select' },
    options: [
      { value: 'web', label: 'Web site' },
      { value: 'fair', label: 'Trade fair' },
    ],
  },
  {
    ...{ name: 'interests', label: 'Interests', type: 'enumeration', fieldType: 'checkbox' },
    options: [
      { value: 'a1', label: 'Art' },
      { value: 'b1', label: 'Boats' },
      { value: 'c1', label: 'Cars' },
    ],
  },
]

async function portal(): Promise<ConnectedServer> {
  if (!HUBSPOT) throw new Error('there is no emulator of HubSpot')
  const server = await connected(HUBSPOT, { records: 2 })
  const { url, key } = server.emulator
  for (const json of OWN) {
    const { status } = await ask(url, 'POST /crm/v3/properties/contacts', {
      json,
      headers: { authorization: `Bearer ${key}` },
    })
    expect(status).toBe(201)
  }
  return server
}

function importOf({ env }: ConnectedServer, lines: readonly string[]): readonly string[] {
  const file = join(env.HOME ?? '', 'people.csv')
  writeFileSync(file, `${lines.join('\n')}\n`)
  return ['contacts', 'import', file, '--match', 'email', '--yes']
}

function valuesOf(server: ConnectedServer): readonly unknown[] {
  return server.contacts().map(({ properties }) => {
    const { lead_source: source = null, interests = null } = properties as Record<string, unknown>
    return [source, interests]
  })
}

test('a column is named by the label of a property, a value by the label of an option', async () => {
  const server = await portal()
  await crmPrints(
    importOf(server, [
      'email,Lead Source,interests',
      'person1@example.com,trade fair,Art;Boats',
      'person2@example.com,web,',
    ]),
    server.env,
  )
  expect(valuesOf(server)).toEqual([
    ['fair', 'a1;b1'],
    ['web', null],
  ])
  const edit = importOf(server, [
    'email,Interests+,Interests-',
    'person1@example.com,Cars;Boats,Art',
    'person2@example.com,a1,',
  ])
  await crmPrints(edit, server.env)
  expect(valuesOf(server)).toEqual([
    ['fair', 'b1;c1'],
    ['web', 'a1'],
  ])
  const [job = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], server.env)).split('\n')
  await crmPrints(['jobs', 'undo', job, '--yes'], server.env)
  expect(valuesOf(server)).toEqual([
    ['fair', 'a1;b1'],
    ['web', null],
  ])
})

test('an unknown option is found in the plan, with the choices; fields lists them', async () => {
  const server = await portal()
  const rows = ['email,Lead Source,interests', 'person1@example.com,Radio,Art;Planes', 'person2@example.com,Web sit,']
  const { exit, stderr } = await crm(importOf(server, rows), server.env)
  expect(exit).toBe(2)
  expect(stderr).toContain('line 2: "Radio": expected one of Web site, web, Trade fair, fair')
  expect(stderr).toContain('line 2: "Art;Planes": expected one of Art')
  expect(stderr).toContain('line 3: "Web sit": did you mean Web site?')
  expect(valuesOf(server)).toEqual([
    [null, null],
    [null, null],
  ])
  const fields = JSON.parse(await crmPrints(['fields', 'contacts', '-o', 'json'], server.env))
  expect(fields).toContainEqual({
    ...{ name: 'lead_source', label: 'Lead Source', type: 'enumeration', many: false, required: false },
    ...{ options: ['web (Web site)', 'fair (Trade fair)'], unique: false, read_only: false, to: null },
  })
  expect(fields).toContainEqual(expect.objectContaining({ name: 'interests', many: true }))
})

test.each([
  ['--fields', ['--fields', 'email,Lead Source']],
  ['--where', ['--where', '.["Lead source"] == "web"']],
  ['--jq', ['-o', 'json', '--jq', '.[]["lead source"]']],
])('a label in %s of a list is exit 2 with the name of its property', async (flag, args) => {
  const { env } = await portal()
  const { exit, stderr } = await crm(['contacts', 'list', ...args], env)
  expect(exit).toBe(2)
  expect(stderr).toMatch(new RegExp(`${flag}: none of the contacts .*did you mean lead_source\\?`, 'is'))
})

test('the label of the id is a question, and that of another member which the server sets is left out', async () => {
  const server = await portal()
  const [{ id }] = server.contacts() as readonly [{ id: string }]
  const asked = await crm(importOf(server, ['email,Record ID', `person1@example.com,${id}`]), server.env)
  expect([asked.exit, asked.stderr]).toEqual([
    2,
    expect.stringContaining('unknown column "Record ID"; did you mean "id"?'),
  ])
  const rows = ['email,Last Modified Date,Lead Source', 'person1@example.com,2026-01-01,Trade fair']
  await crmPrints(importOf(server, rows), server.env)
  expect(valuesOf(server)[0]).toEqual(['fair', null])
})

test('a value that HubSpot takes and does not keep is a failed row, and the others are done', async () => {
  const { env } = await portal()
  const file = join(env.HOME ?? '', 'stages.csv')
  const change = async (...rows: readonly string[]) => {
    writeFileSync(file, `${['email,lifecyclestage', ...rows].join('\n')}\n`)
    return crm(['contacts', 'import', file, '--match', 'email', '--yes', '-o', 'json'], env)
  }
  await change('person1@example.com,customer', 'person2@example.com,subscriber')
  const { exit, stdout } = await change('person1@example.com,lead', 'person2@example.com,opportunity')
  expect([exit, JSON.parse(stdout)]).toEqual([3, expect.objectContaining({ done: 1, failed: 1 })])
  const [failed] = JSON.parse(await crmPrints(['jobs', 'failed', JSON.parse(stdout).job, '-o', 'json'], env))
  expect(failed).toMatchObject({ code: 'not_kept', field: 'lifecyclestage' })
})

test('--map takes a label', async () => {
  const server = await portal()
  const rows = ['email,Quelle', 'person1@example.com,Trade fair']
  await crmPrints([...importOf(server, rows), '--map', 'Quelle=Lead Source'], server.env)
  expect(valuesOf(server)[0]).toEqual(['fair', null])
})

const [PIPEDRIVE] = SERVERS.filter(({ connector }) => connector === 'pipedrive')

test("an account's own fields on Pipedrive, which have keys, are named by their labels, and options become numbers", async () => {
  if (!PIPEDRIVE) throw new Error('there is no emulator of Pipedrive')
  const server = await connected(PIPEDRIVE, { records: 2 })
  const rows = [
    'email,Lead Source,Interests,Nickname,Shoe size',
    'person1@example.com,inbound,Art;boats,Ada,42.5',
    'person2@example.com,2,,,',
  ]
  await crmPrints(importOf(server, rows), server.env)
  const own = () =>
    server.contacts().map(({ custom_fields: fields }) => Object.values(fields as Record<string, unknown>))
  const none = [null, null, null, null]
  expect(own()).toEqual([
    ['Ada', 42.5, 1, [11, 12]],
    [null, null, 2, null],
  ])
  const edit = ['email,Interests+,Interests-', 'person1@example.com,Cars,Art', 'person2@example.com,Art,']
  await crmPrints(importOf(server, edit), server.env)
  expect(own().map((values) => values[3])).toEqual([[12, 13], [11]])
  const [edits = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], server.env)).split('\n')
  await crmPrints(['jobs', 'undo', edits, '--yes'], server.env)
  expect(own().map((values) => values[3])).toEqual([[11, 12], null])
  const [, , job = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], server.env)).split('\n')
  await crmPrints(['jobs', 'undo', job, '--yes'], server.env)
  expect(own()).toEqual([none, none])
  const big = await crm(importOf(server, ['email,Shoe size', 'person1@example.com,big']), server.env)
  expect([big.exit, big.stderr]).toEqual([2, expect.stringContaining('"big": expected a number')])
  const wrong = await crm(importOf(server, ['email,Lead Source', 'person1@example.com,Radio']), server.env)
  expect([wrong.exit, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('"Radio": expected one of Inbound, 1, Outbound, 2'),
  ])
  const fields = JSON.parse(await crmPrints(['fields', 'contacts', '-o', 'json'], server.env))
  expect(fields).toContainEqual(
    expect.objectContaining({ label: 'Interests', many: true, options: expect.arrayContaining(['11 (Art)']) }),
  )
})

test('organisations and activities of Pipedrive are companies and tasks, with people who refer to them', async () => {
  if (!PIPEDRIVE) throw new Error('there is no emulator of Pipedrive')
  const server = await connected(PIPEDRIVE, { records: 1 })
  const { env, emulator } = server
  const fileOf = (name: string, lines: readonly string[]) => {
    const path = join(env.HOME ?? '', name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  const companies = fileOf('companies.csv', ['name,domain', 'Acme,acme.test', 'Bolt,bolt.test'])
  await crmPrints(['companies', 'import', companies, '--match', 'domain', '--yes'], env)
  const people = fileOf('people.csv', [
    'name,email,company.domain',
    'Ada,ada@x.test,acme.test',
    'Bob,bob@x.test,new.test',
  ])
  await crmPrints(['contacts', 'import', people, '--match', 'email', '--create-missing', 'companies', '--yes'], env)
  expect(emulator.records('organizations').map(({ name, website }) => [name, website])).toEqual([
    ['Acme', 'acme.test'],
    ['Bolt', 'bolt.test'],
    ['new.test', 'new.test'],
  ])
  const orgs = server.contacts().map(({ name, org_id: id }) => [name, id])
  expect(orgs).toEqual([
    ['Person 1', null],
    ['Ada', 1],
    ['Bob', 3],
  ])
  const tasks = fileOf('tasks.csv', [
    'title,status,due_on,contact.email,company.name',
    'Call,done,2026-12-01,ada@x.test,Bolt',
  ])
  await crmPrints(['tasks', 'import', tasks, '--yes'], env)
  const json = async (...words: string[]) => JSON.parse(await crmPrints([...words, '-o', 'json'], env))
  expect(await json('tasks', 'list', '--with', 'contact,company')).toMatchObject([
    {
      title: 'Call',
      status: 'done',
      due_on: '2026-12-01',
      linked: { contact: { name: 'Ada' }, company: { name: 'Bolt' } },
    },
  ])
  const [job = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
  await crmPrints(['jobs', 'undo', job, '--yes'], env)
  expect(await json('tasks', 'list')).toEqual([])
})

test('--set and --data take labels too, for a new record, for one and for many', async () => {
  const server = await portal()
  const run = (...words: string[]) => crm(['contacts', ...words], server.env)
  const [id = ''] = (await crmPrints(['contacts', 'list', '-o', 'id', '--sort', 'email'], server.env)).split('\n')
  for (const words of [['create'], ['update', id], ['update', '--where', 'true', '--yes']]) {
    const set = (...texts: string[]) => run(...words, ...texts.flatMap((text) => ['--set', text]))
    expect(await set('Lead Source=Web sit')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("--set 'Lead Source=Web sit': did you mean Web site?"),
    })
    expect(await set('lead_sorce=web')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('did you mean lead_source?'),
    })
  }
  expect(await run('update', id, '--data', '{"Lead Source":"trade fair","interests":["Art","Boats"]}')).toMatchObject({
    exit: 0,
  })
  expect(await run('update', id, '--set', 'interests+=Cars', '--set', 'Interests-=Art')).toMatchObject({ exit: 0 })
  expect(valuesOf(server)).toEqual([
    ['fair', 'b1;c1'],
    [null, null],
  ])
  expect(
    await run(
      'update',
      '--where',
      'true',
      '--set',
      'Interests+=Art',
      '--set',
      'Interests+=Cars',
      '--set',
      'lead_source=WEB',
      '--yes',
    ),
  ).toMatchObject({ exit: 0 })
  expect(await run('create', '--set', 'email=new@example.com', '--set', 'Lead Source=web site')).toMatchObject({
    exit: 0,
  })
  expect(valuesOf(server)).toEqual([
    ['web', 'b1;c1;a1'],
    ['web', 'a1;c1'],
    ['web', null],
  ])
})

test('a heading that no property has is an error in the plan, unless --new-field or --map keeps it', async () => {
  const server = await portal()
  const file = importOf(server, ['email,Lead Sorce,Colour', 'person1@example.com,web,red'])
  const { exit, stderr } = await crm(file, server.env)
  expect(exit).toBe(2)
  expect(stderr).toContain('"Lead Sorce" (did you mean "lead_source"?), "Colour" (the server has no such field)')
  expect(await crm([...file, '--new-field', '--dry-run'], server.env)).toMatchObject({ exit: 0 })
})
