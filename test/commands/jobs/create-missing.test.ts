import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { all } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

const ROWS = [
  'name,email,company.domain',
  'Ada,ada@x.test,acme.test',
  'Bob,bob@x.test,bolt.test',
  'Cyd,cyd@x.test,ACME.test',
  'Dee,dee@x.test,old.test',
]

async function start(rows: readonly string[] = ROWS) {
  const folder = tempFolder()
  const service = await startService()
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  await crmPrints(['companies', 'create', '--set', 'name=Old', '--set', 'domain=old.test'], env)
  const file = join(folder, 'people.csv')
  writeFileSync(file, `${rows.join('\n')}\n`)
  const companies = async () =>
    (await all(service, '/v1/companies')).map(({ domain, name }) => `${domain} ${name}`).toSorted()
  const words = ['contacts', 'import', file, '--match', 'email']
  return { service, env, file, words, companies }
}

test('companies that rows name and the server lacks are created once, before the rows, and linked', async () => {
  const { service, env, words, companies } = await start()
  const refused = await crm([...words, '--yes'], env)
  expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('no company has this domain')])

  const dry = await crm([...words, '--create-missing', 'companies', '--dry-run', '-o', 'json'], env)
  expect(dry.stderr).toContain('To create first: 2 companies (domain): acme.test, bolt.test')
  expect(JSON.parse(dry.stdout)).toMatchObject({ create_first: { companies: 2 }, create: 4, rows: 4 })
  expect(await companies()).toEqual(['old.test Old'])

  const done = await crm([...words, '--create-missing', 'company', '--yes', '-o', 'json'], env)
  expect([done.exit, JSON.parse(done.stdout)]).toEqual([0, expect.objectContaining({ rows: 4, done: 4, failed: 0 })])
  expect(done.stderr).toMatch(
    /2 companies created; to take back, undo the job of the rows first, then: crm jobs undo job_\w+/,
  )
  expect(await companies()).toEqual(['acme.test acme.test', 'bolt.test bolt.test', 'old.test Old'])
  const ids = new Map((await all(service, '/v1/companies')).map(({ id, domain }) => [id, domain]))
  const links = (await all(service, '/v1/contacts')).map((row) => `${row.email} ${ids.get(row.company_id)}`)
  const expected = ['ada@x.test acme.test', 'bob@x.test bolt.test', 'cyd@x.test acme.test', 'dee@x.test old.test']
  expect(links.toSorted()).toEqual(expected)

  const again = await crm([...words, '--create-missing', 'companies', '--yes', '-o', 'json'], env)
  expect([again.exit, JSON.parse(again.stdout)]).toEqual([0, expect.objectContaining({ unchanged: 4, done: 0 })])
  expect(await companies()).toHaveLength(3)
})

test('nothing is created for a file with errors, another count than expected, or without consent to changes', async () => {
  const { service, env, words, companies } = await start([...ROWS, 'Eve,ada@x.test,eve.test'])
  await crmPrints(['contacts', 'create', '--set', 'name=Ada', '--set', 'email=ada@x.test'], env)
  const create = [...words, '--create-missing', 'companies']
  const twice = await crm([...create, '--yes'], env)
  expect([twice.exit, twice.stderr]).toEqual([2, expect.stringContaining('the same email as line 2')])
  const first = [...create, '--duplicates', 'first']
  const counted = await crm([...first, '--expect', '9', '--yes'], env)
  expect([counted.exit, counted.stderr]).toEqual([
    11,
    expect.stringContaining('--expect 9, but 2 companies (domain) would be created, and 4 contacts would change'),
  ])
  const unasked = await crm(first, env)
  expect([unasked.exit, unasked.stderr]).toEqual([
    11,
    expect.stringContaining('create 3 and change 1 contact and first create 2 companies'),
  ])
  expect(await companies()).toEqual(['old.test Old'])
  expect(await all(service, '/v1/contacts')).toHaveLength(1)
})

test.each([
  [['--create-missing', 'firms'], /--create-missing firms: expected objects/],
  [['--create-missing', 'companies,deals'], /--create-missing deals: no column names deals/],
  [['--create-missing', 'companies', '--plan', 'p.jsonl'], /--create-missing: a plan in a file/],
])('%j is refused before anything is sent', async (flags, message) => {
  const { env, words, companies } = await start()
  const { exit, stderr } = await crm([...words, ...flags, '--yes'], env)
  expect([exit, stderr]).toEqual([2, expect.stringMatching(message)])
  expect(await companies()).toEqual(['old.test Old'])
})

test('a record that needs more than a name is not created, and the error names what it needs', async () => {
  const { env, file } = await start()
  writeFileSync(`${file}.jsonl`, '{"title":"Mail"}\n')
  await crmPrints(['tasks', 'import', `${file}.jsonl`, '--yes'], env)
  writeFileSync(file, 'title,deal.title\nCall,Fleet\n')
  const { exit, stderr } = await crm(['tasks', 'import', file, '--create-missing', 'deals', '--yes'], env)
  expect([exit, stderr]).toEqual([2, expect.stringMatching(/a new deal must have \w+, too; nothing was sent/)])
  expect(readdirSync(env.CRM_STATE_HOME, { recursive: true }).filter((name) => /new-plan/.test(String(name)))).toEqual(
    [],
  )
})

test.each(['https://acme.test/', 'www.acme.test', 'acme.test/x'])(
  'no company is created for %j as a domain',
  async (cell) => {
    const { env, words, companies } = await start(['name,email,company.domain', `Ada,ada@x.test,${cell}`])
    const { exit, stderr } = await crm([...words, '--create-missing', 'companies', '--yes'], env)
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining('expected a domain, such as acme.test; nothing was sent'),
    ])
    expect(await companies()).toEqual(['old.test Old'])
  },
)

test('only rows that are sent have companies created for them', async () => {
  const { service, env, words, companies } = await start([...ROWS, 'Dup,ada@x.test,other.test'])
  const create = [...words, '--create-missing', 'companies', '--yes']
  await crmPrints([...create, '--mode', 'update', '--duplicates', 'first'], env)
  expect(await companies()).toEqual(['old.test Old'])
  await crmPrints([...create, '--duplicates', 'first', '--expect', '6'], env)
  expect(await companies()).toEqual(['acme.test acme.test', 'bolt.test bolt.test', 'old.test Old'])
  expect(await all(service, '/v1/contacts')).toHaveLength(4)
})

test('a retry creates what its corrected rows name', async () => {
  const { env, file, words, companies } = await start()
  const rejects = `${file}.rejected.csv`
  const partly = await crm([...words, '--rejects', rejects, '--yes', '-o', 'json'], env)
  expect([partly.exit, JSON.parse(partly.stdout)]).toEqual([3, expect.objectContaining({ done: 1 })])
  const [job = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
  const retry = ['jobs', 'retry', job, '--create-missing', 'companies', '--yes', '-o', 'json']
  const alone = await crm(retry, env)
  expect([alone.exit, alone.stderr]).toEqual([
    2,
    expect.stringContaining('--create-missing applies to the rows of a file'),
  ])
  const done = await crm([...retry, '--from', rejects], env)
  expect([done.exit, JSON.parse(done.stdout)]).toEqual([0, expect.objectContaining({ rows: 3, done: 3 })])
  expect(await companies()).toEqual(['acme.test acme.test', 'bolt.test bolt.test', 'old.test Old'])
})
