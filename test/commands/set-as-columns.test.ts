import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'

// What a column of an import says, --set and --data say, too.

async function started() {
  const service = await serveForTest()
  const post = async (path: string, body: object) => String((await service.send('POST', path, body)).json.id)
  const acme = await post('/v1/companies', { name: 'Acme', domain: 'acme.example', city: 'Bern' })
  const bolt = await post('/v1/companies', { name: 'Bolt', domain: 'bolt.example', city: 'Bern' })
  const ada = await post('/v1/contacts', { name: 'Ada', email: 'ada@x.example' })
  const folder = tempFolder(onTestFinished)
  const env = emptyHome({
    ...{ CRM_BASE_URL: service.url, CRM_API_KEY: service.key.text, CRM_STATE_HOME: join(folder, 'state') },
  })
  const contacts = async () => JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json', '--sort', 'name'], env))
  return { acme, bolt, ada, folder, env, post, contacts, run: (...argv: string[]) => crm(argv, env) }
}

const refused = (message: string) => ({ exit: 2, stderr: expect.stringContaining(message) })

test('a reference finds the record whose id is written, of a new record, of one and of many', async () => {
  const { acme, bolt, ada, run, contacts } = await started()
  const made = ['contacts', 'create', '--set', 'name=Bob', '--set', 'company.domain=ACME.example']
  expect(JSON.parse((await run(...made, '--dry-run', '-o', 'json')).stdout)).toMatchObject({
    body: { name: 'Bob', company_id: acme },
  })
  expect(await run(...made)).toMatchObject({ exit: 0 })
  const byData = ['contacts', 'update', ada, '--data', '{"company.name":"Bolt"}']
  expect(JSON.parse((await run(...byData, '--dry-run', '-o', 'json')).stdout).changes).toEqual({
    company_id: { from: null, to: bolt },
  })
  expect(await run(...byData)).toMatchObject({ exit: 0 })
  const companies = async () => (await contacts()).map(({ company_id }: { company_id: string }) => company_id)
  expect(await companies()).toEqual([bolt, acme])
  const many = ['contacts', 'update', '--where', '.name == "Bob"', '--set', 'Company.domain=bolt.example', '--yes']
  expect(await run(...many)).toMatchObject({ exit: 0 })
  expect(await companies()).toEqual([bolt, bolt])
  expect(await run('contacts', 'update', ada, '--set', 'company.domain:=null')).toMatchObject({ exit: 0 })
  expect(await companies()).toEqual([undefined, bolt])
})

test('a reference to no record, or to several, sends nothing', async () => {
  const { acme, bolt, ada, run, contacts } = await started()
  const before = await contacts()
  const selected = ['--where', 'true', '--yes']
  for (const words of [
    ['create', '--set', 'name=Bob'],
    ['update', ada],
    ['update', ...selected],
  ]) {
    const set = (text: string) => run('contacts', ...words, '--set', text)
    expect(await set('company.domain=nope.example')).toMatchObject(
      refused('--set company.domain=nope.example: no company has this domain'),
    )
    const several = await set('company.city=Bern')
    expect(several).toMatchObject(refused('2 companies have this city'))
    expect(several).toMatchObject(refused('  --set company_id=ID names one of them'))
    expect([several.stderr.includes(acme), several.stderr.includes(bolt)]).toEqual([true, true])
    expect(await set('company.domian=acme.example')).toMatchObject(refused('did you mean company.domain?'))
    expect(await set('tags+=vip')).toMatchObject(
      refused('--set tags+: contacts have no such field with several values'),
    )
  }
  for (const set of ['companies+.domain=acme.example', 'compny.domain=acme.example']) {
    const near = /did you mean compan(?:y|ies).domain\? /
    expect(await run('contacts', 'update', ada, '--set', set)).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(near),
    })
  }
  const twice = ['contacts', 'create', '--set', 'company.domain=acme.example', '--set', `company_id=${bolt}`]
  expect(await run(...twice)).toMatchObject(refused('company.domain and company_id both write company_id'))
  expect(await contacts()).toEqual(before)
})

test('an option is written as it is listed, and an unknown one is found before anything is sent', async () => {
  const { run } = await started()
  const task = ['tasks', 'create', '--set', 'title=Call']
  expect(await run(...task, '--set', 'Status=Done', '-o', 'json', '--jq', '.status')).toMatchObject({
    stdout: 'done\n',
  })
  expect(await run(...task, '--set', 'status=dnoe')).toMatchObject(refused('--set status=dnoe: did you mean done?'))
  expect(await run(...task, '--set', 'status=late')).toMatchObject(refused('expected one of open, done'))
  expect(await run('tasks', 'update', '--where', 'true', '--set', 'status=late', '--yes')).toMatchObject(
    refused('expected one of open, done'),
  )
  expect(JSON.parse((await run('tasks', 'list', '-o', 'json')).stdout)).toHaveLength(1)
})

test('a name near to a field is refused unless --new-field is given or a record has it; other names are taken', async () => {
  const { ada, run, post, folder, contacts } = await started()
  const file = join(folder, 'people.csv')
  writeFileSync(file, 'name,emial\nDan,d@x.example\n')
  const create = ['contacts', 'create', '--set', 'name=Bob', '--set', 'emial=b@x.example']
  for (const words of [create, ['contacts', 'update', ada, '--set', 'emial=b@x.example']]) {
    const { exit, stderr } = await run(...words)
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr:
        'crm: --set emial: contacts have no field of this name\n  did you mean email? --new-field writes it all the same\n',
    })
  }
  expect(await run('contacts', 'import', file, '--yes')).toMatchObject(refused('did you mean "email"?'))
  expect(await contacts()).toHaveLength(1)
  expect(await run('contacts', 'update', ada, '--set', 'vip:=true', '--set', 'title=CTO')).toMatchObject({ exit: 0 })
  for (const words of [create, ['contacts', 'import', file, '--yes']])
    expect(await run(...words, '--new-field')).toMatchObject({ exit: 0 })
  expect((await contacts()).map(({ emial }: { emial?: string }) => emial)).toEqual([
    ...[undefined, 'b@x.example', 'd@x.example'],
  ])
  await post('/v1/contacts', { name: 'Cy', emails: ['c@x.example'] })
  expect(await run('contacts', 'update', ada, '--set', 'emails:=["a@x.example"]')).toMatchObject({ exit: 0 })
})
