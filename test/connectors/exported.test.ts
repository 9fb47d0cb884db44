import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { type ConnectedServer, connected, SERVERS } from './servers.ts'

async function exported({ env }: ConnectedServer, name: string): Promise<string> {
  const file = join(env.HOME ?? '', name)
  await crmPrints(['contacts', 'export', file], env)
  return file
}

describe.each(SERVERS)('$connector', (server) => {
  test.each(['all.csv', 'all.jsonl'])('%s is imported again by id and by email without a change', async (name) => {
    const there = await connected(server, { records: 3 })
    const file = await exported(there, name)
    for (const match of ['id', 'email']) {
      const importing = ['contacts', 'import', file, '--match', match, '--yes', '-o', 'json']
      expect(JSON.parse(await crmPrints(importing, there.env))).toMatchObject({ rows: 3, unchanged: 3 })
    }
  })

  test.each([
    ['all.csv', 'import'],
    ['all.jsonl', 'update'],
  ])('an edited %s has the same result each time (%s)', async (name, kind) => {
    const there = await connected(server, { records: 3 })
    const file = await exported(there, name)
    const cell = (text: string) => (name.endsWith('csv') ? `${text},` : `"${text}"`)
    const [first, second] = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], there.env))
    // In each row the first of both: the field of crm.
    const edited = readFileSync(file, 'utf8')
      .replace(cell(first.name), cell('Changed Name'))
      .replace(cell(second.email), cell('changed@x.test'))
    writeFileSync(file, edited)
    const args = kind === 'import' ? [kind, file] : [kind, '--from', file, '--match', 'id']
    const job = async (...more: string[]) =>
      JSON.parse(await crmPrints(['contacts', ...args, ...more, '--yes', '-o', 'json'], there.env))
    expect(await job()).toMatchObject({ rows: 3, done: 2, unchanged: 1 })
    expect(await job('--again')).toMatchObject({ rows: 3, done: 0, unchanged: 3 })
    const now = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], there.env))
    expect(now).toMatchObject([{ name: 'Changed Name' }, { email: 'changed@x.test' }, {}])
  })

  test("the server's own member alone is written, and is unchanged the next time", async () => {
    const there = await connected(server, { records: 3 })
    const file = await exported(there, 'all.jsonl')
    const [, row = '{}'] = readFileSync(file, 'utf8').split('\n')
    const { id, email, ...others } = JSON.parse(row)
    const [own] = ['emails', 'email_addresses', 'lastname', 'LastName', 'Last_Name'].filter((name) =>
      Object.hasOwn(others, name),
    )
    if (own === undefined) throw new Error(`no own member in ${row}`)
    const isLast = own.toLowerCase().replace('_', '') === 'lastname'
    const value = JSON.parse(JSON.stringify(others[own]).replace(email, 'own@x.test'))
    writeFileSync(file, JSON.stringify({ id, [own]: isLast ? 'Own' : value }))
    const job = async (...more: string[]) =>
      JSON.parse(await crmPrints(['contacts', 'import', file, ...more, '--yes', '-o', 'json'], there.env))
    expect(await job()).toMatchObject({ rows: 1, done: 1 })
    expect(await job('--again')).toMatchObject({ rows: 1, unchanged: 1 })
    const now = JSON.parse(await crmPrints(['contacts', 'get', id, '-o', 'json'], there.env))
    expect([now.email, now.name]).toContain(isLast ? 'Person Own' : 'own@x.test')
  })

  test.each(['all.csv', 'all.jsonl'])('what the server sets itself since is left out of %s', async (name) => {
    const there = await connected(server, { records: 3 })
    const file = await exported(there, name)
    const [{ id }] = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], there.env))
    await crmPrints(['contacts', 'update', id, '--set', 'name=Other Name'], there.env)
    const { stdout, stderr } = await crm(
      ['contacts', 'import', file, '--match', 'id', '--dry-run', '-o', 'json'],
      there.env,
    )
    expect(JSON.parse(stdout), stderr).toMatchObject({ update: 1, unchanged: 2 })
  })
})

const [PIPEDRIVE] = SERVERS.filter(({ connector }) => connector === 'pipedrive')

test('a cell with a list is compared and sent as a list', async () => {
  if (!PIPEDRIVE) throw new Error('there is no emulator of Pipedrive')
  const there = await connected(PIPEDRIVE, { records: 2 })
  const file = await exported(there, 'all.csv')
  const [head = '', first = '', second = ''] = readFileSync(file, 'utf8').trim().split('\r\n')
  const reordered = first.replace(
    /"(\[\{.*?\}\])"/,
    '"[{""label"":""work"",""value"":""person1@example.com"",""primary"":true}]"',
  )
  const changed = second.replace('work', 'home').replace(/^2,/, '2,')
  const added = 'New,new@x.test,"[{""value"":""new@x.test"",""primary"":true}]"'
  writeFileSync(file, `${[head, reordered, changed].join('\r\n')}\r\n`)
  const rest = join(there.env.HOME ?? '', 'new.csv')
  writeFileSync(rest, `name,email,emails\n${added}\n`)
  const json = async (args: readonly string[]) =>
    JSON.parse(await crmPrints([...args, '--yes', '-o', 'json'], there.env))
  expect(await json(['contacts', 'import', file, '--match', 'id'])).toMatchObject({ done: 1, unchanged: 1 })
  expect(await json(['contacts', 'import', rest])).toMatchObject({ done: 1 })
  expect(there.contacts().map(({ emails }) => emails)).toMatchObject([
    [{ value: 'person1@example.com', label: 'work' }],
    [{ value: 'person2@example.com', label: 'home' }],
    [{ value: 'new@x.test', label: 'work' }],
  ])
})

test('a column that the server sets is refused where it is named as a field', async () => {
  if (!PIPEDRIVE) throw new Error('there is no emulator of Pipedrive')
  const there = await connected(PIPEDRIVE, { records: 1 })
  const file = join(there.env.HOME ?? '', 'people.csv')
  writeFileSync(file, 'name,First\nAda Lovelace,Ada\n')
  const { exit, stderr } = await crm(['contacts', 'import', file, '--map', 'First=first_name', '--yes'], there.env)
  expect([exit, stderr]).toEqual([2, expect.stringContaining('first_name of a contact is read-only')])
})
