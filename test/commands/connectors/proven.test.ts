import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { createClient } from '../../../src/library/create-client.ts'
import { run } from '../../../src/program.ts'
import { type SeenRequest, sendJson, startServer } from '../../api/answering-server.ts'
import { crm, startRun } from '../../harness/crm.ts'
import { emptyHome } from '../../harness/home.ts'

// The build sets it.
vi.stubGlobal('CRM_VERSION', '0.0.0')

const HEAD = 'connector: 2\nname: lab\ndrafted: 2026-11-29\npaging: none\nrecord: { created_at: created_at }\n'
const VERBS = "verbs: { list: { items: 'data[]' }, get: {}, create: {}, update: {}, delete: {} }"
const NOTES = "notes: { parent: deals, path: '/deals/{parent}/notes', only: [list, create, delete] }"
const ALL = `idempotency: none\n${VERBS}\nobjects: { contacts: { path: /contacts }, deals: { path: /deals }, ${NOTES} }\n`

type Answer = (response: ServerResponse, request: SeenRequest) => boolean

/** What a server with records by path answers, and changes. */
function answerTo({ method, path, body }: SeenRequest, records: Map<string, JsonObject>): [number, unknown?] {
  const [, list = '', id = ''] = /^(\/contacts|\/deals|\/deals\/\w+\/notes)(?:\/(\w+))?$/.exec(path) ?? []
  const record = records.get(path)
  if (method === 'GET' && id === '') {
    const isListed = (at: string) => at.startsWith(`${list}/`) && !at.slice(list.length + 1).includes('/')
    return [200, { data: [...records].filter(([at]) => isListed(at)).map(([, each]) => each) }]
  }
  if (method !== 'POST' && !record) return [404, { message: 'no such record' }]
  if (method === 'GET') return [200, record]
  if (method === 'DELETE') return [records.delete(path) ? 204 : 404]
  const at = method === 'POST' ? `${list}/r${records.size + 1}` : path
  const now = { id: at.slice(list.length + 1), created_at: new Date().toISOString(), ...record, ...JSON.parse(body) }
  records.set(at, now)
  return [200, now]
}

/** That server, and a home whose profile `lab` has a drafted connector for it; `first` may answer before it. */
async function lab(members: string, first: Answer = () => false) {
  const records = new Map<string, JsonObject>()
  const { url, seen } = await startServer((response, request) => {
    if (first(response, request)) return
    const [status, json] = answerTo(request, records)
    if (json === undefined) response.writeHead(status).end()
    else sendJson(response, status, json)
  })
  const home = emptyHome()
  const file = join(home.HOME, 'lab.yaml')
  writeFileSync(file, `${HEAD}${members}`)
  const login = ['auth', 'login', '--connector', file, '--base-url', url.origin, '-p', 'lab', '--storage', 'file']
  expect((await crm([...login, '--key-stdin'], home, 'key')).exit).toBe(0)
  const command = (argv: readonly string[], stdin = '') => crm([...argv, '-p', 'lab'], home, stdin)
  const check = async (...flags: readonly string[]) => {
    const { exit, stdout, stderr } = await command(['connectors', 'check', '-o', 'json', ...flags])
    const rows = (JSON.parse(stdout || '[]') as JsonObject[]).map(
      (row) => `${row.resource}.${row.operation} ${row.state} ${row.seen}`,
    )
    return { exit, rows, stderr }
  }
  const writes = () => seen.filter(({ method }) => method !== 'GET')
  const importOne = () =>
    command(['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'], 'name\nAda\n')
  return {
    home,
    file,
    url,
    records,
    seen,
    writes,
    command,
    check,
    importOne,
    kept: join(home.HOME, '.config/crm/proven.json'),
  }
}

function jobIn(stderr: string): string {
  return /job_\w+/.exec(stderr)?.[0] ?? ''
}

