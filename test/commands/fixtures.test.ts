import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serviceHome } from './service-home.ts'

const FILE = `version: 1
contacts:
  ann: { name: Ann, email: "ann-\${run.id}@x.test" }
  old: { $match: email, email: old@x.test, company: Fix }
deals:
  big: { name: Big, stage: Lead }
notes:
  call: { deal: "\${deals.big.id}", body: Called }
`

type Applied = { readonly record: string; readonly action: string }[]
const actions = (records: Applied) => Object.fromEntries(records.map(({ record, action }) => [record, action]))

async function withFile() {
  const home = await serviceHome()
  const old = await home.json('contacts', 'create', '--set', 'name=Old', '--set', 'email=old@x.test')
  const path = home.file('fixtures.yaml', FILE)
  const fixtures = async (verb: string, run: string) =>
    actions(await home.json('fixtures', verb, path, '--run-id', run))
  const emails = async () =>
    (await home.json('contacts', 'list')).map(({ email }: { email: string }) => email).toSorted()
  return { ...home, old, path, fixtures, emails }
}

test('fixtures are made once, however often they are applied', async () => {
  const { fixtures, json } = await withFile()
  expect(await fixtures('apply', 'r1')).toEqual({
    'contacts.ann': 'created',
    'contacts.old': 'updated',
    'deals.big': 'created',
    'notes.call': 'created',
  })
  expect(new Set(Object.values(await fixtures('apply', 'r1')))).toEqual(new Set(['unchanged']))
  expect(await json('contacts', 'list')).toHaveLength(2)
  expect(await json('deals', 'list')).toHaveLength(1)
})

test('a destroy deletes the records of its run, not earlier ones or those of another run', async () => {
  const { fixtures, json, emails } = await withFile()
  await fixtures('apply', 'r1')
  await fixtures('apply', 'r2')
  expect(await fixtures('destroy', 'r1')).toEqual({
    'contacts.ann': 'deleted',
    'contacts.old': 'kept',
    'deals.big': 'deleted',
    'notes.call': 'deleted',
  })
  expect(await json('deals', 'list')).toHaveLength(1)
  expect(await emails()).toEqual(['ann-r2@x.test', 'old@x.test'])
})

test('a contact that was deleted since is created again', async () => {
  const { fixtures, json, emails } = await withFile()
  await fixtures('apply', 'r1')
  const [ann] = (await json('contacts', 'list')).filter(({ name }: { name: string }) => name === 'Ann')
  await json('contacts', 'delete', ann.id, '--yes')
  expect(await fixtures('apply', 'r1')).toMatchObject({ 'contacts.ann': 'created', 'contacts.old': 'unchanged' })
  expect(await emails()).toEqual(['ann-r1@x.test', 'old@x.test'])
})

test('now stays that of the first apply, until the run is destroyed', async () => {
  const home = await serviceHome()
  const path = home.file(
    'now.yaml',
    'version: 1\ncontacts: { a: { name: "at ${now}" } }\ndeals: { d: { name: "${now}", stage: Lead } }\n',
  )
  const fixtures = async (verb: string) => actions(await home.json('fixtures', verb, path, '--run-id', 'r'))
  const name = async () => (await home.json('deals', 'list'))[0].name
  await fixtures('apply')
  const first = await name()
  await expect.poll(() => new Date().toISOString().slice(0, 19)).not.toBe(first.slice(0, 19))
  for (const verb of ['plan', 'apply'])
    expect(new Set(Object.values(await fixtures(verb)))).toEqual(new Set(['unchanged']))
  await fixtures('destroy')
  await fixtures('apply')
  expect(await name()).not.toBe(first)
})

test('each record that is rejected is named', async () => {
  const home = await serviceHome()
  const path = home.file('big.yaml', 'version: 1\ncontacts: { a: { name: A }, b: { $count: 3, name: A } }\n')
  const { exit, stderr } = await home.crm(
    'fixtures',
    'apply',
    path,
    '--run-id',
    'r',
    '--set',
    `contacts.b.name=${'x'.repeat(70_000)}`,
  )
  expect({ exit, stderr }).toEqual({
    exit: 3,
    stderr: expect.stringContaining('3 records were rejected: contacts.b[0], contacts.b[1], contacts.b[2]'),
  })
  for (const n of [0, 1, 2]) expect(stderr).toContain(`big.yaml:2:29: contacts.b[${n}] was rejected; body: the record`)
})

const ALL = `version: 1
companies: { acme: { name: Acme, domain: "acme-\${run.id}.example" } }
contacts:
  ada: { name: Ada, email: "ada-\${run.id}@x.test", company_id: "\${companies.acme.id}" }
  ben: { name: Ben, email: "ben-\${run.id}@x.test" }
deals: { big: { name: Big, stage: Lead, contact_ids: ["\${contacts.ada.id}", "\${contacts.ben.id}"] } }
tasks: { call: { title: Call, contact_id: "\${contacts.ada.id}", deal_id: "\${deals.big.id}", due_on: "\${today + 3d}" } }
expect:
  - { count: 2, of: contacts }
  - { count: 1, of: tasks, where: { contact_id: "\${contacts.ada.id}" } }
  - { record: contacts.ada, has: { name: Ada, company_id: "\${companies.acme.id}" } }
  - { record: deals.big, has: { contact_ids: ["\${contacts.ben.id}", "\${contacts.ada.id}"] } }
  - { record: tasks.call, is: gone }
`

