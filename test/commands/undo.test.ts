import { expect, test } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { runJob } from '../harness/import-run.ts'
import { startProxy } from '../harness/proxy.ts'
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

/** Four contacts of an import; `ids` in the order of their lines, from 2 to 5. */
async function fourImported() {
  const home = await serviceHome()
  const { json, file } = home
  const rows = file(
    'four.csv',
    'email,name,company\na@x.test,A,Acme\nb@x.test,B,Acme\nc@x.test,C,Other\nd@x.test,D,Other\n',
  )
  const { job } = await json('contacts', 'import', rows, '--yes')
  const names = async (): Promise<string[]> =>
    (await json('contacts', 'list')).map(({ name }: { name: string }) => name).toSorted()
  const idOf = async (name: string): Promise<string> =>
    (await json('contacts', 'list')).find((each: { name: string }) => each.name === name)?.id
  return { ...home, input: rows, job, names, idOf }
}

test('an undo of --rows reverts these lines alone, another one others, and an undo of all the rest', async () => {
  const { json, crm, job, names } = await fourImported()
  const plan = await crm('jobs', 'undo', job, '--rows', '2,3', '--dry-run')
  expect(plan.stderr).toContain(`2 of 4 operations of ${job} are selected.`)
  const first = await json('jobs', 'undo', job, '--rows', '3,2', '--yes', '--expect', '2')
  expect(first).toMatchObject({ rows: 2, done: 2, skipped: 0 })
  expect(await names()).toEqual(['C', 'D'])
  expect(await json('jobs', 'show', first.job)).toMatchObject({ undoes: job, part: 'rows 2-3' })
  const again = await crm('jobs', 'undo', job, '--rows', '2-3', '--yes', '--expect', '2')
  expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining(`${first.job} has already done this`) })
  const second = await json('jobs', 'undo', job, '--rows', '3-4', '--yes', '--expect', '1')
  expect(second).toMatchObject({ rows: 2, done: 1, skipped: 1 })
  expect(second.job).not.toBe(first.job)
  expect(await names()).toEqual(['D'])
  expect(await json('jobs', 'show', job)).toMatchObject({
    ...{ undone_by: second.job, undone_part: 'rows 3-4' },
    undos: [
      { job: first.job, part: 'rows 2-3' },
      { job: second.job, part: 'rows 3-4' },
    ],
  })
  expect(await json('jobs', 'undo', job, '--yes', '--expect', '1')).toMatchObject({ rows: 4, done: 1, skipped: 3 })
  expect(await names()).toEqual([])
  const covered = await crm('jobs', 'undo', job, '--rows', '5', '--yes')
  expect(covered).toMatchObject({ exit: 0, stderr: expect.stringContaining('has already done this') })
})

test('--where of an undo selects by the record as it is now, and combines with --fields', async () => {
  const { json, idOf } = await fourImported()
  const update = await json(
    'contacts',
    'update',
    '--where',
    'true',
    '--set',
    'company=New',
    '--set',
    'phone=1',
    '--yes',
  )
  await json('contacts', 'update', await idOf('A'), '--set', 'name=Renamed')
  const part = await json('jobs', 'undo', update.job, '--where', '.name == "Renamed"', '--fields', 'company', '--yes')
  expect(part).toMatchObject({ rows: 1, done: 1, skipped: 0 })
  expect(await json('contacts', 'get', await idOf('Renamed'))).toMatchObject({ company: 'Acme', phone: '1' })
  expect(await json('jobs', 'show', part.job)).toMatchObject({ part: 'company of records where .name == "Renamed"' })
  const others = await json('jobs', 'undo', update.job, '--where', '.name != "Renamed"', '--yes')
  expect(others).toMatchObject({ rows: 3, done: 3 })
  expect(await json('jobs', 'undo', update.job, '--yes')).toMatchObject({ rows: 4, done: 1, skipped: 3 })
  const companies = (await json('contacts', 'list')).map((each: { company: string }) => each.company)
  expect(companies.toSorted()).toEqual(['Acme', 'Acme', 'Other', 'Other'])
})