test('writes of contacts, deals and notes are proven, read back and removed, and recorded for this user alone', async () => {
  const { check, records, writes, kept } = await lab(ALL)
  const { exit, rows, stderr } = await check('--write', '--yes')
  expect(exit, stderr).toBe(0)
  expect(rows.slice(-8)).toEqual([
    'contacts.create ok r1 has name, email as sent',
    'contacts.update ok r1 has name, email as sent',
    'contacts.delete ok r1 is gone',
    'deals.create ok r1 has name, amount as sent',
    'deals.update ok r1 has name, amount as sent',
    'notes.create ok r2 has body as sent',
    'notes.delete ok r2 is gone',
    'deals.delete ok r1 is gone',
  ])
  expect(records.size).toBe(0)
  expect(writes()).toHaveLength(8)
  expect(statSync(kept).mode & 0o777).toBe(0o600)
  const after = await check()
  expect(after.rows).toContainEqual(expect.stringMatching(/^contacts\.create ok proven on \d{4}-\d\d-\d\d$/))
  expect(after.rows.join()).not.toContain('not proven')
})

test('a job of a drafted connector sends nothing until its verbs are proven, and goes on by the line that it names', async () => {
  const { importOne, writes, command, records } = await lab(ALL)
  const refused = await importOne()
  expect(refused.exit).toBe(7)
  expect(refused.stderr).toContain(
    'drafted on 2026-11-29, and jobs need proof of each verb; not proven: create of contacts',
  )
  expect(writes()).toEqual([])
  const [, proving = '', resuming = ''] = /^ {2}crm (.+) && crm (.+)$/m.exec(refused.stderr) ?? []
  expect(proving).toBe('connectors check --write -p lab --yes')
  expect((await command(proving.split(' ').slice(0, -3).concat('--yes'))).exit).toBe(0)
  expect((await command(resuming.split(' ').slice(0, 3))).exit).toBe(0)
  expect([...records.values()].map(({ name }) => name)).toEqual(['Ada'])
})

test('a chain of jobs sends nothing until the verbs of all of them are proven', async () => {
  const fields = 'fields: { name: { at: name, required: true }, owner_id: owner_id }'
  const objects = `contacts: { path: /contacts, ${fields} }, deals: { path: /deals, ${fields} }`
  const { command, check, kept, records } = await lab(`idempotency: none\n${VERBS}\nobjects: { ${objects} }\n`)
  expect((await check('--write', '--yes')).exit).toBe(0)
  const proven = readFileSync(kept, 'utf8')
  writeFileSync(kept, proven.replace('"deals.update"', '"deals.updated"'))
  for (const owner of ['u1', 'u2']) {
    expect((await command(['contacts', 'create', '--set', 'name=A', '--set', `owner_id=${owner}`])).exit).toBe(0)
    expect((await command(['deals', 'create', '--set', 'name=D', '--set', `owner_id=${owner}`])).exit).toBe(0)
  }
  const owners = () => [...records.values()].map(({ owner_id: owner }) => owner)
  const refused = await command(['reassign', '--from', 'u1', '--to', 'u2', '--yes'])
  expect([refused.exit, refused.stderr]).toEqual([7, expect.stringContaining('not proven: update of deals')])
  expect(owners()).toEqual(['u1', 'u1', 'u2', 'u2'])
  const [, resume = ''] = /&& crm (jobs resume \w+)/.exec(refused.stderr) ?? []
  writeFileSync(kept, proven)
  expect((await command(resume.split(' '))).exit).toBe(0)
  expect(owners()).toEqual(['u2', 'u2', 'u2', 'u2'])
})

test.each([
  ['update', ['contacts', 'update', '--where', 'true', '--set', 'name=Eve', '--yes', '--expect', '1']],
  ['delete', ['contacts', 'delete', '--where', 'true', '--yes', '--expect', '1']],
])('a bulk %s is refused until it is proven; a single command is not', async (verb, argv) => {
  const { command, writes, records } = await lab(ALL)
  expect((await command(['contacts', 'create', '--set', 'name=Ada'])).exit).toBe(0)
  const refused = await command(argv)
  expect([refused.exit, refused.stderr]).toEqual([7, expect.stringContaining(`not proven: ${verb} of contacts`)])
  expect(writes()).toHaveLength(1)
  expect((await command(['contacts', 'update', 'r1', '--set', 'name=Bob'])).exit).toBe(0)
  expect([...records.values()].map(({ name }) => name)).toEqual(['Bob'])
})

