import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import type { EmulatorOptions, Row } from './emulators/emulator.ts'
import { connected, SERVERS } from './servers.ts'

async function at(connector: string, options: EmulatorOptions = {}) {
  const server = SERVERS.find((each) => each.connector === connector)
  if (!server) throw new Error(`there is no emulator of ${connector}`)
  const there = await connected(server, options)
  const run = (...words: readonly string[]) => crm(words, there.env)
  const json = async (...words: readonly string[]) => {
    const { exit, stdout, stderr } = await run(...words, '-o', 'json')
    expect(exit, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  return { ...there, json, run }
}

function updating(file: string, ...more: readonly string[]): readonly string[] {
  return ['contacts', 'import', file, '--match', 'email', '--mode', 'update', ...more]
}

/** Where the records of a vendor have their values, by the names of crm. */
const OWN = {
  salesforce: { deals: 'Opportunity', stage: 'StageName', phone: 'Phone' },
  hubspot: { deals: 'deals', stage: 'dealstage', phone: 'phone' },
} as const

/** A server that takes changes with its usual answer, and keeps some members as they were. */
async function forgetting(connector: keyof typeof OWN, member: 'stage' | 'phone') {
  const { deals, [member]: name } = OWN[connector]
  const kind = member === 'stage' ? deals : undefined
  const state: { rows?: () => readonly Row[] } = {}
  const valuesOf = (row: Row) => (row.properties ?? row) as Row
  const there = await at(connector, {
    records: 3,
    answers: (_, own) => {
      const before = (state.rows?.() ?? []).map((row) => valuesOf(row)[name])
      const answer = own()
      for (const [place, row] of (state.rows?.() ?? []).entries()) valuesOf(row)[name] = before[place]
      return answer
    },
  })
  return {
    ...there,
    values: () => (kind ? there.emulator.records(kind) : there.contacts()).map((row) => valuesOf(row)[name]),
    forget: () => {
      state.rows = () => (kind ? there.emulator.records(kind) : there.contacts()) as readonly Row[]
    },
  }
}

const VENDORS = ['salesforce', 'hubspot'] as const

test.each(VENDORS)(
  'a stage that %s takes and does not keep is no change that is done, of one deal and of many',
  async (vendor) => {
    const { run, json, forget, values } = await forgetting(vendor, 'stage')
    const [{ id, stage: old }] = await json('deals', 'list')
    const stages = (await json('deals', 'list')).map(({ stage }: Row) => stage)
    const other = vendor === 'salesforce' ? 'Closed Won' : 'Closed won'
    const before = values()
    forget()
    const one = await run('deals', 'update', id, '--set', `stage=${other}`)
    expect([one.exit, one.stderr]).toEqual([7, expect.stringContaining('not kept')])
    const many = ['deals', 'update', '--where', 'true', '--set', `stage=${other}`, '--set', 'amount:=7', '--yes']
    const { exit, stdout, stderr } = await run(...many, '-o', 'json')
    expect(exit, stderr).toBe(3)
    const { job, ...account } = JSON.parse(stdout)
    expect(account).toMatchObject({ rows: 3, done: 0, failed: 3 })
    expect(stderr).toContain(`3 × not_kept in stage`)
    const failed = await json('jobs', 'failed', job)
    expect(failed[0]).toMatchObject({
      id,
      code: 'not_kept',
      field: 'stage',
      reason: expect.stringContaining(String(old)),
    })
    expect(values()).toEqual(before)
    // The amount was kept, and the undo of the failed rows takes it back.
    expect((await json('deals', 'list')).map(({ amount }: Row) => amount)).toEqual([7, 7, 7])
    await json('jobs', 'undo', job, '--yes')
    expect((await json('deals', 'list')).map(({ stage }: Row) => stage)).toEqual(stages)
    expect((await json('deals', 'list')).map(({ amount }: Row) => amount)).not.toContain(7)
  },
)

test.each(VENDORS)('a phone that %s takes as cleared and keeps is no change that is done', async (vendor) => {
  const { run, json, forget, values } = await forgetting(vendor, 'phone')
  await json('contacts', 'update', '--where', 'true', '--set', 'phone=+49 30 123456', '--yes')
  const [{ id }] = await json('contacts', 'list')
  forget()
  const one = await run('contacts', 'update', id, '--set', 'phone:=null')
  expect([one.exit, one.stderr]).toEqual([7, expect.stringContaining('not kept')])
  const many = await run('contacts', 'update', '--where', 'true', '--set', 'phone:=null', '--yes', '-o', 'json')
  expect(many.exit, many.stderr).toBe(3)
  expect(JSON.parse(many.stdout)).toMatchObject({ done: 0, failed: 3 })
  expect(many.stderr).toContain('3 × not_kept in phone')
  expect(new Set(values()).size).toBe(1)
})

const NULLS = [
  { name: 'Null Null', email: 'null@x.test', company: 'null' },
  { name: 'Ada Two', email: 'ada@x.test' },
] as const

test.each(VENDORS)(
  'the text null and no value are two things in an export of %s and its import; a token of the file clears',
  async (vendor) => {
    const { run, json, env } = await at(vendor)
    const member = vendor === 'hubspot' ? 'company' : 'phone'
    for (const { name, email, ...others } of NULLS) {
      const value = 'company' in others ? ['--set', `${member}=${others.company}`] : []
      await json('contacts', 'create', '--set', `name=${name}`, '--set', `email=${email}`, ...value)
    }
    const list = async () => (await json('contacts', 'list')).map((row: Row) => [row.email, row[member] ?? null])
    const before = await list()
    expect(before).toEqual(
      expect.arrayContaining([
        ['null@x.test', 'null'],
        ['ada@x.test', null],
      ]),
    )
    const file = join(String(env.HOME), 'people.csv')
    await run('contacts', 'export', file, '--fields', `email,${member}`)
    expect(readFileSync(file, 'utf8').split(/\r?\n/).sort()).toEqual([
      '',
      'ada@x.test,',
      `email,${member}`,
      'null@x.test,null',
    ])
    const back = updating(file, '--map', `${member}=${member}:text`)
    expect(await json(...back, '--yes')).toMatchObject({ unchanged: 2, done: 0 })
    expect(await list()).toEqual(before)

    writeFileSync(file, `email,${member}\nnull@x.test,#N/A\nada@x.test,\n`)
    expect(await json(...back.slice(0, -2), '--null', '#N/A', '--yes')).toMatchObject({ done: 1, unchanged: 1 })
    expect((await list()).map(([, value]: unknown[]) => value)).toEqual([null, null])
  },
)

const BEYOND = 10_001

test('10,001 records of HubSpot are all listed, filtered too: its search, which ends at 10,000, is not used', async () => {
  const { json, emulator } = await at('hubspot', { records: BEYOND })
  const all = await json('contacts', 'list', '--where', '.email != null', '--fields', 'id')
  expect(new Set(all.map(({ id }: Row) => id)).size).toBe(BEYOND)
  expect(emulator.requests.filter(({ path }) => path.includes('/search'))).toEqual([])
})

test('a list of OnePageCRM that ends at 10,000 of 10,001 records is an error', async () => {
  const { run } = await at('onepagecrm', { records: BEYOND })
  const { exit, stderr } = await run('contacts', 'list', '--where', '.name == "nobody"')
  expect([exit, stderr]).toEqual([7, expect.stringContaining('10000')])
})

test.each(VENDORS)(
  'an upsert by email of a contact that was deleted at %s makes another one, and revives nobody',
  async (vendor) => {
    const { json, contacts, env } = await at(vendor, { records: 2 })
    const idOf = (row: Row) => String(row.Id ?? row.id)
    const [gone, kept] = (await json('contacts', 'list')) as { id: string; email: string }[]
    await json('contacts', 'delete', String(gone?.id), '--yes')
    const file = join(String(env.HOME), 'people.csv')
    writeFileSync(file, `email,name\n${gone?.email},Back Again\n${kept?.email},Still Here\n`)
    const words = ['contacts', 'import', file, '--match', 'email']
    expect(await json(...words, '--dry-run')).toMatchObject({ create: 1, update: 1 })
    expect(await json(...words, '--yes')).toMatchObject({ done: 2, failed: 0 })
    const ids = contacts().map(idOf)
    expect(ids).toHaveLength(2)
    expect(ids).not.toContain(String(gone?.id))
  },
)

test('a create that is refused for an archived record names the id of that one', async () => {
  const archived = {
    status: 409,
    body: {
      success: false,
      message: 'Person already exists. Existing ID: 77',
      error: 'Person already exists. Existing ID: 77',
    },
  }
  const { run, json, env } = await at('pipedrive', {
    records: 1,
    answers: ({ method, path }, own) => (method === 'POST' && path.endsWith('/persons') ? archived : own()),
  })
  const file = join(String(env.HOME), 'people.csv')
  writeFileSync(file, 'email,name\nback@x.test,Back Again\n')
  for (const match of [[], ['--match', 'email']]) {
    const { exit, stdout, stderr } = await run('contacts', 'import', file, ...match, '--yes', '-o', 'json')
    expect(exit, stderr).toBe(3)
    const [failed] = await json('jobs', 'failed', JSON.parse(stdout).job)
    expect(failed).toMatchObject({ code: 'conflict', reason: expect.stringContaining('77') })
  }
})

test('an opt-out outlives its undo and a merge, and lifting one needs the number of people', async () => {
  const { run, json, env, contacts } = await at('salesforce', { records: 3 })
  const optedOut = () => contacts().map(({ DoNotCall }) => DoNotCall === true)
  const [first, second] = (await json('contacts', 'list')) as { id: string; email: string }[]
  const file = join(String(env.HOME), 'people.csv')
  writeFileSync(file, `email,DoNotCall,phone\n${second?.email},true,+49 30 1234567\n`)
  const words = updating(file, '--map', 'DoNotCall=DoNotCall:boolean')
  const shown = await run(...words)
  expect([shown.exit, shown.stderr]).toEqual([11, expect.stringContaining('an undo does not take back an opt-out')])
  const { job } = await json(...words, '--yes')
  const undo = await run('jobs', 'undo', job, '--yes')
  expect(undo.stderr).toContain('which an undo does not reverse')
  expect((await json('contacts', 'list')).map(({ phone }: Row) => phone)).toEqual([null, null, null])
  expect(optedOut()).toEqual([false, true, false])

  await json('contacts', 'merge', String(first?.id), String(second?.id), '--yes')
  expect(optedOut()).toEqual([true, false])

  const lift = ['contacts', 'update', '--where', '.DoNotCall', '--set', 'DoNotCall:=false', '--yes']
  const asked = await run(...lift)
  expect([asked.exit, asked.stderr]).toEqual([11, expect.stringContaining('--expect 1')])
  expect(asked.stderr).toContain('people who opted out would be subscribed again')
  expect(optedOut()).toEqual([true, false])
  await json(...lift, '--expect', '1')
  expect(optedOut()).toEqual([false, false])
})

test('a member that the server sets is refused in the plan, and a column of it is named as left out', async () => {
  const { run, env } = await at('salesforce', { records: 2 })
  const refused = await run('contacts', 'update', '--where', 'true', '--set', 'Rank__c:=5', '--yes')
  expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('Rank__c is read-only on this server')])
  const file = join(String(env.HOME), 'people.csv')
  writeFileSync(file, 'email,phone,Rank__c\nperson1@example.com,+49 30 1,5\n')
  const shown = await run('contacts', 'import', file, '--match', 'email', '--dry-run')
  expect([shown.exit, shown.stderr]).toEqual([0, expect.stringContaining('Left out: Rank__c')])
})

