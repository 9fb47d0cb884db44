import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { contactsOf, fileIn, KEEPS_NO_KEYS, startForeign } from '../foreign/run-shape.ts'
import type { Answered, Asked } from '../foreign/shape.ts'
import { crm, crmPrints, startRun } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'

const FILE = `version: 1
contacts:
  ada: { email: "ada+\${run.id}@example.test", name: Ada Lovelace }
  bob: { email: "bob+\${run.id}@example.test", name: Bob }
`

type Change = (asked: Asked, contacts: Map<string, JsonObject>) => Answered | undefined

/** A server whose contacts can be listed and made; `change` answers in its place. */
async function startChanging(change: Change) {
  const contacts = new Map<string, JsonObject>(contactsOf(1).map((one) => [String(one.id), one]))
  const answer = (asked: Asked): Answered => {
    const changed = change(asked, contacts)
    if (changed) return changed
    if (!asked.path.startsWith('/v1/contacts')) return { status: 404, json: {} }
    if (asked.method === 'GET') return { json: { data: [...contacts.values()], next_cursor: null } }
    if (asked.method === 'DELETE') {
      contacts.delete(asked.path.split('/').at(-1) ?? '')
      return { status: 204 }
    }
    const made = { id: `c_${contacts.size + 1}`, ...JSON.parse(asked.body) }
    contacts.set(made.id, made)
    return { status: 201, json: made }
  }
  const { crm, folder, seen } = await startForeign(answer, undefined, KEEPS_NO_KEYS)
  const file = fileIn(join(folder, 'files'), 'fixtures.yaml', FILE)
  const fixtures = async (verb: string) => {
    const { exit, stdout, stderr } = await crm(['fixtures', verb, file, '--run-id', 'r1', '-o', 'json'])
    return { exit, stderr, records: stdout === '' ? [] : JSON.parse(stdout) }
  }
  return { fixtures, contacts, seen }
}

test('two records with the same id are an error that names both, and neither is deleted', async () => {
  const { fixtures, contacts } = await startChanging(({ method }) =>
    method === 'POST' ? { json: { id: 'con_1' } } : undefined,
  )
  const { exit, stderr } = await fixtures('apply')
  expect(exit).toBe(3)
  expect(stderr).toMatch(
    /contacts\.ada and contacts\.bob both received the id con_1[\s\S]*check crm contacts list; .* in its email/,
  )
  await fixtures('destroy')
  expect([...contacts.keys()]).toEqual(['con_1'])
})

test('a record that differs in every member is not deleted; one that was changed is', async () => {
  const { fixtures, contacts } = await startChanging(() => undefined)
  await fixtures('apply')
  contacts.set('c_2', { id: 'c_2', name: 'Old One', email: 'old@example.test' })
  contacts.set('c_3', { id: 'c_3', name: 'Robert', email: 'BOB+r1@example.test' })
  const { exit, records } = await fixtures('destroy')
  expect({ exit, records }).toMatchObject({
    exit: 3,
    records: [
      { record: 'contacts.bob', action: 'deleted' },
      { record: 'contacts.ada', action: 'failed', reason: expect.stringContaining('is older') },
    ],
  })
  expect([...contacts.keys()]).toEqual(['con_1', 'c_2'])
})

test('a record that was created since is deleted, whatever its members', async () => {
  const { fixtures, contacts } = await startChanging(() => undefined)
  await fixtures('apply')
  const created = new Date().toISOString()
  for (const id of ['c_2', 'c_3']) contacts.set(id, { id, name: 'Changed', email: `${id}@x.test`, created_at: created })
  expect(await fixtures('destroy')).toMatchObject({ exit: 0 })
  expect([...contacts.keys()]).toEqual(['con_1'])
})

test.each([404, 410])('a deletion with the answer %i has failed when the list still has the record', async (status) => {
  const { fixtures } = await startChanging(({ method }) => (method === 'DELETE' ? { status, json: {} } : undefined))
  await fixtures('apply')
  const failed = { action: 'failed', reason: expect.stringContaining('the list still has it') }
  expect(await fixtures('destroy')).toMatchObject({ exit: 3, records: [failed, failed] })
  expect(await fixtures('status')).toMatchObject({ records: [{ state: 'there' }, { state: 'there' }] })
})

test.each([400, 405, 409, 422, 423])(
  'a deletion that is refused with %i is failed with its reason, exit 3, and known to the next destroy',
  async (status) => {
    let isRefused = true
    const { fixtures, contacts } = await startChanging(({ method }) =>
      method === 'DELETE' && isRefused ? { status, json: { error: { message: 'contact has open deals' } } } : undefined,
    )
    expect(await fixtures('apply')).toMatchObject({ exit: 0 })
    for (let nth = 1; nth <= 2; nth++) {
      const { exit, records, stderr } = await fixtures('destroy')
      expect(exit).toBe(3)
      const failed = { action: 'failed', reason: expect.stringContaining('contact has open deals') }
      expect(records).toMatchObject([
        { record: 'contacts.ada', ...failed },
        { record: 'contacts.bob', ...failed },
      ])
      expect(stderr).toMatch(/Not deleted: contacts\.ada \(c_2\): .*contact has open deals/)
    }
    expect(contacts.size).toBe(3)
    isRefused = false
    expect(await fixtures('destroy')).toMatchObject({
      exit: 0,
      records: [{ action: 'deleted' }, { action: 'deleted' }],
    })
    expect([...contacts.keys()]).toEqual(['con_1'])
  },
)

test.each([
  ['contacts', 'ann: { name: Ann, email: ann@x.test }'],
  ['deals', 'ann: { name: Ann, stage: Won }'],
])(
  'after an apply was stopped and its job cancelled, %s that may exist are not made again, and destroy names them',
  async (noun, record) => {
    const arrived = Promise.withResolvers<void>()
    const { url, seen } = await startServer((response, request) => {
      if (request.method === 'POST') return arrived.resolve()
      sendJson(response, 200, { data: [], next_cursor: null })
    })
    const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k', CRM_CONNECTOR: 'contract' })
    const path = join(tempFolder(), 'fixtures.yaml')
    writeFileSync(path, `version: 1\n${noun}:\n  ${record}\n`)
    const apply = startRun(['fixtures', 'apply', path, '--run-id', 'r1', '--timeout', '1s'], env)
    await arrived.promise
    apply.interrupt('SIGINT')
    expect(await apply.exit).toBe(130)
    const [job] = JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))
    await crmPrints(['jobs', 'cancel', job.id], env)
    expect((await crm(['fixtures', 'apply', path, '--run-id', 'r1'], env)).exit).toBe(3)
    expect(seen.filter(({ method, path }) => method === 'POST' && path === `/v1/${noun}`)).toHaveLength(1)
    const { exit, stdout, stderr } = await crm(['fixtures', 'destroy', path, '--run-id', 'r1', '-o', 'json'], env)
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ record: `${noun}.ann`, action: 'in_doubt' })])
    expect(stderr).toContain(`to see whether they exist: crm ${noun} list\n`)
    expect(exit).toBe(3)
  },
)
