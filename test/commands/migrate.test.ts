import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { type Env, emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { serveForTest, type TestService } from '../service/serve-for-test.ts'

type Row = Record<string, unknown>

interface Ends {
  readonly env: Env & { readonly HOME: string }
  readonly from: TestService
  readonly to: TestService
  migrate(...words: readonly string[]): ReturnType<typeof crm>
}

/** `nine`: the profiles whose connector has the nine endpoints alone. */
async function twoServices(nine: readonly string[] = []): Promise<Ends> {
  const [from, to] = [await serveForTest(), await serveForTest()]
  const env = emptyHome()
  for (const [name, { url, key }] of Object.entries({ old: from, new: to })) {
    const login = ['auth', 'login', '--base-url', url, '--storage', 'file', '--key-stdin', '-p', name]
    await crmPrints(login, env, key.text)
    if (nine.includes(name)) await crmPrints(['config', 'set', 'connector', 'contract', '-p', name], env)
  }
  const migrate: Ends['migrate'] = (...words) => crm(['migrate', '--from', 'old', '--to', 'new', ...words], env)
  return { env, from, to, migrate }
}

const at = ({ url, key }: TestService) => ({ url, key: key.text }) as never

const FLEETS = [
  { name: 'Fleet', stage: 'Won', amount: 12.5, owner_id: 'u_1' },
  { name: 'Fleet', stage: 'Lead' },
]

async function fill(from: TestService, fleets: readonly Row[] = FLEETS): Promise<void> {
  const people = [
    { name: 'Ada', email: 'ada@x.test', owner_id: 'u_1', score: 7, tags: ['a', 'b'], vip: true },
    { name: 'Grace', email: null },
    { name: 'Grace', email: null },
  ]
  await make(at(from), '/v1/contacts', people)
  const deals = await make(at(from), '/v1/deals', fleets)
  for (const id of deals) await make(at(from), `/v1/deals/${id}/notes`, [{ body: 'Called' }, { body: 'Called' }])
}

/** Several are sent at once, so that the order in which they are created may differ a little. */
const sorted = (rows: readonly Row[], member: string) =>
  rows.toSorted((one, other) => String(one[member]).localeCompare(String(other[member])))

const kept = ({ id: _, created_at: __, updated_at: ___, ...rest }: Row) => rest

test('contacts, deals and notes arrive once each, with their references re-pointed', async () => {
  const { from, to, migrate } = await twoServices()
  await fill(from)
  const { exit, stdout, stderr } = await migrate('--yes', '-o', 'json')
  expect(exit, stderr).toBe(0)
  const rows = JSON.parse(stdout)
  expect(rows).toMatchObject([
    { resource: 'companies', source: 0, migrated: 0, equal: 0 },
    { resource: 'contacts', source: 3, migrated: 3, equal: 3, different: 0, missing: 0, others: 0 },
    { resource: 'deals', source: 2, migrated: 2, equal: 2 },
    { resource: 'notes', source: 4, migrated: 4, equal: 4 },
    { resource: 'tasks', source: 0, migrated: 0, equal: 0 },
  ])
  for (const { digest, target_digest } of rows) expect(target_digest).toBe(digest)
  expect(sorted(await all(at(to), '/v1/contacts'), 'name').map(kept)).toEqual([
    { name: 'Ada', email: 'ada@x.test', score: 7, tags: ['a', 'b'], vip: true, version: 1 },
    { name: 'Grace', version: 1 },
    { name: 'Grace', version: 1 },
  ])
  const deals = sorted(await all(at(to), '/v1/deals'), 'stage')
  expect(deals).toMatchObject([
    { name: 'Fleet', stage: 'Lead' },
    { name: 'Fleet', stage: 'Won', amount: 12.5 },
  ])
  for (const { id } of deals) {
    expect(await all(at(to), `/v1/deals/${id}/notes`)).toMatchObject([
      { body: 'Called', deal_id: id },
      { body: 'Called' },
    ])
  }
  expect(stderr).toContain('Not carried over, of contacts: owner_id (1)\n')
})

test('companies and tasks arrive too, and every reference has the id of the target', async () => {
  const { from, to, migrate } = await twoServices()
  const [engines = '', gone = ''] = await make(at(from), '/v1/companies', [{ name: 'Engines' }, { name: 'Gone' }])
  const [ada = '', bea = ''] = await make(at(from), '/v1/contacts', [
    { name: 'Ada', company_id: engines },
    { name: 'Bea', company_id: gone },
  ])
  const [fleet = ''] = await make(at(from), '/v1/deals', [{ name: 'Fleet', stage: 'Won', contact_ids: [bea, ada] }])
  await make(at(from), '/v1/tasks', [{ title: 'Call', contact_id: ada, company_id: engines, deal_id: fleet }])
  await from.send('DELETE', `/v1/companies/${gone}`)
  await from.send('DELETE', `/v1/contacts/${bea}`)
  await make(at(from), '/v1/contacts', [{ name: 'Cyd', company_id: engines }])
  const { exit, stderr } = await migrate('--yes')
  expect(exit, stderr).toBe(0)
  const [[company], contacts] = [await all(at(to), '/v1/companies'), await all(at(to), '/v1/contacts')]
  expect(company).toMatchObject({ name: 'Engines' })
  expect(contacts.map(({ company_id: id }) => id)).toEqual([company?.id, company?.id])
  const [deal] = await all(at(to), '/v1/deals')
  const contact = contacts.find(({ name }) => name === 'Ada')
  expect(deal).toMatchObject({ name: 'Fleet', contact_ids: [contact?.id] })
  expect(await all(at(to), '/v1/tasks')).toMatchObject([
    { title: 'Call', contact_id: contact?.id, company_id: company?.id, deal_id: deal?.id },
  ])
})

test('--only moves and compares some objects, and references to what is migrated later are set then', async () => {
  const { env, from, to, migrate } = await twoServices()
  const [company = ''] = await make(at(from), '/v1/companies', [{ name: 'Engines' }])
  await make(at(from), '/v1/contacts', [{ name: 'Ada', company_id: company }, { name: 'Bea' }])
  expect(await migrate('--only', 'contact')).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/--only contact: expected objects of old: contacts, .*\n.*--only contacts\n/),
  })
  const only = await migrate('--only', 'contacts', '--yes', '-o', 'json')
  expect(only.exit, only.stderr).toBe(0)
  expect(JSON.parse(only.stdout)).toMatchObject([{ resource: 'contacts', equal: 2, different: 0 }])
  expect(only.stderr).toContain('Not carried over, of contacts: company_id (1)\n')
  expect(await all(at(to), '/v1/companies')).toEqual([])

  const dry = await migrate('--dry-run', '--exit-code')
  expect(dry).toMatchObject({
    exit: 10,
    stderr: expect.stringContaining('contacts: 2 on the source; 2 migrated before, 1 to get references\n'),
  })
  const both = 'create 1 company, set references of 1 contact'
  expect(await migrate()).toMatchObject({ exit: 11, stderr: expect.stringContaining(both) })
  const whole = await migrate('--yes', '--expect', '2', '-o', 'json')
  expect(whole.exit, whole.stderr).toBe(0)
  const contacts = await all(at(to), '/v1/contacts')
  const [moved] = await all(at(to), '/v1/companies')
  expect(sorted(contacts, 'name').map(({ company_id: id = null }) => id)).toEqual([moved?.id, null])
  expect(await migrate()).toMatchObject({ exit: 0, stderr: expect.not.stringContaining('changed.') })

  const jobs: Row[] = JSON.parse(await crmPrints(['jobs', 'list', '-p', 'new', '-o', 'json'], env))
  expect(jobs.map(({ noun, rows }) => [noun, rows])).toEqual([
    ['contacts', 1],
    ['companies', 1],
    ['contacts', 2],
  ])
  for (const { id, rows } of jobs)
    await crmPrints(['jobs', 'undo', String(id), '-p', 'new', '--yes', '--expect', String(rows)], env)
  for (const path of ['contacts', 'companies']) expect(await all(at(to), `/v1/${path}`)).toEqual([])
})

