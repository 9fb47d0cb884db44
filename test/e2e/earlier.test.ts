import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openKeptChanges } from '../../src/settings/kept-changes.ts'
import { type Person, startForeignServer } from '../earlier/foreign-server.ts'
import { tempFolder } from '../harness/home.ts'
import { startService } from '../torture/processes.ts'
import { CRM, crm } from './crm.ts'

const EARLIER = fileURLToPath(new URL('../earlier', import.meta.url))
/** Where the servers of the profiles stood; jobs belong to the origin of their server. */
const SERVICE_PORT = 28417
const FOREIGN_PORT = 28419
const { madeAt } = JSON.parse(readFileSync(join(EARLIER, 'made.json'), 'utf8')) as { madeAt: number }

interface Sent {
  readonly method: string
  readonly url: string
  readonly key: string | undefined
  readonly body: string
}

interface Opened {
  readonly home: string
  /** The writes that reached the service, in order. */
  readonly sent: Sent[]
  run(line: string): Promise<{ exit: number | string; stdout: string; stderr: string }>
  /** A command whose exit code is 0; the records that it printed. */
  records(line: string): Promise<Record<string, unknown>[]>
}

/** The home, a copy of its database under a service, and its clock: a minute after the last command, or that of today. */
async function open(clock: 'a minute later' | 'today'): Promise<Opened> {
  const folder = tempFolder()
  const home = join(folder, 'home')
  execFileSync('tar', ['-xzmf', join(EARLIER, 'home.tar.gz'), '-C', folder])
  const config = join(home, '.config/crm/config.json')
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll('@HOME@', home))
  makePrivate(home)
  cpSync(join(EARLIER, 'crm.db'), join(folder, 'crm.db'))
  cpSync(join(EARLIER, 'key'), join(folder, 'key'))
  for (const name of ['crm.db', 'key']) chmodSync(join(folder, name), 0o600)
  const service = await startService({
    crm: CRM,
    home: tempFolder(),
    database: join(folder, 'crm.db'),
    keyFile: join(folder, 'key'),
    clockShiftMs: clock === 'today' ? 0 : madeAt + 60_000 - Date.now(),
  })
  onTestFinished(() => service.kill('SIGKILL'))
  const sent = await recordWrites(service.url)
  const run: Opened['run'] = (line) =>
    crm(words(line), { HOME: home, PATH: process.env.PATH ?? '' }, '', join(home, 'work'))
  const records: Opened['records'] = async (line) => {
    const { exit, stdout, stderr } = await run(`${line} -o json`)
    expect([exit, stderr], line).toEqual([0, expect.anything()])
    return JSON.parse(stdout)
  }
  return { home, sent, run, records }
}

/** Git keeps no modes; crm refuses files that others can read. */
function makePrivate(folder: string): void {
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) makePrivate(path)
    else chmodSync(path, 0o600)
  }
}

