import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { newKey } from '../harness/service.ts'

type Row = Record<string, unknown>

interface Kind {
  /** What the server keeps of a record that is sent. */
  readonly keeps: (sent: Row) => Row
  /** What it shows of it in the answer to a write. */
  readonly answers: (kept: Row) => Row
  /** The member of the connector for the request of one record. */
  readonly get?: string
}

const GET = ', get: {}'

/** Contacts whose answers to writes show a part of what is kept. */
async function serving({ keeps, answers, get = GET }: Kind) {
  const records: Row[] = []
  const { url, seen } = await startServer((response, { method = '', path, body }) => {
    const at = Number(path.split('/')[2]) - 1
    if (method === 'GET') return sendJson(response, 200, Number.isNaN(at) ? { data: records } : records[at])
    const id = method === 'POST' ? records.length + 1 : at + 1
    records[id - 1] = { ...records[id - 1], ...keeps(JSON.parse(body)), id }
    sendJson(response, method === 'POST' ? 201 : 200, answers(records[id - 1] ?? {}))
  })
  const home = emptyHome()
  const connector = join(home.HOME ?? '', 'parts.yaml')
  const fields = '{ name: full_name, email: email, company: org }'
  const list = "list: { items: 'data[]', paging: { by: none } }"
  writeFileSync(
    connector,
    `connector: 2\nname: parts\norigin: ${url.origin}\nidempotency: none\nobjects:\n  contacts: { path: /people, verbs: { ${list}${get}, create: {}, update: {} }, fields: ${fields} }\n`,
  )
  const env = { ...home, CRM_CONNECTOR: connector, CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() }
  return { env, reads: () => seen.filter(({ method, path }) => method === 'GET' && path !== '/people').length }
}

const SET = ['--set', 'name=Ada', '--set', 'company=Acme', '--set', 'job=Boss']
const all = (row: Row) => row
const without =
  (...names: string[]) =>
  (row: Row): Row =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

test('a sent value that the answer leaves out and the record has is no news', async () => {
  const { env, reads } = await serving({ keeps: all, answers: without('org', 'job') })
  for (const write of [['create'], ['update', '1']]) {
    const { stderr, exit } = await crm(['contacts', ...write, ...SET], env)
    expect([exit, stderr]).toEqual([0, expect.not.stringContaining('does not show')])
  }
  expect(reads()).toBe(2)
})

test('a sent value that the record lacks is noted: of a field, and of a member that no field maps', async () => {
  const { env } = await serving({ keeps: without('org', 'job'), answers: all })
  for (const write of [['create'], ['update', '1']]) {
    const { stderr, exit } = await crm(['contacts', ...write, ...SET], env)
    expect(exit).toBe(0)
    expect(stderr).toContain('The record does not show what was sent: job: "Boss"; company: "Acme"\n')
  }
})

test('where no request shows one record, a field that the answer lacks is noted', async () => {
  const { env } = await serving({ keeps: all, answers: without('org', 'job'), get: '' })
  const { stderr } = await crm(['contacts', 'create', ...SET], env)
  expect(stderr).toContain('The answer does not show what was sent: company: "Acme"\n')
})

test('an answer that shows all, or a member that is cleared, needs no further request', async () => {
  const { env, reads } = await serving({ keeps: all, answers: without('email') })
  await crm(['contacts', 'create', ...SET], env)
  await crm(['contacts', 'update', '1', '--set', 'email:=null'], env)
  expect(reads()).toBe(0)
})

async function imported(kind: Kind) {
  const { env, reads } = await serving(kind)
  const file = join(env.HOME ?? '', 'people.csv')
  writeFileSync(file, `name,email,company,job\n${[1, 2, 3].map((n) => `P${n},p${n}@x.test,Acme,Boss\n`).join('')}`)
  const { stderr, exit } = await crm(['contacts', 'import', file, '--yes'], env)
  return { stderr, exit, reads: reads() }
}

test('a job reads one record again for all rows whose answers leave a value out', async () => {
  const kept = await imported({ keeps: all, answers: without('org', 'job') })
  expect([kept.exit, kept.reads, kept.stderr]).toEqual([0, 2, expect.not.stringContaining('do not show')])
  const dropped = await imported({ keeps: without('org'), answers: all })
  expect([dropped.exit, dropped.reads]).toEqual([0, 1])
  expect(dropped.stderr).toContain(
    'The answers do not show a value that was sent in 3 rows; first: line 2, company: "Acme", which the record 1 lacks\n',
  )
})
