import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { KEEPS_NO_KEYS, startForeign } from './run-shape.ts'
import type { Asked } from './shape.ts'

type Show = (record: JsonObject) => JsonObject

/** Keeps its records and lists them as it pleases; the POST of this number (`loses`) is applied and answered with 504. */
async function startShowing(show: Show, { count = 3, loses = 0 } = {}) {
  const records: JsonObject[] = Array.from({ length: count }, (_, n) => ({
    id: `x${n + 1}`,
    name: `P${n + 1}`,
    email: `p${n + 1}@x.test`,
  }))
  let posts = 0
  const answer = ({ method, path, body }: Asked) => {
    if (path !== '/v1/contacts') return { status: 404, json: { message: 'there is nothing here' } }
    if (method === 'GET') return { json: { data: records.map(show), next_cursor: null } }
    const made = { ...JSON.parse(body), id: `x${records.length + 1}` }
    records.push(made)
    return ++posts === loses ? { status: 504, text: '<h1>504</h1>' } : { status: 201, json: made }
  }
  return { records, ...(await startForeign(answer, undefined, KEEPS_NO_KEYS)) }
}

const asGid: Show = ({ id = null, ...rest }) => ({ gid: id, ...rest })

function importOf(rows: number): [argv: readonly string[], stdin: string] {
  const lines = Array.from({ length: rows }, (_, n) => `n${n + 1},n${n + 1}@x.test\n`)
  return [['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'], `name,email\n${lines.join('')}`]
}

test('a create whose answer was lost is sent once where the list shows a record without an id', async () => {
  const { crm, records } = await startShowing((record) => (record.name === 'n3' ? asGid(record) : record), { loses: 3 })
  const run = await crm(...importOf(5))
  expect(run).toMatchObject({ exit: 3, stderr: expect.stringContaining('1 in doubt') })
  expect(records.filter(({ name }) => name === 'n3')).toHaveLength(1)
}, 60_000)

describe('an import with --match sends nothing', () => {
  const emails: Readonly<Record<string, Show>> = {
    'is a list of objects': ({ email = null, ...rest }) => ({ ...rest, email: [{ value: email, primary: true }] }),
    'is a list of texts': ({ email = null, ...rest }) => ({ ...rest, email: [email] }),
    'is an object': ({ email = null, ...rest }) => ({ ...rest, email: { address: email } }),
    'has another name': ({ email = null, ...rest }) => ({ ...rest, Email: email }),
    'is null in all records': (record) => ({ ...record, email: null }),
    'is one level deeper': ({ email = null, ...rest }) => ({ ...rest, attributes: { email } }),
    'is masked': (record) => ({ ...record, email: 'p***@x.test' }),
  }
  const rows = 'name,email\nP1,p1@x.test\n'
  const argv = ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--match', 'email', '--yes']

  test.each(Object.entries(emails))('where the email %s', async (_, show) => {
    const { crm, records } = await startShowing(show)
    const run = await crm(argv, rows)
    expect(run).toMatchObject({ exit: 7, stderr: expect.stringMatching(/no record of the list has email .*"P1"/) })
    expect(records).toHaveLength(3)
  })

  test('where all records lack the member that the connector file maps', async () => {
    const { crm, records } = await startShowing(({ email: _, ...rest }) => rest)
    expect(await crm(argv, rows)).toMatchObject({ exit: 7 })
    expect(records).toHaveLength(3)
  })

  test('for a row that is there, and creates the others, where one record has an email', async () => {
    const show: Show = (record) => (record.name === 'P2' ? record : { ...record, email: null })
    const { crm, records } = await startShowing(show)
    await crm(argv, 'name,email\nP2,p2@x.test\nNew,new@x.test\n')
    expect(records).toHaveLength(4)
  })
})

test('an import with --match creates all rows where the list is empty', async () => {
  const { crm, records } = await startShowing((record) => record, { count: 0 })
  const run = await crm(
    ['contacts', 'import', '-', '--run-id', 'one', '--match', 'email', '--yes', '--format', 'csv'],
    'email\na@x.test\n',
  )
  expect(run).toMatchObject({ exit: 0 })
  expect(records).toHaveLength(1)
})

describe('a list with a record that has no id is exit 7', () => {
  test.each([
    ['list', ['contacts', 'list']],
    ['get', ['contacts', 'get', 'x1']],
    ['get of several', ['contacts', 'get', 'x1', 'x2']],
    ['update --where', ['contacts', 'update', '--where', '.name == "P1"', '--set', 'name=Q', '--yes', '--expect', '1']],
    ['delete --where', ['contacts', 'delete', '--where', '.name == "P1"', '--yes', '--expect', '1']],
    ['import --match', ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'r', '--match', 'email', '--yes']],
    ['import', ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'r', '--yes']],
    ['duplicates', ['contacts', 'duplicates', '--by', 'email']],
  ])('for %s', async (_, argv) => {
    const { crm, records, seen } = await startShowing((record) => (record.name === 'P3' ? asGid(record) : record))
    const { exit, stderr } = await crm(argv, 'name,email\nP1,p1@x.test\n')
    expect([exit, stderr]).toEqual([
      7,
      expect.stringContaining('expected the id of each record at id, got an object with'),
    ])
    expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(records).toHaveLength(3)
  })

  test('for undo', async () => {
    let isHidden = false
    const { crm } = await startShowing((record) => (isHidden ? asGid(record) : record))
    const { exit, stderr } = await crm(...importOf(1))
    expect(exit, stderr).toBe(0)
    isHidden = true
    const [job = ''] = /job_\w+/.exec((await crm(['jobs', 'list', '-o', 'json'])).stdout) ?? []
    expect(await crm(['jobs', 'undo', job, '--yes'])).toMatchObject({
      exit: 7,
      stderr: expect.stringContaining('expected the id of each record'),
    })
  })
})
