import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crmHurried, crmPrints } from '../harness/crm.ts'
import { personRows } from './claims.ts'
import type { Call, Row } from './emulators/emulator.ts'
import type { SalesforceOptions } from './emulators/salesforce.ts'
import { connected, SERVERS } from './servers.ts'

const [SALESFORCE] = SERVERS.filter(({ connector }) => connector === 'salesforce')

const MATCHED = ['--match', 'email'] as const

/** Salesforce, and a file of rows to import; `yaml` is what another connector has beside the shipped one. */
async function reach(csv: string, options: SalesforceOptions = {}, yaml?: string) {
  if (!SALESFORCE) throw new Error('there is no Salesforce')
  const there = await connected(SALESFORCE, options)
  const home = there.env.HOME ?? ''
  const file = join(home, 'people.csv')
  writeFileSync(file, csv)
  const connector = join(home, 'own.yaml')
  if (yaml) writeFileSync(connector, `connector: 2\nname: own\nextends: salesforce\n${yaml}`)
  const env = yaml ? { ...there.env, CRM_CONNECTOR: connector } : there.env
  const importing = (more: readonly string[] = MATCHED) =>
    crmHurried(['contacts', 'import', file, '--yes', '-o', 'json', ...more], env)
  const sent = (method: string, path = '') =>
    there.emulator.requests.filter((one) => one.method === method && one.path.includes(`/composite/sobjects${path}`))
  return { ...there, env, importing, sent, json: async (...args: string[]) => JSON.parse(await crmPrints(args, env)) }
}

const isCollection = ({ path }: Pick<Call, 'path'>) => path.includes('/composite/sobjects')

/** A change of the answer to the first collection. */
function changing(change: (results: Row[]) => Row[]): SalesforceOptions {
  let isChanged = false
  return {
    answers: (call, own) => {
      const answer = own()
      if (isChanged || !isCollection(call)) return answer
      isChanged = true
      return { ...answer, body: change(answer.body as Row[]) }
    },
  }
}

/** A validation rule. */
const noDukes: SalesforceOptions['validates'] = (_, { Title }) =>
  Title === 'Duke' ? { message: 'Nobody is a duke.', field: 'Title' } : undefined

describe('a query', () => {
  test('names each value as a literal, so that no quotation mark in it ends the text', async () => {
    const emails = ["o'brien@x.test", String.raw`back\slash@x.test`, "x'@x.test", 'plain@x.test']
    const csv = `name,email\n${emails.map((email, n) => `Person ${n},${email}\n`).join('')}`
    const { importing, emulator, json } = await reach(csv)
    expect(JSON.parse((await importing()).stdout)).toMatchObject({ done: 4, failed: 0 })
    expect(JSON.parse((await importing()).stdout)).toMatchObject({ unchanged: 4, failed: 0 })
    expect(emulator.effects('Contact', 'created')).toBe(4)
    const [, query = ''] = emulator.requests.map(({ path }) => path).filter((path) => path.includes('IN+%28'))
    expect(decodeURIComponent(query)).toContain(String.raw`'o\'brien@x.test','back\\slash@x.test','x\'@x.test'`)
    expect(await json('contacts', 'list', '--where', `.email == "o'brien@x.test"`, '-o', 'json')).toHaveLength(1)
    expect(emulator.requests.filter(({ status }) => status === 400)).toEqual([])
  })

  test('by values that many records have is read to its last page', async () => {
    const { importing, emulator } = await reach('name,email\nAda King,ada@x.test\nBea,bea@x.test\n', { pageMax: 2 })
    const headers = { authorization: `Bearer ${emulator.key}`, 'content-type': 'application/json' }
    for (const email of ['ada@x.test', 'ada@x.test', 'bea@x.test']) {
      const body = JSON.stringify({ FirstName: 'A', LastName: 'B', Email: email })
      await fetch(`${emulator.url}/services/data/v62.0/sobjects/Contact`, { method: 'POST', headers, body })
    }
    const { stdout } = await importing([...MATCHED, '--dry-run'])
    expect(JSON.parse(stdout)).toMatchObject({ ambiguous: 1, update: 1, create: 0 })
  })

  test('of a list is complete, by the address of each page and in the order of ids', async () => {
    const { json, emulator } = await reach('', { records: 45, pageMax: 10 })
    const records = await json('contacts', 'list', '-o', 'json')
    expect(new Set(records.map(({ id }: { id: string }) => id)).size).toBe(45)
    const paths = emulator.requests.map(({ path }) => decodeURIComponent(path.replaceAll('+', ' ')))
    expect(paths).toHaveLength(5)
    expect(paths[0]).toMatch(/^\/services\/data\/v62\.0\/query\?q=SELECT .* FROM Contact ORDER BY Id$/)
    expect(paths.slice(1).every((path) => /\/query\/01g\w+-\d+$/.test(path))).toBe(true)
    expect(records[0]).not.toHaveProperty('attributes')
  })

  test('that states more records than its pages have is no list', async () => {
    const options: SalesforceOptions = {
      records: 12,
      pageMax: 10,
      answers: (_, own) => {
        const answer = own()
        const { nextRecordsUrl: _next, ...body } = answer.body as Row
        return { ...answer, body: { ...body, done: true } }
      },
    }
    const { env } = await reach('', options)
    const { exit, stderr } = await crmHurried(['contacts', 'list'], env)
    expect([exit, stderr]).toEqual([7, expect.stringContaining('totalSize states 12, but the list ended after 10')])
  })
})

