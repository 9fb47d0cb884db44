import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, inject, test } from 'vitest'
import { newDatabase, newPostgres } from '../harness/database.ts'
import { tempFolder } from '../harness/home.ts'
import type { Service } from '../harness/service.ts'
import { crm } from './crm.ts'
import { startService } from './service.ts'

const THREE_LINES = `objects:
  machines:
    fields: { serial: { unique: true }, contact_id: { to: contacts }, colors: { many: true }, state: { options: [new, used] }, built: { type: date } }
`

let folder: string
beforeEach(() => {
  folder = tempFolder()
})

function objects(text: string): readonly string[] {
  const file = join(folder, 'objects.yaml')
  writeFileSync(file, text)
  return ['--objects', file]
}

async function send(service: Service, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' }
  const sent = body && { body: JSON.stringify(body) }
  const response = await fetch(`${service.ownUrl}${path}`, { method, headers, ...sent })
  const text = await response.text()
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
}

/** The same database with another start, which leaves the key of the first. */
async function startAgain({ key }: Service, args: readonly string[]): Promise<Service> {
  return { ...(await startService(args)), key }
}

test('an object of three lines has routes, rules, events, history, OpenAPI and GraphQL', async () => {
  const service = await startService(['--database', await newDatabase(), ...objects(THREE_LINES)])
  expect(service.said()).toContain('Unique: machines.serial.')
  const { json: contact } = await send(service, 'POST', '/v1/contacts', { name: 'Ada' })
  const good = { serial: 'S1', contact_id: contact.id, state: 'new', built: '2026-02-01', colors: ['red'] }
  const made = await send(service, 'POST', '/v1/machines', good)
  expect(made).toMatchObject({ status: 201, json: { id: expect.stringMatching(/^machine_/), ...good, version: 1 } })

  const wrong = { serial: 'S2', contact_id: made.json.id, state: 'old', built: '2026-02-30' }
  const refused = await send(service, 'POST', '/v1/machines', wrong)
  expect(refused.status).toBe(422)
  expect(refused.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    ...['#/contact_id', '#/state', '#/built'],
  ])
  const nobody = { serial: 'S2', contact_id: 'con_0abcdefghjk', colors: 'red' }
  const refusal = await send(service, 'POST', '/v1/machines', { ...nobody, colors: [] })
  expect(refusal).toMatchObject({ status: 422, json: { errors: [{ pointer: '#/contact_id', code: 'not_found' }] } })
  expect((await send(service, 'POST', '/v1/machines', nobody)).json.errors).toMatchObject([{ pointer: '#/colors' }])
  const twin = await send(service, 'POST', '/v1/machines', { serial: ' s1' })
  expect(twin).toMatchObject({ status: 409, json: { existing_id: made.json.id } })

  const changed = await send(service, 'PATCH', `/v1/machines/${made.json.id}`, { state: 'used' })
  expect(changed.json).toMatchObject({ ...good, state: 'used', version: 2 })
  const since = await send(service, 'GET', '/v1/machines?created_since=2020-01-01T00:00:00Z')
  expect(since.json.data).toEqual([changed.json])
  const ofContact = `/v1/machines?contact_id=${contact.id}`
  await send(service, 'POST', '/v1/machines', { serial: 'S3' })
  expect((await send(service, 'GET', ofContact)).json.data).toEqual([changed.json])
  const history = await send(service, 'GET', `/v1/machines/${made.json.id}/history`)
  expect(history.json.data.map(({ action }: { action: string }) => action)).toEqual(['updated', 'created'])

  const query = '{ machines { nodes { serial contactId state built json } } }'
  const answer = await send(service, 'POST', '/v1/graphql', { query })
  const found = '{ machines(filter: { contactId: "con_0abcdefghjk" }) { nodes { serial } } }'
  expect((await send(service, 'POST', '/v1/graphql', { query: found })).json.data.machines.nodes).toEqual([])
  expect(answer.json.data.machines.nodes[1]).toEqual({
    ...{ serial: 'S1', contactId: contact.id, state: 'used', built: '2026-02-01', json: changed.json },
  })
  const { json: document } = await send(service, 'GET', '/v1/openapi.json')
  expect(Object.keys(document.paths)).toContain('/v1/machines/{id}')
  expect(Object.keys(document.webhooks)).toContain('machine.created')
  const { json: listed } = await send(service, 'GET', '/v1/objects')
  expect(listed.data.map(({ name }: { name: string }) => name)).toEqual([
    ...['contacts', 'deals', 'notes', 'companies', 'tasks', 'machines'],
  ])
  expect(listed.data.at(-1)).toMatchObject({ one: 'machine', own: true, path: '/v1/machines' })
  expect(listed.data.at(-1).fields).toContainEqual(expect.objectContaining({ name: 'contact_id', to: 'contacts' }))
})