test.each([
  [['old'], 'Not migrated: notes; the source: contract (connector) has no list of notes', 0],
  [['new'], 'notes cannot be verified: contract (connector) has no list of notes', 4],
  [['old', 'new'], 'Not migrated: notes; the source: contract (connector) has no list of notes', 0],
])(
  'with the nine endpoints alone on %j, contacts and deals arrive once and equal, and a sentence is about notes',
  async (nine, sentence, notes) => {
    const { from, to, migrate } = await twoServices(nine)
    await fill(from)
    const { exit, stdout, stderr } = await migrate('--yes', '-o', 'json')
    expect(exit, stderr).toBe(0)
    expect(stderr).toContain(sentence)
    const rows: Row[] = JSON.parse(stdout)
    expect(rows.slice(0, 2)).toMatchObject([
      { resource: 'contacts', source: 3, equal: 3, different: 0, missing: 0, others: 0 },
      { resource: 'deals', source: 2, equal: 2, different: 0, missing: 0, others: 0 },
    ])
    for (const { digest, target_digest } of rows) expect(target_digest).toBe(digest)
    const deals = await all(at(to), '/v1/deals')
    const arrived = await Promise.all(deals.map(({ id }) => all(at(to), `/v1/deals/${id}/notes`)))
    expect(arrived.flat()).toHaveLength(notes)
  },
)