/** Stands where the service stood. */
async function recordWrites(target: string): Promise<Sent[]> {
  const sent: Sent[] = []
  const server = createServer(async (incoming, answer) => {
    const { method = 'GET', url = '/', headers } = incoming
    const body = await buffer(incoming)
    const key = headers['idempotency-key'] as string | undefined
    if (method !== 'GET') sent.push({ method, url, key, body: body.toString() })
    const forwarder = request(new URL(url, target), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    forwarder.on('error', () => answer.destroy())
    forwarder.end(body)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(SERVICE_PORT, '127.0.0.1', resolve)
  })
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return sent
}

function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

function count(values: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1
  return counts
}

interface PlannedCreate {
  readonly op: number
  readonly key: string
  readonly body: string
}

/** The creates of a job of the old form, with the keys and bodies that docs/job-format.md states, and which ops were answered. */
function jobOf(home: string, input: string): { id: string; creates: PlannedCreate[]; answered: Set<number> } {
  const jobs = join(home, '.local/state/crm/jobs')
  for (const id of readdirSync(jobs)) {
    const plan = join(jobs, id, 'plan.ndjson')
    if (!id.startsWith('job_') || !existsSync(plan)) continue
    const [head, ...lines] = readFileSync(plan, 'utf8').trimEnd().split('\n')
    const { account, run, command } = JSON.parse(head ?? '')
    if (!command?.includes(input)) continue
    const creates = lines
      .map((text) => ({ ...JSON.parse(text), text }))
      .filter((operation) => operation.do === 'create')
      .map(({ op, text, digest, n, gen = 0 }) => ({
        op,
        body: /"body":(.*)\}$/.exec(text)?.[1] ?? '',
        key: createHash('sha256')
          .update(`crm/1\0${account}\0${run}\0${digest}\0${n}\0${gen}`)
          .digest('base64url')
          .slice(0, 32),
      }))
    const journal = readFileSync(join(jobs, id, 'journal'), 'utf8')
      .trimEnd()
      .split('\n')
    const done = journal.map((line) => JSON.parse(line.slice(9))).filter(({ t }) => t === 'done')
    return { id, creates, answered: new Set(done.flatMap(({ r }) => r.map(([op]: [number]) => op))) }
  }
  throw new Error(`no job has read ${input}`)
}

const KILLED_IMPORTS = {
  'killed-leased.csv': ['Leased', 6],
  'killed-sent.csv': ['Sent', 6],
  'killed-middle.csv': ['Middle', 60],
  'interrupted.csv': ['Interrupted', 40],
} as const

test('imports that an earlier version was killed in go on with its keys and bodies, and each row is there once', async () => {
  const { home, sent, run, records } = await open('a minute later')
  for (const [file, [name, rows]] of Object.entries(KILLED_IMPORTS)) {
    const { id, creates, answered } = jobOf(home, file)
    sent.length = 0
    const resumed = await run(`jobs resume ${id} -p service --no-input`)
    expect([file, resumed.exit], resumed.stderr).toEqual([file, 0])
    const left = creates.filter(({ op }) => !answered.has(op))
    const order = (each: { key: string | undefined }, other: { key: string | undefined }) =>
      (each.key ?? '') < (other.key ?? '') ? -1 : 1
    expect(sent.map(({ key, body }) => ({ key, body })).toSorted(order)).toEqual(
      left.map(({ key, body }) => ({ key, body })).toSorted(order),
    )
    const found = await records(`contacts list --where '.name | startswith("${name} ")' -p service`)
    expect(count(found.map((contact) => contact.name))).toEqual(
      Object.fromEntries(Array.from({ length: rows }, (_, at) => [`${name} ${at + 1}`, 1])),
    )
  }
})

test('once the keys have expired, the same imports look their rows up, and each row is there once', async () => {
  const { home, run, records } = await open('today')
  for (const [file, [name, rows]] of Object.entries(KILLED_IMPORTS)) {
    const { id } = jobOf(home, file)
    const resumed = await run(`jobs resume ${id} -p service --no-input`)
    expect([file, resumed.exit], resumed.stderr).toEqual([file, 0])
    const found = await records(`contacts list --where '.name | startswith("${name} ")' -p service`)
    expect(count(found.map((contact) => contact.name))).toEqual(
      Object.fromEntries(Array.from({ length: rows }, (_, at) => [`${name} ${at + 1}`, 1])),
    )
  }
})

