import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

const OLD = { id: 'x6', name: 'Pete', email: 'p6@x.test', created_at: '2020-01-01T00:00:00.000Z' }

interface Shows {
  /** In answers to creates, and in the list. */
  readonly answered?: (record: typeof OLD) => object
  readonly listed?: (record: typeof OLD) => object
  readonly madeStatus?: number
}

/** Answers a create with the record that has the same email, as servers do that match by it. */
async function openMatchingServer({ answered = same, listed = same, madeStatus = 201 }: Shows = {}) {
  const records = [{ ...OLD }]
  const server = await startServer((response, { method, body }) => {
    if (method === 'GET') return sendJson(response, 200, { data: records.map(listed), next_cursor: null })
    if (method !== 'POST') return sendJson(response, 204, undefined)
    const sent = JSON.parse(body) as { email: string }
    const found = records.find(({ email }) => email === sent.email)
    if (found) return sendJson(response, 200, answered(Object.assign(found, sent)))
    const made = { ...OLD, id: `n${records.length}`, ...sent, created_at: new Date().toISOString() }
    records.push(made)
    return sendJson(response, madeStatus, answered(made))
  })
  const env = emptyHome({ CRM_BASE_URL: server.url.href, CRM_API_KEY: 'k_0123456789', CRM_CONNECTOR: 'contract' })
  const deleted = () => server.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path)
  return { env, deleted, folder: env.HOME ?? '' }
}

function same(record: object): object {
  return record
}

function withoutTime({ created_at: _, ...record }: typeof OLD): object {
  return record
}

function withChange({ created_at: time, ...record }: typeof OLD): object {
  return { ...record, updated_at: time }
}

test.each<[string, Shows, RegExp]>([
  ['its last change alone', { answered: withChange, listed: withoutTime }, /\bit existed before this row was sent/],
  [
    'its creation in the list alone',
    { answered: withoutTime, madeStatus: 200 },
    /\bit existed before this row was sent/,
  ],
  ['no time, but 200 beside 201', { answered: withoutTime, listed: withoutTime }, /it may have existed before/],
])('an undo does not delete a record that existed where the server shows %s', async (_, shows, reason) => {
  const { env, deleted, folder } = await openMatchingServer(shows)
  const file = join(folder, 'a.csv')
  await writeFile(file, 'name,email\nPeter,p6@x.test\nNew,n@x.test\n')
  const { exit, stdout } = await crm(['contacts', 'import', file, '-o', 'json', '--yes'], env)
  expect(exit).toBe(0)
  const { job } = JSON.parse(stdout) as { job: string }
  const undo = await crm(['jobs', 'undo', job, '--yes', '--expect', '1'], env)
  expect(undo.exit).toBe(3)
  expect(undo.stderr).toMatch(reason)
  expect(deleted()).toEqual(['/v1/contacts/n1'])
})

test('an undo deletes the records of a server that answers every create with 200 and no time', async () => {
  const shows = { answered: withoutTime, listed: withoutTime, madeStatus: 200 }
  const { env, deleted, folder } = await openMatchingServer(shows)
  const file = join(folder, 'a.csv')
  await writeFile(file, 'name,email\nOne,o@x.test\nNew,n@x.test\n')
  const { stdout } = await crm(['contacts', 'import', file, '-o', 'json', '--yes'], env)
  const { job } = JSON.parse(stdout) as { job: string }
  expect((await crm(['jobs', 'undo', job, '--yes', '--expect', '2'], env)).exit).toBe(0)
  expect(deleted().toSorted()).toEqual(['/v1/contacts/n1', '/v1/contacts/n2'])
})

test.each<[string, Shows]>([
  ['its creation in the list alone', { answered: withoutTime, madeStatus: 200 }],
  ['no time, but 200 beside 201', { answered: withoutTime, listed: withoutTime }],
])('fixtures do not delete a record that existed where the server shows %s', async (_, shows) => {
  const { env, deleted, folder } = await openMatchingServer(shows)
  const file = join(folder, 'f.yaml')
  await writeFile(file, 'version: 1\ncontacts:\n  bob: { email: p6@x.test, name: Bob }\n  eve: { email: e@x.test }\n')
  await crm(['fixtures', 'apply', file, '--run-id', 'k', '-o', 'json'], env)
  await crm(['fixtures', 'destroy', file, '--run-id', 'k'], env)
  expect(deleted()).toEqual(['/v1/contacts/n1'])
})

test('an undo does not delete a record that existed before its row was sent', async () => {
  const { env, deleted, folder } = await openMatchingServer()
  const file = join(folder, 'a.csv')
  await writeFile(file, 'name,email\nPeter,p6@x.test\nNew,n@x.test\n')
  const { exit, stdout, stderr } = await crm(['contacts', 'import', file, '-o', 'json', '--yes'], env)
  expect(exit).toBe(0)
  expect(stderr).toContain('1 of the created records existed before')
  const { job } = JSON.parse(stdout) as { job: string }
  const undo = await crm(['jobs', 'undo', job, '--yes', '--expect', '1'], env)
  expect(undo.exit).toBe(3)
  expect(undo.stderr).toContain('it existed before this row was sent')
  expect(deleted()).toEqual(['/v1/contacts/n1'])
})

test('fixtures report a record that existed as taken over, and do not delete it', async () => {
  const { env, deleted, folder } = await openMatchingServer()
  const file = join(folder, 'f.yaml')
  await writeFile(file, 'version: 1\ncontacts:\n  bob: { email: p6@x.test, name: Bob }\n  eve: { email: e@x.test }\n')
  const applied = await crm(['fixtures', 'apply', file, '--run-id', 'k', '-o', 'json'], env)
  expect(applied.exit).toBe(0)
  expect(JSON.parse(applied.stdout)).toMatchObject([
    { record: 'contacts.bob', action: 'taken_over' },
    { record: 'contacts.eve', action: 'created' },
  ])
  await crm(['fixtures', 'destroy', file, '--run-id', 'k'], env)
  expect(deleted()).toEqual(['/v1/contacts/n1'])
})