test('an undo of all makes a deleted record once, although an undo of a part has made it already', async () => {
  const { json, crm, file, idOf, names } = await fourImported()
  const [a, b] = [await idOf('A'), await idOf('B')]
  const { job } = await json('contacts', 'delete', '--where', '.company == "Acme"', '--yes', '--expect', '2')
  const part = await json('jobs', 'undo', job, '--ids', file('ids', `${a}\n\n`), '--yes')
  expect(part).toMatchObject({ rows: 1, done: 1 })
  expect(await json('jobs', 'undo', job, '--yes')).toMatchObject({ rows: 2, done: 1, skipped: 1 })
  expect(await names()).toEqual(['A', 'B', 'C', 'D'])
  const wrong = await crm('jobs', 'undo', job, '--ids', file('ids', `${b}\ncon_none\n`), '--yes')
  expect(wrong.exit, wrong.stderr).toBe(0)
})

test('an undo of an undo of a part gives its records back, and the part can be undone with the rest', async () => {
  const { json, job, names } = await fourImported()
  const part = await json('jobs', 'undo', job, '--rows', '2-3', '--yes', '--expect', '2')
  await json('jobs', 'undo', part.job, '--where', '.name == "A"', '--yes')
  expect(await names()).toEqual(['A', 'C', 'D'])
  await json('jobs', 'undo', part.job, '--yes')
  expect(await names()).toEqual(['A', 'B', 'C', 'D'])
  expect(await json('jobs', 'undo', job, '--rows', '2-3', '--yes', '--expect', '2')).toMatchObject({ rows: 2, done: 2 })
  expect(await names()).toEqual(['C', 'D'])
  expect(await json('jobs', 'undo', job, '--yes', '--expect', '2')).toMatchObject({ rows: 4, done: 2, skipped: 2 })
  expect(await names()).toEqual([])
})

test('a job whose undo was undone is undone again, and again, but for what others changed', async () => {
  const { json, crm, ada, job, named } = await imported()
  const company = async () => (await json('contacts', 'get', ada.id)).company
  for (const undos of [1, 2, 3]) {
    const undo = await json('jobs', 'undo', job, '--yes', '--expect', '2')
    expect(undo, `undo ${undos}`).toMatchObject({ rows: 3, done: 3 })
    expect([await json('contacts', 'list'), await company()]).toMatchObject([[{ name: 'Ada' }], undefined])
    expect(await json('jobs', 'show', job)).toMatchObject({ undone_by: undo.job })
    expect(await json('jobs', 'undo', undo.job, '--yes')).toMatchObject({ rows: 3, done: 3 })
    expect([(await json('contacts', 'list')).length, await company()]).toEqual([3, 'Acme'])
    expect(await json('jobs', 'show', job)).toMatchObject({ undone_by: null })
  }
  await json('contacts', 'update', (await named('Bea')).id, '--set', 'phone=1')
  const last = await crm('jobs', 'undo', job, '--yes', '--expect', '1', '-o', 'json')
  expect(last).toMatchObject({ exit: 3, stderr: expect.stringContaining('1 changed since') })
  expect((await json('contacts', 'list')).map(({ name }: { name: string }) => name)).toEqual(['Bea', 'Ada'])
})

test('records that a later job changed and its undo gave back are deleted by the undo of the import, and no others', async () => {
  const { json, crm, job, names, idOf } = await fourImported()
  const set = ['--set', 'phone=1', '--set', 'city=Ulm', '--new-field']
  const update = (where: string) => json('contacts', 'update', '--where', where, ...set, '--yes', '--expect', '1')
  const [a, b, c] = [await update('.name == "A"'), await update('.name == "B"'), await update('.name == "C"')]
  await json('jobs', 'undo', a.job, '--yes')
  await json('jobs', 'undo', b.job, '--fields', 'phone', '--yes')
  await json('jobs', 'undo', c.job, '--yes')
  await json('contacts', 'update', await idOf('D'), '--set', 'phone=2')
  await json('contacts', 'update', await idOf('D'), '--set', 'phone:=null')
  const undo = await crm('jobs', 'undo', job, '--yes', '--expect', '2', '-o', 'json')
  expect(undo).toMatchObject({ exit: 3, stderr: expect.stringContaining('2 changed since') })
  expect(await names()).toEqual(['B', 'D'])
})

