import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { fileIn, KEEPS_NO_KEYS, startForeign } from '../foreign/run-shape.ts'
import type { Answered, Asked } from '../foreign/shape.ts'

const FILE = `version: 1
contacts:
  ada: { email: "ada+\${run.id}@example.test", name: Ada }
  bob: { $match: email, email: bob@example.test, name: Bob }
deals:
  big: { name: Big, stage: Lead }
`

const DAY_MS = 86_400_000

function mark(run: string, daysAgo: number): string {
  return `crm-run:${run}:${new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10)}`
}

type Records = Map<string, JsonObject>

/** Contacts can be deleted, deals cannot, as in the contract. */
function answerFor(lists: Readonly<Record<string, Records>>): (asked: Asked) => Answered {
  const write = (records: Records, noun: string, body: string, id = `${noun}_${records.size + 1}`): JsonObject => {
    const record = { id, ...records.get(id), ...JSON.parse(body) }
    records.set(id, record)
    return record
  }
  return ({ method, path, body }) => {
    const [, , noun = '', id = ''] = path.split('/')
    const records = lists[noun]
    if (!records) return { status: 404, json: {} }
    if (method === 'GET') return { json: { data: [...records.values()], next_cursor: null } }
    if (method === 'POST') return { status: 201, json: write(records, noun, body) }
    if (method === 'PATCH') return { json: write(records, noun, body, id) }
    return { status: noun === 'contacts' && records.delete(id) ? 204 : 405, json: {} }
  }
}

/** A server without states of runs, which keeps every member. */
async function startKeeping(marker = 'run_marker: crm_run', settings?: Readonly<Record<string, string>>) {
  const lists = { contacts: new Map<string, JsonObject>(), deals: new Map<string, JsonObject>() }
  const { crm, folder } = await startForeign(answerFor(lists), settings, `${KEEPS_NO_KEYS}\n${marker}`)
  const file = fileIn(join(folder, 'files'), 'fixtures.yaml', FILE)
  const sweep = (...more: string[]) => crm(['fixtures', 'sweep', '--older-than', '2d', ...more])
  return { ...lists, crm, file, sweep }
}

test('apply marks what it creates, not what it finds; the mark is no change, and destroy deletes as before', async () => {
  const { contacts, deals, crm, file } = await startKeeping()
  contacts.set('c_0', { id: 'c_0', email: 'bob@example.test', name: 'Robert' })
  expect(await crm(['fixtures', 'apply', file, '--run-id', 'r1'])).toMatchObject({ exit: 0 })
  expect([...contacts.values()]).toEqual([
    { id: 'c_0', email: 'bob@example.test', name: 'Bob' },
    { id: 'contacts_2', email: 'ada+r1@example.test', name: 'Ada', crm_run: mark('r1', 0) },
  ])
  expect([...deals.values()]).toMatchObject([{ name: 'Big', crm_run: mark('r1', 0) }])
  const again = await crm(['fixtures', 'plan', file, '--run-id', 'r1', '--exit-code'])
  expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining('3 unchanged') })
  await crm(['fixtures', 'destroy', file, '--run-id', 'r1'])
  expect([...contacts.keys()]).toEqual(['c_0'])
})

test('the run of a person at a terminal, which others have too, is not marked', async () => {
  const { contacts, crm, file } = await startKeeping()
  expect(await crm(['fixtures', 'apply', file])).toMatchObject({ exit: 0 })
  expect([...contacts.values()].some((record) => 'crm_run' in record)).toBe(false)
})

test('sweep deletes exactly the records whose marker is ours and old, and leaves what the server does not delete', async () => {
  const { contacts, deals, sweep } = await startKeeping()
  const values = [
    mark('old', 4),
    mark('old', 3),
    mark('edge', 2),
    mark('new', 0),
    'crm-run:x',
    `${mark('old', 4)} `,
    7,
    null,
  ]
  for (const [at, crm_run] of values.entries()) contacts.set(`c_${at}`, { id: `c_${at}`, crm_run })
  contacts.set('c_none', { id: 'c_none', name: mark('old', 4) })
  deals.set('d_1', { id: 'd_1', crm_run: mark('old', 4) })

  const dry = await sweep('--dry-run')
  expect(dry.exit).toBe(0)
  expect(dry.stderr).toContain('old: 3 records, made before ')
  expect(dry.stderr).toContain('Dry run: 3 records of 1 run would be deleted.')
  expect(await sweep()).toMatchObject({ exit: 11, stdout: '' })
  expect(contacts.size).toBe(9)

  const swept = await sweep('--yes', '-o', 'json')
  expect(swept.exit).toBe(3)
  expect(JSON.parse(swept.stdout)).toEqual([
    { run: 'old', record: 'contacts', id: 'c_0', action: 'deleted' },
    { run: 'old', record: 'contacts', id: 'c_1', action: 'deleted' },
    { run: 'old', record: 'deals', id: 'd_1', action: 'left' },
  ])
  expect([...contacts.keys()]).toEqual(['c_2', 'c_3', 'c_4', 'c_5', 'c_6', 'c_7', 'c_none'])
  expect([...deals.keys()]).toEqual(['d_1'])
})

test('sweep refuses a protected profile, and a server without states or marker', async () => {
  const guarded = await startKeeping(undefined, { protected: 'true' })
  guarded.contacts.set('c_1', { id: 'c_1', crm_run: mark('old', 4) })
  expect(await guarded.sweep('--yes')).toMatchObject({ exit: 5, stderr: expect.stringContaining('protected') })
  expect(guarded.contacts.size).toBe(1)
  const { sweep } = await startKeeping('')
  expect(await sweep('--yes')).toMatchObject({
    exit: 7,
    stderr: expect.stringContaining('in the connector: run_marker: NAME'),
  })
})