test('a merge at HubSpot is no merge of its own: the plan names who stays and what is lost, and one undo makes the losers again', async () => {
  const { run, json, contacts, emulator } = await at('hubspot', { records: 3 })
  await json('contacts', 'update', '2', '--set', 'company=Acme', '--set', 'phone=+49 30 1')
  await json('contacts', 'update', '1', '--set', 'company=Orbit')
  const valuesOf = () =>
    contacts()
      .map(({ properties }) => properties as Row)
      .map(({ email, company, phone }) => [email, company, phone].join())
      .sort()
  const before = valuesOf()
  const words = ['contacts', 'merge', '1', '2', '3']
  const shown = await run(...words, '--yes')
  expect([shown.exit, shown.stderr]).toEqual([11, expect.stringContaining('--expect 2')])
  const lost = 'name: "Person 2", email: "person2@example.com", company: "Acme"'
  expect(shown.stderr).toContain(`1 stays, 2 is deleted; lost: ${lost}`)
  expect(shown.stderr).not.toContain('lost: phone')
  expect(valuesOf()).toEqual(before)

  const { job } = await json(...words, '--yes', '--expect', '2')
  expect(emulator.requests.filter(({ path }) => path.includes('merge'))).toEqual([])
  expect(contacts()).toHaveLength(1)
  await json('jobs', 'undo', job, '--yes')
  expect(valuesOf()).toEqual(before)
})
