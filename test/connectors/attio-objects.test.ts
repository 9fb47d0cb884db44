import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { ask } from './emulators/ask.ts'
import type { EmulatorOptions, Row } from './emulators/emulator.ts'
import { connected, SERVERS } from './servers.ts'

// Companies, tasks and the objects of a workspace, and the references between records.

async function reach(options: EmulatorOptions = { records: 3 }) {
  const [server] = SERVERS.filter(({ connector }) => connector === 'attio')
  if (!server) throw new Error('there is no Attio')
  const { env, emulator } = await connected(server, options)
  const fileOf = (name: string, lines: readonly string[]) => {
    const path = join(env.HOME ?? '', name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  const json = async (...args: string[]) => JSON.parse(await crmPrints([...args, '-o', 'json'], env))
  const undo = async () => {
    const [job = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
    return crmPrints(['jobs', 'undo', job, '--yes'], env)
  }
  const post = async (path: string, data: object) => {
    const headers = { authorization: `Bearer ${emulator.key}` }
    const { status, body } = await ask(emulator.url, `POST /v2/${path}`, { json: { data }, headers })
    expect([status, body]).toEqual([200, expect.anything()])
    return body.data
  }
  return { env, emulator, fileOf, json, undo, post }
}

test('try', async () => {
  const { env, fileOf, json, post, emulator } = await reach()
  const show = async (...args: string[]) => {
    const r = await crm(args, env)
    console.log(`$ crm ${args.join(' ')}\n${r.stdout}${r.stderr}[${r.exit}]`)
  }
  await show('companies', 'create', '--set', 'name=Acme', '--set', 'domain=acme.test', '--set', 'description=Makers')
  const people = fileOf('people.csv', [
    'email,name,company.domain',
    'a@acme.test,Ada,ACME.test',
    'b@x.test,Bo,bolt.test',
  ])
  await show('contacts', 'import', people, '--match', 'email', '--dry-run')
  await show('contacts', 'import', people, '--match', 'email', '--create-missing', 'companies', '--yes')
  await show('contacts', 'list', '--with', 'company', '-o', 'jsonl')
  await show('companies', 'list')
  await show('fields', 'contacts')
  await show('objects')
  const owner = (emulator.records('members')[0]?.id as Row).workspace_member_id
  const deals = fileOf('deals.csv', [
    'name,stage,owner_id,company.domain,contacts.email',
    `Fleet,Lead,${owner},acme.test,a@acme.test;b@x.test`,
  ])
  await show('deals', 'import', deals, '--yes')
  const edit = fileOf('edit.csv', ['name,contacts+.email,contacts-', `Fleet,person1@example.com,`])
  await show('deals', 'import', edit, '--match', 'name', '--mode', 'update', '--yes')
  await show('deals', 'list', '--where', '.name=="Fleet"', '--with', 'contacts,company', '-o', 'json')
  await show(
    'tasks',
    'create',
    '--set',
    'title=Call',
    '--set',
    'due_on=2026-12-24',
    '--set',
    'contact.email=a@acme.test',
    '--set',
    `owner_id=${owner}`,
  )
  const [task] = await json('tasks', 'list')
  await show('tasks', 'update', task.id, '--set', 'status=done')
  await show('tasks', 'update', task.id, '--set', 'company.domain=acme.test')
  await show('tasks', 'list', '-o', 'json')
  await show('tasks', 'update', task.id, '--set', 'title=X')
  await show('tasks', 'update', task.id, '--set', 'contact_id:=null')
  console.log(JSON.stringify(emulator.records('tasks')))
  await show('tasks', 'delete', task.id, '--yes')
  await post('objects', { api_slug: 'service_cars', singular_noun: 'Service car', plural_noun: 'Service cars' })
  await post('objects', { api_slug: 'users', singular_noun: 'User', plural_noun: 'Users' })
  const base = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
  await post('objects/service_cars/attributes', {
    ...base,
    title: 'Model',
    api_slug: 'model',
    type: 'text',
    is_required: true,
  })
  await post('objects/service_cars/attributes', {
    ...base,
    title: 'VIN',
    api_slug: 'vin',
    type: 'text',
    is_unique: true,
  })
  await post('objects/service_cars/attributes', {
    ...base,
    title: 'Fuel types',
    api_slug: 'fuel',
    type: 'select',
    is_multiselect: true,
  })
  await post('objects/service_cars/attributes', { ...base, title: 'Seats', api_slug: 'seats', type: 'number' })
  await post('objects/service_cars/attributes', {
    ...base,
    title: 'Drivers',
    api_slug: 'drivers',
    type: 'record-reference',
    is_multiselect: true,
    config: { record_reference: { allowed_objects: ['people'] } },
  })
  for (const title of ['Petrol', 'Gas']) await post('objects/service_cars/attributes/fuel/options', { title })
  await show('objects')
  const cars = fileOf('cars.csv', ['Model,VIN,Fuel types,Seats:number', 'T,V1,Petrol;Gas,4', 'S,V2,Gas,2'])
  await show('service_cars', 'import', cars, '--yes')
  await show('service_cars', 'list', '-o', 'json')
  await show('fields', 'service_cars')
  const wrong = fileOf('wrong.csv', ['VIN,Modle', 'V1,X'])
  await show('service_cars', 'import', wrong, '--match', 'VIN', '--yes')
  const right = fileOf('right.csv', ['VIN,Model,Fuel types+', 'V1,X,', 'V2,,Petrol'])
  await show('service_cars', 'import', right, '--match', 'vin', '--yes')
  await show('service_cars', 'list', '-o', 'json')
  await show('service_cars', 'import', right, '--match', 'vin', '--yes', '-o', 'json')
  await show(
    'service_cars',
    'import',
    fileOf('less.csv', ['VIN,Fuel types-', 'V2,Petrol']),
    '--match',
    'vin',
    '--mode',
    'update',
    '--yes',
  )
  await show('service_cars', 'list', '--fields', 'vin,fuel', '-o', 'json')
  await show(
    'contacts',
    'import',
    fileOf('old.csv', ['email,company', 'person1@example.com,x']),
    '--match',
    'email',
    '--yes',
  )
  await show(
    'deals',
    'import',
    fileOf('old2.csv', ['name,Associated company', 'Fleet,x']),
    '--match',
    'name',
    '--mode',
    'update',
    '--dry-run',
  )
  await show('user_records', 'list')
})
