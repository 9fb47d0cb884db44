import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test as plainTest } from 'vitest'
import { type SeenRequest, sendJson, startServer } from '../../api/answering-server.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { type Env, emptyHome, tempFolder } from '../../harness/home.ts'
import { jobsIn } from '../../harness/import-run.ts'
import { startProxy } from '../../harness/proxy.ts'
import { ask, make } from '../../harness/records.ts'
import type { Service } from '../../harness/service.ts'
import { test } from '../../harness/shared-service.ts'

interface Race {
  readonly service: Service
  readonly env: Env & { readonly CRM_STATE_HOME: string }
  readonly folder: string
  readonly ids: readonly string[]
  /** Before the next write reaches the service, someone changes the record. */
  change(path: string, body: Record<string, unknown>): void
  now(path: string): Promise<Record<string, unknown> | undefined>
  json(...argv: string[]): Promise<Record<string, unknown> & { exit: number; stderr: string }>
}

let count = 0

/** Two contacts of a company of their own, and a client behind a proxy in which others are faster. */
async function startRace(service: Service): Promise<Race> {
  const folder = tempFolder()
  const company = `c${count++}`
  const ids = await make(service, '/v1/contacts', [
    { name: 'One', email: `one@${company}.test`, company },
    { name: 'Two', email: `two@${company}.test`, company },
  ])
  const waiting: { path: string; body: Record<string, unknown> }[] = []
  const url = await startProxy(service.ownUrl, (method) => {
    const [first] = waiting
    if (method === 'GET' || !first) return undefined
    const { path, body } = waiting.shift() ?? first
    return ask(service, { method: 'PATCH', path, body }).then(() => {})
  })
  const env = { ...service.env, CRM_BASE_URL: url, CRM_STATE_HOME: join(folder, 'state') }
  return {
    ...{ service, env, folder, ids },
    change: (path, body) => waiting.push({ path, body }),
    now: async (path) => {
      const { status, body } = await ask(service, { path })
      return status === 404 ? undefined : body
    },
    json: async (...argv) => {
      const { exit, stdout, stderr } = await crm([...argv, '--yes', '-o', 'json'], env)
      return { ...(stdout === '' ? {} : JSON.parse(stdout)), exit, stderr }
    },
  }
}

const jobIn = ({ env }: Race): string => jobsIn(env.CRM_STATE_HOME).at(-1) ?? ''

function csv({ folder }: Race, text: string): string {
  const file = join(folder, 'rows.csv')
  writeFileSync(file, text)
  return file
}

/** What the commands do to the first contact, which has this email by then. */
const COMMANDS: readonly (readonly [
  name: string,
  argv: (race: Race, email: string) => Promise<string[]>,
  isDeletion?: true,
])[] = [
  [
    'update --where',
    async (_, email) => ['contacts', 'update', '--where', `.email == "${email}"`, '--set', 'company=planned'],
  ],
  [
    'delete --where',
    async (_, email) => ['contacts', 'delete', '--where', `.email == "${email}"`, '--expect', '1'],
    true,
  ],
  [
    'update --from',
    async (race, email) => [
      'contacts',
      'update',
      '--from',
      csv(race, `email,company\n${email},planned\n`),
      '--match',
      'email',
    ],
  ],
  [
    'delete --from',
    async (race, email) => [
      'contacts',
      'delete',
      '--from',
      csv(race, `email\n${email}\n`),
      '--match',
      'email',
      '--expect',
      '1',
    ],
    true,
  ],
  [
    'import --match',
    async (race, email) => ['contacts', 'import', csv(race, `email,company\n${email},planned\n`), '--match', 'email'],
  ],
  [
    'apply',
    async (race, email) => {
      const plan = join(race.folder, 'p.plan')
      await crmPrints(
        [
          'contacts',
          'update',
          '--where',
          `.email == "${email}"`,
          '--set',
          'company=planned',
          '--plan',
          plan,
          '-o',
          'json',
        ],
        race.env,
      )
      return ['apply', plan]
    },
  ],
  [
    'apply of a deletion',
    async (race, email) => {
      const plan = join(race.folder, 'p.plan')
      await crmPrints(['contacts', 'delete', '--where', `.email == "${email}"`, '--plan', plan, '-o', 'json'], race.env)
      return ['apply', plan, '--expect', '1']
    },
    true,
  ],
  [
    'jobs undo',
    async (race, email) => {
      await crmPrints(
        ['contacts', 'update', '--where', `.email == "${email}"`, '--set', 'company=planned', '-o', 'json', '--yes'],
        race.env,
      )
      return ['jobs', 'undo', jobIn(race)]
    },
  ],
]