test('another text of the connector is not proven; one without drafted is', async () => {
  const { importOne, check, file, writes, command } = await lab(ALL)
  expect((await check('--write', '--yes')).exit).toBe(0)
  const proven = writes().length
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, `${text}# changed\n`)
  expect((await check()).rows).toContainEqual(
    'contacts.create warn not proven, so that jobs refuse it: crm connectors check --write -p lab',
  )
  const refused = await importOne()
  expect(refused.exit).toBe(7)
  expect(writes()).toHaveLength(proven)
  writeFileSync(file, text.replace(/drafted.*\n/, ''))
  expect((await command(['jobs', 'resume', jobIn(refused.stderr)])).exit).toBe(0)
})

test('without a profile, what was proven counts for the address', async () => {
  const { home, file, url, writes } = await lab(ALL)
  const env = { ...home, CRM_BASE_URL: url.origin, CRM_API_KEY: 'k', CRM_CONNECTOR: file }
  const argv = ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes']
  const refused = await crm(argv, { ...env, XDG_CONFIG_HOME: join(home.HOME, 'ci') }, 'name\nAda\n')
  expect([refused.exit, refused.stderr]).toEqual([
    7,
    expect.stringMatching(/^ {2}crm connectors check --write --yes && crm jobs resume \S+$/m),
  ])
  expect(writes()).toEqual([])
  const ci = { ...env, XDG_CONFIG_HOME: join(home.HOME, 'ci') }
  expect((await crm(['connectors', 'check', '--write', '--yes'], ci)).exit).toBe(0)
  expect((await crm(['jobs', 'resume', jobIn(refused.stderr)], ci)).exit).toBe(0)
  expect(existsSync(join(home.HOME, 'ci/crm/proven.json'))).toBe(true)
})

test('a value that the server does not keep is not proven, and the record is removed', async () => {
  const { check, records, importOne } = await lab(ALL, (response, { method, path, body }) => {
    if (method !== 'POST' || path !== '/contacts') return false
    const { email: _, ...kept } = JSON.parse(body)
    const created = { id: 'c1', ...kept }
    records.set('/contacts/c1', created)
    sendJson(response, 201, { ...created, email: JSON.parse(body).email })
    return true
  })
  const { exit, rows } = await check('--write', '--yes')
  expect(exit).toBe(7)
  expect(rows).toContainEqual(
    expect.stringMatching(/^contacts\.create failed c1 has email null, sent "check-[-0-9a-f]+@example\.com"$/),
  )
  expect(rows).toContainEqual('contacts.delete ok c1 is gone')
  expect(records.size).toBe(0)
  const why =
    /not proven: create of contacts; the check of \d{4}-\d\d-\d\d failed: create of contacts: c1 has email null, sent "check-/
  expect((await importOne()).stderr).toMatch(why)
  expect((await check()).rows.join('\n')).toMatch(
    /contacts\.create warn .+; the check of .+ failed: create of contacts/,
  )
})

test('a check that a read stopped is the reason of a later refusal, until one succeeds', async () => {
  let isWhole = false
  const { check, importOne } = await lab(ALL, (response, { path }) => {
    if (path !== '/deals' || isWhole) return false
    sendJson(response, 200, [])
    return true
  })
  expect((await check('--write', '--yes')).exit).toBe(7)
  expect((await importOne()).stderr).toMatch(/not proven: create of contacts; the check of .+ failed: list of deals: /)
  isWhole = true
  expect((await check('--write', '--yes')).exit).toBe(0)
  expect((await check()).rows.join('\n')).not.toContain('failed')
})

test('a field that no record shows is a warning, with its path', async () => {
  const { check, records } = await lab(`${VERBS}\nobjects: { contacts: { fields: { name: name, email: mail } } }\n`)
  records.set('/contacts/c1', { id: 'c1', name: 'Ada', email: 'ada@example.com' })
  const { exit, rows } = await check()
  expect(exit).toBe(0)
  expect(rows).toContainEqual('contacts.list warn 1 records, 1 page; none has email (mail): are these paths right?')
})

