import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { startRun } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { hurriedTiming } from '../harness/hurried-timing.ts'

const ADA = { id: 'con_1', name: 'Ada', email: 'ada@example.com' }
const KINDS = ['create', 'update', 'delete'] as const
type Kind = (typeof KINDS)[number]

/** Each as a single command, and as the only row of a job. */
const COMMANDS: Readonly<Record<Kind, readonly (readonly string[])[]>> = {
  create: [
    ['contacts', 'create', '--set', 'name=Eve'],
    ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
  ],
  update: [
    ['contacts', 'update', 'con_1', '--set', 'name=Eve'],
    ['contacts', 'update', '--where', 'true', '--set', 'name=Eve', '--yes', '--expect', '1'],
  ],
  delete: [
    ['contacts', 'delete', 'con_1', '--yes'],
    ['contacts', 'delete', '--where', 'true', '--yes', '--expect', '1'],
  ],
}

/** `nth` counts the writes, from 1. */
type Answer = (response: ServerResponse, nth: number) => void

const json =
  (status: number, body: unknown): Answer =>
  (response) =>
    sendJson(response, status, body)

const empty =
  (status: number): Answer =>
  (response) =>
    response.writeHead(status).end()

const HEAD = 'connector: 2\nname: made\nidempotency: none\npaging: none\n'
const LIST = "list: { items: 'data[]' }"

function showRecords(
  response: ServerResponse,
  { isRecord, records }: { readonly isRecord: boolean; readonly records: readonly JsonObject[] },
): void {
  const [first] = records
  if (isRecord) sendJson(response, first ? 200 : 404, first ?? {})
  else sendJson(response, 200, { data: records })
}

interface Served {
  readonly isGone?: boolean
  readonly stdin?: string
  readonly more?: string
  readonly record?: JsonObject
  /** The record after a write. */
  readonly after?: JsonObject
}

