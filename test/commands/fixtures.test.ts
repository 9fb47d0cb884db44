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