/** A list of at most 40 records, of which 40 were there before the check. */
const CUT: readonly (readonly [
  order: string,
  cut: (all: readonly JsonObject[]) => readonly JsonObject[],
  why: RegExp,
])[] = [
  ['first', (all) => all.slice(0, 40), /does not show r41, which was created/],
  ['last', (all) => all.toReversed().slice(0, 40), /does not show p1, which was there before a record was created/],
]

test.each(CUT)('a list that is cut, with the oldest %s, proves no create', async (_, cut, why) => {
  let isCut = false
  const { check, records, importOne } = await lab(ALL, (response, { method, path }) => {
    if (!isCut || method !== 'GET' || path !== '/contacts') return false
    sendJson(response, 200, {
      data: cut([...records].filter(([at]) => at.startsWith('/contacts/')).map(([, each]) => each)),
    })
    return true
  })
  isCut = true
  for (let at = 1; at <= 40; at += 1) records.set(`/contacts/p${at}`, { id: `p${at}`, name: `Person ${at}` })
  const { exit, rows } = await check('--write', '--yes')
  expect(exit).toBe(7)
  expect(rows).toContainEqual(expect.stringMatching(/^contacts\.create failed the list of contacts \(40 records\)/))
  expect(rows.join('\n')).toMatch(why)
  expect(records.size).toBe(40)
  expect((await importOne()).stderr).toContain('not proven: create of contacts')
})

test('a create that contradicts the connector is found by its mark, and removed', async () => {
  const { check, records } = await lab(ALL.replace('create: {}', 'create: { gives: data.contact }'))
  const { exit, rows } = await check('--write', '--yes')
  expect(exit).toBe(3)
  expect(rows).toContainEqual(
    expect.stringMatching(/^contacts\.create failed .*neither a record nor an id at data\.contact/),
  )
  expect(rows).toContainEqual('contacts.delete ok r1 is gone')
  expect(records.size).toBe(0)
})

test('a record that cannot be removed is named, and its deletion no longer proven', async () => {
  let isRefusing = false
  const { check, records, home } = await lab(ALL, (response, { method, path }) => {
    if (!isRefusing || method !== 'DELETE' || !path.startsWith('/contacts')) return false
    sendJson(response, 403, { message: 'not allowed' })
    return true
  })
  expect((await check('--write', '--yes')).exit).toBe(0)
  isRefusing = true
  const { exit, rows } = await check('--write', '--yes')
  expect(exit).toBe(5)
  expect(rows).toContainEqual(
    expect.stringMatching(
      /^contacts\.delete failed .*not allowed \(403\); remove it: r1, the contact with [-0-9a-f]{36} in its name$/,
    ),
  )
  expect([...records.keys()]).toEqual(['/contacts/r1'])
  expect(JSON.parse(readFileSync(join(home.HOME, '.config/crm/proven.json'), 'utf8')).lab.proven).not.toHaveProperty(
    'contacts.delete',
  )
})

test('what the connector cannot delete stays, is proven, and is named', async () => {
  const { check, importOne } = await lab(
    `idempotency: none\n${VERBS}\nobjects: { contacts: { path: /contacts, only: [list, create] } }\n`,
  )
  const unasked = await check('--write')
  expect([unasked.exit, unasked.stderr]).toEqual([11, expect.stringContaining('(no delete: the contact may stay)')])
  const { exit, rows } = await check('--write', '--yes')
  expect([exit, rows.at(-1)]).toEqual([
    0,
    expect.stringMatching(/^contacts\.delete not offered r1 stays, the contact with /),
  ])
  expect((await importOne()).exit).toBe(0)
})

test('an interrupted check removes what it created', async () => {
  const { home, records } = await lab(ALL, (_, { method }) => {
    if (method === 'PATCH') running.interrupt('SIGINT')
    return method === 'PATCH'
  })
  const running = startRun(['connectors', 'check', '--write', '--yes', '-p', 'lab'], home)
  expect(await running.exit).toBe(130)
  expect(records.size).toBe(0)
  expect(running.written.stderr).toMatch(/^The records have [\w-]{36} in their values/m)
})