test('after an undo of a part the same import makes these records again, and no others', async () => {
  const { json, crm, job, names, input } = await fourImported()
  const part = await json('jobs', 'undo', job, '--rows', '2-3', '--yes', '--expect', '2')
  await json('jobs', 'undo', part.job, '--where', '.name == "A"', '--yes')
  expect(await json('jobs', 'show', job)).toMatchObject({ undone_by: part.job, undone_part: 'rows 2-3' })
  expect(await names()).toEqual(['A', 'C', 'D'])
  const { stderr } = await crm('contacts', 'import', input, '--yes')
  expect(stderr).toContain(`${job} was undone by ${part.job}`)
  expect(await names()).toEqual(['A', 'B', 'C', 'D'])
})

test('an undo of a part that was stopped blocks the undo of another part, and of all, until it has ended', async () => {
  const { service, file } = await serviceHome()
  let writes = Number.POSITIVE_INFINITY
  const proxy = await startProxy(service.url, (method) => (method === 'GET' || writes-- > 0 ? undefined : 403))
  const env = emptyHome({ CRM_BASE_URL: proxy, CRM_API_KEY: service.key.text })
  const run = async (...argv: string[]) => runJob([...argv, '--yes', '--concurrency', '1'], env)
  await run('contacts', 'import', file('three.csv', 'name,email\nA,a@x.test\nB,b@x.test\nC,c@x.test\n'))
  const [job = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
  writes = 1
  const part = await run('jobs', 'undo', job, '--rows', '2-3', '--expect', '2')
  expect(part).toMatchObject({ exit: 5, account: { done: 1 } })
  writes = Number.POSITIVE_INFINITY
  for (const other of [['--rows', '4'], ['--rows', '2'], []]) {
    const refused = await run('jobs', 'undo', job, ...other)
    expect(refused.exit).toBe(7)
    expect(refused.stderr).toMatch(new RegExp(`job_\\w+, which undoes rows 2-3 of ${job}, has not ended`))
  }
  // The same part goes on.
  expect(await run('jobs', 'undo', job, '--rows', '2-3')).toMatchObject({ exit: 0, account: { done: 2 } })
  expect(await run('jobs', 'undo', job, '--expect', '1')).toMatchObject({ exit: 0, account: { done: 1, skipped: 2 } })
})

test('a line or an id that is none of the job, and two selections at once, are refused', async () => {
  const { json, crm, file, job, names } = await fourImported()
  const refused = async (...flags: string[]) => {
    const { exit, stderr } = await crm('jobs', 'undo', job, ...flags, '--yes')
    expect(exit, stderr).toBe(2)
    return stderr
  }
  expect(await refused('--rows', '2,9')).toContain('line 9 is none of the changes of')
  expect(await refused('--rows', '6-8')).toContain('lines 6-8 are none of the changes of')
  expect(await refused('--rows', '2-x')).toContain('names no lines of the input')
  expect(await refused('--ids', file('ids', 'con_none\n'))).toContain(`${job} did not touch "con_none"`)
  expect(await refused('--where', '.compnay == "Acme"')).toContain('compnay')
  expect(await refused('--where', 'true', '--rows', '2')).toContain('--where and --rows each select')
  expect(await names()).toHaveLength(4)
  const none = await json('jobs', 'undo', job, '--where', '.name == "Nobody"', '--yes', '--expect', '0')
  const update = await json('contacts', 'update', '--where', '.name == "Nobody"', '--set', 'phone=1', '--yes')
  expect({ ...none, job: '' }).toEqual({ ...update, job: '' })
})

test('a plan whose job was undone is not applied again, until the undo is undone', async () => {
  const { json, crm, file } = await serviceHome()
  const plan = file('rows.csv', 'email,name\na@x.test,A\nb@x.test,B\n').replace('rows.csv', 'the.plan')
  await json('contacts', 'import', plan.replace('the.plan', 'rows.csv'), '--plan', plan)
  const { job } = await json('apply', plan, '--yes')
  const undo = await json('jobs', 'undo', job, '--rows', '2', '--yes', '--expect', '1')
  const refused = await crm('apply', plan, '--yes')
  expect(refused.exit).toBe(7)
  expect(refused.stderr).toContain(`${job} has sent this plan, and ${undo.job} undid row 2; nothing was sent`)
  const [command = ''] = /jobs undo job_\w+/.exec(refused.stderr) ?? []
  await json(...command.split(' '), '--yes')
  expect(await crm('apply', plan, '--yes')).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining(`${job} has already done this`),
  })
  expect(await json('contacts', 'list')).toHaveLength(2)
})