test('the same command again sends nothing, and later only what is new; equal records count', async () => {
  const { env, from, to, migrate } = await twoServices()
  await fill(from)
  expect((await migrate('--yes')).exit).toBe(0)
  const again = await migrate('-o', 'json')
  expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining('3 on the source; 3 migrated before') })
  expect(await all(at(to), '/v1/contacts')).toHaveLength(3)
  await make(at(from), '/v1/contacts', [{ name: 'Grace' }])
  const more = await migrate('--yes', '-o', 'json')
  expect(more.exit, more.stderr).toBe(0)
  expect(await all(at(to), '/v1/contacts')).toHaveLength(4)
  const jobs = JSON.parse(await crmPrints(['jobs', 'list', '-p', 'new', '-o', 'json'], env))
  expect(jobs.map(({ kind, noun, rows }: Row) => [kind, noun, rows])).toEqual([
    ['migrate', 'contacts', 1],
    ['migrate', 'notes', 4],
    ['migrate', 'deals', 2],
    ['migrate', 'contacts', 3],
  ])
})

test('a dry run shows the plan and writes nothing; without a terminal, a migration needs --yes', async () => {
  const { env, from, to, migrate } = await twoServices()
  await fill(from)
  const plan = await migrate('--dry-run', '-o', 'json')
  expect(JSON.parse(plan.stdout).slice(1)).toMatchObject([
    { resource: 'contacts', source: 3, create: 3, not_carried: { owner_id: 1 } },
    { resource: 'deals', source: 2, create: 2 },
    { resource: 'notes', source: 4, create: 4 },
    { resource: 'tasks', source: 0 },
  ])
  expect(existsSync(join(env.HOME, '.local/state/crm'))).toBe(false)
  const refused = await migrate()
  expect(refused).toMatchObject({ exit: 11, stderr: expect.stringContaining('create 3 contacts, 2 deals, 4 notes') })
  expect(await all(at(to), '/v1/contacts')).toEqual([])
})

test('the id map of two servers is private, and a migration without it is refused while a job of it is not in the map', async () => {
  const { env, from, migrate } = await twoServices()
  await fill(from)
  expect((await migrate('--yes')).exit).toBe(0)
  const state = join(env.HOME, '.local/state/crm')
  const [pair = ''] = readdirSync(join(state, 'migrations'))
  const folder = join(state, 'migrations', pair)
  expect(readdirSync(folder)).toEqual(['ids.ndjson'])
  expect(statSync(join(folder, 'ids.ndjson')).mode & 0o777).toBe(0o600)
  const lines = readFileSync(join(folder, 'ids.ndjson'), 'utf8').split('\n')
  expect(lines.filter((line) => line.startsWith('{"type":'))).toHaveLength(9)
  // As a kill leaves it between the end of a job and the map, and then the job was removed.
  const [head = '', ...rest] = lines
  writeFileSync(join(folder, 'ids.ndjson'), [head.replace('"open":[]', '"open":["job_gone"]'), ...rest].join('\n'))
  const refused = await migrate('--yes')
  expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining('job_gone of this migration was removed') })
  writeFileSync(
    join(folder, 'ids.ndjson'),
    [head, ...rest.slice(0, 3), ''].join('\n').replace('"from":"con', '"frm":"con'),
  )
  expect(await migrate('--yes')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('line 2: this is not the id map'),
  })
})

test('stages without a counterpart are listed before anything is sent, and --map-stage names theirs', async () => {
  const { from, to, migrate } = await twoServices()
  await fill(from)
  expect(await migrate('--map-stage', 'Won')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('expected OLD=NEW'),
  })
  const unknown = await migrate('--yes', '--map-stage', 'Won=Sold')
  expect(unknown).toMatchObject({ exit: 2, stderr: expect.stringContaining('has a stage "Sold"') })
  expect(await all(at(to), '/v1/contacts')).toEqual([])
  expect((await migrate('--yes', '--map-stage', 'Won=Lost')).exit).toBe(0)
  expect((await all(at(to), '/v1/deals')).map(({ stage }) => stage).toSorted()).toEqual(['Lead', 'Lost'])
})