test('every object is made once, refers to others, and is deleted before what it refers to', async () => {
  const home = await serviceHome()
  const path = home.file('all.yaml', ALL)
  const fixtures = async (verb: string) => actions(await home.json('fixtures', verb, path, '--run-id', 'r'))
  expect(new Set(Object.values(await fixtures('apply')))).toEqual(new Set(['created']))
  expect(new Set(Object.values(await fixtures('apply')))).toEqual(new Set(['unchanged']))
  const [task] = await home.json('tasks', 'list')
  await home.json('tasks', 'delete', task.id, '--yes')
  expect(await fixtures('apply')).toMatchObject({ 'tasks.call': 'created', 'companies.acme': 'unchanged' })
  expect(new Set(Object.values(await fixtures('destroy')))).toEqual(new Set(['deleted']))
  for (const noun of ['companies', 'contacts', 'deals', 'tasks']) expect(await home.json(noun, 'list')).toEqual([])
})

test('verify names what the files expect and the server has otherwise, and is exit 10', async () => {
  const home = await serviceHome()
  const path = home.file('all.yaml', ALL)
  const verify = ['fixtures', 'verify', path, '--run-id', 'r']
  expect((await home.crm(...verify)).exit).toBe(6)
  await home.json('fixtures', 'apply', path, '--run-id', 'r')
  const before = await home.crm(...verify, '-o', 'json')
  expect(before.exit).toBe(10)
  expect(before.stderr).toMatch(/^\S+all\.yaml:13:5: tasks\.call is "there", expected "gone"$/m)
  const failed = JSON.parse(before.stdout).filter(({ holds }: { holds: boolean }) => !holds)
  expect(failed).toHaveLength(1)
  const [task] = await home.json('tasks', 'list')
  await home.json('tasks', 'delete', task.id, '--yes')
  // The deleted task is missed by the count now.
  expect((await home.crm(...verify)).stderr).toMatch(
    /all\.yaml:10:5: tasks with \{"contact_id":"con_\w+"\} is 0, expected 1$/m,
  )
  const [contact] = (await home.json('contacts', 'list')).filter(({ name }: { name: string }) => name === 'Ada')
  await home.json('contacts', 'update', contact.id, '--set', 'name=Grace')
  expect((await home.crm(...verify)).stderr).toMatch(/:11:5: contacts\.ada\.name is "Grace", expected "Ada"$/m)
})

test('webhooks are made once and deleted, and their secret is in no file; a pipeline that the server lacks is a mistake', async () => {
  const home = await serviceHome()
  const path = home.file(
    'hooks.yaml',
    'version: 1\nwebhooks: { w: { url: "http://127.0.0.1:9/x", events: ["deal.*"] } }\n',
  )
  const fixtures = async (verb: string) => actions(await home.json('fixtures', verb, path, '--run-id', 'r'))
  expect(await fixtures('apply')).toEqual({ 'webhooks.w': 'created' })
  expect(await fixtures('apply')).toEqual({ 'webhooks.w': 'unchanged' })
  const state = home.env.CRM_STATE_HOME ?? ''
  const files = readdirSync(state, { recursive: true, encoding: 'utf8' }).map((name) => join(state, name))
  for (const file of files.filter((each) => statSync(each).isFile()))
    expect(readFileSync(file, 'latin1')).not.toContain('whsec_')
  expect(await fixtures('destroy')).toEqual({ 'webhooks.w': 'deleted' })
  expect(await home.json('webhooks', 'list')).toEqual([])

  const lacking = home.file(
    'lacking.yaml',
    'version: 1\npipelines: [{ id: sales, stages: [Lead, Nope] }, { id: other, stages: [X] }]\n',
  )
  const { exit, stderr } = await home.crm('fixtures', 'apply', lacking, '--run-id', 'r')
  expect(exit).toBe(2)
  expect(stderr).toContain('lacking.yaml:2:13: the pipeline "sales" has no stage Nope; ')
  expect(stderr).toContain('lacking.yaml:2:50: the server has no pipeline "other"; ')
})

test('deals are exported with what they refer to, as references, and make the same elsewhere', async () => {
  const [home, other] = [await serviceHome(), await serviceHome()]
  await home.json('fixtures', 'apply', home.file('all.yaml', ALL), '--run-id', 'r')
  const { stdout } = await home.crm('fixtures', 'export', '--with', 'contacts,companies,tasks')
  expect(stdout).toContain('company_id: ${companies.company_1.id}')
  await other.json('fixtures', 'apply', other.file('again.yaml', stdout), '--run-id', 'x')
  const [task] = await other.json('tasks', 'list')
  const [deal] = await other.json('deals', 'list')
  expect(task.deal_id).toBe(deal.id)
  const ids = (await other.json('contacts', 'list')).map(({ id }: { id: string }) => id)
  expect(deal.contact_ids.toSorted()).toEqual(ids.toSorted())
})