const KEYED = ALL.replace('idempotency: none', 'idempotency: { header: Idempotency-Key }')

test('a key that is sent twice and makes one record is proven, and creates are repeated by it from then on', async () => {
  const answers = new Map<string, JsonObject>()
  let isLost = false
  const { check, command, records, writes } = await lab(KEYED, (response, { method, path, headers, body }) => {
    const key = `${path} ${headers['idempotency-key']}`
    if (method !== 'POST') return false
    const record = answers.get(key) ?? { id: `k${answers.size}`, ...JSON.parse(body) }
    const isFirst = !answers.has(key)
    answers.set(key, record)
    records.set(`${path}/${record.id}`, record)
    if (isLost && isFirst) response.destroy()
    else sendJson(response, 201, record)
    return true
  })
  const { exit, rows } = await check('--write', '--yes')
  expect([exit, rows]).toEqual([
    0,
    expect.arrayContaining(['contacts.idempotency ok one key, sent twice, made k0 alone']),
  ])
  isLost = true
  const before = writes().length
  expect((await command(['contacts', 'create', '--set', 'name=Ada'])).exit).toBe(0)
  const keys = writes()
    .slice(before)
    .map(({ headers }) => headers['idempotency-key'])
  expect([keys.length, new Set(keys).size]).toEqual([2, 1])
})

test('a key that makes two records is not proven, both are removed, and a create in doubt is not sent again', async () => {
  let isLost = false
  const { check, records, command, writes } = await lab(KEYED, (response, request) => {
    if (!isLost || request.method !== 'POST') return false
    answerTo(request, records)
    response.destroy()
    return true
  })
  const { exit, rows } = await check('--write', '--yes')
  expect([exit, rows]).toEqual([
    7,
    expect.arrayContaining(['contacts.idempotency failed one key made 2 records: r1, r2']),
  ])
  expect(records.size).toBe(0)
  isLost = true
  const before = writes().length
  expect((await command(['contacts', 'create', '--set', 'name=Ada'])).exit).toBe(0)
  expect([writes().length - before, records.size]).toEqual([1, 1])
})

/** At a terminal that gives this answer. */
async function asked(home: Readonly<Record<string, string>>, argv: readonly string[], answer: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  let stderr = ''
  const write = (text: string) => {
    stderr += text
    if (text.endsWith('[y/N] ')) stdin.write(`${answer}\n`)
    return true
  }
  const io = { stdin, stdout: { write: () => true }, stderr: { write, isTTY: true } }
  const signal = new AbortController().signal
  return { exit: await run(argv, { io, env: home, now: Date.now, signal, version: '0.0.0', argv }), stderr }
}

test('a terminal is asked; a protected server needs --yes', async () => {
  const { home, writes, command, check } = await lab(ALL)
  const argv = ['connectors', 'check', '--write', '-p', 'lab']
  const no = await asked(home, argv, 'n')
  expect([no.exit, no.stderr]).toEqual([
    11,
    expect.stringContaining('Create, change and delete one marked contact, one deal, one note on '),
  ])
  expect(writes()).toEqual([])
  expect((await asked(home, argv, 'y')).exit).toBe(0)
  const proven = writes().length
  expect((await command(['config', 'set', 'protected', 'true'])).exit).toBe(0)
  const refused = await asked(home, argv, 'y')
  expect([refused.exit, refused.stderr]).toEqual([
    2,
    expect.stringContaining(
      'is protected, so writing there needs --yes\n  crm connectors check --write -p lab --yes\n',
    ),
  ])
  expect(writes()).toHaveLength(proven)
  expect((await check('--write', '--yes')).exit).toBe(0)
})