test('the database keeps objects: the next start, stats and a changed file know them', async () => {
  const database = await newDatabase()
  const first = await startService(['--database', database, ...objects(THREE_LINES)])
  const { json: machine } = await send(first, 'POST', '/v1/machines', { serial: 'S1' })
  expect(await first.stop()).toBe(0)

  const second = await startAgain(first, ['--database', database])
  expect((await send(second, 'GET', '/v1/machines')).json.data).toEqual([machine])
  expect(await send(second, 'POST', '/v1/machines', { serial: 's1' })).toMatchObject({ status: 409 })
  await second.stop()
  const stats = await crm(['serve', 'stats', '--database', database, '-o', 'json'], second.env)
  expect(JSON.parse(stats.stdout)).toMatchObject({ machines: 1 })

  const more =
    'objects: { machines: { fields: { weight: { type: number, required: true } } }, sites: { fields: { a: {} } } }'
  const third = await startAgain(first, ['--database', database, ...objects(more)])
  expect((await send(third, 'GET', '/v1/machines')).json.data).toEqual([machine])
  expect(await send(third, 'POST', '/v1/machines', { serial: 's1' })).toMatchObject({ status: 422 })
  expect(await send(third, 'POST', '/v1/machines', { serial: 's1', weight: 1.5 })).toMatchObject({ status: 201 })
  expect(await send(third, 'POST', '/v1/sites', { a: 'x' })).toMatchObject({ status: 201 })
})

test('records that share the value of a member that becomes unique are named, and the objects stay as they were', async () => {
  const database = await newDatabase()
  const first = await startService(['--database', database, ...objects('objects: { parts: { fields: { code: {} } } }')])
  for (const _ of [1, 2]) await send(first, 'POST', '/v1/parts', { code: 'P' })
  await first.stop()
  const file = objects('objects: { parts: { fields: { code: { unique: true } } } }')
  await expect(startService(['--database', database, ...file])).rejects.toThrow(
    /ended with \d+: (.|\n)*parts.code cannot be unique in database/,
  )
  const after = await startAgain(first, ['--database', database])
  expect((await send(after, 'GET', '/v1/objects')).json.data.at(-1).fields[1]).toMatchObject({ unique: false })
})

test('a field that becomes a reference filters all records, also after it was none for a while', async () => {
  const database = await newDatabase()
  const long = `text_${'a'.repeat(35)}`
  const withFields = (fields: string) => [
    '--database',
    database,
    ...objects(`objects: { parts: { fields: { ${fields} } } }`),
  ]
  const first = await startService(withFields(`text: {}, ${long}: {}`))
  const [one, two] = [
    await send(first, 'POST', '/v1/contacts', { name: 'A' }),
    await send(first, 'POST', '/v1/contacts', { name: 'B' }),
  ]
  const { json: part } = await send(first, 'POST', '/v1/parts', { text: one.json.id, [long]: two.json.id })
  expect(await send(first, 'GET', `/v1/parts?text=${one.json.id}`)).toMatchObject({ status: 400 })
  await first.stop()
  const references = () => withFields(`${long}: { to: contacts }, text: { to: contacts }`)
  const second = await startAgain(first, references())
  const listed = async (service: Service, filter: string) =>
    (await send(service, 'GET', `/v1/parts?${filter}`)).json.data
  expect(await listed(second, `text=${one.json.id}`)).toEqual([part])
  expect(await listed(second, `${long}=${two.json.id}`)).toEqual([part])
  await second.stop()
  const third = await startAgain(first, withFields('text: {}'))
  const path = `/v1/parts/${part.id}`
  expect(await send(third, 'PATCH', path, { text: two.json.id })).toMatchObject({ status: 200 })
  await third.stop()
  const fourth = await startAgain(first, references())
  expect(await listed(fourth, `text=${one.json.id}`)).toEqual([])
  expect(await listed(fourth, `text=${two.json.id}`)).toMatchObject([{ id: part.id }])
  expect(await send(fourth, 'PATCH', path, { text: one.json.id })).toMatchObject({ status: 200 })
  expect(await listed(fourth, `text=${one.json.id}`)).toMatchObject([{ id: part.id }])
  if (inject('postgres')) return
  const [backup, restored] = [join(folder, 'b.bak'), join(folder, 'restored.db')]
  expect(await crm(['serve', 'backup', backup, '--database', database], first.env)).toMatchObject({ exit: 0 })
  expect(await crm(['serve', 'restore', backup, '--database', restored], first.env)).toMatchObject({ exit: 0 })
  const fifth = await startAgain(first, ['--database', restored])
  expect(await listed(fifth, `text=${one.json.id}`)).toMatchObject([{ id: part.id }])
})