describe('of a collection', () => {
  test('each row has the result at its place', async () => {
    const csv = 'name,email,Title\nAda King,ada@x.test,Dr\nBob,nowhere,Dr\nCleo,cleo@x.test,Duke\nDan,dan@x.test,\n'
    const { env, importing, contacts, sent } = await reach(csv, { validates: noDukes })
    const { exit, stdout } = await importing()
    expect([exit, JSON.parse(stdout)]).toMatchObject([3, { rows: 4, done: 2, failed: 2, in_doubt: 0 }])
    expect(sent('PATCH', '/Contact/Email')).toHaveLength(1)
    expect(contacts().map(({ LastName }) => LastName)).toEqual(['King', 'Dan'])
    const failed = JSON.parse(await crmPrints(['jobs', 'failed', JSON.parse(stdout).job, '-o', 'json'], env))
    expect(failed).toMatchObject([
      { line: 3, field: 'Email', reason: 'Email: invalid email address: nowhere' },
      { line: 4, field: 'Title', reason: 'Nobody is a duke.' },
    ])
  })

  test.for([
    ['fewer', (results: Row[]) => results.slice(1)],
    ['more', (results: Row[]) => [...results, ...results.slice(0, 1)]],
    ['no', () => []],
  ] as const)('%s results than rows account for none, and stop the job', async ([_, change]) => {
    const { env, importing, emulator } = await reach(personRows([], 5), changing(change))
    const { exit, stdout } = await importing([])
    const { job, ...account } = JSON.parse(stdout)
    expect([exit, account]).toMatchObject([7, { done: 0, failed: 0, in_doubt: 5 }])
    await crmHurried(['jobs', 'resume', job], env)
    expect(emulator.effects('Contact', 'created')).toBe(5)
  })

  test('a result that is neither a success nor a refusal leaves its row in doubt, and it is looked up', async () => {
    const without = changing((results) => results.map((one, at) => (at === 2 ? { id: one.id, errors: [] } : one)))
    const { env, importing, emulator } = await reach(personRows([], 5), without)
    const { exit, stdout } = await importing([])
    expect([exit, JSON.parse(stdout)]).toMatchObject([7, { done: 4 }])
    await crmHurried(['jobs', 'resume', JSON.parse(stdout).job], env)
    const [job] = JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))
    expect([job.done, emulator.effects('Contact', 'created')]).toEqual([5, 5])
  })

  test('a row that another write has locked is sent again alone, and not counted as failed', async () => {
    let locked = 2
    const locks: SalesforceOptions['locks'] = (_, { LastName }) => {
      if (LastName !== '3' || locked === 0) return false
      locked -= 1
      return true
    }
    const { importing, sent, emulator } = await reach(personRows([], 5), { locks })
    expect(JSON.parse((await importing()).stdout)).toMatchObject({ done: 5, failed: 0, in_doubt: 0 })
    expect([sent('PATCH').length, emulator.effects('Contact', 'created')]).toEqual([3, 5])
  })

  test('rules of the organization fail their rows, with their message', async () => {
    const { env, importing } = await reach(personRows(['person1@example.com'], 5).replace('Person 3', 'Person 2'), {
      records: 2,
      hasDuplicateRule: true,
      validates: (_, { LastName }) => (LastName === '4' ? { message: 'Nobody is 4.' } : undefined),
    })
    const { stdout } = await importing()
    expect(JSON.parse(stdout)).toMatchObject({ done: 4, failed: 1 })
    const { job } = JSON.parse(stdout)
    const [failed] = JSON.parse(await crmPrints(['jobs', 'failed', job, '-o', 'json'], env))
    expect(failed).toMatchObject({ line: 6, reason: 'Nobody is 4.' })
  })

  test('one that is refused whole is halved until the row that it is refused for stands alone', async () => {
    const csv = personRows([], 16)
      .replace(/^name,email$/m, 'name,email,Score__c:text')
      .replace(/(@\S+)$/gm, '$1,1')
    const { importing, sent, contacts } = await reach(csv.replace('new11@import.test,1', 'new11@import.test,many'))
    expect(JSON.parse((await importing()).stdout)).toMatchObject({ done: 15, failed: 1, in_doubt: 0 })
    expect(sent('PATCH').map(({ status }) => status)).toEqual(expect.arrayContaining([400, 200]))
    expect([sent('PATCH').length, contacts().length]).toEqual([9, 15])
  })

  test('the limit of a day makes the job wait, and fails no row', async () => {
    let isLimited = false
    const { importing, sent } = await reach(personRows([], 7), {
      answers: (call, own) => {
        if (isLimited || !isCollection(call)) return own()
        isLimited = true
        return {
          status: 403,
          body: [{ message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' }],
        }
      },
    })
    expect(JSON.parse((await importing()).stdout)).toMatchObject({ done: 7, failed: 0 })
    expect(sent('PATCH').map(({ status }) => status)).toEqual([403, 200])
  })

  test('a session that has ended stops the job', async () => {
    const { importing } = await reach(personRows([], 3), {
      answers: (call, own) =>
        isCollection(call)
          ? { status: 401, body: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }] }
          : own(),
    })
    expect((await importing()).exit).toBe(4)
  })
})

