import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { type Answering, sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { type Env, emptyHome } from '../harness/home.ts'

// Servers with a design of their own, described by hand: nested records, refusals in a 200, a cursor in a body, PUT that replaces.

interface Table {
  readonly rows: Map<number, JsonObject>
  readonly answer: Answering
  readonly connector: string
}

function ledger(): Table {
  const audit = { added: 1_764_000_000, touched: 1_764_000_000 }
  const rows = new Map(
    Array.from({ length: 120 }, (_, n): [number, JsonObject] => [
      n + 1,
      {
        ref: n + 1,
        profile: { name: { given: `Given${n}`, family: `Family ${n}` }, emails: emailsOf(n), phones: [] },
        score: n,
        tags: ['a'],
        audit,
      },
    ]),
  )
  const done = (payload: JsonObject): JsonObject => ({ ok: true, payload })
  const refused = (num: number, text: string): JsonObject => ({ ok: false, problem: { num, text } })
  const one = (ref: number, method: string, sent: JsonObject): JsonObject => {
    const row = rows.get(ref)
    if (!row) return refused(5, `no person ${ref}`)
    if (method === 'DELETE') rows.delete(ref)
    if (method === 'PUT') rows.set(ref, { ...(sent.person as JsonObject), ref, audit: row.audit ?? null })
    return done(method === 'DELETE' ? {} : { person: rows.get(ref) ?? null })
  }
  const listed = (url: URL): JsonObject => {
    const [from, per] = [Number(url.searchParams.get('from') ?? 0), Math.min(Number(url.searchParams.get('per')), 50)]
    const left = [...rows.values()].filter(({ ref }) => Number(ref) > from)
    const people = left.slice(0, per)
    const next = left.length > per ? String(people.at(-1)?.ref) : null
    return done({ people, page: { from: next, of: rows.size } })
  }
  return {
    rows,
    answer: (response, { method, path, headers, body }) => {
      const url = new URL(path, 'http://ledger')
      const [, ref] = /^\/api\/2\/people(?:\/(\d+))?$/.exec(url.pathname) ?? expect.fail(path)
      const sent = body === '' ? {} : JSON.parse(body)
      if (headers['x-ledger-token'] !== 'key_of_the_test') return sendJson(response, 200, refused(3, 'token not known'))
      if (ref !== undefined) return sendJson(response, 200, one(Number(ref), method, sent))
      if (method === 'GET') return sendJson(response, 200, listed(url))
      const added = Math.max(...rows.keys()) + 1
      const now = Math.floor(Date.now() / 1000)
      rows.set(added, { ref: added, ...sent.person, audit: { added: now, touched: now } })
      sendJson(response, 200, done({ person: rows.get(added) ?? null }))
    },
    connector: `connector: 2
name: ledger
base: /api/2
auth: { in: header, name: X-Ledger-Token, value: '{key}' }
error:
  message: problem.text
  code: problem.num
  kinds: [{ when: { at: problem.num, is: 5 }, means: gone }, { when: { at: problem.num, is: 3 }, means: auth }]
idempotency: { life: 1s }
paging: { by: cursor, param: from, next: payload.page.from, total: payload.page.of, size: { param: per, max: 50 } }
record: { id: { at: ref, type: integer }, created_at: { at: audit.added, as: unix } }
objects:
  contacts:
    path: /people
    read_only: [audit]
    verbs:
      list: { items: 'payload.people[]' }
      get: { record: payload.person }
      create: { body: { person: '{record}' }, gives: payload.person }
      update: { method: PUT, body: { person: '{record}' }, gives: payload.person, sends: whole, drop: [audit] }
      delete: { ok: { at: ok, is: true } }
    fields:
      name: { join: [profile.name.given, profile.name.family], lone: last }
      email: { at: 'profile.emails[kind=work].address', new: { kind: work }, fold: case }
      phone: 'profile.phones[0].number'
`,
  }
}

function emailsOf(n: number): JsonValue {
  return ['work', 'home'].map((kind) => ({ kind, address: `${kind}${n}@ledger.test` }))
}

async function described({ answer, connector }: Pick<Table, 'answer' | 'connector'>) {
  const { url, seen } = await startServer(answer)
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' })
  const file = join(env.HOME, 'own.yaml')
  writeFileSync(file, connector)
  return { seen, origin: url.origin, bare: env as Env, env: { ...env, CRM_CONNECTOR: file } as Env }
}

test('a server that refuses in a 200 and replaces by PUT is listed, imported to, changed, and undone to what it was', async () => {
  const table = ledger()
  const { env } = await described(table)
  const before = structuredClone([...table.rows])
  expect((await crmPrints(['contacts', 'list', '-o', 'id'], env)).trim().split('\n')).toHaveLength(120)
  const rows = Array.from({ length: 40 }, (_, n) => `New Person${n},work${n + 100}@ledger.test,+49 ${n}\n`)
  const args = [
    'contacts',
    'import',
    '-',
    '--format',
    'csv',
    '--match',
    'email',
    '--run-id',
    'one',
    '--yes',
    '-o',
    'json',
  ]
  const job = JSON.parse(await crmPrints(args, env, `name,email,phone\n${rows.join('')}`))
  expect(job).toMatchObject({ done: 40, failed: 0, in_doubt: 0 })
  expect(table.rows.size).toBe(140)
  // What no field maps is sent back by a PUT.
  expect(table.rows.get(101)).toMatchObject({
    profile: { name: { given: 'New', family: 'Person0' }, emails: emailsOf(100), phones: [{ number: '+49 0' }] },
    score: 100,
    tags: ['a'],
  })
  await crmPrints(['jobs', 'undo', job.job, '--yes', '--expect', '20'], env)
  expect([...table.rows].map(([ref, row]) => [ref, withoutEmptyPhones(row)])).toEqual(
    before.map(([ref, row]) => [ref, withoutEmptyPhones(row)]),
  )
})

/** Undo clears a telephone number that was not there, and leaves its list. */
function withoutEmptyPhones(row: JsonObject): JsonObject {
  const { phones, ...profile } = row.profile as JsonObject
  const numbers = (phones as JsonObject[]).filter(({ number }) => number !== null)
  return { ...row, profile: { ...profile, phones: numbers } }
}

const PEOPLE = Array.from({ length: 137 }, (_, n) => ({ uid: `u${n}`, attrs: { fullName: `Body ${n}`, tel: null } }))

test('a list that is asked for by POST with its cursor in the body is complete', async () => {
  const answer: Answering = (response, { method, path, body }) => {
    if (`${method} ${path}` !== 'POST /contacts/query') return sendJson(response, 404, { error: 'no' })
    const { take = 20, after = null } = JSON.parse(body)
    const start = after === null ? 0 : Number(after) + 1
    const end = start + Math.min(take, 40)
    sendJson(response, 200, { hits: PEOPLE.slice(start, end), after: end < PEOPLE.length ? `${end - 1}` : null })
  }
  const connector = `connector: 2
name: body
paging: { by: cursor, in: body, param: after, next: after, size: { param: take, max: 40 } }
record: { id: uid, inside: attrs }
objects:
  contacts:
    verbs: { list: { method: POST, path: '{object}/query', items: 'hits[]' } }
    fields: { name: fullName, phone: tel }
`
  const { env } = await described({ answer, connector })
  const listed = (await crmPrints(['contacts', 'list', '-o', 'jsonl'], env)).trim().split('\n')
  expect(listed.map((line) => JSON.parse(line).name)).toEqual(PEOPLE.map(({ attrs }) => attrs.fullName))
})

test('a PUT that would destroy what its body lacks is refused before it is sent, and done by the fields that say where', async () => {
  const rows = new Map(
    [1, 2, 3].map((id): [number, JsonObject] => [id, { id, profile: { name: `Bare ${id}`, phone: '1' }, score: id }]),
  )
  const before = structuredClone([...rows])
  const answer: Answering = (response, { method, path, body }) => {
    const id = Number(path.split('/')[2])
    if (method === 'PUT') rows.set(id, { ...JSON.parse(body), id })
    sendJson(response, 200, Number.isNaN(id) ? { contacts: [...rows.values()] } : (rows.get(id) ?? {}))
  }
  const connector = (more: string, update: string) => `connector: 2
name: bare
idempotency: none
paging: none
record: { id: { at: id, type: integer } }
objects:
  contacts:
    ${more}
    verbs: { list: { items: 'contacts[]' }, get: {}, update: { method: PUT, sends: whole${update} } }
`
  const drafted = connector(
    'read_only: [profile, score]\n    fields: { name: name, phone: phone }',
    ", body: { profile: '{record}' }",
  )
  const change = ['contacts', 'update', '--where', '.id != null', '--set', 'phone=555', '--yes', '-o', 'json']
  const { env, seen } = await described({ answer, connector: drafted })
  const refused = await crm(change, env)
  expect(refused.exit).not.toBe(0)
  expect(refused.stderr).toContain('would leave out')
  expect([[...rows], seen.filter(({ method }) => method !== 'GET')]).toEqual([before, []])
  const right = await described({
    answer,
    connector: connector('fields: { name: profile.name, phone: profile.phone }', ''),
  })
  const { job, done } = JSON.parse(await crmPrints(change, right.env))
  expect([done, rows.get(2)]).toEqual([3, { id: 2, profile: { name: 'Bare 2', phone: '555' }, score: 2 }])
  await crmPrints(['jobs', 'undo', job, '--yes'], right.env)
  expect([...rows]).toEqual(before)
})

test('a wrong file is 7, and the command that it names reads the server with the key of the profile', async () => {
  const { url } = await startServer((response, { headers, path }) => {
    if (headers['x-key'] !== 'key_of_the_test') return sendJson(response, 401, { message: 'no such key' })
    if (new URL(path, url).pathname !== '/team/people') return sendJson(response, 404, { message: 'no such path' })
    sendJson(response, 200, { people: PEOPLE })
  })
  const home = emptyHome()
  const file = join(home.HOME, 'wrong.yaml')
  const people = 'contacts: { path: /people, verbs: { list: { items: "persons[]" } } }'
  writeFileSync(
    file,
    `connector: 2\nname: wrong\nauth: { in: header, name: X-Key }\npaging: none\nobjects: { ${people} }\n`,
  )
  const login = ['auth', 'login', '--no-verify', '--storage', 'file', '--base-url', `${url.origin}/team`]
  expect(
    await crm([...login, '--connector', file, '-p', 'team', '--key-stdin'], home, 'key_of_the_test'),
  ).toMatchObject({
    exit: 0,
  })
  const { exit, stderr } = await crm(['contacts', 'list', '-p', 'team'], home)
  const named = `-p team connectors create --probe ${url.origin}/team --auth header:X-Key --resource contacts=/people --out mycrm.yaml`
  expect([exit, stderr]).toEqual([7, expect.stringContaining(`crm ${named}`)])
  await crm([...named.split(' '), '--whole', 'contacts'], home, '', home.HOME)
  expect(readFileSync(join(home.HOME, 'mycrm.yaml'), 'utf8')).toContain('people[]')
  const other = await crm(['connectors', 'create', '--probe', 'http://127.0.0.1:9', '-p', 'team'], home)
  expect(other).toMatchObject({ exit: 4, stderr: expect.stringContaining('no key was given') })
})

test.each<[string, JsonValue]>([
  ['refuses in a 200', { ok: false, problem: { num: 3, text: 'token not known' } }],
  ['names its list otherwise', { items: PEOPLE }],
  ['has a bare list', PEOPLE],
])('crm.yaml on a server that %s is 7, and names the command that describes it', async (_, json) => {
  const answer: Answering = (response) => sendJson(response, 200, json)
  const { bare, origin } = await described({ answer, connector: '' })
  const { exit, stdout, stderr } = await crm(['contacts', 'list'], bare)
  expect([exit, stdout], stderr).toEqual([7, ''])
  expect(stderr).toContain(`crm connectors create --probe ${origin} --out mycrm.yaml`)
})

test('an undo restores a deleted record without the members that no update sends, and says so', async () => {
  const table = ledger()
  const connector = table.connector.replace('drop: [audit]', 'drop: [audit, score]')
  const answer: Answering = (response, request, nth) => {
    const isRefused = request.method === 'POST' && 'score' in JSON.parse(request.body).person
    if (isRefused)
      return sendJson(response, 422, { ok: false, problem: { num: 9, text: 'score is set by the ledger' } })
    table.answer(response, request, nth)
  }
  const { env } = await described({ answer, connector })
  const job = JSON.parse(
    await crmPrints(['contacts', 'delete', '--where', '.id == "7"', '--yes', '--expect', '1', '-o', 'json'], env),
  )
  expect(table.rows.has(7)).toBe(false)
  const { exit, stderr } = await crm(['jobs', 'undo', job.job, '--yes'], env)
  expect([exit, stderr]).toEqual([0, expect.stringContaining('Not restored: score, which no update sends.')])
  expect([...table.rows.values()].at(-1)).toMatchObject({ profile: { name: { given: 'Given6' } }, tags: ['a'] })
})

test('an undo of an import says that the records show no changes by others, and names values that it did not write', async () => {
  const table = ledger()
  const { env } = await described(table)
  const args = ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes', '-o', 'json']
  const { job } = JSON.parse(await crmPrints(args, env, 'name\nNew Person\nOther Person\n'))
  const [ref, row = {}] = [...table.rows].at(-1) ?? []
  table.rows.set(ref ?? 0, { ...row, tags: ['vip'] })
  const { exit, stderr } = await crm(['jobs', 'undo', job, '--dry-run'], env)
  expect(exit).toBe(0)
  expect(stderr).toContain(
    '2 records to delete show neither a version nor a time of change, so that changes by others are not seen; values that the job did not write: tags.',
  )
})

test('an undo does not call records deleted that a wrong description leaves out of the list', async () => {
  const table = ledger()
  const right = await described(table)
  const args = ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes', '-o', 'json']
  const { job } = JSON.parse(await crmPrints(args, right.env, 'name\nNew Person\n'))
  writeFileSync(right.env.CRM_CONNECTOR ?? '', table.connector.replace(/paging: .*/, 'paging: none'))
  const { exit, stderr } = await crm(['jobs', 'undo', job, '--yes'], right.env)
  expect([exit, stderr]).toEqual([7, expect.stringContaining('the list of contacts lacks 121, which the server has')])
  expect(table.rows.size).toBe(121)
})