/** One write by `argv` that is answered so; reads show the record until `isGone`. */
async function written(
  argv: readonly string[],
  answer: Answer,
  verbs: string,
  { isGone = false, stdin = 'name\nEve\n', more = '', record = ADA, after = record }: Served = {},
) {
  const { url, seen } = await startServer((response, { method, path }) => {
    const isRecord = path.startsWith('/contacts/')
    const writes = seen.filter((request) => request.method !== 'GET').length
    if (method !== 'GET') return answer(response, writes)
    const left = isGone ? [] : [after]
    showRecords(response, { isRecord, records: writes === 0 ? [record] : left })
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k' })
  const file = join(env.HOME, 'made.yaml')
  writeFileSync(
    file,
    `${HEAD}record: { created_at: created_at }
objects: { contacts: { verbs: { ${LIST}, ${verbs} }, ${more} } }
`,
  )
  const connected = { ...env, CRM_CONNECTOR: file }
  const { exit, written: output } = startRun(argv, connected, { stdin, timing: hurriedTiming() })
  return { exit: await exit, ...output, writes: seen.filter(({ method }) => method !== 'GET').length }
}

const PLAIN = 'create: {}, update: {}, delete: {}'
const WITH_GET = `get: {}, ${PLAIN}`

const NEVER_DONE: readonly (readonly [name: string, answer: Answer, done?: Kind])[] = [
  ['200 with success: false', json(200, { success: false, message: 'locked' })],
  ['200 with ok: false beside the record', json(200, { ...ADA, name: 'Eve', ok: false })],
  ['200 with errors', json(200, { errors: [{ message: 'locked' }] })],
  ['200 with {}', json(200, {})],
  ['200 with another record', json(200, { id: 'con_2', name: 'Bob' })],
  ['200 with a bare id', json(200, 'con_1')],
  ['200 with the id 0', json(200, { ...ADA, id: 0, name: 'Eve' })],
  ['200 with a wrapped record', json(200, { data: { ...ADA, name: 'Eve' } })],
  ['200 with success: true', json(200, { success: true })],
  ['200 with an HTML page', (response) => response.writeHead(200).end('<html><title>Sign in</title></html>')],
  [
    '200 with a body that is cut short, and {}',
    (response, nth) => {
      if (nth > 1) return sendJson(response, 200, {})
      response.writeHead(200, { 'content-length': '500' })
      response.write('{"id":"con_1",')
      setImmediate(() => response.destroy())
    },
  ],
  ['200 with []', json(200, [])],
  ['200 with null', json(200, null)],
  ['202 with the record', json(202, { ...ADA, name: 'Eve' })],
  ['200 with an error envelope', json(200, { error: { code: 'locked', id: 'con_1' } })],
  ['204', empty(204), 'delete'],
  ['200 without a body', empty(200), 'delete'],
]

const CASES = NEVER_DONE.flatMap(([name, answer, done]) =>
  KINDS.filter((kind) => kind !== done).flatMap((kind) =>
    COMMANDS[kind].map((argv) => [argv.slice(0, 3).join(' '), name, argv, answer] as const),
  ),
)

test.each(CASES)('%s is not done by %s', async (_, __, argv, answer) => {
  const { exit, stdout } = await written(argv, answer, WITH_GET)
  expect(exit, stdout).not.toBe(0)
  expect(stdout).not.toMatch(/^con_/)
})

const DONE: readonly (readonly [kind: Kind, name: string, members: string, answer: Answer])[] = [
  ['create', 'the record', PLAIN, json(201, { id: 'con_2', name: 'Eve' })],
  ['create', 'a record at its place', 'create: { gives: data.contact }', json(200, { data: { contact: { id: 2 } } })],
  ['create', 'a member named record', String.raw`create: { gives: \record }`, json(200, { record: { id: 'con_2' } })],
  ['create', 'an id at its place', 'create: { gives: data.key }', json(200, { data: { key: 7 } })],
  ['create', 'a bare id', 'create: { gives: . }', json(200, 'con_2')],
  ['create', 'nothing', 'create: { gives: nothing, ok: 204 }', empty(204)],
  ['create', 'a 202 that the connector names', 'create: { ok: [201, 202] }', json(202, { id: 'con_2', name: 'Eve' })],
  ['create', 'no errors', 'create: { ok: { at: errors, absent: true } }', json(200, { id: 'con_2', errors: null })],
  ['update', 'the record', PLAIN, json(200, { ...ADA, name: 'Eve' })],
  ['update', 'its id alone', 'update: { gives: id }', json(200, { id: 'con_1', success: true })],
  ['update', 'nothing', 'update: { gives: nothing }', json(200, { message: 'saved' })],
  ['delete', 'a value', 'delete: { ok: { at: done, is: true } }', json(200, { done: true })],
  ['delete', 'a 204', PLAIN, empty(204)],
  ['delete', 'a 2xx without a body', PLAIN, empty(200)],
  ['delete', 'a status', 'delete: { ok: 200 }', json(200, { id: 'con_1' })],
]

test.each(
  DONE.flatMap(([kind, name, members, answer]) =>
    COMMANDS[kind].map((argv) => [argv.slice(0, 3).join(' '), name, argv, { members, answer }] as const),
  ),
)('%s is done by %s, as declared', async (_, __, argv, { members, answer }) => {
  const { exit, stderr, writes } = await written(argv, answer, members)
  expect({ exit, stderr, writes }).toEqual({ exit: 0, stderr: expect.any(String), writes: 1 })
})

test('a deletion of several records is one that an undo takes back', async () => {
  const { stderr } = await written(['contacts', 'delete', '--where', 'true'], empty(204), PLAIN)
  expect(stderr).toContain('can be restored only under new ids, with crm jobs undo while the job is kept')
  expect(stderr).toMatch(/deleting 1 contact .*needs --yes/)
  expect(stderr).not.toContain('cannot be undone')
})

test.each(COMMANDS.delete)('%s %s %s with an unknown answer is done where a read finds nothing', async (...argv) => {
  const answer = json(200, { message: 'deleted' })
  expect((await written(argv, answer, WITH_GET, { isGone: true })).exit).toBe(0)
  expect((await written(argv, answer, PLAIN, { isGone: true })).exit).not.toBe(0)
})

test.each([
  ['update', 'update: { gives: data.contact }', { data: {} }, 'neither a record nor an id at data.contact'],
  ['update', 'update: {}', { id: 'con_9' }, 'shows con_9 at id, and con_1 was changed'],
  ['create', 'create: { ok: { at: status, is: 0 } }', { id: 7, status: 3 }, 'has not 0 at status, as a success has'],
] as const)('a %s by %s that is answered with %j names the place', async (kind, members, body, place) => {
  const [single, job] = COMMANDS[kind]
  const alone = await written(single as readonly string[], json(200, body), members)
  expect([alone.exit, alone.stderr]).toEqual([3, expect.stringContaining(place)])
  const row = await written(job as readonly string[], json(200, body), members)
  expect([row.exit, row.stderr]).toEqual([7, expect.stringContaining(place)])
  expect(row.stderr).toContain('crm connectors check compares the connector with the server; then crm jobs resume')
})

test('a refusal within a 2xx is one, with its text, for a read of one record too', async () => {
  const refusing = json(200, { success: false, message: 'it is locked' })
  const single = await written(COMMANDS.delete[0] as readonly string[], refusing, PLAIN)
  expect([single.exit, single.stderr]).toEqual([7, expect.stringContaining('it is locked (200)')])
  const job = await written(COMMANDS.delete[1] as readonly string[], refusing, PLAIN)
  expect([job.exit, job.stderr]).toEqual([3, expect.stringContaining('1 failed of 1 rows')])
})

test('an answer that contradicts the connector stops a job, and a resume with a mended one does each row once', async () => {
  const made: JsonObject[] = []
  const { url } = await startServer((response, { method, body }) => {
    if (method === 'GET') return sendJson(response, 200, { data: made })
    made.push({ id: `con_${made.length}`, created_at: new Date().toISOString(), ...JSON.parse(body) })
    sendJson(response, 201, made.at(-1))
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k' })
  const file = join(env.HOME, 'made.yaml')
  const connected = { ...env, CRM_CONNECTOR: file }
  const describe = (gives: string) =>
    writeFileSync(file, `${HEAD}objects: { contacts: { verbs: { ${LIST}, create: { gives: ${gives} } } } }\n`)
  const rows = Array.from({ length: 100 }, (_, at) => `Person ${at}`)
  describe('data')
  const argv = ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes', '-o', 'json']
  const first = startRun(argv, connected, { stdin: ['name', ...rows].join('\n'), timing: hurriedTiming() })
  expect(await first.exit).toBe(7)
  const { job, in_doubt: doubt, unsent } = JSON.parse(first.written.stdout)
  expect(first.written.stderr).toContain('neither a record nor an id at data')
  expect([doubt, doubt + unsent]).toEqual([made.length, 100])
  expect(doubt).toBeLessThan(20)
  describe('record')
  const second = startRun(['jobs', 'resume', job, '-o', 'json'], connected, { timing: hurriedTiming() })
  expect([await second.exit, JSON.parse(second.written.stdout)]).toMatchObject([0, { done: 100, in_doubt: 0 }])
  expect(made.map(({ name }) => name).toSorted()).toEqual(rows.toSorted())
})

test.each([
  ['contacts', 'update', 'con_1', '--set', 'name=Eve'],
  ['contacts', 'update', '--where', 'true', '--set', 'name=Eve', '--yes', '--expect', '1'],
])('%s %s %s that would leave out a member of a whole record is refused before it is sent', async (...argv) => {
  const whole = (more: string) => `get: {}, update: { method: PUT, sends: whole${more} }`
  const changed = json(200, { ...ADA, name: 'Eve' })
  const readOnly = { more: 'read_only: [email]' }
  const refused = await written(argv, changed, whole(''), readOnly)
  expect(refused).toMatchObject({ exit: 2, writes: 0, stderr: expect.stringContaining('would leave out email') })
  expect(refused.stderr).toContain('expected drop: [email] in its update')
  expect(await written(argv, changed, whole(', drop: [email]'), readOnly)).toMatchObject({ exit: 0, writes: 1 })
})

const WHOLE = 'get: {}, update: { method: PUT, sends: whole }'

const nested = (more: JsonObject) => (name: string) => ({ id: 'con_1', data: { name, ...more } })
const [BEFORE, BARE, EMPTIED] = [nested({ email: 'ada@example.com' }), nested({}), nested({ email: '' })] as const

test.each(
  COMMANDS.update.flatMap(
    (argv) =>
      [
        ['that its answer shows', argv, [EMPTIED('Eve'), BEFORE('Eve'), true]],
        ['that its answer does not show', argv, [{ id: 'con_1' }, EMPTIED('Eve'), true]],
        ['that the record has no more', argv, [BARE('Eve'), BARE('Eve'), true]],
        ['in its answer alone', argv, [BARE('Eve'), BEFORE('Eve'), false]],
      ] as const,
  ),
)('an update that loses a member of the whole record, %s: %#', async (_, argv, [answer, after, isLost]) => {
  const ended = await written(argv, json(200, answer), WHOLE, {
    ...{ more: 'record: { inside: data }', record: BEFORE('Ada'), after },
  })
  expect([ended.exit === 0, ended.writes], ended.stderr).toEqual([!isLost, 1])
  if (!isLost) return
  expect(ended.exit).toBe(argv.includes('--where') ? 7 : 3)
  expect(ended.stderr).toContain('the server lost email: "ada@example.com", which was sent unchanged')
})

test('a row whose update lost a member stays failed, and a resume does not call it done', async () => {
  const { url } = await startServer((response, { method, path }) => {
    if (method === 'PUT') sendJson(response, 200, EMPTIED('Eve'))
    else sendJson(response, 200, path.startsWith('/contacts/') ? BEFORE('Ada') : { data: [BEFORE('Ada')] })
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k' })
  const file = join(env.HOME, 'made.yaml')
  writeFileSync(file, `${HEAD}objects: { contacts: { verbs: { ${LIST}, ${WHOLE} }, record: { inside: data } } }\n`)
  const connected = { ...env, CRM_CONNECTOR: file }
  const argv = [...(COMMANDS.update[1] ?? []), '-o', 'json']
  const first = startRun(argv, connected, { timing: hurriedTiming() })
  expect(await first.exit).toBe(7)
  const { job, ...account } = JSON.parse(first.written.stdout)
  expect(account).toMatchObject({ failed: 1, in_doubt: 0, done: 0 })
  const again = startRun(['jobs', 'resume', job, '-o', 'json'], connected, { timing: hurriedTiming() })
  expect([await again.exit, JSON.parse(again.written.stdout)]).toMatchObject([3, { failed: 1, done: 0 }])
})

test('a row that would leave out a member of a whole record fails in the plan', async () => {
  const verbs = 'get: {}, update: { method: PUT, sends: whole }'
  const argv = ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--match', 'id', '--yes']
  const row = await written(argv, empty(500), verbs, {
    stdin: 'id,name\ncon_1,Eve\n',
    more: 'read_only: [email], fields: { name: name }',
  })
  expect(row).toMatchObject({
    writes: 0,
    stderr: expect.stringContaining('would leave out email, which the record shows'),
  })
  expect(row.exit).not.toBe(0)
})