test.skipIf(inject('postgres')).each(['company', 'firm'])(
  'companies that a user described as %s before crm had some keep their ids, fields and place',
  async (one) => {
    const database = await newDatabase()
    const first = await startService(['--database', database, ...objects(THREE_LINES)])
    await first.stop()
    const described = { one, fields: { vat: { unique: true }, site: {} } }
    const earlier = new DatabaseSync(database)
    earlier.prepare('INSERT INTO objects VALUES (?, ?)').run('companies', JSON.stringify(described))
    earlier.close()
    const second = await startAgain(first, ['--database', database])
    const { status, json: company } = await send(second, 'POST', '/v1/companies', { vat: 'DE1' })
    expect({ status, id: company.id }).toEqual({ status: 201, id: expect.stringMatching(new RegExp(`^${one}_`)) })
    expect(await send(second, 'POST', '/v1/companies', { vat: 'de1' })).toMatchObject({ status: 409 })
    const contact = { name: 'Ada', company_id: company.id }
    expect(await send(second, 'POST', '/v1/contacts', contact)).toMatchObject({ status: 201, json: contact })
    expect((await send(second, 'GET', `/v1/contacts?company_id=${company.id}`)).json.data).toMatchObject([contact])
    expect(await send(second, 'POST', '/v1/tasks', { title: 'Call', company_id: company.id })).toMatchObject({
      status: 201,
    })
    const { json: listed } = await send(second, 'GET', '/v1/objects')
    expect(listed.data.filter(({ name }: { name: string }) => name === 'companies')).toMatchObject([{ one, own: true }])
    const env = { ...second.env, CRM_BASE_URL: second.url, CRM_API_KEY: second.key }
    expect((await crm(['objects'], env)).exit).toBe(0)
    const made = await crm(['companies', 'create', '--set', 'vat=DE2', '-o', 'json'], env)
    expect(JSON.parse(made.stdout)).toMatchObject({ vat: 'DE2', id: expect.stringMatching(new RegExp(`^${one}_`)) })
    await second.stop()
    const file = objects(
      `objects: { companies: { one: ${one}, fields: { vat: { unique: true }, size: { type: integer } } } }`,
    )
    const third = await startAgain(first, ['--database', database, ...file])
    expect(await send(third, 'POST', '/v1/companies', { size: 'big' })).toMatchObject({ status: 422 })
  },
)

test.skipIf(inject('postgres'))('a backup has the objects, and is restored with them', async () => {
  const database = await newDatabase()
  const first = await startService(['--database', database, ...objects(THREE_LINES)])
  const { json: machine } = await send(first, 'POST', '/v1/machines', { serial: 'S1' })
  const [backup, restored] = [join(folder, 'a.bak'), join(folder, 'restored.db')]
  expect(await crm(['serve', 'backup', backup, '--database', database], first.env)).toMatchObject({ exit: 0 })
  expect(await crm(['serve', 'restore', backup, '--database', restored], first.env)).toMatchObject({ exit: 0 })
  const second = await startAgain(first, ['--database', restored])
  expect((await send(second, 'GET', '/v1/machines')).json.data).toEqual([machine])
})

test('records of objects can be seeded', async () => {
  const seed = join(folder, 'seed.yaml')
  writeFileSync(seed, 'machines: [{ serial: A1, state: new }, { serial: A2 }]')
  const service = await startService(['--database', await newDatabase(), ...objects(THREE_LINES), '--seed', seed])
  expect(service.said()).toContain('Loaded 0 contacts, 0 deals, 0 notes, 0 companies, 0 tasks and 2 machines')
})

test.runIf(inject('postgres'))(
  'a copy from SQLite to PostgreSQL and back has the objects and their records',
  async () => {
    const [file, back] = [join(folder, 'a.db'), join(folder, 'back.db')]
    const first = await startService(['--database', file, ...objects(THREE_LINES)])
    const { json: machine } = await send(first, 'POST', '/v1/machines', { serial: 'S1' })
    await first.stop()
    const address = await newPostgres('empty')
    const there = await crm(['serve', 'copy', '--from', file, '--to', address, '-o', 'json'], first.env)
    expect(there).toMatchObject({ exit: 0 })
    expect(JSON.parse(there.stdout)).toContainEqual(expect.objectContaining({ table: 'own_machines', rows: 1 }))
    expect(await crm(['serve', 'copy', '--from', address, '--to', back], first.env)).toMatchObject({ exit: 0 })
    for (const database of [address, back]) {
      const service = await startAgain(first, ['--database', database])
      expect((await send(service, 'GET', '/v1/machines')).json.data).toEqual([machine])
      expect(await send(service, 'POST', '/v1/machines', { serial: 's1' })).toMatchObject({ status: 409 })
      await service.stop()
    }
  },
)
