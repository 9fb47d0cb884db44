import { expect, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import type { Row } from './emulators/emulator.ts'
import { reachAttio } from './reach-attio.ts'

// Companies, tasks and the objects of a workspace of Attio, and the references between records.

test('a missing company is created; a person without one gets that of the address from Attio', async () => {
  const { env, emulator, fileOf, prints, json } = await reachAttio()
  const file = fileOf('people.csv', ['email,company.domain', 'a@acme.test,bolt.test', 'b@acme.test,'])
  const words = ['contacts', 'import', file, '--match', 'email', '--yes']
  expect((await crm(words, env)).stderr).toContain('"bolt.test": no company has this domain')
  await prints(...words, '--create-missing', 'companies')
  const shown = await json(
    'contacts',
    'list',
    '--where',
    '.email | endswith("acme.test")',
    '--sort',
    'email',
    '--with',
    'company',
  )
  expect(shown.map(({ linked }: { linked: { company: Row } }) => linked.company.domain)).toEqual([
    'bolt.test',
    'acme.test',
  ])
  expect(shown[0]).not.toHaveProperty('company')
  expect(emulator.records('companies')).toHaveLength(3)
  const old = fileOf('old.csv', ['email,company', 'a@acme.test,x'])
  expect((await crm(['contacts', 'import', old, '--match', 'email', '--yes'], env)).stderr).toContain(
    'company of a contact is shown as company_id',
  )
  const towns = fileOf('towns.csv', ['name,domain,city', 'Acme,acme.test,Bonn'])
  expect((await crm(['companies', 'import', towns, '--match', 'domain', '--yes'], env)).stderr).toContain(
    'city is no field of this server',
  )
  await prints('companies', 'update', '--where', '.domain == "bolt.test"', '--set', 'name=Bolt', '--yes')
  await prints('contacts', 'update', shown[0].id, '--set', 'company_id:=null')
  expect(await json('contacts', 'get', shown[0].id)).toMatchObject({ company_id: null })
})

test('deals are linked to a company and to people by their addresses, and taken back', async () => {
  const { fileOf, prints, json, undo, state, owner } = await reachAttio()
  await prints('companies', 'create', '--set', 'name=Acme', '--set', 'domain=acme.test')
  const before = state()
  const deals = [
    'name,stage,owner_id,company.domain,contacts.email',
    `Fleet,Lead,${owner},ACME.test,person1@example.com`,
  ]
  await prints('deals', 'import', fileOf('deals.csv', deals), '--yes')
  const fleet = async () => {
    const [deal] = await json('deals', 'list', '--where', '.name == "Fleet"', '--with', 'contacts,company')
    return [deal.linked.company.name, deal.linked.contacts.map(({ email }: Row) => email)]
  }
  expect(await fleet()).toEqual(['Acme', ['person1@example.com']])
  const edit = [
    'name,contacts+.email,contacts-.email',
    'Fleet,person2@example.com;person3@example.com,person1@example.com',
  ]
  await prints('deals', 'import', fileOf('edit.csv', edit), '--match', 'name', '--mode', 'update', '--yes')
  expect(await fleet()).toEqual(['Acme', ['person2@example.com', 'person3@example.com']])
  await undo()
  expect(await fleet()).toEqual(['Acme', ['person1@example.com']])
  await prints('deals', 'delete', '--where', '.name == "Fleet"', '--yes')
  await undo()
  expect(await fleet()).toEqual(['Acme', ['person1@example.com']])
  await prints('deals', 'delete', '--where', '.name == "Fleet"', '--yes')
  expect(state()).toEqual(before)
})

test('a merge gives the people, deals and tasks of a company to the winner, and its undo gives them back', async () => {
  const { fileOf, prints, json, undo, owner } = await reachAttio({ records: 0 })
  for (const name of ['Acme', 'Acme Ltd']) {
    await prints(
      'companies',
      'create',
      '--set',
      `name=${name}`,
      '--set',
      `domain=${name.toLowerCase().replace(' ', '-')}.test`,
    )
  }
  await prints('contacts', 'create', '--set', 'email=a@x.test', '--set', 'company.domain=acme-ltd.test')
  const deals = ['name,stage,owner_id,company.domain,contacts.email', `Fleet,Lead,${owner},acme-ltd.test,a@x.test`]
  await prints('deals', 'import', fileOf('deals.csv', deals), '--yes')
  await prints(
    'tasks',
    'create',
    '--set',
    'title=Call',
    '--set',
    'company.domain=acme-ltd.test',
    '--set',
    'contact.email=a@x.test',
  )
  const names = async () => {
    const all = await Promise.all(['contacts', 'deals', 'tasks'].map((noun) => json(noun, 'list', '--with', 'company')))
    return all.flat().map(({ linked }: { linked: { company: Row } }) => linked.company.name)
  }
  expect(await names()).toEqual(['Acme Ltd', 'Acme Ltd', 'Acme Ltd'])
  const idOf = async (name: string) => (await json('companies', 'list', '--where', `.name == "${name}"`))[0].id
  const words = ['companies', 'merge', await idOf('Acme'), await idOf('Acme Ltd'), '--yes', '--expect', '1']
  expect(await json(...words)).toMatchObject({ failed: 0, repointed: 3 })
  expect(await names()).toEqual(['Acme', 'Acme', 'Acme'])
  const [task] = await json('tasks', 'list')
  expect(task).toMatchObject({ contact_id: expect.any(String) })
  await undo()
  expect(await names()).toEqual(['Acme Ltd', 'Acme Ltd', 'Acme Ltd'])
})

test('tasks are created, completed, linked anew, deleted and restored; their text stays', async () => {
  const { env, emulator, fileOf, prints, json, undo, owner } = await reachAttio()
  const tasks = ['title,due_on,contact.email,owner_id', `Call,2026-12-24,person1@example.com,${owner}`, 'Write,,,']
  await prints('tasks', 'import', fileOf('tasks.csv', tasks), '--yes')
  const [call, write] = await json('tasks', 'list', '--with', 'contact')
  expect(call).toMatchObject({ title: 'Call', status: 'open', due_on: '2026-12-24', owner_id: owner })
  expect([call.linked.contact.email, write.contact_id, write.due_on]).toEqual(['person1@example.com', null, null])
  expect((await json('tasks', 'list', '--filter', `owner_id=${owner}`)).map(({ title }: Row) => title)).toEqual([
    'Call',
  ])
  await prints('tasks', 'update', '--where', '.title == "Call"', '--set', 'status=done', '--yes')
  await prints('tasks', 'update', call.id, '--set', 'company.domain=example.com')
  const linked = emulator.records('tasks').map(({ linked_records }) => linked_records as Row[])
  expect(linked.map((all) => all.map(({ target_object_id }) => target_object_id))).toEqual([
    ['people', 'companies'],
    [],
  ])
  await prints('tasks', 'update', call.id, '--set', 'contact_id:=null', '--set', 'due_on:=null')
  expect(await json('tasks', 'get', call.id)).toMatchObject({
    contact_id: null,
    company_id: expect.any(String),
    due_on: null,
  })
  expect((await crm(['tasks', 'update', call.id, '--set', 'title=Ring'], env)).stderr).toContain(
    'it is set only when the record is created',
  )
  const contents = () => emulator.records('tasks').map(({ id, created_at, ...task }) => task)
  const before = contents()
  await prints('tasks', 'delete', '--where', 'true', '--yes', '--expect', '2')
  expect(emulator.records('tasks')).toEqual([])
  await undo()
  expect(contents()).toEqual(before)
})

const PLAIN = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
const ATTRIBUTES = [
  { ...PLAIN, title: 'Model', api_slug: 'model', type: 'text', is_required: true },
  { ...PLAIN, title: 'VIN', api_slug: 'vin', type: 'text', is_unique: true },
  { ...PLAIN, title: 'Fuel types', api_slug: 'fuel', type: 'select', is_multiselect: true },
  { ...PLAIN, title: 'Seats', api_slug: 'seats', type: 'number' },
]

test('an object of the workspace is a noun, and its attributes have their titles', async () => {
  const { env, emulator, fileOf, prints, json, undo, post } = await reachAttio()
  await post('objects', { api_slug: 'cars', singular_noun: 'Service car', plural_noun: 'Service cars' })
  await post('objects', { api_slug: 'users', singular_noun: 'User', plural_noun: 'Users' })
  for (const attribute of ATTRIBUTES) await post('objects/cars/attributes', attribute)
  for (const title of ['Petrol', 'Gas']) await post('objects/cars/attributes/fuel/options', { title })
  expect(await prints('objects', '--jq', 'map(.name) | join(" ")')).toBe(
    'contacts deals notes companies tasks stages webhooks users service_cars user_records\n',
  )
  const rows = ['Model,VIN,Fuel types,Seats', 'T,V1,Petrol;Gas,4', 'S,V2,Gas,2']
  const words = ['service_cars', 'import', fileOf('cars.csv', rows), '--match', 'vin', '--yes']
  await prints(...words)
  const shown = async () =>
    (await json('service_cars', 'list')).map(({ model, fuel, seats }: Row) => [model, fuel, seats])
  const before = [
    ['T', ['Petrol', 'Gas'], 4],
    ['S', 'Gas', 2],
  ]
  expect(await shown()).toEqual(before)
  expect(await json(...words)).toMatchObject({ done: 0, unchanged: 2 })
  const edit = fileOf('edit.csv', ['VIN,Fuel types+,Fuel types-', 'V1,,Petrol', 'V2,Petrol,'])
  await prints('service_cars', 'import', edit, '--match', 'vin', '--mode', 'update', '--yes')
  expect((await shown()).map(([, fuel]: unknown[]) => fuel)).toEqual(['Gas', ['Gas', 'Petrol']])
  await undo()
  expect(await shown()).toEqual(before)
  expect(await json('fields', 'service_cars')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'model', label: 'Model', type: 'text', required: true }),
      expect.objectContaining({ name: 'vin', label: 'VIN', unique: true, many: false }),
      expect.objectContaining({ name: 'fuel', label: 'Fuel types', type: 'select', many: true }),
      expect.objectContaining({ name: 'created_by', read_only: true }),
    ]),
  )
  const sent = emulator.requests.length
  const wrong = fileOf('wrong.csv', ['VIN,Modle', 'V1,X'])
  const { exit, stderr } = await crm(['service_cars', 'import', wrong, '--match', 'vin', '--yes'], env)
  expect([exit, stderr]).toEqual([2, expect.stringContaining('unknown column "Modle"; did you mean "model"?')])
  expect(emulator.requests.slice(sent).filter(({ method }) => method === 'PUT')).toEqual([])
  const [car] = await json('service_cars', 'list')
  await prints('service_cars', 'update', car.id, '--set', 'Fuel types=Gas')
  expect(await json('service_cars', 'get', car.id)).toMatchObject({ fuel: 'Gas' })
  await prints('service_cars', 'delete', '--where', 'true', '--yes', '--expect', '2')
  await undo()
  expect(emulator.records('cars')).toHaveLength(2)
  expect(await json('user_records', 'list')).toEqual([])
})