test.for(COMMANDS)(
  '%s does not overwrite what someone changed after it read the record',
  async ([, argv, isDeletion], { service }) => {
    const race = await startRace(service)
    const [id = ''] = race.ids
    const path = `/v1/contacts/${id}`
    const before = await race.now(path)
    const words = await argv(race, String(before?.email))
    race.change(path, { company: 'SOMEONE', phone: '1' })
    const run = await race.json(...words)
    expect(await race.now(path)).toMatchObject({ company: 'SOMEONE', phone: '1' })
    expect(run).toMatchObject({ exit: 3, failed: 1, done: 0 })
    expect(run).not.toHaveProperty('unguarded')
    const failed = await crmPrints(['jobs', 'failed', jobIn(race), '-o', 'json'], race.env)
    expect(JSON.parse(failed)).toMatchObject([{ state: 'failed', code: 'precondition_failed' }])
    // Nobody is faster the second time.
    if (isDeletion) return
    const retry = await race.json('jobs', 'retry', jobIn(race))
    expect(retry).toMatchObject({ exit: 0, done: 1 })
  },
)

test('a retry is not sent to a record that someone changes meanwhile, either', async ({ service }) => {
  const race = await startRace(service)
  const [id = ''] = race.ids
  const path = `/v1/contacts/${id}`
  const { email } = (await race.now(path)) ?? {}
  race.change(path, { company: 'SOMEONE' })
  await race.json('contacts', 'update', '--where', `.email == "${email}"`, '--set', 'company=planned')
  race.change(path, { company: 'SOMEONE ELSE' })
  expect(await race.json('jobs', 'retry', jobIn(race))).toMatchObject({ exit: 3, failed: 1 })
  expect(await race.now(path)).toMatchObject({ company: 'SOMEONE ELSE' })
})

test('a change of a deal has the version that was read', async ({ service }) => {
  const race = await startRace(service)
  const name = `deal of ${race.ids[0]}`
  const [id = ''] = await make(service, '/v1/deals', [{ name, stage: 'Lead', amount: 1 }])
  race.change(`/v1/deals/${id}`, { amount: 99 })
  const run = await race.json('deals', 'update', '--where', `.name == "${name}"`, '--set', 'amount:=5')
  expect(run).toMatchObject({ exit: 3, failed: 1 })
  expect(await race.now(`/v1/deals/${id}`)).toMatchObject({ amount: 99 })
})

interface Kept {
  [id: string]: { id: string; email: string; company: string; version?: number }
}

type OnWrite = (write: { method: string; ifMatch: unknown; patch: object }) => number | undefined

/** A server with one contact: of the contract, or json-server. `onWrite`: the status with which it refuses, or 0 for no response after all. */
async function startKeeping(kept: Kept, onWrite: OnWrite, connector?: 'json-server') {
  const server = await startServer((response, request) => {
    const id = /\/contacts\/([^/?]+)/.exec(request.path)?.[1]
    const record = kept[id ?? '']
    if (request.method === 'GET' && id === undefined) {
      sendJson(response, 200, {
        data: Object.values(kept),
        ...(connector ? { next: null, items: 1 } : { next_cursor: null }),
      })
    } else if (request.method === 'GET' || !record) sendJson(response, record ? 200 : 404, record ?? {})
    else answerWrite(response, request, { kept, record, onWrite })
  })
  const base = { CRM_BASE_URL: server.url.href, CRM_API_KEY: 'crm_key_of_the_test' }
  return { ...server, env: emptyHome({ ...base, ...(connector && { CRM_CONNECTOR: connector }) }) }
}