test.each(['a minute later', 'today'] as const)(
  'the command of each killed job goes on with it (%s)',
  async (clock) => {
    const { run, records } = await open(clock)
    const lines = [
      'contacts import killed-reading.csv --match email -p service --no-input --yes',
      'contacts import killed-sent.csv -p service --no-input',
      `contacts update --where '.name | startswith("Base 1")' --set phone=0999 --yes --concurrency 2 -p service --no-input`,
      `contacts delete --where '.name | startswith("Base 2")' --yes --expect 10 --concurrency 2 -p service --no-input`,
      `deals update --where '.name | startswith("Deal")' --set stage=Qualified --yes --concurrency 2 -p service --no-input`,
      'contacts import planned.csv --match email --yes -p service --no-input',
    ]
    for (const line of lines) expect([line, (await run(line)).exit]).toEqual([line, 0])
    const contacts = await records('contacts list -p service')
    const named = (start: string) => contacts.filter(({ name }) => String(name).startsWith(start))
    expect(named('Sent')).toHaveLength(6)
    expect(named('Reading')).toHaveLength(5)
    expect(count(named('Base 1').map(({ phone }) => phone))).toEqual({ '0999': 11 })
    expect(named('Base 2')).toEqual([])
    expect(contacts.filter(({ email }) => email === 'base8@earlier.example').map(({ phone }) => phone)).toEqual([
      '0777',
    ])
    expect(named('New 8')).toHaveLength(1)
    const deals = await records('deals list -p service')
    const stages = deals.filter(({ name }) => String(name).startsWith('Deal')).map(({ stage }) => stage)
    expect(count(stages)).toEqual({ Qualified: 6 })
  },
)

test('an undo that was killed goes on, and a finished job is undone', async () => {
  const { home, run, records } = await open('a minute later')
  const jobs = await records('jobs list --all --limit 100')
  const killed = jobs.find(({ kind, state }) => kind === 'undo' && state === 'stopped')
  expect((await run(`jobs resume ${killed?.id} -p service --no-input`)).exit).toBe(0)
  const finished = jobOf(home, 'done.csv')
  expect((await run(`jobs undo ${finished.id} --yes --expect 4 -p service --no-input`)).exit).toBe(0)
  const contacts = await records('contacts list -p service')
  expect(contacts.filter(({ name }) => /^(Undo|Undone|Done) /.test(String(name)))).toEqual([])
})

test.each(['a minute later', 'today'] as const)(
  'notes that were sent without an answer are there once, or named as in doubt (%s)',
  async (clock) => {
    const { home, run, records } = await open(clock)
    const resumed = await run(`jobs resume ${jobOf(home, 'notes.csv').id} -p service --no-input`)
    const notes = (await records('deals list -p service')).map(({ id }) => records(`notes list ${id} -p service`))
    const bodies = (await Promise.all(notes)).flat().map(({ body }) => String(body))
    const counted = count(bodies.filter((body) => /^Note \d/.test(body)))
    if (clock === 'a minute later') expect([resumed.exit, Object.keys(counted).length], resumed.stderr).toEqual([0, 6])
    else expect([0, 3], resumed.stderr).toContain(resumed.exit)
    expect(Object.values(counted).every((times) => times === 1)).toBe(true)
  },
)

test('every job is listed with its state, its rows and its failed rows', async () => {
  const { home, run, records } = await open('today')
  const jobs = await records('jobs list --all --limit 100')
  expect(count(jobs.map(({ state }) => state))).toEqual({ finished: 12, stopped: 13, cancelled: 1, planned: 1 })
  for (const { id } of jobs) expect([id, (await run(`jobs show ${id}`)).exit]).toEqual([id, 0])
  const failed = await run(`jobs failed ${jobOf(home, 'failed.csv').id}`)
  expect([failed.exit, failed.stdout]).toEqual([0, expect.stringContaining('the record would have 70173 bytes')])
  const cancelled = await run(`jobs resume ${jobOf(home, 'cancelled.csv').id} -p service --no-input`)
  expect([cancelled.exit, cancelled.stderr]).not.toEqual([0, expect.anything()])
})

test('plans of an earlier version are sent, or refused with the command that makes them again', async () => {
  const { run, records } = await open('today')
  for (const [plan, expected] of Object.entries({ import: 3, deals: 1, update: 1, delete: 1 })) {
    const applied = await run(`apply ${plan}.plan --yes --expect ${expected} -p service --no-input`)
    expect([plan, applied.exit], applied.stderr).toEqual([plan, 0])
  }
  const contacts = await records('contacts list -p service')
  expect(count(contacts.map(({ name }) => name))).toMatchObject({ 'Planned 1': 1, 'Planned 2': 1, 'Planned 3': 1 })
  expect(contacts.filter(({ name }) => name === 'Base 4')).toEqual([])
  expect(contacts.find(({ name }) => name === 'Base 3')?.company).toBe('Planned')
})