test('nothing is written where a read failed, and what cannot be recorded is said', async () => {
  let isWhole = false
  const { check, writes, kept } = await lab(ALL, (response, { path }) => {
    if (path !== '/deals' || isWhole) return false
    sendJson(response, 200, [])
    return true
  })
  const failed = await check('--write', '--yes')
  expect([failed.exit, failed.stderr]).toEqual([7, expect.stringContaining('A read failed, so nothing was written.')])
  expect(writes()).toEqual([])
  isWhole = true
  writeFileSync(kept, '{}')
  chmodSync(kept, 0o666)
  const { exit, stderr } = await check('--write', '--yes')
  expect([exit, stderr]).toEqual([0, expect.stringContaining('Warning: what was proven could not be recorded: ')])
})

test.each<[number, JsonObject, boolean]>([
  [422, { errors: { first_name: ['is required'] } }, true],
  [422, { message: 'first_name and last_name are required' }, true],
  [422, { errors: { full_name: ['is too short'] } }, false],
  [200, { success: false, message: 'first_name is required' }, true],
])('a create that is refused with %d %j names the fields of the connector: %s', async (status, body, isNamed) => {
  const fields = '{ path: /contacts, fields: { name: full_name } }'
  const { check, command, file, writes } = await lab(
    ALL.replace('{ path: /contacts }', fields),
    (response, { method }) => {
      if (method === 'POST') sendJson(response, status, body)
      return method === 'POST'
    },
  )
  const hint = `its fields of contacts say what is sent: crm connectors show ${file}; correct them, then: crm -p lab connectors check --write`
  const has = isNamed ? expect.stringContaining(hint) : expect.not.stringContaining(hint)
  expect(await command(['contacts', 'create', '--set', 'name=Ada'])).toMatchObject({ exit: 7, stderr: has })
  expect(await check('--write', '--yes')).toMatchObject({ exit: 7, stderr: has })
  expect(writes().map(({ method }) => method)).toEqual(['POST', 'POST', 'POST'])
})

test('fixtures and the library are held to it, too', async () => {
  const { home, file, url, command, writes } = await lab(ALL)
  const fixtures = join(home.HOME, 'f.yaml')
  writeFileSync(fixtures, 'version: 1\ncontacts:\n  ada: { name: Ada }\n')
  const apply = ['fixtures', 'apply', fixtures, '--run-id', 'r1']
  const refused = await command(apply)
  const again = `crm connectors check --write -p lab --yes && crm ${apply.join(' ')} -p lab`
  expect([refused.exit, refused.stderr]).toEqual([
    7,
    expect.stringContaining(`not proven: create of contacts\n  ${again}\n`),
  ])
  await using client = createClient({ baseUrl: url.origin, apiKey: 'key', connector: file, env: home })
  const rows = () => client.jobs.importRows('contacts', [{ name: 'Ada' }], { runId: 'one' })
  await expect(rows()).rejects.toMatchObject({
    exit: 7,
    details: { hint: `CRM_BASE_URL=${url.origin} CRM_CONNECTOR=${file} crm connectors check --write` },
  })
  expect(writes()).toEqual([])
  const env = { ...home, CRM_BASE_URL: url.origin, CRM_CONNECTOR: file, CRM_API_KEY: 'key' }
  expect((await crm(['connectors', 'check', '--write', '--yes'], env)).exit).toBe(0)
  expect(await rows()).toMatchObject({ done: 1 })
})

test('an update that removes a member which the check did not name is not proven', async () => {
  const { check, records } = await lab(ALL, (response, { method, path, body }) => {
    if (method === 'PATCH') {
      const { kind: _, ...rest } = records.get(path) ?? {}
      records.set(path, { ...rest, ...JSON.parse(body) })
      sendJson(response, 200, records.get(path))
    }
    if (method === 'POST') {
      const record = { id: `k${records.size}`, kind: 'lead', ...JSON.parse(body) }
      records.set(`${path}/${record.id}`, record)
      sendJson(response, 201, record)
    }
    return method === 'PATCH' || method === 'POST'
  })
  const { exit, rows } = await check('--write', '--yes')
  expect(exit).toBe(7)
  expect(rows).toContainEqual(expect.stringMatching(/^contacts\.update failed the update removed kind from k0/))
})