test('a value that a restricted picklist lacks is refused in the plan, with the choices', async () => {
  const csv =
    'name,email,Level,LeadSource,Languages__c\nAda,ada@x.test,Primary,Fair,English;German\nBob,bob@x.test,Purple,Web,\n'
  const { env, importing, emulator, json } = await reach(csv)
  const { exit, stderr } = await importing()
  expect([exit, emulator.effects('Contact', 'created')]).toEqual([2, 0])
  expect(stderr).toMatch(/Purple.*Primary.*Secondary.*Tertiary/)
  expect(stderr).not.toContain('Fair')
  const fields = await json('fields', 'contacts', '-o', 'json')
  const level = fields.find(({ name }: { name: string }) => name === 'Level__c')
  expect(level).toMatchObject({ label: 'Level', options: ['Primary', 'Secondary', 'Tertiary'], read_only: false })
  expect(fields).toContainEqual(expect.objectContaining({ name: 'Rank__c', label: 'Rank', read_only: true }))
  writeFileSync(join(env.HOME ?? '', 'people.csv'), csv.replace('Purple', 'Tertiary'))
  expect(JSON.parse((await importing()).stdout)).toMatchObject({ done: 2, failed: 0 })
  expect(emulator.records('Contact')).toMatchObject([
    { Level__c: 'Primary', LeadSource: 'Fair', Languages__c: 'English;German' },
    { Level__c: 'Tertiary', LeadSource: 'Web' },
  ])
})