test('runs of fixtures on a service go on, and are destroyed', async () => {
  const { run, records } = await open('a minute later')
  for (const line of [
    'fixtures status fixtures.yaml --run-id applied',
    'fixtures apply fixtures.yaml --run-id killed',
    'fixtures apply fixtures.yaml --run-id applied',
  ])
    expect([line, (await run(`${line} -p service --no-input`)).exit]).toEqual([line, 0])
  const emails = async () => (await records('contacts list -p service')).map(({ email }) => String(email))
  const runs = (all: string[]) => Object.values(count(all.filter((email) => /\+(killed|applied)@/.test(email))))
  expect(runs(await emails())).toEqual(Array(18).fill(1))
  for (const name of ['killed', 'applied'])
    expect((await run(`fixtures destroy fixtures.yaml --run-id ${name} -p service --no-input`)).exit).toBe(0)
  expect(runs(await emails())).toEqual([])
})

test('jobs and fixtures on a server without keys look up what was sent, and make no row twice', async () => {
  const { home, run } = await open('today')
  const people = JSON.parse(readFileSync(join(EARLIER, 'people.json'), 'utf8')) as Person[]
  const foreign = await startForeignServer(FOREIGN_PORT, people)
  onTestFinished(() => foreign.close())
  const file = join(home, 'people.yaml')
  const earlier = await run('contacts list -p described')
  expect([earlier.exit, earlier.stderr]).toEqual([2, expect.stringContaining(`\n  crm connectors check ${file}\n`)])
  expect((await run(`connectors check ${file}`)).exit).toBe(0)
  const status = await run('fixtures status people-fixtures.yaml --run-id applied -p wired --no-input')
  expect(status.exit, status.stderr).toBe(0)
  // At the same time: each waits until no request of before can be under way.
  const ran = await Promise.all([
    run(`jobs resume ${jobOf(home, 'wired-killed.csv').id} -p wired --no-input`),
    run(`jobs resume ${jobOf(home, 'described-killed.csv').id} -p described --no-input`),
    run('fixtures apply people-fixtures.yaml --run-id killed -p wired --no-input'),
  ])
  // The server does not state when a record was created: a row that is there without an answer stays in doubt.
  for (const { exit, stderr } of ran) expect([exit, stderr]).toEqual([3, expect.stringContaining('1 in doubt')])
  const names = people.map(({ name }) => String(name))
  const expected = ['Wiredkill', 'Described'].flatMap((name) => [1, 2, 3, 4, 5, 6].map((at) => [`${name} ${at}`, 1]))
  expect(count(names.filter((name) => /^(Wiredkill|Described) /.test(name)))).toEqual(Object.fromEntries(expected))
  const killed = people.map(({ email }) => String(email)).filter((email) => email.includes('+killed@'))
  expect(Object.values(count(killed))).toEqual([1, 1, 1])
  for (const { method } of foreign.requests) expect(['GET', 'POST']).toContain(method)
})

test('profiles, the event log and what was typed into the screens are read', async () => {
  const { home, run, records } = await open('today')
  for (const profile of ['service', 'wired', 'described', 'guarded', 'vendor'])
    expect([profile, (await run(`config list -p ${profile}`)).exit]).toEqual([profile, 0])
  expect((await run('auth status -p service')).exit).toBe(0)
  const events = await records('webhooks events list --limit 100')
  expect(events).toHaveLength(3)
  const env = { HOME: home }
  const kept = await openKeptChanges(env, `http://127.0.0.1:${SERVICE_PORT}`).take()
  expect(kept.changes.map(({ patch }) => patch)).toEqual([{ company: 'Typed on a screen' }, null])
  expect(kept.forms.map(({ texts }) => texts)).toEqual([{ name: 'Half a name' }])
})
