import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newDatabase } from '../../harness/database.ts'
import { type Env, tempFolder } from '../../harness/home.ts'
import { crm, startCrm } from '../crm.ts'
import { startService } from '../service.ts'

const OBJECTS = `objects:
  machines:
    fields: { serial: { unique: true }, company_id: { to: companies }, contact_ids: { to: contacts, many: true }, tags: { many: true }, state: { options: [new, used] }, since: { type: date }, hot: { type: boolean } }
`

let folder: string
let objects: string
beforeEach(() => {
  folder = tempFolder()
  objects = join(folder, 'objects.yaml')
  writeFileSync(objects, OBJECTS)
})

async function out(words: readonly string[], env: Env): Promise<string> {
  const { exit, stdout, stderr } = await crm(words, env)
  if (exit !== 0) throw new Error(`crm ${words.join(' ')} is exit ${exit}: ${stderr}`)
  return stdout
}

function fileOf(name: string, lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

type Ids = Readonly<Record<string, string>>

/** The ids of records by a member. */
async function idsBy(plural: string, by: string, env: Env): Promise<Ids> {
  const records: Record<string, string>[] = JSON.parse(await out([plural, 'list', '-o', 'json'], env))
  return Object.fromEntries(records.map((record) => [record[by] ?? '', record.id ?? '']))
}

async function companiesAndPeople(env: Env): Promise<{ readonly companies: Ids; readonly people: Ids }> {
  const companies = fileOf('companies.csv', ['name,domain', 'Acme,acme.test', 'Bolt,bolt.test', 'Bolt,other.test'])
  const people = fileOf('people.csv', ['name,email', 'Ada,ada@x.test', 'Bob,bob@x.test', 'Cyd,cyd@x.test'])
  await out(['companies', 'import', companies, '--match', 'domain', '--yes'], env)
  await out(['contacts', 'import', people, '--match', 'email', '--yes'], env)
  return { companies: await idsBy('companies', 'domain', env), people: await idsBy('contacts', 'email', env) }
}

async function machines(env: Env): Promise<readonly unknown[]> {
  const records: { serial: string }[] = JSON.parse(await out(['machines', 'list', '-o', 'json'], env))
  return records.toSorted((one, other) => one.serial.localeCompare(other.serial))
}

async function lastJob(env: Env): Promise<string> {
  return (await out(['jobs', 'list', '-o', 'id'], env)).split('\n')[0] ?? ''
}

test('columns set references by another member, add to lists and take from them; the undo restores the links', async () => {
  const { env } = await startService(['--database', await newDatabase(), '--objects', objects])
  const { companies, people } = await companiesAndPeople(env)
  const first = fileOf('first.csv', [
    'serial,company.domain,contacts.email,State,since,hot,tags',
    'S1,ACME.test,ada@x.test; bob@x.test,New,2026-01-31,true,a;b',
    'S2,bolt.test,,used,,,',
  ])
  const words = ['machines', 'import', first, '--match', 'serial', '--yes']
  const plan = await crm([...words, '--dry-run'], env)
  expect(plan.stderr).toContain(`company_id "${companies['acme.test']}" (Acme), contact_ids`)
  expect(plan.stderr).toContain('(Ada, Bob)')
  await out(words, env)
  const before = await machines(env)
  expect(before).toMatchObject([
    {
      ...{
        serial: 'S1',
        company_id: companies['acme.test'],
        state: 'new',
        since: '2026-01-31',
        hot: true,
        tags: ['a', 'b'],
      },
      contact_ids: [people['ada@x.test'], people['bob@x.test']],
    },
    { serial: 'S2', company_id: companies['bolt.test'], state: 'used' },
  ])

  const second = fileOf('second.jsonl', [
    '{"serial":"S1","company.domain":"bolt.test","contacts+.email":["cyd@x.test","bob@x.test"],"contacts-.email":["ada@x.test"],"tags-":"b"}',
    '{"serial":"S2","company.domain":null,"contacts+.email":"ada@x.test","tags+":["c"]}',
  ])
  const change = ['machines', 'import', second, '--match', 'serial', '--yes']
  await out(change, env)
  expect(await machines(env)).toMatchObject([
    { company_id: companies['bolt.test'], contact_ids: [people['bob@x.test'], people['cyd@x.test']], tags: ['a'] },
    { serial: 'S2', contact_ids: [people['ada@x.test']], tags: ['c'] },
  ])
  expect(await out(['machines', 'list', '--where', '.company_id == null', '--jq', 'map(.serial)[]'], env)).toBe('S2\n')
  expect(JSON.parse(await out([...change, '-o', 'json'], env))).toMatchObject({ done: 0, unchanged: 2 })
  const jobs = (await out(['jobs', 'list', '-o', 'id'], env)).split('\n')
  await out(['jobs', 'undo', jobs[1] ?? '', '--yes', '--expect', '2'], env)
  const left = (await machines(env)) as readonly Record<string, unknown>[]
  const values = ({ serial, company_id, contact_ids, tags }: Record<string, unknown>) => [
    ...[serial, company_id],
    ...[contact_ids ?? null, tags ?? null],
  ]
  expect(left.map(values)).toEqual((before as readonly Record<string, unknown>[]).map(values))
})

test('what a reference finds not, or more than once, and what a field cannot be is found in the plan', async () => {
  const { env } = await startService(['--database', await newDatabase(), '--objects', objects])
  await companiesAndPeople(env)
  const file = fileOf('wrong.csv', [
    'serial,company.name,state,since,hot,contacts.email',
    'S1,Acme,usd,2026-02-30,yes,',
    'S2,Bolt,new,,,',
    'S3,Acme,,,,',
    'S4,Nix,,2026-01-31,,ada@x.test;nobody@x.test',
    'S5,,new,2026-01-31T00:00:00Z,,',
  ])
  const words = ['machines', 'import', file, '--match', 'serial', '--yes']
  const refused = await crm(words, env)
  expect(refused.exit).toBe(2)
  for (const text of [
    'line 5: "Nix": no company has this name',
    'line 5: "nobody@x.test": no contact has this email',
    'line 3: "Bolt": 2 companies have this name: comp_',
    'line 2: "usd": did you mean used?',
    'line 2: "2026-02-30": expected a day such as 2026-01-31, without a time',
    'line 6: "2026-01-31T00:00:00Z": expected a day',
    'line 2: "yes": expected true or false',
  ])
    expect(refused.stderr).toContain(text)
  expect(await machines(env)).toEqual([])
  const rejects = join(folder, 'rejects.csv')
  expect((await crm([...words, '--rejects', rejects], env)).exit).toBe(3)
  expect(await machines(env)).toMatchObject([{ serial: 'S3' }])
  const corrected = fileOf('corrected.csv', [
    '_crm_line,serial,company.name,state,since,hot,contacts.email',
    '2,S1,Acme,used,,true,ada@x.test',
  ])
  await out(['jobs', 'retry', await lastJob(env), '--from', corrected, '--yes'], env)
  expect(await machines(env)).toMatchObject([{ serial: 'S1', hot: true }, { serial: 'S3' }])

  const misspelt = fileOf('misspelt.csv', ['serial,company.domian', 'S5,acme.test'])
  expect(await crm(['machines', 'import', misspelt, '--yes'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(
      'companies have no member "domian" to find them by\n  did you mean company.domain?',
    ),
  })
  const alone = fileOf('alone.csv', ['serial,tags+', 'S5,x'])
  expect(await crm(['machines', 'import', alone, '--yes'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('so rows must name them\n  --match serial'),
  })
})

test('headings in other letters and blanks mean the same, a plan in a file keeps what is added, and one field has one column', async () => {
  const { env } = await startService(['--database', await newDatabase(), '--objects', objects])
  const { companies, people } = await companiesAndPeople(env)
  const first = fileOf('first.csv', [
    'serial,Company .Domain,Contacts.E-Mail,tags',
    'S1,acme.test,ada@x.test;ADA@x.test,a;b;a',
  ])
  await out(['machines', 'import', first, '--match', 'serial', '--yes'], env)
  const ids = { company_id: companies['acme.test'], contact_ids: [people['ada@x.test']] }
  expect(await machines(env)).toMatchObject([{ ...ids, tags: ['a', 'b'] }])
  const second = fileOf('second.csv', ['serial,TAGS -,Contacts+.Email,Firm', 'S1,a,bob@x.test,bolt.test'])
  const plan = join(folder, 'edit.plan')
  const map = ['--map', 'Firm=Company.domain']
  await out(['machines', 'import', second, '--match', 'serial', ...map, '--plan', plan], env)
  await out(['apply', plan, '--yes'], env)
  expect(await machines(env)).toMatchObject([
    { company_id: companies['bolt.test'], contact_ids: [people['ada@x.test'], people['bob@x.test']], tags: ['b'] },
  ])
  for (const [lines, message] of [
    [['serial,tags,tags+', 'S1,a,b'], 'two columns for "tags"'],
    [['serial,tags', 'S1,;;'], 'expected texts, with ; between them'],
    [['serial,company.domain', 'S1,nowhere.test'], 'no company has this domain'],
  ] as const) {
    const refused = await crm(['machines', 'import', fileOf('wrong.csv', lines), '--match', 'serial', '--yes'], env)
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining(message)])
    expect(refused.stderr).not.toContain('ids of another server')
  }
})

const ROWS = 5000
const KILLS = 5

test(`an import of ${ROWS} rows with references, killed ${KILLS} times, sends each row once, and is undone`, async () => {
  const { env } = await startService(['--database', await newDatabase(), '--rate-limit', 'none', '--objects', objects])
  const { companies } = await companiesAndPeople(env)
  await out(['machines', 'create', '--set', 'serial=M0', '--set', `company_id=${companies['other.test']}`], env)
  const before = await machines(env)
  const domains = ['acme.test', 'bolt.test']
  const rows = Array.from({ length: ROWS }, (_, at) => `M${at},${domains[at % 2]},new`)
  const file = fileOf('many.csv', ['serial,company.domain,state', ...rows])
  const words = ['machines', 'import', file, '--match', 'serial', '--yes', '--expect', String(ROWS)]
  const count = async () => (await machines(env)).length
  const killed = await killAgain(words, count)
  expect(killed).toBeGreaterThan(2)
  const { exit, stdout, stderr } = await crm([...words, '-o', 'json'], env)
  expect(exit, stderr).toBe(0)
  const { job, ...account } = JSON.parse(stdout)
  expect(account).toMatchObject({ rows: ROWS, done: ROWS, failed: 0, in_doubt: 0, unsent: 0 })
  const made = (await machines(env)) as readonly { serial: string; company_id: string }[]
  expect([made.length, new Set(made.map(({ serial }) => serial)).size]).toEqual([ROWS, ROWS])
  for (const { serial, company_id: company } of made) {
    expect(company, serial).toBe(companies[domains[Number(serial.slice(1)) % 2] ?? ''])
  }
  await out(['jobs', 'undo', job, '--yes', '--expect', String(ROWS - 1)], env)
  expect(await machines(env)).toMatchObject([{ serial: 'M0', company_id: companies['other.test'] }])
  expect(before).toHaveLength(1)

  async function killAgain(words: readonly string[], count: () => Promise<number>): Promise<number> {
    let kills = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const start = await count()
      const child = startCrm([...words, '-q', '--concurrency', '4'], env)
      const ended = once(child, 'exit')
      await expect
        .poll(async () => (await count()) > start + 150 || child.exitCode !== null, { timeout: 60_000, interval: 20 })
        .toBe(true)
      if (child.exitCode === null) kills++
      child.kill('SIGKILL')
      await ended
    }
    return kills
  }
})