test('deletions travel in collections, and undo makes the records again with the members of their description', async () => {
  const { env, json, emulator, sent } = await reach('', { records: 5 })
  const [contact] = await json('contacts', 'list', '-o', 'json')
  await crmPrints(['contacts', 'update', contact.id, '--set', 'Level__c=Primary', '--set', 'Title=Dr'], env)
  const { job } = await json('contacts', 'delete', '--where', 'true', '--yes', '--expect', '5', '-o', 'json')
  expect([emulator.records('Contact').length, sent('DELETE').length]).toEqual([0, 1])
  await crmPrints(['jobs', 'undo', job, '--yes', '--expect', '5'], env)
  expect(emulator.records('Contact')).toHaveLength(5)
  expect(emulator.records('Contact')[0]).toMatchObject({ Name: 'Person 1', Level__c: 'Primary', Title: 'Dr' })
})

test('accounts and tasks are companies and tasks, and a contact finds its account by name', async () => {
  const { env, importing, emulator, json } = await reach('name,city\nEngines Ltd,London\nLooms,Leeds\n')
  const file = join(env.HOME ?? '', 'people.csv')
  const companies = ['companies', 'import', file, '--match', 'name', '--yes', '-o', 'json']
  expect(await json(...companies)).toMatchObject({ done: 2 })
  writeFileSync(file, 'name,city\nENGINES LTD,Paris\nMills,York\n')
  expect(await json(...companies)).toMatchObject({ done: 2 })
  expect(emulator.records('Account').map(({ BillingCity }) => BillingCity)).toEqual(['Paris', 'Leeds', 'York'])
  writeFileSync(file, 'name,email,company.name,Business Phone\nAda,ada@x.test,Looms,123\n')
  expect(JSON.parse((await importing()).stdout)).toMatchObject({ done: 1 })
  const [account, looms] = emulator.records('Account').map(({ Id }) => Id)
  expect(emulator.records('Contact')).toMatchObject([{ LastName: 'Ada', AccountId: looms, Phone: '123' }])
  const set = ['title=Call', 'due_on=2026-05-01', 'priority=high', `WhatId=${account}`].flatMap((one) => ['--set', one])
  const task = await json('tasks', 'create', ...set, '-o', 'json')
  expect(task).toMatchObject({ title: 'Call', status: 'open', due_on: '2026-05-01', priority: 'high' })
  await crmPrints(['tasks', 'update', task.id, '--set', 'status=done'], env)
  expect(emulator.records('Task')).toMatchObject([{ Status: 'Completed', IsClosed: true, WhatId: account }])
})

test('rows are matched and upserted by an external id of the organization, as a file that extends the connector says', async () => {
  const yaml = `objects:
  contacts:
    batch: { upsert: { by: { key: Key__c } }, read: { by: { key: Key__c } } }
    fields:
      name: { join: [FirstName, LastName], lone: last, required: true }
      email: { at: Email, fold: case }
      key: { at: Key__c, fold: case }
`
  const { env, importing, emulator, sent } = await reach('name,key\nAda,k1\nBea,k2\n', {}, yaml)
  expect(JSON.parse((await importing(['--match', 'key'])).stdout)).toMatchObject({ done: 2 })
  writeFileSync(join(env.HOME ?? '', 'people.csv'), 'name,key\nAda,K1\nBee,k2\nCleo,k3\n')
  expect(JSON.parse((await importing(['--match', 'key'])).stdout)).toMatchObject({ done: 2, unchanged: 1 })
  expect(sent('PATCH', '/Contact/Key__c')).toHaveLength(2)
  expect(emulator.records('Contact').map(({ LastName, Key__c }) => [LastName, Key__c])).toEqual([
    ['Ada', 'k1'],
    ['Bee', 'k2'],
    ['Cleo', 'k3'],
  ])
})
