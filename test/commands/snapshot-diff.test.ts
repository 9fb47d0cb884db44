import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { startService } from '../harness/service.ts'
import { serviceHome } from './service-home.ts'

test('diff shows the changes of a job, with exit 10, and nothing where it changed nothing, with exit 0', async () => {
  const { env } = await startService()
  const made = (name: string) => crmPrints(['contacts', 'create', '--set', `name=${name}`, '-o', 'id'], env)
  const [ada, bob] = [(await made('Ada')).trim(), (await made('Bob')).trim()]
  const before = join(env.HOME, 'before.ndjson')
  writeFileSync(before, await crmPrints(['snapshot'], env))
  expect(await crm(['diff', before, 'live', '-o', 'json'], env)).toMatchObject({
    exit: 0,
    stdout: '[]\n',
    stderr: 'No differences.\n',
  })

  await crmPrints(['contacts', 'update', ada, '--set', 'phone=123', '-q', '-o', 'id'], env)
  await crmPrints(['contacts', 'delete', bob, '--yes', '-q', '-o', 'id'], env)
  const cyd = (await made('Cyd')).trim()
  const deal = (
    await crmPrints(['deals', 'create', '--set', 'name=Big', '--set', 'stage=Lead', '-o', 'id'], env)
  ).trim()
  const { exit, stdout, stderr } = await crm(['diff', before, 'live', '-o', 'json'], env)
  expect({ exit, stderr }).toEqual({ exit: 10, stderr: '2 added, 1 changed, 1 removed\n' })
  expect(JSON.parse(stdout)).toMatchObject([
    { change: 'added', type: 'contact', id: cyd, name: 'Cyd' },
    { change: 'changed', type: 'contact', id: ada, fields: { phone: { from: null, to: '123' } } },
    { change: 'added', type: 'deal', id: deal, name: 'Big' },
    { change: 'removed', type: 'contact', id: bob, record: { name: 'Bob' } },
  ])

  const after = join(env.HOME, 'after.ndjson')
  writeFileSync(after, await crmPrints(['snapshot'], env))
  const away = { HOME: env.HOME, PATH: env.PATH ?? '' }
  expect(await crm(['diff', before, after, '-o', 'json'], away)).toMatchObject({ exit: 10, stdout })
  expect(await crm(['diff', before, '-', '-o', 'json'], away, readFileSync(after, 'utf8'))).toMatchObject({
    exit: 10,
    stdout,
  })
  expect(await crm(['diff', '-', '-'], away)).toMatchObject({ exit: 2 })
  expect(await crm(['diff', before, '-'], away)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('- is empty'),
  })
})

test('every object is compared, --only limits it, and an earlier snapshot has contacts and deals', async () => {
  const { env } = await startService()
  const company = (await crmPrints(['companies', 'create', '--set', 'name=Acme', '-o', 'id'], env)).trim()
  const before = join(env.HOME, 'before.ndjson')
  writeFileSync(before, await crmPrints(['snapshot', '--only', 'contacts,companies'], env))
  await crmPrints(['companies', 'update', company, '--set', 'city=Bonn', '-q', '-o', 'id'], env)
  await crmPrints(['contacts', 'create', '--set', 'name=Ada', '-q', '-o', 'id'], env)
  const { exit, stdout } = await crm(['diff', before, 'live', '--only', 'companies', '-o', 'json'], env)
  expect(exit).toBe(10)
  expect(JSON.parse(stdout)).toMatchObject([{ change: 'changed', type: 'company', fields: { city: { to: 'Bonn' } } }])
  const all = await crm(['diff', before, 'live'], env)
  expect(all.stderr).toContain('Not compared: deals, which ')
  expect(all.stderr).toContain('1 added, 1 changed')

  const earlier = join(env.HOME, 'earlier.ndjson')
  writeFileSync(earlier, '{"crm_snapshot":1,"lacks":["deals"]}\n{"type":"end","contacts":0,"deals":0}\n')
  expect((await crm(['diff', earlier, 'live'], env)).stderr).toContain('1 added')
  expect(await crm(['snapshot', '--only', 'machines'], env)).toMatchObject({ exit: 2 })
  expect(await crm(['diff', earlier, 'live', '--only', 'companies'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('have no objects in common'),
  })
})

test.each([
  ['another file', '{"name":"Ada"}\n', 'line 1 is not the first line of a snapshot'],
  ['text', 'id,name\n', 'line 1 is not a JSON object'],
  [
    'a truncated one',
    '{"crm_snapshot":1}\n{"type":"contact","record":{"id":"con_1"}}\n',
    'line 2 is the last one: the snapshot is truncated',
  ],
  ['a later version', '{"crm_snapshot":2}\n', 'is a snapshot of version 2, expected 1'],
  ['an empty file', '', 'x.ndjson is empty'],
])('%s is exit 2 with its line', async (_, text, said) => {
  const { env } = await startService()
  const file = join(env.HOME, 'x.ndjson')
  writeFileSync(file, text)
  const { exit, stderr } = await crm(['diff', file, 'live'], env)
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(said) })
})

test('a missing file is exit 2, before any request', async () => {
  const { exit, stderr } = await crm(['diff', 'nowhere.ndjson', 'live'], { PATH: '', CRM_API_KEY: 'k' })
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: 'crm: there is no file "nowhere.ndjson"\n  crm snapshot > nowhere.ndjson\n',
  })
})

test('--notes has the notes of each deal, and diff compares them and the lists of ids', async () => {
  const home = await serviceHome()
  const deal = await home.json('deals', 'create', '--set', 'name=D', '--set', 'stage=Lead')
  const note = await home.json('notes', 'add', deal.id, '--body', 'one')
  const { stdout } = await home.crm('snapshot', '--notes')
  const file = home.file('before.ndjson', stdout)
  expect((await home.crm('diff', file, 'live')).exit).toBe(0)
  await home.json('notes', 'add', deal.id, '--body', 'two')
  await home.service.send('DELETE', `/v1/notes/${note.id}`)
  const contact = await home.json('contacts', 'create', '--set', 'name=A')
  await home.json('deals', 'update', deal.id, '--set', `contact_ids:=["${contact.id}"]`)
  const { exit, stdout: found } = await home.crm('diff', file, 'live', '-o', 'json')
  expect(exit).toBe(10)
  const changes = (JSON.parse(found) as { change: string; type: string; fields?: object }[]).map(
    ({ change, type, fields }) => [change, type, fields && Object.keys(fields)],
  )
  expect(changes).toEqual(
    expect.arrayContaining([
      ['added', 'contact', undefined],
      ['changed', 'deal', ['contact_ids']],
      ['added', 'note', undefined],
      ['removed', 'note', undefined],
    ]),
  )
})
