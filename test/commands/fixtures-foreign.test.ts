import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { contactsOf, fileIn, startForeign } from '../foreign/run-shape.ts'
import type { Answered, Asked } from '../foreign/shape.ts'

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
  const { crm, folder, seen } = await startForeign(answer, { 'wire.request_life': '1s' })
  const file = fileIn(join(folder, 'files'), 'fixtures.yaml', FILE)
  const fixtures = async (verb: string) => {
    const { exit, stdout, stderr } = await crm(['fixtures', verb, file, '--run-id', 'r1', '-o', 'json'])
    return { exit, stderr, records: stdout === '' ? [] : JSON.parse(stdout) }
  }
  return { fixtures, contacts, seen }
}

test.each([404, 410])('a deletion that is answered with %i is failed where the list still has it', async (status) => {
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
