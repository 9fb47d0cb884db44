import { expect, test } from 'vitest'
import { serviceHome } from './service-home.ts'

/** A contact that an import changes, and two that it makes. */
async function imported() {
  const home = await serviceHome()
  const { json, file } = home
  const ada = await json('contacts', 'create', '--set', 'name=Ada', '--set', 'email=ada@x.test')
  const rows = file('rows.csv', 'email,name,company\nada@x.test,Ada L,Acme\nb@x.test,Bea,B\nc@x.test,Cid,C\n')
  const { job } = await json('contacts', 'import', rows, '--match', 'email', '--yes')
  const named = async (name: string) =>
    (await json('contacts', 'list')).find((each: { name: string }) => each.name === name)
  return { ...home, ada, job, named }
}

test('an undo deletes the records that the job created, and restores those that it changed', async () => {
  const { json, ada, job } = await imported()
  expect(await json('jobs', 'undo', job, '--yes', '--expect', '2')).toMatchObject({ rows: 3, done: 3 })
  const [only, ...others] = await json('contacts', 'list')
  expect(others).toEqual([])
  expect(only).toMatchObject({ id: ada.id, name: 'Ada', email: 'ada@x.test' })
  expect(only.company).toBeUndefined()
})

test('an undo leaves records that were changed since, and reports them', async () => {
  const { json, crm, ada, job, named } = await imported()
  await json('contacts', 'update', ada.id, '--set', 'name=Theirs')
  await json('contacts', 'update', (await named('Bea')).id, '--set', 'phone=1')
  const { exit, stderr } = await crm('jobs', 'undo', job, '--yes', '--expect', '1', '-o', 'json')
  expect(exit, stderr).toBe(3)
  const left = await json('contacts', 'list')
  expect(left).toMatchObject([
    { name: 'Bea', phone: '1' },
    { id: ada.id, name: 'Theirs' },
  ])
  expect(left[1].company).toBeUndefined()
  expect(stderr).toContain('2 changed since, or not kept by the server: ')
})

test('an undo is done once, and can be taken back', async () => {
  const { json, crm, job } = await imported()
  const first = await json('jobs', 'undo', job, '--yes', '--expect', '2')
  const again = await crm('jobs', 'undo', job, '--yes', '--expect', '2', '-o', 'json')
  expect(again.stderr).toContain(`${first.job} has already done this`)
  expect(await json('contacts', 'list')).toHaveLength(1)
  await json('jobs', 'undo', first.job, '--yes')
  const names = (await json('contacts', 'list')).map(({ name }: { name: string }) => name)
  expect(names.toSorted()).toEqual(['Ada L', 'Bea', 'Cid'])
})

test('a record that a job deleted is created again with all its members', async () => {
  const { json } = await imported()
  const { job } = await json('contacts', 'delete', '--where', '.company == "B"', '--yes', '--expect', '1')
  expect(await json('contacts', 'list')).toHaveLength(2)
  expect(await json('jobs', 'undo', job, '--yes')).toMatchObject({ done: 1 })
  expect((await json('contacts', 'list'))[0]).toMatchObject({ name: 'Bea', email: 'b@x.test', company: 'B' })
})

test('an undo restores texts with the line separators of Unicode, which JSON does not escape', async () => {
  const { json, crm } = await serviceHome()
  const contact = await json('contacts', 'create', '--set', 'name=one\u2028two\u2029three', '--set', 'email=a@x.test')
  const { job } = await json('contacts', 'update', '--where', 'true', '--set', 'name=Ada', '--yes')
  const { exit, stderr } = await crm('jobs', 'undo', job, '--yes')
  expect(exit, stderr).toBe(0)
  expect((await json('contacts', 'get', contact.id)).name).toBe('one\u2028two\u2029three')
})

test('an undo of --fields takes back these members alone, and a second one the rest', async () => {
  const { json, crm, ada, job } = await imported()
  const part = await json('jobs', 'undo', job, '--fields', 'name', '--yes')
  expect(part).toMatchObject({ rows: 1, done: 1, failed: 0, skipped: 0 })
  const adaNow = async () => (await json('contacts', 'list')).find(({ id }: { id: string }) => id === ada.id)
  expect(await adaNow()).toMatchObject({ name: 'Ada', company: 'Acme' })
  expect(await json('contacts', 'list')).toHaveLength(3)
  const again = await crm('jobs', 'undo', job, '--fields', 'name', '--yes')
  expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining(`${part.job} has already done this`) })
  expect(await json('jobs', 'undo', job, '--yes', '--expect', '2')).toMatchObject({ rows: 3, done: 3 })
  expect(await json('contacts', 'list')).toHaveLength(1)
  expect((await adaNow()).company).toBeUndefined()
  const covered = await crm('jobs', 'undo', job, '--fields', 'company', '--yes')
  expect(covered).toMatchObject({ exit: 0, stderr: expect.stringContaining('has already done this') })
})

test('--fields of an undo names members that the job wrote, and says which records stay', async () => {
  const { crm, job } = await imported()
  const wrong = await crm('jobs', 'undo', job, '--fields', 'phone', '--yes')
  expect(wrong).toMatchObject({ exit: 2, stderr: expect.stringContaining('did not write phone; it wrote') })
  const plan = await crm('jobs', 'undo', job, '--fields', 'company', '--dry-run')
  expect(plan.stderr + plan.stdout).toContain('because of --fields: 2 created')
})

test('an undo of some members is undone, and these members can then be undone by an undo of all', async () => {
  const { json, ada, job } = await imported()
  const part = await json('jobs', 'undo', job, '--fields', 'name', '--yes')
  await json('jobs', 'undo', part.job, '--yes')
  await json('jobs', 'undo', job, '--yes', '--expect', '2')
  expect(await json('contacts', 'list')).toMatchObject([{ id: ada.id, name: 'Ada' }])
})