const FIRMS = 600

test('an import that creates the companies it names, killed before and while it sends the rows, makes each once', async () => {
  const { env } = await startService(['--database', await newDatabase(), '--rate-limit', 'none'])
  const rows = Array.from({ length: FIRMS }, (_, at) => `P${at},p${at}@x.test,f${at}.test`)
  const file = fileOf('many.csv', ['name,email,company.domain', ...rows])
  const words = ['contacts', 'import', file, '--match', 'email', '--create-missing', 'companies', '--yes']
  const countOf = async (noun: string): Promise<number> =>
    JSON.parse(await out([noun, 'list', '-o', 'json'], env)).length
  for (const [noun, least] of [
    ['companies', 50],
    ['companies', 300],
    ['contacts', 100],
    ['contacts', 400],
  ] as const) {
    const child = startCrm([...words, '-q', '--concurrency', '2'], env)
    const ended = once(child, 'exit')
    const isReached = async () => (await countOf(noun)) >= least || child.exitCode !== null
    await expect.poll(isReached, { timeout: 60_000, interval: 20 }).toBe(true)
    expect(child.exitCode, `killed at ${least} ${noun}`).toBeNull()
    child.kill('SIGKILL')
    await ended
  }
  const { exit, stdout, stderr } = await crm([...words, '-o', 'json'], env)
  expect(exit, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ rows: FIRMS, done: FIRMS, failed: 0, in_doubt: 0 })
  const companies = await idsBy('companies', 'domain', env)
  expect([Object.keys(companies).length, await countOf('companies')]).toEqual([FIRMS, FIRMS])
  const people: Record<string, string>[] = JSON.parse(await out(['contacts', 'list', '-o', 'json'], env))
  expect(people).toHaveLength(FIRMS)
  for (const { email = '', company_id: company } of people) {
    expect(company, email).toBe(companies[`f${/\d+/.exec(email)?.[0]}.test`])
  }
})