interface Keeping {
  readonly kept: Kept
  readonly record: Kept[string]
  readonly onWrite: OnWrite
}

function answerWrite(
  response: ServerResponse,
  { method, headers, body }: SeenRequest,
  { kept, record, onWrite }: Keeping,
): void {
  const patch = body === '' ? {} : JSON.parse(body)
  const status = onWrite({ method, ifMatch: headers['if-match'], patch })
  if (status === 0) response.destroy()
  else if (status !== undefined) sendJson(response, status, { code: 'version_conflict', message: 'another version' })
  else if (method === 'DELETE') {
    delete kept[record.id]
    response.writeHead(204).end()
  } else sendJson(response, 200, Object.assign(record, patch))
}

const SET = ['contacts', 'update', '--where', 'true', '--set', 'company=planned', '--yes', '-o', 'json']

plainTest(
  'where records have no version, a record is read again before its request, and the account says that this is no guard',
  async () => {
    const kept: Kept = { c1: { id: 'c1', email: 'a@x.test', company: 'old' } }
    const { env, seen } = await startKeeping(
      kept,
      ({ ifMatch }) => (ifMatch === undefined ? undefined : 400),
      'json-server',
    )
    const run = await crm(SET, env)
    expect(JSON.parse(run.stdout)).toMatchObject({ done: 1, unguarded: 1 })
    expect(run.stderr).toContain('1 change is not guarded by a version')
    const write = seen.findIndex(({ method }) => method === 'PATCH')
    expect(seen[write - 1]).toMatchObject({ method: 'GET', path: '/contacts/c1' })
  },
)

plainTest(
  'where records have no version and cannot be read alone, the account says that nothing guards them',
  async () => {
    const kept: Kept = { c1: { id: 'c1', email: 'a@x.test', company: 'old' } }
    const { env } = await startKeeping(kept, ({ ifMatch }) => (ifMatch === undefined ? undefined : 400))
    expect(JSON.parse((await crm(SET, env)).stdout)).toMatchObject({ done: 1, unguarded: 1 })
  },
)

const REMOVE = ['contacts', 'delete', '--where', 'true', '--yes', '--expect', '1', '-o', 'json']

plainTest.for([SET, REMOVE])(
  'where records have no version, what someone changed before that reading stays: %s',
  async (argv) => {
    const kept: Kept = { c1: { id: 'c1', email: 'a@x.test', company: 'old' } }
    const { env } = await startKeeping(kept, () => undefined, 'json-server')
    const record = kept.c1
    const url = await startProxy(String(env.CRM_BASE_URL).replace(/\/$/, ''), (method, path) => {
      // The list was read before.
      if (method === 'GET' && path.includes('/contacts/c1') && record) record.company = 'SOMEONE'
      return undefined
    })
    const run = await crm(argv, { ...env, CRM_BASE_URL: url })
    expect(kept.c1?.company).toBe('SOMEONE')
    expect(run.exit).toBe(3)
    expect(JSON.parse(run.stdout)).toMatchObject({ failed: 1, done: 0 })
    expect(run.stderr).toContain('precondition_failed')
  },
)

plainTest(
  'a 412 to the repetition of a change whose response was lost is judged by the values of the record',
  async () => {
    const kept: Kept = { c1: { id: 'c1', email: 'a@x.test', company: 'old', version: 1 } }
    let writes = 0
    const { env } = await startKeeping(kept, ({ ifMatch, patch }) => {
      if (ifMatch !== `"${kept.c1?.version}"`) return 412
      writes += 1
      if (kept.c1) Object.assign(kept.c1, patch, { version: 2 })
      return 0
    })
    const run = await crm(SET, env)
    expect(run.exit).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ done: 1, failed: 0, in_doubt: 0 })
    expect(writes).toBe(1)
  },
)