test('a record that was changed on the target is named, and the migration ends with exit 10', async () => {
  const { env, from, to, migrate } = await twoServices()
  await fill(from)
  expect((await migrate('--yes')).exit).toBe(0)
  const [, , ada] = await all(at(to), '/v1/contacts')
  await crmPrints(['contacts', 'update', String(ada?.id), '--set', 'name=Changed', '-p', 'new'], env)
  const { exit, stdout, stderr } = await migrate('--yes', '-o', 'json')
  expect(exit).toBe(10)
  expect(stderr).toContain(`differs from ${ada?.id} in name`)
  const [, contacts] = JSON.parse(stdout)
  expect(contacts).toMatchObject({ equal: 2, different: 1, missing: 0 })
  expect(contacts.digest).not.toBe(contacts.target_digest)
})

test('its jobs are undone one by one, and then it starts again', async () => {
  const { env, from, to, migrate } = await twoServices()
  await fill(from)
  expect((await migrate('--yes')).exit).toBe(0)
  const jobs: Row[] = JSON.parse(await crmPrints(['jobs', 'list', '-p', 'new', '-o', 'json'], env))
  for (const { id, rows } of jobs)
    await crmPrints(['jobs', 'undo', String(id), '-p', 'new', '--yes', '--expect', String(rows)], env)
  expect(await all(at(to), '/v1/contacts')).toEqual([])
  const again = await migrate('--yes', '-o', 'json')
  expect(again.exit, again.stderr).toBe(0)
  expect(JSON.parse(again.stdout)).toMatchObject([{}, { equal: 3 }, { equal: 2 }, { equal: 4 }, {}])
  expect(await all(at(to), '/v1/contacts')).toHaveLength(3)
})

test('a protected target asks for the number of records', async () => {
  const { env, from, to, migrate } = await twoServices()
  await fill(from)
  await crmPrints(['config', 'set', 'protected', 'true', '-p', 'new'], env)
  expect(await migrate('--yes')).toMatchObject({ exit: 11, stderr: expect.stringContaining('--expect 9 --yes') })
  expect(await all(at(to), '/v1/contacts')).toEqual([])
  expect((await migrate('--yes', '--expect', '9')).exit).toBe(0)
})

test('a key, a connector or a profile for all servers is refused, and so is one server twice', async () => {
  const { env, to, migrate } = await twoServices()
  for (const words of [['-p', 'old'], ['--key-stdin'], ['--key-file', '/dev/null']])
    expect(await migrate(...words)).toMatchObject({ exit: 2, stderr: expect.stringContaining('a migration has two') })
  const words = ['migrate', '--from', 'old', '--to', 'new']
  expect((await crm(words, { ...env, CRM_CONNECTOR: 'hubspot' })).exit).toBe(2)
  expect((await crm(words, { ...env, CRM_API_KEY: to.key.text })).exit).toBe(2)
  expect(await crm(['migrate', '--from', 'new', '--to', 'new'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('are the same server'),
  })
})

test('diff --key compares two profiles by a member, not by id', async () => {
  const { env, from, to, migrate } = await twoServices()
  await fill(from, FLEETS.slice(0, 1))
  expect((await migrate('--yes')).exit).toBe(0)
  const words = ['diff', 'profile:old', 'profile:new', '--key', 'email,name', '-o', 'json']
  const before = await crm([...words, '--ignore', 'owner_id'], env)
  expect(before, before.stderr).toMatchObject({ exit: 0, stdout: '[]\n' })
  const [ada, grace] = sorted(await all(at(to), '/v1/contacts'), 'name')
  await crmPrints(['contacts', 'update', String(ada?.id), '--set', 'score:=8', '-p', 'new'], env)
  await crmPrints(['contacts', 'delete', String(grace?.id), '--yes', '-p', 'new'], env)
  const { exit, stdout } = await crm([...words, '--ignore', 'owner_id'], env)
  expect(exit).toBe(10)
  expect(JSON.parse(stdout)).toMatchObject([
    { change: 'changed', id: ada?.id, fields: { score: { from: 7, to: 8 } } },
    { change: 'removed', type: 'contact', record: { name: 'Grace' } },
  ])
})
